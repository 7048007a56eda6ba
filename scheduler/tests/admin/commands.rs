//! The commands that read a live cluster: the leader at an address, and a tiny API server.

use crate::{Stage, leader, stage};
use axum::Router;
use axum::http::{StatusCode, Uri};
use scheduler::run::admin::Watches;
use std::path::Path;
use tempfile::TempDir;

pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) fn muster(arguments: &[&str], kubeconfig: Option<&Path>) -> Ran {
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_muster"));
    command.args(arguments);
    if let Some(path) = kubeconfig {
        command.arg("--kubeconfig").arg(path);
    }
    let output = command.output().expect("muster can be run");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("muster writes UTF-8");
    let code = output.status.code().expect("muster ends by itself");
    Ran { code, out: text(output.stdout), err: text(output.stderr) }
}

pub(crate) fn at(stage: &Stage, arguments: &[&str]) -> Ran {
    let all: Vec<&str> = arguments.iter().copied().chain(["--admin-url", &stage.url]).collect();
    muster(&all, None)
}

/// An API server that knows some paths, forbids some, and says 404 to all others; its
/// kubeconfig.
pub(crate) fn server(
    known: &[(&str, &str)],
    forbidden: &[&str],
) -> (tokio::runtime::Runtime, TempDir) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"));
    let listener = listener.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let own = |text: &&str| (*text).to_owned();
    let known: Vec<(String, String)> =
        known.iter().map(|(path, body)| (own(path), own(body))).collect();
    let forbidden: Vec<String> = forbidden.iter().map(own).collect();
    let answer = move |uri: Uri| {
        let path = uri.path().to_owned();
        let body = known.iter().find(|(known, _)| *known == path).map(|(_, body)| body.clone());
        let code = match &body {
            Some(_) => StatusCode::OK,
            None if forbidden.iter().any(|it| path.starts_with(it)) => StatusCode::FORBIDDEN,
            None => StatusCode::NOT_FOUND,
        };
        let status = format!("{{\"kind\":\"Status\",\"message\":\"{path}: {code}\"}}");
        std::future::ready((code, body.unwrap_or(status)))
    };
    let routes = Router::new().fallback(answer);
    runtime.spawn(async move { axum::serve(listener, routes).await });
    let folder = tempfile::tempdir().expect("a folder");
    let kubeconfig = format!(
        "{{apiVersion: v1, kind: Config, current-context: c, \
         clusters: [{{name: c, cluster: {{server: 'http://{address}'}}}}], \
         users: [{{name: u, user: {{}}}}], \
         contexts: [{{name: c, context: {{cluster: c, user: u, namespace: team-a}}}}]}}"
    );
    std::fs::write(folder.path().join("config"), kubeconfig).expect("written");
    (runtime, folder)
}

const GROUP: &str = r#"{
  "metadata": {"namespace": "team-a", "name": "train"},
  "spec": {"minAvailable": 2, "queue": "research"},
  "status": {
    "phase": "Pending", "min": 2, "counts": {"exist": 2, "placed": 0},
    "explanation": {
      "reason": "room", "sentence": "not enough room for all members at once",
      "sets": [{"role": "", "requests": {"cpu": "4"}, "wanted": 2, "placed": 1,
                "nodes": [{"reason": "tooSmall", "sentence": "too small by cpu", "count": 3}]}],
      "cure": "nodes", "nextStep": "add a node"
    }
  }
}"#;

const GROUP_PATH: &str = "/apis/muster.sh/v1alpha1/namespaces/team-a/podgroups/train";

#[test]
fn explain_needs_the_right_to_get_the_group_and_nothing_else() {
    let (_runtime, folder) = server(&[(GROUP_PATH, GROUP)], &["/"]);
    let ran = muster(&["explain", "team-a/train"], Some(&folder.path().join("config")));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_eq!(
        ran.out,
        "gang team-a/train (muster) in queue research: waiting\n  \
         pods       0 of 2 have a node, at least 2 must\n  \
         why        not enough room for all members at once\n             \
         members: 1 of 2 could be placed, each 4 cpu\n                  \
         3 nodes: too small by cpu\n  \
         next step  add a node\n  \
         cure       more or freer nodes\n"
    );
}

const POD: &str = r#"{
  "metadata": {"namespace": "team-a", "name": "train-0", "labels": {"muster.sh/queue": "research"}},
  "spec": {},
  "status": {"phase": "Pending", "conditions": [
    {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "too little room"}
  ]}
}"#;

#[test]
fn who_may_not_ask_the_leader_reads_what_a_pod_without_a_group_says() {
    let list = format!("{{\"items\": [{POD}]}}");
    let pods = "/api/v1/namespaces/team-a/pods";
    let known = [("/api/v1/namespaces/team-a/pods/train-0", POD), (pods, list.as_str())];
    let (_runtime, folder) = server(&known, &["/"]);
    let path = folder.path().join("config");
    for (name, dialect) in [("train-0", "pod"), ("job/train", "plain")] {
        let ran = muster(&["explain", name], Some(&path));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{name}");
        let want = format!(
            "gang team-a/{name} ({dialect}) in queue research: waiting\n  \
             pods       0 of 1 have a node\n  \
             why        too little room\n  \
             next step  the pods say no more; the Role muster-ask lets you ask the leader for \
             the numbers\n"
        );
        assert_eq!(ran.out, want);
    }
    let ran = muster(&["explain", "nothing"], Some(&path));
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("nor can pods be read"), "{}", ran.err);
}

#[test]
fn a_leader_that_knows_no_such_gang_is_believed_whatever_pods_there_are() {
    let known = [("/api/v1/namespaces/team-a/pods/train-0", POD)];
    let (_runtime, folder) = server(&known, &[]);
    let ran = muster(&["explain", "train-0"], Some(&folder.path().join("config")));
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
}

#[test]
fn a_name_without_namespace_is_looked_for_in_that_of_the_context() {
    let (_runtime, folder) = server(&[(GROUP_PATH, GROUP)], &["/"]);
    let path = folder.path().join("config");
    let ran = muster(&["explain", "train", "-o", "json"], Some(&path));
    let value: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(value["explanation"]["reason"], "room");
    assert_eq!(muster(&["explain", "train", "-n", "other"], Some(&path)).code, 2);
}

#[test]
fn an_explanation_in_an_annotation_is_read() {
    let group = r#"{"metadata": {"namespace": "team-a", "name": "train", "annotations":
        {"muster.sh/explanation": "{\"sentence\": \"queue is full\", \"cure\": \"queue\"}"}},
        "spec": {"minMember": 4}, "status": {"phase": "Inqueue", "running": 0}}"#;
    let path = "/apis/scheduling.volcano.sh/v1beta1/namespaces/team-a/podgroups/train";
    let (_runtime, folder) = server(&[(path, group)], &[]);
    let ran = muster(&["explain", "train"], Some(&folder.path().join("config")));
    assert!(ran.out.starts_with("gang team-a/train (volcano): waiting\n"), "{}", ran.out);
    assert!(ran.out.contains("why        queue is full"), "{}", ran.out);
}

#[test]
fn a_plain_gang_is_asked_of_the_leader_through_the_api_server() {
    let path = "/api/v1/namespaces/muster-system/services/muster:admin/proxy/explain/team-a/job/x";
    let gang = r#"{"namespace": "team-a", "name": "job/x", "dialect": "plain", "state": "running",
        "min": 1, "placed": 1, "members": [{"node": "n1"}], "explanation": null}"#;
    let (_runtime, folder) = server(&[(path, gang)], &[]);
    let ran = muster(&["explain", "job/x"], Some(&folder.path().join("config")));
    assert!(ran.out.contains("nodes      n1"), "{}{}", ran.out, ran.err);
}

#[test]
fn what_cannot_be_read_is_told_with_the_right_that_is_missing() {
    let (_runtime, folder) = server(&[], &["/"]);
    let ran = muster(&["queues"], Some(&folder.path().join("config")));
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("it needs the right to get /api/v1/namespaces/"), "{}", ran.err);
}

#[test]
fn gangs_of_a_namespace_are_listed_without_the_leader() {
    let list = format!("{{\"items\": [{GROUP}]}}");
    let path = "/apis/muster.sh/v1alpha1/namespaces/team-a/podgroups";
    let (_runtime, folder) = server(&[(path, &list)], &["/api/"]);
    let ran = muster(&["gangs"], Some(&folder.path().join("config")));
    assert!(
        ran.out.starts_with("GANG    QUEUE      STATE     PODS   MIN   REASON\n"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("train   research   waiting   0/2    2     not enough room"));
    assert!(ran.err.contains("note: gangs without a group object are not listed"), "{}", ran.err);
}

#[test]
fn the_leader_lists_gangs_and_queues_and_dumps() {
    let stage = leader();
    let ran = at(&stage, &["gangs", "-A", "-o", "wide"]);
    assert!(ran.out.starts_with("NAMESPACE   GANG    QUEUE"), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("a           small   default   running   1/1"), "{}", ran.out);
    let ran = at(&stage, &["queues"]);
    assert!(ran.out.contains("default  open   1       1 "), "{}", ran.out);
    let ran = at(&stage, &["explain", "a/large"]);
    assert!(ran.out.contains("why        not enough room"), "{}", ran.out);
    let told = "queue      queue default uses 1 of the 4 nvidia.com/gpu it is entitled to; 6 more";
    assert!(ran.out.contains(told), "{}", ran.out);
    let ran = at(&stage, &["dump"]);
    assert!(ran.out.starts_with("story: A dump"), "{}", ran.out);
}

#[test]
fn a_standby_is_not_believed() {
    let lease = scheduler_protocol::call::LeaseRef { namespace: "a".into(), name: "b".into() };
    let ran = at(&stage(Some(lease), Watches::default()), &["queues"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("this replica is a standby"), "{}", ran.err);
}
