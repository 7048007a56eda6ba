//! A call as the requests that carry it out, in order.
//!
//! Pure. Most calls are one request; a group's status may be two, see [`super::group`].

use super::request::{Content, Path, Request, Wants};
use super::{event, group, queue, when};
use crate::names;
use crate::served::Served;
use crate::wire::ledger;
use scheduler_model::spec::{Labels, Ledger};
use scheduler_protocol::call::{
    Call, CallId, ClaimRef, LeaseRecord, LeaseRef, PodCondition, PodRef,
};
use scheduler_protocol::status::EventNote;
use serde_json::{Map, Value, json};

/// Annotation: the node that a volume is to be made for.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
/// Annotation: a volume and its claim were brought together by a machine.
const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";

/// What one process puts into all its requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoder {
    /// The name of this process, for events: pod name and something that changes with a restart.
    pub instance: String,
    /// What the API server serves.
    pub served: Served,
}

impl Encoder {
    /// The requests that `call` is made of, to be sent one after the other while they succeed.
    /// Empty where there is no object to write to.
    #[must_use]
    pub fn encode(&self, id: CallId, call: &Call) -> Vec<Request> {
        match call {
            Call::Bind { pod, node, annotations } => vec![bind(pod, node, annotations)],
            Call::ReadPod(pod) => vec![pod_path(pod).read("pods", Wants::Pod)],
            Call::DeletePod(pod) => vec![delete(pod)],
            Call::PodStatus { pod, condition, nominated } => {
                vec![pod_status(pod, condition.as_ref(), nominated.as_deref())]
            }
            Call::PodLedger { pod, ledger } => vec![pod_ledger(pod, ledger)],
            Call::GroupStatus { group, status } => group::requests(group, status, &self.served),
            Call::QueueStatus { queue, status } => queue::requests(queue, status, &self.served),
            Call::Event(note) => vec![self.event(id, note)],
            Call::ReadLease(lease) => vec![lease_path(lease).read("leases", Wants::Lease)],
            Call::CreateLease(lease, record) => {
                let object = lease_object(lease, record);
                vec![leases(lease).create("leases", object, Wants::Lease)]
            }
            Call::ReplaceLease(lease, record) => {
                let object = lease_object(lease, record);
                vec![lease_path(lease).replace("leases", object, Wants::Lease)]
            }
            Call::SelectNode { claim, node } => vec![select_node(claim, node)],
            Call::DeselectNode { claim, node } => vec![deselect_node(claim, node)],
            Call::TakeVolume { volume, version, claim, is_kept } => {
                vec![take_volume(volume, version, claim, *is_kept)]
            }
        }
    }

    fn event(&self, id: CallId, note: &EventNote) -> Request {
        let object = event::object(id, note, self);
        let namespace = object["metadata"]["namespace"].as_str().unwrap_or_default().to_owned();
        let path = Path::in_namespace("events.k8s.io", "v1", &namespace).then("events");
        path.create("events", object, Wants::Nothing)
    }
}

fn pod_path(pod: &PodRef) -> Path {
    Path::in_namespace("", "v1", &pod.namespace).then("pods").then(&pod.name)
}

/// The server refuses it unless the pod has this uid and no node yet, and puts the annotations
/// on the pod in the same write.
fn bind(pod: &PodRef, node: &str, annotations: &Labels) -> Request {
    let mut metadata = json!({ "name": pod.name, "namespace": pod.namespace, "uid": pod.uid });
    if !annotations.is_empty() {
        metadata["annotations"] = json!(annotations);
    }
    let object = json!({
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": metadata,
        "target": { "apiVersion": "v1", "kind": "Node", "name": node },
    });
    pod_path(pod).then("binding").create("pods/binding", object, Wants::Nothing)
}

fn delete(pod: &PodRef) -> Request {
    let options = json!({
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "preconditions": { "uid": pod.uid },
    });
    pod_path(pod).delete("pods", options)
}

/// Conditions have the key `type`, so those of others stay.
fn pod_status(pod: &PodRef, condition: Option<&PodCondition>, nominated: Option<&str>) -> Request {
    let mut status = Map::new();
    if let Some(condition) = condition {
        let condition = json!({
            "type": condition.kind,
            "status": if condition.is_true { "True" } else { "False" },
            "reason": condition.reason,
            "message": condition.message,
            "lastTransitionTime": when::seconds(condition.since),
        });
        status.insert("conditions".to_owned(), json!([condition]));
    }
    if let Some(node) = nominated {
        status.insert("nominatedNodeName".to_owned(), filled(node));
    }
    let patch = json!({ "metadata": { "uid": pod.uid }, "status": status });
    pod_path(pod).then("status").patch("pods/status", Content::StrategicPatch, patch)
}

fn pod_ledger(pod: &PodRef, ledger: &Ledger) -> Request {
    let state = ledger::annotation(ledger);
    let patch = annotate(&pod.uid, &[(names::STATE, state)]);
    pod_path(pod).patch("pods", Content::MergePatch, patch)
}

fn claim_path(claim: &ClaimRef) -> Path {
    let path = Path::in_namespace("", "v1", &claim.namespace);
    path.then("persistentvolumeclaims").then(&claim.name)
}

fn select_node(claim: &ClaimRef, node: &str) -> Request {
    let patch = annotate(&claim.uid, &[(SELECTED_NODE, Some(node.to_owned()))]);
    claim_path(claim).patch("persistentvolumeclaims", Content::MergePatch, patch)
}

/// The server refuses it (422) where another node, or none, stands there by now.
fn deselect_node(claim: &ClaimRef, node: &str) -> Request {
    let path = format!("/metadata/annotations/{}", SELECTED_NODE.replace('/', "~1"));
    let patch = json!([
        { "op": "test", "path": "/metadata/uid", "value": claim.uid },
        { "op": "test", "path": path, "value": node },
        { "op": "remove", "path": path },
    ]);
    claim_path(claim).patch("persistentvolumeclaims", Content::JsonPatch, patch)
}

/// The server refuses it (409) where the volume has changed since. The annotation says that no
/// person chose the claim: when the cluster parts the two again, it frees the volume for all.
/// A volume without it goes on being kept for a claim of that name.
fn take_volume(volume: &str, version: &str, claim: &ClaimRef, is_kept: bool) -> Request {
    let mut metadata = json!({ "resourceVersion": version });
    if !is_kept {
        metadata["annotations"] = json!({ BOUND_BY_CONTROLLER: "yes" });
    }
    let patch = json!({
        "metadata": metadata,
        "spec": { "claimRef": {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "namespace": claim.namespace,
            "name": claim.name,
            "uid": claim.uid,
        } },
    });
    let path = Path::in_cluster("", "v1").then("persistentvolumes").then(volume);
    path.patch("persistentvolumes", Content::MergePatch, patch)
}

/// A merge patch that sets annotations of the object with this uid, or takes them away.
pub(super) fn annotate(uid: &str, annotations: &[(&str, Option<String>)]) -> Value {
    let set = annotations.iter().map(|(key, value)| ((*key).to_owned(), json!(value)));
    json!({ "metadata": { "uid": uid, "annotations": set.collect::<Map<String, Value>>() } })
}

/// Text, or `null` where there is none.
fn filled(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { text.into() }
}

fn leases(lease: &LeaseRef) -> Path {
    Path::in_namespace("coordination.k8s.io", "v1", &lease.namespace).then("leases")
}

fn lease_path(lease: &LeaseRef) -> Path {
    leases(lease).then(&lease.name)
}

/// The version, where there is one, makes a replacement fail if somebody else was faster.
fn lease_object(lease: &LeaseRef, record: &LeaseRecord) -> Value {
    let mut metadata = json!({ "name": lease.name, "namespace": lease.namespace });
    if !record.version.is_empty() {
        metadata["resourceVersion"] = record.version.clone().into();
    }
    // Rounded up: nobody may think that it ran out while its holder thinks it holds.
    let seconds = record.duration.ms().saturating_add(999) / 1000;
    let mut spec = json!({
        "leaseDurationSeconds": seconds.clamp(1, i64::from(i32::MAX)),
        "acquireTime": when::micros(record.acquired_at),
        "renewTime": when::micros(record.renewed_at),
        "leaseTransitions": record.transitions.min(i32::MAX.unsigned_abs()),
    });
    if !record.holder.is_empty() {
        spec["holderIdentity"] = record.holder.clone().into();
    }
    json!({
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": metadata,
        "spec": spec,
    })
}
