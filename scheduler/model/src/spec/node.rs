//! A node as the outside describes it.

use super::{Labels, Resources};
use crate::time::Time;
use std::collections::BTreeMap;

/// A machine that can run pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeSpec {
    /// Unique name.
    pub name: String,
    /// All labels, including those that an adapter derived (see `docs/ARCHITECTURE.md`).
    pub labels: Labels,
    /// All taints in the order of the object.
    pub taints: Vec<Taint>,
    /// Cordoned by a person (`spec.unschedulable`).
    pub unschedulable: bool,
    /// The node's own `Ready` condition is true.
    pub ready: bool,
    /// Since when that condition is not true, where it says so; its pods are given up for lost
    /// after a while.
    pub not_ready_since: Option<Time>,
    /// What pods may use together. Rounded down where inexact. `pods` is the pod count.
    pub allocatable: Resources,
    /// How many volumes each CSI driver can attach to it (`CSINode`); a driver that is not named
    /// has no limit.
    pub attach_limits: BTreeMap<String, u32>,
    /// Creation time, for fresh nodes.
    pub created_at: Time,
    /// The one flavour this node belongs to (a GPU model, a pool); empty is the default one.
    pub flavour: String,
}

impl NodeSpec {
    /// True if it takes new pods as far as it says itself: ready and not cordoned.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.ready && !self.unschedulable
    }
}

/// A mark that keeps pods away unless they tolerate it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Taint {
    /// Key of the taint.
    pub key: String,
    /// Value, possibly empty.
    pub value: String,
    /// What the taint does to pods that do not tolerate it.
    pub effect: TaintEffect,
}

/// What a taint does to pods that do not tolerate it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaintEffect {
    /// New pods stay away.
    NoSchedule,
    /// New pods prefer other nodes.
    PreferNoSchedule,
    /// New pods stay away and running ones are evicted by the node controller.
    NoExecute,
}
