//! The sample gang of each dialect: waits whole while one node is missing, and runs whole.

use crate::bench::Bench;
use e2e::FakePod;
use serde_json::{Value, json};

pub(crate) const MUSTER: &str = "muster.sh/v1alpha1";
pub(crate) const NATIVE: &str = "scheduling.k8s.io/v1beta1";
pub(crate) const VOLCANO: &str = "scheduling.volcano.sh/v1beta1";
pub(crate) const COSCHEDULING: &str = "scheduling.x-k8s.io/v1alpha1";

/// A group `train` of a dialect.
pub(crate) fn group(api: &str, spec: &str) -> String {
    format!(
        "apiVersion: {api}\nkind: PodGroup\nmetadata: {{name: train, namespace: NAMESPACE}}\n\
         spec: {spec}\n"
    )
}

/// The condition of a group or pod, as `status/reason`; empty if it has none.
pub(crate) fn condition(object: &Value, kind: &str) -> String {
    let conditions = object["status"]["conditions"].as_array();
    let found = conditions.into_iter().flatten().find(|it| it["type"] == kind);
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    found.map(|it| format!("{}/{}", word(&it["status"]), word(&it["reason"]))).unwrap_or_default()
}

/// Three members that fill a node each, and two nodes.
async fn trio(name: &str, shape: impl Fn(FakePod) -> FakePod) -> Bench {
    let bench = Bench::new(name).await;
    bench.nodes(&["a", "b"]).await;
    let pods: Vec<FakePod> =
        ["t-0", "t-1", "t-2"].iter().map(|name| shape(bench.pod(name))).collect();
    bench.add(&pods).await;
    bench
}

/// One more node, and all is well.
async fn room_comes(bench: &Bench) {
    bench.nodes(&["c"]).await;
    let pods = bench.bound(3).await;
    let mut nodes: Vec<&str> = pods.iter().map(|pod| pod.node.as_str()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    assert_eq!(nodes.len(), 3, "{pods:#?}");
}

#[tokio::test]
async fn a_group_of_musters_own_waits_whole_and_runs_whole() {
    let bench = trio("own", |pod| pod.label("muster.sh/pod-group", "train")).await;
    bench.waits(3, "GroupMissing").await;
    bench.apply(&group(MUSTER, "{minAvailable: 3}"));
    bench.waits(3, "Unschedulable").await;
    let is_told = |it: &Value| condition(it, "Scheduled") == "False/Room";
    let seen = bench.object(MUSTER, "podgroups/train", "the group to wait", is_told).await;
    assert_eq!(seen["status"]["phase"], "Admitted");
    room_comes(&bench).await;
    let runs = |it: &Value| it["status"]["phase"] == "Running";
    let seen = bench.object(MUSTER, "podgroups/train", "the group to run", runs).await;
    assert_eq!(condition(&seen, "Scheduled"), "True/Scheduled");
    assert_eq!(seen["status"]["explanation"], Value::Null);
}

#[tokio::test]
async fn a_native_group_waits_whole_and_runs_whole() {
    let bench = Bench::new("native").await;
    bench.nodes(&["a", "b"]).await;
    // The API server takes no pod of a native group that is not there yet.
    bench.apply(&group(NATIVE, "{schedulingPolicy: {gang: {minCount: 3}}}"));
    let pods: Vec<FakePod> =
        ["t-0", "t-1", "t-2"].iter().map(|name| bench.pod(name).native_group("train")).collect();
    bench.add(&pods).await;
    bench.waits(3, "Unschedulable").await;
    let kind = "PodGroupInitiallyScheduled";
    let is_told = |it: &Value| condition(it, kind) == "False/Unschedulable";
    bench.object(NATIVE, "podgroups/train", "the group to wait", is_told).await;
    room_comes(&bench).await;
    let runs = |it: &Value| condition(it, kind) == "True/Scheduled";
    bench.object(NATIVE, "podgroups/train", "the group to be scheduled", runs).await;
}

#[tokio::test]
async fn a_group_of_volcanos_waits_whole_and_runs_whole() {
    let bench =
        trio("volcano", |pod| pod.annotation("scheduling.k8s.io/group-name", "train")).await;
    bench.apply(&group(VOLCANO, "{minMember: 3, queue: default}"));
    bench.waits(3, "Unschedulable").await;
    let is_told = |it: &Value| condition(it, "Unschedulable") == "True/NotEnoughResources";
    let seen = bench.object(VOLCANO, "podgroups/train", "the group to wait", is_told).await;
    assert_eq!(seen["status"]["phase"], "Inqueue");
    room_comes(&bench).await;
    let runs = |it: &Value| it["status"]["phase"] == "Running" && it["status"]["running"] == 3;
    let seen = bench.object(VOLCANO, "podgroups/train", "the group to run", runs).await;
    assert!(condition(&seen, "Scheduled").starts_with("True/"), "{seen:#}");
    assert!(!condition(&seen, "Unschedulable").starts_with("True/"), "{seen:#}");
}

#[tokio::test]
async fn a_group_of_the_coscheduling_plugin_waits_whole_and_runs_whole() {
    let label = "scheduling.x-k8s.io/pod-group";
    let bench = trio("coscheduling", |pod| pod.label(label, "train")).await;
    bench.apply(&group(COSCHEDULING, "{minMember: 3}"));
    bench.waits(3, "Unschedulable").await;
    let is_told = |it: &Value| it["status"]["phase"] == "Scheduling";
    bench.object(COSCHEDULING, "podgroups/train", "the group to wait", is_told).await;
    room_comes(&bench).await;
    let runs = |it: &Value| it["status"]["phase"] == "Running" && it["status"]["running"] == 3;
    bench.object(COSCHEDULING, "podgroups/train", "the group to run", runs).await;
}

/// A Job `train` of members that fill a node each, or take next to nothing.
pub(crate) fn job(scheduler: &str, members: usize, gpus: usize, more: &Value) -> String {
    let container = json!({ "name": "c", "image": "example.invalid/c",
        "resources": { "limits": { "cpu": "100m", "nvidia.com/gpu": gpus.to_string() } } });
    let mut job = json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": { "name": "train", "namespace": "NAMESPACE" },
        "spec": { "parallelism": members, "completions": members, "completionMode": "Indexed",
            "template": { "spec": { "schedulerName": scheduler, "restartPolicy": "Never",
                "nodeSelector": { "POOL": "NAMESPACE" }, "containers": [container] } } },
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        job["spec"][field] = value.clone();
    }
    job.to_string()
}

#[tokio::test]
async fn an_indexed_job_without_any_group_waits_whole_and_runs_whole() {
    let bench = Bench::new("indexed").await;
    bench.nodes(&["a", "b"]).await;
    bench.apply(&job("muster", 3, 8, &json!({})));
    bench.waits(3, "Unschedulable").await;
    room_comes(&bench).await;
}

#[tokio::test]
async fn a_replica_of_a_leader_worker_set_waits_whole_and_runs_whole() {
    let bench = Bench::new("leaders").await;
    bench.nodes(&["a", "b"]).await;
    bench.apply(
        "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\n\
         metadata: {name: serve, namespace: NAMESPACE}\n\
         spec: {replicas: 1, startupPolicy: LeaderCreated, leaderWorkerTemplate: {size: 3}}\n",
    );
    // Its controller makes pods only after it has seen the set; so may muster have.
    let known = async || {
        let (_, gangs) = bench.muster.get("/dump").await.map_err(|fault| fault.to_string())?;
        gangs.contains("serve-0").then_some(()).ok_or("the set is not known").map_err(str::to_owned)
    };
    e2e::eventually(crate::bench::SOON, "the set to be known", known).await;
    let pod = |name| {
        bench
            .pod(name)
            .label("leaderworkerset.sigs.k8s.io/name", "serve")
            .label("leaderworkerset.sigs.k8s.io/group-index", "0")
    };
    bench.add(&[pod("t-0"), pod("t-1"), pod("t-2")]).await;
    bench.waits(3, "Unschedulable").await;
    room_comes(&bench).await;
}

#[tokio::test]
async fn bare_pods_are_bound_one_by_one() {
    let bench = trio("bare", |pod| pod).await;
    let is_so = |pods: &[crate::bench::Seen]| {
        let bound = pods.iter().filter(|pod| !pod.node.is_empty()).count();
        let waits = pods.iter().filter(|pod| pod.reason == "Unschedulable").count();
        bound == 2 && waits == 1
    };
    bench.until("two to be bound and one to wait", is_so).await;
    room_comes(&bench).await;
}
