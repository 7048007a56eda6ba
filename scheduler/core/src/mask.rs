//! Which nodes a constraint allows, kept per constraint and mended node by node.
//!
//! Invariant: after [`Masks::refresh`], each kept mask equals asking every per-constraint
//! filter about every node of the queue. Which nodes are a queue's is no policy: no plugin can
//! be without it.

use crate::avoid::Rejected;
use scheduler_framework::Cadence;
use scheduler_framework::profile::Profile;
use scheduler_model::ids::{ClassId, ConstraintId, IndexVec, NodeId};
use scheduler_model::journal::Cursor;
use scheduler_model::node_set::NodeSet;
use scheduler_model::snapshot::Snapshot;

/// Kept masks.
#[derive(Clone, Debug, Default)]
pub struct Masks {
    rows: IndexVec<ConstraintId, Option<NodeSet>>,
    seen: Cursor,
    /// Nodes whose kubelets turned pods of a shape away.
    rejected: Rejected,
    narrowed: NodeSet,
}

impl Masks {
    /// Brings every kept mask up to date with the nodes that changed since the last call.
    pub fn refresh(&mut self, snap: &Snapshot, profile: &Profile) {
        let journal = snap.nodes().described();
        let Some(touched) = journal.since(self.seen) else {
            (self.rows, self.seen) = (IndexVec::new(), journal.cursor());
            return;
        };
        if touched.is_empty() {
            return;
        }
        let touched: NodeSet = touched.iter().copied().collect();
        let mut asked = vec![false; self.rows.len()];
        for (class, row) in snap.classes().iter() {
            let id = row.constraint;
            let index = scheduler_model::ids::Id::index(id);
            // One class stands for all of its constraint.
            if asked.get(index).copied().unwrap_or(true) {
                continue;
            }
            asked[index] = true;
            if let Some(mask) = &mut self.rows[id] {
                mend(snap, profile, class, &touched, mask);
            }
        }
        for (row, asked) in self.rows.as_mut_slice().iter_mut().zip(asked) {
            // No live class can answer for it: made anew when one comes.
            if !asked {
                *row = None;
            }
        }
        self.seen = journal.cursor();
    }

    /// Sets which nodes pods keep off after rejections; answers what was in force before.
    pub fn reject(&mut self, rejected: Rejected) -> Rejected {
        std::mem::replace(&mut self.rejected, rejected)
    }

    /// Which nodes pods keep off after rejections.
    #[must_use]
    pub const fn rejected(&self) -> &Rejected {
        &self.rejected
    }

    /// The nodes that the class's constraint allows and that did not turn its pods away lately.
    pub fn get(&mut self, snap: &Snapshot, profile: &Profile, class: ClassId) -> &NodeSet {
        let constraint = snap.classes().get(class).constraint;
        self.rows.grow(snap.constraints().len(), None);
        let mask = self.rows[constraint].get_or_insert_with(|| {
            let mut nodes = snap.nodes().live().clone();
            let constraint = snap.constraints().get(constraint);
            if constraint.is_of_queues() {
                nodes.retain_if(|node| constraint.queue_against(snap.labels(), node).is_none());
            }
            profile.retain(Cadence::PerConstraint, snap, class, &mut nodes);
            nodes
        });
        let shape = &snap.classes().get(class).key.shape;
        let Some(off) = self.rejected.get(shape) else { return mask };
        self.narrowed.clone_from(mask);
        off.keys().for_each(|node| self.narrowed.remove(*node));
        &self.narrowed
    }
}

fn mend(snap: &Snapshot, profile: &Profile, class: ClassId, touched: &NodeSet, mask: &mut NodeSet) {
    let constraint = snap.constraints().get(snap.classes().get(class).constraint);
    let is_allowed = |node: NodeId| {
        snap.nodes().live().contains(node)
            && constraint.queue_against(snap.labels(), node).is_none()
            && profile.accepts(Cadence::PerConstraint, snap, class, node)
    };
    for node in touched.iter() {
        if is_allowed(node) { mask.insert(node) } else { mask.remove(node) }
    }
}
