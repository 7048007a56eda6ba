//! Judges a whole state: capacity, minimums, domains, limits.
//!
//! It says what is so, not who did it: other schedulers may overfill a node. Who wants to
//! blame somebody compares the audits before and after.

use super::cluster::{add, taken_by};
use super::gang::{Level, Tally, domain_of, level_of, members_by_gang, tally};
use super::quota::usage;
use super::turnout::Turnout;
use super::{Cluster, Violation};
use scheduler_model::amount::Amount;
use scheduler_model::spec::{
    GangKey, GangSpec, NodeSpec, QueueSpec, QuotaSpec, Resources, TopologySpec,
};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that is wrong with the state of `cluster`: capacity on every node; minimums
/// (total and per role) of every gang with a bound member that is not terminating, but for
/// those in `exempt`, which lost members from outside; one domain per required level; limits
/// of all queues at every level of the tree.
#[must_use]
pub fn audit(
    cluster: &Cluster,
    gangs: &[GangSpec],
    queues: &[QueueSpec],
    topologies: &[TopologySpec],
    exempt: &BTreeSet<GangKey>,
) -> Vec<Violation> {
    let mut used: BTreeMap<&str, Resources> = BTreeMap::new();
    for (pod, node) in cluster.holding() {
        add(used.entry(node).or_default(), &taken_by(pod));
    }
    let mut violations = Vec::new();
    for node in cluster.nodes.values() {
        let used = used.remove(node.name.as_str()).unwrap_or_default();
        violations.extend(overfull(node, used));
    }
    let members = members_by_gang(cluster);
    let topologies: Vec<&TopologySpec> = topologies.iter().collect();
    for gang in gangs {
        let Some(members) = members.get(&gang.key) else { continue };
        let tally = tally(cluster, gang, members);
        if tally.nodes.is_empty() {
            continue;
        }
        if !exempt.contains(&gang.key) {
            violations.extend(below_min(gang, &tally));
        }
        violations.extend(apart(cluster, gang, &tally, &topologies));
    }
    violations.extend(over_limit(cluster, gangs, queues));
    violations
}

fn overfull(node: &NodeSpec, used: Resources) -> Vec<Violation> {
    let whole = |resource: &String| node.allocatable.get(resource).copied().unwrap_or_default();
    used.into_iter()
        .filter(|(resource, used)| *used > whole(resource).max(Amount::ZERO))
        .map(|(resource, used)| Violation::Overfull {
            node: node.name.clone(),
            allocatable: whole(&resource),
            resource,
            used,
        })
        .collect()
}

fn below_min(gang: &GangSpec, tally: &Tally) -> Vec<Violation> {
    let below = |role: Option<&String>, counted: u32, min: u32| {
        (counted < min).then(|| Violation::BelowMin {
            gang: gang.key.clone(),
            role: role.cloned(),
            counted,
            min,
        })
    };
    let mut violations: Vec<Violation> = gang
        .roles
        .iter()
        .filter_map(|role| {
            let counted = tally.by_role.get(&role.name).copied().unwrap_or(0);
            below(Some(&role.name), counted, role.min)
        })
        .collect();
    violations.extend(below(None, tally.total, gang.min));
    violations
}

fn apart(
    cluster: &Cluster,
    gang: &GangSpec,
    tally: &Tally,
    topologies: &[&TopologySpec],
) -> Option<Violation> {
    let Level::Keys(keys) = level_of(gang, topologies) else {
        // A level that does not exist binds nobody; such a gang must not be placed, but its
        // members may have run before the topology went away.
        return None;
    };
    let domains: BTreeSet<Option<Vec<String>>> = tally
        .nodes
        .iter()
        .filter(|node| cluster.nodes.contains_key(*node))
        .map(|node| domain_of(cluster, node, &keys))
        .collect();
    if domains.len() <= 1 && !domains.contains(&None) {
        return None;
    }
    Some(Violation::Apart {
        gang: gang.key.clone(),
        level: gang.topology.required.clone().unwrap_or_default(),
        domains: domains
            .into_iter()
            .map(|domain| domain.map_or_else(|| "-".to_owned(), |values| values.join("/")))
            .collect(),
    })
}

fn over_limit(cluster: &Cluster, gangs: &[GangSpec], queues: &[QueueSpec]) -> Vec<Violation> {
    let gangs: BTreeMap<&GangKey, &GangSpec> = gangs.iter().map(|gang| (&gang.key, gang)).collect();
    let refs: Vec<&QueueSpec> = queues.iter().collect();
    let usage = usage(cluster, &gangs, &refs);
    let mut violations = Turnout::of(cluster, &gangs, &refs).excess(&refs);
    for queue in queues {
        for quota in &queue.quotas {
            let Some(limit) = quota.quota.limit else { continue };
            let used = used_of(&usage, &queue.name, quota);
            if used > limit.max(Amount::ZERO) {
                violations.push(Violation::OverLimit {
                    queue: queue.name.clone(),
                    flavour: quota.flavour.clone(),
                    resource: quota.resource.clone(),
                    used,
                    limit,
                });
            }
        }
    }
    violations
}

/// What counts against one quota of the queue called `name`.
pub(crate) fn used_of(
    usage: &BTreeMap<(String, String), Resources>,
    name: &str,
    quota: &QuotaSpec,
) -> Amount {
    usage
        .iter()
        .filter(|((queue, flavour), _)| {
            queue == name && quota.flavour.as_ref().is_none_or(|only| only == flavour)
        })
        .filter_map(|(_, used)| used.get(&quota.resource))
        .fold(Amount::ZERO, |sum, amount| sum.plus(*amount))
}
