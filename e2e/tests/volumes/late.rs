//! Claims that are bound once their pods have nodes.

use crate::bench::{Bench, SOON, chosen};
use e2e::{FakePod, eventually};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_gang_is_bound_whole_and_only_after_all_of_its_claims() {
    let bench = Bench::new("whole", &["a", "b", "c", "d"]).await;
    let _maker = bench.provisioner().delay(Duration::from_millis(700)).start(bench.client.clone());
    bench.gang(4, "whole", 8).await;
    let nodes: BTreeSet<String> = bench.bound(4).await.into_values().collect();
    assert_eq!(nodes.len(), 4, "each fills a node");
    bench.assert_claims_first();
}

#[tokio::test]
async fn no_node_is_set_on_a_claim_before_its_gang_can_be_placed_whole() {
    let bench = Bench::new("early", &["a"]).await;
    let _maker = bench.provisioner().start(bench.client.clone());
    bench.gang(2, "early", 8).await;
    bench.says("nvidia.com/gpu").await;
    assert!(bench.claims().await.iter().all(|claim| chosen(claim).is_none()));
    assert!(bench.pods().await.values().all(String::is_empty));
}

#[tokio::test]
async fn a_node_on_which_no_volume_can_be_made_is_given_up_and_another_one_taken() {
    let bench = Bench::new("refused", &["a", "b"]).await;
    let _maker = bench.provisioner().refuse("refused-a").start(bench.client.clone());
    bench.gang(2, "refused", 4).await;
    let nodes: BTreeSet<String> = bench.bound(2).await.into_values().collect();
    assert_eq!(nodes, BTreeSet::from(["refused-b".to_owned()]));
}

#[tokio::test]
async fn a_volume_that_was_made_elsewhere_draws_its_pod_there() {
    let bench = Bench::new("elsewhere", &["a", "b"]).await;
    let maker = bench.provisioner().elsewhere("elsewhere-b");
    let _maker = maker.start(bench.client.clone());
    bench.gang(1, "elsewhere", 8).await;
    assert_eq!(bench.bound(1).await["w-0"], "elsewhere-b");
}

#[tokio::test]
async fn a_claim_that_hangs_holds_up_its_own_gang_alone() {
    let bench = Bench::new("hanging", &["a", "b"]).await;
    bench.gang(1, "hanging", 8).await;
    eventually(SOON, "the claim to be told its node", async || {
        let claims = bench.claims().await;
        let is_told = claims.iter().any(|claim| chosen(claim).is_some());
        if is_told { Ok(()) } else { Err(format!("{claims:?}")) }
    })
    .await;
    let begun = Instant::now();
    let pods = FakePod::many(100, "free-", |_, index| bench.pod(&format!("free-{index}"), None));
    bench.add(&pods).await;
    bench.bound(100).await;
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}
