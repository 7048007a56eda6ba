//! One bind from its first call until it is known how it ended.
//!
//! Invariants: it names one node for its whole life, so sending it again is safe: the server
//! assigns a pod once. It ends as refused only when no call that was sent can take effect any
//! more, or the pod itself shows that none ever will.

use crate::answer::{Answer, Body, PodFacts};
use crate::call::{Call, CallId, PodRef};
use crate::meaning::{CallKind, Meaning, Refusal, asked_pause, meaning};
use crate::retry::{Policy, seed_of};
use scheduler_model::effect::{Bind, EffectId, Outcome};
use scheduler_model::time::{Span, Time};

/// What to do next about a bind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Send it (again) from then on.
    Bind(Time),
    /// Look at the pod from then on.
    Ask(Time),
    /// It is known how it ended.
    End(Outcome),
}

/// What it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Its plan has not begun.
    Plan,
    /// The bind, waiting or in the air.
    Bind(CallId),
    /// The look at the pod, waiting or in the air.
    Ask(CallId),
}

#[derive(Clone, Debug)]
pub(super) struct Flight {
    pub(super) effect: EffectId,
    pub(super) bind: Bind,
    pub(super) step: Step,
    /// The call that it waits for left.
    pub(super) is_in_air: bool,
    /// Until when a call that was sent and not answered may still take effect.
    doubt_until: Option<Time>,
    /// Why it is not sent again.
    refusal: Option<String>,
    tries: u32,
    unsent: u32,
    asks: u32,
    seed: u64,
}

impl Flight {
    pub(super) fn new(effect: EffectId, bind: Bind, seed: u64) -> Self {
        let seed = seed ^ seed_of(&bind.uid);
        Self {
            effect,
            bind,
            step: Step::Plan,
            is_in_air: false,
            doubt_until: None,
            refusal: None,
            tries: 0,
            unsent: 0,
            asks: 0,
            seed,
        }
    }

    /// True if a call that was sent may have assigned the pod.
    pub(super) const fn may_have_happened(&self) -> bool {
        self.doubt_until.is_some() || (matches!(self.step, Step::Bind(_)) && self.is_in_air)
    }

    pub(super) fn pod(&self) -> PodRef {
        let Bind { uid, namespace, name, .. } = &self.bind;
        PodRef { namespace: namespace.clone(), name: name.clone(), uid: uid.clone() }
    }

    pub(super) fn call(&self) -> Call {
        let Bind { node, annotations, .. } = &self.bind;
        Call::Bind { pod: self.pod(), node: node.clone(), annotations: annotations.clone() }
    }

    /// The answer to the bind came.
    pub(super) fn bind_answered(&mut self, answer: &Answer, now: Time, linger: Span) -> Next {
        let policy = Policy::of(CallKind::Bind);
        if matches!(answer, Answer::Unsent(_)) {
            // Nothing was tried, so it does not count against the limit.
            self.unsent += 1;
            return Next::Bind(now.after(policy.backoff.pause(self.unsent, self.seed, None)));
        }
        self.unsent = 0;
        self.tries += 1;
        let pause = policy.next(self.tries, self.seed, asked_pause(answer));
        match meaning(CallKind::Bind, answer) {
            Meaning::Done => Next::End(Outcome::Done),
            // Nothing that was sent before can be carried out on a pod that is gone.
            Meaning::Refused(Refusal::Gone, words) => Next::End(Outcome::Refused(words)),
            Meaning::Refused(_, words) => self.give_up(words, now),
            Meaning::Unknown(words) => {
                self.doubt_until = Some(now.after(linger));
                if pause.is_none() {
                    self.refusal = Some(format!("given up after {} tries: {words}", self.tries));
                }
                Next::Ask(now)
            }
            Meaning::Again { words, .. } => match pause {
                Some(pause) => Next::Bind(now.after(pause)),
                None => self.give_up(format!("given up after {} tries: {words}", self.tries), now),
            },
        }
    }

    /// The answer to the look at the pod came.
    pub(super) fn ask_answered(&mut self, answer: &Answer, now: Time) -> Next {
        let facts = match (meaning(CallKind::Read, answer), answer) {
            (Meaning::Refused(Refusal::Gone, words), _) => {
                return Next::End(Outcome::Refused(words));
            }
            (Meaning::Done, Answer::Reply(reply)) => match &reply.body {
                Body::Pod(facts) => facts,
                Body::None | Body::Lease(_) | Body::Unreadable(_) => {
                    return self.ask_again(answer, now);
                }
            },
            _ => return self.ask_again(answer, now),
        };
        self.asks = 0;
        if let Some(outcome) = end_by(&self.bind, facts) {
            return Next::End(outcome);
        }
        if facts.is_gated {
            return Next::End(Outcome::Refused("its scheduling gates are closed".to_owned()));
        }
        match (&self.refusal, self.doubt_until) {
            (Some(_), Some(until)) if now < until => Next::Ask(until),
            (Some(words), _) => Next::End(Outcome::Refused(words.clone())),
            (None, _) => {
                let pause = Policy::of(CallKind::Bind).backoff.pause(self.tries, self.seed, None);
                Next::Bind(now.after(pause))
            }
        }
    }

    fn ask_again(&mut self, answer: &Answer, now: Time) -> Next {
        self.asks += 1;
        let backoff = Policy::of(CallKind::Read).backoff;
        Next::Ask(now.after(backoff.pause(self.asks, self.seed, asked_pause(answer))))
    }

    /// It is not sent again; refused at once, unless an earlier call may have got through.
    fn give_up(&mut self, words: String, now: Time) -> Next {
        if self.doubt_until.is_none() {
            return Next::End(Outcome::Refused(words));
        }
        self.refusal = Some(words);
        Next::Ask(now)
    }
}

/// How a bind ended, if the pod as it was seen at any time after the decision tells. Such facts
/// never change back, so an old sight is as good as a fresh one.
pub(super) fn end_by(bind: &Bind, facts: &PodFacts) -> Option<Outcome> {
    let refused = |words: String| Some(Outcome::Refused(words));
    if facts.uid != bind.uid {
        return refused("it is gone; another pod has its name".to_owned());
    }
    if facts.node == bind.node {
        return Some(Outcome::Done);
    }
    if !facts.node.is_empty() {
        return refused(format!("somebody else bound it to node {}", facts.node));
    }
    if facts.is_terminating {
        return refused("it is being deleted".to_owned());
    }
    facts.is_finished.then(|| Outcome::Refused("it has finished".to_owned()))
}
