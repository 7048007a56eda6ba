//! Binding: the binds of a plan leave together, and each ends known.
//!
//! A plan waits here until the bind lane has room; the driver then checks it once more and
//! either [`Binder::begin`]s it or takes it back whole ([`Binder::withdraw`]). Once
//! a bind stands or is in doubt it is carried through; a bind of it that has not left, and cannot
//! be any more, is given up alone ([`Binder::refuse`]). A plan of which a member cannot be bound
//! before any other may stand is taken back. What no answer tells is asked of the pod itself; what the
//! watch tells first ([`Binder::seen`]) counts as well.
//!
//! Invariants: every effect is settled exactly once; a pod is never bound to two nodes at the
//! same time; a withdrawn plan has sent nothing. `flight.rs` has the life of one bind.

mod flight;
mod open;

use crate::answer::{Answer, PodFacts};
use crate::call::{Call, CallId};
use crate::lanes::{Lane, Lanes};
use crate::meaning::CallKind;
use crate::retry::Policy;
use flight::{Flight, Next, Step};
use open::Open;
use scheduler_model::effect::{Bind, EffectId, Outcome};
use scheduler_model::spec::GangKey;
use scheduler_model::time::{Span, Time};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// An effect and how it ended.
pub type Settled = (EffectId, Outcome);

/// Names a plan under way. Never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlanId(pub u64);

/// Settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindConfig {
    /// How long a request without an answer may still be carried out by the server, counted
    /// from when its answer was given up: the server's own limit for a request.
    pub linger: Span,
    /// Spreads the pauses of several schedulers.
    pub seed: u64,
}

impl Default for BindConfig {
    fn default() -> Self {
        Self { linger: Span::from_secs(60), seed: 0 }
    }
}

/// How the binds of one plan went, once all are settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Whose plan it was.
    pub gang: GangKey,
    /// Which plan.
    pub plan: PlanId,
    /// When its first bind left.
    pub sent_at: Time,
    /// When the first member was known to be bound.
    pub first_done: Option<Time>,
    /// When the last member was known to be bound.
    pub last_done: Option<Time>,
    /// Members bound.
    pub done: u32,
    /// Members refused.
    pub refused: u32,
}

/// All binds that are not settled.
#[derive(Clone, Debug, Default)]
pub struct Binder {
    config: BindConfig,
    next: u64,
    plans: BTreeMap<PlanId, Open>,
    flights: BTreeMap<EffectId, (PlanId, Flight)>,
    by_uid: BTreeMap<String, EffectId>,
    by_call: BTreeMap<CallId, EffectId>,
    bound: Vec<Bound>,
    withdrawn: Vec<PlanId>,
    /// Plans that nobody began to prepare yet.
    unprepared: VecDeque<PlanId>,
}

impl Binder {
    /// A binder without binds.
    #[must_use]
    pub fn new(config: BindConfig) -> Self {
        Self { config, ..Self::default() }
    }

    /// Takes the binds of one plan. A pod with a bind that is not settled is refused another. A
    /// plan with steps about volumes waits until it is [`prepared`](Self::prepared).
    pub fn take(
        &mut self,
        gang: &GangKey,
        binds: Vec<(EffectId, Bind)>,
        now: Time,
    ) -> Vec<Settled> {
        let plan = PlanId(self.next);
        self.next += 1;
        let (mut effects, mut refused) = (BTreeSet::new(), Vec::new());
        let mut due = now;
        for (effect, bind) in binds {
            if self.by_uid.contains_key(&bind.uid) {
                let words = "an earlier bind of it is not settled".to_owned();
                refused.push((effect, Outcome::Refused(words)));
                continue;
            }
            if !bind.volumes.is_empty() {
                due = Time::NEVER;
            }
            self.by_uid.insert(bind.uid.clone(), effect);
            effects.insert(effect);
            let flight = Flight::new(effect, bind, self.config.seed);
            self.flights.insert(effect, (plan, flight));
        }
        if !effects.is_empty() {
            self.plans.insert(plan, Open::new(gang.clone(), effects, due));
            if due == Time::NEVER {
                self.unprepared.push_back(plan);
            }
        }
        refused
    }

    /// A plan with steps about volumes that are to be done now. Each is named once.
    pub fn next_to_prepare(&mut self) -> Option<PlanId> {
        self.unprepared.pop_front()
    }

    /// The steps of a plan are done: it may be checked and begun.
    pub fn prepared(&mut self, plan: PlanId, now: Time) {
        if let Some(open) = self.plans.get_mut(&plan).filter(|open| open.due == Some(Time::NEVER)) {
            open.due = Some(now);
        }
    }

    /// Whose plan it is.
    #[must_use]
    pub fn gang(&self, plan: PlanId) -> Option<&GangKey> {
        self.plans.get(&plan).map(|open| &open.gang)
    }

    /// The next plan to be checked and then begun or withdrawn: nothing of it left yet, the
    /// plans before it of the same gang stand, and the lane has room for it now.
    #[must_use]
    pub fn next_plan(&self, lanes: &Lanes, now: Time) -> Option<PlanId> {
        let due = |(_, open): &(&PlanId, &Open)| open.due.is_some_and(|due| due <= now);
        let mut plans = self.plans.iter().filter(due);
        let (plan, _) = plans.find(|(plan, open)| self.is_first(**plan, open))?;
        (lanes.room(Lane::Bind, now) > 0).then_some(*plan)
    }

    /// Plans of which nothing may stand.
    #[must_use]
    pub fn untouched_plans(&self) -> Vec<PlanId> {
        let untouched = self.plans.iter().filter(|(_, open)| open.is_untouched());
        untouched.map(|(plan, _)| *plan).collect()
    }

    /// The binds of a plan that are not settled.
    pub fn members(&self, plan: PlanId) -> impl Iterator<Item = &Bind> {
        let effects = self.plans.get(&plan).into_iter().flat_map(|open| &open.effects);
        effects.map(|effect| &self.flights[effect].1.bind)
    }

    /// Queues all binds of a plan; they may leave from now on.
    pub fn begin(&mut self, plan: PlanId, lanes: &mut Lanes, now: Time) {
        let Some(open) = self.plans.get_mut(&plan) else { return };
        if open.due.take().is_none() {
            return;
        }
        for effect in open.effects.clone() {
            self.go(effect, Next::Bind(now), lanes);
        }
    }

    /// Binds that are about to leave and of which nothing has left: to be checked once more,
    /// since the world may have moved on since their plan was begun.
    pub fn leaving(&self, lanes: &Lanes, now: Time) -> impl Iterator<Item = (EffectId, &Bind)> {
        let calls = lanes.leaving(Lane::Bind, now).into_iter();
        let effects = calls.filter_map(|id| self.by_call.get(&id));
        let flights = effects.map(|effect| (*effect, &self.flights[effect].1));
        let is_new =
            |flight: &Flight| matches!(flight.step, Step::Bind(_)) && !flight.may_have_happened();
        flights.filter(move |(_, flight)| is_new(flight)).map(|(effect, it)| (effect, &it.bind))
    }

    /// Gives up one bind of which nothing has left, so that its pod can be placed again. The
    /// others of its plan go on, unless none of them may stand: then all is taken back. Ignored
    /// if something may have left.
    pub fn refuse(
        &mut self,
        effect: EffectId,
        why: &str,
        lanes: &mut Lanes,
        now: Time,
    ) -> Vec<Settled> {
        match self.flights.get(&effect) {
            Some((_, flight)) if !flight.may_have_happened() => {
                self.finish(effect, Outcome::Refused(why.to_owned()), lanes, now)
            }
            _ => Vec::new(),
        }
    }

    /// True if no plan before it of the same gang is still to begin: it was made as if that one
    /// had ended well.
    fn is_first(&self, plan: PlanId, open: &Open) -> bool {
        let mut before = self.plans.range(..plan).map(|(_, before)| before);
        before.all(|before| before.has_left || before.gang != open.gang)
    }

    /// Takes a plan back, if nothing of it may stand: all its effects end refused, and those of
    /// the plans of its gang that were made after it. Else it goes on, and nothing is answered.
    pub fn withdraw(
        &mut self,
        plan: PlanId,
        lanes: &mut Lanes,
        why: &str,
        now: Time,
    ) -> Vec<Settled> {
        let Some(open) = self.plans.get(&plan).filter(|open| open.is_untouched()) else {
            return Vec::new();
        };
        let later = self.plans.range(plan..);
        let later = later.filter(|(_, it)| it.gang == open.gang && it.is_untouched());
        let effects = later.clone().flat_map(|(_, later)| later.effects.clone());
        let refused = |effect| (effect, Outcome::Refused(why.to_owned()));
        let settled: Vec<Settled> = effects.map(refused).collect();
        self.withdrawn.extend(later.map(|(plan, _)| *plan));
        for (effect, outcome) in &settled {
            self.end(*effect, outcome, lanes, now);
        }
        settled
    }

    /// A call was handed out. Calls of others are ignored.
    pub fn left(&mut self, id: CallId, now: Time) {
        let Some(effect) = self.by_call.get(&id) else { return };
        let (plan, flight) = self.flights.get_mut(effect).expect("a call belongs to a flight");
        if flight.is_in_air {
            return;
        }
        flight.is_in_air = true;
        if matches!(flight.step, Step::Bind(_)) {
            let open = self.plans.get_mut(plan).expect("a flight belongs to a plan");
            open.sent += 1;
            open.sent_at = open.sent_at.or(Some(now));
        }
    }

    /// The answer to a call came. Calls of others, and those whose end was seen before, are
    /// ignored.
    pub fn answered(
        &mut self,
        id: CallId,
        answer: &Answer,
        lanes: &mut Lanes,
        now: Time,
    ) -> Vec<Settled> {
        self.left(id, now);
        let Some(effect) = self.by_call.remove(&id) else { return Vec::new() };
        let (plan, flight) = self.flights.get_mut(&effect).expect("a call belongs to a flight");
        let plan = *plan;
        flight.is_in_air = false;
        let next = if matches!(flight.step, Step::Bind(_)) {
            let next = flight.bind_answered(answer, now, self.config.linger);
            let may_stand = next == Next::End(Outcome::Done) || flight.may_have_happened();
            let open = self.plans.get_mut(&plan).expect("a flight belongs to a plan");
            open.sent -= 1;
            if may_stand {
                self.carry_through(plan, lanes, now);
            } else if let Next::Bind(due) = next
                && !open.has_left
            {
                self.put_back(plan, due, lanes);
                return self.take_back_if_torn(plan, lanes, now);
            }
            next
        } else {
            flight.ask_answered(answer, now)
        };
        let ended = self.go(effect, next, lanes);
        ended.map_or_else(Vec::new, |outcome| self.finish(effect, outcome, lanes, now))
    }

    /// The watch showed a pod. Ends its bind if that tells how it ended. A plan that has not
    /// begun is left whole: the check before its first bind finds the same, and takes all of it
    /// back.
    pub fn seen(&mut self, facts: &PodFacts, lanes: &mut Lanes, now: Time) -> Vec<Settled> {
        let Some(effect) = self.begun(&facts.uid) else { return Vec::new() };
        match flight::end_by(&self.flights[&effect].1.bind, facts) {
            Some(outcome) => self.finish(effect, outcome, lanes, now),
            None => Vec::new(),
        }
    }

    /// The watch showed that a pod is gone; as [`seen`](Self::seen).
    pub fn gone(&mut self, uid: &str, lanes: &mut Lanes, now: Time) -> Vec<Settled> {
        let Some(effect) = self.begun(uid) else { return Vec::new() };
        self.finish(effect, Outcome::Refused("it is gone".to_owned()), lanes, now)
    }

    /// The bind of a pod whose plan has begun.
    fn begun(&self, uid: &str) -> Option<EffectId> {
        let effect = *self.by_uid.get(uid)?;
        let (plan, _) = &self.flights[&effect];
        self.plans.get(plan).is_some_and(|open| open.due.is_none()).then_some(effect)
    }

    /// The right to write is lost: nothing leaves any more. What was never sent ends refused,
    /// the rest unknown.
    pub fn forget_all(&mut self, lanes: &mut Lanes) -> Vec<Settled> {
        for call in std::mem::take(&mut self.by_call).into_keys() {
            lanes.cancel(call);
        }
        self.plans.clear();
        self.unprepared.clear();
        self.by_uid.clear();
        let flights = std::mem::take(&mut self.flights).into_values();
        let end = |(_, flight): (PlanId, Flight)| {
            let outcome = if flight.may_have_happened() {
                Outcome::Unknown
            } else {
                Outcome::Refused("the right to write was lost before it was sent".to_owned())
            };
            (flight.effect, outcome)
        };
        flights.map(end).collect()
    }

    /// Plans that were taken back since the last call.
    pub fn take_withdrawn(&mut self) -> Vec<PlanId> {
        std::mem::take(&mut self.withdrawn)
    }

    /// Plans whose last bind was settled since the last call. Plans of which nothing left are
    /// not among them.
    pub fn take_bound(&mut self) -> Vec<Bound> {
        std::mem::take(&mut self.bound)
    }

    /// Binds not settled.
    #[must_use]
    pub fn len(&self) -> usize {
        self.flights.len()
    }

    /// True if all binds are settled.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.flights.is_empty()
    }

    /// When [`Binder::next_plan`] has something, if no answer comes before; the lanes have
    /// their own time to wake.
    #[must_use]
    pub fn wake_at(&self, lanes: &Lanes, now: Time) -> Option<Time> {
        let first = self.plans.iter().filter(|(plan, open)| self.is_first(**plan, open));
        let due = first.filter_map(|(_, open)| open.due).min()?;
        let may_begin = due < Time::NEVER && lanes.room(Lane::Bind, now) > 0;
        may_begin.then_some(due)
    }

    /// Does what comes next; gives back how it ended, if it did.
    fn go(&mut self, effect: EffectId, next: Next, lanes: &mut Lanes) -> Option<Outcome> {
        let (_, flight) = self.flights.get_mut(&effect).expect("it is not settled");
        let (call, kind, due) = match next {
            Next::End(outcome) => return Some(outcome),
            Next::Bind(due) => (flight.call(), CallKind::Bind, due),
            Next::Ask(due) => (Call::ReadPod(flight.pod()), CallKind::Read, due),
        };
        let id = lanes.push(Lane::Bind, call, Policy::of(kind).timeout, due);
        flight.step = if kind == CallKind::Bind { Step::Bind(id) } else { Step::Ask(id) };
        self.by_call.insert(id, effect);
        None
    }

    /// Nothing of a begun plan may stand: nothing more of it leaves. Once the last bind in the
    /// air came back too, it waits for `due`, and is checked again.
    fn put_back(&mut self, plan: PlanId, due: Time, lanes: &mut Lanes) {
        let open = self.plans.get_mut(&plan).expect("it is not settled");
        open.retry_at = open.retry_at.max(due);
        if open.sent == 0 {
            (open.due, open.sent_at) = (Some(open.retry_at), None);
        }
        for effect in &open.effects {
            let (_, flight) = self.flights.get_mut(effect).expect("it is not settled");
            if flight.is_in_air {
                continue;
            }
            if let Step::Bind(id) = flight.step {
                lanes.cancel(id);
                self.by_call.remove(&id);
            }
            flight.step = Step::Plan;
        }
    }

    /// A bind ends. If it cannot be and none of its plan may stand, the plan is torn.
    fn finish(
        &mut self,
        effect: EffectId,
        outcome: Outcome,
        lanes: &mut Lanes,
        now: Time,
    ) -> Vec<Settled> {
        let plan = self.flights[&effect].0;
        self.end(effect, &outcome, lanes, now);
        let mut settled = vec![(effect, outcome)];
        if let Some(open) = self.plans.get_mut(&plan).filter(|open| !open.has_left) {
            open.is_torn = true;
            self.put_back(plan, now, lanes);
            settled.extend(self.take_back_if_torn(plan, lanes, now));
        }
        settled
    }

    fn take_back_if_torn(&mut self, plan: PlanId, lanes: &mut Lanes, now: Time) -> Vec<Settled> {
        let is_torn = self.plans.get(&plan).is_some_and(|open| open.is_torn);
        let why = "another member of its plan cannot be bound";
        if is_torn { self.withdraw(plan, lanes, why, now) } else { Vec::new() }
    }

    /// A bind of the plan stands or is in doubt: those that were put back follow.
    fn carry_through(&mut self, plan: PlanId, lanes: &mut Lanes, now: Time) {
        let open = self.plans.get_mut(&plan).expect("it is not settled");
        if std::mem::replace(&mut open.has_left, true) {
            return;
        }
        open.due = None;
        for effect in open.effects.clone() {
            if self.flights[&effect].1.step == Step::Plan {
                self.go(effect, Next::Bind(now), lanes);
            }
        }
    }

    fn end(&mut self, effect: EffectId, outcome: &Outcome, lanes: &mut Lanes, now: Time) {
        let (plan, flight) = self.flights.remove(&effect).expect("it is not settled");
        let is_in_air = flight.is_in_air && matches!(flight.step, Step::Bind(_));
        self.by_uid.remove(&flight.bind.uid);
        if let Step::Bind(id) | Step::Ask(id) = flight.step {
            lanes.cancel(id);
            self.by_call.remove(&id);
        }
        let open = self.plans.get_mut(&plan).expect("a flight belongs to a plan");
        open.effects.remove(&effect);
        if *outcome == Outcome::Done {
            open.done += 1;
            open.first_done = open.first_done.or(Some(now));
            open.last_done = Some(now);
        } else {
            open.refused += 1;
        }
        // Its answer will tell nothing any more.
        open.sent -= u32::from(is_in_air);
        if *outcome == Outcome::Done {
            self.carry_through(plan, lanes, now);
        }
        let open = self.plans.get_mut(&plan).expect("a flight belongs to a plan");
        if open.effects.is_empty() {
            let open = self.plans.remove(&plan).expect("it was just there");
            self.bound.extend(open.report(plan));
        }
    }
}
