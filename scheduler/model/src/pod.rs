//! Pods as rows: the spec as last told, and where its room is charged.

use crate::ids::{ClassId, GangId, NodeId, PodId, Slots};
use crate::spec::PodSpec;
use crate::time::Time;
use std::collections::{BTreeMap, BTreeSet};

/// Where a pod's room is charged.
///
/// ```text
///            assume                bind seen
/// Nowhere ───────────► Assumed ──────────────► Bound ──► (finished or gone)
///    ▲                    │                      ▲
///    └──────forget────────┘      node appears    │
///                                 Adrift ────────┘   bound to a node nobody described
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It holds no room.
    Nowhere,
    /// Decided, not yet seen in the API.
    Assumed(NodeId),
    /// Bound in the API.
    Bound(NodeId),
    /// Bound, or about to be, to a node that is not in the table (not yet, or no more).
    Adrift,
}

impl Place {
    /// The node whose room it holds.
    #[must_use]
    pub const fn node(self) -> Option<NodeId> {
        match self {
            Self::Assumed(node) | Self::Bound(node) => Some(node),
            Self::Nowhere | Self::Adrift => None,
        }
    }

    /// True if it has a node, known or not.
    #[must_use]
    pub const fn is_placed(self) -> bool {
        !matches!(self, Self::Nowhere)
    }
}

/// One pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pod {
    /// As last told.
    pub spec: Box<PodSpec>,
    /// Its class; `None` once finished.
    pub class: Option<ClassId>,
    /// Its gang, if it is ours.
    pub gang: Option<GangId>,
    /// Where its room is charged.
    pub place: Place,
    /// An `Op` evicts it.
    pub is_evicted: bool,
    /// An `Op` took it away.
    pub has_left: bool,
    /// Why its bind was refused, while it is not tried again.
    pub refused: Option<Box<str>>,
    /// When it was first seen finished, if that was seen to happen.
    pub seen_ended_at: Option<Time>,
    /// When it was first seen without closed gates; its creation if it never had any.
    pub ready_at: Time,
}

impl Pod {
    /// True if its place was decided but not seen in the API, whether or not the node is known.
    #[must_use]
    pub const fn is_assumed(&self) -> bool {
        match self.place {
            Place::Assumed(_) => true,
            Place::Adrift => self.spec.node.is_none(),
            Place::Nowhere | Place::Bound(_) => false,
        }
    }

    /// When it ended: as its object says, else as we saw, else (it never ran) at its creation.
    #[must_use]
    pub fn ended_at(&self) -> Time {
        self.spec.finished_at.or(self.seen_ended_at).unwrap_or(self.spec.created_at)
    }

    /// True if its room is on its way out.
    #[must_use]
    pub const fn is_releasing(&self) -> bool {
        self.spec.terminating || self.is_evicted
    }

    /// True if it waits for a place and nothing of its own is in the way.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        !self.spec.phase.is_finished()
            && !self.spec.terminating
            && self.spec.gates.is_empty()
            && self.place == Place::Nowhere
            && self.refused.is_none()
    }
}

/// All pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodTable {
    pub(crate) rows: Slots<PodId, Pod>,
    pub(crate) by_uid: BTreeMap<String, PodId>,
    pub(crate) on_node: BTreeMap<NodeId, BTreeSet<PodId>>,
    /// Pods bound to nodes that are not in the table, by node name.
    pub(crate) adrift: BTreeMap<String, BTreeSet<PodId>>,
    /// Pods that hold room and are on their way out.
    pub(crate) releasing: BTreeSet<PodId>,
}

impl PodTable {
    /// The pod.
    #[inline]
    #[must_use]
    pub fn get(&self, id: PodId) -> &Pod {
        &self.rows[id]
    }

    /// The pod of this uid.
    #[must_use]
    pub fn find(&self, uid: &str) -> Option<PodId> {
        self.by_uid.get(uid).copied()
    }

    /// All pods.
    pub fn iter(&self) -> impl Iterator<Item = (PodId, &Pod)> {
        self.rows.iter()
    }

    /// Number of pods.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True without pods.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Pods that are, or are about to be, on a node of this name which is not in the table.
    pub fn adrift(&self, name: &str) -> impl Iterator<Item = PodId> + '_ {
        self.adrift.get(name).into_iter().flatten().copied()
    }

    /// Pods that hold room and are on their way out.
    pub fn releasing(&self) -> impl Iterator<Item = PodId> + '_ {
        self.releasing.iter().copied()
    }

    /// Pods that hold room on a node, in order of row.
    pub fn on_node(&self, node: NodeId) -> impl Iterator<Item = PodId> + '_ {
        self.on_node.get(&node).into_iter().flatten().copied()
    }
}
