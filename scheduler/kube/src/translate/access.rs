//! Who may use a queue, and which nodes it may use.
//!
//! Invariant: what cannot be read lets in fewer, with a problem: a selector that is not valid
//! selects nothing.

use super::{Problems, selector};
use crate::wire::LabelSelector as Written;
use crate::wire::groups::NamespaceRule;
use crate::wire::volcano::QueueAffinity;
use scheduler_model::spec::{LabelSelector, Labels, NamespaceScope, Requirement, SelectorOperator};

/// The label by which Volcano puts nodes into groups.
const NODE_GROUP: &str = "volcano.sh/nodegroup-name";

/// The namespaces of a muster Queue; everybody's where it does not say.
pub(super) fn namespaces(
    rule: Option<&NamespaceRule>,
    problems: &mut Problems,
) -> Option<NamespaceScope> {
    let rule = rule?;
    let field = "spec.namespaces";
    if rule.names.is_empty() && rule.selector.is_none() {
        problems.add(
            field,
            "it has neither names nor a selector, so the queue is for nobody",
            "name namespaces, or leave it out for all",
        );
    }
    let mut names = rule.names.clone();
    names.sort();
    names.dedup();
    let field = format_args!("{field}.selector");
    let selector =
        rule.selector.as_ref().and_then(|written| selector::labels(written, field, problems));
    Some(NamespaceScope { names, selector })
}

/// The namespaces of a ClusterQueue: nobody's where it does not say, as Kueue has it.
pub(super) fn selected(written: Option<&Written>, problems: &mut Problems) -> NamespaceScope {
    let field = "spec.namespaceSelector";
    if written.is_none() {
        problems.add(
            field,
            "it is not given, so no namespace may use the queue",
            "write `{}` for all namespaces, or select some",
        );
    }
    let field = format_args!("{field}");
    let selector = written.and_then(|written| selector::labels(written, field, problems));
    NamespaceScope { names: Vec::new(), selector }
}

/// Nodes with all of these labels.
pub(super) fn labelled(labels: &Labels) -> LabelSelector {
    let one = |(key, value): (&String, &String)| Requirement {
        key: key.clone(),
        operator: SelectorOperator::In,
        values: vec![value.clone()],
    };
    LabelSelector { requirements: labels.iter().map(one).collect() }
}

/// Nodes of Volcano's node groups: of those that a queue requires or prefers, and of none that it
/// must avoid. Volcano lets pods into the groups that a queue would rather avoid as well, and into
/// no others; which of them it likes better decides nothing here.
pub(super) fn node_groups(affinity: &QueueAffinity, problems: &mut Problems) -> LabelSelector {
    let (near, far) = (&affinity.node_group_affinity, &affinity.node_group_anti_affinity);
    for (groups, name) in [(near, "nodeGroupAffinity"), (far, "nodeGroupAntiAffinity")] {
        if !groups.preferred.is_empty() {
            problems.add(
                format!("spec.affinity.{name}.preferredDuringSchedulingIgnoredDuringExecution"),
                "its node groups are allowed like those that are required; none is better liked",
                "give the pods a preferred node affinity, if the order matters",
            );
        }
    }
    let mut allowed: Vec<String> = near.required.iter().chain(&near.preferred).cloned().collect();
    if !allowed.is_empty() {
        allowed.extend(far.preferred.iter().cloned());
    }
    let demands =
        [(allowed, SelectorOperator::In), (far.required.clone(), SelectorOperator::NotIn)];
    let demand = |(mut values, operator): (Vec<String>, SelectorOperator)| {
        values.sort();
        values.dedup();
        Requirement { key: NODE_GROUP.to_owned(), operator, values }
    };
    let requirements = demands.into_iter().filter(|(values, _)| !values.is_empty()).map(demand);
    LabelSelector { requirements: requirements.collect() }
}
