//! `Queue`: where gangs wait, and what all of them together may use.
#![allow(clippy::duplicated_attributes, reason = "two columns may have one type")]
#![allow(unreachable_pub, reason = "KubeSchema repeats each struct inside a function")]

use crate::quantity::{self, DURATION};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, LabelSelector};
use kube::{CustomResource, KubeSchema};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

// Amounts that are written as text are compared where queues are read: CEL would have to parse
// them, and API servers refuse what that costs (eight times the budget for one such rule on two
// maps). Whole numbers cost next to nothing.
/// What is dedicated fits the limit of the same resource, where both are whole numbers.
const KEEPS_WITHIN_LIMIT: &str = "!has(self.dedicated) || !has(self.limit) || \
     self.dedicated.all(r, !(r in self.limit) || type(self.dedicated[r]) != int || \
     type(self.limit[r]) != int || int(self.dedicated[r]) <= int(self.limit[r]))";
/// The same of each flavor.
const FLAVORS_KEEP_WITHIN_LIMIT: &str = "!has(self.flavors) || self.flavors.all(f, \
     !has(f.dedicated) || !has(f.limit) || f.dedicated.all(r, !(r in f.limit) || \
     type(f.dedicated[r]) != int || type(f.limit[r]) != int || \
     int(f.dedicated[r]) <= int(f.limit[r])))";
/// What is dedicated on one flavor counts towards the limit over all of them.
const FLAVORS_KEEP_WITHIN_LIMIT_OF_ALL: &str = "!has(self.flavors) || !has(self.limit) || \
     self.flavors.all(f, !has(f.dedicated) || f.dedicated.all(r, !(r in self.limit) || \
     type(f.dedicated[r]) != int || type(self.limit[r]) != int || \
     int(f.dedicated[r]) <= int(self.limit[r])))";
const KEEPS_MESSAGE: &str = "dedicated must not be above the limit of the same resource";
/// What is said of all flavors may rest on what each of them deserves.
const LENDS_WHAT_IT_DESERVES: &str = "!has(self.lendingLimit) || self.lendingLimit.all(r, \
     (has(self.deserved) && r in self.deserved) || (has(self.flavors) && \
     self.flavors.exists(f, has(f.deserved) && r in f.deserved)))";
/// What is said of one flavor may rest on what all of them deserve together.
const FLAVORS_LEND_WHAT_THEY_DESERVE: &str = "!has(self.flavors) || self.flavors.all(f, \
     !has(f.lendingLimit) || f.lendingLimit.all(r, (has(f.deserved) && r in f.deserved) || \
     (has(self.deserved) && r in self.deserved)))";
/// Whoever means nobody closes the queue.
const NAMES_SOMEBODY: &str = "(has(self.names) && size(self.names) > 0) || has(self.selector)";
const NAMES_MESSAGE: &str = "namespaces needs names or a selector; close the queue to keep all out";
/// Whoever tells users apart limits them.
const LIMITS_USERS: &str = "has(self.limit) || has(self.maxRunning)";
const LIMITS_USERS_MESSAGE: &str = "users needs a limit or maxRunning";
const LENDS_MESSAGE: &str = "lendingLimit needs an amount of the same resource in deserved";

/// Node labels with one value each.
fn labels(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "maxProperties": 64,
        "additionalProperties": {
            "type": "string",
            "maxLength": 63,
            "pattern": "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$",
        },
    })
}

/// One queue of the tree.
#[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[kube(
    group = "muster.sh",
    version = "v1alpha1",
    kind = "Queue",
    status = "QueueStatus",
    shortname = "mq",
    category = "muster",
    derive = "PartialEq",
    doc = "Where gangs wait, and what all of them together may use.",
    validation = Rule::new("!has(self.spec.parent) || self.spec.parent != self.metadata.name")
        .message("a queue cannot be its own parent"),
    printcolumn(name = "Parent", type_ = "string", json_path = ".spec.parent"),
    printcolumn(name = "Weight", type_ = "integer", json_path = ".spec.weight"),
    printcolumn(
        name = "Accepted",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Accepted\")].status"
    ),
    printcolumn(name = "Waiting", type_ = "integer", json_path = ".status.waiting"),
    printcolumn(name = "Closed", type_ = "boolean", json_path = ".spec.closed"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[x_kube(validation = Rule::new(KEEPS_WITHIN_LIMIT).message(KEEPS_MESSAGE))]
#[x_kube(validation = Rule::new(FLAVORS_KEEP_WITHIN_LIMIT).message(KEEPS_MESSAGE))]
#[x_kube(validation = Rule::new(FLAVORS_KEEP_WITHIN_LIMIT_OF_ALL).message(KEEPS_MESSAGE))]
#[x_kube(validation = Rule::new(LENDS_WHAT_IT_DESERVES).message(LENDS_MESSAGE))]
#[x_kube(validation = Rule::new(FLAVORS_LEND_WHAT_THEY_DESERVE).message(LENDS_MESSAGE))]
#[serde(rename_all = "camelCase")]
pub struct QueueSpec {
    /// Name of the queue above this one; if absent it stands at the top. While the parent does
    /// not exist, gangs in this queue wait with that reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub parent: Option<String>,

    /// Share among the queues with the same parent, relative to their weights; 1 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65535))]
    pub weight: Option<i32>,

    /// Queues of higher priority go first where shares are equal; 0 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,

    /// By resource, what is kept for this queue and all below it, whether they use it or not: it
    /// is never lent. A resource that is not named has nothing kept.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "quantity::resources")]
    pub dedicated: BTreeMap<String, Quantity>,

    /// By resource, what this queue and all below it are entitled to together: lent to others
    /// while it is unused, and taken back when it is wanted. Where a resource is not named, the
    /// weight says how much.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "quantity::resources")]
    pub deserved: BTreeMap<String, Quantity>,

    /// Ceilings by resource on what this queue and all below it use together. A resource that is
    /// not named is unlimited.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "quantity::resources")]
    pub limit: BTreeMap<String, Quantity>,

    /// By resource, the most that may be used above what is deserved. A resource that is not
    /// named may be borrowed up to the limit.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "quantity::resources")]
    pub borrowing_limit: BTreeMap<String, Quantity>,

    /// By resource, the most of what is deserved that others may use. Of a resource that is not
    /// named, all is lent that is not dedicated. Needs an amount in `deserved`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "quantity::resources")]
    pub lending_limit: BTreeMap<String, Quantity>,

    /// The same amounts, counting only what runs on nodes of one flavor, such as one GPU model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 64),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"])
    )]
    pub flavors: Vec<FlavorQuota>,

    /// True closes the queue: gangs in it and below it wait, what runs goes on.
    #[serde(default)]
    pub closed: bool,

    /// False keeps for this queue and all below it what their gangs use: no other queue takes it
    /// back, also where it is above their fair share. True if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reclaimable: Option<bool>,

    /// False keeps gangs of this queue and of all below it from evicting gangs of lower priority
    /// in their own queue. True if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preempts: Option<bool>,

    /// False keeps gangs of this queue and of all below it from being evicted, by whomever. True
    /// if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preemptible: Option<bool>,

    /// How long gangs of this queue and of all below it are safe from eviction after they began
    /// to run, as a duration such as `10m`. A queue below may say longer, not shorter.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64), regex(pattern = DURATION))]
    pub min_runtime: Option<String>,

    /// The most that gangs of this queue and of all below it may wish for themselves. A wish
    /// beyond it counts as the most. A queue below may say less, not more; what no queue on the
    /// way up says is as the fields describe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wishes: Option<WishMaxima>,

    /// In which order gangs of this queue go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<QueueOrder>,

    /// False never holds room for gangs of this queue, and of each queue below that says nothing.
    /// True where none on the way up says anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<bool>,

    /// How long the first gang of this queue, and of each queue below that says nothing, is
    /// blocked before room is held for it, as a duration such as `10m`; `0s` is at once. As the
    /// scheduler is configured where none on the way up says anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64), regex(pattern = DURATION))]
    pub hold_after: Option<String>,

    /// The namespaces whose gangs may use this queue and all below it; a queue below may say
    /// fewer, not more. Gangs of others wait with that reason, what runs goes on. All namespaces
    /// if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespaces: Option<NamespaceRule>,

    /// Labels of the nodes that gangs of this queue and of all below it may go to, as a pod's
    /// `nodeSelector`: all of them must be there, and those of the queues above too. Every node if
    /// absent. Pods of DaemonSets go where they belong all the same.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "labels")]
    pub node_selector: BTreeMap<String, String>,

    /// The most gangs of this queue and of all below it that run at once. A gang counts from its
    /// first pod placed until none is left, and while room is kept for it; a pod without a group
    /// is a gang. One that runs is never stopped by it, whether it grows or is repaired; nor is
    /// anybody evicted for it. No end if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_running: Option<i32>,

    /// What each user may have of this queue and of all below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub users: Option<UserLimits>,
}

/// What each user of a queue may have of it and of all below it.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[x_kube(validation = Rule::new(LIMITS_USERS).message(LIMITS_USERS_MESSAGE))]
#[serde(rename_all = "camelCase")]
pub struct UserLimits {
    /// Key of the label that names a gang's user, on its group or else on its first pod by uid.
    /// Gangs without it are all of one user, whose name is empty. The user is the namespace if
    /// absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 317))]
    pub label: Option<String>,
    /// Ceilings by resource on what the gangs of one user use together. A resource that is not
    /// named is unlimited.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "quantity::resources")]
    pub limit: BTreeMap<String, Quantity>,
    /// The most gangs of one user that run at once, counted as those of the queue. No end if
    /// absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_running: Option<i32>,
}

/// In which order this queue serves its own gangs, and each queue below that says nothing its own;
/// `priority` where none on the way up says anything. Higher priority goes before age in all of
/// them. `priority`: whoever fits may pass, and room is held in time for the first gang that waits.
/// `fifo`: nobody of the queue passes the first gang that could run once others have ended.
/// `bestEffortFifo`: whoever fits may pass, and no room is ever held. `fairByUser`: the user goes
/// first who uses least in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum QueueOrder {
    /// By priority, then by age; room is held in time for the first one.
    Priority,
    /// The same order, and nobody passes the first one that could run.
    Fifo,
    /// The same order; whoever fits may pass, and no room is ever held.
    BestEffortFifo,
    /// The user goes first who uses least in the queue.
    FairByUser,
}

/// Which namespaces: those of the list, and those that the selector selects.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[x_kube(validation = Rule::new(NAMES_SOMEBODY).message(NAMES_MESSAGE))]
#[serde(rename_all = "camelCase")]
pub struct NamespaceRule {
    /// Names of namespaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 256), inner(length(min = 1, max = 63)))]
    pub names: Vec<String>,
    /// Labels of namespaces; `{}` selects all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
}

/// The most that gangs may wish for themselves where others want their room.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WishMaxima {
    /// Whether gangs and pods may wish not to be evicted (`preemptible: false`). Where no queue
    /// says so, they may not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub non_preemptible: Option<bool>,
    /// How long they may wish to be safe after they began to run, as a duration such as `1h`.
    /// Not at all where no queue says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64), regex(pattern = DURATION))]
    pub min_runtime: Option<String>,
    /// How many pod-seconds they may add to the cost of each pod. 3600 where no queue says
    /// otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub preemption_cost: Option<i32>,
}

/// What a queue may use on nodes of one flavor. The amounts mean what they mean in the queue.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FlavorQuota {
    /// Name of the flavor.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
    /// Kept for the queue, by resource.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "quantity::resources")]
    pub dedicated: BTreeMap<String, Quantity>,
    /// Its entitlement, by resource.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "quantity::resources")]
    pub deserved: BTreeMap<String, Quantity>,
    /// Ceilings by resource.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "quantity::resources")]
    pub limit: BTreeMap<String, Quantity>,
    /// Most that it uses above what it deserves, by resource.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "quantity::resources")]
    pub borrowing_limit: BTreeMap<String, Quantity>,
    /// Most of what it deserves that others use, by resource.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "quantity::resources")]
    pub lending_limit: BTreeMap<String, Quantity>,
}

/// What became of a queue. Written by muster.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueStatus {
    /// Latest observations. `Accepted` is false where the queue cannot be used, such as in a
    /// cycle of parents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 16),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"])
    )]
    pub conditions: Vec<Condition>,
    /// What gangs in this queue and below it use, by resource. `muster queues` has newer numbers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "quantity::resources")]
    pub used: BTreeMap<String, Quantity>,
    /// What it may call its own if it wants that much, by resource: what is deserved, or what its
    /// weight says.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "quantity::resources")]
    pub entitled: BTreeMap<String, Quantity>,
    /// Its share of what there is now, by resource: its own of what it wants, with what others
    /// lend.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "quantity::resources")]
    pub fair: BTreeMap<String, Quantity>,
    /// Groups and pods of this queue itself that wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub waiting: Option<i32>,
}
