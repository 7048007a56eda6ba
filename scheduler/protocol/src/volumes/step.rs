//! What is done about one claim, from the first call until it is seen bound.
//!
//! Invariants: it asks for one node or one volume for its whole life, so asking again is safe;
//! nothing is given up for what the watch showed of a time before the write.

use crate::answer::Answer;
use crate::call::{Call, CallId, ClaimRef};
use crate::meaning::{CallKind, Meaning, Refusal, asked_pause, meaning};
use crate::retry::{Policy, seed_of};
use scheduler_model::spec::{ClaimSpec, ClaimState, LateClaim};
use scheduler_model::time::{Span, Time};

/// A write that was answered well and that the watch does not show after this long is written
/// again: what it had set may have been taken away before the watch could see it.
const UNSEEN: Span = Span::from_secs(10);

/// A claim that cannot be used for so long is given up. Shortly it looks like that while its
/// volume is not known yet.
const UNREADY: Span = Span::from_secs(10);

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// A volume for this node.
    Provision(String),
    /// This volume, in this version.
    Take { volume: String, version: String, is_kept: bool },
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Something about an earlier plan has to land first.
    Blocked,
    /// The write, waiting or in the air.
    Calling(CallId),
    /// It was answered well, at this moment.
    Written(Time),
    /// The watch shows it.
    Seen,
    /// The watch showed it, and that it was taken away again.
    Reset,
    /// The claim is bound.
    Bound,
}

/// What to do next about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing now.
    Wait,
    /// Write (again) from then on.
    Call(Time),
    /// It cannot be; why.
    Fail(Fault),
}

/// Why a claim is not bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Completes "claim …".
    pub(super) words: String,
    /// It would end the same on this node.
    pub(super) is_of_node: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) claim: ClaimRef,
    pub(super) act: Act,
    pub(super) stage: Stage,
    /// Until when a write without an answer may still take effect.
    pub(super) doubt_until: Option<Time>,
    /// Why the claim cannot be used, and since when.
    unready: Option<(String, Time)>,
    tries: u32,
    unsent: u32,
    seed: u64,
}

impl Step {
    pub(super) fn new(claim: ClaimRef, act: Act, seed: u64) -> Self {
        let seed = seed ^ seed_of(&claim.uid);
        Self {
            claim,
            act,
            stage: Stage::Blocked,
            doubt_until: None,
            unready: None,
            tries: 0,
            unsent: 0,
            seed,
        }
    }

    pub(super) fn call(&self) -> Call {
        let claim = self.claim.clone();
        match &self.act {
            Act::Provision(node) => Call::SelectNode { claim, node: node.clone() },
            Act::Take { volume, version, is_kept } => {
                let (volume, version, is_kept) = (volume.clone(), version.clone(), *is_kept);
                Call::TakeVolume { volume, version, claim, is_kept }
            }
        }
    }

    /// The answer to its write came.
    pub(super) fn answered(&mut self, answer: &Answer, now: Time, linger: Span) -> Next {
        let policy = Policy::of(CallKind::Write);
        if matches!(answer, Answer::Unsent(_)) {
            self.unsent += 1;
            return Next::Call(now.after(policy.backoff.pause(self.unsent, self.seed, None)));
        }
        self.unsent = 0;
        self.tries += 1;
        let is_taking = matches!(self.act, Act::Take { .. });
        let words = match meaning(CallKind::Write, answer) {
            Meaning::Done => {
                (self.stage, self.tries) = (Stage::Written(now), 0);
                return Next::Wait;
            }
            // Perhaps it was our own lost write that changed the volume: the claim will tell.
            Meaning::Refused(Refusal::Changed, _) if is_taking && self.doubt_until.is_some() => {
                self.stage = Stage::Written(now);
                return Next::Wait;
            }
            // No version was named, so another writer was only faster.
            Meaning::Refused(Refusal::Changed, words) if !is_taking => words,
            Meaning::Refused(_, words) => return Next::Fail(self.fault(words)),
            Meaning::Unknown(words) => {
                self.doubt_until = Some(now.after(linger));
                words
            }
            Meaning::Again { words, .. } => words,
        };
        match policy.next(self.tries, self.seed, asked_pause(answer)) {
            Some(pause) => Next::Call(now.after(pause)),
            None => Next::Fail(self.fault(format!("given up after {} tries: {words}", self.tries))),
        }
    }

    /// The watch shows the claim.
    pub(super) fn seen(&mut self, spec: &ClaimSpec, now: Time) -> Next {
        if spec.uid != self.claim.uid {
            return fail("was deleted and made anew");
        }
        match &spec.state {
            ClaimState::Bound(_) => {
                (self.stage, self.unready) = (Stage::Bound, None);
                Next::Wait
            }
            ClaimState::Unready(words) => {
                let since = self.unready.as_ref().map_or(now, |(_, since)| *since);
                self.unready = Some((words.clone(), since));
                Next::Wait
            }
            ClaimState::Late(late) => {
                self.unready = None;
                self.late(late)
            }
        }
    }

    /// The watch shows the claim unbound, with or without a node.
    fn late(&mut self, late: &LateClaim) -> Next {
        let Act::Provision(node) = &self.act else { return Next::Wait };
        let is_ours = late.chosen.as_ref() == Some(node);
        match (self.stage, &late.chosen) {
            (Stage::Calling(_) | Stage::Written(_), _) if is_ours => {
                self.stage = Stage::Seen;
                Next::Wait
            }
            (Stage::Seen, None) => {
                let words =
                    format!("cannot be provisioned on node {node}: its driver gave it back");
                self.stage = Stage::Reset;
                Next::Fail(Fault { words, is_of_node: true })
            }
            (Stage::Seen, Some(other)) if !is_ours => {
                let words = format!("was given node {other} by somebody else");
                self.stage = Stage::Reset;
                Next::Fail(Fault { words, is_of_node: false })
            }
            _ => Next::Wait,
        }
    }

    /// When time alone changes what is to be done.
    pub(super) fn due(&self) -> Option<Time> {
        let unready = self.unready.as_ref().map(|(_, since)| since.after(UNREADY));
        let unseen = match (self.stage, &self.act) {
            (Stage::Written(at), Act::Provision(_)) => Some(at.after(UNSEEN)),
            (Stage::Written(at), Act::Take { .. }) if self.doubt_until.is_some() => {
                Some(at.after(UNSEEN))
            }
            _ => None,
        };
        unready.into_iter().chain(unseen).min()
    }

    /// Time went by.
    pub(super) fn elapsed(&mut self, now: Time) -> Next {
        if self.due().is_none_or(|due| now < due) {
            return Next::Wait;
        }
        if let Some((words, _)) = self.unready.as_ref().filter(|(_, at)| at.after(UNREADY) <= now) {
            return fail(words);
        }
        match &self.act {
            Act::Provision(_) => Next::Call(now),
            Act::Take { volume, .. } => {
                let words = format!("did not get volume {volume}, which changed meanwhile");
                Next::Fail(Fault { words, is_of_node: false })
            }
        }
    }

    fn fault(&self, words: String) -> Fault {
        let words = match &self.act {
            Act::Provision(node) => format!("cannot be told to go to node {node}: {words}"),
            Act::Take { volume, .. } => format!("cannot take volume {volume}: {words}"),
        };
        Fault { words, is_of_node: false }
    }
}

fn fail(words: &str) -> Next {
    Next::Fail(Fault { words: words.to_owned(), is_of_node: false })
}
