//! Whole objects with all their noise, and everything that is read from them.

use crate::from_json;
use scheduler_kube::translate::{hints, node};
use scheduler_kube::wire;

#[test]
fn a_pod_of_an_indexed_job_is_read_whole() {
    let json = include_str!("objects/indexed-job-pod.json");
    insta::assert_debug_snapshot!(from_json(json));
}

#[test]
fn a_resized_pod_of_a_vcjob_is_read_whole() {
    insta::assert_debug_snapshot!(from_json(include_str!("objects/resized-pod.json")));
}

#[test]
fn a_gpu_node_is_read_whole() {
    let json = include_str!("objects/gpu-node.json");
    let read: wire::Node = serde_json::from_str(json).expect("a node");
    insta::assert_debug_snapshot!(node::translate(&read));
}

#[test]
fn hints_of_a_pod_are_read_beside_it() {
    let json = include_str!("objects/indexed-job-pod.json");
    let pod: wire::Pod = serde_json::from_str(json).expect("a pod");
    let hints = hints::of("Pod", &pod.metadata);
    assert_eq!(hints.value.runtime.map(|span| span.to_string()).as_deref(), Some("45m"));
}
