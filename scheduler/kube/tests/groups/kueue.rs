//! Kueue's queues and flavours, rule by rule.

use crate::{cohorts, object, said};
use scheduler_kube::translate::kueue::{self, Cohorts};
use scheduler_kube::wire::kueue::{ClusterQueue, Cohort};
use scheduler_model::amount::Amount;
use scheduler_model::spec::{NodeSpec, QueueSpec, Quota, QuotaSpec};

fn cluster_queue(spec: &str) -> QueueSpec {
    let yaml = format!("metadata: {{name: q}}\nspec: {spec}");
    kueue::cluster_queue(&object(&yaml), &cohorts(&["all"])).value
}

#[test]
fn a_nominal_quota_is_deserved_and_a_limit_where_nothing_can_be_borrowed() {
    let quota = |cohort: &str, more: &str| {
        let queue = cluster_queue(&format!(
            "{{{cohort} resourceGroups: [{{flavors: [{{name: f, resources: [{{name: cpu, \
             nominalQuota: 4{more}}}]}}]}}]}}"
        ));
        let [QuotaSpec { flavour, resource, quota }] = &queue.quotas[..] else {
            panic!("not one quota: {queue:?}")
        };
        assert_eq!((flavour.as_deref(), &**resource), (Some("f"), "cpu"));
        *quota
    };
    let cores = |count: i64| Some(Amount::new(count * 1000));
    let deserved = Quota { deserved: cores(4), ..Quota::default() };
    assert_eq!(quota("", ""), Quota { limit: cores(4), ..deserved });
    for cohort in ["cohortName: all,", "cohort: all,", "cohortName: other,"] {
        assert_eq!(quota(cohort, ""), deserved, "{cohort}");
    }
    let borrows = |count| Quota { borrowing_limit: cores(count), ..deserved };
    assert_eq!(quota("cohortName: all,", ", borrowingLimit: 0"), borrows(0));
    assert_eq!(quota("cohortName: all,", ", borrowingLimit: 2"), borrows(2));
    let lends = Quota { lending_limit: cores(1), ..deserved };
    assert_eq!(quota("cohortName: all,", ", lendingLimit: 1"), lends);
    assert_eq!(quota("cohortName: all,", ", borrowingLimit: null, lendingLimit: null"), deserved);
}

#[test]
fn a_borrowing_limit_without_a_cohort_is_not_read_and_said() {
    let yaml = "metadata: {name: q}\nspec: {namespaceSelector: {}, resourceGroups: [{flavors: [\
                {name: f, resources: [{name: cpu, nominalQuota: 4, borrowingLimit: 2}]}]}]}";
    let read = kueue::cluster_queue(&object(yaml), &cohorts(&[]));
    assert_eq!(read.value.quotas[0].quota.borrowing_limit, None);
    let [said] = &said(&read)[..] else { panic!("{:?}", read.problems) };
    let field = "spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit";
    assert!(said.contains(field) && said.contains("nobody to borrow from"), "{said}");
}

#[test]
fn a_quota_that_cannot_be_read_is_nothing_and_said() {
    for name in ["nominalQuota", "borrowingLimit", "lendingLimit"] {
        let yaml = format!(
            "metadata: {{name: q}}\nspec: {{cohortName: all, namespaceSelector: {{}}, \
             resourceGroups: [{{flavors: [{{name: f, resources: [{{name: cpu, {name}: lots}}]}}]}}]}}"
        );
        let read = kueue::cluster_queue(&object(&yaml), &cohorts(&[]));
        let quota = read.value.quotas[0].quota;
        let amount = match name {
            "nominalQuota" => quota.deserved,
            "borrowingLimit" => quota.borrowing_limit,
            _ => quota.lending_limit,
        };
        assert_eq!(amount, Some(Amount::ZERO), "{name}");
        let fields: Vec<&str> = read.problems.iter().map(|it| &*it.field).collect();
        let field = format!("spec.resourceGroups[0].flavors[0].resources[0].{name}");
        assert_eq!(fields, [field]);
    }
}

/// What cohorts are read as, given names, cohorts above and own nominal quotas of cores. The last
/// `queues` entries are ClusterQueues.
fn deserved_by_cohorts(entries: &[(&str, &str, u32)], queues: usize) -> Vec<(String, Quota)> {
    let spec = |above: &str, field: &str, cores: u32| {
        let above = if above.is_empty() { String::new() } else { format!("{field}: {above},") };
        format!(
            "{{{above} resourceGroups: [{{flavors: [{{name: f, resources: [{{name: cpu, \
             nominalQuota: {cores}}}]}}]}}]}}"
        )
    };
    let (objects, members) = entries.split_at(entries.len() - queues);
    let objects: Vec<Cohort> = objects
        .iter()
        .map(|(name, above, cores)| {
            let spec = spec(above, "parentName", *cores);
            object(&format!("metadata: {{name: {name}}}\nspec: {spec}"))
        })
        .collect();
    let members: Vec<ClusterQueue> = members
        .iter()
        .map(|(name, above, cores)| {
            let spec = spec(above, "cohortName", *cores);
            object(&format!("metadata: {{name: {name}}}\nspec: {spec}"))
        })
        .collect();
    let all = Cohorts::of(objects.iter(), members.iter());
    let read = objects.iter().map(|object| kueue::cohort(object, &all).value);
    read.map(|queue| (queue.name, queue.quotas[0].quota)).collect()
}

#[test]
fn a_cohort_deserves_what_its_members_deserve_and_its_own_on_top() {
    let read = deserved_by_cohorts(
        &[("top", "", 1), ("left", "top", 2), ("right", "top", 4), ("q", "left", 8)],
        1,
    );
    let cores = |count: i64| Some(Amount::new(count * 1000));
    let deserves = |count| Quota { deserved: cores(count), ..Quota::default() };
    let want = [
        // Nothing is above it to borrow from.
        ("cohort/top".to_owned(), Quota { limit: cores(15), ..deserves(15) }),
        ("cohort/left".to_owned(), deserves(10)),
        ("cohort/right".to_owned(), deserves(4)),
    ];
    assert_eq!(read, want);
}

#[test]
fn cohorts_on_a_cycle_deserve_their_own_and_that_of_members_outside_it() {
    let read = deserved_by_cohorts(
        &[("a", "b", 1), ("b", "a", 2), ("c", "a", 4), ("self", "self", 8), ("q", "b", 16)],
        1,
    );
    let cores: Vec<i64> = read
        .into_iter()
        .map(|(_, quota)| quota.deserved.expect("each has a quota").units() / 1000)
        .collect();
    assert_eq!(cores, [1 + 4, 2 + 16, 4, 8]);
}

#[test]
fn a_cohort_lends_and_borrows_as_it_says() {
    let yaml = "metadata: {name: all}\nspec: {parentName: company, resourceGroups: [{flavors: \
                [{name: f, resources: [{name: cpu, nominalQuota: 4, borrowingLimit: 2, \
                lendingLimit: 1}]}]}]}";
    let read = kueue::cohort(&object(yaml), &cohorts(&["company"]));
    let cores = |count: i64| Some(Amount::new(count * 1000));
    let want = Quota {
        deserved: cores(4),
        borrowing_limit: cores(2),
        lending_limit: cores(1),
        ..Quota::default()
    };
    assert_eq!(read.value.quotas[0].quota, want);
    assert_eq!(said(&read), [""; 0]);
}

#[test]
fn a_cohort_is_a_parent_only_where_there_is_such_an_object() {
    assert_eq!(cluster_queue("{cohortName: all}").parent.as_deref(), Some("cohort/all"));
    assert_eq!(cluster_queue("{cohortName: other}").parent, None);
    assert_eq!(cluster_queue("{}").parent, None);
}

#[test]
fn a_cohort_that_only_others_name_is_no_queue_above() {
    let read = |parent: &str| {
        let yaml = format!("metadata: {{name: a}}\nspec: {{parentName: {parent}}}");
        kueue::cohort(&object(&yaml), &cohorts(&["all"])).value.parent
    };
    assert_eq!(read("all").as_deref(), Some("cohort/all"));
    assert_eq!(read("other"), None);
}

#[test]
fn a_stopped_queue_is_closed() {
    for (policy, open) in [("None", true), ("Hold", false), ("HoldAndDrain", false)] {
        assert_eq!(cluster_queue(&format!("{{stopPolicy: {policy}}}")).open, open, "{policy}");
    }
}

#[test]
fn a_local_queue_is_called_with_its_namespace() {
    let yaml = "metadata: {name: main, namespace: a}\nspec: {clusterQueue: q}";
    let queue = kueue::local_queue(&object(yaml)).value;
    assert_eq!((&*queue.name, queue.parent.as_deref()), ("a/main", Some("q")));
}

#[test]
fn a_weight_is_rounded_up_and_zero_is_last() {
    for (text, want, problems) in
        [("1", 1, 0), ("2500m", 3, 1), ("0", 0, 1), ("-1", 0, 1), ("heavy", 0, 1)]
    {
        let yaml = format!("metadata: {{name: q}}\nspec: {{fairSharing: {{weight: '{text}'}}}}");
        let read = kueue::cohort(&object(&yaml), &cohorts(&[]));
        assert_eq!((read.value.weight, read.problems.len()), (want, problems), "{:?}", said(&read));
    }
}

#[test]
fn a_node_belongs_to_the_flavour_that_names_most_of_its_labels() {
    let flavours = [
        object("metadata: {name: any}"),
        object("metadata: {name: spot}\nspec: {nodeLabels: {spot: 'true'}}"),
        object("metadata: {name: spot-a100}\nspec: {nodeLabels: {spot: 'true', gpu: a100}}"),
    ];
    let node = |labels: &[(&str, &str)]| NodeSpec {
        labels: labels
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect(),
        ..NodeSpec::default()
    };
    let mut nodes =
        [node(&[]), node(&[("spot", "true")]), node(&[("spot", "true"), ("gpu", "a100")])];
    assert_eq!(kueue::flavours(&flavours, &mut nodes), []);
    let names: Vec<&str> = nodes.iter().map(|node| node.flavour.as_str()).collect();
    assert_eq!(names, ["any", "spot", "spot-a100"]);
}
