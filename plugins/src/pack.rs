//! Prefers nodes that are fuller by cpu and memory, so that large pods find whole ones later.
//!
//! Each of the two is scored by how full the node would be with the pod on it; the score is
//! their mean. A resource that a node has none of counts as full.

use crate::catalogue::WEIGHT_PACK;
use crate::share::Share;
use scheduler_framework::profile::Profile;
use scheduler_framework::{Cadence, EventMask, Plugin, SCORE_MAX, Scorer};
use scheduler_model::ids::{ClassId, Id, NodeId, ResourceId};
use scheduler_model::node_set::NodeSet;
use scheduler_model::resource::Request;
use scheduler_model::snapshot::Snapshot;
use std::sync::Arc;

#[derive(Debug)]
struct Pack;

pub(crate) fn install(profile: &mut Profile) {
    profile.scorer(Arc::new(Pack), WEIGHT_PACK);
}

impl Plugin for Pack {
    fn name(&self) -> &'static str {
        "pack"
    }

    fn wakes_on(&self) -> EventMask {
        EventMask::NONE
    }
}

impl Scorer for Pack {
    fn cadence(&self) -> Cadence {
        Cadence::PerConstraint
    }

    fn score(&self, snap: &Snapshot, class: ClassId, node: NodeId) -> i64 {
        let request = &snap.classes().get(class).request;
        let full = |resource| {
            let free = snap.nodes().free(node, resource).units() - want(request, resource);
            let allocatable = snap.nodes().allocatable(node, resource).units();
            used(&mut Share::default(), free, allocatable)
        };
        (full(snap.resources().cpu()) + full(snap.resources().memory())) / 2
    }

    fn add_scores(
        &self,
        snap: &Snapshot,
        class: ClassId,
        nodes: &NodeSet,
        weight: i64,
        out: &mut [i64],
    ) {
        let request = &snap.classes().get(class).request;
        let mut cpu = Column::new(snap, snap.resources().cpu(), request);
        let mut memory = Column::new(snap, snap.resources().memory(), request);
        for node in nodes.iter() {
            let row = node.index();
            out[row] += weight * ((cpu.used(row) + memory.used(row)) / 2);
        }
    }
}

/// What a scan over one resource needs.
struct Column<'a> {
    free: &'a [i64],
    allocatable: &'a [i64],
    want: i64,
    share: Share,
}

impl<'a> Column<'a> {
    fn new(snap: &'a Snapshot, resource: ResourceId, request: &Request) -> Self {
        let free = snap.nodes().free_column(resource);
        let allocatable = snap.nodes().allocatable_column(resource);
        Self { free, allocatable, want: want(request, resource), share: Share::default() }
    }

    #[inline]
    fn used(&mut self, row: usize) -> i64 {
        let (Some(free), Some(allocatable)) = (self.free.get(row), self.allocatable.get(row))
        else {
            return SCORE_MAX;
        };
        used(&mut self.share, free - self.want, *allocatable)
    }
}

#[inline]
fn used(share: &mut Share, free: i64, allocatable: i64) -> i64 {
    share.of(allocatable - free, allocatable)
}

fn want(request: &Request, resource: ResourceId) -> i64 {
    let found = request.iter().find(|(wanted, _)| *wanted == resource);
    // A request beyond every capacity never fits; cut it where no difference overflows.
    found.map_or(0, |(_, amount)| amount.units().clamp(0, scheduler_model::node::REQUEST_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{build, node, on, pod, score, sized, wanting};

    #[test]
    fn the_fuller_node_scores_higher() {
        let busy = on("a", pod("busy", &[], wanting(&[("cpu", 4000), ("memory", 16 << 30)])));
        let small = pod("p", &[], wanting(&[("cpu", 2000), ("memory", 0)]));
        let snap = build(vec![node("a"), node("b")], vec![busy, small]);
        assert_eq!(score(&Pack, &snap, "p", "a"), i64::midpoint(750, 500));
        assert_eq!(score(&Pack, &snap, "p", "b"), i64::midpoint(250, 0));
    }

    #[test]
    fn the_smaller_of_two_empty_nodes_scores_higher() {
        let nodes = vec![sized("small", &[("cpu", 4000)]), sized("large", &[("cpu", 64_000)])];
        let snap = build(nodes, vec![pod("p", &[], wanting(&[("cpu", 2000)]))]);
        assert!(score(&Pack, &snap, "p", "small") > score(&Pack, &snap, "p", "large"));
    }

    #[test]
    fn an_overfull_node_stays_on_the_scale() {
        let huge = wanting(&[("cpu", i64::MAX), ("memory", i64::MAX)]);
        let pods = vec![on("a", pod("huge", &[], huge.clone())), pod("p", &[], huge)];
        let snap = build(vec![node("a")], pods);
        assert_eq!(score(&Pack, &snap, "p", "a"), SCORE_MAX);
    }
}
