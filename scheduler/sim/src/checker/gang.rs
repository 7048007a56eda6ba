//! Who belongs to a gang, how many count, and in which domain they must be.
//!
//! Source: "Life of a gang" in the design: members that run or have succeeded count towards
//! the minimum, evicted and lost ones do not, nor do members of earlier runs.

use super::Cluster;
use scheduler_model::spec::{
    Dialect, GangKey, GangSpec, Membership, PodPhase, PodSpec, TopologySpec,
};
use std::collections::BTreeMap;

/// The gang a pod belongs to.
#[must_use]
pub fn gang_of(pod: &PodSpec) -> GangKey {
    match &pod.membership {
        Membership::Group(key) | Membership::Owner(key) => key.clone(),
        Membership::Alone => GangKey {
            namespace: pod.namespace.clone(),
            name: pod.name.clone(),
            dialect: Dialect::Pod,
        },
    }
}

/// All pods of ours, finished and past ones too, by their gang.
pub(crate) fn members_by_gang(cluster: &Cluster) -> BTreeMap<GangKey, Vec<&PodSpec>> {
    let mut gangs: BTreeMap<GangKey, Vec<&PodSpec>> = BTreeMap::new();
    let past = cluster.past.values();
    for pod in cluster.pods.values().filter(|pod| pod.ours).chain(past) {
        gangs.entry(gang_of(pod)).or_default().push(pod);
    }
    gangs
}

/// What counts towards a gang's minimums.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Members that run or have succeeded, by role.
    pub(crate) by_role: BTreeMap<String, u32>,
    /// The same in total, with those that only the owner's status knows.
    pub(crate) total: u32,
    /// Nodes of the members that run.
    pub(crate) nodes: Vec<String>,
}

/// Counts the members of `gang`, which are all of `members`.
pub(crate) fn tally(cluster: &Cluster, gang: &GangSpec, members: &[&PodSpec]) -> Tally {
    let mut tally = Tally::default();
    let mut succeeded = 0;
    let run = this_run(members);
    let written = written(gang, &run);
    for pod in run {
        match &pod.node {
            _ if pod.phase == PodPhase::Succeeded && !pod.evicted => succeeded += 1,
            Some(node) if !pod.phase.is_finished() && !cluster.is_lost(pod) => {
                tally.nodes.push(node.clone());
                tally.total += 1;
            }
            _ => continue,
        }
        *tally.by_role.entry(pod.role.clone()).or_default() += 1;
    }
    tally.total = tally.total.saturating_add(gang.succeeded.max(succeeded).max(written));
    tally
}

/// Members that had succeeded when the ledger of the group was written, if it speaks of this
/// run: one of its members was there before the latest moment that it names.
fn written(gang: &GangSpec, run: &[&PodSpec]) -> u32 {
    let ledger = &gang.ledger;
    let first = run.iter().map(|pod| pod.created_at).min();
    let moments = [ledger.run, ledger.age, ledger.blocked_since, ledger.broken_since];
    let is_this = ledger.run.is_some() && moments.into_iter().flatten().max() >= first;
    let sum = ledger.succeeded.iter().fold(0_u32, |sum, it| sum.saturating_add(it.count));
    if is_this { sum } else { 0 }
}

/// Unfinished members, and the finished ones whose lives touch theirs, directly or through
/// other members: a gap without any unfinished member ends a run.
fn this_run<'a>(members: &[&'a PodSpec]) -> Vec<&'a PodSpec> {
    let (mut finished, mut run): (Vec<&PodSpec>, Vec<&PodSpec>) =
        members.iter().copied().partition(|pod| pod.phase.is_finished());
    finished.sort_by_key(|pod| std::cmp::Reverse(pod.finished_at));
    // A missing end may lie in this run, so it counts.
    finished.sort_by_key(|pod| pod.finished_at.is_some());
    let Some(mut start) = run.iter().map(|pod| pod.created_at).min() else {
        return Vec::new();
    };
    for pod in finished {
        if pod.finished_at.is_none_or(|end| end >= start) {
            start = start.min(pod.created_at);
            run.push(pod);
        }
    }
    run
}

/// The required level of a gang.
pub(crate) enum Level {
    /// Anywhere.
    Free,
    /// Equal values at all of these node labels, widest first.
    Keys(Vec<String>),
    /// The topology or level does not exist; what the gang calls it.
    Missing(String),
}

/// Resolves the required level of `gang`: by the topology it names, else by the only one
/// there is if that has such a level, else as a plain node label key.
pub(crate) fn level_of(gang: &GangSpec, topologies: &[&TopologySpec]) -> Level {
    let Some(wanted) = &gang.topology.required else {
        return Level::Free;
    };
    let keys = |topology: &TopologySpec| {
        let at = topology.levels.iter().position(|lv| lv.name == *wanted || lv.key == *wanted)?;
        Some(topology.levels[..=at].iter().map(|level| level.key.clone()).collect())
    };
    if let Some(name) = &gang.topology.topology {
        let found = topologies.iter().find(|topology| topology.name == *name);
        return match found.and_then(|topology| keys(topology)) {
            Some(keys) => Level::Keys(keys),
            None => Level::Missing(wanted.clone()),
        };
    }
    let only = match topologies {
        [only] => keys(only),
        _ => None,
    };
    Level::Keys(only.unwrap_or_else(|| vec![wanted.clone()]))
}

/// The domain of a node: its values at all `keys`; `None` if it lacks one.
pub(crate) fn domain_of(cluster: &Cluster, node: &str, keys: &[String]) -> Option<Vec<String>> {
    keys.iter().map(|key| cluster.node_label(node, key).map(str::to_owned)).collect()
}
