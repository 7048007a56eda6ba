//! The slim `Node`.

use super::{Condition, Meta, ResourceList, null_default};
use serde::Deserialize;

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Node {
    /// Identity and labels.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What people and controllers wish.
    #[serde(deserialize_with = "null_default")]
    pub spec: NodeBody,
    /// What the kubelet reports.
    #[serde(deserialize_with = "null_default")]
    pub status: NodeStatus,
}

/// `spec` of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeBody {
    /// Cordoned.
    #[serde(deserialize_with = "null_default")]
    pub unschedulable: bool,
    /// Marks that keep pods away.
    #[serde(deserialize_with = "null_default")]
    pub taints: Vec<Taint>,
}

/// One taint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Taint {
    /// Key.
    #[serde(deserialize_with = "null_default")]
    pub key: String,
    /// Value, possibly empty.
    #[serde(deserialize_with = "null_default")]
    pub value: String,
    /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    #[serde(deserialize_with = "null_default")]
    pub effect: String,
}

/// `status` of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeStatus {
    /// All there is.
    pub capacity: Option<ResourceList>,
    /// What pods may use of it.
    pub allocatable: Option<ResourceList>,
    /// Readiness and pressure.
    #[serde(deserialize_with = "null_default")]
    pub conditions: Vec<Condition>,
}
