//! A pod that is asked to go, and what its node does meanwhile.

use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::op::Op;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{NodeSpec, PodPhase, PodShape, PodSpec, Resources};
use scheduler_model::time::Time;
use std::sync::Arc;

fn gpus(count: i64) -> Resources {
    Resources::from([("gpu".to_owned(), Amount::new(count))])
}

fn node() -> Event {
    let (name, ready) = ("n".to_owned(), true);
    Event::Node(Box::new(NodeSpec { name, ready, allocatable: gpus(4), ..NodeSpec::default() }))
}

#[test]
fn a_pod_whose_node_goes_while_it_is_asked_to_go_may_stay_after_all() {
    let mut snap = Snapshot::default();
    let now = Time::from_ms(1);
    snap.ingest(node(), now);
    let shape = Arc::new(PodShape { requests: gpus(3), ..PodShape::default() });
    let (node_name, phase) = (Some("n".to_owned()), PodPhase::Running);
    let pod = PodSpec { node: node_name, phase, shape, ..PodSpec::new("d", "p") };
    let uid = pod.uid.clone();
    snap.ingest(Event::Pod(Box::new(pod)), now);
    let id = snap.pods().find(&uid).expect("told above");
    snap.apply(Op::Evict(id));
    snap.ingest(Event::NodeGone("n".to_owned()), now);
    snap.revert(Op::Evict(id));
    assert_eq!(snap.pods().releasing().count(), 0);
    snap.ingest(node(), now);
    let gpu = snap.resources().find("gpu").expect("a node has it");
    let n = snap.nodes().find("n").expect("it is back");
    assert_eq!(snap.nodes().free(n, gpu), Amount::new(1));
    assert_eq!(snap.nodes().releasing(n, gpu), Amount::ZERO);
}
