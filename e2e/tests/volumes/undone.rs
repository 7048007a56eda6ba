//! Plans that end before their claims are bound.

use crate::bench::{Bench, SOON, TIMEOUT, chosen};
use e2e::eventually;
use std::time::Duration;

#[tokio::test]
async fn claims_that_are_not_bound_in_time_lose_their_node_and_the_gang_is_told() {
    let bench = Bench::new("slow", &["a"]).await;
    bench.gang(2, "slow", 4).await;
    bench.says("not bound within 8s (volumeBindTimeout)").await;
    let patience = TIMEOUT + Duration::from_secs(20);
    eventually(patience, "the claims to lose their node", async || {
        let claims = bench.claims().await;
        let is_free = claims.iter().all(|claim| chosen(claim).is_none());
        if is_free { Ok(()) } else { Err(format!("{claims:?}")) }
    })
    .await;
    assert!(bench.pods().await.values().all(String::is_empty));
    let _maker = bench.provisioner().start(bench.client.clone());
    bench.bound(2).await;
}

#[tokio::test]
async fn a_member_that_goes_takes_the_node_of_all_claims_back() {
    let bench = Bench::new("gone", &["a"]).await;
    bench.gang(2, "gone", 4).await;
    let told = async |count: usize| {
        eventually(SOON, &format!("{count} claims to have a node"), async || {
            let claims = bench.claims().await;
            let has = claims.iter().filter(|claim| chosen(claim).is_some()).count();
            if has == count { Ok(()) } else { Err(format!("{claims:?}")) }
        })
        .await;
    };
    told(2).await;
    bench.plane.kubectl(&["delete", "pod", "w-1", "-n", "gone", "--force"]).expect("it was there");
    told(0).await;
}
