//! Who does not have to go.

use crate::stage::{A_WHILE, LONG, Stage};
use e2e::{FakePod, eventually, stays};
use serde_json::json;

/// Nobody goes for the gang that arrives, and it says that it waits.
async fn nobody_goes(stage: &Stage) {
    stage.gang("gainer", "owner", |pod| pod).await;
    stage.waits("gainer").await;
    stage.nobody_else_goes(0).await;
}

#[tokio::test]
async fn a_queue_whose_gangs_are_safe_for_a_time_loses_none_within_it() {
    let stage = Stage::lent(2).await;
    stage.queue("lender", "{minRuntime: 1h}");
    nobody_goes(&stage).await;
    stage.queue("lender", "{minRuntime: 1s}");
    stage.until_going(2).await;
}

#[tokio::test]
async fn a_queue_that_is_not_reclaimable_keeps_what_it_has() {
    let stage = Stage::lent(2).await;
    stage.queue("lender", "{reclaimable: false}");
    nobody_goes(&stage).await;
}

#[tokio::test]
async fn a_gang_of_eight_under_a_budget_of_one_stays_and_a_dearer_one_goes() {
    let stage = Stage::new(10, &["disruption"]).await;
    // The oldest gang loses most work, and is alone without a budget.
    stage.gang("old", "lender", |pod| pod).await;
    stage.bound("old").await;
    stage.apply(
        "apiVersion: muster.sh/v1alpha1\nkind: PodGroup\n\
         metadata: {name: eight, namespace: lent}\nspec: {minAvailable: 8, queue: lender}\n",
    );
    let eight = FakePod::many(8, "eight-", |pod, _| {
        pod.gpus(8).label("muster.sh/pod-group", "eight").label("app", "eight")
    });
    stage.add(&eight).await;
    stage.apply(
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\n\
         metadata: {name: eight, namespace: lent}\n\
         spec: {minAvailable: 7, selector: {matchLabels: {app: eight}}}\n",
    );
    eventually(LONG, "eight pods to be bound", async || {
        let pods = stage.pods("eight").await;
        let bound = pods
            .iter()
            .filter(|pod| pod.spec.as_ref().is_some_and(|spec| spec.node_name.is_some()));
        let count = bound.count();
        if count == 8 { Ok(()) } else { Err(format!("{count}")) }
    })
    .await;
    for index in 0..8 {
        stage.kubelet.runs(&format!("eight-{index}")).await.expect("the pod is there");
    }
    let path = "/apis/policy/v1/namespaces/lent/poddisruptionbudgets/eight";
    eventually(LONG, "the budget to allow one", async || {
        let budget = stage.read(path).await?;
        if budget["status"]["disruptionsAllowed"] == 1 {
            Ok(())
        } else {
            Err(format!("{budget:#}"))
        }
    })
    .await;
    stage.gang("gainer", "owner", |pod| pod).await;
    assert_eq!(stage.until_going(2).await, "old");
    stage.end().await;
    stage.bound("gainer").await;
    stage.gang("more", "owner", |pod| pod).await;
    stage.waits("more").await;
    stays(A_WHILE, "the gang of eight", async || {
        let going = stage.going().await;
        if going.is_empty() { Ok(()) } else { Err(format!("{going:?}")) }
    })
    .await;
}

#[tokio::test]
async fn a_muster_that_is_told_to_evict_nobody_evicts_nobody() {
    let mut stage = Stage::lent(2).await;
    stage.muster.kill9();
    let config = "eviction: {enabled: false}\n";
    let muster = stage.plane.muster().name("tame").config(config).arg("--no-leader-election");
    let mut muster = muster.start().expect("it starts");
    muster.ready(LONG).await.expect("it gets ready");
    stage.muster = muster;
    nobody_goes(&stage).await;
    let pods = stage.pods("gainer").await;
    let is_nominated = |pod: &k8s_openapi::api::core::v1::Pod| {
        pod.status.as_ref().is_some_and(|it| it.nominated_node_name.is_some())
    };
    assert!(!pods.iter().any(is_nominated), "{:#}", json!(pods));
}
