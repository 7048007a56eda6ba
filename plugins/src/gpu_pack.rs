//! Fills started accelerator nodes first and keeps whole ones free.
//!
//! An accelerator is any extended resource: a name with a `/` outside `kubernetes.io`. A pod
//! that asks for one prefers the node on which the fewest units stay free (best fit), and of
//! two alike the one that is in use already. A pod that asks for none prefers nodes without
//! accelerators, then those whose accelerators are taken.
//!
//! A node's view is its free and allocatable units per accelerator, nothing else, so the
//! score can be kept per class until a node's room changes.

use crate::catalogue::WEIGHT_GPU_PACK;
use crate::share::Share;
use scheduler_framework::profile::Profile;
use scheduler_framework::{Cadence, EventMask, Plugin, SCORE_MAX, Scorer};
use scheduler_model::ids::{ClassId, Id, NodeId, ResourceId};
use scheduler_model::node::REQUEST_MAX;
use scheduler_model::node_set::NodeSet;
use scheduler_model::snapshot::Snapshot;
use std::sync::Arc;

#[derive(Debug)]
struct GpuPack;

pub(crate) fn install(profile: &mut Profile) {
    profile.scorer(Arc::new(GpuPack), WEIGHT_GPU_PACK);
}

impl Plugin for GpuPack {
    fn name(&self) -> &'static str {
        "gpu_pack"
    }

    fn wakes_on(&self) -> EventMask {
        EventMask::NONE
    }
}

impl Scorer for GpuPack {
    fn cadence(&self) -> Cadence {
        Cadence::PerConstraint
    }

    fn concerns(&self, snap: &Snapshot, class: ClassId) -> bool {
        views(snap, class).next().is_some()
    }

    fn score(&self, snap: &Snapshot, class: ClassId, node: NodeId) -> i64 {
        let count = count(snap, class);
        views(snap, class).map(|mut view| view.points(node.index()) / count).sum()
    }

    fn add_scores(
        &self,
        snap: &Snapshot,
        class: ClassId,
        nodes: &NodeSet,
        weight: i64,
        out: &mut [i64],
    ) {
        let count = count(snap, class);
        // One walk per accelerator: there are few, and a walk needs no memory.
        for mut view in views(snap, class) {
            for node in nodes.iter() {
                out[node.index()] += weight * (view.points(node.index()) / count);
            }
        }
    }
}

/// One accelerator over all nodes.
struct View<'a> {
    free: &'a [i64],
    allocatable: &'a [i64],
    /// Units the pod asks for; `None` if it asks for no accelerator at all.
    want: Option<i64>,
    share: Share,
}

impl View<'_> {
    /// What the node is worth by this accelerator, 0 to [`SCORE_MAX`].
    #[inline]
    fn points(&mut self, row: usize) -> i64 {
        let at = |column: &[i64]| column.get(row).copied().unwrap_or(0);
        let (free, allocatable) = (at(self.free), at(self.allocatable));
        match self.want {
            Some(want) => fitting(free - want, allocatable - free),
            None if allocatable <= 0 => SCORE_MAX,
            None => (SCORE_MAX - self.share.of(free, allocatable)) / 2,
        }
    }
}

/// The score of a node on which `left` units stay free: 1000 for an exact fit on a node in
/// use, then ever less. The step between two neighbours outweighs being in use by one half.
#[inline]
fn fitting(left: i64, used: i64) -> i64 {
    if left < 0 {
        return 0;
    }
    // Half a step for a node that is still whole.
    let steps = 2 * left.min(REQUEST_MAX) + i64::from(used <= 0);
    match usize::try_from(steps).ok().and_then(|steps| FITTING.get(steps)) {
        Some(points) => *points,
        None => curve(steps),
    }
}

/// The first values of [`curve`], which cover nodes of up to 64 units without a division.
const FITTING: [i64; 128] = {
    let mut table = [0; 128];
    let (mut row, mut steps) = (0, 0);
    while row < table.len() {
        table[row] = curve(steps);
        row += 1;
        steps += 1;
    }
    table
};

/// Falls with every step up to 29 spare units, slower the more there are.
const fn curve(steps: i64) -> i64 {
    const BEND: i64 = 4;
    SCORE_MAX * BEND / (BEND + steps)
}

/// The accelerators that matter to the class: those it asks for, else all in the cluster.
fn views(snap: &Snapshot, class: ClassId) -> impl Iterator<Item = View<'_>> {
    let request = &snap.classes().get(class).request;
    let asked = request
        .iter()
        .filter(|(resource, amount)| amount.units() > 0 && is_accelerator(snap, *resource))
        .map(|(resource, amount)| view(snap, *resource, Some(amount.units().min(REQUEST_MAX))));
    let asks_none = asked.clone().next().is_none();
    let present = snap
        .resources()
        .ids()
        .filter(move |_| asks_none)
        .filter(|resource| snap.nodes().total(*resource) > 0 && is_accelerator(snap, *resource))
        .map(|resource| view(snap, resource, None));
    asked.chain(present)
}

/// How many accelerators matter to the class, at least 1.
fn count(snap: &Snapshot, class: ClassId) -> i64 {
    i64::try_from(views(snap, class).count()).unwrap_or(i64::MAX).max(1)
}

fn view(snap: &Snapshot, resource: ResourceId, want: Option<i64>) -> View<'_> {
    let free = snap.nodes().free_column(resource);
    let allocatable = snap.nodes().allocatable_column(resource);
    View { free, allocatable, want, share: Share::default() }
}

fn is_accelerator(snap: &Snapshot, resource: ResourceId) -> bool {
    let Some((domain, _)) = snap.resources().name(resource).split_once('/') else { return false };
    domain != "kubernetes.io" && !domain.ends_with(".kubernetes.io")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{build, on, pod, score, sized, wanting};

    const GPU: &str = "nvidia.com/gpu";

    /// `full` has 8 free of 8, `half` 4 of 8, `small` 4 of 4, `none` no accelerator.
    fn world(want: i64) -> Snapshot {
        let nodes = vec![
            sized("full", &[(GPU, 8)]),
            sized("half", &[(GPU, 8)]),
            sized("small", &[(GPU, 4)]),
            sized("none", &[("cpu", 8000)]),
        ];
        let busy = on("half", pod("busy", &[], wanting(&[(GPU, 4)])));
        build(nodes, vec![busy, pod("p", &[], wanting(&[(GPU, want)]))])
    }

    fn points(snap: &Snapshot, node: &str) -> i64 {
        score(&GpuPack, snap, "p", node)
    }

    #[test]
    fn an_exact_fit_on_a_started_node_is_best_then_on_a_whole_one_then_a_loose_one() {
        let snap = world(4);
        assert_eq!(points(&snap, "half"), SCORE_MAX);
        assert!(points(&snap, "half") > points(&snap, "small"));
        assert!(points(&snap, "small") > points(&snap, "full"));
    }

    #[test]
    fn fewer_units_left_free_score_higher_up_to_29() {
        let falls = |left| fitting(left, 0) > fitting(left + 1, 1);
        assert!((0..29).all(falls));
    }

    #[test]
    fn a_node_with_too_few_units_scores_nothing() {
        assert_eq!(points(&world(8), "half"), 0);
        assert_eq!(points(&world(8), "none"), 0);
    }

    #[test]
    fn a_pod_that_asks_for_none_goes_where_no_accelerator_is_left_idle() {
        let snap = world(0);
        assert_eq!(points(&snap, "none"), SCORE_MAX);
        assert!(points(&snap, "none") > points(&snap, "half"));
        assert!(points(&snap, "half") > points(&snap, "full"));
    }

    #[test]
    fn without_accelerators_in_the_cluster_it_is_not_asked() {
        let nodes = vec![sized("a", &[("cpu", 8000), ("hugepages-2Mi", 1 << 30)])];
        let snap = build(nodes, vec![pod("p", &[], wanting(&[("cpu", 1)]))]);
        let (class, _) = snap.classes().iter().next().expect("one class");
        assert!(!GpuPack.concerns(&snap, class));
    }

    #[test]
    fn only_extended_resources_are_accelerators() {
        let names = ["amd.com/gpu", "kubernetes.io/x", "node.kubernetes.io/y", "cpu"];
        let amounts: Vec<(&str, i64)> = names.iter().map(|name| (*name, 1)).collect();
        let snap = build(vec![sized("a", &amounts)], vec![]);
        let found = names.map(|name| {
            is_accelerator(&snap, snap.resources().find(name).expect("the node has it"))
        });
        assert_eq!(found, [true, false, false, false]);
    }
}
