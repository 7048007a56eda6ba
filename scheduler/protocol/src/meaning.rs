//! What an answer means: one table, read by every machine and by nobody else.
//!
//! An answer is first sorted ([`Sort`]), then looked up under the kind of call ([`CallKind`]).
//! [`table`] prints the result for people; `docs/PROTOCOL.md` shows it, and a test compares.
//!
//! Invariants: every answer means something; [`Meaning::Again`] is said only of what was not
//! carried out or changes nothing, so whatever may have happened is [`Meaning::Unknown`].

use crate::answer::{Answer, Reply};
use crate::call::Call;
use scheduler_model::time::Span;

/// What an answer means to whoever asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// It is as was asked for.
    Done,
    /// It is not, and asking again does not help.
    Refused(Refusal, String),
    /// It may or may not have happened, or may still happen; in the words of the answer.
    Unknown(String),
    /// It was not carried out, or only read: the same call may be sent again.
    Again {
        /// What the server wants to be waited for, if it said so.
        after: Option<Span>,
        /// The words of the answer.
        words: String,
    },
}

/// Why something cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// There is no such object (any more).
    Gone,
    /// The object is not the one that was meant, or not in the version that was meant.
    Changed,
    /// A right is missing, or an admission rule of the cluster says no.
    Forbidden,
    /// The server does not take the request as it is.
    Rejected,
}

/// Calls by what an answer to them means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallKind {
    /// [`Call::Bind`].
    Bind,
    /// [`Call::ReadPod`] and [`Call::ReadLease`].
    Read,
    /// [`Call::DeletePod`].
    Delete,
    /// Writes into an object that exists: status, ledger, what is done about volumes.
    Write,
    /// [`Call::Event`].
    Event,
    /// [`Call::CreateLease`] and [`Call::ReplaceLease`].
    Lease,
}

impl CallKind {
    /// All of them, as columns of the table.
    pub const ALL: [Self; 6] =
        [Self::Bind, Self::Read, Self::Delete, Self::Write, Self::Event, Self::Lease];

    /// The kind of a call.
    #[must_use]
    pub const fn of(call: &Call) -> Self {
        match call {
            Call::Bind { .. } => Self::Bind,
            Call::ReadPod(_) | Call::ReadLease(_) => Self::Read,
            Call::DeletePod(_) => Self::Delete,
            Call::PodStatus { .. }
            | Call::PodLedger { .. }
            | Call::GroupStatus { .. }
            | Call::QueueStatus { .. }
            | Call::SelectNode { .. }
            | Call::DeselectNode { .. }
            | Call::TakeVolume { .. } => Self::Write,
            Call::Event(_) => Self::Event,
            Call::CreateLease(..) | Call::ReplaceLease(..) => Self::Lease,
        }
    }

    /// The word for people.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Bind => "bind",
            Self::Read => "read",
            Self::Delete => "delete",
            Self::Write => "status, ledger, volume",
            Self::Event => "event",
            Self::Lease => "lease",
        }
    }
}

/// Answers by what can be seen of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// 2xx.
    Success,
    /// 401.
    Unauthorized,
    /// 403.
    Forbidden,
    /// 404 and 410.
    NotFound,
    /// 409.
    Conflict,
    /// 429.
    TooMany,
    /// 503 that says when to come back.
    Closing,
    /// 400, 405, 422 and all other 4xx.
    BadRequest,
    /// 500, 502, 504, 503 without `Retry-After`, and whatever no other row names.
    Fault,
    /// Sent, and no answer.
    Lost,
    /// Not sent.
    Unsent,
}

impl Sort {
    /// All of them, as rows of the table.
    pub const ALL: [Self; 11] = [
        Self::Success,
        Self::BadRequest,
        Self::Unauthorized,
        Self::Forbidden,
        Self::NotFound,
        Self::Conflict,
        Self::TooMany,
        Self::Closing,
        Self::Fault,
        Self::Lost,
        Self::Unsent,
    ];

    /// The row of an answer.
    #[must_use]
    pub const fn of(answer: &Answer) -> Self {
        match answer {
            Answer::Lost(_) => Self::Lost,
            Answer::Unsent(_) => Self::Unsent,
            Answer::Reply(reply) => match reply.code {
                200..=299 => Self::Success,
                401 => Self::Unauthorized,
                403 => Self::Forbidden,
                404 | 410 => Self::NotFound,
                409 => Self::Conflict,
                429 => Self::TooMany,
                503 if reply.retry_after.is_some() => Self::Closing,
                400..=499 => Self::BadRequest,
                _ => Self::Fault,
            },
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Success => "2xx",
            Self::BadRequest => "400, 405, 422, other 4xx",
            Self::Unauthorized => "401",
            Self::Forbidden => "403",
            Self::NotFound => "404, 410",
            Self::Conflict => "409",
            Self::TooMany => "429",
            Self::Closing => "503 with `Retry-After`",
            Self::Fault => "500, 502, 503, 504, anything else",
            Self::Lost => "time-out, broken connection",
            Self::Unsent => "not sent",
        }
    }
}

/// One field of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sense {
    Done,
    Refused(Refusal),
    Unknown,
    Again,
}

impl Sense {
    const fn title(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused(Refusal::Gone) => "refused: gone",
            Self::Refused(Refusal::Changed) => "refused: changed",
            Self::Refused(Refusal::Forbidden) => "refused: forbidden",
            Self::Refused(Refusal::Rejected) => "refused: rejected",
            Self::Unknown => "unknown",
            Self::Again => "again",
        }
    }
}

/// The table itself.
const fn sense(kind: CallKind, sort: Sort) -> Sense {
    match sort {
        Sort::Success => Sense::Done,
        Sort::BadRequest => Sense::Refused(Refusal::Rejected),
        // Turned away at the door: a token that ran out is renewed, a full house empties.
        Sort::Unauthorized | Sort::TooMany | Sort::Closing | Sort::Unsent => Sense::Again,
        Sort::Forbidden => Sense::Refused(Refusal::Forbidden),
        Sort::NotFound => match kind {
            // Somebody else, or our own lost request, was first.
            CallKind::Delete => Sense::Done,
            _ => Sense::Refused(Refusal::Gone),
        },
        Sort::Conflict => match kind {
            // Assigned already (by our own lost request, perhaps), on its way out, gated, or
            // of another uid: the code is the same, so the pod has to be looked at.
            CallKind::Bind => Sense::Unknown,
            // Of another uid: the pod that was meant is gone.
            CallKind::Delete => Sense::Done,
            // It stands there already.
            CallKind::Event => Sense::Done,
            CallKind::Read | CallKind::Write | CallKind::Lease => Sense::Refused(Refusal::Changed),
        },
        Sort::Fault | Sort::Lost => match kind {
            CallKind::Read => Sense::Again,
            _ => Sense::Unknown,
        },
    }
}

/// What `answer` to a call of this kind means.
#[must_use]
pub fn meaning(kind: CallKind, answer: &Answer) -> Meaning {
    match sense(kind, Sort::of(answer)) {
        Sense::Done => Meaning::Done,
        Sense::Refused(why) => Meaning::Refused(why, words(answer)),
        Sense::Unknown => Meaning::Unknown(words(answer)),
        Sense::Again => Meaning::Again { after: asked_pause(answer), words: words(answer) },
    }
}

/// How long the server asks to be left alone, if it does.
#[must_use]
pub const fn asked_pause(answer: &Answer) -> Option<Span> {
    match answer {
        Answer::Reply(reply) => reply.retry_after,
        Answer::Lost(_) | Answer::Unsent(_) => None,
    }
}

/// The table for people, in Markdown.
#[must_use]
pub fn table() -> String {
    let mut text = String::from("| answer |");
    for kind in CallKind::ALL {
        text.push_str(&format!(" {} |", kind.title()));
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(CallKind::ALL.len()));
    text.push('\n');
    for sort in Sort::ALL {
        text.push_str(&format!("| {} |", sort.title()));
        for kind in CallKind::ALL {
            text.push_str(&format!(" {} |", sense(kind, sort).title()));
        }
        text.push('\n');
    }
    text
}

/// The words of an answer, for people.
fn words(answer: &Answer) -> String {
    match answer {
        Answer::Lost(why) => format!("no answer: {why}"),
        Answer::Unsent(why) => format!("not sent: {why}"),
        Answer::Reply(Reply { code, reason, message, .. }) => {
            let text = if message.is_empty() { reason } else { message };
            if text.is_empty() {
                format!("the API server answered {code}")
            } else {
                format!("the API server answered {code}: {text}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(code: u16) -> Answer {
        Answer::Reply(Reply::code(code))
    }

    fn lost() -> Answer {
        Answer::Lost("timed out".to_owned())
    }

    #[test]
    fn the_page_for_people_shows_the_table_as_it_is() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/PROTOCOL.md");
        let page = include_str!("../../../docs/PROTOCOL.md");
        assert!(page.contains(&table()), "put this into {path}:\n{}", table());
    }

    #[test]
    fn every_code_means_something_to_every_kind() {
        for kind in CallKind::ALL {
            for number in 0..=u16::MAX {
                let means = meaning(kind, &code(number));
                assert_eq!(means == Meaning::Done && number > 299, {
                    let is_there = kind == CallKind::Event && number == 409;
                    is_there || (kind == CallKind::Delete && matches!(number, 404 | 409 | 410))
                });
            }
        }
    }

    #[test]
    fn a_write_that_may_have_happened_is_never_simply_sent_again() {
        for kind in CallKind::ALL.into_iter().filter(|kind| *kind != CallKind::Read) {
            for answer in [lost(), code(500), code(502), code(503), code(504)] {
                let means = meaning(kind, &answer);
                assert!(matches!(means, Meaning::Unknown(_)), "{kind:?} {answer:?} {means:?}");
            }
        }
    }

    #[test]
    fn a_full_or_closing_server_is_asked_again_when_it_says() {
        let pause = Some(Span::from_secs(7));
        for number in [429, 503] {
            let answer = Answer::Reply(Reply { retry_after: pause, ..Reply::code(number) });
            let means = meaning(CallKind::Bind, &answer);
            assert!(matches!(means, Meaning::Again { after, .. } if after == pause), "{means:?}");
        }
    }

    #[test]
    fn a_time_out_inside_the_server_is_unknown_though_it_names_a_pause() {
        let pause = Some(Span::from_secs(2));
        for number in [500, 504] {
            let answer = Answer::Reply(Reply { retry_after: pause, ..Reply::code(number) });
            assert!(matches!(meaning(CallKind::Bind, &answer), Meaning::Unknown(_)));
        }
    }

    #[test]
    fn a_conflict_on_a_bind_says_nothing_yet() {
        assert!(matches!(meaning(CallKind::Bind, &code(409)), Meaning::Unknown(_)));
    }

    #[test]
    fn words_name_code_and_message() {
        let message = "pods \"a\" not found".to_owned();
        let answer = Answer::Reply(Reply { message, ..Reply::code(404) });
        let Meaning::Refused(Refusal::Gone, words) = meaning(CallKind::Bind, &answer) else {
            panic!("it is gone");
        };
        assert_eq!(words, "the API server answered 404: pods \"a\" not found");
    }
}
