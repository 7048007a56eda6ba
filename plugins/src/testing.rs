//! Small worlds for tests, and what a plugin says in them. Shared by the tests of this crate;
//! every answer is asked in both forms.

use scheduler_framework::{Filter, Scorer, Verdict};
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::explain::NodeReason;
use scheduler_model::ids::{ClassId, Id, NodeId};
use scheduler_model::node_set::NodeSet;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{
    LabelSelector, Labels, NamespaceScope, NodeSpec, PodPhase, PodShape, PodSpec, PodTerm,
    Requirement, Resources, SelectorOperator,
};
use scheduler_model::time::Time;
use std::sync::Arc;

/// The namespace of all pods that name no other.
pub(crate) const NAMESPACE: &str = "team";

pub(crate) fn labels(pairs: &[(&str, &str)]) -> Labels {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

pub(crate) fn requirement(key: &str, operator: SelectorOperator, values: &[&str]) -> Requirement {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    Requirement { key: key.to_owned(), operator, values }
}

/// Selects pods with exactly these values.
pub(crate) fn selector(pairs: &[(&str, &str)]) -> LabelSelector {
    let one = |(key, value): &(&str, &str)| requirement(key, SelectorOperator::In, &[*value]);
    LabelSelector { requirements: pairs.iter().map(one).collect() }
}

/// Pods of [`NAMESPACE`] with these labels, per domain of `key`.
pub(crate) fn term(key: &str, pairs: &[(&str, &str)]) -> PodTerm {
    PodTerm {
        selector: Some(selector(pairs)),
        namespaces: NamespaceScope { names: vec![NAMESPACE.to_owned()], selector: None },
        topology_key: key.to_owned(),
    }
}

fn amounts(pairs: &[(&str, i64)]) -> Resources {
    pairs.iter().map(|(name, units)| ((*name).to_owned(), Amount::new(*units))).collect()
}

/// A ready node with these amounts and the label of its own name.
pub(crate) fn sized(name: &str, pairs: &[(&str, i64)]) -> NodeSpec {
    NodeSpec {
        name: name.to_owned(),
        labels: labels(&[("kubernetes.io/hostname", name)]),
        ready: true,
        allocatable: amounts(pairs),
        ..NodeSpec::default()
    }
}

/// A ready node with 8 cores and 32 GiB.
pub(crate) fn node(name: &str) -> NodeSpec {
    sized(name, &[("cpu", 8000), ("memory", 32 << 30), ("pods", 110)])
}

/// The same with labels.
pub(crate) fn labelled(name: &str, pairs: &[(&str, &str)]) -> NodeSpec {
    let mut node = node(name);
    node.labels.extend(labels(pairs));
    node
}

pub(crate) fn wanting(pairs: &[(&str, i64)]) -> PodShape {
    PodShape { requests: amounts(pairs), ..PodShape::default() }
}

/// A pending pod of ours.
pub(crate) fn pod(name: &str, pairs: &[(&str, &str)], shape: PodShape) -> PodSpec {
    PodSpec {
        uid: name.to_owned(),
        labels: labels(pairs),
        shape: Arc::new(shape),
        ..PodSpec::new(NAMESPACE, name)
    }
}

/// The pod as it runs on a node.
pub(crate) fn on(node: &str, pod: PodSpec) -> PodSpec {
    PodSpec { node: Some(node.to_owned()), phase: PodPhase::Running, ..pod }
}

pub(crate) fn terminating(pod: PodSpec) -> PodSpec {
    PodSpec { terminating: true, ..pod }
}

pub(crate) fn in_queue(queue: &str, pod: PodSpec) -> PodSpec {
    PodSpec { queue: Some(queue.to_owned()), ..pod }
}

pub(crate) fn build(nodes: Vec<NodeSpec>, pods: Vec<PodSpec>) -> Snapshot {
    let mut snap = Snapshot::default();
    for node in nodes {
        snap.ingest(Event::Node(Box::new(node)), Time::ZERO);
    }
    for pod in pods {
        snap.ingest(Event::Pod(Box::new(pod)), Time::ZERO);
    }
    snap.settle();
    snap
}

fn ids(snap: &Snapshot, pod: &str, node: &str) -> (ClassId, NodeId) {
    let node = snap.nodes().find(node).expect("the test made the node");
    (class_of(snap, pod), node)
}

pub(crate) fn class_of(snap: &Snapshot, pod: &str) -> ClassId {
    let pod = snap.pods().find(pod).expect("the test made the pod");
    snap.pods().get(pod).class.expect("the pod is not finished")
}

/// Why the filter turns the pod away on the node, if it does.
pub(crate) fn refusal(
    filter: &dyn Filter,
    snap: &Snapshot,
    pod: &str,
    node: &str,
) -> Option<NodeReason> {
    let (class, node) = ids(snap, pod, node);
    let verdict = filter.accepts(snap, class, node);
    let mut set: NodeSet = std::iter::once(node).collect();
    filter.retain(snap, class, &mut set);
    assert_eq!(set.contains(node), verdict == Verdict::Fit, "both forms agree");
    match verdict {
        Verdict::Fit => None,
        Verdict::Unfit(reason) => {
            assert!(reason.is_cured_by_room(), "what pods that end can cure is not final");
            Some(reason)
        }
        Verdict::Never(reason) => {
            assert!(!reason.is_cured_by_room(), "what is final no room cures");
            Some(reason)
        }
    }
}

/// The nodes that the filter keeps for the pod, in order of arrival.
pub(crate) fn kept<'a>(filter: &dyn Filter, snap: &'a Snapshot, pod: &str) -> Vec<&'a str> {
    let mut set = snap.nodes().live().clone();
    filter.retain(snap, class_of(snap, pod), &mut set);
    set.iter().map(|node| snap.nodes().spec(node).name.as_str()).collect()
}

pub(crate) fn score(scorer: &dyn Scorer, snap: &Snapshot, pod: &str, node: &str) -> i64 {
    let (class, node) = ids(snap, pod, node);
    let score = scorer.score(snap, class, node);
    let mut sums = vec![0; snap.nodes().bound()];
    scorer.add_scores(snap, class, &std::iter::once(node).collect(), 2, &mut sums);
    assert_eq!(sums[node.index()], 2 * score, "both forms agree");
    score
}
