//! The PodGroup of the coscheduling plugin (`scheduling.x-k8s.io`).

use super::{Problems, Translated, count, group};
use crate::wire::groups::CoschedulingGroup;
use scheduler_model::spec::{Dialect, GangSpec};

/// A `scheduling.x-k8s.io/v1alpha1` PodGroup.
#[must_use]
pub fn pod_group(object: &CoschedulingGroup) -> Translated<GangSpec> {
    let meta = &object.metadata;
    let mut problems = Problems::of("PodGroup", meta);
    let mut gang = group::gang(group::key(meta, Dialect::Coscheduling), meta, &mut problems);
    let number = object.spec.min_member.as_ref();
    let min = count::minimum(number, "spec.minMember", &mut problems, &mut gang.unsupported);
    gang.min = min.unwrap_or(1);
    problems.with(gang)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_whole_gang_does_not_need_is_ignored_in_silence() {
        let json = r#"{"metadata":{"name":"a","labels":{"muster.sh/queue":"q"}},"spec":{
            "minMember":3,"minResources":{"cpu":"9"},"scheduleTimeoutSeconds":10}}"#;
        let read = pod_group(&serde_json::from_str(json).expect("a PodGroup"));
        assert_eq!((read.value.min, read.value.queue.as_deref()), (3, Some("q")));
        assert_eq!(read.problems, []);
    }
}
