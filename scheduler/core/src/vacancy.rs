//! What it costs to hold room: how long devices stood free because a gang held them.
//!
//! Only holds for a gang's turn count ([`Purpose::Turn`]), and of them only devices: resources
//! whose name has a slash, such as `nvidia.com/gpu`. What stood free after one cycle is taken to
//! have done so until the next, which comes as soon as anything ends or starts.
//!
//! Cost: the rooms that are held, once per cycle.

use crate::engine::Engine;
use crate::hold::Purpose;
use scheduler_model::ids::{NodeId, ResourceId};
use scheduler_model::time::Time;
use std::collections::BTreeMap;

/// By the name of the queue and of the resource.
pub type ByQueue = BTreeMap<(String, String), i128>;

/// Devices that are held and free, and for how long such were so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vacancy {
    /// Device-milliseconds until `since`.
    spent: ByQueue,
    /// Devices held and free from then on.
    now: ByQueue,
    since: Time,
}

impl Vacancy {
    /// Device-milliseconds until `now`.
    pub(crate) fn until(&self, now: Time) -> ByQueue {
        let mut spent = self.spent.clone();
        let span = i128::from(now.since(self.since).ms().max(0));
        for (key, count) in &self.now {
            let sum = spent.entry(key.clone()).or_insert(0);
            *sum = sum.saturating_add(count.saturating_mul(span));
        }
        spent
    }
}

impl Engine {
    /// Counts what was held in vain until now, and what is from now on.
    pub(crate) fn note_vacancy(&mut self, now: Time) {
        if self.vacancy.spent.is_empty() && self.vacancy.now.is_empty() && self.holds.is_empty() {
            return;
        }
        let mut spent = self.vacancy.until(now);
        spent.retain(|(queue, _), _| self.snapshot.queues().find(queue).is_some());
        self.vacancy = Vacancy { spent, now: self.held_and_free(), since: now };
    }

    /// Devices that somebody holds for a turn and nobody uses.
    fn held_and_free(&self) -> ByQueue {
        let snap = &self.snapshot;
        let mut taken: BTreeMap<(NodeId, ResourceId), i64> = BTreeMap::new();
        let mut vacant = ByQueue::new();
        for hold in self.holds.iter().filter(|hold| hold.purpose == Purpose::Turn) {
            let queue = &snap.gangs().get(hold.gang).queue_name;
            for room in &hold.rooms {
                for (resource, amount) in room.request.iter() {
                    let name = snap.resources().name(*resource);
                    if !name.contains('/') {
                        continue;
                    }
                    let free = snap.nodes().free(room.node, *resource).units().max(0);
                    let taken = taken.entry((room.node, *resource)).or_insert(0);
                    let wants = amount.times(room.count).units();
                    let part = wants.min(free.saturating_sub(*taken)).max(0);
                    *taken = taken.saturating_add(part);
                    if part > 0 {
                        let sum = vacant.entry((queue.clone(), name.to_owned())).or_insert(0);
                        *sum += i128::from(part);
                    }
                }
            }
        }
        vacant
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> (String, String) {
        ("q".to_owned(), "nvidia.com/gpu".to_owned())
    }

    #[test]
    fn what_stands_free_adds_up_with_time() {
        let vacant = Vacancy {
            spent: [(key(), 500)].into(),
            now: [(key(), 8)].into(),
            since: Time::from_ms(1000),
        };
        assert_eq!(vacant.until(Time::from_ms(1000)), [(key(), 500)].into());
        assert_eq!(vacant.until(Time::from_ms(3000)), [(key(), 16_500)].into());
        assert_eq!(vacant.until(Time::from_ms(0)), [(key(), 500)].into(), "a clock that went back");
    }
}
