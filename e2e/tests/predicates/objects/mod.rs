//! Cases of what only objects can say: containers beside containers, label keys, states between
//! two writes of a controller. Each says which nodes are right.

mod nodes;
mod partners;
mod room;
mod spread;

use crate::case::Case;
use serde_json::{Value, json};

/// All of them.
pub(crate) fn cases() -> Vec<Case> {
    let parts = [room::cases(), nodes::cases(), partners::cases(), spread::cases()];
    parts.into_iter().flatten().collect()
}

fn case(name: &str, nodes: &[Value], others: &[Value], pod: Value, right: &[&str]) -> Case {
    Case {
        name: name.to_owned(),
        objects: others.iter().chain(nodes).cloned().collect(),
        pod,
        right: Some(right.iter().map(|it| (*it).to_owned()).collect()),
    }
}

/// A ready node with these labels and so much room beside 110 pods.
fn node(name: &str, labels: Value, room: Value) -> Value {
    let mut labels = labels;
    labels["kubernetes.io/hostname"] = json!(name);
    let mut room = room;
    if room["pods"].is_null() {
        room["pods"] = json!("110");
    }
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": { "name": name, "labels": labels },
        "status": { "capacity": room, "allocatable": room,
            "conditions": [{ "type": "Ready", "status": "True" }] },
    })
}

/// Nodes `n1`, `n2`, … with so many cores each.
fn cores(cores: &[&str]) -> Vec<Value> {
    let one =
        |(at, cores): (usize, &&str)| node(&format!("n{at}"), json!({}), json!({ "cpu": cores }));
    (1..).zip(cores).map(one).collect()
}

/// Nodes of zones, called like them: `x1` and `x2` in `x`.
fn zones(names: &[&str]) -> Vec<Value> {
    names.iter().map(|name| node(name, json!({ "zone": &name[..1] }), json!({}))).collect()
}

fn pod(labels: Value, spec: Value) -> Value {
    let mut spec = spec;
    spec["schedulerName"] = json!("muster");
    if spec["containers"].is_null() {
        spec["containers"] = json!([container("main", json!({}))]);
    }
    json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": "asks", "namespace": "default", "labels": labels },
        "spec": spec })
}

/// A pod that is on a node already.
fn on(node: &str, name: &str, labels: Value, spec: Value) -> Value {
    let mut pod = pod(labels, spec);
    pod["metadata"]["name"] = json!(name);
    pod["spec"]["nodeName"] = json!(node);
    pod
}

fn container(name: &str, requests: Value) -> Value {
    json!({ "name": name, "image": "example.invalid/main", "resources": { "requests": requests } })
}

fn sidecar(requests: Value) -> Value {
    let mut sidecar = container("sidecar", requests);
    sidecar["restartPolicy"] = json!("Always");
    sidecar
}

/// A term of pod affinity, or its opposite, with more fields than the selector.
fn near(side: &str, key: &str, app: &str, more: Value) -> Value {
    let mut term =
        json!({ "topologyKey": key, "labelSelector": { "matchLabels": { "app": app } } });
    for (field, value) in more.as_object().into_iter().flatten() {
        term[field] = value.clone();
    }
    json!({ "affinity": { side: { "requiredDuringSchedulingIgnoredDuringExecution": [term] } } })
}
