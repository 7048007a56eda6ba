//! Selectors as Kubernetes writes them: `zone in (a, b), disk=ssd, !old, size > 4`.
//!
//! A comma means "and". `metadata.name` in a node term is the field of that name, every other
//! key a label.

use super::Read;
use scheduler_model::spec::{LabelSelector, NodeTerm, Requirement, SelectorOperator};

impl Read for LabelSelector {
    fn read(text: &str) -> Result<Self, String> {
        let mut requirements = read_requirements(text)?;
        let ordered =
            |one: &Requirement| matches!(one.operator, SelectorOperator::Gt | SelectorOperator::Lt);
        if requirements.iter().any(ordered) {
            return Err(format!("{text:?}: only node terms may compare with > or <"));
        }
        requirements.sort();
        requirements.dedup();
        Ok(Self { requirements })
    }
}

impl Read for NodeTerm {
    fn read(text: &str) -> Result<Self, String> {
        let (fields, labels) =
            read_requirements(text)?.into_iter().partition(|one| one.key == "metadata.name");
        Ok(Self { labels, fields })
    }
}

fn read_requirements(text: &str) -> Result<Vec<Requirement>, String> {
    let mut depth = 0_u32;
    let parts = text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    parts.map(|part| read_requirement(part.trim())).collect()
}

fn read_requirement(part: &str) -> Result<Requirement, String> {
    let bad = || {
        format!(
            "{part:?} is no requirement; write it like a=b, a!=b, a in (b, c), a notin (b), \
             a, !a, a > 4 or a < 4"
        )
    };
    let (key, operator, values) = split_requirement(part).ok_or_else(bad)?;
    if key.is_empty() || key.contains([' ', '(', ')']) {
        return Err(bad());
    }
    let mut values: Vec<String> = values.into_iter().map(str::to_owned).collect();
    values.sort();
    values.dedup();
    Ok(Requirement { key: key.to_owned(), operator, values })
}

fn split_requirement(part: &str) -> Option<(&str, SelectorOperator, Vec<&str>)> {
    if let Some(key) = part.strip_prefix('!') {
        return Some((key.trim(), SelectorOperator::DoesNotExist, Vec::new()));
    }
    if let Some((head, list)) = part.split_once('(') {
        let values = list.strip_suffix(')')?.split(',').map(str::trim).collect();
        let (key, word) = head.trim().split_once(' ')?;
        return match word.trim() {
            "in" => Some((key, SelectorOperator::In, values)),
            "notin" => Some((key, SelectorOperator::NotIn, values)),
            _ => None,
        };
    }
    for (sign, operator) in [
        ("!=", SelectorOperator::NotIn),
        ("==", SelectorOperator::In),
        ("=", SelectorOperator::In),
        (">", SelectorOperator::Gt),
        ("<", SelectorOperator::Lt),
    ] {
        if let Some((key, value)) = part.split_once(sign) {
            return Some((key.trim(), operator, vec![value.trim()]));
        }
    }
    Some((part, SelectorOperator::Exists, Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> (String, SelectorOperator, Vec<String>) {
        let term = NodeTerm::read(text).unwrap();
        let Requirement { key, operator, values } = term.labels[0].clone();
        (key, operator, values)
    }

    #[test]
    fn every_operator_can_be_written() {
        use SelectorOperator::{DoesNotExist, Exists, Gt, In, Lt, NotIn};
        let want = |operator, values: &[&str]| {
            ("a".to_owned(), operator, values.iter().map(|value| (*value).to_owned()).collect())
        };
        assert_eq!(one("a=b"), want(In, &["b"]));
        assert_eq!(one("a in (c, b)"), want(In, &["b", "c"]));
        assert_eq!(one("a!=b"), want(NotIn, &["b"]));
        assert_eq!(one("a notin (b)"), want(NotIn, &["b"]));
        assert_eq!(one("a"), want(Exists, &[]));
        assert_eq!(one("!a"), want(DoesNotExist, &[]));
        assert_eq!(one("a > 4"), want(Gt, &["4"]));
        assert_eq!(one("a < 4"), want(Lt, &["4"]));
    }

    #[test]
    fn a_comma_outside_parentheses_means_and() {
        let term = NodeTerm::read("zone in (a,b), disk=ssd, metadata.name=n1").unwrap();
        assert_eq!((term.labels.len(), term.fields.len()), (2, 1));
    }

    #[test]
    fn an_empty_text_has_no_requirement() {
        assert_eq!(LabelSelector::read(" ").unwrap(), LabelSelector::default());
    }

    #[test]
    fn what_is_no_requirement_is_refused() {
        for text in ["a b", "in (x)", "a in x)", "=b", "a,,b"] {
            assert!(NodeTerm::read(text).is_err(), "{text}");
        }
        assert!(LabelSelector::read("a > 4").is_err());
    }
}
