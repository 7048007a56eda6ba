//! One object of any kind that is read, in its wire struct.
//!
//! [`crate::read`] keeps such objects until a whole input has been read; [`crate::desk`] takes
//! them one by one as they change. Both know a kind from here, so neither can forget one.

use crate::translate::{Translated, coscheduling, muster, native, volcano};
use crate::wire::kueue::{ClusterQueue, Cohort, LocalQueue, ResourceFlavor};
use crate::wire::volcano::{HyperNode, VolcanoGroup, VolcanoJob, VolcanoQueue};
use crate::wire::volume::{
    Claim, CsiDriver, CsiNode, PersistentVolume, StorageCapacity, StorageClass,
};
use crate::wire::workloads::{Job, JobSet, LeaderWorkerSet, Replicas, StatefulSet};
use crate::wire::{DaemonSet, DisruptionBudget, Meta, Namespace, Node, Pod, PriorityClass, groups};
use scheduler_model::spec::GangSpec;

/// An object in its wire struct.
#[derive(Clone, Debug)]
pub enum Object {
    /// A node.
    Node(Box<Node>),
    /// A pod.
    Pod(Box<Pod>),
    /// A namespace.
    Namespace(Namespace),
    /// A priority class.
    PriorityClass(PriorityClass),
    /// A DaemonSet.
    DaemonSet(Box<DaemonSet>),
    /// A PodDisruptionBudget.
    Budget(DisruptionBudget),
    /// A controller whose pods make gangs.
    Owner(Owner),
    /// A group.
    Group(Box<Group>),
    /// A native Workload, which up to v1alpha1 holds groups.
    Workload(groups::Workload),
    /// A queue of muster.
    Queue(groups::Queue),
    /// A queue of Volcano.
    VolcanoQueue(VolcanoQueue),
    /// A LocalQueue of Kueue.
    LocalQueue(LocalQueue),
    /// A topology of muster or Kueue.
    Topology(groups::Topology),
    /// What means something only together with others.
    Late(Late),
    /// What volumes are decided by.
    Storage(Storage),
}

/// A controller whose pods make gangs.
#[derive(Clone, Debug)]
pub enum Owner {
    /// `batch` Job.
    Job(Box<Job>),
    /// JobSet.
    JobSet(Box<JobSet>),
    /// StatefulSet.
    StatefulSet(Box<StatefulSet>),
    /// ReplicaSet.
    ReplicaSet(Box<Replicas>),
    /// Deployment.
    Deployment(Box<Replicas>),
    /// LeaderWorkerSet.
    LeaderWorkerSet(Box<LeaderWorkerSet>),
    /// `batch.volcano.sh` Job.
    VolcanoJob(Box<VolcanoJob>),
}

/// A group of any dialect.
#[derive(Clone, Debug)]
pub enum Group {
    /// `muster.sh`.
    Muster(Box<groups::PodGroup>),
    /// `scheduling.k8s.io`.
    Native(groups::NativeGroup),
    /// `scheduling.x-k8s.io`.
    Coscheduling(groups::CoschedulingGroup),
    /// `scheduling.volcano.sh`.
    Volcano(VolcanoGroup),
}

/// Objects that are translated once others are known.
#[derive(Clone, Debug)]
pub enum Late {
    /// A HyperNode: it needs the nodes.
    HyperNode(HyperNode),
    /// A ClusterQueue: it needs the cohorts.
    ClusterQueue(ClusterQueue),
    /// A Cohort: it needs the other cohorts.
    Cohort(Cohort),
    /// A ResourceFlavor: it needs the nodes.
    Flavour(ResourceFlavor),
}

/// What volumes are decided by: it means something only together.
#[derive(Clone, Debug)]
pub enum Storage {
    /// A claim.
    Claim(Box<Claim>),
    /// A volume.
    Volume(Box<PersistentVolume>),
    /// A storage class.
    Class(StorageClass),
    /// A driver.
    Driver(CsiDriver),
    /// Drivers of a node.
    Node(CsiNode),
    /// Room of a driver.
    Capacity(StorageCapacity),
}

impl Object {
    /// Its metadata.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        match self {
            Self::Node(object) => &object.metadata,
            Self::Pod(object) => &object.metadata,
            Self::Namespace(object) => &object.metadata,
            Self::PriorityClass(object) => &object.metadata,
            Self::DaemonSet(object) => &object.metadata,
            Self::Budget(object) => &object.metadata,
            Self::Owner(object) => object.meta(),
            Self::Group(object) => object.meta(),
            Self::Workload(object) => &object.metadata,
            Self::Queue(object) => &object.metadata,
            Self::VolcanoQueue(object) => &object.metadata,
            Self::LocalQueue(object) => &object.metadata,
            Self::Topology(object) => &object.metadata,
            Self::Late(object) => object.meta(),
            Self::Storage(object) => object.meta(),
        }
    }
}

impl Owner {
    /// Its metadata.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        match self {
            Self::Job(object) => &object.metadata,
            Self::JobSet(object) => &object.metadata,
            Self::StatefulSet(object) => &object.metadata,
            Self::ReplicaSet(object) | Self::Deployment(object) => &object.metadata,
            Self::LeaderWorkerSet(object) => &object.metadata,
            Self::VolcanoJob(object) => &object.metadata,
        }
    }
}

impl Group {
    /// Its metadata.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        match self {
            Self::Muster(object) => &object.metadata,
            Self::Native(object) => &object.metadata,
            Self::Coscheduling(object) => &object.metadata,
            Self::Volcano(object) => &object.metadata,
        }
    }

    /// The gang it describes.
    #[must_use]
    pub fn translate(&self) -> Translated<GangSpec> {
        match self {
            Self::Muster(object) => muster::pod_group(object),
            Self::Native(object) => native::pod_group(object),
            Self::Coscheduling(object) => coscheduling::pod_group(object),
            Self::Volcano(object) => volcano::pod_group(object),
        }
    }
}

impl Late {
    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::HyperNode(_) => "HyperNode",
            Self::ClusterQueue(_) => "ClusterQueue",
            Self::Cohort(_) => "Cohort",
            Self::Flavour(_) => "ResourceFlavor",
        }
    }

    /// Its metadata.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        match self {
            Self::HyperNode(object) => &object.metadata,
            Self::ClusterQueue(object) => &object.metadata,
            Self::Cohort(object) => &object.metadata,
            Self::Flavour(object) => &object.metadata,
        }
    }
}

impl Storage {
    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Claim(_) => "PersistentVolumeClaim",
            Self::Volume(_) => "PersistentVolume",
            Self::Class(_) => "StorageClass",
            Self::Driver(_) => "CSIDriver",
            Self::Node(_) => "CSINode",
            Self::Capacity(_) => "CSIStorageCapacity",
        }
    }

    /// Its metadata.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        match self {
            Self::Claim(object) => &object.metadata,
            Self::Volume(object) => &object.metadata.meta,
            Self::Class(object) => &object.metadata,
            Self::Driver(object) => &object.metadata,
            Self::Node(object) => &object.metadata,
            Self::Capacity(object) => &object.metadata,
        }
    }
}
