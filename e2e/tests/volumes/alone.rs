//! What needs a control plane of its own: a muster that is killed, and one that may not read.

use crate::bench::{Bench, SOON, chosen, make_stage};
use e2e::{ControlPlane, Muster, eventually};
use std::collections::{BTreeMap, BTreeSet};

/// Like the stage of all other tests, for one test alone.
async fn stage(denied: &[&str]) -> (&'static ControlPlane, Muster) {
    let (plane, muster) = make_stage(denied).await;
    (Box::leak(Box::new(plane)), muster)
}

/// Waits until all claims are told nodes, and all of them among these; by claim.
async fn told(bench: &Bench, nodes: &[&str]) -> BTreeMap<String, String> {
    let nodes: BTreeSet<String> = nodes.iter().map(|suffix| bench.node(suffix)).collect();
    eventually(SOON, "the claims to be told their nodes", async || {
        let claims = bench.claims().await;
        let name = |it: &k8s_openapi::api::core::v1::PersistentVolumeClaim| {
            Some((it.metadata.name.clone()?, chosen(it)?.clone()))
        };
        let told: BTreeMap<String, String> = claims.iter().filter_map(name).collect();
        let is_whole = told.len() == claims.len() && told.values().all(|it| nodes.contains(it));
        if is_whole { Ok(told) } else { Err(format!("{told:?}")) }
    })
    .await
}

#[tokio::test]
async fn a_kill_while_claims_are_awaited_leaves_nothing_half_bound_and_no_claim_elsewhere() {
    let (plane, mut muster) = stage(&[]).await;
    let bench = Bench::on(plane, "killed", &["a", "b"]).await;
    bench.gang(2, "killed", 8).await;
    told(&bench, &["a", "b"]).await;
    muster.kill9();
    // Where the first plan put a member there is no node any more.
    plane.kubectl(&["delete", "node", &bench.node("a")]).expect("it was there");
    bench.add_nodes(&["c"]).await;
    muster.restart(plane).expect("it starts again");
    muster.ready(SOON).await.expect("muster is ready");
    let told = told(&bench, &["b", "c"]).await;
    assert!(bench.pods().await.values().all(String::is_empty), "no claim is bound yet");

    let _maker = bench.provisioner().start(bench.client.clone());
    let pods = bench.bound(2).await;
    let places: BTreeSet<(String, String)> =
        pods.into_iter().map(|(pod, node)| (pod.replace("w-", "data-"), node)).collect();
    assert_eq!(places, told.into_iter().collect(), "each claim was told the node of its pod");
    bench.assert_claims_first();
}

#[tokio::test]
async fn a_muster_that_may_not_read_claims_says_so_and_places_pods_that_have_none() {
    let (plane, muster) = stage(&["persistentvolumeclaims"]).await;
    let bench = Bench::on(plane, "denied", &["a"]).await;
    let (code, text) = muster.get("/readyz").await.expect("it answers");
    assert_eq!(code, 200, "{text}");
    let words = "not allowed to list persistentvolumeclaims: give the service account the verbs";
    assert!(text.contains(words), "{text}");
    bench.apply(&[bench.claim("data", "denied", "ReadWriteOnce"), bench.group(1)]);
    let stored = bench.pod("stored", Some("data")).label("muster.sh/pod-group", "g");
    bench.add(&[stored, bench.pod("free", None)]).await;
    bench.bound(1).await;
    bench.says("denied/data").await;
    let pods = bench.pods().await;
    assert!(pods["stored"].is_empty() && !pods["free"].is_empty(), "{pods:?}");
}
