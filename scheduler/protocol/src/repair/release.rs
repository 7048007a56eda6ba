//! One release: mark every placed member, have the release counted, delete them.
//!
//! Invariants: no member is deleted before all were marked and the count was written down; a
//! mark is fresh when its delete is queued; a member without a controller is never in it.

use crate::answer::Answer;
use crate::call::{Call, CallId, PodCondition, PodRef};
use crate::facts::GangFacts;
use crate::lanes::{Lane, Lanes};
use crate::meaning::{CallKind, Meaning, Refusal, asked_pause, meaning};
use crate::retry::{Policy, seed_of};
use scheduler_model::time::{Span, Time};
use std::collections::BTreeMap;

/// The reason in the condition of a released member.
pub const RELEASED: &str = "GangReleased";

/// The cluster takes a mark for stale after two minutes and resets it; ours are set again
/// before that.
const MARK_LASTS: Span = Span::from_secs(90);

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
    members: BTreeMap<String, Member>,
    /// Some delete was sent.
    has_deleted: bool,
}

#[derive(Clone, Debug)]
struct Member {
    pod: PodRef,
    doing: Doing,
    marked_at: Option<Time>,
    tries: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Nothing,
    Mark(CallId),
    Delete(CallId),
    Over,
}

#[derive(Clone, Copy, Debug)]
enum Mark {
    Set,
    Reset,
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
    pub(super) const fn new(number: u32) -> Self {
        Self {
            stage: Stage::Marking,
            number,
            recording_since: Time::ZERO,
            members: BTreeMap::new(),
            has_deleted: false,
        }
    }

    /// Takes in all members that hold a place.
    pub(super) fn enlist(&mut self, facts: &GangFacts) {
        for member in &facts.members {
            if member.node.is_none() || !member.has_controller {
                continue;
            }
            let new = || Member {
                pod: member.pod.clone(),
                doing: Doing::Nothing,
                marked_at: None,
                tries: 0,
            };
            self.members.entry(member.pod.uid.clone()).or_insert_with(new);
        }
    }

    /// Members that are not known to be gone.
    pub(super) fn pods(&self) -> u32 {
        let left = self.members.values().filter(|it| it.doing != Doing::Over);
        u32::try_from(left.count()).unwrap_or(u32::MAX)
    }

    /// True if one of its members still holds a place.
    pub(super) fn is_seen_in(&self, facts: &GangFacts) -> bool {
        let mut placed = facts.members.iter().filter(|it| it.node.is_some() && !it.is_lost);
        placed.any(|it| self.members.contains_key(&it.pod.uid))
    }

    /// True once nothing of it is left to do.
    pub(super) fn is_over(&self) -> bool {
        self.stage == Stage::Deleting && self.members.values().all(|it| it.doing == Doing::Over)
    }

    /// True once a delete may have happened.
    pub(super) fn has_begun(&self, lanes: &Lanes) -> bool {
        let flies = |it: &Member| matches!(it.doing, Doing::Delete(id) if lanes.is_flying(id));
        self.has_deleted || self.members.values().any(flies)
    }

    /// Queues what is to be done next about each member; gives back the new calls.
    pub(super) fn push(&mut self, lanes: &mut Lanes, now: Time) -> Vec<(CallId, String)> {
        let uids: Vec<String> = self.members.keys().cloned().collect();
        let calls = uids.into_iter().filter_map(|uid| {
            let id = self.push_one(&uid, lanes, now, now)?;
            Some((id, uid))
        });
        calls.collect()
    }

    /// The next call about a member, if it is owed one.
    pub(super) fn push_one(
        &mut self,
        uid: &str,
        lanes: &mut Lanes,
        now: Time,
        due: Time,
    ) -> Option<CallId> {
        let member = self.members.get_mut(uid).filter(|it| it.doing == Doing::Nothing)?;
        let is_marked = member.marked_at.is_some_and(|at| due.since(at) < MARK_LASTS);
        let (call, kind) = match self.stage {
            Stage::Marking | Stage::Deleting if !is_marked => {
                (mark(&member.pod, Mark::Set, now), CallKind::Write)
            }
            Stage::Deleting => (Call::DeletePod(member.pod.clone()), CallKind::Delete),
            Stage::Marking | Stage::Recording => return None,
        };
        let id = lanes.push(Lane::Repair, call, Policy::of(kind).timeout, due);
        let is_mark = kind == CallKind::Write;
        member.doing = if is_mark { Doing::Mark(id) } else { Doing::Delete(id) };
        Some(id)
    }

    /// The answer to a call about a member came. Also says when the next call about it is due.
    pub(super) fn answered(&mut self, uid: &str, answer: &Answer, now: Time) -> (Step, Time) {
        let Some(member) = self.members.get_mut(uid) else { return (Step::On, now) };
        let is_delete = matches!(member.doing, Doing::Delete(_));
        let kind = if is_delete { CallKind::Delete } else { CallKind::Write };
        self.has_deleted |= is_delete && !matches!(answer, Answer::Unsent(_));
        member.doing = Doing::Nothing;
        member.tries += 1;
        let name = member.pod.name.clone();
        // Without a limit of tries: what was begun is brought to an end.
        let pause = Policy::of(kind).backoff.pause(member.tries, seed_of(uid), asked_pause(answer));
        let step = match meaning(kind, answer) {
            Meaning::Done if is_delete => {
                member.doing = Doing::Over;
                Step::On
            }
            Meaning::Done => {
                (member.marked_at, member.tries) = (Some(now), 0);
                return (self.marked(), now);
            }
            Meaning::Refused(Refusal::Gone | Refusal::Changed, _) => {
                member.doing = Doing::Over;
                self.marked()
            }
            Meaning::Refused(_, words) if is_delete => Step::DeleteRefused(name, words),
            Meaning::Refused(_, words) => Step::MarkRefused(name, words),
            Meaning::Unknown(_) | Meaning::Again { .. } => Step::On,
        };
        (step, now.after(pause))
    }

    fn marked(&self) -> Step {
        let is_marked = |it: &Member| it.marked_at.is_some() || it.doing == Doing::Over;
        let is_ready = self.stage == Stage::Marking && self.members.values().all(is_marked);
        if is_ready { Step::Marked } else { Step::On }
    }

    /// Calls it off: takes back what waits, and the marks.
    pub(super) fn cancel(&self, lanes: &mut Lanes, now: Time) -> Vec<CallId> {
        let mut calls = Vec::new();
        for member in self.members.values() {
            if let Doing::Mark(id) | Doing::Delete(id) = member.doing {
                lanes.cancel(id);
                calls.push(id);
            }
            let may_be_marked = member.marked_at.is_some() || member.tries > 0;
            if may_be_marked && member.doing != Doing::Over {
                // Sent once: if it fails, the cluster resets the mark after two minutes.
                let timeout = Policy::of(CallKind::Write).timeout;
                lanes.push(Lane::Repair, mark(&member.pod, Mark::Reset, now), timeout, now);
            }
        }
        calls
    }

    /// Drops what waits.
    pub(super) fn drop_calls(&self, lanes: &mut Lanes) {
        for member in self.members.values() {
            if let Doing::Mark(id) | Doing::Delete(id) = member.doing {
                lanes.cancel(id);
            }
        }
    }
}

fn mark(pod: &PodRef, mark: Mark, now: Time) -> Call {
    let (is_true, message) = match mark {
        Mark::Set => (
            true,
            "its gang lost members that found no new place, and is released to start again whole",
        ),
        Mark::Reset => (false, "its gang has its minimum again"),
    };
    let condition = PodCondition {
        kind: "DisruptionTarget",
        is_true,
        reason: RELEASED.to_owned(),
        message: message.to_owned(),
        since: now,
    };
    Call::PodStatus { pod: pod.clone(), condition: Some(condition), nominated: None }
}
