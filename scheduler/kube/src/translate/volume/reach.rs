//! Nodes that can use a volume, or for which one can be made.

use crate::translate::{Problems, selector};
use crate::wire::LabelSelector;
use crate::wire::volume::{PersistentVolume, StorageClass};
use scheduler_model::spec::{NodeTerm, Reach, Requirement, SelectorOperator};

/// Labels of volumes that older drivers write instead of a node affinity; each with the label
/// that a node may carry in its stead.
const PLACES: [(&str, Option<&str>); 4] = [
    ("topology.kubernetes.io/zone", None),
    ("topology.kubernetes.io/region", None),
    ("failure-domain.beta.kubernetes.io/zone", Some("topology.kubernetes.io/zone")),
    ("failure-domain.beta.kubernetes.io/region", Some("topology.kubernetes.io/region")),
];

/// Separates the zones of a volume that is in several.
const SEPARATOR: &str = "__";

/// Node affinity and zone labels of a volume, as one.
pub(super) fn of_volume(volume: &PersistentVolume, problems: &mut Problems) -> Reach {
    let affinity = volume.spec.node_affinity.required.as_ref().map(|required| {
        let terms = required.node_selector_terms.iter().enumerate();
        terms
            .map(|(index, term)| {
                let field = format_args!("spec.nodeAffinity.required[{index}]");
                selector::node_term(term, field, problems)
            })
            .collect::<Vec<NodeTerm>>()
    });
    match (affinity, places(volume)) {
        (reach, None) => reach,
        (None, reach) => reach,
        (Some(terms), Some(places)) => Some(both(&terms, &places)),
    }
}

/// What the zone and region labels come to. A node without any such label is taken, as in
/// clusters of one zone that labels no nodes.
fn places(volume: &PersistentVolume) -> Reach {
    let labels = &volume.metadata.meta.labels;
    let mut terms = vec![NodeTerm::default()];
    for (key, instead) in PLACES {
        let Some(written) = labels.get(key) else { continue };
        let mut values: Vec<String> = written.split(SEPARATOR).map(str::to_owned).collect();
        values.sort();
        values.dedup();
        let own = vec![requirement(key, SelectorOperator::In, values.clone())];
        let mut choices = vec![own];
        if let Some(instead) = instead {
            choices.push(vec![
                requirement(key, SelectorOperator::DoesNotExist, Vec::new()),
                requirement(instead, SelectorOperator::In, values),
            ]);
        }
        terms = terms
            .iter()
            .flat_map(|term| choices.iter().map(move |choice| with(term, choice)))
            .collect();
    }
    if terms == [NodeTerm::default()] {
        return None;
    }
    let absent =
        |(key, _): &(&str, _)| requirement(key, SelectorOperator::DoesNotExist, Vec::new());
    let unlabelled: Vec<Requirement> = PLACES.iter().map(absent).collect();
    terms.push(with(&NodeTerm::default(), &unlabelled));
    Some(terms)
}

fn requirement(key: &str, operator: SelectorOperator, values: Vec<String>) -> Requirement {
    Requirement { key: key.to_owned(), operator, values }
}

fn with(term: &NodeTerm, more: &[Requirement]) -> NodeTerm {
    let mut term = term.clone();
    term.labels.extend(more.iter().cloned());
    term.labels.sort();
    term.labels.dedup();
    term
}

/// Terms that hold where one of each side holds. A term that asks nothing matches nothing.
fn both(ones: &[NodeTerm], others: &[NodeTerm]) -> Vec<NodeTerm> {
    let ones = ones.iter().filter(|term| **term != NodeTerm::default());
    let pair = |one: &NodeTerm, other: &NodeTerm| NodeTerm {
        fields: one.fields.clone(),
        ..with(one, &other.labels)
    };
    ones.flat_map(|one| others.iter().map(move |other| pair(one, other))).collect()
}

/// `allowedTopologies`.
pub(super) fn of_class(class: &StorageClass, problems: &mut Problems) -> Reach {
    if class.allowed_topologies.is_empty() {
        return None;
    }
    let term = |term: &crate::wire::volume::TopologyTerm| {
        let mut labels: Vec<Requirement> = term
            .match_label_expressions
            .iter()
            .map(|it| {
                let mut values = it.values.clone();
                values.sort();
                requirement(&it.key, SelectorOperator::In, values)
            })
            .collect();
        labels.sort();
        NodeTerm { labels, fields: Vec::new() }
    };
    let terms: Vec<NodeTerm> = class.allowed_topologies.iter().map(term).collect();
    if terms.iter().all(|term| term.labels.is_empty()) {
        problems.add(
            format!("allowedTopologies of storage class {}", class.metadata.name),
            "it has no terms, so no node matches",
            "add a term, or remove the field",
        );
    }
    Some(terms)
}

/// The nodes of a pool; `None` if it has none.
pub(super) fn of_pool(written: Option<&LabelSelector>, problems: &mut Problems) -> Option<Reach> {
    let read = selector::labels(written?, format_args!("nodeTopology"), problems)?;
    if read.requirements.is_empty() {
        return Some(None);
    }
    Some(Some(vec![NodeTerm { labels: read.requirements, fields: Vec::new() }]))
}
