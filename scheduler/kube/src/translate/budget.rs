//! `PodDisruptionBudget` to [`BudgetSpec`].
//!
//! Invariant: what is not known forbids. A budget that nobody has counted by yet, or only in an
//! older form, lets no pod go, as the Eviction API has it.

use super::{Problems, Translated, selector};
use crate::wire;
use scheduler_model::spec::{BudgetSpec, LabelSelector};

/// A budget in our words.
#[must_use]
pub fn translate(budget: &wire::DisruptionBudget) -> Translated<BudgetSpec> {
    let meta = &budget.metadata;
    let mut problems = Problems::of("PodDisruptionBudget", meta);
    if meta.name.is_empty() {
        problems.add("metadata.name", "it has no name", "give it one");
    }
    let mut allowed = 0;
    match &budget.status {
        Some(status) if status.observed_generation >= meta.generation => {
            allowed = u32::try_from(status.disruptions_allowed.max(0)).unwrap_or(u32::MAX);
        }
        Some(_) => {}
        None => problems.add(
            "status",
            "nobody has counted its pods, so none of them is evicted",
            "write status.disruptionsAllowed, or dump the object from a cluster",
        ),
    }
    let mut covered = None;
    if let Some(written) = &budget.spec.selector {
        covered = selector::labels(written, format_args!("spec.selector"), &mut problems);
        if covered.is_none() {
            (covered, allowed) = (Some(LabelSelector::default()), 0);
            let message = "it is taken to protect every pod of its namespace";
            problems.add("spec.selector", message, "mend the selector");
        }
    }
    let (namespace, name) = (meta.namespace_or_default().to_owned(), meta.name.clone());
    problems.with(BudgetSpec { namespace, name, selector: covered, allowed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use scheduler_model::spec::{PodPhase, PodSpec};

    /// What was read, whether it covers a running pod with the label `app: web`, and the number
    /// of problems.
    fn read(generation: u32, spec: &str, status: &str) -> (u32, bool, usize) {
        let meta = format!(r#"{{"name":"b","namespace":"a","generation":{generation}}}"#);
        let json = format!(r#"{{"metadata":{meta},"spec":{spec},"status":{status}}}"#);
        let read = translate(&serde_json::from_str(&json).expect("a budget"));
        assert_eq!(read.value.key(), "a/b");
        let pod = PodSpec {
            labels: [("app".to_owned(), "web".to_owned())].into(),
            phase: PodPhase::Running,
            ..PodSpec::new("a", "web-0")
        };
        (read.value.allowed, read.value.covers(&pod), read.problems.len())
    }

    const STATUS: &str = r#"{"disruptionsAllowed":2,"observedGeneration":3}"#;

    #[test]
    fn it_allows_what_its_status_says() {
        let web = r#"{"maxUnavailable":2,"selector":{"matchLabels":{"app":"web"}}}"#;
        assert_eq!(read(3, web, STATUS), (2, true, 0));
        let other =
            r#"{"selector":{"matchExpressions":[{"key":"app","operator":"DoesNotExist"}]}}"#;
        assert_eq!(read(3, other, STATUS), (2, false, 0));
    }

    #[test]
    fn an_empty_selector_covers_all_pods_and_a_missing_one_none() {
        assert_eq!(read(3, r#"{"selector":{}}"#, STATUS), (2, true, 0));
        assert_eq!(read(3, "{}", STATUS), (2, false, 0));
        assert_eq!(read(3, "null", STATUS), (2, false, 0));
    }

    #[test]
    fn a_status_of_an_older_spec_allows_nothing() {
        assert_eq!(read(4, r#"{"selector":{}}"#, STATUS), (0, true, 0));
    }

    #[test]
    fn a_budget_that_was_never_counted_allows_nothing_and_says_so() {
        assert_eq!(read(1, r#"{"selector":{}}"#, "null"), (0, true, 1));
    }

    #[test]
    fn numbers_that_make_no_sense_allow_nothing() {
        let status = r#"{"disruptionsAllowed":-1,"observedGeneration":3}"#;
        assert_eq!(read(3, r#"{"selector":{}}"#, status), (0, true, 0));
    }

    #[test]
    fn a_selector_that_is_not_valid_protects_the_whole_namespace() {
        let bad = r#"{"selector":{"matchExpressions":[{"key":"app","operator":"Likes"}]}}"#;
        assert_eq!(read(3, bad, STATUS), (0, true, 2));
    }
}
