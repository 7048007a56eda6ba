//! What people read: why a gang waits, on pods, groups, events and metrics.

use crate::bench::{A_WHILE, Bench, SOON};
use crate::dialects::{MUSTER, condition, group};
use e2e::eventually;
use serde_json::Value;

#[tokio::test]
async fn each_reason_that_is_not_about_nodes_has_its_own_word() {
    let bench = Bench::new("reasons").await;
    bench.nodes(&["a"]).await;
    bench.apply(
        "apiVersion: muster.sh/v1alpha1\nkind: Queue\nmetadata: {name: tiny}\n\
         spec: {limit: {nvidia.com/gpu: 4}}\n",
    );
    let cases = [
        ("limit", "muster.sh/queue", "tiny", "QueueLimit"),
        ("nowhere", "muster.sh/queue", "no-such-queue", "QueueMissing"),
        ("groupless", "muster.sh/pod-group", "no-such-group", "GroupMissing"),
    ];
    for (name, label, value, _) in cases {
        bench.add(&[bench.pod(name).label(label, value)]).await;
    }
    for (name, _, _, reason) in cases {
        let what = format!("{name} to wait for {reason}");
        bench
            .until(&what, |pods| pods.iter().any(|pod| pod.name == name && pod.reason == reason))
            .await;
    }
}

#[tokio::test]
async fn the_explanation_stands_on_the_group_and_an_event_tells_it() {
    let bench = Bench::new("explained").await;
    bench.nodes(&["a"]).await;
    bench.apply(&group(MUSTER, "{minAvailable: 2}"));
    let pod = |name| bench.pod(name).label("muster.sh/pod-group", "train");
    bench.add(&[pod("t-0"), pod("t-1")]).await;
    let is_told = |it: &Value| condition(it, "Scheduled") == "False/Room";
    let seen = bench.object(MUSTER, "podgroups/train", "the group to wait", is_told).await;
    assert_eq!(seen["status"]["explanation"]["reason"], "room", "{seen:#}");
    assert_eq!(seen["status"]["observedGeneration"], seen["metadata"]["generation"], "{seen:#}");
    let note = bench.event("Waiting").await;
    assert!(note.contains("1 of 2 members could be placed"), "{note}");
    eventually(SOON, "the gang to be counted as waiting", async || {
        let pending = bench.metric("muster_pending_gangs{queue=\"default\",reason=\"room\"}").await;
        if pending >= 1.0 { Ok(()) } else { Err(pending) }
    })
    .await;
    bench.nodes(&["b"]).await;
    bench.bound(2).await;
    bench.event("Scheduled").await;
}

#[tokio::test]
async fn a_gang_that_starts_at_once_is_told_nothing_on_its_pods() {
    let bench = Bench::new("at-once").await;
    bench.nodes(&["a", "b"]).await;
    bench.apply(&group(MUSTER, "{minAvailable: 2}"));
    let pod = |name| bench.pod(name).label("muster.sh/pod-group", "train");
    bench.add(&[pod("t-0"), pod("t-1")]).await;
    bench.bound(2).await;
    let runs = |it: &Value| it["status"]["phase"] == "Running";
    bench.object(MUSTER, "podgroups/train", "the group to run", runs).await;
    tokio::time::sleep(A_WHILE).await;
    let entries = bench.plane.audit();
    let told = entries.iter().filter(|entry| {
        entry.namespace == bench.name
            && entry.asked() == "patch pods/status"
            && entry.user == crate::bench::ACCOUNT
    });
    assert_eq!(told.count(), 0);
}
