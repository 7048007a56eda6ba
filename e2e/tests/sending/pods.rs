//! Calls about pods.

use crate::bench::{Bench, NOW, stale};
use scheduler_model::spec::Ledger;
use scheduler_protocol::answer::{Body, PodFacts};
use scheduler_protocol::call::{Call, PodCondition, PodRef};

fn bind(pod: &PodRef) -> Call {
    let annotations = [("muster.sh/rank".to_owned(), "3".to_owned())].into();
    Call::Bind { pod: pod.clone(), node: "n1".to_owned(), annotations }
}

#[tokio::test]
async fn a_pod_is_bound_once_with_its_annotations() {
    let bench = Bench::new("bind").await;
    let pod = bench.pod("p").await;
    assert_eq!(bench.code(bind(&stale(&pod))).await, 409);
    assert_eq!(bench.code(bind(&pod)).await, 201);
    assert_eq!(bench.code(bind(&pod)).await, 409);
    let object = bench.object("api/v1", "pods/p").await;
    assert_eq!(object["spec"]["nodeName"], "n1");
    assert_eq!(object["metadata"]["annotations"]["muster.sh/rank"], "3");
}

#[tokio::test]
async fn a_pod_is_read_and_deleted_by_its_uid() {
    let bench = Bench::new("read").await;
    let pod = bench.pod("p").await;
    let facts = PodFacts { uid: pod.uid.clone(), ..PodFacts::default() };
    assert_eq!(bench.send(Call::ReadPod(pod.clone())).await.body, Body::Pod(facts));
    assert_eq!(bench.code(Call::DeletePod(stale(&pod))).await, 409);
    assert_eq!(bench.code(Call::DeletePod(pod.clone())).await, 200);
    let gone = bench.send(Call::ReadPod(pod)).await;
    assert_eq!((gone.code, gone.reason.as_str()), (404, "NotFound"));
}

#[tokio::test]
async fn conditions_of_others_stay_in_the_status_of_a_pod() {
    let bench = Bench::new("status").await;
    let pod = bench.pod("p").await;
    let condition = |kind| PodCondition {
        kind,
        is_true: false,
        reason: "Unschedulable".to_owned(),
        message: "its gang waits".to_owned(),
        since: NOW,
    };
    let call = |pod: &PodRef, kind, nominated: &str| Call::PodStatus {
        pod: pod.clone(),
        condition: Some(condition(kind)),
        nominated: Some(nominated.to_owned()),
    };
    assert_eq!(bench.code(call(&pod, "PodScheduled", "n1")).await, 200);
    let object = bench.object("api/v1", "pods/p").await;
    assert_eq!(object["status"]["nominatedNodeName"], "n1");

    assert_eq!(bench.code(call(&pod, "DisruptionTarget", "")).await, 200);
    let object = bench.object("api/v1", "pods/p").await;
    assert_eq!(object["status"]["nominatedNodeName"], serde_json::Value::Null);
    let mut kinds: Vec<&str> = object["status"]["conditions"]
        .as_array()
        .expect("there are conditions")
        .iter()
        .filter_map(|condition| condition["type"].as_str())
        .collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["DisruptionTarget", "PodScheduled"]);

    let code = bench.code(call(&stale(&pod), "PodScheduled", "n1")).await;
    assert!([409, 422].contains(&code), "{code}");
}

#[tokio::test]
async fn a_ledger_is_written_onto_a_pod_and_taken_away() {
    let bench = Bench::new("ledger").await;
    let pod = bench.pod("p").await;
    let call = |pod: &PodRef, releases| Call::PodLedger {
        pod: pod.clone(),
        ledger: Box::new(Ledger { releases, ..Ledger::default() }),
    };
    assert_eq!(bench.code(call(&pod, 2)).await, 200);
    let object = bench.object("api/v1", "pods/p").await;
    let state = &object["metadata"]["annotations"]["muster.sh/state"];
    assert_eq!(state, r#"{"releases":2,"v":1}"#);
    assert_eq!(bench.code(call(&pod, 0)).await, 200);
    let object = bench.object("api/v1", "pods/p").await;
    assert_eq!(object["metadata"]["annotations"], serde_json::Value::Null);
    let code = bench.code(call(&stale(&pod), 1)).await;
    assert!([409, 422].contains(&code), "{code}");
}

#[tokio::test]
async fn a_name_that_is_none_is_refused() {
    let bench = Bench::new("names").await;
    let pod = bench.pod("p").await;
    let twisted = PodRef { name: "p/../p?x#".to_owned(), ..pod };
    assert!(bench.code(Call::ReadPod(twisted.clone())).await >= 400);
    assert!(bench.code(bind(&twisted)).await >= 400);
}
