//! Claims of other kinds: volumes that exist, claims that are bound at once, claims that are
//! made with their pods, and claims that are not there.

use crate::bench::{Bench, SOON};
use e2e::{FakePod, PROVISIONER, eventually};
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[tokio::test]
async fn volumes_that_exist_on_nodes_are_taken_for_a_whole_gang() {
    let bench = Bench::new("local", &["a", "b", "c"]).await;
    bench.other_class("local-disks", "kubernetes.io/no-provisioner", "WaitForFirstConsumer");
    let volume = |suffix: &&str| {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": { "name": format!("local-{suffix}") },
            "spec": {
                "capacity": { "storage": "2Gi" }, "accessModes": ["ReadWriteOnce"],
                "storageClassName": "local-disks", "local": { "path": "/disk" },
                "nodeAffinity": { "required": { "nodeSelectorTerms": [{ "matchExpressions": [
                    { "key": "kubernetes.io/hostname", "operator": "In",
                        "values": [bench.node(suffix)] } ] }] } },
            },
        })
    };
    bench.apply(&["b", "c"].iter().map(volume).collect::<Vec<Value>>());
    bench.gang(2, "local-disks", 1).await;
    let nodes: BTreeSet<String> = bench.bound(2).await.into_values().collect();
    assert_eq!(nodes, BTreeSet::from(["local-b".to_owned(), "local-c".to_owned()]));
}

#[tokio::test]
async fn a_claim_that_is_bound_at_once_is_awaited_and_then_followed() {
    let bench = Bench::new("immediate", &["a", "b"]).await;
    bench.other_class("at-once", PROVISIONER, "Immediate");
    bench.gang(1, "at-once", 1).await;
    bench.says("data-0").await;
    let claims = bench.claims().await;
    let uid = claims[0].metadata.uid.clone().unwrap_or_default();
    bench.apply(&[json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": { "name": "immediate-b" },
        "spec": {
            "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteOnce"],
            "storageClassName": "at-once", "csi": { "driver": PROVISIONER, "volumeHandle": "x" },
            "claimRef": { "apiVersion": "v1", "kind": "PersistentVolumeClaim", "uid": uid,
                "namespace": "immediate", "name": "data-0" },
            "nodeAffinity": { "required": { "nodeSelectorTerms": [{ "matchExpressions": [
                { "key": "kubernetes.io/hostname", "operator": "In", "values": ["immediate-b"] }
            ] }] } },
        },
    })]);
    assert_eq!(bench.bound(1).await["w-0"], "immediate-b");
}

#[tokio::test]
async fn a_claim_that_is_made_with_its_pod_is_bound_before_it() {
    let bench = Bench::new("ephemeral", &["a"]).await;
    let _maker = bench.provisioner().start(bench.client.clone());
    let template = json!({ "spec": { "accessModes": ["ReadWriteOnce"],
        "storageClassName": "ephemeral", "resources": { "requests": { "storage": "1Gi" } } } });
    let volume = json!([{ "name": "scratch", "ephemeral": { "volumeClaimTemplate": template } }]);
    bench.apply(&[bench.group(2)]);
    let pods = FakePod::many(2, "w-", |_, index| {
        let pod = bench.pod(&format!("w-{index}"), None).label("muster.sh/pod-group", "g");
        pod.spec("volumes", volume.clone())
    });
    bench.add(&pods).await;
    bench.bound(2).await;
    let phases = bench.claims().await.into_iter().filter_map(|claim| claim.status?.phase);
    assert_eq!(phases.collect::<Vec<_>>(), ["Bound", "Bound"]);
}

#[tokio::test]
async fn a_claim_that_is_not_there_keeps_its_gang_waiting_and_nobody_else() {
    let bench = Bench::new("missing", &["a"]).await;
    let _maker = bench.provisioner().start(bench.client.clone());
    bench.apply(&[bench.group(2)]);
    let member =
        |name: &str, claim: Option<&str>| bench.pod(name, claim).label("muster.sh/pod-group", "g");
    bench.add(&[member("w-0", Some("nope")), member("w-1", None), bench.pod("alone", None)]).await;
    bench.bound(1).await;
    bench.says("nope").await;
    assert_ne!(bench.pods().await["alone"], "");
    bench.apply(&[bench.claim("nope", "missing", "ReadWriteOnce")]);
    bench.bound(3).await;
}

#[tokio::test]
async fn a_claim_for_one_pod_at_a_time_serves_one_pod_at_a_time() {
    let bench = Bench::new("once", &["a"]).await;
    let _maker = bench.provisioner().start(bench.client.clone());
    bench.apply(&[bench.claim("data", "once", "ReadWriteOncePod")]);
    bench.add(&[bench.pod("first", Some("data"))]).await;
    bench.bound(1).await;
    bench.add(&[bench.pod("second", Some("data"))]).await;
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    assert_eq!(bench.pods().await["second"], "");
    bench
        .plane
        .kubectl(&["delete", "pod", "first", "-n", "once", "--force"])
        .expect("it was there");
    eventually(SOON, "the second pod to be bound", async || {
        let pods = bench.pods().await;
        if pods["second"].is_empty() { Err(format!("{pods:?}")) } else { Ok(()) }
    })
    .await;
}

#[tokio::test]
async fn a_node_takes_as_many_volumes_as_its_driver_can_attach() {
    let bench = Bench::new("attach", &["a", "b"]).await;
    let _maker = bench.provisioner().start(bench.client.clone());
    let csi = |suffix: &str, count: u32| {
        let node = bench.node(suffix);
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": { "name": node },
            "spec": { "drivers": [{ "name": PROVISIONER, "nodeID": node,
                "topologyKeys": [], "allocatable": { "count": count } }] },
        })
    };
    bench.apply(&[csi("a", 1), csi("b", 2)]);
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    bench.gang(3, "attach", 1).await;
    let nodes: Vec<String> = bench.bound(3).await.into_values().collect();
    let on = |suffix: &str| nodes.iter().filter(|node| **node == bench.node(suffix)).count();
    assert_eq!((on("a"), on("b")), (1, 2));
}

#[tokio::test]
async fn volumes_are_made_only_where_there_is_room_for_them() {
    let bench = Bench::new("capacity", &["a", "b"]).await;
    let _maker = Provisioning::counting(&bench, "roomy.e2e.muster.sh");
    let node = bench.node("b");
    bench.apply(&[json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity",
        "metadata": { "name": "here", "namespace": "capacity" }, "storageClassName": "roomy",
        "capacity": "10Gi",
        "nodeTopology": { "matchLabels": { "kubernetes.io/hostname": node } },
    })]);
    bench.gang(2, "roomy", 1).await;
    let nodes: BTreeSet<String> = bench.bound(2).await.into_values().collect();
    assert_eq!(nodes, BTreeSet::from([node]));
}

/// A driver that tells how much room there is.
struct Provisioning;

impl Provisioning {
    fn counting(bench: &Bench, driver: &str) -> e2e::RunningProvisioner {
        bench.apply(&[json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": { "name": driver },
            "spec": { "storageCapacity": true },
        })]);
        bench.other_class("roomy", driver, "WaitForFirstConsumer");
        e2e::Provisioner::new("roomy").start(bench.client.clone())
    }
}
