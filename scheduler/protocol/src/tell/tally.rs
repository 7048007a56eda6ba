//! What the status of a queue counts where others count there too, such as Volcano's controller
//! and scheduler.
//!
//! Invariants: a queue that no gang of ours was ever in is left alone; what stands already is not
//! written; whoever keeps writing other numbers is answered [`ANSWERS`] times and then left
//! alone for [`PEACE`], so that two that correct each other come to an end.

use super::slate::Slate;
use crate::retry::seed_of;
use crate::status::{GroupsByPhase, QueueStatus};
use scheduler_model::amount::Amount;
use scheduler_model::time::{Span, Time};
use std::collections::BTreeMap;

/// How long the watch may lag behind what was written.
const LAG: Span = Span::from_secs(10);
/// How often other numbers are written over.
const ANSWERS: u32 = 3;
/// How long others are left alone after that.
const PEACE: Span = Span::from_secs(3_600);

/// What a queue's status counts, as a number: the same where it is written and where it is read.
/// What not every version of the kind has is left out.
#[must_use]
pub fn queue_digest(used: &BTreeMap<String, Amount>, groups: &GroupsByPhase) -> u64 {
    let used: Vec<_> = used.iter().filter(|(_, amount)| **amount > Amount::ZERO).collect();
    let GroupsByPhase { pending, admitted, running, broken, done: _ } = groups;
    seed_of(&format!("{used:?} {pending} {admitted} {running} {broken}"))
}

/// True if there is nothing to count.
pub(super) fn counts_nothing(status: &QueueStatus) -> bool {
    status.used.is_empty() && status.groups.unwrap_or_default() == GroupsByPhase::default()
}

/// What others make of what was written into one queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Contest {
    /// A gang of ours was in it.
    pub(super) is_used: bool,
    /// Since when other numbers stand there.
    strange: Option<Time>,
    answers: u32,
    /// Others are left alone until then.
    peace: Option<Time>,
}

impl Contest {
    /// The watch shows these numbers.
    pub(super) fn shown(&mut self, digest: Option<u64>, slate: &Slate, now: Time) {
        let is_strange = slate.is_written() && slate.written() != digest;
        self.strange = is_strange.then(|| self.strange.unwrap_or(now));
    }

    /// Looks whether other numbers outlived the lag of the watch; true if they are written over
    /// no more.
    pub(super) fn look(&mut self, slate: &mut Slate, now: Time) -> bool {
        if self.next_look().is_none_or(|at| now < at) {
            return false;
        }
        self.strange = None;
        if self.answers < ANSWERS {
            self.answers += 1;
            slate.overwritten(now);
            return false;
        }
        self.peace = Some(now.after(PEACE));
        true
    }

    /// When to look again.
    pub(super) fn next_look(&self) -> Option<Time> {
        self.strange.map(|since| since.after(LAG))
    }

    /// True if nothing is to be written now. Afterwards what stands is judged anew, and one
    /// strange number is enough.
    pub(super) fn keeps_peace(
        &mut self,
        digest: Option<u64>,
        slate: &mut Slate,
        now: Time,
    ) -> bool {
        let Some(until) = self.peace else { return !self.is_used };
        if now < until {
            return true;
        }
        self.peace = None;
        *slate = digest.map_or_else(Slate::default, Slate::standing);
        false
    }
}
