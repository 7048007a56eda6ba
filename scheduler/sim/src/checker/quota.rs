//! What queues use, counted pod by pod at every level of the tree.
//!
//! Invariant: a pod is charged to its queue and all queues above while it holds room, in the
//! flavour of its node.

use super::Cluster;
use super::cluster::{add, taken_by};
use super::gang::members_by_gang;
use scheduler_model::spec::{GangKey, GangSpec, PodSpec, QueueSpec, Resources};
use std::collections::BTreeMap;

/// The queue of a gang: its own field, else its first pod's that names one, else its
/// namespace's, else `default`.
pub(crate) fn queue_of(
    cluster: &Cluster,
    key: &GangKey,
    gang: Option<&GangSpec>,
    members: &[&PodSpec],
) -> String {
    let of_gang = gang.and_then(|gang| gang.queue.clone());
    let of_pods = || members.iter().find_map(|pod| pod.queue.clone());
    let of_namespace = || cluster.namespaces.get(&key.namespace)?.queue.clone();
    of_gang.or_else(of_pods).or_else(of_namespace).unwrap_or_else(|| "default".to_owned())
}

/// The queue called `name` and all above it, as far as they exist; stops where a cycle closes.
pub(crate) fn path<'a>(queues: &[&'a QueueSpec], name: &str) -> Vec<&'a QueueSpec> {
    let mut path: Vec<&QueueSpec> = Vec::new();
    let mut next = Some(name);
    while let Some(name) = next {
        let Some(queue) = queues.iter().copied().find(|queue| queue.name == name) else {
            break;
        };
        if path.iter().any(|below| below.name == name) {
            break;
        }
        path.push(queue);
        next = queue.parent.as_deref();
    }
    path
}

/// What is in use, by queue and flavour, everything below a queue included.
pub(crate) fn usage(
    cluster: &Cluster,
    gangs: &BTreeMap<&GangKey, &GangSpec>,
    queues: &[&QueueSpec],
) -> BTreeMap<(String, String), Resources> {
    let mut usage: BTreeMap<(String, String), Resources> = BTreeMap::new();
    for (key, members) in members_by_gang(cluster) {
        let queue = queue_of(cluster, &key, gangs.get(&key).copied(), &members);
        for pod in members.iter().filter(|pod| !pod.phase.is_finished()) {
            let Some(node) = pod.node.as_ref().and_then(|node| cluster.nodes.get(node)) else {
                continue;
            };
            for level in path(queues, &queue) {
                let entry = usage.entry((level.name.clone(), node.flavour.clone())).or_default();
                add(entry, &taken_by(pod));
            }
        }
    }
    usage
}
