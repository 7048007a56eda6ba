//! What controllers supply to groups: pods of a StatefulSet or Job may belong to a group object,
//! and a minimum above what their controller creates before the first one runs is never met.
//!
//! The group does not know its controllers, nor they it; whoever has both brings them together
//! with [`check`]. Plain gangs need none of this: they are their controller's own.

use super::{Problems, count, membership, plain};
use crate::wire::workloads::{Job, LeaderWorkerSet, Replicas, StatefulSet};
use crate::wire::{Meta, Pod, PodTemplate};
use scheduler_model::problem::Problem;
use scheduler_model::spec::{CreatesAtOnce, GangKey, GangSpec, Membership};

/// What one controller supplies to one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supply {
    /// The group its pods name.
    pub group: GangKey,
    /// Pods it creates before the first one runs.
    pub at_once: u32,
    /// Pods it creates in all.
    pub all: u32,
    /// The setting that makes it create all of them at once, in words that complete "set …".
    pub setting: String,
}

/// What a Job supplies; `None` if its pods name no group.
#[must_use]
pub fn job(object: &Job) -> Option<Supply> {
    let group = group(&object.metadata, &object.spec.template)?;
    // Numbers that cannot be read are said where the Job itself is translated.
    let said = &mut Problems::of("Job", &object.metadata);
    let (parallelism, all) = plain::job_size(object, said);
    let setting = format!("parallelism: {all}");
    Some(Supply { group, at_once: parallelism.min(all), all, setting })
}

/// What a StatefulSet supplies; `None` if its pods name no group.
#[must_use]
pub fn stateful_set(object: &StatefulSet) -> Option<Supply> {
    let group = group(&object.metadata, &object.spec.template)?;
    let said = &mut Problems::of("StatefulSet", &object.metadata);
    let all = count::count(object.spec.replicas.as_ref(), "spec.replicas", said).unwrap_or(1);
    let is_parallel = object.spec.pod_management_policy == "Parallel";
    let at_once = if is_parallel { all } else { all.min(1) };
    Some(Supply { group, at_once, all, setting: plain::PARALLEL.to_owned() })
}

/// What a ReplicaSet or Deployment supplies; `None` if its pods name no group.
#[must_use]
pub fn replicas(object: &Replicas) -> Option<Supply> {
    let group = group(&object.metadata, &object.spec.template)?;
    let said = &mut Problems::of("ReplicaSet", &object.metadata);
    let all = count::count(object.spec.replicas.as_ref(), "spec.replicas", said).unwrap_or(1);
    Some(Supply { group, at_once: all, all, setting: format!("replicas: {all}") })
}

/// What a LeaderWorkerSet supplies; `None` if its workers name no group.
#[must_use]
pub fn leader_worker_set(object: &LeaderWorkerSet) -> Option<Supply> {
    let template = &object.spec.leader_worker_template.worker_template;
    let group = group(&object.metadata, template)?;
    let said = &mut Problems::of("LeaderWorkerSet", &object.metadata);
    let (replicas, size) = plain::leader_worker_size(object, said);
    let all = replicas.saturating_mul(size);
    let is_ordered = object.spec.startup_policy == "LeaderReady";
    let at_once = if is_ordered { replicas } else { all };
    Some(Supply { group, at_once, all, setting: plain::LEADER_CREATED.to_owned() })
}

/// Notes on `gang` what its controllers create at once, if that is less than its minimum though
/// they would create enough in the end. `others` are members that exist without them.
pub fn check(gang: &mut GangSpec, supplies: &[Supply], others: u32) -> Option<Problem> {
    let own = || supplies.iter().filter(|supply| supply.group == gang.key);
    let sum = |start: u32, count: fn(&Supply) -> u32| {
        own().fold(start, |sum, supply| sum.saturating_add(count(supply)))
    };
    let (pods, all) = (sum(others, |supply| supply.at_once), sum(others, |supply| supply.all));
    let slow = own().find(|supply| supply.at_once < supply.all)?;
    if gang.min <= pods || gang.min > all {
        return None;
    }
    let setting = slow.setting.clone();
    let problem = Problem::new(
        format!("PodGroup {}", gang.key),
        "",
        format!(
            "{} pods must start together, but its controllers create only {pods} before the \
             first runs; the gang waits for ever",
            gang.min
        ),
        format!("set {setting} on the controller, or lower the minimum to {}", pods.max(1)),
    );
    gang.creates_at_once = Some(CreatesAtOnce { pods, setting });
    Some(problem)
}

/// The group object that pods of this template name.
fn group(owner: &Meta, template: &PodTemplate) -> Option<GangKey> {
    let mut pod =
        Pod { metadata: template.metadata.clone(), spec: template.spec.clone(), ..Pod::default() };
    pod.metadata.namespace.clone_from(&owner.namespace);
    // Two groups at once are said where the pods are translated.
    match membership::of(&pod, &mut Problems::of("Pod", owner)) {
        Membership::Group(key) => Some(key),
        Membership::Owner(_) | Membership::Alone => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scheduler_model::spec::Dialect;

    const TEMPLATE: &str = r#"{"metadata":{"labels":{"muster.sh/pod-group":"g"}}}"#;

    fn gang(min: u32) -> GangSpec {
        let key =
            GangKey { namespace: "a".to_owned(), name: "g".to_owned(), dialect: Dialect::Muster };
        GangSpec { min, ..GangSpec::plain(key) }
    }

    fn ordered(replicas: u32) -> Supply {
        let json = format!(
            r#"{{"metadata":{{"name":"s","namespace":"a"}},
                "spec":{{"replicas":{replicas},"template":{TEMPLATE}}}}}"#
        );
        stateful_set(&serde_json::from_str(&json).expect("a StatefulSet")).expect("a group")
    }

    #[test]
    fn a_group_fed_one_by_one_names_the_setting_of_its_controller() {
        let mut gang = gang(3);
        let problem = check(&mut gang, &[ordered(3)], 0).expect("it would wait for ever");
        let setting = "podManagementPolicy: Parallel".to_owned();
        assert_eq!(gang.creates_at_once, Some(CreatesAtOnce { pods: 1, setting }));
        assert!(problem.remedy.starts_with("set podManagementPolicy: Parallel"), "{problem}");
    }

    #[test]
    fn a_minimum_that_is_met_by_what_exists_is_no_problem() {
        assert_eq!(check(&mut gang(1), &[ordered(3)], 0), None);
        assert_eq!(check(&mut gang(3), &[ordered(3)], 2), None);
        assert_eq!(check(&mut gang(2), &[ordered(3), ordered(3)], 0), None);
    }

    #[test]
    fn a_minimum_beyond_all_pods_is_another_story() {
        assert_eq!(check(&mut gang(4), &[ordered(3)], 0), None);
    }

    #[test]
    fn controllers_of_other_groups_do_not_count() {
        let mut other = gang(3);
        other.key.name = "other".to_owned();
        assert_eq!(check(&mut other, &[ordered(3)], 0), None);
    }

    #[test]
    fn each_controller_supplies_at_its_own_pace() {
        let meta = r#""metadata":{"name":"x","namespace":"a"}"#;
        let pace = |supply: Option<Supply>| supply.map(|supply| (supply.at_once, supply.all));
        let json = format!(
            r#"{{{meta},"spec":{{"parallelism":2,"completions":6,"template":{TEMPLATE}}}}}"#
        );
        assert_eq!(pace(job(&serde_json::from_str(&json).expect("a Job"))), Some((2, 6)));
        let json = format!(r#"{{{meta},"spec":{{"replicas":4,"template":{TEMPLATE}}}}}"#);
        let set = serde_json::from_str(&json).expect("a ReplicaSet");
        assert_eq!(pace(replicas(&set)), Some((4, 4)));
        for (policy, want) in [("LeaderReady", (2, 6)), ("LeaderCreated", (6, 6))] {
            let json = format!(
                r#"{{{meta},"spec":{{"replicas":2,"startupPolicy":"{policy}",
                    "leaderWorkerTemplate":{{"size":3,"workerTemplate":{TEMPLATE}}}}}}}"#
            );
            let set = serde_json::from_str(&json).expect("a LeaderWorkerSet");
            assert_eq!(pace(leader_worker_set(&set)), Some(want));
        }
        let json = format!(r#"{{{meta},"spec":{{"replicas":4}}}}"#);
        assert_eq!(replicas(&serde_json::from_str(&json).expect("a ReplicaSet")), None);
    }
}
