//! The control plane itself: it starts, keeps its data, and several live side by side.

use e2e::{ControlPlane, FakeNode, FakePod};
use k8s_openapi::api::core::v1::{Namespace, Node, Pod};
use kube::api::Api;

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
