//! Every kind that is read, as one table: for the reader, and for whoever asks a cluster for
//! exactly these kinds.

use super::raw::{Fault, Raw};
use crate::object::{Group, Late, Object, Owner, Storage};

/// One kind of object that is read. Its version does not matter.
pub struct Kind {
    /// API group; empty for the core one.
    pub group: &'static str,
    /// Kind as an object names it.
    pub kind: &'static str,
    /// Plural as `kubectl` names it.
    pub plural: &'static str,
    pub(super) parse: Parse,
}

type Parse = fn(Raw<'_>) -> Result<Object, Fault>;

impl Kind {
    /// The full name that `kubectl api-resources -o name` gives: `jobs.batch`, `pods`.
    #[must_use]
    pub fn resource(&self) -> String {
        match self.group {
            "" => self.plural.to_owned(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// One object of this kind from JSON.
    ///
    /// # Errors
    /// What is wrong with it, in words for a person.
    pub fn decode(&self, json: &[u8]) -> Result<Object, String> {
        (self.parse)(Raw::Json(json)).map_err(|fault| fault.message)
    }
}

/// The kind of this group and name, if it is read.
pub(super) fn find(group: &str, kind: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|one| one.kind == kind && one.group == group)
}

const fn row(group: &'static str, kind: &'static str, plural: &'static str, parse: Parse) -> Kind {
    Kind { group, kind, plural, parse }
}

const LWS: &str = "leaderworkerset.x-k8s.io";
const KUEUE: &str = "kueue.x-k8s.io";
const STORAGE: &str = "storage.k8s.io";

/// All of them: the cluster's own first, then each dialect.
pub const KINDS: &[Kind] = &[
    row("", "Node", "nodes", |raw| Ok(Object::Node(raw.parse()?))),
    row("", "Pod", "pods", |raw| Ok(Object::Pod(raw.parse()?))),
    row("", "Namespace", "namespaces", |raw| Ok(Object::Namespace(raw.parse()?))),
    row("scheduling.k8s.io", "PriorityClass", "priorityclasses", |raw| {
        Ok(Object::PriorityClass(raw.parse()?))
    }),
    row("policy", "PodDisruptionBudget", "poddisruptionbudgets", |raw| {
        Ok(Object::Budget(raw.parse()?))
    }),
    row("", "PersistentVolumeClaim", "persistentvolumeclaims", |raw| {
        Ok(Object::Storage(Storage::Claim(raw.parse()?)))
    }),
    row("", "PersistentVolume", "persistentvolumes", |raw| {
        Ok(Object::Storage(Storage::Volume(raw.parse()?)))
    }),
    row(STORAGE, "StorageClass", "storageclasses", |raw| {
        Ok(Object::Storage(Storage::Class(raw.parse()?)))
    }),
    row(STORAGE, "CSIDriver", "csidrivers", |raw| {
        Ok(Object::Storage(Storage::Driver(raw.parse()?)))
    }),
    row(STORAGE, "CSINode", "csinodes", |raw| Ok(Object::Storage(Storage::Node(raw.parse()?)))),
    row(STORAGE, "CSIStorageCapacity", "csistoragecapacities", |raw| {
        Ok(Object::Storage(Storage::Capacity(raw.parse()?)))
    }),
    row("apps", "DaemonSet", "daemonsets", |raw| Ok(Object::DaemonSet(raw.parse()?))),
    row("apps", "StatefulSet", "statefulsets", |raw| {
        Ok(Object::Owner(Owner::StatefulSet(raw.parse()?)))
    }),
    row("apps", "ReplicaSet", "replicasets", |raw| {
        Ok(Object::Owner(Owner::ReplicaSet(raw.parse()?)))
    }),
    row("apps", "Deployment", "deployments", |raw| {
        Ok(Object::Owner(Owner::Deployment(raw.parse()?)))
    }),
    row("batch", "Job", "jobs", |raw| Ok(Object::Owner(Owner::Job(raw.parse()?)))),
    row("jobset.x-k8s.io", "JobSet", "jobsets", |raw| {
        Ok(Object::Owner(Owner::JobSet(raw.parse()?)))
    }),
    row(LWS, "LeaderWorkerSet", "leaderworkersets", |raw| {
        Ok(Object::Owner(Owner::LeaderWorkerSet(raw.parse()?)))
    }),
    row("muster.sh", "PodGroup", "podgroups", |raw| {
        Ok(Object::Group(Box::new(Group::Muster(raw.parse()?))))
    }),
    row("muster.sh", "Queue", "queues", |raw| Ok(Object::Queue(raw.parse()?))),
    row("muster.sh", "Topology", "topologies", |raw| Ok(Object::Topology(raw.parse()?))),
    row("scheduling.k8s.io", "PodGroup", "podgroups", |raw| {
        Ok(Object::Group(Box::new(Group::Native(raw.parse()?))))
    }),
    row("scheduling.k8s.io", "Workload", "workloads", |raw| Ok(Object::Workload(raw.parse()?))),
    row("scheduling.x-k8s.io", "PodGroup", "podgroups", |raw| {
        Ok(Object::Group(Box::new(Group::Coscheduling(raw.parse()?))))
    }),
    row("scheduling.volcano.sh", "PodGroup", "podgroups", |raw| {
        Ok(Object::Group(Box::new(Group::Volcano(raw.parse()?))))
    }),
    row("scheduling.volcano.sh", "Queue", "queues", |raw| Ok(Object::VolcanoQueue(raw.parse()?))),
    row("batch.volcano.sh", "Job", "jobs", |raw| {
        Ok(Object::Owner(Owner::VolcanoJob(raw.parse()?)))
    }),
    row("topology.volcano.sh", "HyperNode", "hypernodes", |raw| {
        Ok(Object::Late(Late::HyperNode(raw.parse()?)))
    }),
    row(KUEUE, "LocalQueue", "localqueues", |raw| Ok(Object::LocalQueue(raw.parse()?))),
    row(KUEUE, "ClusterQueue", "clusterqueues", |raw| {
        Ok(Object::Late(Late::ClusterQueue(raw.parse()?)))
    }),
    row(KUEUE, "Cohort", "cohorts", |raw| Ok(Object::Late(Late::Cohort(raw.parse()?)))),
    row(KUEUE, "ResourceFlavor", "resourceflavors", |raw| {
        Ok(Object::Late(Late::Flavour(raw.parse()?)))
    }),
    row(KUEUE, "Topology", "topologies", |raw| Ok(Object::Topology(raw.parse()?))),
];
