//! Whose gangs may use a queue, and on which nodes.
//!
//! Invariants: a queue takes only what every queue above it takes as well; what runs was taken
//! once and is not looked at again. Between `settle_queues` and the next news of queues, the class
//! of each pod names what the queues of its gang ask of nodes.

use super::QueueTree;
use crate::constraint::QueueNodes;
use crate::gang::Gang;
use crate::ids::{GangId, PodId, QueueId};
use crate::relation::{covers, holds};
use crate::snapshot::Snapshot;
use crate::spec::PodSpec;

impl QueueTree {
    /// What a queue and those above it ask of the nodes that their gangs go to, from below.
    #[must_use]
    pub fn nodes_of(&self, queue: QueueId) -> Vec<QueueNodes> {
        if self.with_nodes.is_empty() {
            return Vec::new();
        }
        let asks = self.path(queue).filter(|row| !row.spec.node_selector.requirements.is_empty());
        asks.map(|row| QueueNodes {
            queue: row.spec.name.clone(),
            selector: row.spec.node_selector.clone(),
        })
        .collect()
    }
}

impl Snapshot {
    /// The first queue on a gang's way up that is not for its namespace.
    #[must_use]
    pub fn queue_that_bars(&self, gang: &Gang) -> Option<QueueId> {
        let namespace = &gang.key.namespace;
        let bars = |queue: &QueueId| {
            let scope = self.queues().get(*queue).spec.namespaces.as_ref();
            scope.is_some_and(|scope| !covers(scope, namespace, self.namespaces()))
        };
        self.queues().ids_up(gang.queue?).find(bars)
    }

    /// True if some node has all labels that a queue and those above it ask for. Without a single
    /// node nothing can be said.
    #[must_use]
    pub fn has_node_of(&self, queue: QueueId) -> bool {
        let asks = self.queues().nodes_of(queue);
        let is_one = |node| {
            let labels = &self.nodes().spec(node).labels;
            let mut all = asks.iter().flat_map(|it| &it.selector.requirements);
            all.all(|requirement| holds(requirement, labels))
        };
        let nodes = self.nodes().live();
        asks.is_empty() || nodes.is_empty() || nodes.iter().any(is_one)
    }

    /// What queues ask of the nodes of a pod. DaemonSets decide for themselves where theirs go.
    pub(crate) fn queue_nodes(&self, spec: &PodSpec, gang: Option<GangId>) -> Vec<QueueNodes> {
        let queue = gang.and_then(|gang| self.gangs().get(gang).queue);
        let queue = queue.filter(|_| spec.daemon.is_none());
        queue.map(|queue| self.queues().nodes_of(queue)).unwrap_or_default()
    }

    /// Moves pods to the classes that they belong to now that their queues may ask for others.
    pub(crate) fn sort_into_queues(&mut self, pods: &[PodId]) {
        let is_other = |pod: &&PodId| {
            let row = self.pods().get(**pod);
            row.class.is_some_and(|class| {
                self.classes().get(class).key.queues != self.queue_nodes(&row.spec, row.gang)
            })
        };
        let others: Vec<PodId> = pods.iter().filter(is_other).copied().collect();
        self.intern_anew(others);
    }
}
