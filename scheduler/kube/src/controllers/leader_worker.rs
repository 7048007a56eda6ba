//! LeaderWorkerSets: each replica is a gang of one leader and its workers.

use super::Played;
use super::template::{self, Identity, Owner, Template};
use crate::names;
use crate::translate::{Context, Translated, plain};
use crate::wire::workloads::LeaderWorkerSet;
use scheduler_model::spec::PodSpec;
use scheduler_model::world::Pace;

/// A `leaderworkerset.x-k8s.io` LeaderWorkerSet.
#[must_use]
pub fn leader_worker_set(object: &LeaderWorkerSet, context: &Context) -> Translated<Played> {
    let Translated { value: gangs, mut problems } = plain::leader_worker_set(object);
    let mut played = Played { gangs, workloads: Vec::new() };
    let owner = Owner {
        kind: "LeaderWorkerSet",
        api_version: "leaderworkerset.x-k8s.io/v1",
        meta: &object.metadata,
    };
    // Numbers that cannot be read were said with the gangs already.
    let (replicas, size) = plain::leader_worker_size(object, &mut owner.problems());
    let all = owner.bounded(replicas.saturating_mul(size), "spec", &mut problems);
    let replicas = all / size;
    let written = &object.spec.leader_worker_template;
    let (leader_field, worker_field) =
        ("spec.leaderWorkerTemplate.leaderTemplate", "spec.leaderWorkerTemplate.workerTemplate");
    let (leader, field) = match &written.leader_template {
        Some(leader) => (leader, leader_field),
        None => (&written.worker_template, worker_field),
    };
    let Some(mut leaders) = Template::new(&owner, leader, field, context, &mut problems) else {
        return Translated { value: played, problems };
    };
    let workers = &written.worker_template;
    let Some(mut workers) = Template::new(&owner, workers, worker_field, context, &mut problems)
    else {
        return Translated { value: played, problems };
    };
    let hints = template::hints(&owner, &written.worker_template, &mut problems);
    let is_ordered = object.spec.startup_policy == "LeaderReady";
    let pace = if is_ordered { Pace::AfterLeader } else { Pace::AtOnce };
    for replica in 0..replicas {
        let mut pods: Vec<PodSpec> = vec![leaders.pod(identity(object, replica, 0))];
        pods.extend((1..size).map(|worker| workers.pod(identity(object, replica, worker))));
        played.workloads.extend(owner.workload(pods, pace, hints));
    }
    problems.append(&mut leaders.problems);
    if written.leader_template.is_some() {
        problems.append(&mut workers.problems);
    }
    Translated { value: played, problems }
}

fn identity(object: &LeaderWorkerSet, replica: u32, worker: u32) -> Identity {
    let set = &object.metadata.name;
    let name = match worker {
        0 => format!("{set}-{replica}"),
        worker => format!("{set}-{replica}-{worker}"),
    };
    Identity {
        name,
        labels: vec![
            (names::LWS_NAME, set.clone()),
            (names::LWS_GROUP_INDEX, replica.to_string()),
            (names::LWS_WORKER_INDEX, worker.to_string()),
        ],
        ..Identity::default()
    }
}
