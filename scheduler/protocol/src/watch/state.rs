//! The stages of a watch, and how it looks from outside.

use super::Fault;
use scheduler_model::time::{Span, Time};

/// What to do once a pause is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Errand {
    /// Everything, afresh.
    List,
    /// Everything, afresh, as a stream: it does not fit into a page.
    Stream,
    /// The page after the one that ended with this token.
    Page { token: String },
    /// Changes after this version.
    Watch { version: String },
}

/// Where a watch stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing is open.
    Paused { until: Time, then: Errand },
    /// A page was asked for, or is coming.
    Paging { is_first: bool, ends_by: Time },
    /// A streaming list was asked for, or is coming.
    Streaming { ends_by: Time, timeout: Span, has_begun: bool },
    /// Changes after `version` come, or were asked for at `since`.
    Watching { version: String, ends_by: Time, timeout: Span, since: Time },
}

impl Stage {
    /// When what is open is given up.
    pub(super) fn deadline(&self) -> Option<Time> {
        match self {
            Self::Paused { .. } => None,
            Self::Paging { ends_by, .. }
            | Self::Streaming { ends_by, .. }
            | Self::Watching { ends_by, .. } => Some(*ends_by),
        }
    }
}

/// How a watch looks from outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// It was listed whole at least once.
    pub is_synced: bool,
    /// When the server said anything.
    pub last_heard: Option<Time>,
    /// What went wrong last, until it goes well again.
    pub trouble: Option<Trouble>,
}

impl Health {
    /// The server does not let it, or does not have it.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        matches!(self.trouble, Some(Trouble::Forbidden(_) | Trouble::Missing(_)))
    }
}

/// What is wrong with a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The server does not allow it.
    Forbidden(String),
    /// The server does not have it.
    Missing(String),
    /// Anything else; it is tried again.
    Failing(String),
}

impl Trouble {
    pub(super) fn of(fault: Fault) -> Self {
        let Fault { code, ref message, .. } = fault;
        let said = match (code, message.as_str()) {
            (0, message) => message.to_owned(),
            (code, "") => format!("status {code}"),
            (code, message) => format!("status {code}: {message}"),
        };
        if fault.is_forbidden() {
            Self::Forbidden(said)
        } else if fault.is_missing() {
            Self::Missing(said)
        } else {
            Self::Failing(said)
        }
    }

    /// In words for people.
    #[must_use]
    pub fn words(&self) -> &str {
        match self {
            Self::Forbidden(said) | Self::Missing(said) | Self::Failing(said) => said,
        }
    }
}
