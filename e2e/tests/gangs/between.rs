//! What changes between a decision and its binds, and while binds are under way.
//!
//! Each test has a muster of its own behind a line that holds its requests back, while it goes
//! on hearing what happens. Two binds may be under way at once; those of the gang `first` are,
//! so that the plan of the gang `train` waits.

use crate::bench::{A_WHILE, Bench, SOON, Seen};
use crate::dialects::{MUSTER, group};
use e2e::{FakePod, Line, Muster, Relay, eventually, stays};
use serde_json::json;

/// Settings of a muster that binds the pods of a name of its own.
pub(crate) fn config(scheduler: &str, more: &str) -> String {
    format!(
        "schedulerNames: [{scheduler}]\nleaderElection: {{ enabled: false }}\n\
         log: {{ format: text }}\n{more}\n"
    )
}

struct Between {
    bench: Bench,
    relay: Relay,
    muster: Muster,
}

impl Between {
    async fn new(name: &str) -> Self {
        let bench = Bench::new(name).await.scheduler(name);
        let relay = Relay::new(bench.plane).await.expect("a port is free");
        let kubeconfig = relay.kubeconfig(bench.plane, bench.account).expect("it is a file");
        let config = config(name, "limits: { bindsInFlight: 2 }");
        let muster = bench.plane.muster().name(name).kubeconfig(&kubeconfig).config(&config);
        let mut muster = muster.start().expect("muster starts");
        muster.ready(SOON).await.expect("muster is ready");
        Self { bench, relay, muster }
    }

    fn pod(&self, group: &str, name: &str) -> FakePod {
        self.bench.pod(name).label("muster.sh/pod-group", group)
    }

    /// Until the engine has given every member of a gang a node.
    async fn decided(&self, gang: &str, members: usize) {
        let path = format!("/explain/{}/{gang}", self.bench.name);
        eventually(SOON, &format!("a plan for {gang}"), async || {
            let (_, text) = self.muster.get(&path).await.map_err(|fault| fault.to_string())?;
            let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
            if value["placed"] == members { Ok(()) } else { Err(text) }
        })
        .await;
    }

    /// `first` is under way on nodes of its own, and `train` has a plan for nodes `a` and `b`.
    async fn with_a_plan_that_waits(name: &str) -> Self {
        let it = Self::new(name).await;
        let bench = &it.bench;
        bench.apply(&group(MUSTER, "{minAvailable: 2}").replace("train", "first"));
        bench.apply(&group(MUSTER, "{minAvailable: 2}"));
        bench.nodes(&["x", "y"]).await;
        it.relay.set(Line::Mute);
        bench.add(&[it.pod("first", "f-0"), it.pod("first", "f-1")]).await;
        it.decided("first", 2).await;
        bench.add(&[it.pod("train", "t-0"), it.pod("train", "t-1")]).await;
        bench.nodes(&["a", "b"]).await;
        it.decided("train", 2).await;
        it
    }
}

fn train(pods: &[Seen]) -> Vec<&Seen> {
    pods.iter().filter(|pod| pod.name.starts_with("t-")).collect()
}

fn are_bound(pods: &[Seen], members: usize) -> bool {
    let train = train(pods);
    train.len() == members && train.iter().all(|pod| !pod.node.is_empty())
}

#[tokio::test]
async fn a_plan_whose_member_is_deleted_is_withdrawn_whole() {
    let it = Between::with_a_plan_that_waits("gone-member").await;
    it.bench.delete("t-1").await;
    it.relay.set(Line::Open);
    it.bench
        .until("first to be bound", |pods| {
            pods.iter().filter(|pod| pod.name.starts_with("f-") && !pod.node.is_empty()).count()
                == 2
        })
        .await;
    stays(A_WHILE, "the other member without a node", async || {
        let pods = it.bench.pods().await;
        if train(&pods).iter().all(|pod| pod.node.is_empty()) {
            Ok(())
        } else {
            Err(format!("{pods:#?}"))
        }
    })
    .await;
    it.bench.add(&[it.pod("train", "t-2")]).await;
    it.bench.until("both members to be bound", |pods| are_bound(pods, 2)).await;
}

#[tokio::test]
async fn a_plan_whose_node_is_deleted_is_made_anew() {
    let it = Between::with_a_plan_that_waits("gone-node").await;
    it.bench.plane.kubectl(&["delete", "node", "gone-node-b"]).expect("the node was there");
    it.relay.set(Line::Open);
    stays(A_WHILE, "no member of train with a node", async || {
        let pods = it.bench.pods().await;
        if train(&pods).iter().all(|pod| pod.node.is_empty()) {
            Ok(())
        } else {
            Err(format!("{pods:#?}"))
        }
    })
    .await;
    it.bench.nodes(&["c"]).await;
    let pods = it.bench.until("both members to be bound", |pods| are_bound(pods, 2)).await;
    let mut nodes: Vec<&str> = train(&pods).iter().map(|pod| pod.node.as_str()).collect();
    nodes.sort_unstable();
    assert_eq!(nodes, ["gone-node-a", "gone-node-c"]);
}

#[tokio::test]
async fn a_plan_whose_node_is_cordoned_is_made_anew() {
    let it = Between::with_a_plan_that_waits("cordoned").await;
    it.bench.plane.kubectl(&["cordon", "cordoned-b"]).expect("the node was there");
    it.bench.nodes(&["c"]).await;
    it.relay.set(Line::Open);
    let pods = it.bench.until("both members to be bound", |pods| are_bound(pods, 2)).await;
    let mut nodes: Vec<&str> = train(&pods).iter().map(|pod| pod.node.as_str()).collect();
    nodes.sort_unstable();
    assert_eq!(nodes, ["cordoned-a", "cordoned-c"]);
}

#[tokio::test]
async fn a_gang_that_loses_a_member_while_binds_are_under_way_is_completed() {
    let it = Between::new("under-way").await;
    it.bench.apply(&group(MUSTER, "{minAvailable: 2}"));
    it.bench.nodes(&["a", "b"]).await;
    it.relay.set(Line::Mute);
    it.bench.add(&[it.pod("train", "t-0"), it.pod("train", "t-1")]).await;
    it.decided("train", 2).await;
    it.bench.delete("t-1").await;
    it.relay.set(Line::Open);
    let broken = |it: &serde_json::Value| it["status"]["phase"] == "Broken";
    it.bench.object(MUSTER, "podgroups/train", "the gang to be broken", broken).await;
    it.bench.add(&[it.pod("train", "t-2")]).await;
    it.bench.until("both members to be bound", |pods| are_bound(pods, 2)).await;
    it.bench.event("Scheduled").await;
    let waits = crate::bench::metric(&it.muster, "muster_gang_wait_seconds_count").await;
    assert!((waits - 1.0).abs() < 0.1, "its wait is counted {waits} times");
}

#[tokio::test]
async fn a_gang_whose_muster_is_killed_while_it_binds_is_completed_by_the_next() {
    let mut it = Between::new("killed").await;
    it.bench.apply(&group(MUSTER, "{minAvailable: 4}"));
    it.bench.nodes(&["a", "b", "c", "d"]).await;
    it.relay.set(Line::Mute);
    let pods = ["t-0", "t-1", "t-2", "t-3"].map(|name| it.pod("train", name));
    it.bench.add(&pods).await;
    it.decided("train", 4).await;
    it.muster.kill9();
    it.relay.set(Line::Open);
    // Two binds at most had left; nobody sends the others.
    tokio::time::sleep(A_WHILE).await;
    let seen = it.bench.pods().await;
    assert!(seen.iter().any(|pod| pod.node.is_empty()), "{seen:#?}");
    it.muster.restart(it.bench.plane).expect("it starts again");
    it.bench.until("all members to be bound", |pods| are_bound(pods, 4)).await;
}

#[tokio::test]
async fn a_gang_that_is_found_half_bound_is_completed() {
    let bench = Bench::new("half").await.scheduler("half");
    bench.apply(&group(MUSTER, "{minAvailable: 3}"));
    bench.nodes(&["a", "b", "c"]).await;
    let pod = |name| bench.pod(name).label("muster.sh/pod-group", "train");
    bench.add(&[pod("t-0"), pod("t-1"), pod("t-2")]).await;
    bind(&bench, "t-1", "half-b").await;
    let muster = bench.plane.muster().name("half").kubeconfig(bench.account);
    let mut muster = muster.config(&config("half", "")).start().expect("muster starts");
    muster.ready(SOON).await.expect("muster is ready");
    let pods = bench.bound(3).await;
    assert_eq!(pods[1].node, "half-b");
}

/// Binds a pod as any scheduler might.
pub(crate) async fn bind(bench: &Bench, pod: &str, node: &str) {
    let path = format!("/api/v1/namespaces/{}/pods/{pod}/binding", bench.name);
    let binding = json!({ "apiVersion": "v1", "kind": "Binding", "metadata": { "name": pod },
        "target": { "kind": "Node", "name": node } });
    let body = binding.to_string().into_bytes();
    let request = http::Request::post(path).header("content-type", "application/json");
    let request = request.body(body).expect("it is a path");
    let bound: Result<serde_json::Value, _> = bench.client.request(request).await;
    bound.expect("the pod can be bound");
}
