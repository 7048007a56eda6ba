//! How room is made: reclaim, preemption, victims that take their time, strangers.

use crate::stage::{Stage, mark};
use e2e::FakePod;
use kube::ResourceExt;
use serde_json::{Value, json};

#[tokio::test]
async fn a_queue_takes_back_what_it_lent_and_all_stands_in_the_api_before_anybody_goes() {
    let stage = Stage::lent(2).await;
    for gang in ["v0", "v1"] {
        for pod in stage.pods(gang).await {
            let held = json!({ "metadata": { "finalizers": ["e2e.muster.sh/held"] } });
            stage.patch(&pod.name_any(), held).await;
        }
    }
    stage.gang("gainer", "owner", |pod| pod).await;
    let victim = stage.until_going(2).await;
    // Finalizers keep them although their kubelets are done with them.
    stage.end().await;
    stage.nobody_else_goes(2).await;
    let group = stage.group("gainer").await;
    let reservation = &group["status"]["ledger"]["reservation"];
    assert_eq!(reservation["victims"], 2, "{group:#}");
    let nodes = reservation["nodes"].as_array().map_or(0, Vec::len);
    assert_eq!(nodes, 2, "{group:#}");
    for pod in stage.pods(&victim).await {
        let (reason, message) = mark(&pod).expect("it is marked");
        assert_eq!(reason, "PreemptionByScheduler");
        assert!(message.contains("lent/gainer"), "{message}");
        assert!(message.contains(&reservation["plan"].to_string()), "{message}");
    }
    for pod in stage.pods("gainer").await {
        let status = pod.status.clone().unwrap_or_default();
        assert!(status.nominated_node_name.is_some(), "{}", pod.name_any());
        assert!(pod.spec.is_some_and(|spec| spec.node_name.is_none()), "its room is not free");
    }
    let why = stage.waits("gainer").await;
    assert_eq!(why["reason"], "evicting", "{why:#}");
    assert!(stage.event("gainer", "Evicting").await.contains(&victim));
    assert!(stage.event(&victim, "Preempted").await.contains("lent/gainer"));
    for pod in stage.pods(&victim).await {
        let name = pod.name_any();
        stage.patch(&name, json!({ "metadata": { "finalizers": Value::Null } })).await;
    }
    stage.bound("gainer").await;
    assert_eq!(stage.pods(&victim).await.len(), 0);
    let evicted = "muster_evictions_total{reason=\"reclaim\"}";
    let (_, metrics) = stage.muster.get("/metrics").await.expect("it answers");
    assert!(metrics.contains(&format!("{evicted} 2")), "{metrics}");
}

#[tokio::test]
async fn a_gang_of_higher_priority_takes_room_within_its_queue() {
    let stage = Stage::new(4, &[]).await;
    for (name, value) in [("low", 10), ("high", 1000)] {
        stage.apply(&format!(
            "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {{name: {name}}}\n\
             value: {value}\n"
        ));
    }
    let of = |class: &'static str| move |pod: FakePod| pod.spec("priorityClassName", json!(class));
    stage.gang("usual", "owner", of("high")).await;
    stage.bound("usual").await;
    stage.gang("cheap", "owner", of("low")).await;
    stage.bound("cheap").await;
    stage.gang("gainer", "owner", of("high")).await;
    assert_eq!(stage.until_going(2).await, "cheap");
    stage.end().await;
    stage.bound("gainer").await;
    stage.nobody_else_goes(0).await;
    let (_, metrics) = stage.muster.get("/metrics").await.expect("it answers");
    assert!(metrics.contains("muster_evictions_total{reason=\"preemption\"} 2"), "{metrics}");
}

#[tokio::test]
async fn victims_with_a_long_grace_are_waited_for() {
    let stage = Stage::new(4, &[]).await;
    let slow = |pod: FakePod| pod.spec("terminationGracePeriodSeconds", json!(3600));
    for gang in ["v0", "v1"] {
        stage.gang(gang, "lender", slow).await;
        stage.bound(gang).await;
    }
    stage.gang("gainer", "owner", |pod| pod).await;
    stage.until_going(2).await;
    let group = stage.group("gainer").await;
    assert_eq!(group["status"]["ledger"]["reservation"]["victims"], 2, "{group:#}");
    stage.nobody_else_goes(2).await;
    stage.end().await;
    stage.bound("gainer").await;
}

#[tokio::test]
async fn a_gainer_that_is_deleted_lets_what_went_start_again_and_nobody_else_goes() {
    let stage = Stage::lent(2).await;
    stage.gang("gainer", "owner", |pod| pod).await;
    let victim = stage.until_going(2).await;
    stage.remove("gainer").await;
    stage.end().await;
    stage.nobody_else_goes(0).await;
    let pods = FakePod::many(2, &format!("{victim}-again"), |pod, _| {
        pod.gpus(8).label("muster.sh/pod-group", &victim)
    });
    stage.add(&pods).await;
    stage.bound(&victim).await;
}

#[tokio::test]
async fn room_that_a_stranger_takes_twice_costs_one_further_gang() {
    let stage = Stage::lent(4).await;
    stage.gang("gainer", "owner", |pod| pod).await;
    for times in 1..=2 {
        let victim = stage.until_going(2).await;
        for (index, pod) in stage.pods(&victim).await.iter().enumerate() {
            let node = pod.spec.as_ref().and_then(|spec| spec.node_name.clone());
            // The API server binds to a full node; who goes leaves it full.
            let stranger = FakePod::new(format!("stranger-{times}{index}"))
                .scheduler("another")
                .gpus(8)
                .spec("nodeName", json!(node));
            stage.add(&[stranger]).await;
        }
        stage.end().await;
    }
    stage.nobody_else_goes(0).await;
    stage.waits("gainer").await;
}
