//! What the pods that hold room say to a pod: affinity and anti-affinity, both ways.
//!
//! Source: "Inter-pod affinity and anti-affinity" of the Kubernetes docs, and the default
//! scheduler's behaviour where the docs are silent: a pod is a partner only if *all* affinity
//! terms mean it, and a pod that means itself may be the first of its kind.

use super::Cluster;
use super::selector::term_means;
use scheduler_model::explain::NodeReason;
use scheduler_model::spec::{PodSpec, PodTerm};

/// Everything that other pods have against `pod` on `node`.
pub(super) fn partners_against(cluster: &Cluster, pod: &PodSpec, node: &str) -> Vec<NodeReason> {
    let mut against = Vec::new();
    if !affinity_holds(cluster, pod, node) {
        against.push(NodeReason::PodAffinity);
    }
    let met = |term: &PodTerm| {
        others(cluster, pod).any(|(other, on)| {
            term_means(cluster, term, other) && shares(cluster, &term.topology_key, on, node)
        })
    };
    if pod.shape.anti_affinity.iter().any(met) {
        against.push(NodeReason::PodAntiAffinity);
    }
    if refusing(cluster)
        .any(|(other, on)| other.uid != pod.uid && forbidden_by(cluster, (other, on), pod, node))
    {
        against.push(NodeReason::RefusedByPod);
    }
    against
}

/// Pods that hold room and carry an anti-affinity of their own, with their nodes.
pub(crate) fn refusing(cluster: &Cluster) -> impl Iterator<Item = (&PodSpec, &str)> {
    cluster.holding().filter(|(other, _)| !other.shape.anti_affinity.is_empty())
}

/// True if the anti-affinity of `other`, which runs on `on`, keeps `pod` off `node`.
pub(crate) fn forbidden_by(
    cluster: &Cluster,
    (other, on): (&PodSpec, &str),
    pod: &PodSpec,
    node: &str,
) -> bool {
    other
        .shape
        .anti_affinity
        .iter()
        .any(|term| term_means(cluster, term, pod) && shares(cluster, &term.topology_key, on, node))
}

fn affinity_holds(cluster: &Cluster, pod: &PodSpec, node: &str) -> bool {
    let terms = &pod.shape.affinity;
    if terms.is_empty() {
        return true;
    }
    if terms.iter().any(|term| cluster.node_label(node, &term.topology_key).is_none()) {
        return false;
    }
    let partners: Vec<(&PodSpec, &str)> = others(cluster, pod)
        .filter(|(other, _)| terms.iter().all(|term| term_means(cluster, term, other)))
        .collect();
    let met = |term: &PodTerm| {
        partners.iter().any(|(_, on)| shares(cluster, &term.topology_key, on, node))
    };
    if terms.iter().all(met) {
        return true;
    }
    // A partner on a node without any of the keys is in no domain and does not count.
    let exists_in_a_domain = partners.iter().any(|(_, on)| {
        terms.iter().any(|term| cluster.node_label(on, &term.topology_key).is_some())
    });
    !exists_in_a_domain && terms.iter().all(|term| term_means(cluster, term, pod))
}

fn others<'a>(cluster: &'a Cluster, pod: &PodSpec) -> impl Iterator<Item = (&'a PodSpec, &'a str)> {
    let uid = pod.uid.clone();
    cluster.holding().filter(move |(other, _)| other.uid != uid)
}

/// True if both nodes carry the label `key` with one value.
fn shares(cluster: &Cluster, key: &str, one: &str, other: &str) -> bool {
    let value = cluster.node_label(one, key);
    value.is_some() && value == cluster.node_label(other, key)
}
