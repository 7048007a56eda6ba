//! `PodGroup`: pods that start together or not at all.
#![allow(clippy::duplicated_attributes, reason = "two columns may have one type")]
#![allow(unreachable_pub, reason = "KubeSchema repeats each struct inside a function")]

use crate::quantity::DURATION;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// What a gang asks for.
#[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[kube(
    group = "muster.sh",
    version = "v1alpha1",
    kind = "PodGroup",
    namespaced,
    status = "PodGroupStatus",
    shortname = "mpg",
    category = "muster",
    derive = "PartialEq",
    doc = "Pods that start together or not at all. A pod joins by the label muster.sh/pod-group.",
    printcolumn(name = "Phase", type_ = "string", json_path = ".status.phase"),
    printcolumn(name = "Min", type_ = "integer", json_path = ".spec.minAvailable"),
    printcolumn(name = "Placed", type_ = "integer", json_path = ".status.counts.placed"),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Scheduled\")].reason"
    ),
    printcolumn(name = "Queue", type_ = "string", json_path = ".spec.queue", priority = 1),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[serde(rename_all = "camelCase")]
pub struct PodGroupSpec {
    /// Least number of pods that must run together; 1 if absent. No pod of the group starts
    /// before this many have a place. Pods above it follow as room allows.
    #[schemars(range(min = 1))]
    pub min_available: Option<i32>,

    /// Least numbers per role, on top of `minAvailable`. A pod names its role by the label
    /// `muster.sh/role`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 64),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"])
    )]
    pub roles: Vec<PodGroupRole>,

    /// Queue that the group waits in. If absent, the label `muster.sh/queue` of a pod or of the
    /// namespace decides, else it is `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub queue: Option<String>,

    /// Name of a PriorityClass that orders the group in its queue. If absent, the highest
    /// priority among its pods counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253))]
    pub priority_class_name: Option<String>,

    /// Where the pods must or should be close together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<PodGroupTopology>,

    /// Longest time the group will run, as a duration such as `90m` or `1h30m`. Only planning
    /// ahead reads it (start estimates, room for gangs further back). Reaching it does nothing by
    /// itself: no pod is stopped. To stop pods, use `activeDeadlineSeconds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64), regex(pattern = DURATION))]
    pub walltime: Option<String>,

    /// False wishes that the group is not evicted for others. It counts only where the queue
    /// grants it (`wishes.nonPreemptible`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preemptible: Option<bool>,

    /// How long the group wishes to be safe from eviction after it began to run, as a duration
    /// such as `30m`. It counts as far as the queue grants it (`wishes.minRuntime`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64), regex(pattern = DURATION))]
    pub min_runtime: Option<String>,

    /// What a restart costs each pod beyond the minute that each costs, in pod-seconds: of two
    /// groups, the one goes that loses less by it. It counts as far as the queue grants it
    /// (`wishes.preemptionCost`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub preemption_cost: Option<i32>,
}

/// The least number of pods of one role.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PodGroupRole {
    /// Role, as in the pod label `muster.sh/role`.
    #[schemars(length(min = 1, max = 63))]
    pub name: String,
    /// Least number of pods of this role that must run together; 1 if absent.
    #[schemars(range(min = 0))]
    pub min_available: Option<i32>,
}

/// Where the pods of a group must or should be close together.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("has(self.required) || has(self.preferred)")
    .message("name the level in `required` or in `preferred`"))]
pub struct PodGroupTopology {
    /// Name of the Topology whose levels are meant. May be absent if the cluster has only one,
    /// or if the levels are given as node label keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub topology: Option<String>,
    /// Level (its name, or its node label key) that all pods must share: the group waits until
    /// one domain of that level has room for all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 317))]
    pub required: Option<String>,
    /// Level that the pods share if one of its domains has room, and else do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 317))]
    pub preferred: Option<String>,
}

/// What became of a group. Written by muster.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PodGroupStatus {
    /// Where the group stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<PodGroupPhase>,

    /// Generation of the group that all of this is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// Least number of pods, as muster understands the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<i32>,

    /// Pods by what became of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<PodGroupCounts>,

    /// Latest observations. `Scheduled` says whether the group has a place, and why not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 16),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"])
    )]
    pub conditions: Vec<Condition>,

    /// Why the group, or the rest of it, waits: the same as `muster explain -o json` prints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "open_object")]
    pub explanation: Option<serde_json::Value>,

    /// What muster must know of the group after a restart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<PodGroupLedger>,

    /// All of this as one number: muster does not write again what stands here already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// Where a group stands.
#[derive(JsonSchema, Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum PodGroupPhase {
    /// It has no pods yet, and its queue does not take it yet.
    Pending,
    /// Its queue takes it; it waits for pods or for room.
    Admitted,
    /// Its minimum has places.
    Running,
    /// Pods have places, but fewer than the minimum.
    Broken,
    /// No unfinished pod is left.
    Done,
}

/// Pods by what became of them.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PodGroupCounts {
    /// Unfinished pods.
    #[serde(default)]
    pub exist: i32,
    /// Unfinished pods that have a node.
    #[serde(default)]
    pub placed: i32,
    /// Pods that run.
    #[serde(default)]
    pub running: i32,
    /// Pods of this run that succeeded.
    #[serde(default)]
    pub succeeded: i32,
    /// Pods of this run that failed.
    #[serde(default)]
    pub failed: i32,
}

/// What muster must know of a group after a restart. All of it belongs to one run.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PodGroupLedger {
    /// When the first pod of the run was created: names the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub run: Option<String>,
    /// Creation of the youngest pod of the run, as far as it was worth a write: pods up to it
    /// show that this speaks of their run once all older ones are gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub youngest: Option<String>,
    /// When the group first had its minimum of existing, ungated pods: its age in the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub age: Option<String>,
    /// Since when it lacks room.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub blocked_since: Option<String>,
    /// Since when it has pods in place, but fewer than its minimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub broken_since: Option<String>,
    /// It once had its minimum in place.
    #[serde(default, skip_serializing_if = "is_false")]
    pub has_started: bool,
    /// How often it was released to start again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub releases: i32,
    /// Pods of the run that succeeded, by role.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub succeeded: Vec<RoleCount>,
    /// The minimum with which it was begun, where the group asks for another now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<PodGroupMinimum>,
    /// When it was evicted for others, within the last hour.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub evicted: Vec<String>,
    /// The room that is being made for it, by evicting others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservation: Option<PodGroupReservation>,
}

/// Room that is being made for a group.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PodGroupReservation {
    /// Names the plan; the condition DisruptionTarget of its victims ends with this number.
    #[serde(default)]
    pub plan: i64,
    /// It is given up then, if the victims are not gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub until: Option<String>,
    /// Pods that still have to go.
    #[serde(default)]
    pub victims: i32,
    /// Pods of the group by node; empty where they are on more than 64 nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub nodes: Vec<NodeCount>,
}

/// A number of pods on one node.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeCount {
    /// The node.
    #[serde(default)]
    pub node: String,
    /// How many.
    #[serde(default)]
    pub count: i32,
}

/// Least numbers of pods.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PodGroupMinimum {
    /// Of all roles together.
    #[serde(default)]
    pub total: i32,
    /// Of single roles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub roles: Vec<RoleCount>,
}

/// A number of pods of one role.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RoleCount {
    /// The role; empty for pods without one.
    #[serde(default)]
    pub role: String,
    /// How many.
    #[serde(default)]
    pub count: i32,
}

/// An object whose fields are not the API server's business.
fn open_object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields in by reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields in by reference")]
const fn is_zero(value: &i32) -> bool {
    *value == 0
}
