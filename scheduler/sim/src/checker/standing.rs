//! What a node says to a pod by itself, whoever else runs: cordon, readiness, taints,
//! selector and affinity.
//!
//! Sources: "Taints and Tolerations" and "Assigning Pods to Nodes" of the Kubernetes docs,
//! KEP-5471 for numeric tolerations.

use super::selector::term_holds;
use scheduler_model::explain::NodeReason;
use scheduler_model::spec::{
    NodeSpec, PodShape, Taint, TaintEffect, Toleration, TolerationOperator,
};

/// The first thing about the node itself that keeps the pod away.
pub(crate) fn stands_against(shape: &PodShape, node: &NodeSpec) -> Option<NodeReason> {
    all_against(shape, node).into_iter().next()
}

/// Everything about the node itself that keeps the pod away.
pub(super) fn all_against(shape: &PodShape, node: &NodeSpec) -> Vec<NodeReason> {
    let mut against = Vec::new();
    if node.unschedulable && !tolerates(shape, &cordon()) {
        against.push(NodeReason::Cordoned);
    }
    if !node.ready {
        against.push(NodeReason::NotReady);
    }
    for taint in untolerated(shape, node) {
        against.push(NodeReason::Taint(taint.clone()));
    }
    if !wants(shape, node) {
        against.push(NodeReason::NodeAffinity);
    }
    against
}

/// The taint that stands for a cordon: who tolerates it may pass.
fn cordon() -> Taint {
    Taint {
        key: "node.kubernetes.io/unschedulable".to_owned(),
        value: String::new(),
        effect: TaintEffect::NoSchedule,
    }
}

/// Hard taints of `node` that the pod does not tolerate.
pub(super) fn untolerated<'a>(
    shape: &'a PodShape,
    node: &'a NodeSpec,
) -> impl Iterator<Item = &'a Taint> {
    node.taints
        .iter()
        .filter(|taint| taint.effect != TaintEffect::PreferNoSchedule)
        .filter(|taint| !tolerates(shape, taint))
}

fn tolerates(shape: &PodShape, taint: &Taint) -> bool {
    shape.tolerations.iter().any(|toleration| covers(toleration, taint))
}

/// An empty key covers every key, a missing effect every effect.
fn covers(toleration: &Toleration, taint: &Taint) -> bool {
    let key = toleration.key.is_empty() || toleration.key == taint.key;
    let effect = toleration.effect.is_none_or(|effect| effect == taint.effect);
    key && effect && value_covers(toleration, taint)
}

fn value_covers(toleration: &Toleration, taint: &Taint) -> bool {
    let integers = || Some((taint.value.parse::<i64>().ok()?, toleration.value.parse().ok()?));
    match toleration.operator {
        TolerationOperator::Exists => true,
        TolerationOperator::Equal => toleration.value == taint.value,
        TolerationOperator::Gt => integers().is_some_and(|(has, than): (i64, i64)| has > than),
        TolerationOperator::Lt => integers().is_some_and(|(has, than): (i64, i64)| has < than),
    }
}

/// True if node selector and required node affinity both hold.
pub(super) fn wants(shape: &PodShape, node: &NodeSpec) -> bool {
    let selected =
        shape.node_selector.iter().all(|(key, value)| node.labels.get(key) == Some(value));
    let affine = match &shape.node_affinity {
        None => true,
        Some(terms) => terms.iter().any(|term| term_holds(term, node)),
    };
    selected && affine
}
