//! What follows for one member: its condition, its nominated node, and the ledger of a plain
//! gang that some members carry.

use super::TellConfig;
use super::class::Class;
use super::echo::Echo;
use super::gang::Gang;
use super::slate::{Pace, Slate};
use crate::call::{Call, CallId, PodCondition, PodRef};
use crate::facts::{GangFacts, MemberFacts};
use crate::meaning::Meaning;
use crate::retry::seed_of;
use crate::status::Phase;
use scheduler_model::spec::{Ledger, Told};
use scheduler_model::time::{Span, Time};
use std::collections::BTreeMap;

/// Members of a plain gang that carry its ledger: one more than can be deleted by mistake.
pub(super) const CARRIERS: usize = 2;

/// What is to stand in the condition `PodScheduled`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Say {
    /// Whatever stands there.
    Nothing,
    /// That it waits.
    Waits(Class),
    /// That it has a node: a word of waiting came too late and stands on a bound pod.
    Scheduled,
}

/// Reason of the condition and nominated node, each empty for none. `None` is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Line {
    reason: Option<String>,
    nominated: Option<String>,
}

impl Line {
    fn of(told: &Told) -> Self {
        Self { reason: Some(told.reason.clone()), nominated: Some(told.nominated.clone()) }
    }

    fn is_known(&self) -> bool {
        self.reason.is_some() && self.nominated.is_some()
    }

    fn print(&self) -> u64 {
        seed_of(&format!("{self:?}"))
    }
}

#[derive(Clone, Debug)]
pub(super) struct Pod {
    pod: PodRef,
    pub(super) line: Slate,
    pub(super) ledger: Slate,
    /// The API says that it does not exist.
    is_gone: bool,
    say: Say,
    /// Node that we nominate, empty to take ours back; `None` leaves alone what others say.
    nominated: Option<String>,
    /// What stands there.
    told: Line,
    /// What was sent last; `None` for what was left alone.
    sent: Line,
    since: Time,
    /// What is to be written down.
    wanted_ledger: Ledger,
    echo: Echo,
}

impl Pod {
    pub(super) fn new(member: &MemberFacts, now: Time) -> Self {
        let told = Line::of(member.told.as_ref().unwrap_or(&Told::default()));
        let ledger = member.ledger.clone().unwrap_or_default();
        Self {
            pod: member.pod.clone(),
            line: Slate::standing(told.print()),
            ledger: Slate::standing(print_ledger(&ledger)),
            is_gone: false,
            say: Say::Nothing,
            nominated: None,
            told,
            sent: Line::default(),
            since: now,
            wanted_ledger: ledger,
            echo: Echo::default(),
        }
    }

    /// When condition and ledger are to be written.
    pub(super) fn due(&self) -> (Option<Time>, Option<Time>) {
        (self.line.due(), self.ledger.due())
    }

    /// True if facts alone do not say what stands on it.
    pub(super) fn is_remembered(&self) -> bool {
        let is_still = self.line.is_still() && self.ledger.is_still();
        let is_said = self.say != Say::Nothing || self.nominated.is_some() || !self.told.is_known();
        !is_still || is_said || self.is_gone || self.carries()
    }

    /// True if it bears a ledger, or is about to.
    fn carries(&self) -> bool {
        !self.wanted_ledger.is_empty()
    }

    /// True if one stands on it, or may.
    fn bears(&self, member: &MemberFacts) -> bool {
        let is_empty = self.ledger.written() == Some(print_ledger(&Ledger::default()));
        !is_empty
            || self.ledger.flight().is_some()
            || member.ledger.as_ref().is_some_and(|it| !it.is_empty())
    }

    /// When what stands on it is to be looked at again.
    pub(super) fn next_look(&self) -> Option<Time> {
        self.echo.next_look()
    }

    /// Nothing more is written on it. Answers what may be taken back.
    pub(super) fn give_up(&mut self) -> Vec<CallId> {
        let flights = self.line.flight().into_iter().chain(self.ledger.flight()).collect();
        (self.line, self.ledger) = (Slate::default(), Slate::default());
        self.is_gone = true;
        flights
    }

    /// Makes up what the pod is to say. Answers a call that is to be taken back if it can.
    pub(super) fn tell_line(
        &mut self,
        member: &MemberFacts,
        gang: &Gang,
        config: &TellConfig,
        now: Time,
    ) -> Option<CallId> {
        // Gates are spoken of by whoever keeps them closed.
        if self.is_gone || member.is_gated {
            return None;
        }
        let reason = member.told.as_ref().map_or("", |told| told.reason.as_str());
        let taken_back = match (&member.node, &member.assumed) {
            (Some(_), _) => self.tell_bound(reason),
            (None, Some(node)) => {
                if gang.is_late(config, now) {
                    self.nominated = Some(node.clone());
                }
                self.hush()
            }
            (None, None) => {
                let is_told = self.say != Say::Nothing || !reason.is_empty();
                let settled = gang.settled.filter(|class| !(class.is_mute() && is_told));
                self.say = settled.map_or(self.say, Say::Waits);
                self.nominate(member, gang);
                None
            }
        };
        if self.say != Say::Nothing || self.nominated.is_some() {
            // Evictions wait for a node to be nominated.
            let is_urgent = member.reserved.is_some() && self.told.nominated != member.reserved;
            let spacing = if is_urgent { Span::ZERO } else { config.pod_every };
            let pace = Pace { spacing, ..Pace::AT_ONCE };
            self.line.want(self.wish().print(), pace, now);
        }
        taken_back
    }

    /// People and autoscalers hear which node is kept for it, and when none is any more.
    fn nominate(&mut self, member: &MemberFacts, gang: &Gang) {
        let is_ours = self.nominated.is_some();
        let is_left_over =
            gang.has_lost_room && self.told.nominated.as_ref().is_some_and(|it| !it.is_empty());
        if member.reserved.is_some() {
            self.nominated.clone_from(&member.reserved);
        } else if is_ours || is_left_over {
            self.nominated = Some(String::new());
        }
    }

    /// It is bound, and its condition shows this reason to wait (empty for none).
    fn tell_bound(&mut self, reason: &str) -> Option<CallId> {
        let taken_back = self.hush();
        self.nominated = None;
        let is_ours = Class::ALL.iter().any(|class| class.reason() == reason);
        if is_ours && self.say == Say::Nothing {
            self.told.reason = None;
            (self.line, self.say) = (Slate::default(), Say::Scheduled);
        } else if reason.is_empty() && self.line.is_still() {
            (self.told, self.say) = (Line::of(&Told::default()), Say::Nothing);
        }
        taken_back
    }

    /// A bind says in the condition that it is over: a word of waiting must not come after it.
    fn hush(&mut self) -> Option<CallId> {
        if !matches!(self.say, Say::Waits(_)) {
            return None;
        }
        self.say = Say::Nothing;
        let flight = self.line.flight();
        if flight.is_some() {
            self.doubt();
        }
        let is_known = self.told.is_known();
        self.line = if is_known { Slate::standing(self.told.print()) } else { Slate::default() };
        flight
    }

    /// What was sent last may stand there, or what stood there before.
    fn doubt(&mut self) {
        self.told.reason.take_if(|_| self.sent.reason.is_some());
        self.told.nominated.take_if(|_| self.sent.nominated.is_some());
    }

    /// What is to stand on the pod.
    fn wish(&self) -> Line {
        let reason = match self.say {
            Say::Waits(class) => Some(class.reason().to_owned()),
            Say::Scheduled => Some(String::new()),
            Say::Nothing => self.told.reason.clone(),
        };
        let nominated = self.nominated.as_ref().or(self.told.nominated.as_ref()).cloned();
        Line { reason, nominated }
    }

    /// The gang's facts if this member is to carry its ledger.
    pub(super) fn tell_ledger(
        &mut self,
        member: &MemberFacts,
        carried: Option<&GangFacts>,
        config: &TellConfig,
        now: Time,
    ) {
        // A pod on its way out keeps what it bears.
        if self.is_gone || member.is_lost {
            return;
        }
        let ledger = match carried {
            Some(facts) if is_worth_writing(facts) || self.bears(member) => facts.ledger.clone(),
            _ => Ledger::default(),
        };
        let plan = |ledger: &Ledger| ledger.reservation.as_ref().map(|it| it.plan);
        // Nobody is evicted for it before this stands.
        let is_urgent = plan(&ledger).is_some() && plan(&ledger) != plan(&self.wanted_ledger);
        let pace = match is_urgent {
            true => Pace::AT_ONCE,
            false => Pace { delay: config.ledger_after, spacing: config.ledger_every },
        };
        self.ledger.want(print_ledger(&ledger), pace, now);
        self.wanted_ledger = ledger;
        if !self.ledger.is_written() {
            self.echo = Echo::default();
        } else if self.echo.look(
            &member.ledger.clone().unwrap_or_default(),
            &self.wanted_ledger,
            now,
        ) {
            self.ledger.overwritten(now);
        }
    }

    /// The write that makes it so; `None` if it is so.
    pub(super) fn line_call(&mut self) -> Option<Call> {
        let wish = self.wish();
        let words = match self.say {
            Say::Nothing => None,
            Say::Waits(class) => Some((class.reason(), class.message())),
            Say::Scheduled => Some(("", "")),
        };
        let words = words.filter(|_| self.told.reason != wish.reason);
        let condition = words.map(|(reason, message)| PodCondition {
            kind: "PodScheduled",
            is_true: self.say == Say::Scheduled,
            reason: reason.to_owned(),
            message: message.to_owned(),
            since: self.since,
        });
        let nominated = self.nominated.clone().filter(|_| self.told.nominated != wish.nominated);
        let reason = wish.reason.filter(|_| condition.is_some());
        self.sent = Line { reason, nominated: nominated.clone() };
        let is_new = condition.is_some() || nominated.is_some();
        is_new.then(|| Call::PodStatus { pod: self.pod.clone(), condition, nominated })
    }

    pub(super) fn ledger_call(&self) -> Call {
        let ledger = Box::new(self.wanted_ledger.clone());
        Call::PodLedger { pod: self.pod.clone(), ledger }
    }

    /// A write of the line ended.
    pub(super) fn landed(&mut self, means: &Meaning) {
        match means {
            Meaning::Done => {
                let sent = self.sent.clone();
                self.told.reason = sent.reason.or(self.told.reason.take());
                self.told.nominated = sent.nominated.or(self.told.nominated.take());
            }
            Meaning::Unknown(_) => self.doubt(),
            Meaning::Refused(..) | Meaning::Again { .. } => {}
        }
    }
}

/// True if something stands on the pod, or is to: if not, it need not be looked at.
pub(super) fn has_news(
    member: &MemberFacts,
    gang: &Gang,
    carried: Option<&GangFacts>,
    config: &TellConfig,
    now: Time,
) -> bool {
    let has_line = match (&member.node, &member.assumed) {
        (Some(_), _) => false,
        (None, Some(_)) => gang.is_late(config, now),
        (None, None) => gang.settled.is_some() || member.reserved.is_some(),
    };
    let stands = member.told.is_some() || member.ledger.is_some();
    stands || has_line || carried.is_some_and(is_worth_writing)
}

/// Positions of the members that are to carry the ledger: those that do already, then the first
/// in rank order. None where a group object carries it.
pub(super) fn carriers(facts: &GangFacts, pods: &BTreeMap<String, Pod>) -> Vec<usize> {
    if facts.has_object {
        return Vec::new();
    }
    let carries = |member: &MemberFacts| match pods.get(&member.pod.uid) {
        Some(pod) => pod.carries(),
        None => member.ledger.as_ref().is_some_and(|ledger| !ledger.is_empty()),
    };
    let is_there = |member: &MemberFacts| {
        !member.is_lost && pods.get(&member.pod.uid).is_none_or(|pod| !pod.is_gone)
    };
    let there = || facts.members.iter().enumerate().filter(|(_, member)| is_there(member));
    let old = there().filter(|(_, member)| carries(member)).map(|(index, _)| index);
    let new = there().filter(|(_, member)| !carries(member)).map(|(index, _)| index);
    old.chain(new).take(CARRIERS).collect()
}

/// A gang that runs and needs one member alone is known by that member.
fn is_worth_writing(facts: &GangFacts) -> bool {
    let runs = matches!(facts.phase, Phase::Running | Phase::Done);
    !(runs && facts.min <= 1)
}

fn print_ledger(ledger: &Ledger) -> u64 {
    seed_of(&format!("{ledger:?}"))
}
