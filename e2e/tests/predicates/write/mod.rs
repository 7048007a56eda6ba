//! Specs of the model as Kubernetes objects: what `scheduler/kube` reads, the other way round.
//!
//! Invariant: what is written reads back as the same spec, apart from times, gangs and queues,
//! which no predicate looks at, and the taints of [`taints_of_controllers`]. A test holds it to
//! that for every pod and node of every story that is asked about.

mod pod;
mod same;
mod terms;

pub(crate) use pod::pod;

use scheduler_model::amount::Unit;
use scheduler_model::spec::{
    DaemonSpec, Labels, NamespaceSpec, NodeSpec, Resources, Taint, TaintEffect,
};
use serde_json::{Map, Value, json};

/// Label that the API server gives to each namespace.
const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

/// The node, as the node controller leaves it.
pub(crate) fn node(node: &NodeSpec) -> Value {
    let taints: Vec<Value> =
        node.taints.iter().chain(&taints_of_controllers(node)).map(taint).collect();
    let ready = if node.ready { "True" } else { "False" };
    let room = resources(&node.allocatable);
    let mut spec = json!({ "taints": taints });
    if node.unschedulable {
        spec["unschedulable"] = json!(true);
    }
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": { "name": node.name, "labels": node.labels },
        "spec": spec,
        "status": {
            "capacity": room,
            "allocatable": room,
            "conditions": [{ "type": "Ready", "status": ready }],
        },
    })
}

/// What the node controller puts on nodes that are not ready or cordoned.
pub(crate) fn taints_of_controllers(node: &NodeSpec) -> Vec<Taint> {
    let one = |key: &str, effect| Taint { key: key.to_owned(), value: String::new(), effect };
    let mut taints = Vec::new();
    if !node.ready {
        taints.push(one("node.kubernetes.io/not-ready", TaintEffect::NoSchedule));
        taints.push(one("node.kubernetes.io/not-ready", TaintEffect::NoExecute));
    }
    if node.unschedulable {
        taints.push(one("node.kubernetes.io/unschedulable", TaintEffect::NoSchedule));
    }
    taints
}

/// The namespace; its name label is for the API server to write.
pub(crate) fn namespace(namespace: &NamespaceSpec) -> Value {
    let mut labels: Labels = namespace.labels.clone();
    labels.remove(NAMESPACE_NAME);
    json!({
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": { "name": namespace.name, "labels": labels },
    })
}

/// The DaemonSet.
pub(crate) fn daemon(daemon: &DaemonSpec) -> Value {
    let (namespace, name) = daemon.key.split_once('/').unwrap_or(("default", &daemon.key));
    let labels = json!({ "daemon": name });
    json!({
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": { "name": name, "namespace": namespace },
        "spec": {
            "selector": { "matchLabels": labels },
            "template": { "metadata": { "labels": labels }, "spec": pod::spec(&daemon.shape) },
        },
    })
}

/// Quantities by resource name.
fn resources(amounts: &Resources) -> Map<String, Value> {
    let one = |(name, amount): (&String, &_)| (name.clone(), json!(Unit::of(name).show(*amount)));
    amounts.iter().map(one).collect()
}

fn taint(taint: &Taint) -> Value {
    json!({ "key": taint.key, "value": taint.value, "effect": effect(taint.effect) })
}

fn effect(effect: TaintEffect) -> &'static str {
    match effect {
        TaintEffect::NoSchedule => "NoSchedule",
        TaintEffect::PreferNoSchedule => "PreferNoSchedule",
        TaintEffect::NoExecute => "NoExecute",
    }
}
