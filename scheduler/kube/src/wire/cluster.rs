//! The slim small kinds: `Namespace`, `PriorityClass`, `DaemonSet`.

use super::{Meta, Number, PodTemplate, null_default};
use serde::Deserialize;

/// A namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Namespace {
    /// Identity and labels.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
}

/// A priority class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PriorityClass {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// Number it stands for.
    pub value: Option<Number>,
    /// Used by pods that name no class.
    #[serde(deserialize_with = "null_default")]
    pub global_default: bool,
    /// Whether its pods evict others.
    #[serde(deserialize_with = "null_default")]
    pub preemption_policy: String,
}

/// A DaemonSet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DaemonSet {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it runs.
    #[serde(deserialize_with = "null_default")]
    pub spec: DaemonSetSpec,
}

/// `spec` of a DaemonSet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DaemonSetSpec {
    /// What its pods are made from.
    #[serde(deserialize_with = "null_default")]
    pub template: PodTemplate,
}
