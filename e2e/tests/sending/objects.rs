//! Calls about leases, events and claims.

use crate::bench::{Bench, NOW};
use scheduler_model::spec::{Dialect, GangKey};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::Body;
use scheduler_protocol::call::{Call, ClaimRef, LeaseRecord, LeaseRef};
use scheduler_protocol::status::{About, EventNote, EventReason};

#[tokio::test]
async fn a_lease_is_made_read_and_replaced_in_its_version_only() {
    let bench = Bench::new("lease").await;
    let lease = LeaseRef { namespace: "lease".to_owned(), name: "muster".to_owned() };
    assert_eq!(bench.code(Call::ReadLease(lease.clone())).await, 404);
    let mine = LeaseRecord {
        holder: "me".to_owned(),
        duration: Span::from_secs(15),
        acquired_at: NOW,
        renewed_at: NOW.after(Span::from_ms(250)),
        transitions: 1,
        version: String::new(),
    };
    assert_eq!(bench.code(Call::CreateLease(lease.clone(), mine.clone())).await, 201);
    let read = bench.send(Call::ReadLease(lease.clone())).await;
    let Body::Lease(read) = read.body else { panic!("a lease was there: {read:?}") };
    assert_eq!(LeaseRecord { version: String::new(), ..read.clone() }, mine);

    let renewed = LeaseRecord { renewed_at: NOW.after(Span::from_secs(5)), ..read };
    let replaced = bench.send(Call::ReplaceLease(lease.clone(), renewed.clone())).await;
    let Body::Lease(replaced) = replaced.body else { panic!("it was replaced: {replaced:?}") };
    assert_ne!(replaced.version, renewed.version);
    assert_eq!(bench.code(Call::ReplaceLease(lease.clone(), renewed)).await, 409);

    let nobody = LeaseRecord { holder: String::new(), ..replaced };
    assert_eq!(bench.code(Call::ReplaceLease(lease.clone(), nobody)).await, 200);
    let read = bench.send(Call::ReadLease(lease)).await;
    let Body::Lease(read) = read.body else { panic!("a lease was there: {read:?}") };
    assert_eq!(read.holder, "");
}

#[tokio::test]
async fn an_event_stands_once_however_often_it_is_sent() {
    let bench = Bench::new("event").await;
    let pod = bench.pod("p").await;
    let about = About::Pod(pod.namespace, pod.name, pod.uid);
    let note =
        EventNote { about, reason: EventReason::BindRefused, note: "ä".repeat(5_000), at: NOW };
    assert_eq!(bench.code(Call::Event(note.clone())).await, 201);
    assert_eq!(bench.code(Call::Event(note)).await, 409);
    let events = bench.object("apis/events.k8s.io/v1", "events").await;
    let events = events["items"].as_array().expect("a list has items").clone();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["regarding"]["name"], "p");
    assert_eq!(events[0]["type"], "Warning");
}

#[tokio::test]
async fn events_about_gangs_of_every_dialect_are_taken() {
    let bench = Bench::new("events").await;
    for (dialect, name) in [
        (Dialect::Muster, "train"),
        (Dialect::Kubernetes, "workload/ps"),
        (Dialect::Volcano, "podgroup-0c3f"),
        (Dialect::Coscheduling, "train"),
        (Dialect::Plain, "statefulset/web"),
        (Dialect::Pod, "p"),
    ] {
        let key = GangKey { namespace: "events".to_owned(), name: name.to_owned(), dialect };
        let about = About::Group(key, format!("uid-{}", dialect.name()));
        let at = Time::from_ms(NOW.ms() + i64::from(dialect as u8));
        let note = EventNote { about, reason: EventReason::Scheduled, note: String::new(), at };
        assert_eq!(bench.code(Call::Event(note)).await, 201, "{dialect:?}");
    }
}

#[tokio::test]
async fn a_claim_is_told_its_node_and_loses_it_again() {
    let bench = Bench::new("claim").await;
    let uid = bench
        .make(
            "api/v1",
            "persistentvolumeclaims/data",
            "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: \
             NAMESPACE}, spec: {accessModes: [ReadWriteOnce], storageClassName: local, \
             resources: {requests: {storage: 1Gi}}}}",
        )
        .await;
    let claim = ClaimRef { namespace: "claim".to_owned(), name: "data".to_owned(), uid };
    let chosen = async || {
        let object = bench.object("api/v1", "persistentvolumeclaims/data").await;
        object["metadata"]["annotations"]["volume.kubernetes.io/selected-node"].clone()
    };
    let set = |node: &str| Call::SelectNode { claim: claim.clone(), node: node.to_owned() };
    let reset = |node: &str| Call::DeselectNode { claim: claim.clone(), node: node.to_owned() };
    assert_eq!(bench.code(set("n1")).await, 200);
    assert_eq!(chosen().await, "n1");
    assert_eq!(bench.code(reset("n2")).await, 422, "another node stands there");
    assert_eq!(chosen().await, "n1");
    assert_eq!(bench.code(reset("n1")).await, 200);
    assert_eq!(chosen().await, serde_json::Value::Null);
    assert_eq!(bench.code(reset("n1")).await, 422, "none stands there");
    let other = ClaimRef { uid: "another".to_owned(), ..claim.clone() };
    let another = Call::SelectNode { claim: other, node: "n1".to_owned() };
    assert_eq!(bench.code(another).await, 422, "a uid never changes");
}
