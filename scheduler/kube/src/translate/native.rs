//! The groups of Kubernetes itself (`scheduling.k8s.io`), in every shape they have had:
//! PodGroups from v1alpha2 on, and the Workload of v1alpha1 that holds its groups inside.
//!
//! Pods of a v1alpha1 Workload name it together with the group and, optionally, a replica key:
//! each replica key is a gang of its own, known only from its pods, see [`replica`].

use super::{Problems, Translated, count, group, membership};
use crate::wire::groups::{DisruptionMode, NativeGroup, Policy, Workload};
use crate::wire::{WorkloadRef, condition};
use scheduler_model::spec::{Dialect, GangKey, GangSpec};

/// A `scheduling.k8s.io` PodGroup of v1alpha2, v1alpha3 or v1beta1.
#[must_use]
pub fn pod_group(object: &NativeGroup) -> Translated<GangSpec> {
    let (meta, spec) = (&object.metadata, &object.spec);
    let mut problems = Problems::of("PodGroup", meta);
    let mut gang = group::gang(group::key(meta, Dialect::Kubernetes), meta, &mut problems);
    policy(&spec.scheduling_policy, "spec.schedulingPolicy", &mut gang, &mut problems);
    constraints(object, &mut gang, &mut problems);
    if !spec.parent_composite_pod_group_name.is_empty() {
        gang.unsupported.push("composite groups".to_owned());
    }
    if !spec.resource_claims.is_empty() {
        gang.unsupported.push("resource claims of the group".to_owned());
    }
    gang.unbreakable = match spec.disruption_mode {
        DisruptionMode::Single => false,
        DisruptionMode::All => true,
        DisruptionMode::Unknown => {
            problems.add(
                "spec.disruptionMode",
                "it is neither `single` nor `all`; taken as `all`, which breaks nothing",
                "write `single: {}` or `all: {}`",
            );
            true
        }
    };
    gang.priority = count::priority(spec.priority.as_ref(), "spec.priority", &mut problems);
    gang.priority_class.clone_from(&spec.priority_class_name);
    // What the group itself says of it holds for ever, whatever became of our annotation.
    let once = condition(&object.status.conditions, "PodGroupInitiallyScheduled");
    gang.ledger.has_started |= once.is_some_and(|once| once.status == "True");
    problems.with(gang)
}

fn constraints(object: &NativeGroup, gang: &mut GangSpec, problems: &mut Problems) {
    let keys = &object.spec.scheduling_constraints.topology;
    if keys.len() > 1 {
        gang.unsupported.push(format!("{} topology constraints at once", keys.len()));
    }
    match keys.first() {
        Some(first) if first.key.is_empty() => problems.add(
            "spec.schedulingConstraints.topology[0].key",
            "it is empty, so members need not be together",
            "name a node label, or remove the constraint",
        ),
        Some(first) => gang.topology.required = Some(first.key.clone()),
        None => {}
    }
}

/// `basic` members are placed one by one: a minimum of 1, all others extra.
fn policy(policy: &Policy, field: &str, gang: &mut GangSpec, problems: &mut Problems) {
    let Some(all_or_nothing) = &policy.gang else {
        if !policy.basic {
            problems.add(
                field,
                "it has neither `basic` nor `gang`; taken as `basic`",
                "write `basic: {}`, or `gang` with a minCount",
            );
        }
        return;
    };
    let field = format!("{field}.gang.minCount");
    if all_or_nothing.min_count.is_none() {
        problems.add(&field, "it is missing; taken as 1", "write how many must run together");
    }
    let number = all_or_nothing.min_count.as_ref();
    let min = count::minimum(number, &field, problems, &mut gang.unsupported);
    gang.min = min.unwrap_or(1);
}

/// The groups inside a `scheduling.k8s.io/v1alpha1` Workload. Later Workloads hold templates
/// only: no group comes of them.
#[must_use]
pub fn workload(object: &Workload) -> Translated<Vec<GangSpec>> {
    let meta = &object.metadata;
    let mut problems = Problems::of("Workload", meta);
    let mut gangs = Vec::new();
    for (index, inner) in object.spec.pod_groups.iter().enumerate() {
        let reference = WorkloadRef {
            name: meta.name.clone(),
            pod_group: inner.name.clone(),
            pod_group_replica_key: String::new(),
        };
        let key = GangKey {
            name: membership::workload_gang_name(&reference),
            ..group::key(meta, Dialect::Kubernetes)
        };
        let mut gang = group::gang(key, meta, &mut problems);
        // Groups share the uid of their Workload, so that alone would not end a tie.
        gang.uid = format!("{}/{}", gang.uid, inner.name);
        let field = format!("spec.podGroups[{index}].policy");
        policy(&inner.policy, &field, &mut gang, &mut problems);
        gangs.push(gang);
    }
    problems.with(gangs)
}

/// True if this names one replica of a group, which no object describes.
pub(crate) fn may_be_replica(key: &GangKey) -> bool {
    key.dialect == Dialect::Kubernetes && key.name.contains('/')
}

/// The group whose replica this is, if it is one.
pub(crate) fn group_of(key: &GangKey) -> Option<GangKey> {
    let (base, _) = key.name.rsplit_once('/')?;
    Some(GangKey { name: base.to_owned(), ..key.clone() })
}

/// The gang of one replica key, made from the group without one: pods name `key`, and no
/// object does.
#[must_use]
pub fn replica(group: &GangSpec, key: &GangKey) -> Option<GangSpec> {
    let rest = key.name.strip_prefix(&group.key.name)?.strip_prefix('/')?;
    let is_same = key.namespace == group.key.namespace && key.dialect == group.key.dialect;
    is_same.then(|| GangSpec {
        uid: format!("{}/{rest}", group.uid),
        key: key.clone(),
        ..group.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Translated<GangSpec> {
        pod_group(&serde_json::from_str(json).expect("a PodGroup"))
    }

    #[test]
    fn a_gang_of_v1beta1_arrives_with_all_it_says() {
        let read = read(
            r#"{"metadata":{"name":"train","namespace":"a","labels":{"muster.sh/queue":"q"}},
                "spec":{"schedulingPolicy":{"gang":{"minCount":4}},
                "schedulingConstraints":{"topology":[{"key":"rack"}]},
                "disruptionMode":{"all":{}},"priority":7,"priorityClassName":"high"}}"#,
        );
        let gang = read.value;
        assert_eq!(read.problems, []);
        assert_eq!((gang.min, gang.unbreakable, gang.priority), (4, true, Some(7)));
        assert_eq!(gang.topology.required.as_deref(), Some("rack"));
        assert_eq!((gang.queue.as_deref(), &*gang.priority_class), (Some("q"), "high"));
        assert_eq!(gang.unsupported, Vec::<String>::new());
    }

    #[test]
    fn a_group_that_was_scheduled_once_says_so_for_ever() {
        let of = |status: &str| {
            let text = format!(
                r#"{{"spec":{{"schedulingPolicy":{{"basic":{{}}}}}},"status":{{"conditions":[
                    {{"type":"PodGroupInitiallyScheduled","status":"{status}"}}]}}}}"#
            );
            read(&text).value.ledger.has_started
        };
        assert_eq!([of("True"), of("False")], [true, false]);
    }

    #[test]
    fn a_group_of_v1alpha2_has_its_disruption_mode_as_text() {
        let read = read(
            r#"{"spec":{"podGroupTemplateRef":{"workload":{"workloadName":"w",
                "podGroupTemplateName":"t"}},"schedulingPolicy":{"gang":{"minCount":2}},
                "disruptionMode":"PodGroup"}}"#,
        );
        assert_eq!((read.value.min, read.value.unbreakable), (2, true));
        assert_eq!(read.problems, []);
    }

    #[test]
    fn members_of_a_basic_group_are_placed_one_by_one() {
        let read = read(r#"{"spec":{"schedulingPolicy":{"basic":{}}}}"#);
        assert_eq!((read.value.min, read.problems.len()), (1, 0));
    }

    #[test]
    fn a_group_without_a_policy_is_basic_and_said() {
        let read = read(r#"{"spec":{}}"#);
        assert_eq!((read.value.min, read.problems.len()), (1, 1));
    }

    #[test]
    fn what_cannot_be_honoured_yet_makes_the_group_wait() {
        let read = read(
            r#"{"spec":{"schedulingPolicy":{"basic":{}},"parentCompositePodGroupName":"all",
                "resourceClaims":[{"name":"gpus","resourceClaimName":"x"}],
                "schedulingConstraints":{"topology":[{"key":"a"},{"key":"b"}]}}}"#,
        );
        assert_eq!(read.value.unsupported.len(), 3, "{:?}", read.value.unsupported);
        assert!(read.value.unsupported.contains(&"composite groups".to_owned()));
    }

    #[test]
    fn an_unknown_disruption_mode_breaks_nothing() {
        let read = read(r#"{"spec":{"schedulingPolicy":{"basic":{}},"disruptionMode":"Half"}}"#);
        assert_eq!((read.value.unbreakable, read.problems.len()), (true, 1));
    }

    #[test]
    fn a_workload_of_v1alpha1_holds_its_groups() {
        let json = r#"{"metadata":{"name":"w","namespace":"a"},"spec":{"podGroups":[
            {"name":"ps","policy":{"basic":{}}},{"name":"worker","policy":{"gang":{"minCount":3}}}]}}"#;
        let read = workload(&serde_json::from_str(json).expect("a Workload"));
        let gangs: Vec<(&str, u32)> =
            read.value.iter().map(|gang| (gang.key.name.as_str(), gang.min)).collect();
        assert_eq!(gangs, [("w/ps", 1), ("w/worker", 3)]);
        assert_eq!(read.problems, []);
    }

    #[test]
    fn a_later_workload_holds_templates_and_no_groups() {
        let json = r#"{"metadata":{"name":"w"},"spec":{"podGroupTemplates":[{"name":"ps"}]}}"#;
        let read = workload(&serde_json::from_str(json).expect("a Workload"));
        assert_eq!((read.value, read.problems), (vec![], vec![]));
    }

    #[test]
    fn each_replica_key_is_a_gang_of_its_own() {
        let json = r#"{"metadata":{"name":"w","namespace":"a"},"spec":{"podGroups":[
            {"name":"worker","policy":{"gang":{"minCount":3}}}]}}"#;
        let groups = workload(&serde_json::from_str(json).expect("a Workload")).value;
        let key = |name: &str| GangKey { name: name.to_owned(), ..groups[0].key.clone() };
        let gang = replica(&groups[0], &key("w/worker/1")).expect("the group is its template");
        assert_eq!((gang.key, gang.min), (key("w/worker/1"), 3));
        assert_eq!(replica(&groups[0], &key("w/workers/1")), None);
        assert_eq!(replica(&groups[0], &key("w/worker")), None);
    }
}
