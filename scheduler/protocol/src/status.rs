//! What people are told, in our own words; `scheduler/kube` writes it in those of each dialect.

use scheduler_model::amount::Amount;
use scheduler_model::explain::Explanation;
use scheduler_model::spec::{GangKey, Ledger};
use scheduler_model::time::Time;
use std::collections::BTreeMap;

/// Where a gang stands, for its status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The group has no pods yet, and its queue does not take it (yet).
    #[default]
    Pending,
    /// Its queue takes it: whoever makes its pods may do so (Volcano `Inqueue`).
    Admitted,
    /// Its minimum has places.
    Running,
    /// Members have places, but fewer than the minimum.
    Broken,
    /// No unfinished member is left.
    Done,
}

/// Members by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Unfinished members.
    pub exist: u32,
    /// Members bound to a node and not finished.
    pub placed: u32,
    /// Members that run.
    pub running: u32,
    /// Members that succeeded in this run.
    pub succeeded: u32,
    /// Members that failed in this run.
    pub failed: u32,
}

/// Everything a group's status says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupStatus {
    /// Where it stands.
    pub phase: Phase,
    /// Since when.
    pub since: Time,
    /// Least number of members.
    pub min: u32,
    /// Members.
    pub counts: Counts,
    /// It once had its minimum in place; never goes back.
    pub has_started: bool,
    /// Why it, or the rest of it, waits.
    pub explanation: Option<Explanation>,
    /// What must survive a restart.
    pub ledger: Ledger,
    /// Generation of the group object that was judged; 0 where unknown.
    pub generation: i64,
}

/// Everything a queue's status says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueStatus {
    /// What is wrong with it: a word in CamelCase, and a sentence.
    pub trouble: Option<(String, String)>,
    /// It is used as its object says all the same.
    pub is_notice: bool,
    /// Since when that, or that there is nothing.
    pub since: Time,
    /// What its gangs and all below it use, by resource.
    pub used: BTreeMap<String, Amount>,
    /// What it may call its own if it wants that much.
    pub entitled: BTreeMap<String, Amount>,
    /// Its share of what there is now.
    pub fair: BTreeMap<String, Amount>,
    /// Gangs of its own that lack their minimum.
    pub waiting: u32,
    /// Groups of its own by phase, where its kind counts them.
    pub groups: Option<GroupsByPhase>,
    /// Nobody has written a status yet, as far as is known.
    pub is_first: bool,
}

/// How many groups are in which phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupsByPhase {
    /// In [`Phase::Pending`].
    pub pending: u32,
    /// In [`Phase::Admitted`].
    pub admitted: u32,
    /// In [`Phase::Running`].
    pub running: u32,
    /// In [`Phase::Broken`].
    pub broken: u32,
    /// In [`Phase::Done`].
    pub done: u32,
}

impl GroupsByPhase {
    /// Counts one more.
    pub const fn add(&mut self, phase: Phase) {
        let count = match phase {
            Phase::Pending => &mut self.pending,
            Phase::Admitted => &mut self.admitted,
            Phase::Running => &mut self.running,
            Phase::Broken => &mut self.broken,
            Phase::Done => &mut self.done,
        };
        *count = count.saturating_add(1);
    }
}

/// An event for people, about one object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventNote {
    /// What it is about.
    pub about: About,
    /// One word in CamelCase.
    pub reason: EventReason,
    /// A sentence, at most 1,000 bytes.
    pub note: String,
    /// When it happened.
    pub at: Time,
}

/// The object an event is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum About {
    /// A group object.
    Group(GangKey, String),
    /// A pod: namespace, name, uid.
    Pod(String, String, String),
}

/// The reasons of our events, as a closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventReason {
    /// The gang has its places.
    Scheduled,
    /// It waits, and why.
    Waiting,
    /// It lost members and has its minimum again.
    Repaired,
    /// It was released to start again.
    Released,
    /// It lost members and keeps the others' places.
    Broken,
    /// A pod could not be bound.
    BindRefused,
    /// Others have to go for it.
    Evicting,
    /// It has to go for another gang.
    Preempted,
}

impl EventReason {
    /// The word in the API.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Scheduled => "Scheduled",
            Self::Waiting => "Waiting",
            Self::Repaired => "Repaired",
            Self::Released => "Released",
            Self::Broken => "Broken",
            Self::BindRefused => "BindRefused",
            Self::Evicting => "Evicting",
            Self::Preempted => "Preempted",
        }
    }

    /// True for what a person should look at.
    #[must_use]
    pub const fn is_warning(self) -> bool {
        matches!(
            self,
            Self::Waiting | Self::Released | Self::Broken | Self::BindRefused | Self::Preempted
        )
    }
}
