//! Why a list or a watch failed, and what kind of failure that is.

use scheduler_model::time::Span;

/// A failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// HTTP status code, or that of a `Status` object; 0 if there was no answer.
    pub code: u16,
    /// `reason` of a `Status` object; empty without one.
    pub reason: String,
    /// For people.
    pub message: String,
    /// How long the server wants to be left alone.
    pub retry_after: Option<Span>,
    /// What came could not be understood.
    pub is_garbage: bool,
}

impl Fault {
    /// There was no answer, or it broke off.
    #[must_use]
    pub fn lost(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// What came could not be understood.
    #[must_use]
    pub fn garbage(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_garbage: true, ..Self::default() }
    }

    /// An answer with this status code.
    #[must_use]
    pub fn code(code: u16, reason: &str, message: &str) -> Self {
        Self { code, reason: reason.to_owned(), message: message.to_owned(), ..Self::default() }
    }

    pub(super) fn silent() -> Self {
        Self::lost("the server says nothing")
    }

    pub(super) fn cut_short() -> Self {
        Self::lost("the list broke off")
    }

    /// The version is too old, or newer than what the server knows: only a list helps.
    pub(super) fn is_expired(&self) -> bool {
        self.code == 410
            || self.reason == "Expired"
            || self.reason == "Gone"
            || self.message.contains("Too large resource version")
    }

    /// The server does not know what it was asked for: it is older than streaming lists.
    pub(super) fn is_invalid(&self) -> bool {
        matches!(self.code, 400 | 422)
    }

    /// Trying again soon will not help: no right, or no such kind.
    pub(super) fn is_refusal(&self) -> bool {
        self.is_forbidden() || self.is_missing()
    }

    pub(super) fn is_forbidden(&self) -> bool {
        self.code == 403
    }

    pub(super) fn is_missing(&self) -> bool {
        matches!(self.code, 404 | 405)
    }
}
