//! `PriorityClass` to [`PriorityClassSpec`].

use super::{Problems, Translated, count, shorten};
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
    let preempts = preempts(&class.preemption_policy, "preemptionPolicy", &mut problems);
    let (name, is_default) = (meta.name.clone(), class.global_default);
    problems.with(PriorityClassSpec { name, value, is_default, preempts: preempts.unwrap_or(true) })
}

/// Whether this policy lets others be evicted; `None` where it says nothing. One that is not
/// known lets nobody be.
pub(super) fn preempts(policy: &str, field: &str, problems: &mut Problems) -> Option<bool> {
    match policy {
        "" => None,
        "PreemptLowerPriority" => Some(true),
        "Never" => Some(false),
        other => {
            problems.add(
                field,
                format!("`{}` is no policy; taken as Never", shorten(other)),
                "write PreemptLowerPriority or Never",
            );
            Some(false)
        }
    }
}

/// The classes every cluster has from the start.
#[must_use]
pub fn built_in() -> Vec<PriorityClassSpec> {
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)]
        .map(|(name, value)| PriorityClassSpec {
            name: name.to_owned(),
            value,
            is_default: false,
            preempts: true,
        })
        .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_a_name_for_a_number() {
        let json = r#"{"metadata":{"name":"high"},"value":1000,"globalDefault":true}"#;
        let read = translate(&serde_json::from_str(json).expect("a class"));
        let want = PriorityClassSpec {
            name: "high".to_owned(),
            value: 1000,
            is_default: true,
            preempts: true,
        };
        assert_eq!((read.value, read.problems), (want, vec![]));
    }

    #[test]
    fn a_class_that_never_preempts_says_so() {
        let of = |policy: &str| {
            let json = format!(r#"{{"metadata":{{"name":"a"}},"preemptionPolicy":"{policy}"}}"#);
            let read = translate(&serde_json::from_str(&json).expect("a class"));
            (read.value.preempts, read.problems.len())
        };
        assert_eq!(
            [of("Never"), of("PreemptLowerPriority"), of("")],
            [(false, 0), (true, 0), (true, 0)]
        );
        assert_eq!(of("Rarely"), (false, 1));
    }

    #[test]
    fn a_number_out_of_range_is_cut_with_a_problem() {
        let json = r#"{"metadata":{"name":"high"},"value":-9000000000}"#;
        let read = translate(&serde_json::from_str(json).expect("a class"));
        assert_eq!((read.value.value, read.problems.len()), (i32::MIN, 1));
    }
}
