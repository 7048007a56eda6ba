//! Every kind that is read, as one table: for the reader, and for whoever asks a cluster for
//! exactly these kinds.

use super::collect::{Collector, Kept, Late};
use super::owner::Owner;
use super::raw::Raw;
use crate::translate::{
    Translated, coscheduling, daemon, kueue, muster, namespace, native, node, priority, queue,
    topology, volcano,
};
use crate::wire::volcano::VolcanoGroup;
use crate::wire::{Meta, groups};
use scheduler_model::spec::GangSpec;
use serde::de::DeserializeOwned;

/// One kind of object that is read. Its version does not matter.
pub struct Kind {
    /// API group; empty for the core one.
    pub group: &'static str,
    /// Kind as an object names it.
    pub kind: &'static str,
    /// Plural as `kubectl` names it.
    pub plural: &'static str,
    pub(super) read: Read,
}

type Read = fn(&mut Collector<'_>, Raw<'_>) -> Kept;

impl Kind {
    /// The full name that `kubectl api-resources -o name` gives: `jobs.batch`, `pods`.
    #[must_use]
    pub fn resource(&self) -> String {
        match self.group {
            "" => self.plural.to_owned(),
            group => format!("{}.{group}", self.plural),
        }
    }
}

/// The kind of this group and name, if it is read.
pub(super) fn find(group: &str, kind: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|one| one.kind == kind && one.group == group)
}

const fn row(group: &'static str, kind: &'static str, plural: &'static str, read: Read) -> Kind {
    Kind { group, kind, plural, read }
}

/// Reads a group object of any dialect.
fn group<T: DeserializeOwned>(
    c: &mut Collector<'_>,
    raw: Raw<'_>,
    translate: fn(&T) -> Translated<GangSpec>,
    meta: fn(&T) -> &Meta,
) -> Kept {
    let object = raw.parse()?;
    c.group(meta(&object), translate(&object))
}

const LWS: &str = "leaderworkerset.x-k8s.io";
const KUEUE: &str = "kueue.x-k8s.io";

/// All of them: the cluster's own first, then each dialect.
pub const KINDS: &[Kind] = &[
    row("", "Node", "nodes", |c, raw| c.node(node::translate(&raw.parse()?))),
    row("", "Pod", "pods", |c, raw| c.pod(raw.parse()?)),
    row("", "Namespace", "namespaces", |c, raw| c.namespace(namespace::translate(&raw.parse()?))),
    row("scheduling.k8s.io", "PriorityClass", "priorityclasses", |c, raw| {
        c.priority_class(priority::translate(&raw.parse()?))
    }),
    row("apps", "DaemonSet", "daemonsets", |c, raw| c.daemon(daemon::translate(&raw.parse()?))),
    row("apps", "StatefulSet", "statefulsets", |c, raw| c.owner(Owner::StatefulSet(raw.parse()?))),
    row("apps", "ReplicaSet", "replicasets", |c, raw| c.owner(Owner::ReplicaSet(raw.parse()?))),
    row("apps", "Deployment", "deployments", |c, raw| c.owner(Owner::Deployment(raw.parse()?))),
    row("batch", "Job", "jobs", |c, raw| c.owner(Owner::Job(raw.parse()?))),
    row("jobset.x-k8s.io", "JobSet", "jobsets", |c, raw| c.owner(Owner::JobSet(raw.parse()?))),
    row(LWS, "LeaderWorkerSet", "leaderworkersets", |c, raw| {
        c.owner(Owner::LeaderWorkerSet(raw.parse()?))
    }),
    row("muster.sh", "PodGroup", "podgroups", |c, raw| {
        group::<groups::PodGroup>(c, raw, muster::pod_group, |object| &object.metadata)
    }),
    row("muster.sh", "Queue", "queues", |c, raw| c.queue("Queue", queue::queue(&raw.parse()?))),
    row("muster.sh", "Topology", "topologies", |c, raw| {
        c.topology(topology::topology(&raw.parse()?))
    }),
    row("scheduling.k8s.io", "PodGroup", "podgroups", |c, raw| {
        group::<groups::NativeGroup>(c, raw, native::pod_group, |object| &object.metadata)
    }),
    row("scheduling.k8s.io", "Workload", "workloads", |c, raw| {
        let object: groups::Workload = raw.parse()?;
        c.workload(&object.metadata, native::workload(&object))
    }),
    row("scheduling.x-k8s.io", "PodGroup", "podgroups", |c, raw| {
        group::<groups::CoschedulingGroup>(c, raw, coscheduling::pod_group, |object| {
            &object.metadata
        })
    }),
    row("scheduling.volcano.sh", "PodGroup", "podgroups", |c, raw| {
        group::<VolcanoGroup>(c, raw, volcano::pod_group, |object| &object.metadata)
    }),
    row("scheduling.volcano.sh", "Queue", "queues", |c, raw| {
        c.queue("Queue", volcano::volcano_queue(&raw.parse()?))
    }),
    row("batch.volcano.sh", "Job", "jobs", |c, raw| c.owner(Owner::VolcanoJob(raw.parse()?))),
    row("topology.volcano.sh", "HyperNode", "hypernodes", |c, raw| {
        c.late(Late::HyperNode(raw.parse()?))
    }),
    row(KUEUE, "LocalQueue", "localqueues", |c, raw| {
        c.queue("LocalQueue", kueue::local_queue(&raw.parse()?))
    }),
    row(KUEUE, "ClusterQueue", "clusterqueues", |c, raw| c.late(Late::ClusterQueue(raw.parse()?))),
    row(KUEUE, "Cohort", "cohorts", |c, raw| c.late(Late::Cohort(raw.parse()?))),
    row(KUEUE, "ResourceFlavor", "resourceflavors", |c, raw| c.late(Late::Flavour(raw.parse()?))),
    row(KUEUE, "Topology", "topologies", |c, raw| c.topology(topology::topology(&raw.parse()?))),
];
