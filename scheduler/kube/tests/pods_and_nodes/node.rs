//! Nodes as kubelets report them and as people write them.

use crate::said;
use scheduler_kube::translate::{Translated, node};
use scheduler_model::amount::Amount;
use scheduler_model::spec::{NodeSpec, TaintEffect};

fn read(json: &str) -> Translated<NodeSpec> {
    node::translate(&serde_json::from_str(json).expect("the test's node is JSON"))
}

fn status(json: &str) -> Translated<NodeSpec> {
    read(&format!(r#"{{"metadata":{{"name":"n"}},"status":{json}}}"#))
}

#[test]
fn a_hand_written_node_is_ready_takes_110_pods_and_is_its_own_host() {
    let node = status(r#"{"allocatable":{"cpu":"4"}}"#);
    assert_eq!(node.problems, []);
    assert!(node.value.ready && !node.value.unschedulable);
    assert_eq!(node.value.allocatable["pods"], Amount::new(110));
    assert_eq!(node.value.allocatable["cpu"], Amount::new(4000));
    assert_eq!(node.value.labels["kubernetes.io/hostname"], "n");
}

#[test]
fn a_host_name_that_is_written_stays() {
    let node = read(r#"{"metadata":{"name":"n","labels":{"kubernetes.io/hostname":"h"}}}"#);
    assert_eq!(node.value.labels["kubernetes.io/hostname"], "h");
}

#[test]
fn only_a_true_ready_condition_makes_a_reporting_node_ready() {
    for (state, want) in [("True", true), ("False", false), ("Unknown", false)] {
        let node = status(&format!(r#"{{"conditions":[{{"type":"Ready","status":"{state}"}}]}}"#));
        assert_eq!(node.value.ready, want, "{state}");
    }
    let other =
        status(r#"{"capacity":{},"conditions":[{"type":"DiskPressure","status":"False"}]}"#);
    assert!(!other.value.ready);
    assert_eq!(other.problems.len(), 1);
}

#[test]
fn capacity_stands_in_for_allocatable() {
    let both = status(r#"{"allocatable":{"cpu":"3"},"capacity":{"cpu":"4"}}"#);
    assert_eq!(both.value.allocatable["cpu"], Amount::new(3000));
    let one = status(r#"{"capacity":{"cpu":"4","pods":"0"}}"#);
    assert_eq!(one.value.allocatable["cpu"], Amount::new(4000));
    assert_eq!(one.value.allocatable["pods"], Amount::ZERO);
}

#[test]
fn capacity_is_rounded_down_and_bad_capacity_is_nothing() {
    let node = status(
        r#"{"allocatable":{"cpu":"1.0005","memory":"-1Gi","nvidia.com/gpu":"1e999","x/y":"?"}}"#,
    );
    assert_eq!(node.value.allocatable["cpu"], Amount::new(1000));
    assert_eq!(node.value.allocatable["memory"], Amount::ZERO);
    assert_eq!(node.value.allocatable["x/y"], Amount::ZERO);
    assert!(node.value.allocatable["nvidia.com/gpu"] < Amount::MAX);
    assert_eq!(said(&node).len(), 4);
    assert!(said(&node)[1].starts_with("Node n status.allocatable.memory: `-1Gi` is negative"));
}

#[test]
fn a_node_without_room_says_so() {
    assert_eq!(said(&read(r#"{"metadata":{"name":"n"}}"#)).len(), 1);
}

#[test]
fn a_taint_of_unknown_effect_keeps_pods_away() {
    let json = r#"{"metadata":{"name":"n"},"status":{"capacity":{}},
        "spec":{"taints":[{"key":"a","effect":"NoExecute"},{"key":"b","effect":"Maybe"}]}}"#;
    let node = read(json);
    let effects: Vec<_> = node.value.taints.iter().map(|taint| taint.effect).collect();
    assert_eq!(effects, [TaintEffect::NoExecute, TaintEffect::NoSchedule]);
    assert_eq!(node.problems.len(), 1);
}
