//! Pods live and end: played by kwok, by hand, and bound by a real scheduler.

use e2e::{
    ControlPlane, EXIT_CODE, FakeNode, FakePod, Kubelet, Nodes, RUN_FOR, eventually,
    kube_scheduler, serves,
};
use k8s_openapi::api::core::v1::{Namespace, Pod};
use kube::api::{Api, DeleteParams, ListParams};
use serde_json::json;
use std::time::Duration;
use tokio::sync::OnceCell;

const SOON: Duration = Duration::from_secs(60);

/// One for all tests of this file that want kwok.
static PLANE: OnceCell<ControlPlane> = OnceCell::const_new();

async fn plane(namespace: &str) -> &'static ControlPlane {
    let start = async || {
        let plane = ControlPlane::builder().nodes(Nodes::Kwok).native_groups().start().await;
        let nodes = FakeNode::many(2, "n", |node, _| node.gpus(8));
        plane.add_nodes(&nodes).await.expect("nodes can be made");
        plane
    };
    let plane = PLANE.get_or_init(start).await;
    plane.namespace(namespace).await.expect("a namespace can be made");
    plane
}

#[tokio::test]
async fn a_bound_pod_runs_ends_as_its_annotations_say_and_vanishes_when_deleted() {
    let plane = plane("life").await;
    let bound = |name: &str| FakePod::new(name).spec("nodeName", json!("n0"));
    let pods = [
        bound("stays"),
        bound("ends").annotation(RUN_FOR, "1s"),
        bound("fails").annotation(RUN_FOR, "1s").annotation(EXIT_CODE, "3"),
    ];
    plane.add_pods("life", &pods).await.expect("pods can be made");

    let api: Api<Pod> = Api::namespaced(plane.client(), "life");
    let phases = "the pods to run, succeed and fail";
    eventually(SOON, phases, async || {
        let found = api.list(&ListParams::default()).await.map_err(|it| it.to_string())?;
        let seen: Vec<String> = found.iter().map(phase).collect();
        // Listed by name: ends, fails, stays.
        if seen == ["Succeeded", "Failed", "Running"] { Ok(()) } else { Err(seen.join(" ")) }
    })
    .await;
    let failed = serde_json::to_value(api.get("fails").await.expect("it is there"));
    let status = &failed.expect("a pod is JSON")["status"]["containerStatuses"][0]["state"];
    assert_eq!(status["terminated"]["exitCode"], 3);

    api.delete("stays", &DeleteParams::default()).await.expect("it can be deleted");
    eventually(SOON, "the pod to vanish", async || match api.get_opt("stays").await {
        Ok(None) => Ok(()),
        seen => Err(format!("{seen:?}")),
    })
    .await;
}

#[tokio::test]
async fn a_native_gang_is_bound_whole_by_kube_scheduler() {
    let plane = plane("gang").await;
    let _scheduler = kube_scheduler(plane, "peer").await.expect("it starts");
    plane
        .apply(
            "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\n\
             metadata: { name: g, namespace: gang }\n\
             spec: { schedulingPolicy: { gang: { minCount: 4 } } }\n",
        )
        .expect("the group is taken");
    let members = FakePod::many(4, "m", |pod, _| pod.gpus(4).scheduler("peer").native_group("g"));
    plane.add_pods("gang", &members).await.expect("pods can be made");

    let api: Api<Pod> = Api::namespaced(plane.client(), "gang");
    eventually(SOON, "four members to run", async || {
        let found = api.list(&ListParams::default()).await.map_err(|it| it.to_string())?;
        let seen: Vec<String> = found.iter().map(phase).collect();
        if seen == ["Running"; 4] { Ok(()) } else { Err(seen.join(" ")) }
    })
    .await;
}

#[tokio::test]
async fn a_job_of_the_real_controller_completes() {
    let plane = plane("jobs").await;
    let _scheduler = kube_scheduler(plane, "other").await.expect("it starts");
    let job = json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": { "name": "j", "namespace": "jobs" },
        "spec": { "completions": 2, "parallelism": 2, "template": {
            "metadata": { "annotations": { RUN_FOR: "500ms" } },
            "spec": { "schedulerName": "other", "restartPolicy": "Never",
                "containers": [{ "name": "c", "image": "example.invalid/c" }] } } },
    });
    plane.apply(&job.to_string()).expect("the Job is taken");
    let done = ["wait", "--for=condition=Complete", "job/j", "-n", "jobs", "--timeout=60s"];
    plane.kubectl(&done).expect("the Job completes");
}

#[tokio::test]
async fn controllers_and_kwok_go_on_after_the_api_server_was_killed() {
    let plane = ControlPlane::builder().nodes(Nodes::Kwok).start().await;
    plane.add_nodes(&[FakeNode::new("n")]).await.expect("a node can be made");
    plane.kill_apiserver();
    plane.start_apiserver().await.expect("it starts again");

    let bound = FakePod::new("ends").spec("nodeName", json!("n")).annotation(RUN_FOR, "100ms");
    plane.add_pods("default", &[bound]).await.expect("a pod can be made");
    plane.namespace("goes").await.expect("a namespace can be made");
    let pods: Api<Pod> = Api::namespaced(plane.client(), "default");
    let namespaces: Api<Namespace> = Api::all(plane.client());
    namespaces.delete("goes", &DeleteParams::default()).await.expect("it can be deleted");

    eventually(SOON, "kwok to end the pod and a controller the namespace", async || {
        let pod = pods.get("ends").await.map_err(|it| it.to_string())?;
        let namespace = namespaces.get_opt("goes").await.map_err(|it| it.to_string())?;
        let seen = (phase(&pod), namespace.is_none());
        if seen == ("Succeeded".to_owned(), true) { Ok(()) } else { Err(format!("{seen:?}")) }
    })
    .await;
}

#[tokio::test]
async fn native_groups_are_served_when_asked_for_and_only_then() {
    let with = plane("asked").await;
    assert!(serves(&with.client(), "scheduling.k8s.io/v1beta1", "podgroups").await);
    let without = ControlPlane::builder().without_controllers().start().await;
    assert!(!serves(&without.client(), "scheduling.k8s.io/v1beta1", "podgroups").await);
}

#[tokio::test]
async fn a_test_plays_the_kubelet_by_hand() {
    let plane = ControlPlane::builder().without_controllers().start().await;
    plane.add_nodes(&[FakeNode::new("n")]).await.expect("a node can be made");
    let bound = FakePod::many(2, "p", |pod, _| pod.spec("nodeName", json!("n")));
    plane.add_pods("default", &bound).await.expect("pods can be made");
    let api: Api<Pod> = Api::namespaced(plane.client(), "default");
    let kubelet = Kubelet::new(plane.client(), "default");
    assert_eq!(phase(&api.get("p0").await.expect("it is there")), "Pending");

    kubelet.runs("p0").await.expect("it is taken");
    kubelet.failed("p1", "OutOfcpu").await.expect("it is taken");
    assert_eq!(phase(&api.get("p0").await.expect("it is there")), "Running");
    let refused = api.get("p1").await.expect("it is there").status.expect("it has one");
    assert_eq!(refused.reason.as_deref(), Some("OutOfcpu"));

    api.delete("p0", &DeleteParams::default()).await.expect("it can be deleted");
    assert!(api.get("p0").await.is_ok(), "a bound pod waits for its kubelet");
    assert_eq!(kubelet.finish_deletions().await.expect("it is done"), ["p0"]);
    assert!(api.get_opt("p0").await.expect("it answers").is_none());
}

fn phase(pod: &Pod) -> String {
    pod.status.as_ref().and_then(|status| status.phase.clone()).unwrap_or_default()
}
