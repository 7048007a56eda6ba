//! What the machines need to know of a gang at one moment, as plain data: the driver fills it
//! in from the engine.

use crate::call::{GroupRef, PodRef};
use crate::status::{Counts, Phase};
use scheduler_model::explain::Explanation;
use scheduler_model::spec::{Ledger, Told};

/// One gang at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GangFacts {
    /// The gang, and the uid of its group object (made up where it has none).
    pub group: GroupRef,
    /// A group object stands in the API now; else status and ledger go onto pods.
    pub has_object: bool,
    /// Generation of that object; 0 where unknown.
    pub generation: i64,
    /// Its queue.
    pub queue: String,
    /// Where it stands.
    pub phase: Phase,
    /// Least number of members.
    pub min: u32,
    /// Members by what became of them.
    pub counts: Counts,
    /// It once had its minimum in place in this run.
    pub has_started: bool,
    /// Why it, or the rest of it, waits.
    pub explanation: Option<Explanation>,
    /// What must survive a restart, as of now.
    pub ledger: Ledger,
    /// Room was being made for it, as is written down, and is not any more.
    pub has_lost_room: bool,
    /// Unfinished members in rank order.
    pub members: Vec<MemberFacts>,
}

/// One unfinished member at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberFacts {
    /// The pod.
    pub pod: PodRef,
    /// Node it is bound to, as the API says.
    pub node: Option<String>,
    /// Node it was given, not yet seen bound.
    pub assumed: Option<String>,
    /// Node that is kept for it while others are evicted.
    pub reserved: Option<String>,
    /// A controller makes a new pod where this one goes.
    pub has_controller: bool,
    /// It lost its place: terminating, or its node is gone or silent.
    pub is_lost: bool,
    /// Scheduling gates are closed.
    pub is_gated: bool,
    /// It is marked as about to be deleted (condition `DisruptionTarget`).
    pub is_marked: bool,
    /// What the object itself says about its scheduling.
    pub told: Option<Told>,
    /// What was written down on it.
    pub ledger: Option<Ledger>,
}
