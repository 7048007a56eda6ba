//! `PriorityClass` to [`PriorityClassSpec`].

use super::{Problems, Translated, count};
use crate::wire;
use scheduler_model::spec::PriorityClassSpec;

/// A priority class in our words; a value beyond 32 bits is cut with a problem.
#[must_use]
pub fn translate(class: &wire::PriorityClass) -> Translated<PriorityClassSpec> {
    let meta = &class.metadata;
    let mut problems = Problems::of("PriorityClass", meta);
    if meta.name.is_empty() {
        problems.add("metadata.name", "it has no name", "give it one");
    }
    let value = count::priority(class.value.as_ref(), "value", &mut problems).unwrap_or(0);
    let name = meta.name.clone();
    problems.with(PriorityClassSpec { name, value, is_default: class.global_default })
}

/// The classes every cluster has from the start.
#[must_use]
pub fn built_in() -> Vec<PriorityClassSpec> {
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)]
        .map(|(name, value)| PriorityClassSpec { name: name.to_owned(), value, is_default: false })
        .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_a_name_for_a_number() {
        let json = r#"{"metadata":{"name":"high"},"value":1000,"globalDefault":true}"#;
        let read = translate(&serde_json::from_str(json).expect("a class"));
        let want = PriorityClassSpec { name: "high".to_owned(), value: 1000, is_default: true };
        assert_eq!((read.value, read.problems), (want, vec![]));
    }

    #[test]
    fn a_number_out_of_range_is_cut_with_a_problem() {
        let json = r#"{"metadata":{"name":"high"},"value":-9000000000}"#;
        let read = translate(&serde_json::from_str(json).expect("a class"));
        assert_eq!((read.value.value, read.problems.len()), (i32::MIN, 1));
    }
}
