//! Volume claims and what can serve them, as the outside describes them.
//!
//! Adapters join claim, volume, storage class and driver into one [`ClaimSpec`] that says what
//! matters for placing. Source of the rules: Kubernetes' documentation of persistent volumes,
//! topology-aware provisioning, node-specific volume limits and storage capacity.

use super::{LabelSelector, Labels, NodeTerm};
use crate::amount::Amount;

/// Nodes that can use a volume: those that meet any term; `None` is every node.
pub type Reach = Option<Vec<NodeTerm>>;

/// One claim of a pod.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimUse {
    /// Name of the claim in the pod's namespace.
    pub name: String,
    /// It was made for this pod alone (an `ephemeral` volume), and has to be owned by it.
    pub is_own: bool,
}

/// A claim (`PersistentVolumeClaim`) as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimSpec {
    /// `namespace/name`.
    pub key: String,
    /// Uid of the object.
    pub uid: String,
    /// Uid of the pod it was made for, where it was.
    pub owner: Option<String>,
    /// At most one pod may use it at a time (`ReadWriteOncePod`).
    pub is_once_pod: bool,
    /// How far it has come.
    pub state: ClaimState,
}

/// How far a claim has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimState {
    /// Pods that use it cannot be placed now, in words that complete "the claim …":
    /// unbound with immediate binding, lost, being deleted, its class missing.
    Unready(String),
    /// It is bound, and the volume can be used.
    Bound(BoundVolume),
    /// It is bound once a pod that uses it has a place (`WaitForFirstConsumer`).
    Late(LateClaim),
}

/// The volume of a bound claim.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoundVolume {
    /// Name of the volume (`PersistentVolume`).
    pub name: String,
    /// Nodes that can use it.
    pub reach: Reach,
    /// What it takes of the limit of attached volumes, where its driver has one.
    pub attach: Option<Attach>,
}

/// A volume as its driver attaches it to nodes. Pods of one node share it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attach {
    /// CSI driver.
    pub driver: String,
    /// What the driver calls the volume.
    pub handle: String,
}

/// A claim that waits for its first pod.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LateClaim {
    /// Storage class.
    pub class: String,
    /// Least size in bytes.
    pub bytes: Amount,
    /// Access modes wanted, sorted.
    pub modes: Vec<String>,
    /// It is wanted as a block device, not as a file system.
    pub is_block: bool,
    /// Which volumes may serve it, where it is choosy.
    pub selector: Option<LabelSelector>,
    /// How a volume is made for it; `None` where only volumes that exist serve it.
    pub provision: Option<Provision>,
    /// The node it was last told to be provisioned for. Room is not bound to it: the next plan
    /// may choose another.
    pub chosen: Option<String>,
}

/// How a storage class makes volumes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Provision {
    /// Who makes them; also the CSI driver that attaches them.
    pub driver: String,
    /// Nodes it makes them for (`allowedTopologies`).
    pub reach: Reach,
    /// Its driver tells how much room there is: only a [`PoolSpec`] that is large enough serves.
    pub counts_room: bool,
}

/// A volume that exists and that nobody claimed yet, of a class that binds late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeSpec {
    /// Unique name.
    pub name: String,
    /// Version of the object: a precondition of claiming it.
    pub version: String,
    /// Storage class.
    pub class: String,
    /// Size in bytes.
    pub bytes: Amount,
    /// Access modes, sorted.
    pub modes: Vec<String>,
    /// It is a block device, not a file system.
    pub is_block: bool,
    /// Labels.
    pub labels: Labels,
    /// Nodes that can use it.
    pub reach: Reach,
    /// What it takes of the limit of attached volumes, where its driver has one.
    pub attach: Option<Attach>,
    /// The one claim it is kept for, as `namespace/name`, where it names one that is not bound
    /// yet.
    pub kept_for: Option<String>,
}

/// Room for new volumes of a class on some nodes (`CSIStorageCapacity`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolSpec {
    /// `namespace/name` of the object.
    pub key: String,
    /// Storage class.
    pub class: String,
    /// Nodes whose volumes come from it.
    pub reach: Reach,
    /// The largest volume that can be made now, in bytes: `maximumVolumeSize` where the driver
    /// says it, else `capacity`, as Kubernetes reads them.
    pub largest: Amount,
}

/// What has to be done about a claim before its pod is bound.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VolumeStep {
    /// Have a volume made for the node of the bind.
    Provision {
        /// The claim, as `namespace/name`.
        claim: String,
        /// Its uid.
        uid: String,
    },
    /// Claim a volume that exists.
    Take {
        /// The claim, as `namespace/name`.
        claim: String,
        /// Its uid.
        uid: String,
        /// The volume.
        volume: String,
        /// Version it was decided on.
        version: String,
        /// Somebody kept the volume for this claim ([`VolumeSpec::kept_for`]).
        is_kept: bool,
    },
}
