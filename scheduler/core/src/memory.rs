//! What the engine remembers about gangs: who is active, who is parked and for what, since when
//! each is complete and blocked.
//!
//! Invariant: every live gang has one memory, and a parked gang is woken by every kind of
//! change that could help it. A cycle touches those that are active or waiting, not all that run.

use crate::engine::{Engine, Memory};
use crate::explain::Failure;
use crate::fuel::Fuel;
use crate::hold::Purpose;
use crate::place::region::Goal;
use crate::report::{CycleReport, Decision};
use crate::roster::Roster;
use scheduler_framework::EventMask;
use scheduler_model::explain::{Explanation, WaitReason};
use scheduler_model::ids::GangId;
use scheduler_model::time::Time;

impl Engine {
    /// Makes gangs active that the news since the last call may help; false if nobody is.
    pub(crate) fn wake(&mut self, now: Time, fuel: &mut Fuel) -> bool {
        self.forget_gone();
        self.keep_promises();
        let (mask, mut changed) =
            (std::mem::take(&mut self.woken), std::mem::take(&mut self.changed));
        changed.extend(self.later.iter().filter(|(_, time)| **time <= now).map(|(gang, _)| *gang));
        self.later.retain(|gang, _| !changed.contains(gang));
        for gang in changed.iter().copied() {
            if self.snapshot.gangs().live(gang).is_some() {
                self.remember(gang, now);
            }
        }
        self.keep_promises();
        // Places and room that those gave up which are gone or over.
        let mask = mask | std::mem::take(&mut self.woken);
        // What earlier processes began to make room for goes before.
        if self.has_restored() {
            self.keep_for_repairs((mask, &changed), now, fuel);
        }
        if !mask.is_empty() {
            self.futile.clear();
            let woken = self.waiting.iter().filter(|it| self.memory[it].wakes_on.meets(mask));
            self.active.extend(woken);
        }
        let due = self.due_to_hold(now);
        self.active.extend(due);
        let shut_out = self.shut_out();
        self.active.extend(shut_out);
        self.active.extend(self.strict.moved(self.snapshot.queues().epoch()));
        !self.active.is_empty()
    }

    /// Drops the memory of gangs that are gone, and the room they kept; their rows may have new
    /// tenants.
    pub(crate) fn forget_gone(&mut self) {
        for (gang, key) in self.snapshot.take_departed() {
            self.touched.forget(key.clone());
            if self.memory.contains_key(&gang) {
                self.unblock(gang);
                if let Some(memory) = self.memory.remove(&gang) {
                    self.parted.keep(key, memory.run);
                }
                self.active.remove(&gang);
                self.waiting.remove(&gang);
                self.broken.remove(&gang);
                self.drop_repair(gang);
            }
            self.drop_plan(gang);
            self.plans.forget(gang);
            self.strict.forget(gang);
            self.later.remove(&gang);
            self.shares.demand.drop(gang);
        }
    }

    /// What a gang has and lacks right now.
    pub(crate) fn roster(&self, gang: GangId) -> Roster {
        let begun = self.memory.get(&gang).and_then(|memory| memory.run.begun.as_ref());
        Roster::of(&self.snapshot, gang, begun)
    }

    /// Makes a gang that changed active if it lacks anything, and follows its run.
    fn remember(&mut self, gang: GangId, now: Time) {
        let key = &self.snapshot.gangs().get(gang).key;
        let memory = self
            .memory
            .entry(gang)
            .or_insert_with(|| Memory { run: self.parted.take(key), ..Memory::default() });
        self.strict.forget(gang);
        memory.run.turn(&mut self.snapshot, gang);
        let roster = Roster::of(&self.snapshot, gang, memory.run.begun.as_ref());
        memory.run.note(&roster, now);
        memory.run.name_youngest(self.snapshot.gangs().get(gang), self.snapshot.pods());
        memory.is_short = roster.needed() > 0;
        if roster.is_over() {
            memory.explanation = None;
        }
        if memory.run.broken_since.is_some() {
            self.broken.insert(gang);
        } else {
            memory.vacant.clear();
            if self.broken.remove(&gang) {
                self.drop_repair(gang);
            }
        }
        self.touched.extend(&[gang]);
        self.follow_holder(gang);
        if roster.is_over() || roster.is_complete() {
            self.unblock(gang);
            self.drop_plan(gang);
        }
        if roster.is_complete() {
            // Nothing is to be decided, so nobody has to look again in this cycle.
            self.shares.demand.drop(gang);
            self.park(gang, EventMask::GANG_CHANGED, None);
        } else {
            self.active.insert(gang);
        }
    }

    /// Puts a gang aside until something it waits for happens.
    pub(crate) fn park(
        &mut self,
        gang: GangId,
        wakes_on: EventMask,
        explanation: Option<Box<Explanation>>,
    ) {
        let memory = self.memory.get_mut(&gang).expect("a considered gang is remembered");
        memory.wakes_on = wakes_on;
        if memory.explanation != explanation {
            self.touched.extend(&[gang]);
        }
        memory.explanation = explanation;
        if wakes_on.meets(EventMask::NEXT_CYCLE) {
            self.active.insert(gang);
        } else {
            self.active.remove(&gang);
        }
        if wakes_on.meets(EventMask::FROM_ELSEWHERE) {
            self.waiting.insert(gang);
        } else {
            self.waiting.remove(&gang);
        }
    }

    /// Parks a gang with its reason, and reports the reason if it is a new one.
    pub(crate) fn tell(
        &mut self,
        gang: GangId,
        wakes_on: EventMask,
        explanation: Explanation,
        report: &mut CycleReport,
    ) {
        let is_news = self.explanation(gang) != Some(&explanation);
        if is_news {
            report.decisions.push(Decision::Wait(Box::new(explanation.clone())));
        }
        self.park(gang, wakes_on, Some(Box::new(explanation)));
    }

    /// Parks a gang that found no room with its reason, and works out whether it may keep room.
    pub(crate) fn block(
        &mut self,
        roster: &Roster,
        goal: &Goal,
        (explanation, wakes_on): (Explanation, EventMask),
        (now, fuel): (Time, &mut Fuel),
        report: &mut CycleReport,
    ) {
        let gang = roster.gang;
        let is_room = matches!(explanation.reason, WaitReason::Room | WaitReason::Held { .. });
        // Members above a minimum keep no room: they go after all minimums anyway.
        let may_hold = is_room && roster.needed() > 0;
        let is_limit = matches!(explanation.reason, WaitReason::Limit { .. });
        let goes_on =
            explanation.reason == WaitReason::Fuel && wakes_on.meets(EventMask::NEXT_CYCLE);
        let may_stand = (is_room || is_limit || goes_on) && roster.needed() > 0;
        self.tell(gang, wakes_on, explanation, report);
        if !may_hold {
            self.unblock(gang);
        }
        if goes_on && may_stand {
            self.stand_in_front(roster);
        } else if may_stand {
            self.consider_front(roster, goal, (now, &mut *fuel));
        } else {
            self.strict.leave(gang);
        }
        if !may_hold {
            return;
        }
        let memory = self.memory.get_mut(&gang).expect("a considered gang is remembered");
        memory.run.blocked_since.get_or_insert(now);
        self.enter_blocked(roster);
        self.consider_hold(roster, goal, now, fuel);
        self.keep_promises();
    }

    /// Room is no longer what the gang lacks.
    pub(crate) fn unblock(&mut self, gang: GangId) {
        self.leave_blocked(gang);
        self.strict.leave(gang);
        let memory = self.memory.get_mut(&gang).expect("a considered gang is remembered");
        memory.run.blocked_since = None;
        self.holds.retain(|hold| hold.purpose != Purpose::Turn || hold.gang != gang);
    }

    /// Why a placement failed, and what may cure it.
    pub(crate) fn why(
        &mut self,
        failure: &Failure<'_>,
        fuel: &mut Fuel,
    ) -> (Explanation, EventMask) {
        let (mut txn, mut placer) = self.placing(fuel);
        let mut why = placer.explain(&mut txn, failure);
        drop(txn);
        self.tell_of_budgets(failure.roster.gang, &mut why);
        why
    }
}
