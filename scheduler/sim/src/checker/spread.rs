//! Topology spread with `DoNotSchedule`.
//!
//! Source: "Pod Topology Spread Constraints" of the Kubernetes docs, and the default
//! scheduler where they are silent: only nodes that carry the keys of all hard constraints
//! make domains, and an empty selector counts no existing pod.

use super::Cluster;
use super::selector::selects;
use super::standing::{untolerated, wants};
use scheduler_model::explain::NodeReason;
use scheduler_model::spec::{NodeSpec, PodSpec, SpreadSpec, WhenUnsatisfiable};
use std::collections::BTreeMap;

/// Every hard spread constraint that `pod` on `node` would break.
pub(super) fn spread_against(cluster: &Cluster, pod: &PodSpec, node: &NodeSpec) -> Vec<NodeReason> {
    let hard: Vec<&SpreadSpec> = hard_constraints(pod).collect();
    let mut against = Vec::new();
    for constraint in &hard {
        let key = &constraint.topology_key;
        let Some(value) = node.labels.get(key) else {
            against.push(NodeReason::NoSpreadLabel(key.clone()));
            continue;
        };
        if skew(cluster, pod, constraint, &hard, value) > i64::from(constraint.max_skew) {
            against.push(NodeReason::Spread(key.clone()));
        }
    }
    against
}

/// The spread constraints that can keep a pod waiting.
pub(crate) fn hard_constraints(pod: &PodSpec) -> impl Iterator<Item = &SpreadSpec> {
    pod.shape
        .spread
        .iter()
        .filter(|spread| spread.when_unsatisfiable == WhenUnsatisfiable::DoNotSchedule)
}

/// How far the domain `value` would lie above the emptiest domain with `pod` in it.
fn skew(
    cluster: &Cluster,
    pod: &PodSpec,
    constraint: &SpreadSpec,
    hard: &[&SpreadSpec],
    value: &str,
) -> i64 {
    let domains = count_domains(cluster, pod, constraint, hard);
    let too_few = domains.len() < usize::try_from(constraint.min_domains).unwrap_or(usize::MAX);
    let emptiest = if too_few { 0 } else { domains.values().copied().min().unwrap_or(0) };
    let here = domains.get(value).copied().unwrap_or(0);
    let itself = constraint.selector.as_ref().is_some_and(|sel| selects(sel, &pod.labels));
    here + i64::from(itself) - emptiest
}

/// Per domain, how many pods count.
fn count_domains<'a>(
    cluster: &'a Cluster,
    pod: &PodSpec,
    constraint: &SpreadSpec,
    hard: &[&SpreadSpec],
) -> BTreeMap<&'a str, i64> {
    let mut domains = BTreeMap::new();
    for node in cluster.nodes.values() {
        let has_all_keys = hard.iter().all(|other| node.labels.contains_key(&other.topology_key));
        let honoured = (!constraint.honour_affinity
            || (wants(&pod.shape, node) && cluster.queue_against(pod, node).is_none()))
            && (!constraint.honour_taints || untolerated(&pod.shape, node).next().is_none());
        if !has_all_keys || !honoured {
            continue;
        }
        if let Some(value) = node.labels.get(&constraint.topology_key) {
            *domains.entry(value.as_str()).or_insert(0) +=
                count_on(cluster, pod, constraint, &node.name);
        }
    }
    domains
}

fn count_on(cluster: &Cluster, pod: &PodSpec, constraint: &SpreadSpec, node: &str) -> i64 {
    let Some(selector) = constraint.selector.as_ref().filter(|sel| !sel.requirements.is_empty())
    else {
        return 0;
    };
    let counted = cluster.holding_on(node).filter(|other| {
        other.uid != pod.uid
            && !other.terminating
            && other.namespace == pod.namespace
            && selects(selector, &other.labels)
    });
    i64::try_from(counted.count()).unwrap_or(i64::MAX)
}
