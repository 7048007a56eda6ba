//! Label selectors and node selector terms.
//!
//! Invariant: a selector that is not valid selects nothing, with a problem; whether that is
//! the careful reading is for the caller to say (it is not for anti-affinity and spread).

use super::{Problems, shorten};
use crate::wire;
use scheduler_model::spec::{LabelSelector, Labels, NodeTerm, Requirement, SelectorOperator};
use std::fmt::Arguments;

/// A selector over labels; `None` with a problem if it is not valid.
pub fn labels(
    selector: &wire::LabelSelector,
    field: Arguments<'_>,
    problems: &mut Problems,
) -> Option<LabelSelector> {
    let mut requirements: Vec<Requirement> = selector
        .match_labels
        .iter()
        .map(|(key, value)| one_of(key, SelectorOperator::In, value))
        .collect();
    let mut is_valid = true;
    for (index, expression) in selector.match_expressions.iter().enumerate() {
        let field = format_args!("{field}.matchExpressions[{index}]");
        match requirement(expression, Language::Labels, field, problems) {
            Some(requirement) => requirements.push(requirement),
            None => is_valid = false,
        }
    }
    requirements.sort();
    requirements.dedup();
    is_valid.then_some(LabelSelector { requirements })
}

/// Adds "equal to this pod" for `keys` and "different from this pod" for `mismatched`. Keys
/// that the pod lacks are left out, as the API server does.
pub fn fold_keys(
    selector: &mut LabelSelector,
    own: &Labels,
    keys: &[String],
    mismatched: &[String],
) {
    for (keys, operator) in [(keys, SelectorOperator::In), (mismatched, SelectorOperator::NotIn)] {
        for key in keys {
            if let Some(value) = own.get(key) {
                selector.requirements.push(one_of(key, operator, value));
            }
        }
    }
    selector.requirements.sort();
    selector.requirements.dedup();
}

fn one_of(key: &str, operator: SelectorOperator, value: &str) -> Requirement {
    Requirement { key: key.to_owned(), operator, values: vec![value.to_owned()] }
}

/// One node selector term. A term that is not valid becomes the empty one, which matches no
/// node.
pub fn node_term(
    term: &wire::NodeSelectorTerm,
    field: Arguments<'_>,
    problems: &mut Problems,
) -> NodeTerm {
    let labels = term.match_expressions.iter().enumerate().map(|(index, expression)| {
        let field = format_args!("{field}.matchExpressions[{index}]");
        requirement(expression, Language::Nodes, field, problems)
    });
    let labels: Option<Vec<Requirement>> = labels.collect();
    let fields = term.match_fields.iter().enumerate().map(|(index, expression)| {
        let field = format_args!("{field}.matchFields[{index}]");
        requirement(expression, Language::Fields, field, problems)
    });
    let fields: Option<Vec<Requirement>> = fields.collect();
    match (labels, fields) {
        (Some(mut labels), Some(mut fields)) => {
            labels.sort();
            fields.sort();
            NodeTerm { labels, fields }
        }
        _ => NodeTerm::default(),
    }
}

/// Where a requirement stands: each place allows other operators.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Labels,
    Nodes,
    Fields,
}

fn requirement(
    written: &wire::Requirement,
    language: Language,
    field: Arguments<'_>,
    problems: &mut Problems,
) -> Option<Requirement> {
    let mut values = written.values.clone();
    values.sort();
    values.dedup();
    match check(written, &values, language) {
        Ok(operator) => Some(Requirement { key: written.key.clone(), operator, values }),
        Err((message, remedy)) => {
            problems.add(field.to_string(), format!("{message}; it matches nothing"), remedy);
            None
        }
    }
}

fn check(
    written: &wire::Requirement,
    values: &[String],
    language: Language,
) -> Result<SelectorOperator, (String, &'static str)> {
    let operator = operator(&written.operator, language)?;
    if written.key.is_empty() {
        return Err(("the key is empty".to_owned(), "name the key"));
    }
    if language == Language::Fields {
        return check_field(written, values, operator);
    }
    let is_right = match operator {
        SelectorOperator::In | SelectorOperator::NotIn => !values.is_empty(),
        SelectorOperator::Exists | SelectorOperator::DoesNotExist => values.is_empty(),
        SelectorOperator::Gt | SelectorOperator::Lt => {
            written.values.len() == 1 && values[0].parse::<i64>().is_ok()
        }
    };
    if is_right {
        return Ok(operator);
    }
    let message = format!("`{}` does not go with {} values", written.operator, values.len());
    Err((
        message,
        "In and NotIn take at least one value, Exists and DoesNotExist none, Gt and Lt one integer",
    ))
}

fn operator(text: &str, language: Language) -> Result<SelectorOperator, (String, &'static str)> {
    let is_node = language == Language::Nodes;
    match text {
        "In" => Ok(SelectorOperator::In),
        "NotIn" => Ok(SelectorOperator::NotIn),
        "Exists" if language != Language::Fields => Ok(SelectorOperator::Exists),
        "DoesNotExist" if language != Language::Fields => Ok(SelectorOperator::DoesNotExist),
        "Gt" if is_node => Ok(SelectorOperator::Gt),
        "Lt" if is_node => Ok(SelectorOperator::Lt),
        other => {
            let remedy = match language {
                Language::Labels => "use In, NotIn, Exists or DoesNotExist",
                Language::Nodes => "use In, NotIn, Exists, DoesNotExist, Gt or Lt",
                Language::Fields => "use In or NotIn",
            };
            Err((format!("`{}` is not an operator here", shorten(other)), remedy))
        }
    }
}

/// Fields know one key, and In and NotIn with exactly one value.
fn check_field(
    written: &wire::Requirement,
    values: &[String],
    operator: SelectorOperator,
) -> Result<SelectorOperator, (String, &'static str)> {
    if written.key != "metadata.name" {
        let message = format!("`{}` is not a field of nodes", shorten(&written.key));
        return Err((message, "the only field is metadata.name"));
    }
    if values.len() != 1 {
        let message = format!("metadata.name takes one value, not {}", values.len());
        return Err((message, "write one term per node name"));
    }
    Ok(operator)
}
