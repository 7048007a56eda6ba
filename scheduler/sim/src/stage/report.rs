//! What a run told, as plain values: the timeline, the state at its end, what went wrong.

use scheduler_core::report::{Eviction, Step};
use scheduler_core::view::GangView;
use scheduler_model::explain::Explanation;
use scheduler_model::problem::Problem;
use scheduler_model::spec::{GangKey, Resources};
use scheduler_model::time::Time;
use std::collections::BTreeMap;
use std::fmt;

/// Something that happened to a gang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// Its first members got places.
    Started {
        /// Which gang.
        gang: GangKey,
        /// Who went where.
        steps: Vec<Step>,
    },
    /// It was running, and more members got places.
    Grew {
        /// Which gang.
        gang: GangKey,
        /// Who went where.
        steps: Vec<Step>,
    },
    /// It waits, for a reason that is new.
    Waits(Box<Explanation>),
    /// Others are evicted for it.
    Evicts(Eviction),
    /// It ran, and has no unfinished member any more.
    Ended {
        /// Which gang.
        gang: GangKey,
    },
}

impl Happening {
    /// The gang it is about.
    #[must_use]
    pub fn gang(&self) -> &GangKey {
        match self {
            Self::Started { gang, .. } | Self::Grew { gang, .. } | Self::Ended { gang } => gang,
            Self::Waits(explanation) => &explanation.gang,
            Self::Evicts(eviction) => &eviction.gang,
        }
    }
}

/// A run so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReport {
    /// When virtual time began.
    pub started_at: Time,
    /// What the clock says now.
    pub ended_at: Time,
    /// All that happened, in order.
    pub timeline: Vec<(Time, Happening)>,
    /// All gangs that the engine knows now, in order of key.
    pub gangs: Vec<GangView>,
    /// What is wrong with objects.
    pub problems: Vec<Problem>,
    /// What each queue and all below it use now, over all flavours.
    pub queues: BTreeMap<String, Resources>,
    /// Cycles that ran.
    pub cycles: u64,
    /// What the checker and the audits found, each with its time; empty without checks.
    pub violations: Vec<String>,
}

/// The engine broke a promise to the stage: time cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// When.
    pub at: Time,
    /// What it did.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "fault of the engine {} into virtual time: {} (please report it with a dump)",
            self.at.since(Time::ZERO),
            self.message
        )
    }
}

impl std::error::Error for Fault {}
