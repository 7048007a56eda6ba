//! One cycle, step by step. The file to read first.
//!
//! 1. *wake*: news since the last cycle makes parked gangs active again;
//! 2. *line up* the active gangs, minimums before extras;
//! 3. for the first gang of the queue that is served next: *admit*, *place*, *commit*, or
//!    *explain* and *park*, until nobody is left or the fuel is spent;
//! 4. once more for gangs that only waited for a pod placed in this very cycle.
//!
//! Invariant: between two gangs the snapshot holds whole gangs only.

use crate::admit::{self, Refusal};
use crate::engine::Engine;
use crate::explain::Failure;
use crate::fresh;
use crate::fuel::Fuel;
use crate::futile::Shape;
use crate::line::{Line, QueueKeyInLine};
use crate::place::assign::assign;
use crate::place::gang::Attempt;
use crate::place::region::Goal;
use crate::report::{CycleReport, Decision, Plan, Step};
use crate::roster::Roster;
use crate::turn::Users;
use scheduler_framework::EventMask;
use scheduler_model::effect::{Bind, Effect};
use scheduler_model::explain::{Cure, Explanation, WaitReason};
use scheduler_model::ids::{GangId, NodeId, PodId};
use scheduler_model::op::Kept;
use scheduler_model::spec::Labels;
use scheduler_model::time::Time;

/// Minimums of all gangs go first, members above them after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Minimum,
    Extras,
}

impl Engine {
    pub(crate) fn run_cycle(&mut self, now: Time) -> CycleReport {
        let mut report = CycleReport::default();
        let mut fuel = Fuel::new(self.config.fuel);
        self.snapshot.settle();
        // Queues may have come or gone: nobody may ask about those that things were kept for before.
        self.shares.refresh(&mut self.snapshot);
        self.give_up_nodes(now);
        self.end_rests(now);
        self.masks.refresh(&self.snapshot, &self.profile);
        self.end_avoidance(now);
        self.drop_stale_holds();
        self.end_repairs(now);
        self.end_plans(now);
        report.rejections = std::mem::take(&mut self.rejections);
        let kept = fresh::kept(&self.snapshot, now, self.config.fresh_for);
        if kept != self.kept {
            // A node is no longer fresh, or its daemon has come.
            self.woken |= EventMask::ROOM_FREED;
        }
        self.kept = kept;
        self.keep_fresh();
        self.users = Users::count(&self.snapshot);
        while self.wake(now, &mut fuel) {
            self.serve(Phase::Minimum, now, &mut fuel, &mut report);
            self.serve(Phase::Extras, now, &mut fuel, &mut report);
            if fuel.is_empty() {
                break;
            }
        }
        self.give_back_fresh();
        self.shares.refresh(&mut self.snapshot);
        self.note_vacancy(now);
        self.active.extend(self.strict.moved(self.snapshot.queues().epoch()));
        self.is_unfinished = !self.active.is_empty();
        report.steps = fuel.spent();
        report
    }

    fn keep_fresh(&mut self) {
        for (node, request) in &self.kept {
            self.snapshot.keep(*node, request);
        }
    }

    fn give_back_fresh(&mut self) {
        for (node, request) in self.kept.iter().rev() {
            self.snapshot.give_back(*node, request);
        }
    }

    /// Serves one phase until nobody is in line or the fuel is spent.
    fn serve(&mut self, phase: Phase, now: Time, fuel: &mut Fuel, report: &mut CycleReport) {
        let mut line = self.line_up(phase);
        if phase == Phase::Minimum {
            self.shares.refresh(&mut self.snapshot);
            if !self.has_restored() {
                if self.restore_plans(now, fuel, report) {
                    line = self.line_up(phase);
                }
                let broken = self.broken.clone();
                self.keep_for_repairs((EventMask::NONE, &broken), now, fuel);
            }
        }
        while let Some((key, gang)) = line.pop(&self.snapshot, &self.profile, &self.users) {
            if fuel.is_empty() {
                return;
            }
            let queue = self.snapshot.gangs().get(gang).queue;
            match phase {
                Phase::Minimum => {
                    self.consider(gang, now, fuel, report);
                    self.call_next(&mut line, queue);
                }
                Phase::Extras => {
                    let rival = line.rival(&self.snapshot, &self.profile, &self.users, queue);
                    if self.consider_extras(gang, rival.as_ref(), now, fuel, report) {
                        let wants = self.roster(gang).wants(&self.snapshot, 1);
                        line.push(queue, self.user_of(gang), (key, gang), wants);
                    }
                }
            }
        }
    }

    fn line_up(&mut self, phase: Phase) -> Line {
        let mut line = Line::default();
        for gang in self.active.clone() {
            let roster = self.roster(gang);
            let needed = roster.needed();
            // A gang that is refused outright must be told why, whatever it needs.
            let is_refused = admit::refusal(&self.snapshot, &roster).is_some();
            let is_first = needed > 0 || is_refused;
            if phase == Phase::Minimum {
                self.want((!is_refused).then_some(&roster), gang);
            }
            if is_first == (phase == Phase::Minimum) {
                let queue = self.snapshot.gangs().get(gang).queue;
                let key = self.key_of(gang, &roster);
                let wants = roster.wants(&self.snapshot, needed.max(1));
                line.push(queue, self.user_of(gang), (key, gang), wants);
            }
        }
        line
    }

    /// Takes in what a gang wants that could run, or that one wants nothing.
    fn want(&mut self, roster: Option<&Roster>, gang: GangId) {
        let Some(roster) = roster else { return self.shares.demand.drop(gang) };
        let (snap, profile, masks) = (&self.snapshot, &self.profile, &mut self.masks);
        let nodes = |class| masks.get(snap, profile, class).clone();
        self.shares.note(snap, roster, nodes);
    }

    /// Places what a gang's minimum lacks, or says why not.
    pub(crate) fn consider(
        &mut self,
        gang: GangId,
        now: Time,
        fuel: &mut Fuel,
        report: &mut CycleReport,
    ) {
        let roster = self.roster(gang);
        if let Some(refusal) = admit::refusal(&self.snapshot, &roster) {
            self.refuse(&roster, refusal, report);
            return;
        }
        if self.waits_behind(&roster, report) {
            return;
        }
        let goal = Goal::minimum(&roster);
        let holds = self.holds_ahead_of(gang, &roster);
        if fresh::is_daemon(&self.snapshot, gang) {
            self.consider_daemon(&roster, &goal, (now, fuel), report);
            return;
        }
        let shape = Shape::of(&self.snapshot, &roster, &holds);
        if let Some((why, wakes_on)) = shape.as_ref().and_then(|shape| self.futile.get(shape)) {
            let key = self.snapshot.gangs().get(gang).key.clone();
            let why = (Explanation { gang: key, ..why.clone() }, *wakes_on);
            self.note_wait(gang, now);
            self.block(&roster, &goal, why, (now, fuel), report);
            return;
        }
        let is_starved = fuel.spent() == 0;
        let attempt = self.try_place(&roster, &goal, &holds, fuel);
        if attempt.is_whole {
            self.commit(&roster, &attempt, Phase::Minimum, report);
            return;
        }
        if let Some(reason) =
            self.consider_eviction(&roster, &goal, &holds, (now, &mut *fuel), report)
        {
            self.tell_evicting(&roster, reason, report);
            self.stand_in_front(&roster);
            return;
        }
        let reason = self.cause(&roster, &goal, &holds, &attempt, fuel);
        let is_known = reason != WaitReason::Fuel;
        let failure = Failure {
            roster: &roster,
            goal: &goal,
            attempt: &attempt,
            reason,
            holds: &holds,
            is_starved,
        };
        let why = self.why(&failure, fuel);
        if let Some(shape) = shape.filter(|_| is_known) {
            self.futile.insert(shape, why.0.clone(), why.1);
        }
        self.block(&roster, &goal, why, (now, fuel), report);
    }

    /// Places a DaemonSet's pod, which may use the room kept for it.
    fn consider_daemon(
        &mut self,
        roster: &Roster,
        goal: &Goal,
        (now, fuel): (Time, &mut Fuel),
        report: &mut CycleReport,
    ) {
        let is_starved = fuel.spent() == 0;
        self.give_back_fresh();
        let attempt = self.try_place(roster, goal, &[], fuel);
        self.keep_fresh();
        if attempt.is_whole {
            self.commit(roster, &attempt, Phase::Minimum, report);
            return;
        }
        let reason = if attempt.is_out_of_fuel { WaitReason::Fuel } else { WaitReason::Room };
        let failure = Failure { roster, goal, attempt: &attempt, reason, holds: &[], is_starved };
        let why = self.why(&failure, fuel);
        self.block(roster, goal, why, (now, fuel), report);
    }

    /// Places members above the minimum, until the queue `rival` is to be served next; true if
    /// the gang should stand in line again.
    fn consider_extras(
        &mut self,
        gang: GangId,
        rival: Option<&QueueKeyInLine>,
        now: Time,
        fuel: &mut Fuel,
        report: &mut CycleReport,
    ) -> bool {
        let roster = self.roster(gang);
        let pending = roster.pending();
        self.want((pending > 0).then_some(&roster), gang);
        if pending == 0 {
            self.park(gang, EventMask::GANG_CHANGED, None);
            return false;
        }
        if self.waits_behind(&roster, report) {
            return false;
        }
        let is_starved = fuel.spent() == 0;
        let holds = self.holds_ahead_of(gang, &roster);
        let queue = self.snapshot.gangs().get(gang).queue;
        self.apply_holds(&holds);
        let (mut txn, mut placer) = self.placing(fuel);
        let attempt = placer.grow_beside(&mut txn, &roster, queue, rival);
        txn.commit();
        self.revert_holds(&holds);
        if attempt.is_whole {
            self.commit(&roster, &attempt, Phase::Extras, report);
            return attempt.count() < pending;
        }
        let goal = Goal { total: pending, ..Goal::default() };
        let cause =
            self.cause(&roster, &Goal { total: 1, ..Goal::default() }, &holds, &attempt, fuel);
        let reason = if cause == WaitReason::Room { WaitReason::Elastic } else { cause };
        let failure = Failure {
            roster: &roster,
            goal: &goal,
            attempt: &attempt,
            reason,
            holds: &holds,
            is_starved,
        };
        let why = self.why(&failure, fuel);
        self.block(&roster, &goal, why, (now, fuel), report);
        false
    }

    /// Tries to place the goal beside the holds of others; on success the room is taken.
    fn try_place(
        &mut self,
        roster: &Roster,
        goal: &Goal,
        holds: &[Kept],
        fuel: &mut Fuel,
    ) -> Attempt {
        let queue = self.snapshot.gangs().get(roster.gang).queue;
        self.apply_holds(holds);
        let (mut txn, mut placer) = self.placing(fuel);
        let attempt = placer.place(&mut txn, roster, goal, queue);
        if attempt.is_whole {
            txn.commit();
        } else {
            drop(txn);
        }
        self.revert_holds(holds);
        attempt
    }

    /// Turns room that was taken into assumed pods and effects.
    fn commit(
        &mut self,
        roster: &Roster,
        attempt: &Attempt,
        phase: Phase,
        report: &mut CycleReport,
    ) {
        let steps = assign(&self.snapshot, roster, &attempt.placed);
        let key = self.snapshot.gangs().get(roster.gang).key.clone();
        let is_minimum = phase == Phase::Minimum;
        let mut plan = Plan { gang: key.clone(), steps: Vec::new(), is_minimum };
        for (pod, node) in steps {
            self.snapshot.assume(pod, node);
            self.charge_user(pod);
            let (bind, step) = self.bind(pod, node, &key);
            let id = self.outbox.issue(&bind.uid);
            report.effects.push((id, Effect::Bind(bind)));
            plan.steps.push(step);
        }
        report.decisions.push(Decision::Run(plan));
        self.woken |= EventMask::POD_PLACED;
        self.futile.clear();
        self.unblock(roster.gang);
        self.drop_repair(roster.gang);
        self.drop_plan(roster.gang);
        self.follow_holder(roster.gang);
        let memory = self.memory.get_mut(&roster.gang).expect("a considered gang is remembered");
        memory.explanation = None;
        memory.is_short = false;
        memory.run.has_returned |= is_minimum;
        if is_minimum && (roster.total.placed == 0 || memory.run.begun.is_none()) {
            memory.run.begun = Some(roster.minimum());
        }
        self.touched.extend(&[roster.gang]);
        // Active until the extras were looked at.
        self.active.insert(roster.gang);
    }

    /// What is placed counts at once where users take turns.
    fn charge_user(&mut self, pod: PodId) {
        let row = self.snapshot.pods().get(pod);
        let Some((gang, class)) = row.gang.zip(row.class) else { return };
        let request = &self.snapshot.classes().get(class).request;
        self.users.add(&self.snapshot, gang, request, 1);
    }

    fn bind(
        &self,
        pod: PodId,
        node: NodeId,
        gang: &scheduler_model::spec::GangKey,
    ) -> (Bind, Step) {
        let spec = &self.snapshot.pods().get(pod).spec;
        let node = self.snapshot.nodes().spec(node).name.clone();
        let step = Step { uid: spec.uid.clone(), pod: spec.name.clone(), node: node.clone() };
        let bind = Bind {
            uid: spec.uid.clone(),
            namespace: spec.namespace.clone(),
            name: spec.name.clone(),
            node,
            gang: gang.clone(),
            annotations: Labels::new(),
            volumes: self.snapshot.volume_steps(pod),
        };
        (bind, step)
    }

    /// Parks a gang for which room is being made.
    pub(crate) fn tell_evicting(
        &mut self,
        roster: &Roster,
        reason: WaitReason,
        report: &mut CycleReport,
    ) {
        let explanation = Explanation {
            gang: self.snapshot.gangs().get(roster.gang).key.clone(),
            reason,
            placeable: 0,
            needed: roster.needed(),
            sets: Vec::new(),
            nearest: None,
            cure: Cure::Wait,
            next_step: "nothing: it starts once they are gone".to_owned(),
        };
        // The next cycle alone brings nothing.
        let wakes_on = EventMask::GANG_CHANGED
            | EventMask::POLICY_CHANGED
            | EventMask::QUEUE_CHANGED
            | EventMask::ROOM_FREED
            | EventMask::NODE_ADDED
            | EventMask::NODE_CHANGED;
        self.tell(roster.gang, wakes_on, explanation, report);
    }

    /// Parks a gang that is not tried on nodes.
    fn refuse(&mut self, roster: &Roster, refusal: Refusal, report: &mut CycleReport) {
        let since = self.memory[&roster.gang].run.blocked_since;
        self.unblock(roster.gang);
        if matches!(refusal.reason, WaitReason::Running { .. }) {
            // What it waited for room counts once its turn comes.
            let memory = self.memory.get_mut(&roster.gang).expect("it was there just now");
            memory.run.blocked_since = since;
        }
        self.end_plan(roster.gang);
        self.keep_promises();
        // What cannot run now wants no share.
        self.shares.demand.drop(roster.gang);
        // A group without pods waits silently, and a gang that has all its places waits for
        // nothing, whatever became of its queue.
        if roster.is_over() || roster.is_complete() {
            self.park(roster.gang, refusal.wakes_on, None);
            return;
        }
        let explanation = Explanation {
            gang: self.snapshot.gangs().get(roster.gang).key.clone(),
            reason: refusal.reason,
            placeable: 0,
            needed: roster.needed(),
            sets: Vec::new(),
            nearest: None,
            cure: refusal.cure,
            next_step: refusal.next_step,
        };
        self.tell(roster.gang, refusal.wakes_on, explanation, report);
    }

    /// Finds what stood in the way by trying without it.
    fn cause(
        &mut self,
        roster: &Roster,
        goal: &Goal,
        holds: &[Kept],
        attempt: &Attempt,
        fuel: &mut Fuel,
    ) -> WaitReason {
        if attempt.is_out_of_fuel {
            return WaitReason::Fuel;
        }
        if let Some(limit) = self.limit_in_the_way(roster, goal, fuel) {
            return limit;
        }
        let is_held = !holds.is_empty() && self.would_fit_without_holds(roster, goal, fuel);
        let holder = if is_held { self.holder_in_the_way(roster, goal, fuel) } else { None };
        if fuel.is_empty() {
            // What was tried since may have failed for want of steps alone.
            return WaitReason::Fuel;
        }
        match holder {
            Some(holder) => {
                WaitReason::Held { holder: self.snapshot.gangs().get(holder).key.clone() }
            }
            None => WaitReason::Room,
        }
    }
}
