//! The rows that are judged: nodes, pods, namespaces, each by name.
//!
//! Invariant: a pod holds room exactly while it is bound and not finished, terminating or not.
//! Next: `objects.rs` builds it from events.

use super::Objects;
use super::gang::gang_of;
use super::selector::selects;
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::spec::{
    ClaimSpec, GangKey, LabelSelector, Labels, NamespaceSpec, NodeSpec, PodSpec, PoolSpec,
    Resources, VolumeSpec,
};
use scheduler_model::time::{Span, Time};
use scheduler_model::world::World;
use std::collections::BTreeMap;

/// Everything a pod's place can depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cluster {
    /// Nodes by name.
    pub nodes: BTreeMap<String, NodeSpec>,
    /// Pods by uid, bound or not.
    pub pods: BTreeMap<String, PodSpec>,
    /// Pods of ours that are gone, as they ended; those that had not ended count as failed at
    /// a time that nobody knows. Only the runs of gangs depend on them.
    pub past: BTreeMap<String, PodSpec>,
    /// Namespaces by name.
    pub namespaces: BTreeMap<String, NamespaceSpec>,
    /// Volume claims by key.
    pub claims: BTreeMap<String, ClaimSpec>,
    /// Volumes that a late claim may take, by name.
    pub volumes: BTreeMap<String, VolumeSpec>,
    /// Room for new volumes by key.
    pub pools: BTreeMap<String, PoolSpec>,
    /// By gang, the queues that keep its pods to nodes with some labels, from below.
    pub queue_nodes: BTreeMap<GangKey, Vec<(String, LabelSelector)>>,
    /// The moment at which it is looked at: what is silent for long is lost.
    pub now: Time,
}

/// How long a node is silent before its pods are lost.
const LOST_AFTER: Span = Span::from_secs(60);

impl Cluster {
    /// What is left after all `events`.
    #[must_use]
    pub fn from_events(events: &[Event]) -> Self {
        Objects::from_events(events).cluster
    }

    /// The objects of `world` as they are written there, whatever their hints say.
    #[must_use]
    pub fn from_world(world: &World) -> Self {
        Self::from_events(&world.events)
    }

    /// Pods that hold room, with the name of their node.
    pub fn holding(&self) -> impl Iterator<Item = (&PodSpec, &str)> {
        self.pods
            .values()
            .filter(|pod| !pod.phase.is_finished())
            .filter_map(|pod| pod.node.as_deref().map(|node| (pod, node)))
    }

    /// Pods that hold room on `node`.
    pub fn holding_on(&self, node: &str) -> impl Iterator<Item = &PodSpec> {
        self.holding().filter(move |(_, on)| *on == node).map(|(pod, _)| pod)
    }

    /// True if a bound pod will not do its work any more: it goes, or its node is gone or silent.
    #[must_use]
    pub fn is_lost(&self, pod: &PodSpec) -> bool {
        let is_silent = |node: &NodeSpec| {
            let since = node.not_ready_since.filter(|_| !node.ready);
            since.is_some_and(|since| since.after(LOST_AFTER) <= self.now)
        };
        let node = pod.node.as_ref().map(|node| self.nodes.get(node));
        pod.terminating || node.is_some_and(|node| node.is_none_or(is_silent))
    }

    /// The first queue that keeps the pod off the node. Those of DaemonSets go where they like.
    pub(crate) fn queue_against(&self, pod: &PodSpec, node: &NodeSpec) -> Option<&str> {
        let asks = self.queue_nodes.get(&gang_of(pod)).filter(|_| pod.daemon.is_none())?;
        let against = asks.iter().find(|(_, selector)| !selects(selector, &node.labels));
        against.map(|(queue, _)| queue.as_str())
    }

    /// Value of a node's label.
    #[must_use]
    pub fn node_label(&self, node: &str, key: &str) -> Option<&str> {
        self.nodes.get(node)?.labels.get(key).map(String::as_str)
    }

    /// Labels of a namespace; none if nobody told us about it.
    #[must_use]
    pub fn namespace_labels(&self, namespace: &str) -> Labels {
        self.namespaces.get(namespace).map(|spec| spec.labels.clone()).unwrap_or_default()
    }
}

/// What a pod takes from its node: its requests, and one of `pods`.
pub(crate) fn taken_by(pod: &PodSpec) -> Resources {
    let mut taken = pod.shape.requests.clone();
    taken.insert("pods".to_owned(), Amount::new(1));
    taken
}

/// Adds `more` to `sum`, resource by resource.
pub(crate) fn add(sum: &mut Resources, more: &Resources) {
    for (resource, amount) in more {
        let entry = sum.entry(resource.clone()).or_default();
        *entry = entry.plus(*amount);
    }
}
