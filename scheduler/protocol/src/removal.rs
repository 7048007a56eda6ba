//! Pods that are marked as about to be deleted, and then deleted: all of them, or none as long as
//! no delete left.
//!
//! Used by whoever ends running pods: [`crate::repair`] to release a gang, [`crate::evict`] to
//! make room. They decide when marking is over and deleting may begin.
//!
//! Invariants: a mark is fresh when its delete is queued; at most one call per pod waits or flies.

use crate::answer::Answer;
use crate::call::{Call, CallId, PodCondition, PodRef};
use crate::lanes::{Lane, Lanes};
use crate::meaning::{CallKind, Meaning, Refusal, asked_pause, meaning};
use crate::retry::{Policy, seed_of};
use scheduler_model::time::{Span, Time};
use std::collections::BTreeMap;

/// The cluster takes a mark for stale after two minutes and resets it; ours are set again
/// before that.
const MARK_LASTS: Span = Span::from_secs(90);

/// What is said in the condition `DisruptionTarget`.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    /// One word why.
    pub(crate) reason: &'static str,
    /// A sentence for people.
    pub(crate) message: String,
    /// The sentence that takes it back.
    pub(crate) over: &'static str,
}

/// What is done about each pod now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Mark,
    /// Marked again first, if its mark grew old.
    Delete,
}

#[derive(Clone, Debug)]
pub(crate) struct Removal {
    words: Words,
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

/// What an answer did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// There is more to do about the pod.
    On,
    /// The pod is marked.
    Marked,
    /// The pod goes, or is gone.
    Over,
    /// It cannot be marked: its name, and the words of the server.
    MarkRefused(String, String),
    /// It cannot be deleted: its name, and the words of the server.
    DeleteRefused(String, String),
}

impl Removal {
    pub(crate) const fn new(words: Words) -> Self {
        Self { words, members: BTreeMap::new(), has_deleted: false }
    }

    /// Takes a pod in, if it is not yet.
    pub(crate) fn enlist(&mut self, pod: &PodRef) {
        let new = || Member { pod: pod.clone(), doing: Doing::Nothing, marked_at: None, tries: 0 };
        self.members.entry(pod.uid.clone()).or_insert_with(new);
    }

    /// A pod is none of it any more.
    pub(crate) fn strike(&mut self, uid: &str) {
        self.members.remove(uid);
    }

    pub(crate) fn contains(&self, uid: &str) -> bool {
        self.members.contains_key(uid)
    }

    /// Pods that are not known to be gone.
    pub(crate) fn left(&self) -> u32 {
        let left = self.members.values().filter(|it| it.doing != Doing::Over);
        u32::try_from(left.count()).unwrap_or(u32::MAX)
    }

    /// True once nothing is left to do.
    pub(crate) fn is_over(&self) -> bool {
        self.members.values().all(|it| it.doing == Doing::Over)
    }

    /// True once all are marked, or gone.
    pub(crate) fn is_marked(&self) -> bool {
        self.members.values().all(|it| it.marked_at.is_some() || it.doing == Doing::Over)
    }

    /// True once a delete may have happened.
    pub(crate) fn has_begun(&self, lanes: &Lanes) -> bool {
        let flies = |it: &Member| matches!(it.doing, Doing::Delete(id) if lanes.is_flying(id));
        self.has_deleted || self.members.values().any(flies)
    }

    /// Queues what is to be done next about each pod; gives back the new calls.
    pub(crate) fn push(&mut self, act: Act, lanes: &mut Lanes, now: Time) -> Vec<(CallId, String)> {
        let uids: Vec<String> = self.members.keys().cloned().collect();
        let calls = uids.into_iter().filter_map(|uid| {
            let id = self.push_one(&uid, act, lanes, now)?;
            Some((id, uid))
        });
        calls.collect()
    }

    /// The next call about a pod, to leave from `due` on, if it is owed one.
    pub(crate) fn push_one(
        &mut self,
        uid: &str,
        act: Act,
        lanes: &mut Lanes,
        due: Time,
    ) -> Option<CallId> {
        let member = self.members.get_mut(uid).filter(|it| it.doing == Doing::Nothing)?;
        let is_marked = member.marked_at.is_some_and(|at| due.since(at) < MARK_LASTS);
        if !is_marked {
            let call = mark(&member.pod, &self.words, Mark::Set, due);
            let id = lanes.push(Lane::Repair, call, Policy::of(CallKind::Write).timeout, due);
            member.doing = Doing::Mark(id);
            return Some(id);
        }
        if act == Act::Mark {
            return None;
        }
        let call = Call::DeletePod(member.pod.clone());
        let id = lanes.push(Lane::Repair, call, Policy::of(CallKind::Delete).timeout, due);
        member.doing = Doing::Delete(id);
        Some(id)
    }

    /// The answer to a call about a pod came. Also says when the next call about it is due.
    pub(crate) fn answered(&mut self, uid: &str, answer: &Answer, now: Time) -> (Step, Time) {
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
                Step::Over
            }
            Meaning::Done => {
                (member.marked_at, member.tries) = (Some(now), 0);
                return (Step::Marked, now);
            }
            Meaning::Refused(Refusal::Gone | Refusal::Changed, _) => {
                member.doing = Doing::Over;
                Step::Over
            }
            Meaning::Refused(_, words) if is_delete => Step::DeleteRefused(name, words),
            Meaning::Refused(_, words) => Step::MarkRefused(name, words),
            Meaning::Unknown(_) | Meaning::Again { .. } => Step::On,
        };
        (step, now.after(pause))
    }

    /// Calls it off for all whose delete has not left: takes back what waits, and the marks.
    /// Answers the calls that nobody waits for any more, and the uids of those that stay.
    pub(crate) fn cancel(&self, lanes: &mut Lanes, now: Time) -> (Vec<CallId>, Vec<String>) {
        let (mut calls, mut stay) = (Vec::new(), Vec::new());
        for (uid, member) in &self.members {
            if member.doing == Doing::Over {
                continue;
            }
            let mut is_marking = false;
            if let Doing::Mark(id) | Doing::Delete(id) = member.doing {
                let has_left = !lanes.cancel(id);
                if has_left && matches!(member.doing, Doing::Delete(_)) {
                    continue;
                }
                is_marking = has_left;
                calls.push(id);
            }
            stay.push(uid.clone());
            if is_marking || member.marked_at.is_some() || member.tries > 0 {
                // Sent once: if it fails, the cluster resets the mark after two minutes.
                let timeout = Policy::of(CallKind::Write).timeout;
                let call = mark(&member.pod, &self.words, Mark::Reset, now);
                lanes.push(Lane::Repair, call, timeout, now);
            }
        }
        (calls, stay)
    }

    /// Drops what waits.
    pub(crate) fn drop_calls(&self, lanes: &mut Lanes) {
        for member in self.members.values() {
            if let Doing::Mark(id) | Doing::Delete(id) = member.doing {
                lanes.cancel(id);
            }
        }
    }
}

fn mark(pod: &PodRef, words: &Words, mark: Mark, now: Time) -> Call {
    let (is_true, message) = match mark {
        Mark::Set => (true, words.message.clone()),
        Mark::Reset => (false, words.over.to_owned()),
    };
    let condition = PodCondition {
        kind: "DisruptionTarget",
        is_true,
        reason: words.reason.to_owned(),
        message,
        since: now,
    };
    Call::PodStatus { pod: pod.clone(), condition: Some(condition), nominated: None }
}
