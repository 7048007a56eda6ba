//! muster's own Queue, and what the queues of all dialects share.

use super::quota::{Part, Place, Quotas};
use super::{Problems, Translated, access, count, created_at, group, order, users, wishes};
use crate::wire::groups::{FlavorQuota, Queue, QueueSpec as Body};
use crate::wire::{Meta, ResourceList};
use scheduler_model::spec::{Dialect, QueueSpec};

/// A `muster.sh/v1alpha1` Queue.
#[must_use]
pub fn queue(object: &Queue) -> Translated<QueueSpec> {
    let (meta, spec) = (&object.metadata, &object.spec);
    let mut problems = Problems::of("Queue", meta);
    let mut queue = named(&meta.name, meta, &mut problems);
    queue.dialect = Some(Dialect::Muster);
    queue.parent = group::filled(&spec.parent);
    queue.weight = count::weight(spec.weight.as_ref(), "spec.weight", &mut problems);
    queue.priority =
        count::priority(spec.priority.as_ref(), "spec.priority", &mut problems).unwrap_or(0);
    queue.open = !spec.closed;
    queue.reclaimable = spec.reclaimable.unwrap_or(true);
    queue.preempts = spec.preempts.unwrap_or(true);
    queue.preemptible = spec.preemptible.unwrap_or(true);
    let text = spec.min_runtime.as_deref();
    queue.min_runtime = wishes::span(text, "spec.minRuntime", &mut problems).unwrap_or_default();
    queue.grants = wishes::granted(&spec.wishes, &mut problems);
    queue.order = order::read(spec.order.as_deref(), "spec.order", &mut problems);
    queue.holds = spec.holds;
    queue.hold_after = wishes::span(spec.hold_after.as_deref(), "spec.holdAfter", &mut problems);
    order::check(&queue, &mut problems);
    queue.namespaces = access::namespaces(spec.namespaces.as_ref(), &mut problems);
    queue.node_selector = access::labelled(&spec.node_selector);
    queue.max_running = users::running(spec.max_running.as_ref(), "spec.maxRunning", &mut problems);
    queue.users = spec.users.as_ref().map(|written| Box::new(users::rule(written, &mut problems)));
    let mut quotas = Quotas::default();
    let Body { dedicated, deserved, limit, borrowing_limit, lending_limit, .. } = spec;
    let lists = [dedicated, deserved, limit, borrowing_limit, lending_limit];
    for (field, part, list) in fields("spec", lists) {
        quotas.list(list, Place { part, flavour: None, field: &field }, &mut problems);
    }
    for (index, flavor) in spec.flavors.iter().enumerate() {
        let place = format!("spec.flavors[{index}]");
        if flavor.name.is_empty() {
            problems.add(
                format!("{place}.name"),
                "it is empty, so its amounts count what runs on nodes without a flavor",
                "name the flavor",
            );
        }
        let FlavorQuota { name, dedicated, deserved, limit, borrowing_limit, lending_limit } =
            flavor;
        let lists = [dedicated, deserved, limit, borrowing_limit, lending_limit];
        for (field, part, list) in fields(&place, lists) {
            quotas.list(list, Place { part, flavour: Some(name), field: &field }, &mut problems);
        }
    }
    queue.quotas = quotas.finish(&mut problems);
    problems.with(queue)
}

/// The five lists of a queue or flavor with their fields.
fn fields<'a>(
    place: &str,
    lists: [&'a ResourceList; 5],
) -> impl Iterator<Item = (String, Part, &'a ResourceList)> {
    let parts = [
        ("dedicated", Part::Dedicated),
        ("deserved", Part::Deserved),
        ("limit", Part::Limit),
        ("borrowingLimit", Part::BorrowingLimit),
        ("lendingLimit", Part::LendingLimit),
    ];
    let named = parts.map(|(name, part)| (format!("{place}.{name}"), part));
    named.into_iter().zip(lists).map(|((field, part), list)| (field, part, list))
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

#[cfg(test)]
mod tests {
    use super::*;
    use scheduler_model::amount::Amount;
    use scheduler_model::spec::{Quota, QuotaSpec};

    /// What a queue without a spec becomes.
    fn plain(name: &str) -> QueueSpec {
        QueueSpec { dialect: Some(Dialect::Muster), ..QueueSpec::named(name) }
    }

    fn read(json: &str) -> Translated<QueueSpec> {
        queue(&serde_json::from_str(json).expect("a Queue"))
    }

    /// One amount of each kind: `1` to `5`, in the order of [`Quota`]'s fields.
    const FIVE: &str = r#""dedicated":{"nvidia.com/gpu":1},"deserved":{"nvidia.com/gpu":"2"},
        "limit":{"nvidia.com/gpu":3},"borrowingLimit":{"nvidia.com/gpu":4},
        "lendingLimit":{"nvidia.com/gpu":5}"#;

    fn five(flavour: Option<&str>) -> QuotaSpec {
        let gpus = |count| Some(Amount::new(count));
        let quota = Quota {
            dedicated: gpus(1),
            deserved: gpus(2),
            limit: gpus(3),
            borrowing_limit: gpus(4),
            lending_limit: gpus(5),
        };
        let flavour = flavour.map(str::to_owned);
        QuotaSpec { flavour, resource: "nvidia.com/gpu".to_owned(), quota }
    }

    #[test]
    fn every_field_of_a_queue_arrives() {
        let read = read(&format!(
            r#"{{"metadata":{{"name":"research","uid":"q1"}},"spec":{{"parent":"all","weight":3,
                "priority":-2,"closed":true,"reclaimable":false,{FIVE},"flavors":[{{"name":"a100",{FIVE}}}]}}}}"#
        ));
        let want = QueueSpec {
            uid: "q1".to_owned(),
            parent: Some("all".to_owned()),
            weight: 3,
            priority: -2,
            quotas: vec![five(None), five(Some("a100"))],
            open: false,
            reclaimable: false,
            ..plain("research")
        };
        assert_eq!(read.value, want);
        assert_eq!(read.problems, []);
    }

    #[test]
    fn quotas_stand_in_order_of_flavour_and_resource() {
        let read = read(
            r#"{"metadata":{"name":"a"},"spec":{"limit":{"memory":"1Ki","cpu":4},
                "flavors":[{"name":"b","limit":{"cpu":1}},{"name":"a","limit":{"cpu":2}}]}}"#,
        );
        let limit =
            |flavour, resource, units| QuotaSpec::limit(flavour, resource, Amount::new(units));
        let want = [
            limit(None, "cpu", 4000),
            limit(None, "memory", 1024),
            limit(Some("a"), "cpu", 2000),
            limit(Some("b"), "cpu", 1000),
        ];
        assert_eq!(read.value.quotas, want);
    }

    #[test]
    fn an_empty_queue_is_open_with_weight_one() {
        let read = read(r#"{"metadata":{"name":"a"}}"#);
        assert_eq!(read.value, plain("a"));
        assert_eq!(read.problems, []);
    }

    #[test]
    fn nulls_read_like_fields_that_are_not_there() {
        let read = read(
            r#"{"metadata":{"name":"a"},"spec":{"dedicated":null,"deserved":null,"limit":null,
                "borrowingLimit":null,"lendingLimit":null,"flavors":null}}"#,
        );
        assert_eq!(read.value, plain("a"));
        assert_eq!(read.problems, []);
    }

    #[test]
    fn an_amount_that_cannot_be_read_is_nothing_and_is_said() {
        let names = ["dedicated", "deserved", "limit", "borrowingLimit", "lendingLimit"];
        for (index, name) in names.into_iter().enumerate() {
            for text in ["lots", "-1"] {
                // So that there is something to lend.
                let deserved = if name == "lendingLimit" { r#","deserved":{"cpu":1}"# } else { "" };
                let list = format!(r#""{name}":{{"cpu":"{text}"}}{deserved}"#);
                for (spec, field) in [
                    (list.clone(), format!("spec.{name}.cpu")),
                    (
                        format!(r#""flavors":[{{"name":"f",{list}}}]"#),
                        format!("spec.flavors[0].{name}.cpu"),
                    ),
                ] {
                    let read = read(&format!(r#"{{"metadata":{{"name":"a"}},"spec":{{{spec}}}}}"#));
                    let Quota { dedicated, deserved, limit, borrowing_limit, lending_limit } =
                        read.value.quotas[0].quota;
                    let amounts = [dedicated, deserved, limit, borrowing_limit, lending_limit];
                    assert_eq!(amounts[index], Some(Amount::ZERO), "{spec}");
                    let fields: Vec<&str> = read.problems.iter().map(|it| &*it.field).collect();
                    assert_eq!(fields, [field], "{spec}");
                }
            }
        }
    }

    #[test]
    fn amounts_that_contradict_each_other_are_named_by_their_fields() {
        let read = read(
            r#"{"metadata":{"name":"a"},"spec":{"flavors":[{"name":"f","dedicated":{"cpu":2},
                "limit":{"cpu":1}}]}}"#,
        );
        let said: Vec<String> = read.problems.iter().map(ToString::to_string).collect();
        let want = "2 is above the 1 of spec.flavors[0].limit.cpu; gangs of the queue wait";
        assert!(said.len() == 1 && said[0].contains(want), "{said:?}");
        assert!(said[0].contains("spec.flavors[0].dedicated.cpu"), "{said:?}");
    }

    #[test]
    fn a_flavor_without_a_name_is_said() {
        let read = read(r#"{"metadata":{"name":"a"},"spec":{"flavors":[{"limit":{"cpu":1}}]}}"#);
        assert_eq!(read.value.quotas[0].flavour.as_deref(), Some(""));
        assert_eq!(read.problems[0].field, "spec.flavors[0].name");
    }

    #[test]
    fn a_flavor_that_is_there_twice_counts_as_it_stands_last() {
        let read = read(
            r#"{"metadata":{"name":"a"},"spec":{"flavors":[{"name":"f","limit":{"cpu":1}},
                {"name":"f","limit":{"cpu":2}}]}}"#,
        );
        let want = [QuotaSpec::limit(Some("f"), "cpu", Amount::new(2000))];
        assert_eq!(read.value.quotas, want);
        assert_eq!(read.problems[0].field, "spec.flavors[1].limit.cpu");
    }

    #[test]
    fn a_weight_that_is_none_counts_as_zero_and_is_said() {
        for weight in ["0", "-1", "-2147483648"] {
            let read =
                read(&format!(r#"{{"metadata":{{"name":"a"}},"spec":{{"weight":{weight}}}}}"#));
            assert_eq!(read.value.weight, 0, "{weight}");
            assert_eq!(read.problems[0].field, "spec.weight", "{weight}");
            assert_eq!(read.problems.len(), 1, "{weight}");
        }
    }
}
