//! muster's own Queue, and what the queues of all dialects share.

use super::{Problems, Translated, amounts, count, created_at, group};
use crate::wire::groups::Queue;
use crate::wire::{Meta, ResourceList};
use scheduler_model::spec::{LimitSpec, QueueSpec};

/// A `muster.sh/v1alpha1` Queue.
#[must_use]
pub fn queue(object: &Queue) -> Translated<QueueSpec> {
    let (meta, spec) = (&object.metadata, &object.spec);
    let mut problems = Problems::of("Queue", meta);
    let mut queue = named(&meta.name, meta, &mut problems);
    queue.parent = group::filled(&spec.parent);
    queue.weight = count::weight(spec.weight.as_ref(), "spec.weight", &mut problems);
    queue.priority =
        count::priority(spec.priority.as_ref(), "spec.priority", &mut problems).unwrap_or(0);
    queue.open = !spec.closed;
    limits(&spec.limit, None, "spec.limit", &mut problems, &mut queue.limits);
    for (index, part) in spec.flavor_limits.iter().enumerate() {
        let field = format!("spec.flavorLimits[{index}]");
        if part.flavor.is_empty() {
            problems.add(
                format!("{field}.flavor"),
                "it is empty, so its limits count what runs on nodes without a flavor",
                "name the flavor",
            );
        }
        let field = format!("{field}.limit");
        limits(&part.limit, Some(&part.flavor), &field, &mut problems, &mut queue.limits);
    }
    queue.limits.sort();
    problems.with(queue)
}

/// An open queue called `name` with the identity of the object.
pub(super) fn named(name: &str, meta: &Meta, problems: &mut Problems) -> QueueSpec {
    let mut queue = QueueSpec::named(name);
    if !meta.uid.is_empty() {
        queue.uid.clone_from(&meta.uid);
    }
    queue.created_at = created_at(meta, problems);
    queue
}

/// Adds the ceilings of one list.
pub(super) fn limits(
    list: &ResourceList,
    flavour: Option<&str>,
    field: &str,
    problems: &mut Problems,
    limits: &mut Vec<LimitSpec>,
) {
    for (resource, amount) in amounts::capacity(list, format_args!("{field}"), problems) {
        limits.push(LimitSpec { flavour: flavour.map(str::to_owned), resource, amount });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scheduler_model::amount::Amount;

    fn read(json: &str) -> Translated<QueueSpec> {
        queue(&serde_json::from_str(json).expect("a Queue"))
    }

    #[test]
    fn every_field_of_a_queue_arrives() {
        let read = read(
            r#"{"metadata":{"name":"research","uid":"q1"},"spec":{"parent":"all","weight":3,
                "priority":-2,"limit":{"cpu":4,"memory":"1Ki"},"closed":true,
                "flavorLimits":[{"flavor":"a100","limit":{"nvidia.com/gpu":8}}]}}"#,
        );
        let limit = |flavour: Option<&str>, resource: &str, amount| LimitSpec {
            flavour: flavour.map(str::to_owned),
            resource: resource.to_owned(),
            amount: Amount::new(amount),
        };
        let want = QueueSpec {
            uid: "q1".to_owned(),
            parent: Some("all".to_owned()),
            weight: 3,
            priority: -2,
            limits: vec![
                limit(None, "cpu", 4000),
                limit(None, "memory", 1024),
                limit(Some("a100"), "nvidia.com/gpu", 8),
            ],
            open: false,
            ..QueueSpec::named("research")
        };
        assert_eq!(read.value, want);
        assert_eq!(read.problems, []);
    }

    #[test]
    fn an_empty_queue_is_open_with_weight_one() {
        let read = read(r#"{"metadata":{"name":"a"}}"#);
        assert_eq!(read.value, QueueSpec::named("a"));
        assert_eq!(read.problems, []);
    }

    #[test]
    fn a_limit_that_cannot_be_read_allows_nothing_and_is_said() {
        let read = read(r#"{"metadata":{"name":"a"},"spec":{"limit":{"cpu":"lots"}}}"#);
        assert_eq!(read.value.limits[0].amount, Amount::ZERO);
        assert_eq!(read.problems[0].field, "spec.limit.cpu");
    }

    #[test]
    fn weight_zero_is_kept_and_said() {
        let read = read(r#"{"metadata":{"name":"a"},"spec":{"weight":0}}"#);
        assert_eq!((read.value.weight, read.problems.len()), (0, 1));
    }
}
