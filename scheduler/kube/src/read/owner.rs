//! Controllers: what is read of them depends on whether their pods are in the input.

use super::collect::Shelf;
use crate::controllers::{self, Played};
use crate::names;
use crate::object::Owner;
use crate::translate::{Context, Translated, hints, owner, volcano};
use crate::wire::{Meta, Number, condition};
use scheduler_model::spec::GangKey;
use scheduler_model::world::SimHints;
use std::collections::BTreeSet;

/// API group, kind, namespace and name of a controller.
pub(super) type OwnerKey = (&'static str, &'static str, String, String);

/// Controllers by what they are called.
pub(super) type Owners = Shelf<OwnerKey, Owner>;

/// Which controllers have children in the input.
#[derive(Debug, Default)]
pub(super) struct Parents(BTreeSet<String>);

impl Parents {
    /// Notes the controllers that an object names as its own, in whatever way.
    pub(super) fn note(&mut self, meta: &Meta) {
        let namespace = meta.namespace_or_default();
        if let Some(owner) = meta.controller() {
            let group = owner.api_version.split_once('/').map_or("", |(group, _)| group);
            self.add(group, &owner.kind, namespace, &owner.name);
            // A dump may leave ReplicaSets out; their names tell the Deployment.
            if owner.kind == "ReplicaSet"
                && let Some(hash) = meta.label(names::TEMPLATE_HASH)
                && let Some(name) =
                    owner.name.strip_suffix(hash).and_then(|name| name.strip_suffix('-'))
            {
                self.add("apps", "Deployment", namespace, name);
            }
        }
        if let Some(name) = meta.label(names::LWS_NAME) {
            self.add("leaderworkerset.x-k8s.io", "LeaderWorkerSet", namespace, name);
        }
        if let Some(name) = meta.label(names::JOBSET_NAME) {
            self.add("jobset.x-k8s.io", "JobSet", namespace, name);
        }
        if let Some(name) = meta.label(names::VOLCANO_JOB) {
            self.add("batch.volcano.sh", "Job", namespace, name);
        }
    }

    fn add(&mut self, group: &str, kind: &str, namespace: &str, name: &str) {
        let key = format!("{group}/{kind}/{namespace}/{name}");
        if !self.0.contains(&key) {
            self.0.insert(key);
        }
    }

    fn has(&self, (group, kind, namespace, name): &OwnerKey) -> bool {
        self.0.contains(&format!("{group}/{kind}/{namespace}/{name}"))
    }
}

impl Owner {
    /// What it is called.
    pub(super) fn key(&self) -> OwnerKey {
        let (group, kind) = match self {
            Self::Job(_) => ("batch", "Job"),
            Self::JobSet(_) => ("jobset.x-k8s.io", "JobSet"),
            Self::StatefulSet(_) => ("apps", "StatefulSet"),
            Self::ReplicaSet(_) => ("apps", "ReplicaSet"),
            Self::Deployment(_) => ("apps", "Deployment"),
            Self::LeaderWorkerSet(_) => ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"),
            Self::VolcanoJob(_) => ("batch.volcano.sh", "Job"),
        };
        let meta = self.meta();
        (group, kind, meta.namespace_or_default().to_owned(), meta.name.clone())
    }

    /// The key of the group object that its controller makes.
    pub(super) fn makes_group(&self) -> Option<GangKey> {
        match self {
            Self::VolcanoJob(object) => Some(volcano::job_key(&object.metadata)),
            _ => None,
        }
    }

    /// Takes over what stands on an object above it.
    pub(super) fn inherit(&mut self, owners: &Owners) {
        let Some((kind, namespace, name)) = owner::above(self) else { return };
        let group = if kind == "JobSet" { "jobset.x-k8s.io" } else { "apps" };
        if let Some(above) = owners.get(&(group, kind, namespace, name)) {
            owner::inherit(above.meta(), self);
        }
    }

    /// Its gangs, and its pods where it must be played.
    pub(super) fn read(&self, parents: &Parents, context: &Context) -> Translated<Played> {
        let has_children = parents.has(&self.key());
        if let (Self::JobSet(object), true) = (self, has_children) {
            // Its Jobs may have been left out of the input; those that were not count before it.
            let Translated { value, .. } = controllers::job_set(object, context);
            let value = Played { gangs: value.gangs, workloads: Vec::new() };
            return Translated { value, problems: Vec::new() };
        }
        if has_children || self.is_over() {
            let Translated { value: gangs, problems } = owner::gangs(self);
            return Translated { value: Played { gangs, workloads: Vec::new() }, problems };
        }
        let mut read = match self {
            Self::Job(object) => controllers::job(object, context),
            Self::StatefulSet(object) => controllers::stateful_set(object, context),
            Self::ReplicaSet(object) => controllers::replica_set(object, context),
            Self::Deployment(object) => controllers::deployment(object, context),
            Self::LeaderWorkerSet(object) => controllers::leader_worker_set(object, context),
            Self::JobSet(object) => controllers::job_set(object, context),
            Self::VolcanoJob(object) => controllers::volcano_job(object, context),
        };
        if self.meta().uid.is_empty() {
            owner::name_gangs(&mut read.value.gangs);
        }
        read
    }

    /// Hints for its gangs, where its pods have none.
    pub(super) fn hints(&self) -> Translated<SimHints> {
        hints::of(self.key().1, self.meta())
    }

    /// True if it creates nothing (more), whatever its spec says.
    fn is_over(&self) -> bool {
        let is_over = match self {
            Self::Job(object) => ["Complete", "Failed"].into_iter().any(|kind| {
                condition(&object.status.conditions, kind).is_some_and(|it| it.status == "True")
            }),
            Self::JobSet(object) => object.spec.suspend || !object.status.terminal_state.is_empty(),
            Self::StatefulSet(object) => is_zero(object.spec.replicas.as_ref()),
            Self::ReplicaSet(object) | Self::Deployment(object) => {
                is_zero(object.spec.replicas.as_ref())
            }
            Self::LeaderWorkerSet(object) => is_zero(object.spec.replicas.as_ref()),
            Self::VolcanoJob(object) => matches!(
                object.status.state.phase.as_str(),
                "Aborting"
                    | "Aborted"
                    | "Completing"
                    | "Completed"
                    | "Terminating"
                    | "Terminated"
                    | "Failed"
            ),
        };
        is_over || self.meta().deletion_timestamp.is_some()
    }
}

fn is_zero(number: Option<&Number>) -> bool {
    matches!(number, Some(Number::Whole(0)))
}
