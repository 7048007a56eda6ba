//! Calls as small as they can be.

use scheduler_kube::send::{Encoder, Served};
use scheduler_model::explain::{Cure, Explanation, NodeReason, SetTally, WaitReason};
use scheduler_model::spec::{Dialect, GangKey, Ledger};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::call::{Call, CallId, GroupRef, LeaseRecord, LeaseRef, PodRef, Send};
use scheduler_protocol::status::{Counts, GroupStatus, Phase};

/// 2026-11-30T06:00:00.250Z.
pub(crate) const NOW: Time = Time::from_ms(1_796_018_400_250);

pub(crate) fn encoder() -> Encoder {
    Encoder { instance: "muster-7d9f-x2x".to_owned(), served: Served::default() }
}

pub(crate) fn pod() -> PodRef {
    PodRef { namespace: "a".to_owned(), name: "train-0".to_owned(), uid: "u-1".to_owned() }
}

pub(crate) fn bind() -> Call {
    let annotations = [("muster.sh/rank".to_owned(), "0".to_owned())].into();
    Call::Bind { pod: pod(), node: "n1".to_owned(), annotations }
}

pub(crate) fn send(call: Call, not_after: Time) -> Send {
    Send { id: CallId(7), call, timeout: Span::from_ms(2_000), not_after }
}

pub(crate) fn lease() -> LeaseRef {
    LeaseRef { namespace: "muster".to_owned(), name: "muster".to_owned() }
}

pub(crate) fn record() -> LeaseRecord {
    LeaseRecord {
        holder: "me".to_owned(),
        duration: Span::from_ms(14_500),
        acquired_at: NOW,
        renewed_at: NOW.after(Span::from_ms(1)),
        transitions: 3,
        version: "42".to_owned(),
    }
}

pub(crate) fn group(dialect: Dialect) -> GroupRef {
    let key = GangKey { namespace: "a".to_owned(), name: "train".to_owned(), dialect };
    GroupRef { key, uid: "u-2".to_owned() }
}

pub(crate) fn waiting() -> GroupStatus {
    GroupStatus {
        phase: Phase::Admitted,
        since: NOW,
        min: 4,
        counts: Counts { exist: 4, ..Counts::default() },
        has_started: false,
        explanation: Some(explanation()),
        ledger: Ledger { run: Some(NOW), age: Some(NOW), ..Ledger::default() },
        generation: 2,
    }
}

pub(crate) fn running() -> GroupStatus {
    GroupStatus {
        phase: Phase::Running,
        counts: Counts { exist: 4, placed: 4, running: 4, ..Counts::default() },
        has_started: true,
        explanation: None,
        ..waiting()
    }
}

pub(crate) fn explanation() -> Explanation {
    Explanation {
        gang: group(Dialect::Muster).key,
        reason: WaitReason::Room,
        placeable: 3,
        needed: 4,
        sets: vec![set("", 1)],
        nearest: None,
        cure: Cure::Nodes,
        next_step: "add a node".to_owned(),
    }
}

pub(crate) fn set(role: &str, reasons: usize) -> SetTally {
    let reason = |index| (NodeReason::Insufficient(format!("r{index}")), 1);
    SetTally {
        role: role.to_owned(),
        requests: Vec::new(),
        wanted: 4,
        placed: 3,
        nodes: (0..reasons).map(reason).collect(),
    }
}
