//! A pod, its one container, and where it may go.

use super::resources;
use super::terms::{node_term, pod_term, spread, toleration};
use scheduler_model::spec::{HostPort, PodPhase, PodShape, PodSpec, Protocol, Resources};
use serde_json::{Map, Value, json};

/// A moment long after every test: when a terminating pod must be gone.
const LATER: &str = "2100-01-01T00:00:00Z";

/// The pod. Pods of others name another scheduler, which does not exist.
pub(crate) fn pod(pod: &PodSpec) -> Value {
    let mut metadata =
        json!({ "name": pod.name, "namespace": pod.namespace, "labels": pod.labels });
    if pod.terminating {
        metadata["deletionTimestamp"] = json!(LATER);
    }
    let mut spec = spec(&pod.shape);
    spec["schedulerName"] = json!(if pod.ours { "muster" } else { "another" });
    if let Some(node) = &pod.node {
        spec["nodeName"] = json!(node);
    }
    let phase = match pod.phase {
        PodPhase::Pending => "Pending",
        PodPhase::Running => "Running",
        PodPhase::Succeeded => "Succeeded",
        PodPhase::Failed => "Failed",
    };
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": spec,
        "status": { "phase": phase },
    })
}

/// The spec of a pod of this shape.
pub(super) fn spec(shape: &PodShape) -> Value {
    let mut spec = json!({
        "containers": [container(&shape.requests, &shape.host_ports)],
        "tolerations": shape.tolerations.iter().map(toleration).collect::<Vec<_>>(),
        "topologySpreadConstraints": shape.spread.iter().map(spread).collect::<Vec<_>>(),
        "affinity": affinity(shape),
    });
    if !shape.node_selector.is_empty() {
        spec["nodeSelector"] = json!(shape.node_selector);
    }
    spec
}

fn container(requests: &Resources, ports: &[HostPort]) -> Value {
    let mut wanted = resources(requests);
    let is_exact = |name: &str| name.contains('/') || name.starts_with("hugepages-");
    let limits: Map<String, Value> =
        wanted.clone().into_iter().filter(|(name, _)| is_exact(name)).collect();
    // The API takes huge pages only beside one of these.
    if wanted.keys().any(|name| name.starts_with("hugepages-")) {
        wanted.entry("cpu").or_insert_with(|| json!("0"));
    }
    let ports: Vec<Value> = ports.iter().map(port).collect();
    json!({
        "name": "main",
        "image": "example.invalid/main",
        "resources": { "requests": wanted, "limits": limits },
        "ports": ports,
    })
}

fn port(port: &HostPort) -> Value {
    let protocol = match port.protocol {
        Protocol::Tcp => "TCP",
        Protocol::Udp => "UDP",
        Protocol::Sctp => "SCTP",
    };
    json!({ "containerPort": port.port, "hostPort": port.port, "hostIP": port.ip,
        "protocol": protocol })
}

fn affinity(shape: &PodShape) -> Value {
    let mut nodes = Map::new();
    if let Some(terms) = &shape.node_affinity {
        let terms: Vec<Value> = terms.iter().map(node_term).collect();
        nodes.insert(REQUIRED.to_owned(), json!({ "nodeSelectorTerms": terms }));
    }
    let preferred: Vec<Value> = shape
        .node_preferences
        .iter()
        .map(|(weight, term)| json!({ "weight": weight, "preference": node_term(term) }))
        .collect();
    nodes.insert(PREFERRED.to_owned(), json!(preferred));
    let wishes = |sign: i32| -> Vec<Value> {
        let wanted = shape.pod_preferences.iter().filter(|(weight, _)| weight.signum() == sign);
        let one = |(weight, term): &(i32, _)| json!({ "weight": weight.abs(), "podAffinityTerm": pod_term(term) });
        wanted.map(one).collect()
    };
    let demands = |terms: &[_]| terms.iter().map(pod_term).collect::<Vec<_>>();
    json!({
        "nodeAffinity": nodes,
        "podAffinity": { REQUIRED: demands(&shape.affinity), PREFERRED: wishes(1) },
        "podAntiAffinity": { REQUIRED: demands(&shape.anti_affinity), PREFERRED: wishes(-1) },
    })
}

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
