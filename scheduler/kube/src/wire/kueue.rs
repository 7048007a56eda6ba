//! Kueue's kinds in both served versions: ClusterQueue, LocalQueue, Cohort, ResourceFlavor.
//! Its Topology has the shape of ours, see [`super::groups::Topology`].

use super::{LabelSelector, Meta, Quantity, null_default, text_map};
use serde::Deserialize;
use std::collections::BTreeMap;

/// `kueue.x-k8s.io` ClusterQueue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ClusterQueue {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it grants.
    #[serde(deserialize_with = "null_default")]
    pub spec: ClusterQueueSpec,
}

/// `spec` of a ClusterQueue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterQueueSpec {
    /// Quotas.
    #[serde(deserialize_with = "null_default")]
    pub resource_groups: Vec<ResourceGroup>,
    /// Cohort (v1beta2).
    #[serde(deserialize_with = "null_default")]
    pub cohort_name: String,
    /// Cohort (v1beta1).
    #[serde(deserialize_with = "null_default")]
    pub cohort: String,
    /// `StrictFIFO` or `BestEffortFIFO`.
    #[serde(deserialize_with = "null_default")]
    pub queueing_strategy: String,
    /// `None`, `Hold` or `HoldAndDrain`.
    #[serde(deserialize_with = "null_default")]
    pub stop_policy: String,
    /// Share among siblings.
    #[serde(deserialize_with = "null_default")]
    pub fair_sharing: FairSharing,
    /// Namespaces that may use it: none where it is absent, all where it is empty.
    pub namespace_selector: Option<LabelSelector>,
}

/// Quotas of resources that come from the same flavours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ResourceGroup {
    /// Quotas per flavour.
    #[serde(deserialize_with = "null_default")]
    pub flavors: Vec<FlavorQuotas>,
}

/// Quotas of one flavour.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct FlavorQuotas {
    /// Name of the ResourceFlavor.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// Quotas per resource.
    #[serde(deserialize_with = "null_default")]
    pub resources: Vec<ResourceQuota>,
}

/// Quota of one resource in one flavour.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceQuota {
    /// Resource name.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// Own quota.
    #[serde(deserialize_with = "null_default")]
    pub nominal_quota: Option<Quantity>,
    /// What may be borrowed above it; absent is unlimited.
    #[serde(deserialize_with = "null_default")]
    pub borrowing_limit: Option<Quantity>,
    /// What others may borrow of it; absent is all.
    #[serde(deserialize_with = "null_default")]
    pub lending_limit: Option<Quantity>,
}

/// Share among siblings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct FairSharing {
    /// A quantity; 1 where it is absent.
    #[serde(deserialize_with = "null_default")]
    pub weight: Option<Quantity>,
}

/// `kueue.x-k8s.io` LocalQueue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LocalQueue {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// Where it leads.
    #[serde(deserialize_with = "null_default")]
    pub spec: LocalQueueSpec,
}

/// `spec` of a LocalQueue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LocalQueueSpec {
    /// Queue above.
    #[serde(deserialize_with = "null_default")]
    pub cluster_queue: String,
    /// `None`, `Hold` or `HoldAndDrain`.
    #[serde(deserialize_with = "null_default")]
    pub stop_policy: String,
    /// Share among siblings.
    #[serde(deserialize_with = "null_default")]
    pub fair_sharing: FairSharing,
}

/// `kueue.x-k8s.io` Cohort.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Cohort {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it grants.
    #[serde(deserialize_with = "null_default")]
    pub spec: CohortSpec,
}

/// `spec` of a Cohort.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CohortSpec {
    /// Cohort above (v1beta2).
    #[serde(deserialize_with = "null_default")]
    pub parent_name: String,
    /// Cohort above (v1alpha1, v1beta1).
    #[serde(deserialize_with = "null_default")]
    pub parent: String,
    /// Quotas of its own, beside those of its members.
    #[serde(deserialize_with = "null_default")]
    pub resource_groups: Vec<ResourceGroup>,
    /// Share among siblings.
    #[serde(deserialize_with = "null_default")]
    pub fair_sharing: FairSharing,
}

/// `kueue.x-k8s.io` ResourceFlavor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ResourceFlavor {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// Which nodes belong to it.
    #[serde(deserialize_with = "null_default")]
    pub spec: ResourceFlavorSpec,
}

/// `spec` of a ResourceFlavor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceFlavorSpec {
    /// Labels of its nodes; none means all nodes.
    #[serde(deserialize_with = "text_map")]
    pub node_labels: BTreeMap<String, String>,
}
