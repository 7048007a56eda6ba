//! The slim `PodDisruptionBudget`.

use super::{LabelSelector, Meta, null_default};
use serde::Deserialize;

/// A PodDisruptionBudget.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DisruptionBudget {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it covers.
    #[serde(deserialize_with = "null_default")]
    pub spec: DisruptionBudgetSpec,
    /// What its controller counted; `None` before it did.
    pub status: Option<DisruptionBudgetStatus>,
}

/// `spec` of a PodDisruptionBudget: how many pods may go is read from the status alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct DisruptionBudgetSpec {
    /// Which pods of its namespace.
    pub selector: Option<LabelSelector>,
}

/// `status` of a PodDisruptionBudget.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DisruptionBudgetStatus {
    /// The generation of the spec that was counted by.
    #[serde(deserialize_with = "null_default")]
    pub observed_generation: i64,
    /// So many pods may go now.
    #[serde(deserialize_with = "null_default")]
    pub disruptions_allowed: i64,
}
