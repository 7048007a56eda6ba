//! The status of groups in every dialect.

use crate::bench::{Bench, NOW};
use scheduler_model::explain::{Cure, Explanation, NodeReason, SetTally, WaitReason};
use scheduler_model::spec::{Dialect, GangKey, Ledger};
use scheduler_protocol::call::{Call, GroupRef};
use scheduler_protocol::status::{Counts, GroupStatus, Phase};
use serde_json::Value;

fn waiting() -> GroupStatus {
    let key = GangKey { namespace: "a".to_owned(), name: "g".to_owned(), dialect: Dialect::Muster };
    let set = |role: &str| SetTally {
        role: role.to_owned(),
        requests: Vec::new(),
        wanted: 4,
        placed: 0,
        nodes: (0..100).map(|n| (NodeReason::Insufficient(format!("r{n}")), 1)).collect(),
    };
    GroupStatus {
        phase: Phase::Admitted,
        since: NOW,
        min: 4,
        counts: Counts { exist: 4, ..Counts::default() },
        has_started: false,
        explanation: Some(Explanation {
            gang: key,
            reason: WaitReason::Room,
            placeable: 0,
            needed: 4,
            sets: ["a", "b", "c"].map(set).to_vec(),
            nearest: None,
            cure: Cure::Nodes,
            next_step: "add nodes".to_owned(),
        }),
        ledger: Ledger { age: Some(NOW), run: Some(NOW), ..Ledger::default() },
        generation: 1,
    }
}

fn running() -> GroupStatus {
    GroupStatus {
        phase: Phase::Running,
        counts: Counts { exist: 4, placed: 4, running: 4, ..Counts::default() },
        has_started: true,
        explanation: None,
        ledger: Ledger { has_started: true, ..waiting().ledger },
        ..waiting()
    }
}

struct Group {
    bench: Bench,
    api: &'static str,
    of: GroupRef,
}

impl Group {
    async fn new(dialect: Dialect, api: &'static str, spec: &str) -> Self {
        let bench = Bench::new(&format!("group-{}", dialect.name())).await;
        let version = api.trim_start_matches("apis/");
        let manifest = format!(
            "{{apiVersion: {version}, kind: PodGroup, metadata: {{name: g, namespace: NAMESPACE}}, \
             spec: {spec}}}"
        );
        let uid = bench.make(api, "podgroups/g", &manifest).await;
        let namespace = bench.namespace.clone();
        let key = GangKey { namespace, name: "g".to_owned(), dialect };
        Self { bench, api, of: GroupRef { key, uid } }
    }

    async fn write(&self, status: GroupStatus) -> Value {
        let call = Call::GroupStatus { group: self.of.clone(), status: Box::new(status) };
        assert_eq!(self.bench.code(call).await, 200);
        self.bench.object(self.api, "podgroups/g").await
    }

    /// The group is another one now.
    async fn write_stale(&self) -> u16 {
        let group = GroupRef { uid: "another".to_owned(), ..self.of.clone() };
        let call = Call::GroupStatus { group, status: Box::new(waiting()) };
        self.bench.code(call).await
    }

    /// What somebody else writes into the status.
    async fn write_foreign(&self, patch: &str) {
        let namespace = &self.bench.namespace;
        let kind = self.api.split('/').nth(1).expect("it has a group");
        let resource = format!("podgroups.{kind}/g");
        let plane = crate::bench::plane().await;
        let args = ["patch", &resource, "-n", namespace, "--subresource=status", "--type=merge"];
        let args = [&args[..], &["-p", patch]].concat();
        plane.kubectl(&args).expect("the patch is accepted");
    }
}

fn note(object: &Value, key: &str) -> Option<Value> {
    let text = object["metadata"]["annotations"][key].as_str()?;
    Some(serde_json::from_str(text).expect("the annotation is JSON"))
}

#[tokio::test]
async fn the_status_of_a_muster_group_stands_as_it_was_sent() {
    let group = Group::new(Dialect::Muster, "apis/muster.sh/v1alpha1", "{minAvailable: 4}").await;
    let object = group.write(waiting()).await;
    let status = &object["status"];
    assert_eq!(status["phase"], "Admitted");
    assert_eq!(status["conditions"][0]["reason"], "Room");
    assert_eq!(status["explanation"]["reason"], "room");
    assert_eq!(status["explanation"]["nearest"], Value::Null);
    assert_eq!(status["ledger"]["age"], "2026-11-30T06:00:00Z");

    let object = group.write(running()).await;
    assert_eq!(object["status"]["explanation"], Value::Null);
    assert_eq!(object["status"]["counts"]["placed"], 4);
    assert_eq!(object["status"]["ledger"]["hasStarted"], true);
    let code = group.write_stale().await;
    assert!([409, 422].contains(&code), "{code}");
    assert_eq!(group.bench.object(group.api, "podgroups/g").await["status"], object["status"]);
}

#[tokio::test]
async fn people_see_where_a_muster_group_stands() {
    let bench = Bench::new("columns").await;
    let uid = bench
        .make(
            "apis/muster.sh/v1alpha1",
            "podgroups/g",
            "{apiVersion: muster.sh/v1alpha1, kind: PodGroup, metadata: {name: g, namespace: \
             NAMESPACE}, spec: {minAvailable: 4}}",
        )
        .await;
    let key =
        GangKey { namespace: "columns".to_owned(), name: "g".to_owned(), dialect: Dialect::Muster };
    let call = Call::GroupStatus { group: GroupRef { key, uid }, status: Box::new(waiting()) };
    assert_eq!(bench.code(call).await, 200);
    let plane = crate::bench::plane().await;
    let shown = plane.kubectl(&["get", "mpg", "-n", "columns"]).expect("kubectl shows it");
    let lines: Vec<Vec<&str>> =
        shown.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["NAME", "PHASE", "MIN", "PLACED", "REASON", "AGE"]);
    assert_eq!(lines[1][..5], ["g", "Admitted", "4", "0", "Room"]);
}

#[tokio::test]
async fn a_native_group_keeps_the_conditions_of_others() {
    let api = "apis/scheduling.k8s.io/v1beta1";
    let group =
        Group::new(Dialect::Kubernetes, api, "{schedulingPolicy: {gang: {minCount: 4}}}").await;
    group
        .write_foreign(
            r#"{"status":{"conditions":[{"type":"DisruptionTarget","status":"True",
                "reason":"PreemptionByScheduler","message":"","lastTransitionTime":
                "2026-11-30T06:00:00Z"}]}}"#,
        )
        .await;
    let of = |object: &Value, kind: &str| {
        let all = object["status"]["conditions"].as_array().expect("there are some").clone();
        let found = all.into_iter().find(|condition| condition["type"] == kind);
        found.map(|condition| (condition["status"].clone(), condition["reason"].clone()))
    };
    const SCHEDULED: &str = "PodGroupInitiallyScheduled";
    let object = group.write(waiting()).await;
    assert_eq!(of(&object, SCHEDULED), Some(("False".into(), "Unschedulable".into())));
    assert!(of(&object, "DisruptionTarget").is_some());
    assert!(note(&object, "muster.sh/explanation").is_some());

    let object = group.write(running()).await;
    assert_eq!(of(&object, SCHEDULED), Some(("True".into(), "Scheduled".into())));
    assert!(of(&object, "DisruptionTarget").is_some());
    assert_eq!(note(&object, "muster.sh/explanation"), None);
    assert_eq!(note(&object, "muster.sh/state").expect("it is there")["hasStarted"], true);
    let code = group.write_stale().await;
    assert!([409, 422].contains(&code), "{code}");
}

#[tokio::test]
async fn a_volcano_group_is_written_though_its_kind_has_no_status_subresource() {
    let api = "apis/scheduling.volcano.sh/v1beta1";
    let group = Group::new(Dialect::Volcano, api, "{minMember: 4, queue: default}").await;
    let object = group.write(waiting()).await;
    assert_eq!(object["status"]["phase"], "Inqueue");
    assert_eq!(object["status"]["conditions"][0]["type"], "Unschedulable");
    assert!(note(&object, "muster.sh/explanation").is_some());

    let object = group.write(running()).await;
    assert_eq!(object["status"]["phase"], "Running");
    assert_eq!(object["status"]["running"], 4);
    assert_eq!(object["status"]["conditions"].as_array().map(Vec::len), Some(1));
    assert_eq!(object["status"]["conditions"][0]["type"], "Scheduled");
    assert_eq!(note(&object, "muster.sh/explanation"), None);
    let code = group.write_stale().await;
    assert!([409, 422].contains(&code), "{code}");
}

#[tokio::test]
async fn a_coscheduling_group_keeps_what_others_wrote() {
    let api = "apis/scheduling.x-k8s.io/v1alpha1";
    let group = Group::new(Dialect::Coscheduling, api, "{minMember: 4}").await;
    group.write_foreign(r#"{"status":{"occupiedBy":"a/b"}}"#).await;
    let object = group.write(waiting()).await;
    assert_eq!(object["status"]["phase"], "Scheduling");
    let object = group.write(running()).await;
    assert_eq!(object["status"]["phase"], "Running");
    assert_eq!(object["status"]["occupiedBy"], "a/b");
    assert!(note(&object, "muster.sh/state").is_some());
    let code = group.write_stale().await;
    assert!([409, 422].contains(&code), "{code}");
}

#[tokio::test]
async fn a_status_that_breaks_the_schema_of_a_muster_group_is_refused() {
    let spec = "{minAvailable: 4}";
    let bench = Bench::new("garbage").await;
    bench
        .make(
            "apis/muster.sh/v1alpha1",
            "podgroups/g",
            &format!(
                "{{apiVersion: muster.sh/v1alpha1, kind: PodGroup, metadata: {{name: g, \
                 namespace: NAMESPACE}}, spec: {spec}}}"
            ),
        )
        .await;
    let plane = crate::bench::plane().await;
    for patch in [
        r#"{"status":{"phase":"Dreaming"}}"#,
        r#"{"status":{"counts":{"placed":"four"}}}"#,
        r#"{"status":{"ledger":{"age":"yesterday"}}}"#,
        r#"{"status":{"explanation":"because"}}"#,
        r#"{"status":{"conditions":[{"type":"Scheduled"}]}}"#,
    ] {
        let args = ["patch", "mpg/g", "-n", "garbage", "--subresource=status", "--type=merge"];
        let done = plane.kubectl(&[&args[..], &["-p", patch]].concat());
        assert!(done.is_err(), "{patch} was accepted: {done:?}");
    }
}
