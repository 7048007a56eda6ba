//! Plain groups: pods of one controller, without a group object.
//!
//! Many controllers create the next pod only after an earlier one runs, so a gang of all
//! replicas would wait for ever. Without an explicit minimum a plain gang therefore has a
//! minimum of 1; whole by default are only those whose pods all exist at once *and* belong
//! together: an Indexed Job with parallelism = completions, and one LeaderWorkerSet replica with
//! `LeaderCreated`.
//!
//! Invariant: the key of each gang is the one that [`super::membership`] derives from its pods.

use super::{Problems, Translated, count, group, membership};
use crate::names;
use crate::wire::workloads::{Job, LeaderWorkerSet, Replicas, StatefulSet};
use crate::wire::{Meta, Number, PodTemplate};
use scheduler_model::spec::{CreatesAtOnce, GangSpec, TopologyWish};
use scheduler_model::time::Span;

/// What makes a StatefulSet create all pods at once.
pub(crate) const PARALLEL: &str = "podManagementPolicy: Parallel";
/// What makes a LeaderWorkerSet create workers beside their leader.
pub(crate) const LEADER_CREATED: &str = "startupPolicy: LeaderCreated";

/// The gang of a `batch/v1` Job.
#[must_use]
pub fn job(object: &Job) -> Translated<GangSpec> {
    let (meta, spec) = (&object.metadata, &object.spec);
    let mut problems = Problems::of("Job", meta);
    let mut gang = owned("Job", meta, &spec.template, &mut problems);
    let (parallelism, completions) = job_size(object, &mut problems);
    let created = parallelism.min(completions);
    let is_whole = spec.completion_mode == "Indexed" && parallelism >= completions;
    let least = if is_whole { completions.max(1) } else { 1 };
    gang.min = explicit(meta, &mut problems, &mut gang.unsupported).unwrap_or(least);
    let goal = if gang.min > 1 { gang.min } else { completions };
    let setting = if goal > completions {
        format!("parallelism: {goal} and completions: {goal}")
    } else {
        format!("parallelism: {goal}")
    };
    creates(&mut gang, created, completions, setting, &mut problems);
    let seconds = spec.active_deadline_seconds.as_ref();
    let seconds = count::count(seconds, "spec.activeDeadlineSeconds", &mut problems);
    let deadline = seconds.filter(|seconds| *seconds > 0);
    gang.walltime =
        gang.walltime.or_else(|| deadline.map(|seconds| Span::from_secs(i64::from(seconds))));
    let succeeded = object.status.succeeded.as_ref();
    gang.succeeded = count::count(succeeded, "status.succeeded", &mut problems).unwrap_or(0);
    problems.with(gang)
}

/// Pods at the same time, and pods in all. A Job without completions ends with its first
/// success, so it never runs more than it begins with.
pub(crate) fn job_size(object: &Job, problems: &mut Problems) -> (u32, u32) {
    let spec = &object.spec;
    let parallelism = count::count(spec.parallelism.as_ref(), "spec.parallelism", problems);
    let completions = count::count(spec.completions.as_ref(), "spec.completions", problems);
    let parallelism = parallelism.unwrap_or(1);
    (parallelism, completions.unwrap_or(parallelism))
}

/// The gang of an `apps/v1` StatefulSet.
#[must_use]
pub fn stateful_set(object: &StatefulSet) -> Translated<GangSpec> {
    let (meta, spec) = (&object.metadata, &object.spec);
    let mut problems = Problems::of("StatefulSet", meta);
    let mut gang = owned("StatefulSet", meta, &spec.template, &mut problems);
    gang.min = explicit(meta, &mut problems, &mut gang.unsupported).unwrap_or(1);
    let all = count::count(spec.replicas.as_ref(), "spec.replicas", &mut problems).unwrap_or(1);
    let is_parallel = spec.pod_management_policy == "Parallel";
    let created = if is_parallel { all } else { all.min(1) };
    let mut setting = Vec::new();
    if !is_parallel {
        setting.push(PARALLEL.to_owned());
    }
    if gang.min > all {
        setting.push(format!("replicas: {}", gang.min));
    }
    creates(&mut gang, created, all, setting.join(" and "), &mut problems);
    problems.with(gang)
}

/// The gang of an `apps/v1` ReplicaSet.
#[must_use]
pub fn replica_set(object: &Replicas) -> Translated<GangSpec> {
    let (meta, spec) = (&object.metadata, &object.spec);
    let mut problems = Problems::of("ReplicaSet", meta);
    let mut gang = owned("ReplicaSet", meta, &spec.template, &mut problems);
    gang.min = explicit(meta, &mut problems, &mut gang.unsupported).unwrap_or(1);
    let all = count::count(spec.replicas.as_ref(), "spec.replicas", &mut problems).unwrap_or(1);
    let setting = format!("replicas: {}", gang.min);
    creates(&mut gang, all, all, setting, &mut problems);
    problems.with(gang)
}

/// The gangs of a LeaderWorkerSet, one per replica.
#[must_use]
pub fn leader_worker_set(object: &LeaderWorkerSet) -> Translated<Vec<GangSpec>> {
    let (meta, spec) = (&object.metadata, &object.spec);
    let mut problems = Problems::of("LeaderWorkerSet", meta);
    let template = &spec.leader_worker_template;
    let mut gang = owned("LeaderWorkerSet", meta, &template.worker_template, &mut problems);
    let (replicas, size) = leader_worker_size(object, &mut problems);
    let is_whole = spec.startup_policy != "LeaderReady";
    let least = if is_whole { size } else { 1 };
    gang.min = explicit(meta, &mut problems, &mut gang.unsupported).unwrap_or(least);
    let created = if is_whole { size } else { 1 };
    let mut setting = Vec::new();
    if !is_whole {
        setting.push(LEADER_CREATED.to_owned());
    }
    if gang.min > size {
        setting.push(format!("size: {}", gang.min));
    }
    creates(&mut gang, created, size, setting.join(" and "), &mut problems);
    let gangs = (0..replicas).map(|index| {
        let key = membership::plain_key(meta, format!("lws/{}-{index}", meta.name));
        GangSpec { uid: format!("{}/{index}", gang.uid), key, ..gang.clone() }
    });
    problems.with(gangs.collect())
}

/// Most gangs that are made of one LeaderWorkerSet.
const REPLICAS_MAX: u32 = 100_000;

/// Replicas, and pods in each of them (the leader included).
pub(crate) fn leader_worker_size(object: &LeaderWorkerSet, problems: &mut Problems) -> (u32, u32) {
    let spec = &object.spec;
    let size = spec.leader_worker_template.size.as_ref();
    let size = count::count(size, "spec.leaderWorkerTemplate.size", problems);
    let replicas = count::count(spec.replicas.as_ref(), "spec.replicas", problems).unwrap_or(1);
    if replicas > REPLICAS_MAX {
        problems.add(
            "spec.replicas",
            format!("only the first {REPLICAS_MAX} of {replicas} are used"),
            "write what is really meant",
        );
    }
    (replicas.min(REPLICAS_MAX), size.unwrap_or(1).max(1))
}

/// The gang of a controller with what its own and its template's metadata say.
fn owned(kind: &str, meta: &Meta, template: &PodTemplate, problems: &mut Problems) -> GangSpec {
    let name = membership::controller_gang_name(kind, &meta.name);
    let mut gang = group::gang(membership::plain_key(meta, name), meta, problems);
    let pods = group::wish(&template.metadata);
    let own = std::mem::take(&mut gang.topology);
    gang.topology = TopologyWish {
        topology: own.topology.or(pods.topology),
        required: own.required.or(pods.required),
        preferred: own.preferred.or(pods.preferred),
    };
    gang
}

/// The minimum that the controller's author wrote on it.
fn explicit(meta: &Meta, problems: &mut Problems, unsupported: &mut Vec<String>) -> Option<u32> {
    let key = [names::MIN_AVAILABLE, names::VOLCANO_MIN_MEMBER]
        .into_iter()
        .find(|key| group::marked(meta, key).is_some())?;
    let number = group::marked(meta, key).map(Number::of);
    count::minimum(number.as_ref(), key, problems, unsupported)
}

/// Notes what the controller creates before the first pod runs, and says where the minimum is
/// more than that.
fn creates(gang: &mut GangSpec, created: u32, all: u32, setting: String, problems: &mut Problems) {
    // A controller that is scaled to nothing waits for nobody.
    let is_too_few = all > 0 && gang.min > created.max(1);
    if is_too_few {
        let when = if created < all { "before the first runs" } else { "in all" };
        problems.add(
            names::MIN_AVAILABLE,
            format!(
                "{} pods must start together, but only {created} are created {when}; the gang \
                 waits for ever",
                gang.min
            ),
            format!("set {setting}, or write a minimum of at most {}", created.max(1)),
        );
    }
    if is_too_few || created < all {
        gang.creates_at_once = Some(CreatesAtOnce { pods: created, setting });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_job(json: &str) -> Translated<GangSpec> {
        job(&serde_json::from_str(json).expect("a Job"))
    }

    fn min(json: &str) -> (u32, usize) {
        let read = read_job(json);
        (read.value.min, read.problems.len())
    }

    #[test]
    fn an_indexed_job_whose_pods_all_exist_at_once_is_whole_by_default() {
        let job = r#"{"spec":{"completionMode":"Indexed","parallelism":4,"completions":4}}"#;
        assert_eq!(min(job), (4, 0));
        let ahead = r#"{"spec":{"completionMode":"Indexed","parallelism":9,"completions":4}}"#;
        assert_eq!(min(ahead), (4, 0));
    }

    #[test]
    fn any_other_job_has_a_minimum_of_one() {
        for json in [
            "{}",
            r#"{"spec":{"parallelism":4,"completions":4}}"#,
            r#"{"spec":{"completionMode":"Indexed","parallelism":2,"completions":4}}"#,
            r#"{"spec":{"completionMode":"Indexed","parallelism":0,"completions":0}}"#,
        ] {
            assert_eq!(min(json), (1, 0), "{json}");
        }
    }

    #[test]
    fn a_job_that_begins_with_fewer_pods_than_its_minimum_names_the_setting() {
        let read = read_job(
            r#"{"metadata":{"name":"train","labels":{"muster.sh/min-available":"4"}},
                "spec":{"parallelism":2,"completions":4}}"#,
        );
        let setting = "parallelism: 4".to_owned();
        assert_eq!(read.value.min, 4);
        assert_eq!(read.value.creates_at_once, Some(CreatesAtOnce { pods: 2, setting }));
        assert!(read.problems[0].remedy.starts_with("set parallelism: 4"), "{:?}", read.problems);
    }

    #[test]
    fn a_job_smaller_than_its_minimum_must_grow() {
        let read = read_job(
            r#"{"metadata":{"name":"a","annotations":{"muster.sh/min-available":"4"}},
                "spec":{"parallelism":2,"completions":2}}"#,
        );
        let at_once = read.value.creates_at_once.expect("the setting is named");
        assert_eq!(at_once.setting, "parallelism: 4 and completions: 4");
        assert_eq!(read.problems.len(), 1);
    }

    #[test]
    fn a_job_knows_its_deadline_what_succeeded_and_what_its_marks_say() {
        let read = read_job(
            r#"{"metadata":{"name":"train","namespace":"a","uid":"u","labels":{
                "muster.sh/queue":"q"},"annotations":{"muster.sh/topology-preferred":"zone"}},
                "spec":{"activeDeadlineSeconds":60,"template":{"metadata":{"annotations":{
                "muster.sh/topology-required":"rack","muster.sh/topology-preferred":"host"}}}},
                "status":{"succeeded":2}}"#,
        );
        let gang = read.value;
        assert_eq!((&*gang.key.name, gang.queue.as_deref()), ("job/train", Some("q")));
        assert_eq!((gang.walltime, gang.succeeded), (Some(Span::from_secs(60)), 2));
        assert_eq!(gang.topology.required.as_deref(), Some("rack"));
        assert_eq!(gang.topology.preferred.as_deref(), Some("zone"));
        assert_eq!(read.problems, []);
    }

    #[test]
    fn a_walltime_on_the_job_wins_over_its_deadline() {
        let read = read_job(
            r#"{"metadata":{"name":"a","annotations":{"muster.sh/walltime":"10s"}},
                "spec":{"activeDeadlineSeconds":60}}"#,
        );
        assert_eq!(read.value.walltime, Some(Span::from_secs(10)));
    }

    #[test]
    fn an_ordered_stateful_set_creates_one_pod_before_the_first_is_ready() {
        let json = r#"{"metadata":{"name":"db","labels":{"muster.sh/min-available":"3"}},
            "spec":{"replicas":3}}"#;
        let read = stateful_set(&serde_json::from_str(json).expect("a StatefulSet"));
        let setting = "podManagementPolicy: Parallel".to_owned();
        assert_eq!(read.value.creates_at_once, Some(CreatesAtOnce { pods: 1, setting }));
        assert_eq!((read.value.min, read.problems.len()), (3, 1));
    }

    #[test]
    fn a_parallel_stateful_set_may_be_a_whole_gang() {
        let json = r#"{"metadata":{"name":"db","labels":{"muster.sh/min-available":"3"}},
            "spec":{"replicas":3,"podManagementPolicy":"Parallel"}}"#;
        let read = stateful_set(&serde_json::from_str(json).expect("a StatefulSet"));
        assert_eq!((read.value.min, read.value.creates_at_once), (3, None));
        assert_eq!(read.problems, []);
    }

    #[test]
    fn replicas_of_a_set_are_grouped_but_not_bound_together() {
        let json = r#"{"metadata":{"name":"web-abc"},"spec":{"replicas":3}}"#;
        let read = replica_set(&serde_json::from_str(json).expect("a ReplicaSet"));
        assert_eq!((&*read.value.key.name, read.value.min), ("replicaset/web-abc", 1));
        assert_eq!(read.problems, []);
    }

    #[test]
    fn an_old_replica_set_that_is_scaled_to_nothing_is_no_problem() {
        let json = r#"{"metadata":{"name":"a","annotations":{"muster.sh/min-available":"2"}},
            "spec":{"replicas":0}}"#;
        let read = replica_set(&serde_json::from_str(json).expect("a ReplicaSet"));
        assert_eq!((read.value.min, read.problems), (2, vec![]));
    }

    fn leader_workers(policy: &str) -> Translated<Vec<GangSpec>> {
        let json = format!(
            r#"{{"metadata":{{"name":"llm"}},"spec":{{"replicas":2,"startupPolicy":"{policy}",
                "leaderWorkerTemplate":{{"size":4}}}}}}"#
        );
        leader_worker_set(&serde_json::from_str(&json).expect("a LeaderWorkerSet"))
    }

    #[test]
    fn each_replica_of_a_leader_worker_set_is_a_gang() {
        let read = leader_workers("LeaderCreated");
        let gangs: Vec<(&str, u32)> =
            read.value.iter().map(|gang| (&*gang.key.name, gang.min)).collect();
        assert_eq!(gangs, [("lws/llm-0", 4), ("lws/llm-1", 4)]);
        assert_ne!(read.value[0].uid, read.value[1].uid);
        assert_eq!(read.problems, []);
    }

    #[test]
    fn a_leader_that_must_be_ready_first_starts_alone() {
        let read = leader_workers("LeaderReady");
        let setting = "startupPolicy: LeaderCreated".to_owned();
        assert_eq!(read.value[0].min, 1);
        assert_eq!(read.value[0].creates_at_once, Some(CreatesAtOnce { pods: 1, setting }));
        assert_eq!(read.problems, []);
    }
}
