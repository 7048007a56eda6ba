//! Volumes of a plan: every claim is bound before the first bind leaves.
//!
//! A plan with steps about volumes is *prepared*: all steps of all members leave together, on
//! a lane of their own; then the claims are awaited, as the watch shows them. Once all are bound
//! the plan is ready, and goes the way of every plan through [`crate::bind`]. If one claim cannot
//! be had, in time or at all, the whole plan ends here, and the nodes that were set on claims
//! which are not bound yet are taken away again. `step.rs` has the life of one claim, `back.rs`
//! and `undo.rs` that of taking back.
//!
//! Invariants: a claim belongs to one plan at a time; every plan taken in ends exactly once,
//! ready, failed or withdrawn; what is bound stays bound, and limits the next plan through
//! the engine.

mod back;
mod plan;
mod step;
mod undo;

use crate::answer::Answer;
use crate::bind::PlanId;
use crate::call::{Call, CallId, ClaimRef};
use crate::lanes::{Lane, Lanes};
use crate::meaning::CallKind;
use crate::retry::Policy;
use plan::Preparing;
use scheduler_model::effect::Bind;
use scheduler_model::spec::{ClaimSpec, GangKey, VolumeStep};
use scheduler_model::time::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};
use step::{Act, Fault, Stage, Step};
use undo::{Trace, Undo};

/// Settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeConfig {
    /// How long the claims of a plan may take to be bound.
    pub timeout: Span,
    /// How long a plan is prepared before people are told what it waits for.
    pub told_after: Span,
    /// How long a request without an answer may still be carried out by the server.
    pub linger: Span,
    /// Spreads the pauses of several schedulers.
    pub seed: u64,
}

impl Default for VolumeConfig {
    fn default() -> Self {
        Self {
            timeout: Span::from_secs(600),
            told_after: Span::from_secs(10),
            linger: Span::from_secs(60),
            seed: 0,
        }
    }
}

/// What happened to plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VolumeNews {
    /// All claims of the plan are bound.
    Ready(PlanId),
    /// The plan cannot be carried out.
    Failed {
        /// Which.
        plan: PlanId,
        /// Why, for people.
        why: String,
        /// Pods by uid, and the node on which the same try would end the same.
        unfit: Vec<(String, String)>,
    },
    /// The plan waits for these claims for some time now.
    Waits(PlanId, Vec<String>),
    /// The node set on this claim could not be taken away; why.
    Left(String, String),
}

/// All plans that are being prepared, and what has to be taken back.
#[derive(Clone, Debug, Default)]
pub struct Volumes {
    config: VolumeConfig,
    plans: BTreeMap<PlanId, Preparing>,
    by_claim: BTreeMap<String, PlanId>,
    by_pod: BTreeMap<String, PlanId>,
    by_node: BTreeMap<String, BTreeSet<PlanId>>,
    by_call: BTreeMap<CallId, String>,
    undos: BTreeMap<String, Undo>,
    traces: BTreeMap<String, Trace>,
    suspects: BTreeSet<PlanId>,
    news: Vec<VolumeNews>,
}

impl Volumes {
    /// Prepares nothing yet.
    #[must_use]
    pub fn new(config: VolumeConfig) -> Self {
        Self { config, ..Self::default() }
    }

    /// Begins to prepare a plan: all of its steps may leave from now on.
    pub fn prepare<'a>(
        &mut self,
        plan: PlanId,
        binds: impl IntoIterator<Item = &'a Bind>,
        lanes: &mut Lanes,
        now: Time,
    ) {
        let (mut steps, mut members, mut gang) = (BTreeMap::new(), Vec::new(), None);
        for bind in binds {
            gang.get_or_insert_with(|| bind.gang.clone());
            let mut claims = Vec::new();
            for (key, step) in bind.volumes.iter().map(|it| self.step(it, &bind.node)) {
                steps.entry(key.clone()).or_insert(step);
                claims.push(key);
            }
            members.push((bind.uid.clone(), bind.node.clone(), claims));
        }
        let Some(gang) = gang else { return };
        if let Some((claim, other)) = steps.keys().find_map(|key| self.holder(key)) {
            let why = format!("claim {claim} is being prepared for gang {other}");
            self.news.push(VolumeNews::Failed { plan, why, unfit: Vec::new() });
            return;
        }
        for (pod, node, _) in &members {
            self.by_pod.insert(pod.clone(), plan);
            self.by_node.entry(node.clone()).or_default().insert(plan);
        }
        self.by_claim.extend(steps.keys().map(|key| (key.clone(), plan)));
        for (key, step) in steps.iter().filter(|(_, step)| matches!(step.act, Act::Provision(_))) {
            self.traces.entry(key.clone()).or_insert_with(|| Trace::new(step.claim.clone()));
        }
        let claims: Vec<String> = steps.keys().cloned().collect();
        let preparing = Preparing { gang, since: now, is_told: false, steps, members };
        self.plans.insert(plan, preparing);
        for claim in claims {
            if self.unblock(&claim, lanes) {
                self.send(&claim, now, lanes);
            }
        }
        self.end_if_ready(plan);
    }

    /// The answer to a call came. Calls of others are ignored.
    pub fn answered(&mut self, id: CallId, answer: &Answer, lanes: &mut Lanes, now: Time) {
        let Some(claim) = self.by_call.remove(&id) else { return };
        let linger = self.config.linger;
        if let Some(undo) = self.undos.get_mut(&claim).filter(|undo| undo.call_id() == id) {
            let next = undo.answered(answer, now, linger);
            self.note_doubt(&claim);
            if self.step_mut(&claim).is_some_and(|step| step.stage == Stage::Blocked) {
                let undo = self.undos.remove(&claim).expect("it was just there");
                if next != undo::Next::End {
                    self.owe(&claim, &undo.node);
                }
                self.send(&claim, now, lanes);
            } else {
                self.undo_next(&claim, next, lanes, now);
            }
            return;
        }
        let Some(step) = self.step_mut(&claim).filter(|it| it.stage == Stage::Calling(id)) else {
            return;
        };
        let next = step.answered(answer, now, linger);
        let is_written = matches!(step.stage, Stage::Written(_));
        self.note_doubt(&claim);
        if let (true, Some(trace)) = (is_written, self.traces.get_mut(&claim)) {
            trace.written();
        }
        self.step_next(&claim, next, lanes, now);
    }

    /// The watch shows a claim.
    pub fn seen(&mut self, spec: &ClaimSpec, lanes: &mut Lanes, now: Time) {
        if self.traces.get_mut(&spec.key).is_some_and(|trace| !trace.seen(spec)) {
            self.drop_trace(&spec.key, lanes, now);
        }
        let Some(step) = self.step_mut(&spec.key) else {
            self.undo_late(&spec.key, lanes, now);
            return;
        };
        let before = step.stage;
        let next = step.seen(spec, now);
        if let (true, Stage::Calling(id)) = (step.stage != before, before) {
            // Its answer has nothing left to tell.
            lanes.cancel(id);
        }
        self.step_next(&spec.key, next, lanes, now);
        if let Some(plan) = self.by_claim.get(&spec.key) {
            self.end_if_ready(*plan);
        }
    }

    /// The watch shows that a claim is gone.
    pub fn gone(&mut self, claim: &str, lanes: &mut Lanes, now: Time) {
        self.drop_trace(claim, lanes, now);
        if self.by_claim.contains_key(claim) {
            let fault = Fault { words: "is gone".to_owned(), is_of_node: false };
            self.step_next(claim, step::Next::Fail(fault), lanes, now);
        }
    }

    /// Something about a pod changed: its plan has to be looked at.
    pub fn doubt_pod(&mut self, uid: &str) {
        self.suspects.extend(self.by_pod.get(uid));
    }

    /// Something about a node changed: plans that use it have to be looked at.
    pub fn doubt_node(&mut self, name: &str) {
        self.suspects.extend(self.by_node.get(name).into_iter().flatten());
    }

    /// Anything may have changed: all plans have to be looked at.
    pub fn doubt_all(&mut self) {
        self.suspects.extend(self.plans.keys());
    }

    /// Plans to be looked at: something about their members or nodes changed.
    pub fn take_suspects(&mut self) -> BTreeSet<PlanId> {
        std::mem::take(&mut self.suspects)
    }

    /// A plan is withdrawn by others; nothing is told of it any more.
    pub fn withdrawn(&mut self, plan: PlanId, lanes: &mut Lanes, now: Time) {
        self.news.retain(|news| match news {
            VolumeNews::Ready(it) | VolumeNews::Waits(it, _) => *it != plan,
            VolumeNews::Failed { plan: it, .. } => *it != plan,
            VolumeNews::Left(..) => true,
        });
        self.take_back(plan, lanes, now);
    }

    /// Time goes by.
    pub fn turn(&mut self, lanes: &mut Lanes, now: Time) {
        let (undos, plans) = (&self.undos, &self.by_claim);
        self.traces.retain(|claim, trace| {
            trace.pass(now) || undos.contains_key(claim) || plans.contains_key(claim)
        });
        if self.wake_at().is_none_or(|due| now < due) {
            return;
        }
        for plan in self.plans.keys().copied().collect::<Vec<_>>() {
            self.pass_time(plan, lanes, now);
        }
    }

    /// What happened since the last call.
    pub fn take_news(&mut self) -> Vec<VolumeNews> {
        std::mem::take(&mut self.news)
    }

    /// True once a gang waits so long for its claims that people are to be told.
    #[must_use]
    pub fn is_late(&self, gang: &GangKey) -> bool {
        self.plans.values().any(|plan| plan.gang == *gang && plan.is_told)
    }

    /// Plans that are being prepared.
    #[must_use]
    pub fn len(&self) -> usize {
        self.plans.len()
    }

    /// True if no plan is being prepared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.plans.is_empty()
    }

    /// The right to write is lost: nothing leaves any more, and nothing is taken back.
    pub fn forget_all(&mut self, lanes: &mut Lanes) {
        for id in self.by_call.keys() {
            lanes.cancel(*id);
        }
        *self = Self::new(self.config.clone());
    }

    /// When [`Volumes::turn`] has something to do, if no news comes before.
    #[must_use]
    pub fn wake_at(&self) -> Option<Time> {
        self.plans.values().filter_map(|plan| plan.due(&self.config)).min()
    }

    fn step(&self, step: &VolumeStep, node: &str) -> (String, Step) {
        let (key, uid, act) = match step {
            VolumeStep::Provision { claim, uid } => (claim, uid, Act::Provision(node.to_owned())),
            VolumeStep::Take { claim, uid, volume, version, is_kept } => {
                let (volume, version, is_kept) = (volume.clone(), version.clone(), *is_kept);
                (claim, uid, Act::Take { volume, version, is_kept })
            }
        };
        let (namespace, name) = key.split_once('/').unwrap_or(("", key));
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        let claim = ClaimRef { namespace, name, uid: uid.clone() };
        (key.clone(), Step::new(claim, act, self.config.seed))
    }

    fn holder(&self, claim: &str) -> Option<(String, GangKey)> {
        let plan = self.by_claim.get(claim)?;
        Some((claim.to_owned(), self.plans[plan].gang.clone()))
    }

    fn step_mut(&mut self, claim: &str) -> Option<&mut Step> {
        let plan = self.by_claim.get(claim)?;
        self.plans.get_mut(plan)?.steps.get_mut(claim)
    }

    /// Ends what an earlier plan left on the claim; false while a call about it is in the air.
    fn unblock(&mut self, claim: &str, lanes: &mut Lanes) -> bool {
        let Some(undo) = self.undos.get(claim) else { return true };
        let id = undo.call_id();
        if !lanes.cancel(id) {
            return false;
        }
        self.by_call.remove(&id);
        let undo = self.undos.remove(claim).expect("it was just there");
        self.owe(claim, &undo.node);
        true
    }

    fn send(&mut self, claim: &str, due: Time, lanes: &mut Lanes) {
        let step = self.step_mut(claim).expect("its plan is being prepared");
        let id = push(step.call(), due, lanes);
        step.stage = Stage::Calling(id);
        self.by_call.insert(id, claim.to_owned());
    }

    fn step_next(&mut self, claim: &str, next: step::Next, lanes: &mut Lanes, now: Time) {
        match next {
            step::Next::Wait => {}
            step::Next::Call(due) => self.send(claim, due, lanes),
            step::Next::Fail(Fault { words, is_of_node }) => {
                let plan = self.by_claim[claim];
                let unfit = if is_of_node { self.plans[&plan].unfit(claim) } else { Vec::new() };
                self.fail(plan, format!("claim {claim} {words}"), unfit, lanes, now);
            }
        }
    }

    fn pass_time(&mut self, plan: PlanId, lanes: &mut Lanes, now: Time) {
        let preparing = self.plans.get_mut(&plan).expect("it was just there");
        if preparing.since.after(self.config.timeout) <= now {
            let (claims, timeout) = (preparing.unbound().join(", "), self.config.timeout);
            let why = format!("not bound within {timeout} (volumeBindTimeout): claims {claims}");
            let unfit = preparing.overdue();
            self.fail(plan, why, unfit, lanes, now);
            return;
        }
        if !preparing.is_told && preparing.since.after(self.config.told_after) <= now {
            preparing.is_told = true;
            self.news.push(VolumeNews::Waits(plan, preparing.unbound()));
        }
        for claim in preparing.steps.keys().cloned().collect::<Vec<_>>() {
            let Some(step) = self.step_mut(&claim) else { return };
            let next = step.elapsed(now);
            self.step_next(&claim, next, lanes, now);
        }
    }

    fn end_if_ready(&mut self, plan: PlanId) {
        let Some(preparing) = self.plans.get(&plan) else { return };
        if preparing.steps.values().all(|step| step.stage == Stage::Bound) {
            self.forget(plan);
            self.news.push(VolumeNews::Ready(plan));
        }
    }

    fn fail(
        &mut self,
        plan: PlanId,
        why: String,
        unfit: Vec<(String, String)>,
        lanes: &mut Lanes,
        now: Time,
    ) {
        self.take_back(plan, lanes, now);
        self.news.push(VolumeNews::Failed { plan, why, unfit });
    }

    fn forget(&mut self, plan: PlanId) -> Option<Preparing> {
        let preparing = self.plans.remove(&plan)?;
        for claim in preparing.steps.keys() {
            self.by_claim.remove(claim);
        }
        for (pod, node, _) in &preparing.members {
            self.by_pod.remove(pod);
            if let Some(plans) = self.by_node.get_mut(node) {
                plans.remove(&plan);
            }
        }
        self.by_node.retain(|_, plans| !plans.is_empty());
        self.suspects.remove(&plan);
        Some(preparing)
    }
}

fn push(call: Call, due: Time, lanes: &mut Lanes) -> CallId {
    lanes.push(Lane::Volume, call, Policy::of(CallKind::Write).timeout, due)
}
