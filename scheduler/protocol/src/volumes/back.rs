//! The part of the machine that takes back what plans left on claims.

use super::step::{Act, Stage};
use super::undo::{self, Trace, Undo};
use super::{VolumeNews, Volumes, push};
use crate::bind::PlanId;
use crate::call::{CallId, ClaimRef};
use crate::lanes::Lanes;
use scheduler_model::time::Time;

impl Volumes {
    /// Drops a plan, and takes back what it set on claims that are not bound.
    pub(super) fn take_back(&mut self, plan: PlanId, lanes: &mut Lanes, now: Time) {
        let Some(preparing) = self.forget(plan) else { return };
        for (key, step) in preparing.steps {
            let mut is_in_air = None;
            if let Stage::Calling(id) = step.stage {
                if lanes.cancel(id) {
                    self.by_call.remove(&id);
                } else {
                    is_in_air = Some(id);
                }
            }
            let Act::Provision(node) = step.act else { continue };
            let may_be_set = match step.stage {
                Stage::Written(_) | Stage::Seen => true,
                Stage::Calling(_) => step.doubt_until.is_some_and(|until| now < until),
                Stage::Blocked | Stage::Reset | Stage::Bound => false,
            };
            if let Some(id) = is_in_air {
                let stage = undo::Stage::Setting(id);
                let undo = Undo::new(step.claim, node, stage, self.config.seed);
                self.undos.insert(key, undo);
            } else if may_be_set {
                self.undo(&key, step.claim, node, lanes, now);
            } else {
                self.undo_late(&key, lanes, now);
            }
        }
    }

    /// Begins to take a node away from a claim without a plan.
    fn undo(&mut self, key: &str, claim: ClaimRef, node: String, lanes: &mut Lanes, due: Time) {
        let mut undo = Undo::new(claim, node, undo::Stage::Calling(CallId(0)), self.config.seed);
        self.call_undo(key, &mut undo, lanes, due);
        self.undos.insert(key.to_owned(), undo);
    }

    pub(super) fn undo_next(
        &mut self,
        claim: &str,
        next: undo::Next,
        lanes: &mut Lanes,
        now: Time,
    ) {
        let Some(mut undo) = self.undos.remove(claim) else { return };
        match next {
            undo::Next::Call(due) => {
                self.call_undo(claim, &mut undo, lanes, due);
                self.undos.insert(claim.to_owned(), undo);
                return;
            }
            undo::Next::End => {}
            undo::Next::GiveUp(words) => {
                self.news.push(VolumeNews::Left(claim.to_owned(), words));
            }
        }
        let is_away = matches!(undo.stage, undo::Stage::Calling(_));
        if let (true, Some(trace)) = (is_away, self.traces.get_mut(claim)) {
            trace.cleared(&undo.node);
        }
        self.undo_late(claim, lanes, now);
    }

    fn call_undo(&mut self, claim: &str, undo: &mut Undo, lanes: &mut Lanes, due: Time) {
        let id = push(undo.call(), due, lanes);
        undo.stage = undo::Stage::Calling(id);
        self.by_call.insert(id, claim.to_owned());
    }

    /// Takes away a node of ours that came late, unless a plan or an undoing is about the claim.
    pub(super) fn undo_late(&mut self, key: &str, lanes: &mut Lanes, now: Time) {
        if self.by_claim.contains_key(key) || self.undos.contains_key(key) {
            return;
        }
        if let Some((claim, node)) = self.traces.get(key).and_then(Trace::late) {
            self.undo(key, claim, node, lanes, now);
        }
    }

    /// The claim is bound or gone: nothing of ours is left on it.
    pub(super) fn drop_trace(&mut self, claim: &str, lanes: &mut Lanes, now: Time) {
        self.traces.remove(claim);
        if let Some(undo) = self.undos.remove(claim) {
            lanes.cancel(undo.call_id());
            self.by_call.remove(&undo.call_id());
        }
        if self.step_mut(claim).is_some_and(|step| step.stage == Stage::Blocked) {
            self.send(claim, now, lanes);
        }
    }

    /// A node stays on a claim because a new plan is about to set another.
    pub(super) fn owe(&mut self, claim: &str, node: &str) {
        if let Some(trace) = self.traces.get_mut(claim) {
            trace.owe(node);
        }
    }

    /// A write that was not answered may still come.
    pub(super) fn note_doubt(&mut self, claim: &str) {
        let step = self.by_claim.get(claim).and_then(|it| self.plans[it].steps.get(claim));
        let of_step = step.and_then(|step| match &step.act {
            Act::Provision(node) => Some((node.clone(), step.doubt_until?)),
            Act::Take { .. } => None,
        });
        let of_undo = self.undos.get(claim).and_then(|it| Some((it.node.clone(), it.doubt_until?)));
        let Some(trace) = self.traces.get_mut(claim) else { return };
        for (node, until) in of_step.into_iter().chain(of_undo) {
            trace.doubt(&node, until);
        }
    }
}
