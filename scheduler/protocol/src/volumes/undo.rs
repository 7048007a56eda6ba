//! Taking back the node that a withdrawn plan gave to a claim that is not bound.
//!
//! Invariants: only a node that this process set is taken away, and only while it still stands
//! there; writes of ours that may come late are watched for until they cannot come any more,
//! whatever plans the claim had since ([`Trace`]).

use crate::answer::Answer;
use crate::call::{Call, CallId, ClaimRef};
use crate::meaning::{CallKind, Meaning, Refusal, asked_pause, meaning};
use crate::retry::{Policy, seed_of};
use scheduler_model::spec::{ClaimSpec, ClaimState};
use scheduler_model::time::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The write that sets the node is in the air.
    Setting(CallId),
    /// The write that takes it away, waiting or in the air.
    Calling(CallId),
}

/// What to do next about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Write (again) from then on.
    Call(Time),
    /// Nothing is left to do.
    End,
    /// It is left there; why.
    GiveUp(String),
}

/// What this process may have left on a claim.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    claim: ClaimRef,
    /// Nodes that a write without an answer may still set, and until when.
    doubts: BTreeMap<String, Time>,
    /// Nodes that were to be taken away when the next plan came.
    owed: BTreeSet<String>,
    /// The node that the watch showed last.
    shown: Option<String>,
}

impl Trace {
    pub(super) const fn new(claim: ClaimRef) -> Self {
        Self { claim, doubts: BTreeMap::new(), owed: BTreeSet::new(), shown: None }
    }

    /// A write that sets this node was not answered.
    pub(super) fn doubt(&mut self, node: &str, until: Time) {
        self.doubts.insert(node.to_owned(), until);
    }

    /// A node is left there, for the next plan to overwrite.
    pub(super) fn owe(&mut self, node: &str) {
        self.owed.insert(node.to_owned());
    }

    /// Another node was written over whatever stood there.
    pub(super) fn written(&mut self) {
        self.owed.clear();
    }

    /// A node was taken away, or did not stand there.
    pub(super) fn cleared(&mut self, node: &str) {
        self.owed.remove(node);
        if self.shown.as_deref() == Some(node) {
            self.shown = None;
        }
    }

    /// The watch shows the claim. False once it is none of ours any more.
    pub(super) fn seen(&mut self, spec: &ClaimSpec) -> bool {
        if let ClaimState::Late(late) = &spec.state {
            self.shown.clone_from(&late.chosen);
        }
        spec.uid == self.claim.uid && !matches!(spec.state, ClaimState::Bound(_))
    }

    /// A node of ours that came late and has to be taken away.
    pub(super) fn late(&self) -> Option<(ClaimRef, String)> {
        let node = self.shown.as_ref()?;
        let is_ours = self.doubts.contains_key(node) || self.owed.contains(node);
        is_ours.then(|| (self.claim.clone(), node.clone()))
    }

    /// True if something may still come.
    pub(super) fn pass(&mut self, now: Time) -> bool {
        self.doubts.retain(|_, until| now < *until);
        !self.doubts.is_empty() || !self.owed.is_empty()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Undo {
    pub(super) claim: ClaimRef,
    pub(super) node: String,
    pub(super) stage: Stage,
    /// Until when the write that sets the node may still take effect.
    pub(super) doubt_until: Option<Time>,
    tries: u32,
    unsent: u32,
    seed: u64,
}

impl Undo {
    /// Takes away what `stage` says is set, or about to be.
    pub(super) fn new(claim: ClaimRef, node: String, stage: Stage, seed: u64) -> Self {
        let seed = seed ^ seed_of(&claim.uid);
        Self { claim, node, stage, doubt_until: None, tries: 0, unsent: 0, seed }
    }

    pub(super) fn call(&self) -> Call {
        Call::DeselectNode { claim: self.claim.clone(), node: self.node.clone() }
    }

    /// The call in the air or waiting.
    pub(super) const fn call_id(&self) -> CallId {
        match self.stage {
            Stage::Setting(id) | Stage::Calling(id) => id,
        }
    }

    /// The answer to its call came.
    pub(super) fn answered(&mut self, answer: &Answer, now: Time, linger: Span) -> Next {
        let means = meaning(CallKind::Write, answer);
        if matches!(self.stage, Stage::Setting(_)) {
            return match means {
                Meaning::Done => Next::Call(now),
                Meaning::Unknown(_) => {
                    self.doubt_until = Some(now.after(linger));
                    Next::Call(now)
                }
                Meaning::Refused(..) | Meaning::Again { .. } => Next::End,
            };
        }
        let policy = Policy::of(CallKind::Write);
        if matches!(answer, Answer::Unsent(_)) {
            self.unsent += 1;
            return Next::Call(now.after(policy.backoff.pause(self.unsent, self.seed, None)));
        }
        self.unsent = 0;
        self.tries += 1;
        let words = match means {
            // Rejected: another node, or none, stands there.
            Meaning::Done | Meaning::Refused(Refusal::Rejected | Refusal::Gone, _) => {
                return Next::End;
            }
            Meaning::Refused(Refusal::Forbidden, words) => return Next::GiveUp(words),
            Meaning::Refused(Refusal::Changed, words)
            | Meaning::Unknown(words)
            | Meaning::Again { words, .. } => words,
        };
        match policy.next(self.tries, self.seed, asked_pause(answer)) {
            Some(pause) => Next::Call(now.after(pause)),
            None => Next::GiveUp(format!("given up after {} tries: {words}", self.tries)),
        }
    }
}
