//! Evictions: how victims of a plan are made to go, and what is written down before.
//!
//! A plan goes through three stages. *Recording*: the gainer's reservation is written down and
//! its nodes are nominated (the driver sees to it, and says when it stands). *Marking*: every
//! victim gets the condition `DisruptionTarget`, which names the gainer and the plan. *Deleting*:
//! every victim is deleted, with its uid as precondition.
//!
//! Invariants: nobody is marked before the reservation stands in the API, and nobody deleted
//! before all victims of the plan are marked; a plan that is called off deletes nobody any more,
//! and takes its marks back; every effect is settled or handed back exactly once. A refusal never
//! waits for ever: the pod stays, and the engine, which hears of it, ends the plan.
//!
//! After a restart nothing of this is needed: the engine finds the plan again by reservation and
//! marks, and gives it here anew.

mod mark;

pub use mark::{PREEMPTED, plan_of, words};

use crate::answer::Answer;
use crate::call::{CallId, PodRef};
use crate::facts::{GangFacts, MemberFacts};
use crate::lanes::Lanes;
use crate::removal::{Act, Removal, Step, Words};
use scheduler_model::effect::{EffectId, Evict, Outcome};
use scheduler_model::spec::{GangKey, Reservation};
use scheduler_model::time::{Span, Time};
use std::collections::BTreeMap;

/// How long writing the reservation down may take.
const RECORD_WITHIN: Span = Span::from_secs(60);

/// How long nominated nodes are waited for: they tell people and autoscalers, nobody is bound.
const NOMINATE_WITHIN: Span = Span::from_secs(5);

/// Names a plan: for whom, and when it was decided.
pub type PlanKey = (GangKey, Time);

/// How far a plan is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The reservation is being written down.
    Recording,
    /// Victims are being marked.
    Marking,
    /// Victims are being deleted.
    Deleting,
    /// It was called off; some deletes that left before are not answered.
    Ending,
}

/// What happened, for events and metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvictNews {
    /// Victims are being deleted: for whom, and how many pods of which gangs.
    Began(GangKey, Vec<(GangKey, u32)>),
    /// The reservation could not be written down, so nobody has to go.
    NotRecorded(GangKey),
    /// A pod of this gang could not be marked or deleted; in the words of the server.
    Refused {
        /// For whom it had to go.
        gainer: GangKey,
        /// Its gang.
        gang: GangKey,
        /// Its name.
        pod: String,
        /// The words of the server.
        why: String,
    },
}

#[derive(Clone, Debug)]
struct Case {
    stage: Stage,
    since: Time,
    removal: Removal,
    /// What is not settled, by uid of the pod.
    effects: BTreeMap<String, (EffectId, GangKey)>,
}

/// All plans under way.
#[derive(Clone, Debug, Default)]
pub struct Evictor {
    cases: BTreeMap<PlanKey, Case>,
    by_call: BTreeMap<CallId, (PlanKey, String)>,
    settled: Vec<(EffectId, Outcome)>,
    stays: Vec<EffectId>,
    overdue: Vec<PlanKey>,
    news: Vec<EvictNews>,
}

impl Evictor {
    /// Takes a new plan: nothing is sent before [`Evictor::shown`] says so.
    pub fn take(&mut self, plan: PlanKey, victims: Vec<(EffectId, Evict)>, now: Time) {
        let words = Words {
            reason: PREEMPTED,
            message: words(&plan.0, plan.1),
            over: "it stays: its room is not needed any more",
        };
        let mut removal = Removal::new(words);
        let mut effects = BTreeMap::new();
        for (effect, evict) in victims {
            let Evict { uid, namespace, name, gang, .. } = evict;
            removal.enlist(&PodRef { namespace, name, uid: uid.clone() });
            effects.insert(uid, (effect, gang));
        }
        let case = Case { stage: Stage::Recording, since: now, removal, effects };
        self.cases.insert(plan, case);
    }

    /// Plans that were not called off.
    pub fn plans(&self) -> impl Iterator<Item = &PlanKey> {
        self.cases.iter().filter(|(_, case)| case.stage != Stage::Ending).map(|(plan, _)| plan)
    }

    /// Plans that wait for their reservation to be written down, and since when.
    fn recording(&self) -> impl Iterator<Item = (&PlanKey, Time)> {
        let recording = self.cases.iter().filter(|(_, case)| case.stage == Stage::Recording);
        recording.map(|(plan, case)| (plan, case.since))
    }

    /// Gangs to be looked at again although nothing changed: their nominations were waited for
    /// long enough.
    pub fn looks(&self, now: Time) -> impl Iterator<Item = &GangKey> {
        let is_due = move |since: Time| since.after(NOMINATE_WITHIN) <= now;
        self.recording().filter(move |(_, since)| is_due(*since)).map(|(plan, _)| &plan.0)
    }

    /// What the watch shows of a gang for which room is made. Once its reservation stands, and
    /// nodes are nominated or were waited for, its victims are marked.
    pub fn shown(
        &mut self,
        facts: &GangFacts,
        shown: Option<&Reservation>,
        lanes: &mut Lanes,
        now: Time,
    ) {
        let Some(shown) = shown else { return };
        let plan = (facts.group.key.clone(), shown.plan);
        let Some(case) = self.cases.get(&plan) else { return };
        let is_nominated = |member: &MemberFacts| {
            let told = member.told.as_ref().map(|told| told.nominated.as_str());
            member.reserved.is_none() || member.reserved.as_deref() == told
        };
        let waited = case.since.after(NOMINATE_WITHIN) <= now;
        if case.stage == Stage::Recording && (waited || facts.members.iter().all(is_nominated)) {
            self.recorded(&plan, lanes, now);
        }
    }

    /// How far a plan is.
    #[must_use]
    pub fn stage(&self, plan: &PlanKey) -> Option<Stage> {
        self.cases.get(plan).map(|case| case.stage)
    }

    /// True without a plan under way.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    /// The reservation of a plan stands in the API: its victims may be marked.
    fn recorded(&mut self, plan: &PlanKey, lanes: &mut Lanes, now: Time) {
        let Some(case) = self.cases.get_mut(plan) else { return };
        case.stage = Stage::Marking;
        let calls = case.removal.push(Act::Mark, lanes, now);
        self.remember(plan, calls);
    }

    /// The gang does not need the room any more, or cannot have it: whoever was not asked to go
    /// stays.
    pub fn call_off(&mut self, plan: &PlanKey, lanes: &mut Lanes, now: Time) {
        let Some(case) = self.cases.get_mut(plan) else { return };
        if case.stage == Stage::Ending {
            return;
        }
        case.stage = Stage::Ending;
        let (calls, stay) = case.removal.cancel(lanes, now);
        for id in calls {
            self.by_call.remove(&id);
        }
        for uid in stay {
            case.removal.strike(&uid);
            self.stays.extend(case.effects.remove(&uid).map(|(effect, _)| effect));
        }
        self.end_if_over(plan);
    }

    /// The answer to a call came. Calls of others are ignored.
    pub fn answered(&mut self, id: CallId, answer: &Answer, lanes: &mut Lanes, now: Time) {
        let Some((plan, uid)) = self.by_call.remove(&id) else { return };
        let Some(case) = self.cases.get_mut(&plan) else { return };
        let (step, due) = case.removal.answered(&uid, answer, now);
        match step {
            Step::Over => {
                let effect = case.effects.remove(&uid).map(|(effect, _)| (effect, Outcome::Done));
                self.settled.extend(effect);
            }
            Step::MarkRefused(pod, why) | Step::DeleteRefused(pod, why) => {
                if let Some((effect, gang)) = case.effects.remove(&uid) {
                    case.removal.strike(&uid);
                    self.settled.push((effect, Outcome::Refused(why.clone())));
                    let gainer = plan.0.clone();
                    self.news.push(EvictNews::Refused { gainer, gang, pod, why });
                }
                // Without it the gang may not fit: nobody else has to go for this plan.
                self.call_off(&plan, lanes, now);
            }
            // Nobody asks again; the watch shows whether it was heard.
            Step::On if case.stage == Stage::Ending => {
                case.removal.strike(&uid);
                self.stays.extend(case.effects.remove(&uid).map(|(effect, _)| effect));
            }
            Step::On | Step::Marked => {
                let act = if case.stage == Stage::Deleting { Act::Delete } else { Act::Mark };
                let call = case.removal.push_one(&uid, act, lanes, due);
                self.remember(&plan, call.map(|id| (id, uid)));
            }
        }
        self.go_on(&plan, lanes, now);
        self.end_if_over(&plan);
    }

    /// What time alone brings. To be asked before each turn.
    pub fn turn(&mut self, now: Time) {
        let late = |since: Time| now >= since.after(RECORD_WITHIN);
        let late: Vec<PlanKey> = self
            .recording()
            .filter(|(_, since)| late(*since))
            .map(|(plan, _)| plan.clone())
            .collect();
        for plan in late {
            self.news.push(EvictNews::NotRecorded(plan.0.clone()));
            self.overdue.push(plan);
        }
    }

    /// When [`Evictor::turn`] or [`Evictor::looks`] has something.
    #[must_use]
    pub fn wake_at(&self, now: Time) -> Option<Time> {
        let next = |since: Time| {
            let nominated = since.after(NOMINATE_WITHIN);
            if nominated > now { nominated } else { since.after(RECORD_WITHIN) }
        };
        self.recording().map(|(_, since)| next(since)).min()
    }

    /// The right to write is lost, or the process ends: nothing leaves any more. Marks stay, for
    /// whoever goes on with the plans.
    pub fn forget_all(&mut self, lanes: &mut Lanes) {
        self.cases.values().for_each(|case| case.removal.drop_calls(lanes));
        *self = Self::default();
    }

    /// Effects that ended since the last call.
    pub fn take_settled(&mut self) -> Vec<(EffectId, Outcome)> {
        std::mem::take(&mut self.settled)
    }

    /// Effects of pods that stay since their plan was called off.
    pub fn take_stays(&mut self) -> Vec<EffectId> {
        std::mem::take(&mut self.stays)
    }

    /// Plans whose reservation could not be written down in time.
    pub fn take_overdue(&mut self) -> Vec<PlanKey> {
        std::mem::take(&mut self.overdue)
    }

    /// What happened since the last call.
    pub fn take_news(&mut self) -> Vec<EvictNews> {
        std::mem::take(&mut self.news)
    }

    /// From marking to deleting, once all are marked.
    fn go_on(&mut self, plan: &PlanKey, lanes: &mut Lanes, now: Time) {
        let Some(case) = self.cases.get_mut(plan) else { return };
        if case.stage != Stage::Marking || !case.removal.is_marked() {
            return;
        }
        case.stage = Stage::Deleting;
        let mut gangs: BTreeMap<GangKey, u32> = BTreeMap::new();
        for (_, gang) in case.effects.values() {
            *gangs.entry(gang.clone()).or_insert(0) += 1;
        }
        let calls = case.removal.push(Act::Delete, lanes, now);
        self.remember(plan, calls);
        if !gangs.is_empty() {
            self.news.push(EvictNews::Began(plan.0.clone(), gangs.into_iter().collect()));
        }
    }

    fn end_if_over(&mut self, plan: &PlanKey) {
        let is_over = |case: &Case| case.stage >= Stage::Deleting && case.removal.is_over();
        if self.cases.get(plan).is_some_and(is_over) {
            self.cases.remove(plan);
        }
    }

    fn remember(&mut self, plan: &PlanKey, calls: impl IntoIterator<Item = (CallId, String)>) {
        let calls = calls.into_iter().map(|(id, uid)| (id, (plan.clone(), uid)));
        self.by_call.extend(calls);
    }
}
