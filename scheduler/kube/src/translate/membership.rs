//! Which gang a pod belongs to, in what role, and whose queue it asks for.
//!
//! The first of these that a pod carries counts; naming two groups is a problem:
//! 1. label `muster.sh/pod-group`
//! 2. `spec.schedulingGroup.podGroupName` (1.36 and later), `spec.workloadRef` (1.35)
//! 3. annotation `scheduling.k8s.io/group-name` or `scheduling.volcano.sh/group-name`
//! 4. label `scheduling.x-k8s.io/pod-group`
//! 5. label `kueue.x-k8s.io/pod-group-name`: grouped, without a group object
//! 6. the replica of a LeaderWorkerSet
//! 7. the controller, except DaemonSets and nodes, whose pods have nothing in common
//! 8. none: a gang of one
//!
//! The last four also stand beside a group without being one, so that is no problem.

use super::{Problems, shorten};
use crate::names;
use crate::wire::{Meta, Pod, PodBody, WorkloadRef};
use scheduler_model::spec::{Dialect, GangKey, GangSpec, Labels, Membership};

/// The gang of a pod.
pub fn of(pod: &Pod, problems: &mut Problems) -> Membership {
    let named = named_groups(&pod.metadata, &pod.spec);
    let Some((_, dialect, name)) = named.first() else {
        return unnamed(&pod.metadata);
    };
    let others = named[1..].iter().filter(|(_, other, text)| (other, text) != (dialect, name));
    for (field, _, other) in others {
        problems.add(
            *field,
            format!(
                "it names the group `{}` beside `{}`, which counts",
                shorten(other),
                shorten(name)
            ),
            "name one group",
        );
    }
    Membership::Group(key(&pod.metadata, *dialect, name.clone()))
}

/// The gang of a plain group: `name` is `<kind>/<name>` of what its pods share.
#[must_use]
pub fn plain_key(meta: &Meta, name: String) -> GangKey {
    key(meta, Dialect::Plain, name)
}

/// What a plain gang of this controller is called: `job/train`.
#[must_use]
pub fn controller_gang_name(kind: &str, name: &str) -> String {
    format!("{}/{name}", kind.to_lowercase())
}

/// What the gang of a 1.35 workload reference is called: `<workload>/<group>`, with the
/// replica behind it where one is named.
#[must_use]
pub fn workload_gang_name(reference: &WorkloadRef) -> String {
    let WorkloadRef { name, pod_group, pod_group_replica_key } = reference;
    if pod_group_replica_key.is_empty() {
        format!("{name}/{pod_group}")
    } else {
        format!("{name}/{pod_group}/{pod_group_replica_key}")
    }
}

/// The role of a pod in its gang; empty for the nameless one.
#[must_use]
pub fn role(meta: &Meta) -> String {
    let text = filled(meta.label(names::ROLE))
        .or_else(|| filled(meta.label(names::VOLCANO_TASK)))
        .or_else(|| filled(meta.annotation(names::VOLCANO_TASK)));
    text.unwrap_or_default().to_owned()
}

/// The queue that an object asks for by itself. A Kueue LocalQueue is `<namespace>/<name>`.
#[must_use]
pub fn queue(meta: &Meta) -> Option<String> {
    if let Some(queue) = filled(meta.label(names::QUEUE)) {
        return Some(queue.to_owned());
    }
    if let Some(queue) = filled(meta.label(names::KUEUE_QUEUE)) {
        return Some(format!("{}/{queue}", meta.namespace_or_default()));
    }
    volcano_queue(meta)
}

/// The queue that an object asks for in Volcano's words, annotations before labels.
#[must_use]
pub fn volcano_queue(meta: &Meta) -> Option<String> {
    let queue = [names::VOLCANO_SCHEDULING_QUEUE, names::VOLCANO_QUEUE]
        .into_iter()
        .find_map(|key| filled(meta.annotation(key)).or_else(|| filled(meta.label(key))));
    queue.map(str::to_owned)
}

/// Forgets a queue that only Kueue's label asks for: where Kueue runs, it is Kueue that admits.
pub(crate) fn beside_kueue(queue: &mut Option<String>, namespace: &str, labels: &Labels) {
    let Some(local) = labels.get(names::KUEUE_QUEUE).filter(|local| !local.is_empty()) else {
        return;
    };
    if queue.as_deref().is_some_and(|queue| {
        queue.split_once('/').is_some_and(|(above, name)| above == namespace && name == local)
    }) {
        *queue = None;
    }
}

/// Group and kind of the object that describes a plain gang, by one of its pods: its
/// LeaderWorkerSet, or its controller where that gives the gang its name.
pub(crate) fn described_by(meta: &Meta, key: &GangKey) -> Option<(String, String)> {
    if key.name.starts_with("lws/") {
        return Some(("leaderworkerset.x-k8s.io".to_owned(), "LeaderWorkerSet".to_owned()));
    }
    let owner = meta.controller()?;
    let group = owner.api_version.split_once('/').map_or("", |(group, _)| group);
    let is_named_so = key.name == controller_gang_name(&owner.kind, &owner.name);
    is_named_so.then(|| (group.to_owned(), owner.kind.clone()))
}

/// A gang whose controller was not seen yet, though its pods were: nobody knows its minimum, so
/// it waits. Where the controller is gone for good, its pods are collected soon.
pub(crate) fn unseen(key: &GangKey) -> GangSpec {
    let mut gang = GangSpec::plain(key.clone());
    gang.unsupported.push("a controller that has not been seen yet".to_owned());
    gang
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

fn key(meta: &Meta, dialect: Dialect, name: String) -> GangKey {
    GangKey { namespace: meta.namespace_or_default().to_owned(), name, dialect }
}

type Named = (&'static str, Dialect, String);

fn named_groups(meta: &Meta, spec: &PodBody) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    let mut add = |field, dialect, text: Option<&str>| {
        if let Some(text) = filled(text) {
            found.push((field, dialect, text.to_owned()));
        }
    };
    add("label muster.sh/pod-group", Dialect::Muster, meta.label(names::GROUP));
    let native = spec.scheduling_group.pod_group_name.as_str();
    add("spec.schedulingGroup", Dialect::Kubernetes, Some(native));
    let workload = workload_gang_name(&spec.workload_ref);
    let workload = Some(workload.as_str()).filter(|_| !spec.workload_ref.name.is_empty());
    add("spec.workloadRef", Dialect::Kubernetes, workload);
    for (field, key) in [
        ("annotation scheduling.k8s.io/group-name", names::VOLCANO_GROUP_NAME),
        ("annotation scheduling.volcano.sh/group-name", names::VOLCANO_GROUP_NAME_ALT),
    ] {
        add(field, Dialect::Volcano, meta.annotation(key));
    }
    let label = meta.label(names::COSCHEDULING_GROUP);
    add("label scheduling.x-k8s.io/pod-group", Dialect::Coscheduling, label);
    found
}

fn unnamed(meta: &Meta) -> Membership {
    if let Some(group) = filled(meta.label(names::KUEUE_GROUP)) {
        return Membership::Owner(plain_key(meta, format!("kueue-group/{group}")));
    }
    let replica = (filled(meta.label(names::LWS_NAME)), filled(meta.label(names::LWS_GROUP_INDEX)));
    if let (Some(set), Some(index)) = replica {
        return Membership::Owner(plain_key(meta, format!("lws/{set}-{index}")));
    }
    match meta.controller() {
        Some(owner) if !matches!(owner.kind.as_str(), "DaemonSet" | "Node") => {
            let name = controller_gang_name(&owner.kind, &owner.name);
            Membership::Owner(plain_key(meta, name))
        }
        _ => Membership::Alone,
    }
}

/// The DaemonSet that controls the pod, as `namespace/name`.
pub(crate) fn daemon(meta: &Meta, namespace: &str) -> Option<String> {
    let owner = meta.owner_references.iter().find(|owner| owner.controller)?;
    (owner.kind == "DaemonSet").then(|| format!("{namespace}/{}", owner.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(json: &str) -> (String, usize) {
        let pod: Pod = serde_json::from_str(json).expect("a pod");
        let mut problems = Problems::of("Pod", &pod.metadata);
        let shown = match of(&pod, &mut problems) {
            Membership::Group(key) => format!("group {} {key}", key.dialect.name()),
            Membership::Owner(key) => format!("owner {key}"),
            Membership::Alone => "alone".to_owned(),
        };
        (shown, problems.with(()).problems.len())
    }

    #[test]
    fn each_dialect_names_its_group_in_its_own_place() {
        for (json, want) in [
            (r#"{"metadata":{"labels":{"muster.sh/pod-group":"g"}}}"#, "group muster default/g"),
            (r#"{"spec":{"schedulingGroup":{"podGroupName":"g"}}}"#, "group kubernetes default/g"),
            (
                r#"{"spec":{"workloadRef":{"name":"w","podGroup":"g","podGroupReplicaKey":"2"}}}"#,
                "group kubernetes default/w/g/2",
            ),
            (
                r#"{"metadata":{"namespace":"a","annotations":{"scheduling.k8s.io/group-name":"g"}}}"#,
                "group volcano a/g",
            ),
            (
                r#"{"metadata":{"annotations":{"scheduling.volcano.sh/group-name":"g"}}}"#,
                "group volcano default/g",
            ),
            (
                r#"{"metadata":{"labels":{"scheduling.x-k8s.io/pod-group":"g"}}}"#,
                "group coscheduling default/g",
            ),
            (
                r#"{"metadata":{"labels":{"kueue.x-k8s.io/pod-group-name":"g"}}}"#,
                "owner default/kueue-group/g",
            ),
            (
                r#"{"metadata":{"labels":{"leaderworkerset.sigs.k8s.io/name":"s",
                    "leaderworkerset.sigs.k8s.io/group-index":"3"}}}"#,
                "owner default/lws/s-3",
            ),
            (r#"{"metadata":{"labels":{"scheduling.x-k8s.io/pod-group":""}}}"#, "alone"),
            (r#"{"spec":{"schedulingGroup":{}}}"#, "alone"),
        ] {
            assert_eq!(member(json), (want.to_owned(), 0), "{json}");
        }
    }

    #[test]
    fn a_pod_without_a_group_belongs_to_its_controller() {
        let owned = |kind: &str, controller: bool| {
            let owner = format!(r#"{{"kind":"{kind}","name":"x","controller":{controller}}}"#);
            member(&format!(r#"{{"metadata":{{"ownerReferences":[{owner}]}}}}"#)).0
        };
        assert_eq!(owned("Job", true), "owner default/job/x");
        assert_eq!(owned("ReplicaSet", true), "owner default/replicaset/x");
        assert_eq!(owned("DaemonSet", true), "alone");
        assert_eq!(owned("Node", true), "alone");
        assert_eq!(owned("Job", false), "alone");
    }

    #[test]
    fn the_first_of_two_groups_counts_and_a_problem_says_so() {
        let two = r#"{"metadata":{"labels":{"muster.sh/pod-group":"a",
            "scheduling.x-k8s.io/pod-group":"b"}}}"#;
        assert_eq!(member(two), ("group muster default/a".to_owned(), 1));
        let twice = r#"{"metadata":{"annotations":{"scheduling.k8s.io/group-name":"a",
            "scheduling.volcano.sh/group-name":"a"}}}"#;
        assert_eq!(member(twice), ("group volcano default/a".to_owned(), 0));
    }

    #[test]
    fn a_queue_is_asked_for_in_any_dialect() {
        let queue_of = |json: &str| queue(&serde_json::from_str::<Meta>(json).expect("metadata"));
        for (json, want) in [
            (r#"{"labels":{"muster.sh/queue":"q","kueue.x-k8s.io/queue-name":"l"}}"#, Some("q")),
            (r#"{"namespace":"a","labels":{"kueue.x-k8s.io/queue-name":"l"}}"#, Some("a/l")),
            (r#"{"annotations":{"scheduling.volcano.sh/queue-name":"q"}}"#, Some("q")),
            (r#"{"labels":{"volcano.sh/queue-name":"q"}}"#, Some("q")),
            (r#"{"labels":{"muster.sh/queue":""}}"#, None),
        ] {
            assert_eq!(queue_of(json).as_deref(), want, "{json}");
        }
    }
}
