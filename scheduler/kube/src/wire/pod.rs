//! The slim `Pod`, and the template that controllers make pods from.

use super::{
    Affinity, Condition, Meta, Number, ResourceList, SpreadConstraint, is_present, null_default,
    text_map,
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Pod {
    /// Identity and labels.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What its author wishes.
    #[serde(deserialize_with = "null_default")]
    pub spec: PodBody,
    /// What became of it.
    #[serde(deserialize_with = "null_default")]
    pub status: PodStatus,
}

/// What a controller makes pods from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodTemplate {
    /// Labels and annotations of each pod.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What each pod wishes.
    #[serde(deserialize_with = "null_default")]
    pub spec: PodBody,
}

/// `spec` of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodBody {
    /// Scheduler that places it; empty is the default one.
    #[serde(deserialize_with = "null_default")]
    pub scheduler_name: String,
    /// Node it is bound to.
    #[serde(deserialize_with = "null_default")]
    pub node_name: String,
    /// Labels its node must carry.
    #[serde(deserialize_with = "text_map")]
    pub node_selector: BTreeMap<String, String>,
    /// Node and pod affinity.
    #[serde(deserialize_with = "null_default")]
    pub affinity: Affinity,
    /// Taints it bears.
    #[serde(deserialize_with = "null_default")]
    pub tolerations: Vec<Toleration>,
    /// How it spreads over domains.
    #[serde(deserialize_with = "null_default")]
    pub topology_spread_constraints: Vec<SpreadConstraint>,
    /// Containers that run together.
    #[serde(deserialize_with = "null_default")]
    pub containers: Vec<Container>,
    /// Containers that run before, one after the other, and sidecars among them.
    #[serde(deserialize_with = "null_default")]
    pub init_containers: Vec<Container>,
    /// What the runtime itself takes.
    #[serde(deserialize_with = "null_default")]
    pub overhead: ResourceList,
    /// Requests and limits of the pod as a whole.
    #[serde(deserialize_with = "null_default")]
    pub resources: Requirements,
    /// It shares the node's network: container ports are host ports.
    #[serde(deserialize_with = "null_default")]
    pub host_network: bool,
    /// Priority number, filled in by admission.
    pub priority: Option<Number>,
    /// Priority class by name.
    #[serde(deserialize_with = "null_default")]
    pub priority_class_name: String,
    /// Whether it evicts others; filled in by admission from its class.
    #[serde(deserialize_with = "null_default")]
    pub preemption_policy: String,
    /// Gates that must open first.
    #[serde(deserialize_with = "null_default")]
    pub scheduling_gates: Vec<Gate>,
    /// Volumes.
    #[serde(deserialize_with = "null_default")]
    pub volumes: Vec<Volume>,
    /// Dynamic resource claims.
    #[serde(deserialize_with = "null_default")]
    pub resource_claims: Vec<Named>,
    /// Upper bound of its run time.
    pub active_deadline_seconds: Option<Number>,
    /// Its group, as written since Kubernetes 1.36.
    #[serde(deserialize_with = "null_default")]
    pub scheduling_group: SchedulingGroup,
    /// Its group, as written in Kubernetes 1.35.
    #[serde(deserialize_with = "null_default")]
    pub workload_ref: WorkloadRef,
}

/// A container, an init container or a sidecar.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Container {
    /// Name inside the pod.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// `Always` makes an init container a sidecar.
    #[serde(deserialize_with = "null_default")]
    pub restart_policy: String,
    /// Requests and limits.
    #[serde(deserialize_with = "null_default")]
    pub resources: Requirements,
    /// Ports.
    #[serde(deserialize_with = "null_default")]
    pub ports: Vec<Port>,
}

/// Requests and limits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Requirements {
    /// What is set aside.
    pub requests: Option<ResourceList>,
    /// What is never exceeded.
    pub limits: Option<ResourceList>,
}

/// A port of a container.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Port {
    /// Port inside the pod.
    pub container_port: Option<Number>,
    /// Port on the node; 0 takes none.
    pub host_port: Option<Number>,
    /// Address on the node; empty is every one.
    #[serde(rename = "hostIP", deserialize_with = "null_default")]
    pub host_ip: String,
    /// `TCP`, `UDP` or `SCTP`; empty is TCP.
    #[serde(deserialize_with = "null_default")]
    pub protocol: String,
}

/// One toleration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Toleration {
    /// Taint key.
    #[serde(deserialize_with = "null_default")]
    pub key: String,
    /// `Equal`, `Exists`, `Gt` or `Lt`; empty is Equal.
    #[serde(deserialize_with = "null_default")]
    pub operator: String,
    /// Value to compare with.
    #[serde(deserialize_with = "null_default")]
    pub value: String,
    /// Effect; empty matches all.
    #[serde(deserialize_with = "null_default")]
    pub effect: String,
}

/// A scheduling gate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Gate {
    /// Name of the gate.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
}

/// Anything of which only the name matters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Named {
    /// Name.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
}

/// A volume: only those that can tie a pod to a node are told apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Volume {
    /// Name inside the pod.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// A claim that exists by itself.
    pub persistent_volume_claim: Option<ClaimVolume>,
    /// A claim made for this pod.
    #[serde(deserialize_with = "is_present")]
    pub ephemeral: bool,
    /// An AWS disk, written inline.
    #[serde(deserialize_with = "is_present")]
    pub aws_elastic_block_store: bool,
    /// A Google disk, written inline.
    #[serde(deserialize_with = "is_present")]
    pub gce_persistent_disk: bool,
    /// A Ceph image, written inline.
    #[serde(deserialize_with = "is_present")]
    pub rbd: bool,
    /// An iSCSI target, written inline.
    #[serde(deserialize_with = "is_present")]
    pub iscsi: bool,
}

/// Reference to a persistent volume claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaimVolume {
    /// Name of the claim.
    #[serde(deserialize_with = "null_default")]
    pub claim_name: String,
}

/// `spec.schedulingGroup` of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SchedulingGroup {
    /// Name of the PodGroup.
    #[serde(deserialize_with = "null_default")]
    pub pod_group_name: String,
}

/// `spec.workloadRef` of a pod (Kubernetes 1.35).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadRef {
    /// Name of the Workload.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// Name of the group inside it.
    #[serde(deserialize_with = "null_default")]
    pub pod_group: String,
    /// Which replica of that group.
    #[serde(deserialize_with = "null_default")]
    pub pod_group_replica_key: String,
}

/// `status` of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodStatus {
    /// Life phase.
    #[serde(deserialize_with = "null_default")]
    pub phase: String,
    /// One word why it is in that phase.
    #[serde(deserialize_with = "null_default")]
    pub reason: String,
    /// Node that a scheduler reserved for it.
    #[serde(deserialize_with = "null_default")]
    pub nominated_node_name: String,
    /// Conditions.
    #[serde(deserialize_with = "null_default")]
    pub conditions: Vec<Condition>,
    /// When the kubelet took it over.
    pub start_time: Option<String>,
    /// State of the containers.
    #[serde(deserialize_with = "null_default")]
    pub container_statuses: Vec<ContainerStatus>,
    /// State of the init containers.
    #[serde(deserialize_with = "null_default")]
    pub init_container_statuses: Vec<ContainerStatus>,
    /// Progress of a resize, as written before Kubernetes 1.33.
    #[serde(deserialize_with = "null_default")]
    pub resize: String,
    /// Requests in force for the pod as a whole.
    #[serde(deserialize_with = "null_default")]
    pub resources: Requirements,
    /// Requests the kubelet granted to the pod as a whole.
    #[serde(deserialize_with = "null_default")]
    pub allocated_resources: ResourceList,
}

/// State of one container.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerStatus {
    /// Name of the container.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// Requests in force.
    #[serde(deserialize_with = "null_default")]
    pub resources: Requirements,
    /// Requests the kubelet granted.
    pub allocated_resources: Option<ResourceList>,
    /// What it does now.
    #[serde(deserialize_with = "null_default")]
    pub state: ContainerState,
}

/// What a container does now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContainerState {
    /// Set once it has ended.
    #[serde(deserialize_with = "null_default")]
    pub terminated: Terminated,
}

/// How a container ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Terminated {
    /// When.
    pub finished_at: Option<String>,
}

impl Container {
    /// True for an init container that keeps running beside the others.
    #[must_use]
    pub fn is_sidecar(&self) -> bool {
        self.restart_policy == "Always"
    }
}
