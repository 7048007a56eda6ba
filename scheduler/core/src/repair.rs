//! Gangs that lost members: room for what is missing is kept at once, while they are repaired.
//!
//! A broken gang holds nodes and does nothing, so it does not wait for its turn to hold room
//! ([`crate::hold`]): from the moment it breaks until its repair grace is over, the room on which
//! it could be whole again soonest is kept for it, also for members whose replacements nobody has
//! created yet. A gang that is being released, or could not be whole even if all others ended,
//! keeps nothing.
//!
//! Invariant: at most one such hold per gang, made anew whenever the gang or its nodes change.

use crate::engine::Engine;
use crate::fuel::Fuel;
use crate::hold::{Hold, Purpose};
use crate::place::region::Goal;
use crate::roster::Roster;
use scheduler_framework::EventMask;
use scheduler_model::ids::{ClassId, GangId, PodId};
use scheduler_model::op::Kept;
use scheduler_model::spec::PodSpec;
use scheduler_model::time::Time;
use std::collections::BTreeSet;

/// How hard room is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    /// As things stand.
    Now,
    /// Also room that will be free once what runs has ended.
    Later,
}

impl Engine {
    /// Notes a member that left its place without having succeeded, before anybody knows
    /// whether its gang is broken by it.
    pub(crate) fn note_departure(&mut self, gang: GangId, spec: Box<PodSpec>) {
        let is_large = self.snapshot.gangs().live(gang).is_some_and(|row| row.min() > 1);
        if let Some(memory) = self.memory.get_mut(&gang).filter(|_| is_large) {
            memory.vacant.push(*spec);
        }
    }

    /// A new member takes the part of one that left.
    pub(crate) fn note_arrival(&mut self, gang: GangId, pod: PodId) {
        let Some(memory) = self.memory.get_mut(&gang) else { return };
        let spec = &self.snapshot.pods().get(pod).spec;
        let is_like = |left: &PodSpec| left.role == spec.role && left.shape == spec.shape;
        let alike = memory.vacant.iter().position(is_like);
        let found = alike.or_else(|| memory.vacant.iter().position(|it| it.role == spec.role));
        if let Some(index) = found {
            memory.vacant.remove(index);
        }
    }

    /// Ends repairs whose time is over.
    pub(crate) fn end_repairs(&mut self, now: Time) {
        let over: Vec<GangId> =
            self.broken.iter().copied().filter(|it| !self.mends(*it, now)).collect();
        for gang in over {
            self.drop_repair(gang);
        }
    }

    /// When the next hold for a repair ends.
    pub(crate) fn next_repair_end(&self) -> Option<Time> {
        let held = self.holds.iter().filter(|hold| hold.purpose == Purpose::Repair);
        let since = held.filter_map(|hold| self.memory.get(&hold.gang)?.run.broken_since);
        since.map(|since| since.after(self.config.repair_grace)).min()
    }

    /// True while a gang's repair goes on.
    fn mends(&self, gang: GangId, now: Time) -> bool {
        self.memory.get(&gang).is_some_and(|memory| {
            let since = memory.run.broken_since;
            let is_in_time = since.is_some_and(|it| now < it.after(self.config.repair_grace));
            is_in_time && !memory.run.is_away()
        })
    }

    /// Takes the hold for a repair back; others may have the room.
    pub(crate) fn drop_repair(&mut self, gang: GangId) {
        let before = self.holds.len();
        self.holds.retain(|hold| hold.purpose != Purpose::Repair || hold.gang != gang);
        if self.holds.len() < before {
            self.woken |= EventMask::ROOM_FREED;
        }
    }

    /// Keeps room for all gangs that are being repaired, where news may have changed it.
    pub(crate) fn keep_for_repairs(
        &mut self,
        (mask, changed): (EventMask, &BTreeSet<GangId>),
        now: Time,
        fuel: &mut Fuel,
    ) {
        if self.broken.is_empty() {
            return;
        }
        let nodes = EventMask::NODE_ADDED | EventMask::NODE_CHANGED;
        let mut gangs: Vec<GangId> = self.broken.iter().copied().collect();
        // Whoever is told first is given no room first.
        gangs.sort_by(|a, b| {
            let key = |gang: &GangId| &self.snapshot.gangs().get(*gang).key;
            key(a).cmp(key(b))
        });
        for gang in gangs {
            if !self.mends(gang, now) {
                continue;
            }
            let has_hold =
                self.holds.iter().any(|hold| hold.purpose == Purpose::Repair && hold.gang == gang);
            if changed.contains(&gang) || (!has_hold && mask.meets(nodes)) {
                self.plan_repair(gang, Depth::Later, fuel);
            } else if !has_hold && mask.meets(EventMask::ROOM_FREED) {
                self.plan_repair(gang, Depth::Now, fuel);
            }
        }
    }

    fn plan_repair(&mut self, gang: GangId, depth: Depth, fuel: &mut Fuel) {
        self.holds.retain(|hold| hold.purpose != Purpose::Repair || hold.gang != gang);
        let vacant = std::mem::take(&mut self.memory.entry(gang).or_default().vacant);
        let lent: Vec<ClassId> =
            vacant.iter().map(|spec| self.snapshot.borrow_class(spec, gang)).collect();
        let mut roster = self.roster(gang);
        if roster.needed() > 0 {
            self.await_missing(&mut roster);
            for (spec, class) in vacant.iter().zip(&lent) {
                roster.await_member(&spec.role, *class);
            }
            if let Some(rooms) = self.room_for(&roster, depth, fuel) {
                let purpose = Purpose::Repair;
                self.holds.push(Hold { gang, rooms, classes: Vec::new(), purpose });
            }
        }
        lent.into_iter().for_each(|class| self.snapshot.return_class(class));
        self.memory.entry(gang).or_default().vacant = vacant;
    }

    /// Counts on replacements of members that are lost but still there.
    fn await_missing(&self, roster: &mut Roster) {
        let snap = &self.snapshot;
        for id in snap.gangs().get(roster.gang).members.iter().filter(|id| snap.is_lost(**id)) {
            let pod = snap.pods().get(*id);
            if let Some(class) = pod.class {
                roster.await_member(&pod.spec.role, class);
            }
        }
    }

    fn room_for(&mut self, roster: &Roster, depth: Depth, fuel: &mut Fuel) -> Option<Vec<Kept>> {
        let goal = Goal::minimum(roster);
        let ahead = self.holds_ahead_of(roster.gang, roster);
        self.apply_holds(&ahead);
        let (mut txn, mut placer) = self.placing(fuel);
        let found = placer.try_now(&mut txn, roster, &goal);
        let found = match depth {
            Depth::Later if found.is_none() => placer.plan_hold(&mut txn, roster, &goal),
            Depth::Later | Depth::Now => found,
        };
        drop(txn);
        self.revert_holds(&ahead);
        found.map(|rooms| rooms.into_iter().map(|(_, room)| room).collect())
    }
}
