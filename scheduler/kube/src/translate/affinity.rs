//! Node affinity and pod (anti-)affinity.
//!
//! Invariants: alternatives that are not valid match no node; an affinity term that is not
//! valid selects no pod and so is never satisfied; an anti-affinity term that is not valid
//! would always be satisfied, so its pod waits instead.

use super::selector;
use super::shape::{Findings, Own};
use super::{Problems, shorten};
use crate::wire::{self, Number};
use scheduler_model::spec::{LabelSelector, NamespaceScope, NodeTerm, PodTerm};
use std::fmt::Arguments;

/// Towards other pods, or away from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// `podAffinity`.
    Towards,
    /// `podAntiAffinity`.
    Away,
}

impl Side {
    fn field(self) -> &'static str {
        match self {
            Self::Towards => "spec.affinity.podAffinity",
            Self::Away => "spec.affinity.podAntiAffinity",
        }
    }
}

/// Required node affinity.
pub fn required_nodes(
    affinity: &wire::NodeAffinity,
    problems: &mut Problems,
) -> Option<Vec<NodeTerm>> {
    let terms = &affinity.required.as_ref()?.node_selector_terms;
    if terms.is_empty() {
        problems.add(
            "spec.affinity.nodeAffinity.required",
            "it has no terms, so no node matches",
            "add a term, or remove the affinity",
        );
    }
    let read = terms.iter().enumerate().map(|(index, term)| {
        let field = format_args!("spec.affinity.nodeAffinity.required[{index}]");
        selector::node_term(term, field, problems)
    });
    Some(read.collect())
}

/// Preferred node affinity. Wishes that match nothing are dropped.
pub fn preferred_nodes(
    affinity: &wire::NodeAffinity,
    problems: &mut Problems,
) -> Vec<(i32, NodeTerm)> {
    let mut read = Vec::new();
    for (index, wish) in affinity.preferred.iter().enumerate() {
        let field = format_args!("spec.affinity.nodeAffinity.preferred[{index}]");
        let term = selector::node_term(&wish.preference, field, problems);
        if term != NodeTerm::default()
            && let Some(weight) = weight(wish.weight.as_ref(), field, problems)
        {
            read.push((weight, term));
        }
    }
    read
}

/// Required pod terms of one side.
pub(super) fn required_pods(
    terms: &[wire::PodAffinityTerm],
    side: Side,
    own: Own<'_>,
    findings: &mut Findings<'_>,
) -> Vec<PodTerm> {
    let mut read = Vec::with_capacity(terms.len());
    for (index, term) in terms.iter().enumerate() {
        let field = format_args!("{}.required[{index}]", side.field());
        match (pod_term(term, own, field, findings.problems), side) {
            (Some(term), _) => read.push(term),
            (None, Side::Away) => {
                findings.unsupported("a required anti-affinity term that cannot be read");
            }
            (None, Side::Towards) => read.push(never(term)),
        }
    }
    read
}

/// Preferred pod terms of one side: positive weights towards, negative away.
pub(super) fn preferred_pods(
    wishes: &[wire::PreferredPodTerm],
    side: Side,
    own: Own<'_>,
    findings: &mut Findings<'_>,
) -> Vec<(i32, PodTerm)> {
    let mut read = Vec::new();
    for (index, wish) in wishes.iter().enumerate() {
        let field = format_args!("{}.preferred[{index}]", side.field());
        let term = pod_term(&wish.pod_affinity_term, own, field, findings.problems);
        if let Some(term) = term
            && let Some(weight) = weight(wish.weight.as_ref(), field, findings.problems)
        {
            let weight = match side {
                Side::Towards => weight,
                Side::Away => -weight,
            };
            read.push((weight, term));
        }
    }
    read
}

/// A term that no pod satisfies.
fn never(term: &wire::PodAffinityTerm) -> PodTerm {
    PodTerm {
        selector: None,
        namespaces: NamespaceScope::default(),
        topology_key: term.topology_key.clone(),
    }
}

/// `None` if any part of the term is not valid.
fn pod_term(
    term: &wire::PodAffinityTerm,
    own: Own<'_>,
    field: Arguments<'_>,
    problems: &mut Problems,
) -> Option<PodTerm> {
    let namespaces = scope(term, own, field, problems);
    let has_keys = !term.match_label_keys.is_empty() || !term.mismatch_label_keys.is_empty();
    let selector = match &term.label_selector {
        Some(written) => {
            let field = format_args!("{field}.labelSelector");
            let mut selector = selector::labels(written, field, problems)?;
            let (keys, mismatched) = (&term.match_label_keys, &term.mismatch_label_keys);
            selector::fold_keys(&mut selector, own.labels, keys, mismatched);
            Some(selector)
        }
        None if has_keys => {
            problems.add(
                format!("{field}.labelSelector"),
                "it is missing beside label keys, so nothing is selected",
                "add a labelSelector, or remove the keys",
            );
            return None;
        }
        None => None,
    };
    if term.topology_key.is_empty() {
        problems.add(
            format!("{field}.topologyKey"),
            "it is empty, so there are no domains",
            "name a node label such as kubernetes.io/hostname",
        );
        return None;
    }
    Some(PodTerm { selector, namespaces: namespaces?, topology_key: term.topology_key.clone() })
}

/// Names and selected namespaces together; neither means the pod's own. A null selector
/// chooses none, an empty one all.
fn scope(
    term: &wire::PodAffinityTerm,
    own: Own<'_>,
    field: Arguments<'_>,
    problems: &mut Problems,
) -> Option<NamespaceScope> {
    let selector: Option<LabelSelector> = match &term.namespace_selector {
        Some(written) => {
            let field = format_args!("{field}.namespaceSelector");
            Some(selector::labels(written, field, problems)?)
        }
        None => None,
    };
    let mut names = term.namespaces.clone();
    if names.is_empty() && selector.is_none() {
        names.push(own.namespace.to_owned());
    }
    names.sort();
    names.dedup();
    Some(NamespaceScope { names, selector })
}

/// Weights run from 1 to 100; a wish below is dropped, one above is cut, with a problem.
fn weight(written: Option<&Number>, field: Arguments<'_>, problems: &mut Problems) -> Option<i32> {
    let number = match written {
        Some(Number::Whole(number)) => *number,
        _ => 0,
    };
    if let Ok(weight @ 1..=100) = i32::try_from(number) {
        return Some(weight);
    }
    let text = written.map(ToString::to_string).unwrap_or_default();
    let (taken, kept) =
        if number > 100 { ("taken as 100", Some(100)) } else { ("the wish is dropped", None) };
    problems.add(
        format!("{field}.weight"),
        format!("`{}` is not from 1 to 100; {taken}", shorten(&text)),
        "use a weight from 1 to 100",
    );
    kept
}
