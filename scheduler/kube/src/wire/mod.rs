//! Slim shapes of API objects: only the fields that decide something, everything else is
//! skipped while reading.
//!
//! Invariants: every field may be missing *or* explicitly `null` (Kubernetes writes both;
//! `#[serde(default)]` alone refuses `null`), no field is kept that is never read, and no
//! text is judged here: that is [`crate::translate`]'s work, which can name the problem.

mod affinity;
mod budget;
mod cluster;
pub mod explanation;
pub mod groups;
pub mod kueue;
pub mod ledger;
mod meta;
mod node;
mod number;
mod pod;
mod quantity;
pub mod volcano;
pub mod volume;
pub mod workloads;

pub use affinity::{
    Affinity, LabelSelector, NodeAffinity, NodeSelector, NodeSelectorTerm, PodAffinity,
    PodAffinityTerm, PreferredNodeTerm, PreferredPodTerm, Requirement, SpreadConstraint,
};
pub use budget::{DisruptionBudget, DisruptionBudgetSpec, DisruptionBudgetStatus};
pub use cluster::{DaemonSet, DaemonSetSpec, Namespace, PriorityClass};
pub use meta::{Annotations, Meta, OwnerReference, text_map};
pub use node::{Node, NodeBody, NodeStatus, Taint};
pub use number::Number;
pub use pod::{
    ClaimVolume, Container, ContainerState, ContainerStatus, Gate, Named, Pod, PodBody, PodStatus,
    PodTemplate, Port, Requirements, SchedulingGroup, Terminated, Toleration, Volume, WorkloadRef,
};
pub use quantity::{Quantity, ResourceList};

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

/// Reads `null` like a missing field. Use it on every field of a wire struct.
///
/// # Errors
/// If the value is neither `null` nor a `T`.
pub fn null_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// True if the field is there and not `null`; its content is skipped.
///
/// # Errors
/// If the content is malformed.
pub fn is_present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::<IgnoredAny>::deserialize(deserializer)?.is_some())
}

/// One condition of an object's status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Condition {
    /// What the condition is about.
    #[serde(rename = "type", deserialize_with = "null_default")]
    pub kind: String,
    /// `True`, `False` or `Unknown`.
    #[serde(deserialize_with = "null_default")]
    pub status: String,
    /// One word why.
    #[serde(deserialize_with = "null_default")]
    pub reason: String,
    /// A sentence for people.
    #[serde(deserialize_with = "null_default")]
    pub message: String,
    /// When the status last changed.
    pub last_transition_time: Option<String>,
}

/// The condition of this type, if the object carries it.
#[must_use]
pub fn condition<'a>(conditions: &'a [Condition], kind: &str) -> Option<&'a Condition> {
    conditions.iter().find(|condition| condition.kind == kind)
}
