//! Volcano's groups, queues and Jobs, rule by rule.

use crate::{object, said};
use scheduler_kube::translate::{Translated, volcano};
use scheduler_model::amount::Amount;
use scheduler_model::spec::{CreatesAtOnce, GangSpec, Quota, QuotaSpec, RoleSpec};
use scheduler_model::time::Span;

fn group(spec: &str) -> Translated<GangSpec> {
    volcano::pod_group(&object(&format!("metadata: {{name: g}}\nspec: {spec}")))
}

fn job(spec: &str) -> Translated<GangSpec> {
    volcano::job(&object(&format!("metadata: {{name: j, uid: u}}\nspec: {spec}")))
}

fn roles(gang: &GangSpec) -> Vec<(&str, u32)> {
    gang.roles.iter().map(|RoleSpec { name, min }| (name.as_str(), *min)).collect()
}

#[test]
fn minimums_per_task_count_only_where_the_total_covers_them() {
    let covered = group("{minMember: 5, minTaskMember: {leader: 1, worker: 4}}");
    assert_eq!(roles(&covered.value), [("leader", 1), ("worker", 4)]);
    let uncovered = group("{minMember: 4, minTaskMember: {leader: 1, worker: 4}}");
    assert_eq!((uncovered.value.min, roles(&uncovered.value)), (4, vec![]));
    assert_eq!(said(&uncovered), Vec::<String>::new());
}

#[test]
fn a_group_without_a_queue_leaves_it_to_its_pods_and_namespace() {
    assert_eq!(group("{minMember: 1}").value.queue, None);
    assert_eq!(group("{queue: default}").value.queue.as_deref(), Some("default"));
}

#[test]
fn what_a_group_needs_in_all_is_read_and_what_cannot_be_read_fits_no_limit() {
    let read = group("{minMember: 1, minResources: {cpu: '2', nvidia.com/gpu: lots}}");
    let want = [("cpu", Amount::new(2000)), ("nvidia.com/gpu", Amount::MAX)];
    assert_eq!(read.value.min_resources, want.map(|(name, it)| (name.to_owned(), it)).into());
    assert_eq!(read.problems.len(), 1);
}

#[test]
fn the_network_mode_decides_between_must_and_should() {
    let wish = |text: &str| {
        let read = group(&format!("{{networkTopology: {text}}}"));
        let topology = read.value.topology;
        (topology.required.is_some(), topology.preferred.is_some(), read.problems.len())
    };
    assert_eq!(wish("{mode: hard, highestTierAllowed: 1}"), (true, false, 0));
    assert_eq!(wish("{highestTierAllowed: 1}"), (true, false, 0));
    assert_eq!(wish("{mode: soft, highestTierAllowed: 1}"), (false, true, 0));
    assert_eq!(wish("{mode: hard}"), (false, false, 1));
    assert_eq!(wish("{mode: firm, highestTierAllowed: 1}"), (true, false, 1));
    assert_eq!(wish("{highestTierAllowed: 1, highestTierName: rack}"), (true, false, 1));
}

#[test]
fn groups_inside_a_group_wait_unless_they_ask_for_nothing() {
    let unsupported = |text: &str| {
        group(&format!("{{minMember: 4, subGroupPolicy: [{text}]}}")).value.unsupported.len()
    };
    assert_eq!(unsupported("{name: a}"), 0);
    assert_eq!(unsupported("{name: a, subGroupSize: 1, minSubGroups: 0}"), 0);
    assert_eq!(unsupported("{name: a, subGroupSize: 2}"), 1);
    assert_eq!(unsupported("{name: a, minSubGroups: 1}"), 1);
    assert_eq!(unsupported("{name: a, networkTopology: {highestTierAllowed: 1}}"), 1);
}

#[test]
fn only_a_closed_or_closing_queue_is_closed() {
    for (state, open) in
        [("", true), ("Open", true), ("Unknown", true), ("Closed", false), ("Closing", false)]
    {
        let yaml = format!("metadata: {{name: q}}\nstatus: {{state: '{state}'}}");
        assert_eq!(volcano::volcano_queue(&object(&yaml)).value.open, open, "{state}");
    }
}

#[test]
fn only_a_queue_that_says_so_is_not_reclaimable() {
    for (spec, reclaimable) in [("", true), ("true", true), ("null", true), ("false", false)] {
        let yaml = format!("metadata: {{name: q}}\nspec: {{reclaimable: {spec}}}");
        let read = volcano::volcano_queue(&object(&yaml)).value;
        assert_eq!(read.reclaimable, reclaimable, "{spec}");
    }
}

#[test]
fn a_queue_below_root_stands_at_the_top() {
    let yaml = "metadata: {name: q}\nspec: {parent: root}";
    let read = volcano::volcano_queue(&object(yaml)).value;
    assert_eq!((read.parent, read.weight), (None, 1));
    let yaml = "metadata: {name: q}\nspec: {parent: research}";
    let read = volcano::volcano_queue(&object(yaml)).value;
    assert_eq!(read.parent.as_deref(), Some("research"));
}

#[test]
fn every_amount_of_a_queue_arrives() {
    let yaml = "metadata: {name: q}\nspec: {guarantee: {resource: {cpu: 1}}, deserved: {cpu: 2}, \
                capability: {cpu: 3}}";
    let read = volcano::volcano_queue(&object(yaml));
    let cores = |count: i64| Some(Amount::new(count * 1000));
    let quota =
        Quota { dedicated: cores(1), deserved: cores(2), limit: cores(3), ..Quota::default() };
    let want = QuotaSpec { flavour: None, resource: "cpu".to_owned(), quota };
    assert_eq!((read.value.quotas, read.problems), (vec![want], vec![]));
}

#[test]
fn amounts_that_are_null_are_none() {
    for spec in [
        "{guarantee: null, deserved: null, capability: null}",
        "{guarantee: {resource: null}}",
        "{guarantee: {}}",
    ] {
        let read = volcano::volcano_queue(&object(&format!("metadata: {{name: q}}\nspec: {spec}")));
        assert_eq!((read.value.quotas, read.problems), (vec![], vec![]), "{spec}");
    }
}

#[test]
fn an_amount_that_cannot_be_read_is_nothing_and_said_in_volcanos_words() {
    for (spec, field) in [
        ("{guarantee: {resource: {cpu: lots}}}", "spec.guarantee.resource.cpu"),
        ("{deserved: {cpu: lots}}", "spec.deserved.cpu"),
        ("{capability: {cpu: lots}}", "spec.capability.cpu"),
    ] {
        let read = volcano::volcano_queue(&object(&format!("metadata: {{name: q}}\nspec: {spec}")));
        let Quota { dedicated, deserved, limit, .. } = read.value.quotas[0].quota;
        assert_eq!(dedicated.or(deserved).or(limit), Some(Amount::ZERO), "{spec}");
        assert_eq!(read.problems[0].field, field);
    }
}

#[test]
fn amounts_that_contradict_each_other_are_said_in_volcanos_words() {
    let yaml = "metadata: {name: q}\nspec: {guarantee: {resource: {cpu: 3}}, deserved: {cpu: 2}, \
                capability: {cpu: 1}}";
    let said: String = said(&volcano::volcano_queue(&object(yaml))).join("\n");
    for words in [
        "3 is above the 2 of spec.deserved.cpu; all of it is kept for the queue all the same",
        "3 is above the 1 of spec.capability.cpu; gangs of the queue wait",
        "2 is above the 1 of spec.capability.cpu; the queue never uses more than that",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn the_amounts_of_root_are_those_of_the_cluster_and_not_read() {
    let yaml = "metadata: {name: root}\nspec: {capability: {cpu: 2}, deserved: {}}";
    let read = volcano::volcano_queue(&object(yaml));
    assert_eq!(read.value.quotas, []);
    let fields: Vec<&str> = read.problems.iter().map(|it| &*it.field).collect();
    assert_eq!(fields, ["spec.capability"]);
}

#[test]
fn a_job_needs_what_its_tasks_need_where_it_does_not_say() {
    let tasks = "tasks: [{name: b, replicas: 4, minAvailable: 2}, {replicas: 3}]";
    let sum = job(&format!("{{{tasks}}}")).value;
    assert_eq!((sum.min, roles(&sum)), (5, vec![("b", 2), ("default1", 3)]));
    let less = job(&format!("{{minAvailable: 1, {tasks}}}")).value;
    assert_eq!((less.min, roles(&less)), (1, vec![]));
}

#[test]
fn a_job_names_its_group_as_the_controller_does() {
    let gang = job("{runningEstimate: 1h, queue: q, priorityClassName: high}").value;
    assert_eq!((&*gang.key.name, gang.queue.as_deref()), ("j-u", Some("q")));
    assert_eq!(gang.walltime, Some(Span::from_secs(3600)));
    let no_uid = volcano::job(&object("metadata: {name: j}")).value;
    assert_eq!(no_uid.key.name, "j");
}

#[test]
fn a_minimum_that_needs_tasks_which_wait_for_others_is_a_problem() {
    let tasks = "tasks: [{name: a, replicas: 1}, {name: b, replicas: 3, dependsOn: {name: [a]}}]";
    let read = job(&format!("{{{tasks}}}"));
    let setting = "tasks[1].dependsOn: null".to_owned();
    assert_eq!(read.value.creates_at_once, Some(CreatesAtOnce { pods: 1, setting }));
    assert!(said(&read)[0].contains("only 1 are created"), "{:?}", said(&read));
    assert_eq!(job(&format!("{{minAvailable: 1, {tasks}}}")).problems, []);
}

#[test]
fn partitions_of_a_task_make_the_job_wait() {
    let read = job("{tasks: [{replicas: 4, partitionPolicy: {totalPartitions: 2}}]}");
    assert_eq!(read.value.unsupported, ["partitionPolicy of task \"default0\""]);
}

#[test]
fn a_task_named_twice_is_said() {
    let read = job("{tasks: [{name: a, replicas: 1}, {name: a, replicas: 2}]}");
    assert_eq!((roles(&read.value), read.problems.len()), (vec![("a", 1)], 1));
}

#[test]
fn what_the_controller_writes_for_resource_quotas_asks_for_nothing() {
    // As Volcano 1.14 makes it of a vcjob whose pods have requests and limits.
    let read = group(
        "{minResources: {count/pods: 3, cpu: 300m, limits.cpu: 300m, pods: 3, requests.cpu: 300m, \
         limits.nvidia.com/gpu: 3, requests.nvidia.com/gpu: 3, nvidia.com/gpu: 3}}",
    );
    assert_eq!(said(&read), Vec::<String>::new());
    let names: Vec<String> =
        read.value.min_resources.keys().map(|name| format!("{name:?}")).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn a_status_with_a_decision_of_another_scheduler_shows() {
    let is_contested = |conditions: &str| {
        let object = format!("metadata: {{name: g, uid: u}}\nstatus: {{conditions: {conditions}}}");
        volcano::pod_group(&crate::object(&object)).value.is_contested
    };
    assert!(!is_contested("[]"));
    assert!(!is_contested("[{type: Scheduled, transitionID: u-18f}]"));
    assert!(is_contested("[{type: Unschedulable, transitionID: 2c7ad8e3-0000}]"));
    assert!(is_contested(
        "[{type: Scheduled, transitionID: u-18f}, {type: Unschedulable, transitionID: other}]"
    ));
}
