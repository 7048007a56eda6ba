//! What gangs that wait would use, by queue: kept as they come and go, so that a division looks
//! only at queues in which something changed.
//!
//! A gang counts from when it could run as far as its members, volumes and queue are concerned: a
//! share that is kept for a gang without pods would be lost to all. A gang that may run on several
//! flavours counts in full on each of them: as demand only caps a share, too much of it takes
//! nothing from anybody who is entitled to it.

use crate::roster::Roster;
use scheduler_model::ids::{FlavourId, GangId, QueueId};
use scheduler_model::queue::Measure;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::GangKey;
use std::collections::{BTreeMap, BTreeSet};

/// What one gang wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Wants {
    queue: Option<QueueId>,
    units: BTreeMap<Measure, i128>,
}

/// Who wants it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Gang(GangId),
    /// Pods of a gang that were evicted and are not made anew yet. The gang itself may be gone.
    Awaited(GangKey),
}

/// What all gangs want that wait.
#[derive(Clone, Debug, Default)]
pub struct Demand {
    gangs: BTreeMap<Who, Wants>,
    queues: BTreeMap<QueueId, BTreeMap<Measure, i128>>,
    /// Queues of which it changed since somebody last asked.
    touched: BTreeSet<QueueId>,
}

impl Demand {
    /// What waits in a queue itself, not in those below it.
    #[must_use]
    pub fn of(&self, queue: QueueId, measure: Measure) -> i128 {
        self.queues.get(&queue).and_then(|of| of.get(&measure)).copied().unwrap_or(0)
    }

    /// True if something waits in a queue itself.
    #[must_use]
    pub fn has(&self, queue: QueueId) -> bool {
        self.queues.contains_key(&queue)
    }

    /// Queues of which it changed since the last call.
    pub(super) fn take_touched(&mut self) -> BTreeSet<QueueId> {
        std::mem::take(&mut self.touched)
    }

    /// Takes in what a gang wants now. `flavours` says of each set on which it may run.
    pub fn note(
        &mut self,
        snap: &Snapshot,
        roster: &Roster,
        mut flavours: impl FnMut(usize) -> Vec<FlavourId>,
    ) {
        let mut wants = Wants { queue: snap.gangs().get(roster.gang).queue, ..Wants::default() };
        for (index, set) in roster.sets.iter().enumerate() {
            let flavours = flavours(index);
            let count = i128::from(set.count());
            for (resource, amount) in &snap.classes().get(set.class).request {
                let units = i128::from(amount.units()) * count;
                let all = std::iter::once(None).chain(flavours.iter().copied().map(Some));
                for flavour in all.filter(|_| units > 0) {
                    let measure = Measure { flavour, resource: *resource };
                    *wants.units.entry(measure).or_insert(0) += units;
                }
            }
        }
        self.replace(Who::Gang(roster.gang), wants);
    }

    /// Takes in what a gang will want again once pods of it are made anew.
    pub fn awaits(&mut self, key: GangKey, queue: QueueId, units: BTreeMap<Measure, i128>) {
        self.replace(Who::Awaited(key), Wants { queue: Some(queue), units });
    }

    /// They are there, or nobody waits for them any more.
    pub fn returned(&mut self, key: GangKey) {
        self.replace(Who::Awaited(key), Wants::default());
    }

    /// A gang wants nothing any more: it runs, is gone, or could not run whatever its share.
    pub fn drop(&mut self, gang: GangId) {
        self.replace(Who::Gang(gang), Wants::default());
    }

    fn replace(&mut self, who: Who, wants: Wants) {
        let before = if wants.units.is_empty() {
            self.gangs.remove(&who)
        } else if self.gangs.get(&who) == Some(&wants) {
            return;
        } else {
            self.gangs.insert(who, wants.clone())
        };
        for (wants, sign) in [(before.unwrap_or_default(), -1), (wants, 1)] {
            let Some(queue) = wants.queue.filter(|_| !wants.units.is_empty()) else { continue };
            self.touched.insert(queue);
            let of = self.queues.entry(queue).or_default();
            for (measure, units) in wants.units {
                let sum = of.entry(measure).or_insert(0);
                *sum += units * sign;
                if *sum == 0 {
                    of.remove(&measure);
                }
            }
            if of.is_empty() {
                self.queues.remove(&queue);
            }
        }
    }

    /// Queues came, went or moved: gangs may stand in others now.
    pub(super) fn requeue(&mut self, snap: &Snapshot) {
        let all: Vec<Who> = self.gangs.keys().cloned().collect();
        for who in all {
            let known = &self.gangs[&who];
            let queue = match &who {
                Who::Gang(gang) => snap.gangs().live(*gang).and_then(|row| row.queue),
                Who::Awaited(_) => None,
            };
            if known.queue != queue {
                let wants = Wants { queue, ..known.clone() };
                self.replace(who, wants);
            }
        }
    }
}
