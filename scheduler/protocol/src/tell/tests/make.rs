//! Facts of a gang in few words, and what was sent in fewer.

use crate::call::{Call, GroupRef, PodRef};
use crate::facts::{GangFacts, MemberFacts};
use crate::status::{Counts, EventReason, GroupStatus, Phase};
use scheduler_model::amount::Amount;
use scheduler_model::explain::{Cure, Explanation, WaitReason};
use scheduler_model::queue::Ceiling;
use scheduler_model::spec::{Dialect, GangKey, Ledger};
use scheduler_model::time::Time;

pub(super) struct Make(GangFacts);

impl Make {
    /// A group that needs all of its members, none of them placed.
    pub(super) fn group(count: u32) -> Self {
        let key = GangKey {
            namespace: "ns".to_owned(),
            name: "train".to_owned(),
            dialect: Dialect::Muster,
        };
        let member = |index: u32| MemberFacts {
            pod: PodRef {
                namespace: "ns".to_owned(),
                name: format!("p{index}"),
                uid: format!("u{index}"),
            },
            node: None,
            assumed: None,
            reserved: None,
            has_controller: true,
            is_lost: false,
            is_gated: false,
            is_marked: false,
            told: None,
            ledger: None,
        };
        Self(GangFacts {
            group: GroupRef { key, uid: "g".to_owned() },
            has_object: true,
            generation: 1,
            queue: "default".to_owned(),
            phase: Phase::Admitted,
            min: count,
            counts: Counts { exist: count, ..Counts::default() },
            has_started: false,
            explanation: None,
            ledger: Ledger { run: Some(Time::ZERO), age: Some(Time::ZERO), ..Ledger::default() },
            has_lost_room: false,
            members: (0..count).map(member).collect(),
        })
    }

    /// The same without a group object.
    pub(super) fn plain(count: u32) -> Self {
        let mut make = Self::group(count).dialect(Dialect::Plain);
        make.0.has_object = false;
        make
    }

    pub(super) fn dialect(mut self, dialect: Dialect) -> Self {
        self.0.group.key.dialect = dialect;
        self
    }

    pub(super) fn min(mut self, min: u32) -> Self {
        self.0.min = min;
        self
    }

    pub(super) fn phase(mut self, phase: Phase) -> Self {
        self.0.phase = phase;
        self
    }

    pub(super) fn waits(mut self, reason: WaitReason) -> Self {
        self.0.explanation = Some(Explanation {
            gang: self.0.group.key.clone(),
            reason,
            placeable: 0,
            needed: self.0.min,
            sets: Vec::new(),
            nearest: None,
            cure: Cure::Nodes,
            next_step: "wait".to_owned(),
        });
        self
    }

    pub(super) fn placeable(mut self, count: u32) -> Self {
        self.0.explanation.as_mut().expect("it waits").placeable = count;
        self
    }

    /// Every member was given a node just now.
    pub(super) fn assumed(mut self) -> Self {
        for (index, member) in self.0.members.iter_mut().enumerate() {
            member.assumed = Some(format!("n{index}"));
        }
        self
    }

    /// The first so many are bound.
    pub(super) fn bound(mut self, count: u32) -> Self {
        let bound = usize::try_from(count).expect("small");
        for (index, member) in self.0.members.iter_mut().enumerate().take(bound) {
            (member.node, member.assumed) = (Some(format!("n{index}")), None);
        }
        self.0.counts.placed = count;
        if count >= self.0.min {
            (self.0.phase, self.0.has_started) = (Phase::Running, true);
            self.0.ledger.has_started = true;
        }
        self
    }

    pub(super) fn running_count(mut self, count: u32) -> Self {
        self.0.counts.running = count;
        self
    }

    /// All are bound and run.
    pub(super) fn running(self) -> Self {
        let count = self.0.counts.exist;
        self.bound(count).running_count(count)
    }

    pub(super) fn facts(self) -> GangFacts {
        self.0
    }
}

pub(super) fn limit() -> WaitReason {
    let (used, wants, limit) = (Amount::default(), Amount::default(), Amount::default());
    let (queue, resource) = ("q".to_owned(), "cpu".to_owned());
    let ceiling = Ceiling::Limit;
    WaitReason::Limit { ceiling, queue, flavour: None, resource, used, wants, limit }
}

/// Reasons of the conditions that were written, in order.
pub(super) fn conditions(calls: &[Call]) -> Vec<String> {
    let reason = |call: &Call| match call {
        Call::PodStatus { condition, .. } => condition.as_ref().map(|it| it.reason.clone()),
        _ => None,
    };
    calls.iter().filter_map(reason).collect()
}

pub(super) fn statuses(calls: &[Call]) -> Vec<GroupStatus> {
    let status = |call: &Call| match call {
        Call::GroupStatus { status, .. } => Some((**status).clone()),
        _ => None,
    };
    calls.iter().filter_map(status).collect()
}

pub(super) fn events(calls: &[Call]) -> Vec<EventReason> {
    let reason = |call: &Call| match call {
        Call::Event(note) => Some(note.reason),
        _ => None,
    };
    calls.iter().filter_map(reason).collect()
}

/// Pods whose ledger was written, and whether there is something in it.
pub(super) fn ledgers(calls: &[Call]) -> Vec<(String, bool)> {
    let ledger = |call: &Call| match call {
        Call::PodLedger { pod, ledger } => Some((pod.name.clone(), !ledger.is_empty())),
        _ => None,
    };
    calls.iter().filter_map(ledger).collect()
}

pub(super) fn own((name, is_full): (&str, bool)) -> (String, bool) {
    (name.to_owned(), is_full)
}

/// How many writes of pods there are.
pub(super) fn waits(calls: &[Call]) -> usize {
    calls.iter().filter(|call| matches!(call, Call::PodStatus { .. })).count()
}

/// How many writes there are, events left out.
pub(super) fn asks(calls: &[Call]) -> usize {
    calls.iter().filter(|call| !matches!(call, Call::Event(_))).count()
}
