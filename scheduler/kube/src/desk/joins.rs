//! What needs more than one object: nodes with HyperNodes and ResourceFlavors, ClusterQueues
//! with Cohorts.
//!
//! Invariant: what comes out depends on the objects there are, not on the order in which they
//! came. Nodes are joined again only when labels, nodes or the other side changed.

use super::claims::{Claimant, Claims, Rank};
use crate::object::Late;
use crate::translate::kueue::Cohorts;
use crate::translate::{hypernode, kueue};
use crate::wire::kueue::{ClusterQueue, Cohort, ResourceFlavor};
use crate::wire::volcano::HyperNode;
use scheduler_model::problem::Problem;
use scheduler_model::spec::{Labels, NodeSpec, QueueSpec, TopologySpec};
use std::collections::BTreeMap;

/// Objects that mean something together with others, and what they made of the nodes.
#[derive(Debug, Default)]
pub(super) struct Joins {
    hypernodes: BTreeMap<Claimant, HyperNode>,
    flavours: BTreeMap<Claimant, ResourceFlavor>,
    cluster_queues: BTreeMap<Claimant, ClusterQueue>,
    cohorts: BTreeMap<Claimant, Cohort>,
    made: BTreeMap<String, Made>,
    /// There are tiers, so labels that look like one of them are theirs alone.
    has_tiers: bool,
    is_nodes_dirty: bool,
    is_queues_dirty: bool,
}

/// What others say about a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Made {
    labels: Labels,
    flavour: String,
}

impl Joins {
    /// An object as it is now.
    pub(super) fn put(&mut self, claimant: Claimant, object: Late) {
        match object {
            Late::HyperNode(object) => {
                self.is_nodes_dirty |= self.hypernodes.get(&claimant) != Some(&object);
                self.hypernodes.insert(claimant, object);
            }
            Late::Flavour(object) => {
                self.is_nodes_dirty |= self.flavours.get(&claimant) != Some(&object);
                self.flavours.insert(claimant, object);
            }
            Late::ClusterQueue(object) => {
                self.is_queues_dirty |= self.cluster_queues.get(&claimant) != Some(&object);
                self.cluster_queues.insert(claimant, object);
            }
            Late::Cohort(object) => {
                self.is_queues_dirty |= self.cohorts.get(&claimant) != Some(&object);
                self.cohorts.insert(claimant, object);
            }
        }
    }

    /// The object is gone.
    pub(super) fn remove(&mut self, claimant: &Claimant) {
        let is_of_nodes =
            self.hypernodes.remove(claimant).is_some() | self.flavours.remove(claimant).is_some();
        let is_of_queues = self.cluster_queues.remove(claimant).is_some()
            | self.cohorts.remove(claimant).is_some();
        self.is_nodes_dirty |= is_of_nodes;
        self.is_queues_dirty |= is_of_queues;
    }

    /// A node came or went, or its labels changed.
    pub(super) fn touch_nodes(&mut self) {
        self.is_nodes_dirty = true;
    }

    /// Joins the nodes again if that may change something: the problems, if it was done.
    pub(super) fn nodes(
        &mut self,
        nodes: &mut Claims<String, NodeSpec>,
        topologies: &mut Claims<String, TopologySpec>,
    ) -> Option<Vec<Problem>> {
        if !std::mem::take(&mut self.is_nodes_dirty) {
            return None;
        }
        let is_alone = self.hypernodes.is_empty() && self.flavours.is_empty();
        if is_alone && self.made.is_empty() && !self.has_tiers {
            return None;
        }
        let mut all: Vec<NodeSpec> = nodes.iter().map(|(_, node)| node.clone()).collect();
        let flavours: Vec<ResourceFlavor> = self.flavours.values().cloned().collect();
        let hypernodes: Vec<HyperNode> = self.hypernodes.values().cloned().collect();
        let mut problems = kueue::flavours(&flavours, &mut all);
        let (made, more) = hypernode::resolve(&hypernodes, &mut all);
        problems.extend(more);
        let had_tiers = std::mem::replace(&mut self.has_tiers, !made.is_empty());
        let derived = Claimant::derived(Rank::Derived, "topology");
        topologies.set(&derived, made.into_iter().map(|spec| (spec.name.clone(), spec)));
        let mut before = std::mem::take(&mut self.made);
        for node in all {
            let mut made = Made::of(&node);
            if !self.has_tiers {
                made.labels.clear();
            }
            let old = before.remove(&node.name).unwrap_or_default();
            if made != old || had_tiers != self.has_tiers {
                nodes.touch(node.name.clone());
            }
            if made != Made::default() {
                self.made.insert(node.name, made);
            }
        }
        Some(problems)
    }

    /// The node with what others say about it.
    pub(super) fn complete(&self, node: &mut NodeSpec) {
        if self.has_tiers {
            node.labels.retain(|key, _| !is_tier(key));
        }
        if let Some(made) = self.made.get(&node.name) {
            let labels = made.labels.iter().map(|(key, value)| (key.clone(), value.clone()));
            node.labels.extend(labels);
            node.flavour.clone_from(&made.flavour);
        }
    }

    /// Joins the queues again if that may change something: the problems, if it was done.
    pub(super) fn queues(
        &mut self,
        queues: &mut Claims<String, QueueSpec>,
    ) -> Option<Vec<Problem>> {
        if !std::mem::take(&mut self.is_queues_dirty) {
            return None;
        }
        let cohorts = Cohorts::of(self.cohorts.values(), self.cluster_queues.values());
        let mut problems = Vec::new();
        let read = self
            .cluster_queues
            .iter()
            .map(|(claimant, object)| (claimant, kueue::cluster_queue(object, &cohorts)))
            .chain(
                self.cohorts
                    .iter()
                    .map(|(claimant, object)| (claimant, kueue::cohort(object, &cohorts))),
            );
        for (claimant, read) in read {
            problems.extend(read.problems);
            queues.set(claimant, [(read.value.name.clone(), read.value)]);
        }
        Some(problems)
    }
}

impl Made {
    fn of(joined: &NodeSpec) -> Self {
        let labels = joined.labels.iter().filter(|(key, _)| is_tier(key));
        Self {
            labels: labels.map(|(key, value)| (key.clone(), value.clone())).collect(),
            flavour: joined.flavour.clone(),
        }
    }
}

fn is_tier(key: &str) -> bool {
    key.starts_with(hypernode::LABEL_PREFIX)
}
