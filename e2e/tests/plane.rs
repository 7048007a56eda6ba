//! The control plane itself: it starts, keeps its data, and several live side by side.

use e2e::{ControlPlane, FakeNode, FakePod, Line, Relay};
use k8s_openapi::api::core::v1::{Namespace, Node, Pod};
use kube::api::{Api, ListParams};
use std::path::Path;
use std::time::Duration;

#[tokio::test]
async fn two_control_planes_side_by_side_know_nothing_of_each_other() {
    let (one, other) = tokio::join!(
        ControlPlane::builder().without_controllers().start(),
        ControlPlane::builder().without_controllers().start(),
    );
    one.namespace("only-here").await.expect("a namespace can be made");
    let here: Api<Namespace> = Api::all(one.client());
    let there: Api<Namespace> = Api::all(other.client());
    assert!(here.get_opt("only-here").await.expect("it answers").is_some());
    assert!(there.get_opt("only-here").await.expect("it answers").is_none());
}

#[tokio::test]
async fn an_api_server_that_was_killed_comes_back_with_its_data() {
    let plane = ControlPlane::builder().without_controllers().start().await;
    plane.add_nodes(&[FakeNode::new("n").gpus(8)]).await.expect("a node can be made");
    let nodes: Api<Node> = Api::all(plane.client());

    plane.kill_apiserver();
    assert!(nodes.get("n").await.is_err(), "nobody may answer now");
    plane.start_apiserver().await.expect("it starts again");

    let node = nodes.get("n").await.expect("the node is still there");
    let gpus = node.status.and_then(|status| status.allocatable);
    assert_eq!(gpus.map(|it| it["nvidia.com/gpu"].0.clone()), Some("8".to_owned()));
}

#[tokio::test]
async fn a_node_takes_pods_from_its_first_moment() {
    let plane = ControlPlane::builder().without_controllers().start().await;
    plane.add_nodes(&[FakeNode::new("n")]).await.expect("a node can be made");
    let nodes: Api<Node> = Api::all(plane.client());
    let node = nodes.get("n").await.expect("the node is there");
    assert_eq!(node.spec.and_then(|spec| spec.taints), None);

    plane.add_pods("default", &[FakePod::new("p")]).await.expect("a pod can be made");
    let pods: Api<Pod> = Api::namespaced(plane.client(), "default");
    assert!(pods.get("p").await.is_ok());
}

#[tokio::test]
async fn a_control_plane_for_load_keeps_its_data_in_memory_and_takes_it_along() {
    let plane = ControlPlane::builder().without_controllers().for_load().start().await;
    let name = plane.folder().file_name().expect("the folder has a name").to_owned();
    let data = Path::new("/dev/shm").join(name).join("etcd");
    assert!(data.exists(), "{} is not there", data.display());

    drop(plane);

    assert!(!data.exists(), "{} is still there", data.display());
}

#[tokio::test]
async fn a_relay_stalls_swallows_answers_and_cuts() {
    let plane = ControlPlane::builder().without_controllers().start().await;
    let relay = Relay::new(&plane).await.expect("a port is free");
    let through = relay.kubeconfig(&plane, &plane.admin_kubeconfig()).expect("it is written");
    let client = plane.client_of(&through).await.expect("it is read");
    let nodes: Api<Node> = Api::all(client.clone());
    let all = ListParams::default();
    nodes.list(&all).await.expect("an open line passes everything");

    relay.set(Line::Deaf);
    let short = Duration::from_millis(500);
    let node = FakeNode::new("made-unheard").object();
    let made = tokio::time::timeout(short, nodes.create(&Default::default(), &node)).await;
    assert!(made.is_err(), "an answer came through: {made:?}");
    let direct: Api<Node> = Api::all(plane.client());
    assert!(direct.get("made-unheard").await.is_ok(), "the request was to arrive");

    relay.set(Line::Stalled);
    let node = FakeNode::new("never-arrives").object();
    let made = tokio::time::timeout(short, nodes.create(&Default::default(), &node)).await;
    assert!(made.is_err(), "an answer came through: {made:?}");
    assert!(direct.get_opt("never-arrives").await.expect("it answers").is_none());

    relay.set(Line::Cut);
    assert!(nodes.list(&all).await.is_err());
    relay.set(Line::Open);
    assert!(nodes.list(&all).await.is_ok(), "new connections pass again");
}
