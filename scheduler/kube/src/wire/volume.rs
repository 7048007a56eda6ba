//! The slim shapes of what volumes are decided by: claims, volumes, storage classes, drivers,
//! and what drivers say about nodes and room.

use super::{LabelSelector, Meta, NodeSelector, Number, Quantity, ResourceList, null_default};
use serde::Deserialize;

/// A `PersistentVolumeClaim`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Claim {
    /// Identity and annotations.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What is wanted.
    #[serde(deserialize_with = "null_default")]
    pub spec: ClaimBody,
    /// What became of it.
    #[serde(deserialize_with = "null_default")]
    pub status: Phase,
}

/// `spec` of a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaimBody {
    /// Access modes.
    #[serde(deserialize_with = "null_default")]
    pub access_modes: Vec<String>,
    /// Which volumes may serve it.
    pub selector: Option<LabelSelector>,
    /// How large it must be.
    #[serde(deserialize_with = "null_default")]
    pub resources: ClaimResources,
    /// The volume it is bound to, or is to be.
    #[serde(deserialize_with = "null_default")]
    pub volume_name: String,
    /// Storage class; an empty one means none at all.
    pub storage_class_name: Option<String>,
    /// `Block` or `Filesystem`.
    #[serde(deserialize_with = "null_default")]
    pub volume_mode: String,
}

/// `spec.resources` of a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaimResources {
    /// Least amounts; only `storage` means something.
    #[serde(deserialize_with = "null_default")]
    pub requests: ResourceList,
}

/// `status` of a claim or volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Phase {
    /// One word.
    #[serde(deserialize_with = "null_default")]
    pub phase: String,
}

/// Metadata with the version of the object, which is a precondition of claiming it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VersionedMeta {
    /// All else.
    #[serde(flatten)]
    pub meta: Meta,
    /// The version.
    #[serde(deserialize_with = "null_default")]
    pub resource_version: String,
}

/// A `PersistentVolume`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PersistentVolume {
    /// Identity and labels.
    #[serde(deserialize_with = "null_default")]
    pub metadata: VersionedMeta,
    /// What it is.
    #[serde(deserialize_with = "null_default")]
    pub spec: VolumeBody,
    /// What became of it.
    #[serde(deserialize_with = "null_default")]
    pub status: Phase,
}

/// `spec` of a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeBody {
    /// Access modes.
    #[serde(deserialize_with = "null_default")]
    pub access_modes: Vec<String>,
    /// Its size, under `storage`.
    #[serde(deserialize_with = "null_default")]
    pub capacity: ResourceList,
    /// The claim it is kept for or bound to.
    pub claim_ref: Option<ClaimRef>,
    /// How its driver knows it.
    pub csi: Option<CsiSource>,
    /// Nodes that can use it.
    #[serde(deserialize_with = "null_default")]
    pub node_affinity: VolumeAffinity,
    /// Storage class.
    #[serde(deserialize_with = "null_default")]
    pub storage_class_name: String,
    /// `Block` or `Filesystem`.
    #[serde(deserialize_with = "null_default")]
    pub volume_mode: String,
}

/// `spec.claimRef` of a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClaimRef {
    /// Namespace of the claim.
    #[serde(deserialize_with = "null_default")]
    pub namespace: String,
    /// Name of the claim.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// Uid of the claim; empty where a person wrote the reference.
    #[serde(deserialize_with = "null_default")]
    pub uid: String,
}

/// `spec.csi` of a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CsiSource {
    /// Driver.
    #[serde(deserialize_with = "null_default")]
    pub driver: String,
    /// What the driver calls the volume.
    #[serde(deserialize_with = "null_default")]
    pub volume_handle: String,
}

/// `spec.nodeAffinity` of a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolumeAffinity {
    /// Must hold.
    pub required: Option<NodeSelector>,
}

/// A `StorageClass`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StorageClass {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// Who makes its volumes.
    #[serde(deserialize_with = "null_default")]
    pub provisioner: String,
    /// `WaitForFirstConsumer` or `Immediate`.
    #[serde(deserialize_with = "null_default")]
    pub volume_binding_mode: String,
    /// Where its volumes may be made.
    #[serde(deserialize_with = "null_default")]
    pub allowed_topologies: Vec<TopologyTerm>,
}

/// One of `allowedTopologies`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TopologyTerm {
    /// Requirements that must hold together.
    #[serde(deserialize_with = "null_default")]
    pub match_label_expressions: Vec<TopologyRequirement>,
}

/// Values that a node label may have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TopologyRequirement {
    /// Key.
    #[serde(deserialize_with = "null_default")]
    pub key: String,
    /// Values.
    #[serde(deserialize_with = "null_default")]
    pub values: Vec<String>,
}

/// A `CSIDriver`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CsiDriver {
    /// Identity: the name of the driver.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it can.
    #[serde(deserialize_with = "null_default")]
    pub spec: CsiDriverBody,
}

/// `spec` of a driver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CsiDriverBody {
    /// It tells how much room there is.
    #[serde(deserialize_with = "null_default")]
    pub storage_capacity: bool,
}

/// A `CSINode`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CsiNode {
    /// Identity: the name of the node.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// Drivers on the node.
    #[serde(deserialize_with = "null_default")]
    pub spec: CsiNodeBody,
}

/// `spec` of a `CSINode`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CsiNodeBody {
    /// Drivers on the node.
    #[serde(deserialize_with = "null_default")]
    pub drivers: Vec<NodeDriver>,
}

/// A driver on a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeDriver {
    /// Driver.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// How many volumes it can attach there.
    #[serde(deserialize_with = "null_default")]
    pub allocatable: AttachLimit,
}

/// `allocatable` of a driver on a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AttachLimit {
    /// Volumes; unlimited where it is missing.
    pub count: Option<Number>,
}

/// A `CSIStorageCapacity`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StorageCapacity {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// Nodes whose volumes come from it; none where it is missing.
    pub node_topology: Option<LabelSelector>,
    /// Storage class.
    #[serde(deserialize_with = "null_default")]
    pub storage_class_name: String,
    /// Free room.
    pub capacity: Option<Quantity>,
    /// The largest volume that can be made, where the driver knows.
    pub maximum_volume_size: Option<Quantity>,
}
