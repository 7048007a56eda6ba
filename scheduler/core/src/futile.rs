//! Shapes that were tried and failed since room last grew: another gang of the same shape need
//! not be tried again. Makes a storm of equal gangs that cannot fit cost one search.
//!
//! Invariant: an entry is only used while the cluster can hold no more than when it was made;
//! every kind of news that could help clears the list.

use crate::roster::Roster;
use scheduler_framework::EventMask;
use scheduler_model::class::ClassKey;
use scheduler_model::explain::Explanation;
use scheduler_model::ids::{ClassId, QueueId};
use scheduler_model::op::Kept;
use scheduler_model::queue::Account;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::TopologyWish;
use std::collections::BTreeMap;

/// Entries kept at most; beyond that the list starts over.
const ENTRIES_MAX: usize = 4096;

/// All that decides whether a fresh gang finds room.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    sets: Vec<(String, ClassKey, u32)>,
    needed: (u32, Vec<(String, u32)>),
    wish: Option<TopologyWish>,
    queue: Option<QueueId>,
    /// Whose limits count beside those of queues.
    accounts: Vec<Account>,
    /// Decides whom it may evict.
    priority: i32,
    holds: Vec<Kept>,
}

impl Shape {
    /// The shape of a gang none of whose members has a place; `None` for others, and where
    /// placed pods act on a member, so that more pods could mean more room.
    #[must_use]
    pub fn of(snap: &Snapshot, roster: &Roster, holds: &[Kept]) -> Option<Self> {
        let is_plain = |class: ClassId| {
            let row = snap.classes().get(class);
            !row.is_relational() && !row.has_host_ports()
        };
        if roster.total.placed > 0 || !roster.sets.iter().all(|set| is_plain(set.class)) {
            return None;
        }
        let gang = snap.gangs().get(roster.gang);
        let roles = roster.roles.iter().map(|(name, count)| (name.clone(), count.needed()));
        Some(Self {
            sets: roster
                .sets
                .iter()
                .map(|set| {
                    let key = snap.classes().get(set.class).key.clone();
                    (set.role.clone(), key, set.count())
                })
                .collect(),
            needed: (roster.needed(), roles.collect()),
            wish: gang.spec.as_ref().map(|spec| spec.topology.clone()),
            queue: gang.queue,
            accounts: gang.accounts.clone(),
            priority: snap.priority(roster.gang),
            holds: holds.to_vec(),
        })
    }
}

/// Shapes found futile.
#[derive(Clone, Debug, Default)]
pub struct Futile {
    entries: BTreeMap<Shape, (Explanation, EventMask)>,
}

impl Futile {
    /// Why a shape failed, and what wakes it.
    #[must_use]
    pub fn get(&self, shape: &Shape) -> Option<&(Explanation, EventMask)> {
        self.entries.get(shape)
    }

    /// Remembers a failure.
    pub fn insert(&mut self, shape: Shape, explanation: Explanation, wakes_on: EventMask) {
        if self.entries.len() >= ENTRIES_MAX {
            self.entries.clear();
        }
        self.entries.insert(shape, (explanation, wakes_on));
    }

    /// Forgets everything: room may have grown, or the numbers in the reasons have changed.
    pub fn clear(&mut self) {
        self.entries.clear();
    }
}
