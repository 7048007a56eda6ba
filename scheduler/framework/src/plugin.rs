//! The row-by-row contracts: hard yes or no, and soft preference.

use crate::EventMask;
use scheduler_model::explain::NodeReason;
use scheduler_model::ids::{ClassId, Id, NodeId};
use scheduler_model::node_set::NodeSet;
use scheduler_model::snapshot::Snapshot;
use std::fmt;

/// What every plugin is.
pub trait Plugin: fmt::Debug + Send + Sync {
    /// Its name in the catalogue, in configuration and in explanations.
    fn name(&self) -> &'static str;

    /// Events after which a gang that this plugin turned away deserves another look.
    fn wakes_on(&self) -> EventMask;
}

/// What a filter says to a pod of a class on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may run there.
    Fit,
    /// Not now; pods that end or leave may change it.
    Unfit(NodeReason),
    /// Not there, whatever ends on that node.
    Never(NodeReason),
}

/// What a filter's answer depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cadence {
    /// On the node's own spec and on the class's [`scheduler_model::constraint::Constraint`]
    /// alone. The engine asks once per constraint and keeps the answers as a mask.
    PerConstraint,
    /// On placed pods too. The engine asks again after each placement.
    PerPlacement,
}

/// Hard yes or no.
pub trait Filter: Plugin {
    /// What the answer depends on.
    fn cadence(&self) -> Cadence;

    /// False if it accepts this class on every node, whatever runs there: it is then not asked.
    fn concerns(&self, snap: &Snapshot, class: ClassId) -> bool {
        let _ = (snap, class);
        true
    }

    /// True if placing a pod of this class changes its answers about that node alone. A filter
    /// asked again after each placement is then asked about that node only.
    fn is_local(&self, snap: &Snapshot, class: ClassId) -> bool {
        let _ = (snap, class);
        false
    }

    /// Row form: may one more pod of `class` run on `node`?
    fn accepts(&self, snap: &Snapshot, class: ClassId, node: NodeId) -> Verdict;

    /// Set form: keeps the nodes that [`Filter::accepts`] answers [`Verdict::Fit`] for.
    /// Override it only to be faster; the laws prove both forms equal.
    fn retain(&self, snap: &Snapshot, class: ClassId, nodes: &mut NodeSet) {
        nodes.retain_if(|node| self.accepts(snap, class, node) == Verdict::Fit);
    }
}

/// The best score; the worst is 0. One fixed scale, so that no second pass normalises.
pub const SCORE_MAX: i64 = 1000;

/// Soft preference.
pub trait Scorer: Plugin {
    /// What the score depends on besides the room on the node itself.
    fn cadence(&self) -> Cadence;

    /// False if it scores all nodes alike for this class: it is then not asked.
    fn concerns(&self, snap: &Snapshot, class: ClassId) -> bool {
        let _ = (snap, class);
        true
    }

    /// Row form: how good `node` is for one more pod of `class`, 0 to [`SCORE_MAX`].
    fn score(&self, snap: &Snapshot, class: ClassId, node: NodeId) -> i64;

    /// Set form: adds `weight` times the score to each node's entry in `out`, which is indexed
    /// by row and at least as long as the table. Override it only to be faster.
    fn add_scores(
        &self,
        snap: &Snapshot,
        class: ClassId,
        nodes: &NodeSet,
        weight: i64,
        out: &mut [i64],
    ) {
        for node in nodes.iter() {
            out[node.index()] += weight * self.score(snap, class, node);
        }
    }
}
