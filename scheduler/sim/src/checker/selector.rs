//! What selectors select.
//!
//! Source: the API reference of `LabelSelectorRequirement` and `NodeSelectorRequirement`.
//! An absent key satisfies `NotIn` and `DoesNotExist` and nothing else.

use super::Cluster;
use scheduler_model::spec::{
    LabelSelector, Labels, NamespaceScope, NodeSpec, NodeTerm, PodSpec, PodTerm, Requirement,
    SelectorOperator,
};

/// True if `labels` satisfy one requirement.
pub(super) fn satisfies(labels: &Labels, requirement: &Requirement) -> bool {
    let value = labels.get(&requirement.key);
    let listed = value.is_some_and(|value| requirement.values.contains(value));
    match requirement.operator {
        SelectorOperator::In => listed,
        SelectorOperator::NotIn => !listed,
        SelectorOperator::Exists => value.is_some(),
        SelectorOperator::DoesNotExist => value.is_none(),
        SelectorOperator::Gt => integers(value, requirement).is_some_and(|(has, than)| has > than),
        SelectorOperator::Lt => integers(value, requirement).is_some_and(|(has, than)| has < than),
    }
}

/// The label's value and the requirement's only value, where both are integers.
fn integers(value: Option<&String>, requirement: &Requirement) -> Option<(i64, i64)> {
    match requirement.values.as_slice() {
        [than] => Some((value?.parse().ok()?, than.parse().ok()?)),
        _ => None,
    }
}

/// True if all requirements of `selector` hold; an empty one selects everything.
pub(super) fn selects(selector: &LabelSelector, labels: &Labels) -> bool {
    selector.requirements.iter().all(|requirement| satisfies(labels, requirement))
}

/// True if one node selector term holds on `node`; an empty term never does.
pub(crate) fn term_holds(term: &NodeTerm, node: &NodeSpec) -> bool {
    if term.labels.is_empty() && term.fields.is_empty() {
        return false;
    }
    let fields = Labels::from([("metadata.name".to_owned(), node.name.clone())]);
    term.labels.iter().all(|requirement| satisfies(&node.labels, requirement))
        && term.fields.iter().all(|requirement| satisfies(&fields, requirement))
}

/// True if `term` means `pod`: its namespace is in scope and its labels are selected.
pub(super) fn term_means(cluster: &Cluster, term: &PodTerm, pod: &PodSpec) -> bool {
    in_scope(cluster, &term.namespaces, &pod.namespace)
        && term.selector.as_ref().is_some_and(|selector| selects(selector, &pod.labels))
}

/// True if the namespace is one of those that are meant.
pub(crate) fn in_scope(cluster: &Cluster, scope: &NamespaceScope, namespace: &str) -> bool {
    scope.names.iter().any(|name| name == namespace)
        || scope
            .selector
            .as_ref()
            .is_some_and(|selector| selects(selector, &cluster.namespace_labels(namespace)))
}
