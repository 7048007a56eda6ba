//! Gangs that lose members while they run: repaired, released, or kept as they are.

use crate::bench::{Bench, SOON};
use crate::between::config;
use crate::dialects::{MUSTER, group, job};
use e2e::{Muster, eventually, stays};
use serde_json::{Value, json};
use std::time::Duration;

/// Longer than the grace of the hasty muster.
const PAST_THE_GRACE: Duration = Duration::from_secs(6);

#[tokio::test]
async fn a_member_of_a_job_that_is_deleted_is_replaced_and_the_others_stay() {
    let bench = Bench::new("replaced").await;
    bench.nodes(&["a", "b", "c"]).await;
    bench.apply(&job("muster", 3, 8, &json!({})));
    let before = bench.bound(3).await;
    let lost = &before[1];
    bench.delete(&lost.name).await;
    let is_repaired = |pods: &[crate::bench::Seen]| {
        pods.len() == 3 && pods.iter().all(|pod| !pod.node.is_empty() && pod.uid != lost.uid)
    };
    let after = bench.until("the member to be replaced", is_repaired).await;
    for pod in [&before[0], &before[2]] {
        assert!(after.iter().any(|it| it.uid == pod.uid && it.node == pod.node), "{after:#?}");
    }
    bench.event("Repaired").await;
}

/// A muster that waits three seconds for replacements.
async fn hasty(bench: &Bench) -> Muster {
    let config = config(&bench.name, "timings: { repairGrace: 3s }");
    let muster = bench.plane.muster().name(&bench.name).kubeconfig(bench.account).config(&config);
    let mut muster = muster.start().expect("muster starts");
    muster.ready(SOON).await.expect("muster is ready");
    muster
}

#[tokio::test]
async fn a_job_with_the_rule_of_the_docs_survives_that_its_gang_is_released() {
    let rule = json!({ "podFailurePolicy": { "rules": [
        { "action": "Ignore", "onPodConditions": [{ "type": "DisruptionTarget" }] }] } });
    survives_a_release("released", &rule).await;
}

#[tokio::test]
async fn a_job_as_kubernetes_makes_it_survives_one_release() {
    survives_a_release("defaults", &json!({})).await;
}

async fn survives_a_release(name: &str, rule: &Value) {
    let bench = Bench::new(name).await.scheduler(name);
    let muster = hasty(&bench).await;
    bench.nodes(&["a", "b"]).await;
    bench.apply(&job(name, 2, 8, rule));
    let before = bench.bound(2).await;
    // Its replacement finds no room.
    bench.plane.kubectl(&["cordon", &before[0].node]).expect("the node was there");
    bench.delete(&before[0].name).await;
    end_containers(&bench, &before[0].name).await;
    let note = bench.event("Released").await;
    assert!(!note.is_empty());
    end_containers(&bench, &before[1].name).await;
    bench.plane.kubectl(&["uncordon", &before[0].node]).expect("the node was there");
    let are_new = |pods: &[crate::bench::Seen]| {
        let is_new = |pod: &crate::bench::Seen| before.iter().all(|it| it.uid != pod.uid);
        pods.len() == 2 && pods.iter().all(|pod| !pod.node.is_empty() && is_new(pod))
    };
    // After each failure its controller waits longer before it makes the next pod.
    bench.until_within(SOON * 2, "all members to start anew", are_new).await;
    let path = format!("/apis/batch/v1/namespaces/{}/jobs/train", bench.name);
    let job = bench.read(&path).await.expect("the Job is there");
    let conditions = job["status"]["conditions"].as_array();
    let has_failed = conditions.into_iter().flatten().any(|it| it["type"] == "Failed");
    assert!(!has_failed, "{:#}", job["status"]);
    let evicted = "muster_evictions_total{reason=\"release\"}";
    assert!((crate::bench::metric(&muster, evicted).await - 1.0).abs() < 0.1);
}

/// What a kubelet does with a pod that is being deleted: its containers end. (kwok deletes the
/// pod without it, and its Job would wait for ever.)
async fn end_containers(bench: &Bench, pod: &str) {
    let path = format!("/api/v1/namespaces/{}/pods/{pod}", bench.name);
    eventually(SOON, "the pod to be deleted", async || {
        let Ok(object) = bench.read(&path).await else { return Ok(()) };
        if object["metadata"]["deletionTimestamp"].is_null() {
            return Err(format!("{:#}", object["status"]));
        }
        let _ = bench.kubelet.report(pod, json!({ "phase": "Failed" })).await;
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_broken_gang_of_bare_pods_loses_no_pod_and_says_so() {
    let bench = Bench::new("kept").await.scheduler("kept");
    let _muster = hasty(&bench).await;
    bench.nodes(&["a", "b", "c"]).await;
    bench.apply(&group(MUSTER, "{minAvailable: 3}"));
    let pod = |name| bench.pod(name).label("muster.sh/pod-group", "train");
    bench.add(&[pod("t-0"), pod("t-1"), pod("t-2")]).await;
    let before = bench.bound(3).await;
    bench.delete("t-1").await;
    let broken = |it: &Value| it["status"]["phase"] == "Broken";
    bench.object(MUSTER, "podgroups/train", "the group to be broken", broken).await;
    let note = bench.event("Broken").await;
    assert!(!note.is_empty());
    stays(PAST_THE_GRACE, "the other two", async || {
        let pods = bench.pods().await;
        let stays = [&before[0], &before[2]]
            .iter()
            .all(|pod| pods.iter().any(|it| it.uid == pod.uid && it.node == pod.node));
        if stays { Ok(()) } else { Err(format!("{pods:#?}")) }
    })
    .await;
    bench.add(&[pod("t-3")]).await;
    bench.bound(3).await;
    bench.event("Repaired").await;
}
