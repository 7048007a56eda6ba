//! muster's own PodGroup; Queue and Topology stand in [`super::queue`] and [`super::topology`].

use super::{Problems, Translated, count, group, wishes};
use crate::wire::groups::PodGroup;
use scheduler_model::spec::{Dialect, GangSpec, RoleSpec};
use std::collections::BTreeMap;

/// A `muster.sh/v1alpha1` PodGroup.
#[must_use]
pub fn pod_group(object: &PodGroup) -> Translated<GangSpec> {
    let (meta, spec) = (&object.metadata, &object.spec);
    let mut problems = Problems::of("PodGroup", meta);
    let mut gang = group::gang(group::key(meta, Dialect::Muster), meta, &mut problems);
    let min = count::minimum(
        spec.min_available.as_ref(),
        "spec.minAvailable",
        &mut problems,
        &mut gang.unsupported,
    );
    gang.min = min.unwrap_or(1);
    gang.roles = roles(object, &mut problems, &mut gang.unsupported);
    gang.queue = group::filled(&spec.queue).or(gang.queue);
    gang.priority_class.clone_from(&spec.priority_class_name);
    let own = &spec.topology;
    gang.topology.topology = group::filled(&own.topology).or(gang.topology.topology);
    gang.topology.required = group::filled(&own.required).or(gang.topology.required);
    gang.topology.preferred = group::filled(&own.preferred).or(gang.topology.preferred);
    gang.walltime =
        group::walltime(spec.walltime.as_deref(), "spec.walltime", &mut problems).or(gang.walltime);
    gang.wishes = wishes::of_spec(spec, std::mem::take(&mut gang.wishes), &mut problems);
    gang.ledger = object.status.ledger.read("status.ledger", &mut problems);
    // Nothing is lost with one that cannot be read: the status is written once more.
    gang.digest = u64::from_str_radix(&object.status.digest, 16).ok();
    problems.with(gang)
}

/// Roles by name. Where one is named twice, the larger minimum counts.
fn roles(
    object: &PodGroup,
    problems: &mut Problems,
    unsupported: &mut Vec<String>,
) -> Vec<RoleSpec> {
    let mut roles: BTreeMap<&str, u32> = BTreeMap::new();
    for (index, role) in object.spec.roles.iter().enumerate() {
        let field = format!("spec.roles[{index}].minAvailable");
        let number = role.min_available.as_ref();
        let min = count::role_minimum(number, &field, problems, unsupported).unwrap_or(1);
        if let Some(before) = roles.get(&*role.name) {
            let larger = min.max(*before);
            problems.add(
                format!("spec.roles[{index}].name"),
                format!("role {:?} is named twice; the larger minimum {larger} counts", role.name),
                "name each role once",
            );
            roles.insert(&role.name, larger);
        } else {
            roles.insert(&role.name, min);
        }
    }
    roles.into_iter().map(|(name, min)| RoleSpec { name: name.to_owned(), min }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use scheduler_model::spec::{GangKey, TopologyWish};
    use scheduler_model::time::Span;

    fn read(json: &str) -> Translated<GangSpec> {
        pod_group(&serde_json::from_str(json).expect("a PodGroup"))
    }

    #[test]
    fn every_field_of_a_pod_group_arrives() {
        let read = read(
            r#"{"metadata":{"name":"train","namespace":"team-a","uid":"u1","labels":{"a":"b"},
                "creationTimestamp":"1970-01-01T00:00:05Z"},
                "spec":{"minAvailable":4,"queue":"research","priorityClassName":"high",
                "roles":[{"name":"worker","minAvailable":3},{"name":"leader"}],
                "topology":{"topology":"net","required":"rack","preferred":"host"},
                "walltime":"1h30m"}}"#,
        );
        assert_eq!(read.problems, []);
        let key = GangKey {
            namespace: "team-a".to_owned(),
            name: "train".to_owned(),
            dialect: Dialect::Muster,
        };
        let role = |name: &str, min| RoleSpec { name: name.to_owned(), min };
        let want = GangSpec {
            uid: "u1".to_owned(),
            created_at: scheduler_model::time::Time::from_ms(5000),
            min: 4,
            roles: vec![role("leader", 1), role("worker", 3)],
            queue: Some("research".to_owned()),
            priority_class: "high".to_owned(),
            topology: TopologyWish {
                topology: Some("net".to_owned()),
                required: Some("rack".to_owned()),
                preferred: Some("host".to_owned()),
            },
            walltime: Some(Span::from_secs(5400)),
            labels: [("a".to_owned(), "b".to_owned())].into(),
            ..GangSpec::plain(key)
        };
        assert_eq!(read.value, want);
    }

    #[test]
    fn an_empty_pod_group_is_a_gang_of_at_least_one() {
        let read = read(r#"{"metadata":{"name":"a"},"spec":null}"#);
        assert_eq!((read.value.min, read.value.queue, read.problems.len()), (1, None, 0));
    }

    #[test]
    fn a_walltime_that_cannot_be_read_is_unknown_and_said() {
        let read = read(r#"{"metadata":{"name":"a"},"spec":{"walltime":"soon"}}"#);
        assert_eq!(read.value.walltime, None);
        assert_eq!(read.problems[0].field, "spec.walltime");
    }

    #[test]
    fn a_role_named_twice_keeps_its_larger_minimum() {
        let read = read(
            r#"{"spec":{"roles":[{"name":"a","minAvailable":3},{"name":"a","minAvailable":2}]}}"#,
        );
        assert_eq!(read.value.roles, [RoleSpec { name: "a".to_owned(), min: 3 }]);
        assert_eq!(read.problems.len(), 1);
    }
}
