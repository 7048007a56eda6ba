//! The yardstick: for each pod walk all nodes, ask every filter's row form, score each node
//! that fits by row form, take the best, go on to the next pod. No classes, no masks, no sets.
//!
//! It shares the plugins with the engine, and nothing of its placement. Where a gang has one
//! pod, both put it on the same node: a test holds them to that.

use crate::stage::Stage;
use scheduler_framework::Cadence;
use scheduler_framework::profile::Profile;
use scheduler_model::ids::{ClassId, NodeId, PodId, QueueId};
use scheduler_model::op::{Op, Room};
use scheduler_model::snapshot::Snapshot;
use std::cmp::Reverse;

/// A full scan per pod on a snapshot of its own.
#[derive(Clone, Debug)]
pub struct Naive {
    snapshot: Snapshot,
    profile: Profile,
    taken: Vec<Op>,
}

impl Naive {
    /// Sees what the stage sees.
    #[must_use]
    pub fn of(stage: &Stage) -> Self {
        let snapshot = stage.engine().snapshot().clone();
        Self { snapshot, profile: stage.engine().profile().clone(), taken: Vec::new() }
    }

    /// The first `most` pods that wait, in order of row.
    #[must_use]
    pub fn waiting(&self, most: usize) -> Vec<PodId> {
        let pods = self.snapshot.pods().iter().filter(|(_, pod)| pod.is_pending());
        pods.map(|(id, _)| id).take(most).collect()
    }

    /// Finds a node for each pod, in this order, each seeing the room the ones before it took.
    /// All or nothing: `None` if one finds none.
    pub fn place(&mut self, pods: &[PodId]) -> Option<Vec<NodeId>> {
        let mut places = Vec::new();
        for pod in pods {
            let row = self.snapshot.pods().get(*pod);
            let class = row.class.expect("a waiting pod has a class");
            let queue = row.gang.and_then(|gang| self.snapshot.gangs().get(gang).queue);
            let Some(node) = self.best(class, queue) else {
                self.undo();
                return None;
            };
            let op = Op::Place(Room { class, node, queue, gang: None, count: 1 });
            self.snapshot.apply(op.clone());
            self.taken.push(op);
            places.push(node);
        }
        Some(places)
    }

    /// Takes everything back that was placed.
    pub fn undo(&mut self) {
        while let Some(op) = self.taken.pop() {
            self.snapshot.revert(op);
        }
    }

    /// The snapshot it works on.
    #[must_use]
    pub const fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    fn best(&self, class: ClassId, queue: Option<QueueId>) -> Option<NodeId> {
        let snap = &self.snapshot;
        let mut best = None;
        for node in snap.nodes().live().iter().filter(|node| self.fits(class, queue, *node)) {
            let score = self.profile.score(snap, class, node);
            let key = (score, Reverse(snap.nodes().rank(node)), node);
            best = best.max(Some(key));
        }
        best.map(|(_, _, node)| node)
    }

    fn fits(&self, class: ClassId, queue: Option<QueueId>, node: NodeId) -> bool {
        let snap = &self.snapshot;
        let request = &snap.classes().get(class).request;
        let has_room =
            request.iter().all(|(resource, amount)| snap.nodes().free(node, *resource) >= *amount);
        let is_within = || {
            let flavour = snap.nodes().flavour(node);
            queue.is_none_or(|queue| snap.queues().headroom(queue, flavour, request) > 0)
        };
        has_room
            && !snap.nodes().closed().contains(node)
            && self.profile.accepts(Cadence::PerConstraint, snap, class, node)
            && self.profile.accepts(Cadence::PerPlacement, snap, class, node)
            && is_within()
    }
}
