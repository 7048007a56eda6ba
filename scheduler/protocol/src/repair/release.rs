//! One release: mark every placed member, have the release counted, delete them.
//!
//! Invariants: no member is deleted before all were marked and the count was written down; a
//! member without a controller is never in it. The steps with each pod are [`crate::removal`]'s.

use crate::answer::Answer;
use crate::call::CallId;
use crate::facts::GangFacts;
use crate::lanes::Lanes;
use crate::removal::{Act, Removal, Step as PodStep, Words};
use scheduler_model::time::Time;

/// The reason in the condition of a released member.
pub const RELEASED: &str = "GangReleased";

/// How far a release is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Members are being marked.
    Marking,
    /// All are marked; the driver writes the count down.
    Recording,
    /// The count stands in the API; members are being deleted.
    Deleting,
}

#[derive(Clone, Debug)]
pub(super) struct Release {
    pub(super) stage: Stage,
    /// Which release of the gang it is, from 1.
    pub(super) number: u32,
    /// Since when the driver is to write the count down.
    pub(super) recording_since: Time,
    removal: Removal,
}

/// What an answer did to a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing to tell.
    On,
    /// All members are marked (or gone).
    Marked,
    /// A member cannot be marked.
    MarkRefused(String, String),
    /// A member cannot be deleted; it is tried again.
    DeleteRefused(String, String),
}

impl Release {
    pub(super) fn new(number: u32) -> Self {
        let message =
            "its gang lost members that found no new place, and is released to start again whole";
        let words = Words {
            reason: RELEASED,
            message: message.to_owned(),
            over: "its gang has its minimum again",
        };
        Self {
            stage: Stage::Marking,
            number,
            recording_since: Time::ZERO,
            removal: Removal::new(words),
        }
    }

    /// Takes in all members that hold a place.
    pub(super) fn enlist(&mut self, facts: &GangFacts) {
        let placed = facts.members.iter().filter(|it| it.node.is_some() && it.has_controller);
        placed.for_each(|member| self.removal.enlist(&member.pod));
    }

    /// Members that are not known to be gone.
    pub(super) fn pods(&self) -> u32 {
        self.removal.left()
    }

    /// True if one of its members still holds a place.
    pub(super) fn is_seen_in(&self, facts: &GangFacts) -> bool {
        let mut placed = facts.members.iter().filter(|it| it.node.is_some() && !it.is_lost);
        placed.any(|it| self.removal.contains(&it.pod.uid))
    }

    /// True once nothing of it is left to do.
    pub(super) fn is_over(&self) -> bool {
        self.stage == Stage::Deleting && self.removal.is_over()
    }

    /// True once a delete may have happened.
    pub(super) fn has_begun(&self, lanes: &Lanes) -> bool {
        self.removal.has_begun(lanes)
    }

    /// Queues what is to be done next about each member; gives back the new calls.
    pub(super) fn push(&mut self, lanes: &mut Lanes, now: Time) -> Vec<(CallId, String)> {
        self.act().map(|act| self.removal.push(act, lanes, now)).unwrap_or_default()
    }

    /// The next call about a member, if it is owed one.
    pub(super) fn push_one(&mut self, uid: &str, lanes: &mut Lanes, due: Time) -> Option<CallId> {
        self.removal.push_one(uid, self.act()?, lanes, due)
    }

    /// The answer to a call about a member came. Also says when the next call about it is due.
    pub(super) fn answered(&mut self, uid: &str, answer: &Answer, now: Time) -> (Step, Time) {
        let (step, due) = self.removal.answered(uid, answer, now);
        let step = match step {
            PodStep::On => Step::On,
            PodStep::Marked | PodStep::Over => {
                let is_ready = self.stage == Stage::Marking && self.removal.is_marked();
                if is_ready { Step::Marked } else { Step::On }
            }
            PodStep::MarkRefused(pod, words) => Step::MarkRefused(pod, words),
            PodStep::DeleteRefused(pod, words) => Step::DeleteRefused(pod, words),
        };
        (step, due)
    }

    /// Calls it off: takes back what waits, and the marks.
    pub(super) fn cancel(&self, lanes: &mut Lanes, now: Time) -> Vec<CallId> {
        self.removal.cancel(lanes, now).0
    }

    /// Drops what waits.
    pub(super) fn drop_calls(&self, lanes: &mut Lanes) {
        self.removal.drop_calls(lanes);
    }

    const fn act(&self) -> Option<Act> {
        match self.stage {
            Stage::Marking => Some(Act::Mark),
            Stage::Recording => None,
            Stage::Deleting => Some(Act::Delete),
        }
    }
}
