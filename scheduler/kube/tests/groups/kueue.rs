//! Kueue's queues and flavours, rule by rule.

use crate::{object, said};
use scheduler_kube::translate::kueue;
use scheduler_model::spec::{NodeSpec, QueueSpec};
use std::collections::BTreeSet;

fn cluster_queue(spec: &str) -> QueueSpec {
    let cohorts = BTreeSet::from(["all".to_owned()]);
    let yaml = format!("metadata: {{name: q}}\nspec: {spec}");
    kueue::cluster_queue(&object(&yaml), &cohorts).value
}

#[test]
fn a_quota_is_a_limit_only_as_far_as_nothing_can_be_borrowed() {
    let limit = |cohort: &str, borrowing: &str| {
        let queue = cluster_queue(&format!(
            "{{{cohort} resourceGroups: [{{flavors: [{{name: f, resources: [{{name: cpu, \
             nominalQuota: 4{borrowing}}}]}}]}}]}}"
        ));
        queue.limits.first().map(|limit| limit.amount.units())
    };
    assert_eq!(limit("", ""), Some(4000));
    assert_eq!(limit("cohortName: all,", ""), None);
    assert_eq!(limit("cohort: all,", ""), None);
    assert_eq!(limit("cohortName: all,", ", borrowingLimit: 0"), Some(4000));
    assert_eq!(limit("cohortName: all,", ", borrowingLimit: 2"), Some(6000));
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
        let cohorts = BTreeSet::from(["all".to_owned()]);
        let yaml = format!("metadata: {{name: a}}\nspec: {{parentName: {parent}}}");
        kueue::cohort(&object(&yaml), &cohorts).value.parent
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
        let read = kueue::cohort(&object(&yaml), &BTreeSet::new());
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
