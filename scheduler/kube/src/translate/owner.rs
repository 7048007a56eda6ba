//! Controllers of all kinds as one: the gangs of their pods, and the marks they take over from
//! the object above them.

use super::{Translated, plain, volcano};
use crate::controllers;
use crate::object::Owner;
use crate::wire::Meta;
use scheduler_model::spec::GangSpec;

/// Kind, namespace and name of an object above a controller.
pub(crate) type Above = (&'static str, String, String);

/// Takes over what stands on the object above.
pub(crate) fn inherit(from: &Meta, to: &mut Owner) {
    match to {
        Owner::ReplicaSet(set) => controllers::inherit_marks(from, &mut set.metadata),
        Owner::Job(job) => controllers::inherit_from_set(from, &mut job.metadata),
        _ => {}
    }
}

/// The object that a controller takes marks over from.
pub(crate) fn above(owner: &Owner) -> Option<Above> {
    let kind = match owner {
        Owner::ReplicaSet(_) => "Deployment",
        Owner::Job(_) => "JobSet",
        _ => return None,
    };
    let meta = owner.meta();
    let parent = meta.controller().filter(|parent| parent.kind == kind)?;
    Some((kind, meta.namespace_or_default().to_owned(), parent.name.clone()))
}

/// The gangs of the pods that a controller has, or will have.
pub(crate) fn gangs(owner: &Owner) -> Translated<Vec<GangSpec>> {
    let mut read = match owner {
        Owner::Job(object) => one(plain::job(object)),
        Owner::StatefulSet(object) => one(plain::stateful_set(object)),
        Owner::ReplicaSet(object) => one(plain::replica_set(object)),
        Owner::LeaderWorkerSet(object) => plain::leader_worker_set(object),
        Owner::VolcanoJob(object) => one(volcano::job(object)),
        // Their pods belong to the ReplicaSets and Jobs that they make.
        Owner::Deployment(_) | Owner::JobSet(_) => Translated::default(),
    };
    if owner.meta().uid.is_empty() {
        name_gangs(&mut read.value);
    }
    read
}

/// Gives gangs of an object without a uid their own: it ends ties, so it must not depend on
/// where the object stood.
pub(crate) fn name_gangs(gangs: &mut [GangSpec]) {
    for gang in gangs.iter_mut().filter(|gang| gang.uid.is_empty()) {
        gang.uid = format!("{}:{}", gang.key.dialect.name(), gang.key);
    }
}

fn one(read: Translated<GangSpec>) -> Translated<Vec<GangSpec>> {
    Translated { value: vec![read.value], problems: read.problems }
}
