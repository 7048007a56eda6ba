//! Which queue is served next: the one that uses least of the cluster for its weight.
//!
//! A queue's share is its use of the resource it uses most of, over all there is in the
//! cluster, divided by its weight. The number of pods does not count: pods are small or
//! large. Equal shares are told apart by the queue's priority, then by its age. A queue of
//! weight 0 comes after all others.

use scheduler_framework::profile::Profile;
use scheduler_framework::{EventMask, OrderKey, Plugin, QueueOrder};
use scheduler_model::ids::{QueueId, ResourceId};
use scheduler_model::queue::Queue;
use scheduler_model::snapshot::Snapshot;
use std::sync::Arc;

#[derive(Debug)]
struct FairShare;

/// The whole cluster as a share. Fine enough to tell one byte in a terabyte.
const WHOLE: i128 = 1_000_000_000_000;

pub(crate) fn install(profile: &mut Profile) {
    profile.queue_order(Arc::new(FairShare));
}

impl Plugin for FairShare {
    fn name(&self) -> &'static str {
        "fair_share"
    }

    fn wakes_on(&self) -> EventMask {
        EventMask::NONE
    }
}

impl QueueOrder for FairShare {
    fn key(&self, snap: &Snapshot, queue: QueueId) -> OrderKey {
        let row = snap.queues().get(queue);
        let is_last = row.spec.weight == 0;
        let share = dominant_share(snap, row) / i128::from(row.spec.weight.max(1));
        [
            i64::from(is_last),
            i64::try_from(share).unwrap_or(i64::MAX),
            -i64::from(row.spec.priority),
            row.spec.created_at.ms(),
        ]
    }
}

/// The largest part of any resource that the queue uses, as a part of [`WHOLE`].
fn dominant_share(snap: &Snapshot, row: &Queue) -> i128 {
    let resources = row.usage.keys().map(|(_, resource)| *resource);
    resources
        .filter(|resource| *resource != snap.resources().pods())
        .map(|resource| share(snap, row, resource))
        .max()
        .unwrap_or(0)
}

fn share(snap: &Snapshot, row: &Queue, resource: ResourceId) -> i128 {
    let total = snap.nodes().total(resource);
    if total <= 0 {
        // What no node has says nothing about who has more.
        return 0;
    }
    row.used(None, resource).max(0).saturating_mul(WHOLE) / total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{in_queue, on, pod, sized, wanting};
    use scheduler_model::event::Event;
    use scheduler_model::spec::{PodSpec, QueueSpec};
    use scheduler_model::time::Time;

    fn world(queues: Vec<QueueSpec>, pods: Vec<PodSpec>) -> Snapshot {
        let mut snap = Snapshot::default();
        let node = sized("a", &[("cpu", 10_000), ("memory", 1000), ("pods", 10)]);
        snap.ingest(Event::Node(Box::new(node)), Time::ZERO);
        for queue in queues {
            snap.ingest(Event::Queue(queue), Time::ZERO);
        }
        for pod in pods {
            snap.ingest(Event::Pod(Box::new(pod)), Time::ZERO);
        }
        snap
    }

    fn runs(name: &str, queue: &str, cpu: i64, memory: i64) -> PodSpec {
        in_queue(queue, on("a", pod(name, &[], wanting(&[("cpu", cpu), ("memory", memory)]))))
    }

    fn order(snap: &Snapshot) -> Vec<&str> {
        let mut queues: Vec<(OrderKey, &str)> = snap
            .queues()
            .iter()
            .filter(|(_, row)| !row.is_implicit)
            .map(|(id, row)| (FairShare.key(snap, id), row.spec.name.as_str()))
            .collect();
        queues.sort_unstable();
        queues.into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn the_resource_a_queue_uses_most_of_is_what_counts() {
        let queues = vec![QueueSpec::named("cpu"), QueueSpec::named("mem")];
        let pods = vec![runs("p", "cpu", 4000, 100), runs("q", "mem", 1000, 500)];
        assert_eq!(order(&world(queues, pods)), ["cpu", "mem"]);
    }

    #[test]
    fn weight_divides_the_share() {
        let heavy = QueueSpec { weight: 3, ..QueueSpec::named("heavy") };
        let pods = vec![runs("p", "heavy", 5000, 0), runs("q", "light", 2000, 0)];
        let snap = world(vec![QueueSpec::named("light"), heavy], pods);
        assert_eq!(order(&snap), ["heavy", "light"]);
    }

    #[test]
    fn weight_zero_is_last() {
        let last = QueueSpec { weight: 0, priority: 9, ..QueueSpec::named("a") };
        let snap = world(vec![last, QueueSpec::named("b")], vec![runs("p", "b", 5000, 0)]);
        assert_eq!(order(&snap), ["b", "a"]);
    }

    #[test]
    fn equal_shares_are_told_apart_by_priority_then_age() {
        let old = QueueSpec { created_at: Time::from_ms(1), ..QueueSpec::named("old") };
        let young = QueueSpec { created_at: Time::from_ms(2), ..QueueSpec::named("young") };
        let high = QueueSpec { priority: 1, created_at: Time::from_ms(3), ..QueueSpec::named("z") };
        assert_eq!(order(&world(vec![young, old, high], vec![])), ["z", "old", "young"]);
    }

    #[test]
    fn many_small_pods_are_no_larger_share_than_their_room() {
        let queues = vec![QueueSpec::named("many"), QueueSpec::named("one")];
        let mut pods = vec![runs("large", "one", 3000, 0)];
        pods.extend((0..9).map(|i| runs(&format!("small{i}"), "many", 100, 0)));
        assert_eq!(order(&world(queues, pods)), ["many", "one"]);
    }
}
