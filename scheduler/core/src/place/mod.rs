//! The placement problem: find room for the missing members of a gang, all at once, on the
//! snapshot of a [`Txn`]. Nothing here knows whether that snapshot is now or later.
//!
//! 1. [`pack`]: counts of one class onto nodes of one region, best node first.
//!    [`shelf`] keeps the nodes of a class in order from one decision to the next.
//! 2. [`region`]: which sets of nodes a gang may and should be together in.
//! 3. [`gang`]: all sets of a gang, region by region, until its minimum is placed.
//! 4. [`assign`]: counts become pods, in rank order.
//!
//! Cost: one class costs a walk over its candidate nodes per region; members of one class
//! share it. Classes that other pods act on are placed one by one, a walk each.

pub mod assign;
pub mod gang;
pub mod pack;
pub mod region;
pub mod shelf;

use crate::engine::Engine;
use crate::fuel::Fuel;
use crate::mask::Masks;
use crate::txn::Txn;
use scheduler_framework::profile::Profile;
use scheduler_model::ids::{ClassId, GangId, NodeId, QueueId};
use scheduler_model::node_set::NodeSet;
use scheduler_model::op::{Op, Room};
use scheduler_model::volume::Service;

/// What placing needs beside the snapshot.
#[derive(Debug)]
pub struct Placer<'a> {
    /// Plugins in force.
    pub profile: &'a Profile,
    /// Kept masks.
    pub masks: &'a mut Masks,
    /// What is left of the cycle's budget.
    pub fuel: &'a mut Fuel,
    /// Buffers used again and again.
    pub scratch: &'a mut Scratch,
}

impl Engine {
    /// What it takes to try places: a snapshot on which to try, and what is needed beside it.
    pub(crate) fn placing<'a>(&'a mut self, fuel: &'a mut Fuel) -> (Txn<'a>, Placer<'a>) {
        let placer = Placer {
            profile: &self.profile,
            masks: &mut self.masks,
            fuel,
            scratch: &mut self.scratch,
        };
        (Txn::new(&mut self.snapshot), placer)
    }
}

/// Buffers used again and again, so that a decision allocates nothing once they have grown.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    scores: Vec<i64>,
    contenders: NodeSet,
    packed: Vec<(NodeId, u32)>,
    shelves: shelf::Shelves,
    order: Vec<(i64, u32, NodeId)>,
}

impl Scratch {
    /// All scores back to 0.
    fn clear_scores(&mut self, nodes: usize) {
        self.scores.clear();
        self.scores.resize(nodes, 0);
    }
}

/// Members of one set on one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Index of the set in the roster.
    pub set: usize,
    /// Where.
    pub node: NodeId,
    /// How many.
    pub count: u32,
}

/// Takes room for `count` pods, and what serves their claims where those are bound late.
pub(crate) fn take(
    txn: &mut Txn<'_>,
    class: ClassId,
    node: NodeId,
    (queue, gang): (Option<QueueId>, Option<GangId>),
    count: u32,
) {
    if !txn.view().has_late_claims(class) {
        txn.apply(Op::Place(Room { class, node, queue, gang, count }));
        return;
    }
    for _ in 0..count {
        let served = txn.view().serve(class, node).unwrap_or_default();
        txn.apply(Op::Place(Room { class, node, queue, gang, count: 1 }));
        if !served.is_empty() {
            txn.apply(Op::Serve(Service { class, node, served }));
        }
    }
}
