//! Counts become pods, in rank order: neighbours in rank become neighbours in topology.

use super::Placed;
use crate::roster::Roster;
use scheduler_model::ids::{LevelId, NodeId, PodId};
use scheduler_model::snapshot::Snapshot;
use std::collections::BTreeMap;

/// Which pod goes where, in the order in which the room was taken.
#[must_use]
pub fn assign(snap: &Snapshot, roster: &Roster, placed: &[Placed]) -> Vec<(PodId, NodeId)> {
    let levels = levels(snap, roster);
    let mut by_set: BTreeMap<usize, BTreeMap<NodeId, u32>> = BTreeMap::new();
    for it in placed {
        *by_set.entry(it.set).or_default().entry(it.node).or_insert(0) += it.count;
    }
    let mut queues: BTreeMap<(usize, NodeId), Vec<PodId>> = BTreeMap::new();
    for (set, nodes) in by_set {
        let row = &roster.sets[set];
        let mut nodes: Vec<(NodeId, u32)> = nodes.into_iter().collect();
        nodes.sort_by_cached_key(|(node, _)| neighbourhood(snap, &levels, *node));
        let mut pods = row.pods.iter().copied();
        for (node, count) in nodes {
            let mut here: Vec<PodId> =
                pods.by_ref().take(usize::try_from(count).unwrap_or(usize::MAX)).collect();
            // Taken from the end below, lowest rank first.
            here.reverse();
            queues.insert((set, node), here);
        }
    }
    let mut steps = Vec::new();
    for it in placed {
        let pods = queues.get_mut(&(it.set, it.node)).expect("filled from the same list");
        for _ in 0..it.count {
            let pod = pods.pop().expect("no more is placed than the set has");
            steps.push((pod, it.node));
        }
    }
    steps
}

/// Sorts nodes of one domain beside each other, then by name.
fn neighbourhood(snap: &Snapshot, levels: &[LevelId], node: NodeId) -> (Vec<Vec<String>>, u32) {
    let path = |level: &LevelId| {
        let row = snap.topology().level(*level);
        row.path(row.domain(node), snap.labels()).into_iter().map(str::to_owned).collect()
    };
    (levels.iter().map(path).collect(), snap.nodes().rank(node))
}

/// The levels that the gang wishes for, the required one first.
fn levels(snap: &Snapshot, roster: &Roster) -> Vec<LevelId> {
    let gang = snap.gangs().get(roster.gang);
    let Some(spec) = &gang.spec else { return Vec::new() };
    [&spec.topology.required, &spec.topology.preferred]
        .into_iter()
        .flatten()
        .filter_map(|name| snap.find_level(spec.topology.topology.as_deref(), name))
        .collect()
}
