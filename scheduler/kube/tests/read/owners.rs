//! Controllers are played where none of their pods is in the input, and only there.

use crate::{gangs, reading, said};
use scheduler_kube::read::Reading;

fn played(reading: &Reading) -> Vec<(&str, usize)> {
    reading.world.workloads.iter().map(|one| (one.object.as_str(), one.pods.len())).collect()
}

const TEMPLATE: &str = "template: {spec: {schedulerName: muster, containers: [{name: c}]}}";

fn job(more: &str) -> String {
    format!(
        "{{apiVersion: batch/v1, kind: Job, metadata: {{name: j}}, spec: {{completions: 2, \
         parallelism: 2, {TEMPLATE}}}{more}}}\n---\n"
    )
}

fn pod(owner_group: &str, kind: &str, name: &str, label: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: p, labels: {{{label}}}, ownerReferences: \
         [{{apiVersion: {owner_group}, kind: {kind}, name: {name}, controller: true}}]}}}}\n---\n"
    )
}

#[test]
fn a_job_without_pods_is_played() {
    let reading = reading(&job(""));
    assert_eq!(played(&reading), [("Job j", 2)]);
    assert_eq!(gangs(&reading)[0].key.to_string(), "default/job/j");
}

#[test]
fn a_job_with_a_pod_in_the_input_is_not_played_but_still_describes_its_gang() {
    let reading = reading(&format!("{}{}", job(""), pod("batch/v1", "Job", "j", "")));
    assert_eq!((played(&reading), gangs(&reading).len()), (vec![], 1));
}

#[test]
fn a_pod_of_another_group_of_that_name_does_not_count() {
    let reading =
        reading(&format!("{}{}", job(""), pod("batch.volcano.sh/v1alpha1", "Job", "j", "")));
    assert_eq!(played(&reading), [("Job j", 2)]);
}

#[test]
fn jobs_that_are_over_are_not_played() {
    for more in [
        ", status: {conditions: [{type: Complete, status: 'True'}]}",
        ", status: {conditions: [{type: Failed, status: 'True'}]}",
    ] {
        assert_eq!(played(&reading(&job(more))), [], "{more}");
    }
    assert_eq!(played(&reading(&job(", status: {conditions: [{type: Failed}]}"))).len(), 1);
    let suspended = job("").replace("completions: 2", "completions: 2, suspend: true");
    assert_eq!(played(&reading(&suspended)), []);
}

fn deployment(replica_set: &str) -> String {
    format!(
        "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: web, labels: \
         {{muster.sh/queue: q}}}}, spec: {{replicas: 3, {TEMPLATE}}}}}\n---\n{replica_set}"
    )
}

#[test]
fn a_deployment_is_played_unless_its_replica_set_or_a_pod_is_there() {
    assert_eq!(played(&reading(&deployment(""))), [("Deployment web", 3)]);
    let hash = "pod-template-hash: 5d4f";
    let pods = pod("apps/v1", "ReplicaSet", "web-5d4f", hash);
    assert_eq!(played(&reading(&deployment(&pods))), []);
    let set = format!(
        "{{apiVersion: apps/v1, kind: ReplicaSet, metadata: {{name: web-5d4f, ownerReferences: \
         [{{apiVersion: apps/v1, kind: Deployment, name: web, controller: true}}]}}, spec: \
         {{replicas: 1, {TEMPLATE}}}}}\n"
    );
    let with_set = reading(&deployment(&set));
    assert_eq!(played(&with_set), [("ReplicaSet web-5d4f", 1)]);
    assert_eq!(gangs(&with_set)[0].queue.as_deref(), Some("q"));
    let old = set.replace("replicas: 1", "replicas: 0").replace("schedulerName: muster, ", "");
    let reading = reading(&deployment(&old));
    assert_eq!((played(&reading), said(&reading)), (vec![], vec![]));
}

#[test]
fn a_leader_worker_set_is_known_by_the_label_of_its_pods() {
    let set = format!(
        "{{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {{name: l}}, \
         spec: {{leaderWorkerTemplate: {{size: 2, worker{}}}}}}}\n---\n",
        TEMPLATE.replacen('t', "T", 1)
    );
    assert_eq!(played(&reading(&set)), [("LeaderWorkerSet l", 2)]);
    let pods = pod("apps/v1", "StatefulSet", "l", "leaderworkerset.sigs.k8s.io/name: l");
    assert_eq!(played(&reading(&format!("{set}{pods}"))), []);
}

#[test]
fn the_group_that_volcano_made_of_its_job_wins_over_the_job() {
    let job = format!(
        "{{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {{name: v}}, spec: \
         {{minAvailable: 1, tasks: [{{name: t, replicas: 2, {TEMPLATE}}}]}}}}\n---\n"
    );
    let group = "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: v}, \
                 spec: {minMember: 2}}";
    assert_eq!(gangs(&reading(&job))[0].min, 1);
    let both = reading(&format!("{job}{group}"));
    assert_eq!((gangs(&both).len(), gangs(&both)[0].min), (1, 2));
    assert_eq!(played(&both), [("Job v", 2)]);
    let over = job.replace("spec: {minA", "status: {state: {phase: Completed}}, spec: {minA");
    assert_eq!(played(&reading(&over)), []);
}

#[test]
fn each_replica_of_a_native_group_is_a_gang_like_the_group() {
    let reading = reading(
        "{apiVersion: scheduling.k8s.io/v1alpha1, kind: Workload, metadata: {name: w}, spec: \
         {podGroups: [{name: g, policy: {gang: {minCount: 3}}}]}}\n---\n{apiVersion: v1, kind: Pod, \
         metadata: {name: p}, spec: {workloadRef: {name: w, podGroup: g, podGroupReplicaKey: '1'}}}",
    );
    let read: Vec<(String, u32)> =
        gangs(&reading).iter().map(|gang| (gang.key.to_string(), gang.min)).collect();
    assert_eq!(read, [("default/w/g".to_owned(), 3), ("default/w/g/1".to_owned(), 3)]);
}

#[test]
fn hints_stand_with_pods_groups_and_owners() {
    let reading = reading(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  annotations: \
         {muster.sh/simulated-arrival: 5s}\n---\napiVersion: muster.sh/v1alpha1\nkind: PodGroup\n\
         metadata:\n  name: g\n  annotations: {muster.sh/simulated-runtime: 1h}\n",
    );
    assert!(reading.world.pod_hints.contains_key("pod:default/p"));
    assert_eq!(reading.world.gang_hints.len(), 1);
}
