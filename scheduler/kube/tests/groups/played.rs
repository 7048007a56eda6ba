//! Controllers without pods in the input, played.

use crate::{object, said};
use scheduler_kube::controllers::{self, Played};
use scheduler_kube::translate::{Context, Translated};
use scheduler_model::spec::{Dialect, Membership, PodSpec};
use scheduler_model::time::{Span, Time};
use scheduler_model::world::Pace;
use std::sync::Arc;

const TEMPLATE: &str = "{spec: {schedulerName: muster, containers: [{name: c, resources: \
                        {requests: {cpu: 1}}}]}}";

fn job(spec: &str) -> Translated<Played> {
    let yaml = format!("metadata: {{name: train}}\nspec: {{{spec}, template: {TEMPLATE}}}");
    controllers::job(&object(&yaml), &Context::default())
}

fn pods(read: &Translated<Played>) -> Vec<&PodSpec> {
    read.value.workloads.iter().flat_map(|workload| &workload.pods).collect()
}

/// Every pod belongs to a gang that came with it.
fn assert_joined(read: &Translated<Played>) {
    assert!(!read.value.workloads.is_empty());
    for workload in &read.value.workloads {
        assert!(read.value.gangs.iter().any(|gang| gang.key == workload.gang), "{workload:?}");
        for pod in &workload.pods {
            let (Membership::Group(key) | Membership::Owner(key)) = &pod.membership else {
                panic!("{} is alone", pod.name);
            };
            assert_eq!(key, &workload.gang);
            assert!(pod.ours);
        }
    }
}

#[test]
fn an_indexed_job_becomes_numbered_pods_of_one_shape() {
    let read = job("completionMode: Indexed, parallelism: 3, completions: 3");
    assert_joined(&read);
    let pods = pods(&read);
    let ranks: Vec<Option<u64>> = pods.iter().map(|pod| pod.rank).collect();
    assert_eq!(ranks, [Some(0), Some(1), Some(2)]);
    assert!(pods[1].name.starts_with("train-1-") && pods[1].name.len() == 13, "{}", pods[1].name);
    assert_eq!(pods[0].labels["batch.kubernetes.io/job-completion-index"], "0");
    assert!(pods.iter().all(|pod| Arc::ptr_eq(&pod.shape, &pods[0].shape)));
    assert_eq!(read.value.workloads[0].pace, Pace::AtOnce);
    assert_eq!(said(&read), Vec::<String>::new());
}

#[test]
fn a_job_creates_no_more_pods_at_a_time_than_its_parallelism() {
    let read = job("parallelism: 2, completions: 5");
    assert_joined(&read);
    assert_eq!(read.value.workloads[0].pace, Pace::AtMost(2));
    assert_eq!(pods(&read).len(), 5);
    assert!(pods(&read).iter().all(|pod| pod.rank.is_none()));
}

#[test]
fn a_job_without_completions_ends_with_the_pods_it_begins_with() {
    let read = job("parallelism: 3");
    assert_eq!((pods(&read).len(), read.value.workloads[0].pace), (3, Pace::AtOnce));
}

#[test]
fn a_suspended_job_creates_nothing() {
    assert_eq!(job("suspend: true, parallelism: 3").value.workloads, []);
    assert_eq!(job("parallelism: 0, completions: 3").value.workloads, []);
}

#[test]
fn a_job_that_is_half_done_creates_the_rest() {
    let yaml = format!(
        "metadata: {{name: train}}\nspec: {{completions: 3, parallelism: 3, template: {TEMPLATE}}}\n\
         status: {{succeeded: 2}}"
    );
    let read = controllers::job(&object(&yaml), &Context::default());
    assert_eq!(pods(&read).len(), 1);
}

#[test]
fn pods_of_another_scheduler_are_not_played_and_that_is_said() {
    let yaml = "metadata: {name: web}\nspec: {template: {spec: {schedulerName: other}}}";
    let read = controllers::replica_set(&object(yaml), &Context::default());
    assert_eq!(read.value.workloads, []);
    assert!(said(&read)[0].contains("its pods are for other"), "{:?}", said(&read));
}

#[test]
fn what_is_wrong_with_a_template_is_said_once_and_of_the_controller() {
    let yaml = "metadata: {name: web, namespace: a}\nspec: {replicas: 3, template: {spec: \
                {schedulerName: muster, containers: [{name: c, resources: {requests: \
                {cpu: lots}}}]}}}";
    let read = controllers::replica_set(&object(yaml), &Context::default());
    assert_eq!(read.problems.len(), 1, "{:?}", said(&read));
    assert_eq!(read.problems[0].object, "ReplicaSet a/web");
    assert!(read.problems[0].field.starts_with("spec.template.spec.containers"));
}

#[test]
fn hints_stand_on_the_controller_or_on_its_template() {
    let yaml = "metadata: {name: a, annotations: {muster.sh/simulated-arrival: 5s}}\nspec: \
                {template: {metadata: {annotations: {muster.sh/simulated-runtime: 1m}}, spec: \
                {schedulerName: muster}}}";
    let read = controllers::job(&object(yaml), &Context::default());
    let hints = read.value.workloads[0].hints;
    assert_eq!(hints.runtime, Some(Span::from_secs(60)));
    assert_eq!(hints.arrival, Some(Time::from_ms(5000)));
}

#[test]
fn a_stateful_set_creates_the_next_pod_when_the_one_before_is_ready() {
    for (policy, pace) in [("OrderedReady", Pace::AfterReady), ("Parallel", Pace::AtOnce)] {
        let yaml = format!(
            "metadata: {{name: db}}\nspec: {{replicas: 2, podManagementPolicy: {policy}, \
             ordinals: {{start: 5}}, template: {TEMPLATE}}}"
        );
        let read = controllers::stateful_set(&object(&yaml), &Context::default());
        assert_joined(&read);
        let names: Vec<&str> = pods(&read).iter().map(|pod| &*pod.name).collect();
        assert_eq!(names, ["db-5", "db-6"]);
        assert_eq!(read.value.workloads[0].pace, pace);
    }
}

#[test]
fn a_deployment_creates_its_pods_through_a_replica_set() {
    let yaml = format!(
        "metadata: {{name: web, namespace: a, labels: {{muster.sh/queue: q}}}}\n\
         spec: {{replicas: 2, template: {TEMPLATE}}}"
    );
    let read = controllers::deployment(&object(&yaml), &Context::default());
    assert_joined(&read);
    let gang = &read.value.gangs[0];
    assert!(gang.key.name.starts_with("replicaset/web-"), "{}", gang.key.name);
    assert_eq!(gang.queue.as_deref(), Some("q"));
    assert_eq!(read.value.workloads[0].object, "Deployment a/web");
    assert!(pods(&read)[0].labels.contains_key("pod-template-hash"));
}

#[test]
fn each_replica_of_a_leader_worker_set_is_created_as_a_gang() {
    for (policy, pace) in [("LeaderReady", Pace::AfterLeader), ("LeaderCreated", Pace::AtOnce)] {
        let yaml = format!(
            "metadata: {{name: llm}}\nspec: {{replicas: 2, startupPolicy: {policy}, \
             leaderWorkerTemplate: {{size: 2, workerTemplate: {TEMPLATE}}}}}"
        );
        let read = controllers::leader_worker_set(&object(&yaml), &Context::default());
        assert_joined(&read);
        let names: Vec<&str> = pods(&read).iter().map(|pod| &*pod.name).collect();
        assert_eq!(names, ["llm-0", "llm-0-1", "llm-1", "llm-1-1"]);
        assert_eq!(read.value.workloads.len(), 2);
        assert_eq!(read.value.workloads[0].pace, pace);
    }
}

#[test]
fn a_job_set_creates_jobs_whose_pods_are_numbered_through() {
    let yaml = format!(
        "metadata: {{name: set, labels: {{muster.sh/queue: q}}}}\nspec: {{replicatedJobs: [\
         {{name: a, replicas: 2, template: {{spec: {{template: {TEMPLATE}}}}}}}]}}"
    );
    let read = controllers::job_set(&object(&yaml), &Context::default());
    assert_joined(&read);
    let gangs: Vec<&str> = read.value.gangs.iter().map(|gang| &*gang.key.name).collect();
    assert_eq!(gangs, ["job/set-a-0", "job/set-a-1"]);
    assert!(read.value.gangs.iter().all(|gang| gang.queue.as_deref() == Some("q")));
    assert!(pods(&read)[0].rank < pods(&read)[1].rank);
}

#[test]
fn tasks_of_a_volcano_job_become_pods_of_its_group() {
    let yaml = "metadata: {name: j, namespace: a, uid: u}\nspec: {schedulerName: muster, \
                queue: q, priorityClassName: high, tasks: [{name: ps, replicas: 1}, \
                {name: worker, replicas: 2}]}";
    let read = controllers::volcano_job(&object(yaml), &Context::default());
    assert_joined(&read);
    let gang = &read.value.gangs[0];
    assert_eq!((gang.key.dialect, &*gang.key.name, gang.min), (Dialect::Volcano, "j-u", 3));
    let names: Vec<&str> = pods(&read).iter().map(|pod| &*pod.name).collect();
    assert_eq!(names, ["j-ps-0", "j-worker-0", "j-worker-1"]);
    let last = pods(&read)[2];
    assert_eq!((&*last.role, last.rank, last.queue.as_deref()), ("worker", Some(1), Some("q")));
    assert_eq!(last.priority_class, "high");
}

#[test]
fn an_absurd_number_of_pods_is_cut_and_said() {
    let read = job("parallelism: 9999999999, completions: 4000000000");
    assert_eq!(pods(&read).len(), 100_000);
    assert!(said(&read).iter().any(|text| text.contains("only the first 100000")));
}

#[test]
fn many_absurd_parts_of_one_object_make_no_more_pods_than_one_does() {
    let part = "{replicas: 4000000000}";
    let yaml = format!(
        "metadata: {{name: j}}\nspec: {{schedulerName: muster, tasks: [{part}, {part}, {part}]}}"
    );
    let read = controllers::volcano_job(&object(&yaml), &Context::default());
    assert_eq!(pods(&read).len(), 100_000);
    assert!(said(&read).iter().any(|text| text.contains("only the first 0 of 4000000000 pods")));

    let part = format!(
        "{{replicas: 4000000000, template: {{spec: {{parallelism: 60000, template: {TEMPLATE}}}}}}}"
    );
    let yaml = format!("metadata: {{name: s}}\nspec: {{replicatedJobs: [{part}, {part}]}}");
    let read = controllers::job_set(&object(&yaml), &Context::default());
    assert_eq!(pods(&read).len(), 120_000);
    assert!(said(&read).iter().any(|text| text.contains("only the first 2 of 10000 Jobs")));
}
