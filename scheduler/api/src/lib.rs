//! muster's own Kubernetes kinds as wire types, and the names it reads and writes on objects.
//!
//! One file per kind; [`names`] holds labels, annotations and condition types of all of them.
//! The files under `manifests/crds` are made from these types, see [`crds`].
//!
//! Invariant: no client, no decision. Reading objects of users goes through the slim structs of
//! `scheduler/kube`, which accept what these strict types would refuse.

pub mod names;
mod pod_group;
mod quantity;
mod queue;
mod topology;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;

pub use pod_group::{
    NodeCount, PodGroup, PodGroupCounts, PodGroupLedger, PodGroupMinimum, PodGroupPhase,
    PodGroupReservation, PodGroupRole, PodGroupSpec, PodGroupStatus, PodGroupTopology, RoleCount,
};
pub use queue::{
    FlavorQuota, NamespaceRule, Queue, QueueSpec, QueueStatus, UserLimits, WishMaxima,
};
pub use topology::{Topology, TopologyLevel, TopologySpec, TopologyStatus};

/// The definitions of all kinds of this crate, in the order in which they are shown.
#[must_use]
pub fn crds() -> Vec<CustomResourceDefinition> {
    vec![PodGroup::crd(), Queue::crd(), Topology::crd()]
}
