//! Nodes that turn bound pods away: filled by somebody else, or without their devices. And which
//! nodes the pods of several scheduler names get.

use crate::bench::{Bench, POOL, SOON, Seen};
use crate::between::config;
use crate::dialects::{MUSTER, group};
use e2e::FakeNode;
use serde_json::{Value, json};

/// A gang of two, running; the node of its first member.
async fn running(name: &str) -> (Bench, String) {
    let bench = Bench::new(name).await;
    bench.apply(&group(MUSTER, "{minAvailable: 2}"));
    bench.nodes(&["a", "b"]).await;
    let pod = |name| bench.pod(name).label("muster.sh/pod-group", "train");
    bench.add(&[pod("t-0"), pod("t-1")]).await;
    let pods = bench.bound(2).await;
    let runs = |it: &Value| it["status"]["phase"] == "Running";
    bench.object(MUSTER, "podgroups/train", "the group to run", runs).await;
    (bench, pods[0].node.clone())
}

/// The kubelet turned `t-0` away; what replaces it must not go to the same node.
async fn is_repaired_elsewhere(bench: &Bench, node: &str, reason: &str) {
    let metric = format!("muster_admission_failures_total{{reason=\"{reason}\"}}");
    let before = bench.metric(&metric).await;
    bench.kubelet.failed("t-0", reason).await.expect("it is told");
    let broken = |it: &Value| it["status"]["phase"] == "Broken";
    bench.object(MUSTER, "podgroups/train", "the group to be broken", broken).await;
    bench.event("Broken").await;
    assert!(bench.metric(&metric).await > before, "{metric} has not grown");
    bench.nodes(&["c"]).await;
    bench.add(&[bench.pod("t-2").label("muster.sh/pod-group", "train")]).await;
    let is_placed = |pod: &Seen| pod.name == "t-2" && !pod.node.is_empty();
    let pods = bench.until("the replacement to be bound", |pods| pods.iter().any(is_placed)).await;
    let placed = pods.iter().find(|pod| is_placed(pod)).expect("it was there");
    assert_ne!(placed.node, node);
    let runs = |it: &Value| it["status"]["phase"] == "Running";
    bench.object(MUSTER, "podgroups/train", "the group to run again", runs).await;
    bench.event("Repaired").await;
    assert!(bench.metric("muster_repairs_total").await >= 1.0);
}

#[tokio::test]
async fn a_member_on_a_node_that_another_scheduler_filled_is_replaced_elsewhere() {
    let (bench, node) = running("filled").await;
    let foreign = bench.pod("foreign").scheduler("somebody-else").spec("nodeName", json!(node));
    bench.add(&[foreign]).await;
    is_repaired_elsewhere(&bench, &node, "OutOfcpu").await;
}

#[tokio::test]
async fn a_member_on_a_node_whose_device_plugin_is_gone_is_replaced_elsewhere() {
    let (bench, node) = running("deviceless").await;
    is_repaired_elsewhere(&bench, &node, "UnexpectedAdmissionError").await;
}

#[tokio::test]
async fn pods_of_two_names_are_judged_by_the_plugins_of_their_own_name() {
    let bench = Bench::new("names").await;
    let more = "profiles:\n- { schedulerName: lenient, plugins: { disabled: [taints] } }";
    let config = config("strict, lenient", more);
    let muster = bench.plane.muster().name("names").kubeconfig(bench.account).config(&config);
    let mut muster = muster.start().expect("muster starts");
    muster.ready(SOON).await.expect("muster is ready");
    let node = FakeNode::new("names-a").gpus(8).label(POOL, "names");
    let node = node.taint("e2e.muster.sh/closed", "", "NoSchedule");
    bench.plane.add_nodes(&[node]).await.expect("a node can be made");
    bench.add(&[bench.small("s").scheduler("strict"), bench.small("l").scheduler("lenient")]).await;
    let is_right = |pods: &[Seen]| {
        let of = |name| pods.iter().find(|pod| pod.name == name);
        of("l").is_some_and(|pod| !pod.node.is_empty())
            && of("s").is_some_and(|pod| pod.node.is_empty() && pod.reason == "Unschedulable")
    };
    bench.until("only the pod of the lenient name to be bound", is_right).await;
}
