//! Jobs and JobSets.

use super::template::{self, Identity, Owner, PODS_MAX, Template, suffix};
use super::{Played, order};
use crate::names;
use crate::translate::{Context, Translated, count, plain};
use crate::wire::Meta;
use crate::wire::workloads::{Job, JobSet, ReplicatedJob};
use scheduler_model::problem::Problem;
use scheduler_model::spec::PodSpec;
use scheduler_model::world::{Pace, Workload};

/// Most Jobs that are played of one JobSet.
const JOBS_MAX: u32 = 10_000;

/// A `batch/v1` Job.
#[must_use]
pub fn job(object: &Job, context: &Context) -> Translated<Played> {
    let Translated { value: gang, mut problems } = plain::job(object);
    let mut played = Played { gangs: vec![gang], workloads: Vec::new() };
    let owner = Owner { kind: "Job", api_version: "batch/v1", meta: &object.metadata };
    // Numbers that cannot be read were said with the gang already.
    let (parallelism, completions) = plain::job_size(object, &mut owner.problems());
    if object.spec.suspend || parallelism == 0 {
        return Translated { value: played, problems };
    }
    let written = &object.spec.template;
    let field = "spec.template";
    if let Some(mut template) = Template::new(&owner, written, field, context, &mut problems) {
        let all = owner.bounded(completions, "spec.completions", &mut problems);
        let done = played.gangs[0].succeeded;
        let pods: Vec<PodSpec> =
            (done..all).map(|index| template.pod(identity(object, index))).collect();
        problems.append(&mut template.problems);
        let is_bounded = usize::try_from(parallelism).is_ok_and(|most| most < pods.len());
        let pace = if is_bounded { Pace::AtMost(parallelism) } else { Pace::AtOnce };
        let hints = template::hints(&owner, written, &mut problems);
        played.workloads.extend(owner.workload(pods, pace, hints));
    }
    Translated { value: played, problems }
}

fn identity(object: &Job, index: u32) -> Identity {
    let job = &object.metadata.name;
    let suffix = suffix(job, index);
    let mut identity = Identity {
        labels: vec![(names::JOB_NAME, job.clone()), (names::JOB_NAME_ALT, job.clone())],
        ..Identity::default()
    };
    if object.spec.completion_mode == "Indexed" {
        identity.name = format!("{job}-{index}-{suffix}");
        identity.generate_name = format!("{job}-{index}-");
        identity.labels.push((names::JOB_INDEX, index.to_string()));
        identity.annotations.push((names::JOB_INDEX, index.to_string()));
    } else {
        identity.name = format!("{job}-{suffix}");
        identity.generate_name = format!("{job}-");
    }
    identity
}

/// A `jobset.x-k8s.io` JobSet: it creates Jobs, and each of those is a gang.
#[must_use]
pub fn job_set(object: &JobSet, context: &Context) -> Translated<Played> {
    let meta = &object.metadata;
    let owner = Owner { kind: "JobSet", api_version: "jobset.x-k8s.io/v1alpha2", meta };
    let mut problems = owner.problems();
    let mut jobs = Vec::new();
    for (index, replicated) in object.spec.replicated_jobs.iter().enumerate() {
        let field = format!("spec.replicatedJobs[{index}]");
        let number = replicated.replicas.as_ref();
        let written = count::count(number, &format!("{field}.replicas"), &mut problems);
        let wanted = written.unwrap_or(1);
        let left = JOBS_MAX.saturating_sub(u32::try_from(jobs.len()).unwrap_or(JOBS_MAX));
        if wanted > left {
            let message = format!("only the first {left} of {wanted} Jobs are played");
            let remedy =
                format!("write what is really meant; {JOBS_MAX} Jobs of one JobSet are played");
            problems.add(format!("{field}.replicas"), message, remedy);
        }
        let Some(after) = order::of_replicated_job(object, index, &owner, &mut problems) else {
            continue;
        };
        let part = order::part(&owner, &replicated.name);
        for number in 0..wanted.min(left) {
            let global = jobs.len();
            let one = child(object, replicated, number, global);
            jobs.push((one, part.clone(), after.clone()));
        }
    }
    let mut all = problems.with(Played::default());
    let (most, mut pods) = (usize::try_from(PODS_MAX).unwrap_or(usize::MAX), 0);
    for (index, (job_object, part, after)) in jobs.iter().enumerate() {
        if pods >= most {
            all.problems.push(Problem::new(
                owner.object(),
                "spec.replicatedJobs",
                format!(
                    "only the first {index} of {} Jobs are played: they have {pods} pods",
                    jobs.len()
                ),
                format!(
                    "write what is really meant; about {PODS_MAX} pods of one JobSet are played"
                ),
            ));
            break;
        }
        let one = job(job_object, context);
        pods += one.value.workloads.iter().map(|workload| workload.pods.len()).sum::<usize>();
        all.problems.extend(one.problems);
        all.value.gangs.extend(one.value.gangs);
        all.value.workloads.extend(one.value.workloads.into_iter().map(|workload| Workload {
            part: part.clone(),
            after: after.clone(),
            ..workload
        }));
    }
    order::say_unplayed(&owner, &all.value.workloads, &mut all.problems);
    all
}

/// Marks of a JobSet that count for each of its Jobs, where those have none of their own.
const INHERITED: [&str; 5] = [
    names::QUEUE,
    names::KUEUE_QUEUE,
    names::WALLTIME,
    names::SIMULATED_RUNTIME,
    names::SIMULATED_ARRIVAL,
];

fn child(set: &JobSet, replicated: &ReplicatedJob, number: u32, global: usize) -> Job {
    let mut job = replicated.template.clone();
    let meta = &mut job.metadata;
    meta.name = format!("{}-{}-{number}", set.metadata.name, replicated.name);
    meta.namespace.clone_from(&set.metadata.namespace);
    inherit_from_set(&set.metadata, meta);
    let marks = [
        (names::JOBSET_NAME, set.metadata.name.clone()),
        (names::JOBSET_REPLICATED_JOB, replicated.name.clone()),
        (names::JOBSET_GLOBAL_JOB_INDEX, global.to_string()),
    ];
    for (key, value) in marks {
        for meta in [&mut job.metadata, &mut job.spec.template.metadata] {
            meta.labels.insert(key.to_owned(), value.clone());
            meta.annotations.0.insert(key.to_owned(), value.clone());
        }
    }
    job.spec.suspend |= set.spec.suspend;
    job
}

/// Takes over what stands on a JobSet and counts for each of its Jobs.
pub(crate) fn inherit_from_set(from: &Meta, to: &mut Meta) {
    for key in INHERITED {
        inherit(from, to, key);
    }
}

/// Takes over what a ReplicaSet's pods inherit from its Deployment.
pub(crate) fn inherit_marks(from: &Meta, to: &mut Meta) {
    for key in [names::QUEUE, names::KUEUE_QUEUE, names::MIN_AVAILABLE] {
        inherit(from, to, key);
    }
}

pub(super) fn inherit(from: &Meta, to: &mut Meta, key: &str) {
    if let Some(value) = from.label(key) {
        to.labels.entry(key.to_owned()).or_insert_with(|| value.to_owned());
    }
    if let Some(value) = from.annotation(key) {
        to.annotations.0.entry(key.to_owned()).or_insert_with(|| value.to_owned());
    }
}
