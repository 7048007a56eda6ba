//! What comes into the driver and what goes out, as plain data.

use scheduler_model::event::Event;
use scheduler_model::spec::GangKey;
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::Answer;
use scheduler_protocol::call::{CallId, Send};

/// Something that happened outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// A watch told.
    Event(Event),
    /// A call ended.
    Answer(CallId, Answer),
    /// Whether every kind that decisions need is fully known. Nothing is decided before.
    Ready(bool),
    /// Stop in good order: decide nothing new, let what flies land, hand the lease over.
    Stop,
}

/// What one turn of the driver asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// Calls to put on the wire now.
    pub sends: Vec<Send>,
    /// What happened, for metrics and logs.
    pub notices: Vec<Notice>,
    /// The process should end, and how.
    pub end: Option<End>,
}

/// Why a process ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It was asked to, and everything is in order.
    Stopped,
    /// The lease went to somebody else: start anew.
    LeaseLost(String),
}

/// Who may write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leadership {
    /// No lease is used; this process is the only one.
    Alone,
    /// This process leads.
    Leading,
    /// Another one leads, by name; empty while nobody is known to.
    Following(String),
}

impl Leadership {
    /// True if this process may decide.
    #[must_use]
    pub const fn leads(&self) -> bool {
        matches!(self, Self::Alone | Self::Leading)
    }
}

/// Something worth counting or logging. Every notice is told once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A cycle of the engine ran.
    Cycle {
        /// Steps spent.
        steps: u64,
        /// Gangs given a plan.
        plans: u32,
        /// Gangs given a new reason to wait.
        waits: u32,
    },
    /// A gang was given a plan.
    Planned {
        /// Which.
        gang: GangKey,
        /// Its queue.
        queue: String,
        /// Members placed.
        members: u32,
        /// False for members above a minimum that runs.
        is_minimum: bool,
    },
    /// A gang waits for a new reason.
    Waits {
        /// Which.
        gang: GangKey,
        /// Its queue.
        queue: String,
        /// One word, see [`scheduler_model::explain::WaitReason::word`].
        reason: &'static str,
        /// The sentence for people.
        sentence: String,
    },
    /// One bind ended: `done`, `refused` or `unknown`.
    Bind {
        /// Which gang.
        gang: GangKey,
        /// How.
        result: &'static str,
        /// Why, where it was refused.
        why: String,
    },
    /// A gang has its minimum bound.
    Started(Started),
    /// A plan was taken back before anything of it left, and why.
    Withdrawn(GangKey, String),
    /// A kubelet turned a member away, with its reason.
    Rejected(GangKey, String),
    /// A gang lost members and has fewer than its minimum.
    Broken(GangKey),
    /// It has its minimum again.
    Repaired(GangKey),
    /// It was released to start again.
    Released {
        /// Which.
        gang: GangKey,
        /// How often so far.
        times: u32,
        /// Members that are deleted.
        pods: u32,
    },
    /// Pods of a gang are being deleted to make room for another.
    Evicted {
        /// Whose.
        gang: GangKey,
        /// Its queue.
        queue: String,
        /// How many.
        pods: u32,
        /// For whom.
        gainer: GangKey,
        /// Its queue.
        gainer_queue: String,
    },
    /// Another scheduler writes over the status of a group that is muster's.
    Contested {
        /// Which.
        gang: GangKey,
        /// No group of its kind was seen like that before.
        is_first: bool,
    },
    /// Leadership changed.
    Led(Leadership),
    /// An exchange failed for good, in words.
    Trouble(String),
}

/// How long a gang waited for what, until its minimum was bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// Which.
    pub gang: GangKey,
    /// Its queue.
    pub queue: String,
    /// From its first member to the last bind of its minimum.
    pub wait: Span,
    /// Of that: until its minimum of members existed.
    pub members: Span,
    /// Of that: kept back by its queue.
    pub quota: Span,
    /// Of that: until it had a plan, otherwise.
    pub placement: Span,
    /// Of that: from plan to last bind.
    pub bind: Span,
    /// From the first to the last bind.
    pub skew: Span,
    /// When the last bind was answered.
    pub at: Time,
}
