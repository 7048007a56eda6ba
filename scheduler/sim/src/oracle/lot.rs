//! Pending pods sorted into lots of interchangeable ones.

use super::{GangQuestion, Ground};
use crate::checker::{hard_constraints, pod_refusals, taken_by};
use scheduler_model::spec::{Labels, PodShape, PodSpec, Resources};
use std::collections::BTreeMap;

/// Pods of one role that request the same and may go to the same nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lot {
    pub(super) role: String,
    pub(super) requests: Resources,
    /// Positions of the nodes that allow such a pod, ascending.
    pub(super) nodes: Vec<usize>,
    pub(super) uids: Vec<String>,
}

/// Sorts the pods that may be placed into lots, leaving out what pods have against each other
/// inside the gang.
pub(super) fn lots(ground: &Ground<'_>, question: &GangQuestion) -> Vec<Lot> {
    // Labels decide only where some pod's anti-affinity asks for them.
    type Look<'a> = (&'a PodShape, &'a str, Option<(&'a str, &'a Labels)>);
    let mut alike: BTreeMap<Look<'_>, Vec<&PodSpec>> = BTreeMap::new();
    for pod in question.pending.iter().filter(|pod| pod_refusals(pod).is_empty()) {
        let labels = ground.has_refusing_pods().then_some((pod.namespace.as_str(), &pod.labels));
        alike.entry((pod.shape.as_ref(), &pod.role, labels)).or_default().push(pod);
    }
    let mut lots: BTreeMap<(String, Resources, Vec<usize>), Vec<String>> = BTreeMap::new();
    for pods in alike.values() {
        let Some(first) = pods.first() else { continue };
        let rows = ground.nodes.iter().enumerate();
        let nodes = rows.filter(|(_, row)| ground.allows(first, row)).map(|(at, _)| at).collect();
        let mut requests = taken_by(first);
        requests.retain(|_, amount| amount.units() > 0);
        let lot = lots.entry((first.role.clone(), requests, nodes)).or_default();
        lot.extend(pods.iter().map(|pod| pod.uid.clone()));
    }
    lots.into_iter()
        .map(|((role, requests, nodes), uids)| Lot { role, requests, nodes, uids })
        .collect()
}

/// True if some pod may be kept off a node by another pod of its own gang.
pub(super) fn looks_at_pods(question: &GangQuestion) -> bool {
    question.pending.iter().any(|pod| {
        let shape = &pod.shape;
        !shape.affinity.is_empty()
            || !shape.anti_affinity.is_empty()
            || !shape.host_ports.is_empty()
            || !pod.claims.is_empty()
            || hard_constraints(pod).next().is_some()
    })
}
