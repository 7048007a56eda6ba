//! Which queue is served next: of those with the same parent, the one that has least of what it
//! is entitled to.
//!
//! A queue is measured by the resource of which it has most, against what it is entitled to: by
//! its object, or by its weight. Beyond that it lives on what others lend, and that is measured by
//! weight against all there is. A queue that has its fair share of something it wants more of
//! comes after those that have not: what cannot be divided evenly is settled by the division. The number of pods does not count: pods are small or large.
//! Equal queues are told apart by their priority, then by age. A queue of weight 0 comes after all
//! others.
//!
//! A queue is taken to have half of its next gang already. By what it has before, queues of large
//! gangs would get more than their shares, by what it would have afterwards less: halfway neither
//! large nor small ones are favoured (as in Sainte-Laguë's way to divide seats).

use scheduler_framework::profile::Profile;
use scheduler_framework::{EventMask, OrderKey, Plugin, QueueOrder};
use scheduler_model::ids::ResourceId;
use scheduler_model::queue::Branch;
use scheduler_model::resource::Request;
use scheduler_model::snapshot::Snapshot;
use std::sync::Arc;

#[derive(Debug)]
struct FairShare;

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

/// Levels beyond this are all the same.
const LEVEL_MAX: i128 = 1 << 61;

impl QueueOrder for FairShare {
    fn key(&self, snap: &Snapshot, branch: Branch, next: &Request) -> OrderKey {
        let spec = &snap.queues().get(branch.queue()).spec;
        let is_own = matches!(branch, Branch::Own(_));
        let is_last = spec.weight == 0 && !is_own;
        let priority = if is_own { 0 } else { spec.priority };
        // Whoever uses nothing yet has its first place, however large its gang is.
        let uses_nothing = snap.queues().usage(branch).is_empty();
        let half = if uses_nothing { Vec::new() } else { half(snap, next) };
        let level = snap.queues().level(branch, &half).min(LEVEL_MAX);
        let after = if snap.queues().is_satisfied(branch, &half) { LEVEL_MAX } else { 0 };
        [
            i64::from(is_last),
            i64::try_from(level + after).expect("twice the largest level fits"),
            -i64::from(priority),
            spec.created_at.ms(),
        ]
    }
}

/// Half of what a gang wants, without the pods as such: they are small or large.
fn half(snap: &Snapshot, next: &Request) -> Vec<(ResourceId, i128)> {
    let counts = next.iter().filter(|(resource, _)| *resource != snap.resources().pods());
    counts.map(|(resource, amount)| (*resource, i128::from(amount.units()) / 2)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{in_queue, on, pod, sized, wanting};
    use scheduler_model::event::Event;
    use scheduler_model::queue::{Division, Measure, Share};
    use scheduler_model::spec::{PodSpec, QueueSpec};
    use scheduler_model::time::Time;

    /// One node of 10,000 CPU and 1,000 memory.
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
        snap.settle();
        snap
    }

    /// Entitles queues to so much CPU and memory.
    fn entitle(snap: &mut Snapshot, parts: &[(&str, i128, i128)]) {
        let measure = |resource| Measure { flavour: None, resource };
        let (cpu, memory) = (measure(snap.resources().cpu()), measure(snap.resources().memory()));
        let capacity = [(cpu, 10_000), (memory, 1000)].into();
        let mut shares = Vec::new();
        for (queue, of_cpu, of_memory) in parts {
            let branch = Branch::Queue(snap.queues().find(queue).expect("a queue"));
            for (measure, entitled) in [(cpu, *of_cpu), (memory, *of_memory)] {
                shares.push((branch, measure, Share { entitled, ..Share::default() }));
            }
        }
        snap.set_division(Division { capacity, ..Division::default() }, shares);
    }

    fn runs(name: &str, queue: &str, cpu: i64, memory: i64) -> PodSpec {
        in_queue(queue, on("a", pod(name, &[], wanting(&[("cpu", cpu), ("memory", memory)]))))
    }

    fn order(snap: &Snapshot) -> Vec<&str> {
        let mut queues: Vec<(OrderKey, &str)> = snap
            .queues()
            .iter()
            .filter(|(_, row)| !row.is_implicit)
            .map(|(id, row)| {
                (FairShare.key(snap, Branch::Queue(id), &Request::new()), row.spec.name.as_str())
            })
            .collect();
        queues.sort_unstable();
        queues.into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn the_resource_a_queue_has_most_of_is_what_counts() {
        let queues = vec![QueueSpec::named("cpu"), QueueSpec::named("mem")];
        let pods = vec![runs("p", "cpu", 3000, 100), runs("q", "mem", 1000, 400)];
        let mut snap = world(queues, pods);
        entitle(&mut snap, &[("cpu", 5000, 500), ("mem", 5000, 500)]);
        assert_eq!(order(&snap), ["cpu", "mem"]);
    }

    #[test]
    fn use_is_measured_against_what_a_queue_is_entitled_to() {
        let pods = vec![runs("p", "heavy", 5000, 0), runs("q", "light", 2000, 0)];
        let mut snap = world(vec![QueueSpec::named("light"), QueueSpec::named("heavy")], pods);
        entitle(&mut snap, &[("heavy", 7500, 0), ("light", 2500, 0)]);
        assert_eq!(order(&snap), ["heavy", "light"]);
    }

    #[test]
    fn beyond_that_use_is_measured_by_weight() {
        let heavy = QueueSpec { weight: 3, ..QueueSpec::named("heavy") };
        let pods = vec![runs("p", "heavy", 4000, 0), runs("q", "light", 3000, 0)];
        let mut snap = world(vec![QueueSpec::named("light"), heavy], pods);
        entitle(&mut snap, &[("heavy", 1000, 0), ("light", 1000, 0)]);
        assert_eq!(order(&snap), ["heavy", "light"]);
        entitle(&mut snap, &[("heavy", 3999, 0), ("light", 3000, 0)]);
        assert_eq!(order(&snap), ["light", "heavy"], "whoever borrows comes after who does not");
    }

    #[test]
    fn weight_zero_is_last() {
        let last = QueueSpec { weight: 0, priority: 9, ..QueueSpec::named("a") };
        let mut snap = world(vec![last, QueueSpec::named("b")], vec![runs("p", "b", 5000, 0)]);
        entitle(&mut snap, &[("b", 5000, 0)]);
        assert_eq!(order(&snap), ["b", "a"]);
    }

    #[test]
    fn equal_queues_are_told_apart_by_priority_then_age() {
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
        let mut snap = world(queues, pods);
        entitle(&mut snap, &[("many", 5000, 0), ("one", 5000, 0)]);
        assert_eq!(order(&snap), ["many", "one"]);
    }
}
