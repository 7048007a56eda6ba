//! The cluster with its free room added up once, so that many questions can be asked of it.

use crate::checker::{Cluster, add, domain_of, forbidden_by, refusing, stands_against, taken_by};
use scheduler_model::amount::Amount;
use scheduler_model::spec::{NodeSpec, PodSpec, Resources};
use std::collections::{BTreeMap, BTreeSet};

use super::GangQuestion;

/// A cluster made ready for questions.
pub struct Ground<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) nodes: Vec<Row<'a>>,
    refusing: Vec<(&'a PodSpec, &'a str)>,
}

/// One node and what is free on it.
pub(super) struct Row<'a> {
    pub(super) spec: &'a NodeSpec,
    pub(super) free: Resources,
}

impl<'a> Ground<'a> {
    /// Adds up what is free on every node of `cluster`.
    #[must_use]
    pub fn new(cluster: &'a Cluster) -> Self {
        let mut used: BTreeMap<&str, Resources> = BTreeMap::new();
        for (pod, node) in cluster.holding() {
            add(used.entry(node).or_default(), &taken_by(pod));
        }
        let row = |spec: &'a NodeSpec| {
            let mut free = spec.allocatable.clone();
            for (resource, amount) in used.get(spec.name.as_str()).into_iter().flatten() {
                let entry = free.entry(resource.clone()).or_default();
                *entry = entry.minus(*amount);
            }
            Row { spec, free }
        };
        let nodes = cluster.nodes.values().map(row).collect();
        Self { cluster, nodes, refusing: refusing(cluster).collect() }
    }

    /// True if nothing but room and what its own gang does can keep `pod` off the node.
    pub(super) fn allows(&self, pod: &PodSpec, row: &Row<'_>) -> bool {
        stands_against(&pod.shape, row.spec).is_none()
            && self.cluster.queue_against(pod, row.spec).is_none()
            && !self
                .refusing
                .iter()
                .any(|other| forbidden_by(self.cluster, *other, pod, &row.spec.name))
    }

    /// True if some pod's anti-affinity has to be asked, so that labels and namespace matter.
    pub(super) fn has_refusing_pods(&self) -> bool {
        !self.refusing.is_empty()
    }

    /// The domains the gang may use, each as positions of its nodes.
    pub(super) fn domains(&self, question: &GangQuestion) -> Vec<Vec<usize>> {
        let Some(keys) = &question.level else {
            return vec![(0..self.nodes.len()).collect()];
        };
        let mut domains: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
        for (at, row) in self.nodes.iter().enumerate() {
            if let Some(domain) = domain_of(self.cluster, &row.spec.name, keys) {
                domains.entry(domain).or_default().push(at);
            }
        }
        let fixed = anchored(self.cluster, question, keys);
        domains
            .into_iter()
            .filter(|(domain, _)| fixed.iter().all(|at| at.as_ref() == Some(domain)))
            .map(|(_, nodes)| nodes)
            .collect()
    }
}

impl Row<'_> {
    /// How many pods with these requests the node can take; at least one request is positive.
    pub(super) fn seats(&self, requests: &Resources) -> u32 {
        let free = |resource: &String| self.free.get(resource).copied().unwrap_or(Amount::ZERO);
        requests.iter().map(|(name, want)| free(name).holds(*want)).min().unwrap_or(u32::MAX)
    }
}

/// Domains of the members that run; nodes that are gone have none and fix nothing.
pub(super) fn anchored(
    cluster: &Cluster,
    question: &GangQuestion,
    keys: &[String],
) -> BTreeSet<Option<Vec<String>>> {
    let there = question.anchors.iter().filter(|node| cluster.nodes.contains_key(*node));
    there.map(|node| domain_of(cluster, node, keys)).collect()
}
