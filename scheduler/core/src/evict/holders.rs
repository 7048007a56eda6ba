//! Which gangs hold room, by queue: who looks for victims need not go through all that runs.

use super::court::Taker;
use crate::roster::Roster;
use scheduler_model::ids::{GangId, PodId, QueueId, ResourceId};
use scheduler_model::queue::{Branch, Measure};
use scheduler_model::snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};

/// Gangs that hold room.
#[derive(Clone, Debug, Default)]
pub(super) struct Holders {
    /// By queue, those of low priority first.
    queues: BTreeMap<QueueId, BTreeSet<(i32, GangId)>>,
    /// Where each of them stands there.
    stands: BTreeMap<GangId, (QueueId, i32)>,
    /// The queues that this was worked out with.
    epoch: u64,
}

impl Holders {
    /// Works everything out anew if queues came, went or moved.
    pub(super) fn refresh(&mut self, snap: &Snapshot) {
        let epoch = snap.queues().epoch();
        if std::mem::replace(&mut self.epoch, epoch) != epoch {
            snap.gangs().iter().for_each(|(gang, _)| self.follow(snap, gang));
        }
    }

    /// Follows whether a gang holds room, in which queue and with which priority.
    pub(super) fn follow(&mut self, snap: &Snapshot, gang: GangId) {
        self.forget(gang);
        let row = snap.gangs().get(gang);
        let is_placed = |pod: &PodId| snap.pods().get(*pod).place.is_placed();
        if let Some(queue) = row.queue.filter(|_| row.members.iter().any(is_placed)) {
            let priority = snap.priority(gang);
            self.stands.insert(gang, (queue, priority));
            self.queues.entry(queue).or_default().insert((priority, gang));
        }
    }

    /// A gang is gone.
    pub(super) fn forget(&mut self, gang: GangId) {
        let Some((queue, priority)) = self.stands.remove(&gang) else { return };
        if let Some(holders) = self.queues.get_mut(&queue) {
            holders.remove(&(priority, gang));
            if holders.is_empty() {
                self.queues.remove(&queue);
            }
        }
    }

    /// Gangs that may have something to give to a taker, as far as queues and priorities say.
    pub(super) fn of(
        &self,
        snap: &Snapshot,
        taker: Taker,
        roster: &Roster,
        tolerance: u8,
    ) -> Vec<GangId> {
        let own = self.queues.get(&taker.queue).into_iter().flatten();
        let below = own.take_while(|(priority, _)| *priority < taker.priority);
        let mut gangs: Vec<GangId> = below.map(|(_, gang)| *gang).collect();
        // What it takes from its own queue makes room there for what it takes from others.
        let may_reclaim =
            || may_reclaim(snap, taker, roster) && is_short(snap, taker, roster, tolerance);
        if gangs.is_empty() && !may_reclaim() {
            return gangs;
        }
        for (queue, holders) in self.queues.iter().filter(|(queue, _)| **queue != taker.queue) {
            if is_above_fair(snap, *queue) {
                gangs.extend(holders.iter().map(|(_, gang)| *gang));
            }
        }
        gangs
    }
}

/// True if the taker's queue would stay within its fair share with one member more. Most queues
/// under load would not, and need not look for victims elsewhere.
fn may_reclaim(snap: &Snapshot, taker: Taker, roster: &Roster) -> bool {
    let Some(branch) = snap.queues().branches(taker.queue).pop() else { return false };
    let fits = |resource: ResourceId, units: i64| {
        let measure = Measure { flavour: None, resource };
        let is_divided = snap.queues().division().capacity.contains_key(&measure);
        let used = measure.of(snap.queues().usage(branch));
        !is_divided || used + i128::from(units) <= snap.queues().share(branch, measure).fair
    };
    roster.sets.iter().any(|set| {
        let request = &snap.classes().get(set.class).request;
        request.iter().all(|(resource, amount)| fits(*resource, amount.units()))
    })
}

/// True if the taker's queue lacks more of its fair share than is tolerated, of something that the
/// gang wants: where work comes and goes, shares are met on average, and nobody need be evicted
/// for the rest.
fn is_short(snap: &Snapshot, taker: Taker, roster: &Roster, tolerance: u8) -> bool {
    let Some(branch) = snap.queues().branches(taker.queue).pop() else { return false };
    let met = 100 - i128::from(tolerance.min(100));
    let lacks = |resource: ResourceId| {
        let measure = Measure { flavour: None, resource };
        let used = measure.of(snap.queues().usage(branch));
        used.saturating_mul(100) <= snap.queues().share(branch, measure).fair.saturating_mul(met)
    };
    let classes = roster.sets.iter().map(|set| snap.classes().get(set.class));
    let is_divided = |resource: &ResourceId| {
        let measure = Measure { flavour: None, resource: *resource };
        snap.queues().division().capacity.contains_key(&measure)
    };
    let mut wanted = classes.flat_map(|class| class.request.iter().map(|(it, _)| *it));
    wanted.any(|resource| is_divided(&resource) && lacks(resource))
}

/// True if a queue's own gangs use more of something than is fair.
fn is_above_fair(snap: &Snapshot, queue: QueueId) -> bool {
    let branch = snap.queues().branches(queue).pop().unwrap_or(Branch::Queue(queue));
    let usage = snap.queues().usage(branch);
    snap.queues()
        .division()
        .capacity
        .keys()
        .any(|measure| measure.of(usage) > snap.queues().share(branch, *measure).fair)
}
