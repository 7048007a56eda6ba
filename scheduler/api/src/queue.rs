//! `Queue`: where gangs wait, and what all of them together may use.
#![allow(clippy::duplicated_attributes, reason = "two columns may have one type")]
#![allow(unreachable_pub, reason = "KubeSchema repeats each struct inside a function")]

use crate::quantity;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    printcolumn(name = "Closed", type_ = "boolean", json_path = ".spec.closed"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
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

    /// Ceilings by resource on what this queue and all below it use together. A resource that is
    /// not named is unlimited.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "quantity::resources")]
    pub limit: BTreeMap<String, Quantity>,

    /// Ceilings that count only what runs on nodes of one flavor, such as one GPU model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 64),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["flavor"])
    )]
    pub flavor_limits: Vec<FlavorLimit>,

    /// True closes the queue: gangs in it and below it wait, what runs goes on.
    #[serde(default)]
    pub closed: bool,
}

/// Ceilings on what a queue uses on nodes of one flavor.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FlavorLimit {
    /// Name of the flavor.
    #[schemars(length(min = 1, max = 253))]
    pub flavor: String,
    /// Ceilings by resource.
    #[schemars(schema_with = "quantity::resources")]
    pub limit: BTreeMap<String, Quantity>,
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
}
