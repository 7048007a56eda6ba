//! Jobs as people wrote them for Volcano, made into pods by Volcano's own controllers.

use crate::bench::{Bench, SOON};
use crate::dialects::VOLCANO;
use e2e::{RUN_FOR, eventually};
use kube::api::{Api, ApiResource, DynamicObject, GroupVersionKind, ListParams};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A task of four GPUs per pod; it runs for ever unless told how long.
fn task(name: &str, replicas: u32, run_for: Option<&str>) -> Value {
    let container = json!({ "name": "c", "image": "example.invalid/c",
        "resources": { "requests": { "cpu": "100m", "nvidia.com/gpu": "4" },
            "limits": { "cpu": "100m", "nvidia.com/gpu": "4" } } });
    let annotations = run_for.map_or_else(|| json!({}), |span| json!({ RUN_FOR: span }));
    json!({ "name": name, "replicas": replicas, "template": {
        "metadata": { "annotations": annotations },
        "spec": { "restartPolicy": "OnFailure", "nodeSelector": { "POOL": "NAMESPACE" },
            "containers": [container] } } })
}

fn vcjob(scheduler: &str, tasks: &Value, more: &Value) -> String {
    let mut job = json!({
        "apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
        "metadata": { "name": "train", "namespace": "NAMESPACE" },
        "spec": { "minAvailable": 3, "schedulerName": scheduler, "queue": "default",
            "policies": [{ "event": "PodEvicted", "action": "RestartJob" }], "tasks": tasks },
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        job["spec"][field] = value.clone();
    }
    job.to_string()
}

/// The phases that the PodGroup of the only vcjob goes through, as they come.
fn phases(bench: &Bench) -> Arc<Mutex<Vec<String>>> {
    let kind = GroupVersionKind::gvk("scheduling.volcano.sh", "v1beta1", "PodGroup");
    let resource = ApiResource::from_gvk_with_plural(&kind, "podgroups");
    let api: Api<DynamicObject> =
        Api::namespaced_with(bench.client.clone(), &bench.name, &resource);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&seen);
    tokio::spawn(async move {
        loop {
            let groups = api.list(&ListParams::default()).await;
            for group in groups.into_iter().flatten() {
                let phase = group.data["status"]["phase"].as_str().unwrap_or_default().to_owned();
                let mut told = told.lock().expect("nobody panicked with it");
                if told.last() != Some(&phase) {
                    told.push(phase);
                }
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    });
    seen
}

/// Waits until the vcjob has ended well.
async fn completes(bench: &Bench) {
    let path = format!("/apis/batch.volcano.sh/v1alpha1/namespaces/{}/jobs/train", bench.name);
    eventually(SOON, "the vcjob to complete", async || {
        let job = bench.read(&path).await?;
        let is_over = job["status"]["state"]["phase"] == "Completed";
        if is_over { Ok(()) } else { Err(format!("{:#}", job["status"])) }
    })
    .await;
}

#[tokio::test]
async fn a_plain_vcjob_waits_whole_runs_and_completes() {
    let bench = Bench::new("vc-plain").await;
    bench.nodes(&["a"]).await;
    let seen = phases(&bench);
    bench.apply(&vcjob("muster", &json!([task("worker", 3, Some("2s"))]), &json!({})));
    // Two of three would fit.
    bench.waits(3, "Unschedulable").await;
    let path = format!("/apis/{VOLCANO}/namespaces/{}/podgroups", bench.name);
    let groups = bench.read(&path).await.expect("it can be listed");
    assert_eq!(groups["items"][0]["status"]["phase"], "Inqueue", "{groups:#}");
    bench.nodes(&["b"]).await;
    completes(&bench).await;
    let seen = seen.lock().expect("nobody panicked with it").clone();
    let at = |phase: &str| seen.iter().position(|it| it == phase);
    assert!(at("Inqueue").is_some() && at("Inqueue") < at("Running"), "{seen:?}");
    let allowed = ["", "Pending", "Inqueue", "Running", "Completed"];
    assert!(seen.iter().all(|phase| allowed.contains(&phase.as_str())), "{seen:?}");
    assert!(seen.is_sorted_by_key(|phase| allowed.iter().position(|it| it == phase)), "{seen:?}");
}

#[tokio::test]
async fn a_vcjob_for_mpi_completes_with_its_launcher() {
    let bench = Bench::new("vc-mpi").await;
    bench.nodes(&["a", "b"]).await;
    let mut launcher = task("mpimaster", 1, Some("2s"));
    launcher["policies"] = json!([{ "event": "TaskCompleted", "action": "CompleteJob" }]);
    let tasks = json!([launcher, task("mpiworker", 2, None)]);
    bench.apply(&vcjob("volcano", &tasks, &json!({ "plugins": { "ssh": [], "svc": [] } })));
    let pods = bench.bound(3).await;
    let names: Vec<&str> = pods.iter().map(|pod| pod.name.as_str()).collect();
    assert_eq!(names, ["train-mpimaster-0", "train-mpiworker-0", "train-mpiworker-1"]);
    completes(&bench).await;
}

#[tokio::test]
async fn a_vcjob_for_pytorch_completes() {
    let bench = Bench::new("vc-pytorch").await;
    bench.nodes(&["a", "b"]).await;
    let tasks = json!([task("master", 1, Some("2s")), task("worker", 2, Some("2s"))]);
    let plugin = ["--master=master", "--worker=worker", "--port=23456"];
    bench.apply(&vcjob("volcano", &tasks, &json!({ "plugins": { "pytorch": plugin } })));
    bench.bound(3).await;
    completes(&bench).await;
}

#[tokio::test]
async fn a_vcjob_above_the_limit_of_its_queue_gets_no_pods_until_it_is_raised() {
    let bench = Bench::new("vc-limit").await;
    bench.nodes(&["a", "b"]).await;
    bench.apply(
        "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: vc-small}, \
         spec: {weight: 1, capability: {nvidia.com/gpu: 8}}}",
    );
    let of_queue = json!({ "queue": "vc-small" });
    bench.apply(&vcjob("volcano", &json!([task("worker", 3, Some("1s"))]), &of_queue));
    let path = format!("/apis/{VOLCANO}/namespaces/{}/podgroups", bench.name);
    eventually(SOON, "the group to name the limit", async || {
        let groups = bench.read(&path).await?;
        let group = &groups["items"][0];
        let names_it = group["status"].to_string().contains("Limit");
        let is_pending = group["status"]["phase"] == "Pending";
        if is_pending && names_it { Ok(()) } else { Err(format!("{group:#}")) }
    })
    .await;
    assert!(bench.pods().await.is_empty());
    bench.apply(
        "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: vc-small}, \
         spec: {weight: 1, capability: {nvidia.com/gpu: 16}}}",
    );
    completes(&bench).await;
}

#[tokio::test]
async fn a_queue_counts_its_vcjob_and_keeps_the_state_that_its_controller_wrote() {
    let bench = Bench::new("vc-counts").await;
    bench.nodes(&["a", "b"]).await;
    bench.apply(&format!(
        "apiVersion: {VOLCANO}\nkind: Queue\nmetadata: {{name: vc-counts}}\n\
         spec: {{weight: 1, reclaimable: true}}\n"
    ));
    let tasks = json!([task("worker", 3, Some("20s"))]);
    bench.apply(&vcjob("muster", &tasks, &json!({ "queue": "vc-counts" })));
    bench.bound(3).await;
    let path = format!("/apis/{VOLCANO}/queues/vc-counts");
    let status = async |gpus: &str, running: i32| {
        let what = format!("{gpus} GPUs of {running} groups to be counted");
        eventually(SOON, &what, async || {
            let seen = bench.read(&path).await?["status"].clone();
            let used = seen["allocated"]["nvidia.com/gpu"].as_str().unwrap_or("0");
            let is_there = used == gpus && seen["running"].as_i64() == Some(running.into());
            if is_there { Ok(seen) } else { Err(format!("{seen:#}")) }
        })
        .await
    };
    assert_eq!(status("12", 1).await["state"], "Open");
    completes(&bench).await;
    let left = status("0", 0).await;
    assert_eq!((&left["state"], &left["allocated"]["cpu"]), (&json!("Open"), &json!("0")));
}
