//! Plain brute force: every order of every choice of pods on every node, no memory, no
//! symmetry. Slow and hard to get wrong.

use scheduler_model::amount::Amount;
use scheduler_model::spec::PodSpec;
use scheduler_sim::checker::{Cluster, refusals};
use scheduler_sim::oracle::GangQuestion;

/// The most members that meet the test `enough` on the way, or whether any do.
pub(crate) struct Brute<'a> {
    question: &'a GangQuestion,
    cluster: Cluster,
    placed: Vec<PodSpec>,
    pub(crate) feasible: bool,
    pub(crate) most: usize,
    steps: usize,
}

/// Tries everything; `None` if that is too much.
pub(crate) fn brute<'a>(cluster: &Cluster, question: &'a GangQuestion) -> Option<Brute<'a>> {
    let mut brute = Brute {
        question,
        cluster: cluster.clone(),
        placed: Vec::new(),
        feasible: false,
        most: 0,
        steps: 0,
    };
    brute.go();
    (brute.steps < LIMIT).then_some(brute)
}

/// Enough for four pods on three nodes.
const LIMIT: usize = 12_000;

impl Brute<'_> {
    fn go(&mut self) {
        self.most = self.most.max(self.placed.len());
        self.feasible |= self.meets_minimums();
        let nodes: Vec<String> = self.cluster.nodes.keys().cloned().collect();
        for pod in &self.question.pending {
            if self.placed.iter().any(|placed| placed.uid == pod.uid) {
                continue;
            }
            for node in &nodes {
                self.steps += 1;
                if self.steps >= LIMIT {
                    return;
                }
                if !refusals(&self.cluster, pod, node).is_empty() {
                    continue;
                }
                let bound = PodSpec { node: Some(node.clone()), ..pod.clone() };
                self.placed.push(bound.clone());
                if self.is_together() && self.is_within_limits() {
                    self.cluster.pods.insert(bound.uid.clone(), bound);
                    self.go();
                    self.cluster.pods.insert(pod.uid.clone(), pod.clone());
                }
                self.placed.pop();
            }
        }
    }

    fn meets_minimums(&self) -> bool {
        let total = self.question.counted as usize + self.placed.len();
        let of_role = |name: &str| {
            let before = self.question.counted_by_role.get(name).copied().unwrap_or(0) as usize;
            before + self.placed.iter().filter(|pod| pod.role == name).count()
        };
        total >= self.question.min as usize
            && self.question.roles.iter().all(|role| of_role(&role.name) >= role.min as usize)
    }

    fn is_together(&self) -> bool {
        let Some(keys) = &self.question.level else { return true };
        let own = self.placed.iter().filter_map(|pod| pod.node.as_ref());
        let nodes: Vec<_> = own
            .chain(&self.question.anchors)
            .filter_map(|name| self.cluster.nodes.get(name))
            .collect();
        keys.iter().all(|key| {
            let value = nodes[0].labels.get(key);
            value.is_some() && nodes.iter().all(|node| node.labels.get(key) == value)
        })
    }

    fn is_within_limits(&self) -> bool {
        self.question.room.iter().all(|room| {
            let counted = self.placed.iter().filter(|pod| {
                let node = &self.cluster.nodes[pod.node.as_ref().expect("placed pods are bound")];
                room.flavour.as_ref().is_none_or(|flavour| *flavour == node.flavour)
            });
            let takes = |pod: &PodSpec| match room.resource.as_str() {
                "pods" => Amount::new(1),
                name => pod.shape.requests.get(name).copied().unwrap_or_default(),
            };
            let used = counted.fold(Amount::ZERO, |sum, pod| sum.plus(takes(pod)));
            used == Amount::ZERO || used <= room.left
        })
    }
}
