//! Repair against a played API server: chosen courses of events, and random ones.

mod courses;
mod random;
mod stage;

use scheduler_model::spec::{Dialect, GangKey, Ledger};
use scheduler_model::time::Time;
use scheduler_protocol::answer::{Answer, Reply};
use scheduler_protocol::call::{GroupRef, PodRef};
use scheduler_protocol::facts::{GangFacts, MemberFacts};
use scheduler_protocol::status::{Counts, Phase};

fn gang() -> GangKey {
    GangKey { namespace: "d".to_owned(), name: "g".to_owned(), dialect: Dialect::Muster }
}

/// A member in place, made by a controller.
fn placed(name: &str) -> MemberFacts {
    MemberFacts { node: Some("n".to_owned()), ..pending(name) }
}

/// A member that waits.
fn pending(name: &str) -> MemberFacts {
    let pod =
        PodRef { namespace: "d".to_owned(), name: name.to_owned(), uid: format!("uid-{name}") };
    MemberFacts {
        pod,
        node: None,
        assumed: None,
        reserved: None,
        has_controller: true,
        is_lost: false,
        is_gated: false,
        is_marked: false,
        told: None,
        ledger: None,
    }
}

/// A member in place that nobody would make again.
fn bare(name: &str) -> MemberFacts {
    MemberFacts { has_controller: false, ..placed(name) }
}

/// A gang of these members in this phase, broken since the start of time.
fn facts(phase: Phase, members: Vec<MemberFacts>) -> GangFacts {
    let broken_since = (phase == Phase::Broken).then_some(Time::ZERO);
    GangFacts {
        group: GroupRef { key: gang(), uid: "uid-g".to_owned() },
        has_object: true,
        generation: 1,
        queue: "q".to_owned(),
        phase,
        min: 3,
        counts: Counts::default(),
        has_started: true,
        explanation: None,
        ledger: Ledger { broken_since, ..Ledger::default() },
        has_lost_room: false,
        members,
    }
}

fn code(code: u16) -> Answer {
    Answer::Reply(Reply::code(code))
}

fn lost() -> Answer {
    Answer::Lost("timed out".to_owned())
}
