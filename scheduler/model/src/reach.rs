//! Whether a node can use a volume, worked out from the specs alone: for a last look at one node,
//! where no table is at hand.

use crate::spec::{NodeSpec, NodeTerm, Reach, Requirement, SelectorOperator};

/// The one field that terms may look at.
const NAME: &str = "metadata.name";

/// True if the node can use a volume of this reach.
#[must_use]
pub fn reaches(reach: &Reach, node: &NodeSpec) -> bool {
    reach.as_ref().is_none_or(|terms| terms.iter().any(|term| suits(term, node)))
}

fn suits(term: &NodeTerm, node: &NodeSpec) -> bool {
    let is_empty = term.labels.is_empty() && term.fields.is_empty();
    let field = |it: &Requirement| it.key == NAME && holds(it, Some(&node.name));
    !is_empty
        && term.labels.iter().all(|it| holds(it, node.labels.get(&it.key).map(String::as_str)))
        && term.fields.iter().all(field)
}

fn holds(requirement: &Requirement, value: Option<&str>) -> bool {
    let is_listed = value.is_some_and(|value| requirement.values.iter().any(|it| it == value));
    let number = || value?.parse::<i64>().ok();
    let bound = || requirement.values.first()?.parse::<i64>().ok();
    match requirement.operator {
        SelectorOperator::In => is_listed,
        SelectorOperator::NotIn => !is_listed,
        SelectorOperator::Exists => value.is_some(),
        SelectorOperator::DoesNotExist => value.is_none(),
        SelectorOperator::Gt => number().zip(bound()).is_some_and(|(it, bound)| it > bound),
        SelectorOperator::Lt => number().zip(bound()).is_some_and(|(it, bound)| it < bound),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Labels;

    fn term(key: &str, operator: SelectorOperator, values: &[&str]) -> NodeTerm {
        let values = values.iter().map(|it| (*it).to_owned()).collect();
        let requirement = Requirement { key: key.to_owned(), operator, values };
        NodeTerm { labels: vec![requirement], fields: Vec::new() }
    }

    fn node() -> NodeSpec {
        let labels = Labels::from([("zone".to_owned(), "a".to_owned())]);
        NodeSpec { name: "n1".to_owned(), labels, ..NodeSpec::default() }
    }

    #[test]
    fn a_volume_is_reached_from_nodes_that_meet_any_term() {
        use SelectorOperator::{In, NotIn};
        assert!(reaches(&None, &node()));
        assert!(!reaches(&Some(Vec::new()), &node()));
        assert!(!reaches(&Some(vec![NodeTerm::default()]), &node()), "empty terms match nothing");
        let (here, there) = (term("zone", In, &["a"]), term("zone", In, &["b"]));
        assert!(!reaches(&Some(vec![there.clone()]), &node()));
        assert!(reaches(&Some(vec![there, here]), &node()));
        assert!(reaches(&Some(vec![term("rack", NotIn, &["r"])]), &node()));
    }

    #[test]
    fn a_term_may_name_the_node() {
        let on = |name: &str| {
            let labels = term(NAME, SelectorOperator::In, &[name]).labels;
            Some(vec![NodeTerm { labels: Vec::new(), fields: labels }])
        };
        assert!(reaches(&on("n1"), &node()));
        assert!(!reaches(&on("n2"), &node()));
    }
}
