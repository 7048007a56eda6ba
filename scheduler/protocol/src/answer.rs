//! What can come back from the API server, before anybody said what it means.

use crate::call::LeaseRecord;
use scheduler_model::time::Span;

/// How a call ended, as far as this side can see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The server answered.
    Reply(Reply),
    /// It was sent, wholly or in part, and no answer came: a time-out, a broken connection. It
    /// may have happened, or may still happen.
    Lost(String),
    /// Nothing of it was sent: it came too late to be allowed, or there was no connection.
    Unsent(String),
}

/// The server's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// HTTP status code.
    pub code: u16,
    /// `reason` of a `Status` object (`AlreadyExists`, `NotFound`); empty without one.
    pub reason: String,
    /// `message` of a `Status` object, cut to a readable length.
    pub message: String,
    /// `Retry-After`, if given.
    pub retry_after: Option<Span>,
    /// What was asked for, where the call reads something.
    pub body: Body,
}

/// The part of an answer that some machine needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Body {
    /// Nothing of interest.
    #[default]
    None,
    /// A pod.
    Pod(PodFacts),
    /// A lease.
    Lease(LeaseRecord),
    /// It could not be read; why.
    Unreadable(String),
}

/// What the binder needs to know of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodFacts {
    /// Uid.
    pub uid: String,
    /// Node it is bound to; empty for none.
    pub node: String,
    /// Deletion has begun.
    pub is_terminating: bool,
    /// It succeeded or failed.
    pub is_finished: bool,
    /// Scheduling gates are closed.
    pub is_gated: bool,
}

impl Reply {
    /// An answer without words.
    #[must_use]
    pub const fn code(code: u16) -> Self {
        Self {
            code,
            reason: String::new(),
            message: String::new(),
            retry_after: None,
            body: Body::None,
        }
    }
}
