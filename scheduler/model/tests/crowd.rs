//! Sums on a node stay within the range of its columns, whatever is bound to it.

use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::node::PODS_MAX;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{NodeSpec, PodPhase, PodShape, PodSpec, Resources};
use scheduler_model::time::Time;
use std::sync::Arc;

fn absurd_pod(index: usize, shape: &Arc<PodShape>) -> PodSpec {
    PodSpec {
        uid: format!("pod-{index}"),
        ours: false,
        shape: Arc::clone(shape),
        node: Some("a".to_owned()),
        phase: PodPhase::Running,
        ..PodSpec::new("default", &format!("pod-{index}"))
    }
}

#[test]
fn absurd_requests_of_a_crowd_on_one_node_never_overflow() {
    let mut snap = Snapshot::default();
    let all = Resources::from([("cpu".to_owned(), Amount::MAX)]);
    let node = NodeSpec { name: "a".to_owned(), allocatable: all.clone(), ..NodeSpec::default() };
    snap.ingest(Event::Node(Box::new(node)), Time::ZERO);
    let shape = Arc::new(PodShape { requests: all, ..PodShape::default() });
    for index in 0..PODS_MAX + 2 {
        snap.ingest(Event::Pod(Box::new(absurd_pod(index, &shape))), Time::ZERO);
    }
    let node = snap.nodes().find("a").expect("told above");
    assert!(snap.nodes().free(node, snap.resources().cpu()) < Amount::ZERO);
    assert_eq!(snap.pods().on_node(node).count(), PODS_MAX);
    let problems: Vec<String> = snap.problems().map(ToString::to_string).collect();
    assert!(problems[0].contains("Node a") && problems[0].contains("bound to it"), "{problems:?}");
    for index in 0..PODS_MAX + 2 {
        snap.ingest(Event::PodGone(format!("pod-{index}")), Time::ZERO);
    }
    assert!(snap.nodes().free(node, snap.resources().cpu()) > Amount::ZERO);
}
