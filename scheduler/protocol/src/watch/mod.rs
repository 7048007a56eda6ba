//! One watch of one kind: what to ask for next, what an answer means, when to give up on a
//! connection that says nothing.
//!
//! The driver asks [`Watch::next`] what to do, does it, and reports what came back. Objects
//! never pass through here, only their order: [`Mark`] says what each line or page means to
//! whoever keeps them.
//!
//! Life: a first page; if there is more, a streaming list (or, where the server cannot, the other
//! pages); then a watch from the version it ended with, renewed every half minute or so; after an
//! expired version a list again. A streaming list is easier on the server than pages are, but it
//! ends with a bookmark that may wait for the server's timer, up to 1.25 s: nothing short should.
//!
//! Invariants: what was listed and is not named by the next whole list is gone, and only that
//! list says so. A version is resumed from only after everything before it was told. No answer
//! at all, and none that makes no sense, leads to a busy loop: every failed try is followed by a
//! pause that grows, with jitter. [`poll`] is for questions that are asked again and again.

mod fault;
pub mod poll;
mod state;

pub use fault::Fault;
pub use state::{Health, Trouble};

use crate::retry::Backoff;
use scheduler_model::time::{Span, Time};
use state::{Errand, Stage};

/// How long connections last, and how long a silent one is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Shortest time after which the server is asked to end a watch.
    pub watch_least: Span,
    /// Up to this much comes on top, different for each connection.
    pub watch_spread: Span,
    /// How long a watch may outlive the time the server was asked to end it.
    pub grace: Span,
    /// How long a list may say nothing, and how long any answer may take to begin.
    pub silence: Span,
    /// Pauses after tries that failed.
    pub backoff: Backoff,
    /// Pause while the server refuses for good: no right, no such kind.
    pub refused: Span,
    /// Objects per page.
    pub page: u32,
    /// Streaming lists are tried where a page is not enough.
    pub can_stream: bool,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            watch_least: Span::from_secs(30),
            watch_spread: Span::from_secs(25),
            grace: Span::from_secs(5),
            silence: Span::from_secs(15),
            backoff: Backoff {
                base: Span::from_ms(200),
                factor: 2,
                cap: Span::from_secs(15),
                jitter_percent: 50,
            },
            refused: Span::from_secs(20),
            page: 500,
            can_stream: true,
        }
    }
}

/// What to ask the server for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// A page of a list; an empty token begins it. No limit asks for the whole list at once.
    Page {
        /// Most objects wanted.
        limit: Option<u32>,
        /// Where the page before ended.
        token: String,
    },
    /// A watch that first sends everything there is, then says so.
    Stream {
        /// When the server is to end it.
        timeout: Span,
    },
    /// A watch of changes after a version.
    Watch {
        /// The version.
        version: String,
        /// When the server is to end it.
        timeout: Span,
    },
}

/// What the driver is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Send this; whatever was open before is to be closed.
    Send(Request),
    /// Go on reading what is open, at most until then; then call [`Watch::next`] again.
    Read(Time),
    /// Do nothing until then.
    Pause(Time),
}

/// What a line of a watch is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// An object was added or changed.
    Changed {
        /// Its version; `None` where it was not looked at.
        version: Option<String>,
    },
    /// An object is gone.
    Deleted {
        /// Its version; `None` where it was not looked at.
        version: Option<String>,
    },
    /// A version that has been reached.
    Bookmark {
        /// The version.
        version: String,
        /// Everything that there was at the start has been sent.
        ends_list: bool,
    },
    /// The server gives up.
    Failed(Fault),
}

/// What a line or page means to whoever keeps the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A fresh list begins: what it does not name is gone at its end.
    ListStart,
    /// The list is complete.
    ListEnd,
    /// Take the object of the line.
    Apply,
    /// The object of the line is gone.
    Delete,
    /// The line means nothing to anybody else.
    Nothing,
}

/// One watch.
#[derive(Clone, Debug)]
pub struct Watch {
    times: Times,
    seed: u64,
    stage: Stage,
    /// Counts connections, so that each gets its own share of jitter.
    tries: u64,
    /// Failed tries in a row.
    failures: u32,
    /// Streaming lists that failed without saying why.
    broken_streams: u32,
    /// Versions of pages that expired in a row.
    expired_pages: u32,
    can_stream: bool,
    is_synced: bool,
    last_heard: Option<Time>,
    trouble: Option<Trouble>,
}

/// A watch that ends sooner is taken for one that failed.
const SHORT: Span = Span::from_secs(1);
/// So many streaming lists that break off mean that the server does not know them.
const BROKEN_STREAMS_MAX: u32 = 3;
/// After so many pages that expired, the list is asked for in one piece.
const EXPIRED_PAGES_MAX: u32 = 2;

impl Watch {
    /// A watch that has not begun.
    #[must_use]
    pub fn new(times: Times, seed: u64) -> Self {
        Self {
            times,
            seed,
            stage: Stage::Paused { until: Time::ZERO, then: Errand::List },
            tries: 0,
            failures: 0,
            broken_streams: 0,
            expired_pages: 0,
            can_stream: times.can_stream,
            is_synced: false,
            last_heard: None,
            trouble: None,
        }
    }

    /// What to do now.
    pub fn next(&mut self, now: Time) -> Step {
        if let Some(deadline) = self.stage.deadline()
            && now >= deadline
        {
            self.failed(Fault::silent(), now);
        }
        match &self.stage {
            Stage::Paused { until, .. } if now < *until => Step::Pause(*until),
            Stage::Paused { then, .. } => {
                let errand = then.clone();
                Step::Send(self.begin(errand, now))
            }
            open => Step::Read(open.deadline().expect("only a pause has none")),
        }
    }

    fn begin(&mut self, errand: Errand, now: Time) -> Request {
        self.tries = self.tries.wrapping_add(1);
        let timeout = self.lasts();
        let begins_by = now.after(self.times.silence);
        match errand {
            Errand::List => self.page(String::new(), now),
            Errand::Stream => {
                self.stage = Stage::Streaming { ends_by: begins_by, timeout, has_begun: false };
                Request::Stream { timeout }
            }
            Errand::Page { token } => self.page(token, now),
            Errand::Watch { version } => {
                let request = Request::Watch { version: version.clone(), timeout };
                self.stage = Stage::Watching { version, ends_by: begins_by, timeout, since: now };
                request
            }
        }
    }

    fn page(&mut self, token: String, now: Time) -> Request {
        let is_whole = self.expired_pages >= EXPIRED_PAGES_MAX;
        let limit = (!is_whole).then_some(self.times.page);
        self.stage =
            Stage::Paging { is_first: token.is_empty(), ends_by: now.after(self.times.silence) };
        Request::Page { limit, token }
    }

    /// How long the next watch is to last: different each time, so that many do not end at once.
    fn lasts(&self) -> Span {
        let once = Backoff {
            base: self.times.watch_spread,
            factor: 1,
            cap: self.times.watch_spread,
            jitter_percent: 100,
        };
        let spread =
            once.pause(1, self.seed ^ self.tries, None).ms() - self.times.watch_spread.ms();
        Span::from_ms(self.times.watch_least.ms().saturating_add(spread))
    }

    /// The server began to answer, and does not refuse.
    pub fn opened(&mut self, now: Time) -> Mark {
        self.heard(now);
        match &mut self.stage {
            Stage::Streaming { has_begun, ends_by, .. } => {
                *has_begun = true;
                *ends_by = now.after(self.times.silence);
                Mark::ListStart
            }
            Stage::Watching { ends_by, timeout, .. } => {
                *ends_by = now.after(*timeout).after(self.times.grace);
                // Failures count on: a watch that is refused in its first line begins too.
                self.trouble = None;
                Mark::Nothing
            }
            _ => Mark::Nothing,
        }
    }

    /// Some bytes came.
    pub fn heard(&mut self, now: Time) {
        self.last_heard = Some(now);
        if let Stage::Streaming { ends_by, .. } | Stage::Paging { ends_by, .. } = &mut self.stage {
            *ends_by = now.after(self.times.silence);
        }
    }

    /// A whole page came; the marks stand before and after its objects. `token` asks for the
    /// next one, empty after the last. What follows a first page may begin the list again.
    pub fn paged(&mut self, version: &str, token: &str, now: Time) -> [Mark; 2] {
        self.heard(now);
        let Stage::Paging { is_first, .. } = self.stage else { return [Mark::Nothing; 2] };
        let start = if is_first { Mark::ListStart } else { Mark::Nothing };
        if token.is_empty() {
            self.synced(version, now);
            return [start, Mark::ListEnd];
        }
        let then = match is_first && self.can_stream {
            true => Errand::Stream,
            false => Errand::Page { token: token.to_owned() },
        };
        self.stage = Stage::Paused { until: now, then };
        [start, Mark::Nothing]
    }

    /// A line came.
    pub fn line(&mut self, line: Line, now: Time) -> Mark {
        self.heard(now);
        if let Line::Failed(fault) = line {
            self.failed(fault, now);
            return Mark::Nothing;
        }
        match &mut self.stage {
            Stage::Streaming { .. } => match line {
                Line::Bookmark { version, ends_list: true } => {
                    self.streamed(&version, now);
                    Mark::ListEnd
                }
                // A server that does not know streaming lists sends ordinary bookmarks only.
                Line::Bookmark { .. } => {
                    self.can_stream = false;
                    self.stage = Stage::Paused { until: now, then: Errand::List };
                    Mark::Nothing
                }
                Line::Changed { .. } => Mark::Apply,
                Line::Deleted { .. } => Mark::Delete,
                Line::Failed(_) => Mark::Nothing,
            },
            Stage::Watching { version: reached, .. } => {
                (self.failures, self.trouble) = (0, None);
                let (version, mark) = match line {
                    Line::Changed { version } => (version, Mark::Apply),
                    Line::Deleted { version } => (version, Mark::Delete),
                    Line::Bookmark { version, .. } => (Some(version), Mark::Nothing),
                    Line::Failed(_) => (None, Mark::Nothing),
                };
                if let Some(version) = version.filter(|version| !version.is_empty()) {
                    *reached = version;
                }
                mark
            }
            _ => Mark::Nothing,
        }
    }

    /// The streaming list is complete; the same connection goes on with changes.
    fn streamed(&mut self, version: &str, now: Time) {
        let timeout = match self.stage {
            Stage::Streaming { timeout, .. } => timeout,
            _ => self.times.watch_least,
        };
        self.synced(version, now);
        let ends_by = now.after(timeout).after(self.times.grace);
        self.stage = Stage::Watching { version: version.to_owned(), ends_by, timeout, since: now };
    }

    fn synced(&mut self, version: &str, now: Time) {
        self.is_synced = true;
        self.trouble = None;
        // Failures count on until a watch lives: a list that expires at once must not be asked
        // for again and again.
        (self.broken_streams, self.expired_pages) = (0, 0);
        let then = Errand::Watch { version: version.to_owned() };
        self.stage = Stage::Paused { until: now, then };
    }

    /// The server ended what was open, in good order.
    pub fn ended(&mut self, now: Time) {
        match &self.stage {
            Stage::Watching { since, .. } if now < since.after(SHORT) => {
                self.failed(Fault::lost("the watch ended at once"), now);
            }
            Stage::Watching { version, .. } => {
                let then = Errand::Watch { version: version.clone() };
                self.stage = Stage::Paused { until: now, then };
                (self.failures, self.trouble) = (0, None);
            }
            Stage::Streaming { .. } | Stage::Paging { .. } => self.failed(Fault::cut_short(), now),
            Stage::Paused { .. } => {}
        }
    }

    /// The request, or what was open, failed.
    pub fn failed(&mut self, fault: Fault, now: Time) {
        self.failures = self.failures.saturating_add(1);
        let mut pause = self.pause(fault.retry_after);
        let then = self.after(&fault);
        if fault.is_refusal() {
            pause = Span::from_ms(pause.ms().max(self.times.refused.ms()));
        }
        self.trouble = Some(Trouble::of(fault));
        self.stage = Stage::Paused { until: now.after(pause), then };
    }

    /// What to try after a failure.
    fn after(&mut self, fault: &Fault) -> Errand {
        match &self.stage {
            Stage::Watching { .. } if fault.is_expired() || fault.is_garbage => Errand::List,
            Stage::Watching { version, .. } => Errand::Watch { version: version.clone() },
            Stage::Streaming { has_begun, .. } => {
                if fault.is_invalid() {
                    self.can_stream = false;
                } else if *has_begun {
                    self.broken_streams = self.broken_streams.saturating_add(1);
                    self.can_stream = self.broken_streams < BROKEN_STREAMS_MAX;
                }
                Errand::List
            }
            Stage::Paging { .. } => {
                if fault.is_expired() {
                    self.expired_pages = self.expired_pages.saturating_add(1);
                }
                Errand::List
            }
            Stage::Paused { then, .. } => then.clone(),
        }
    }

    fn pause(&self, asked: Option<Span>) -> Span {
        self.times.backoff.pause(self.failures.max(1), self.seed ^ self.tries, asked)
    }

    /// True while a streaming list comes, where versions of single objects do not matter.
    #[must_use]
    pub fn is_listing(&self) -> bool {
        matches!(self.stage, Stage::Streaming { .. })
    }

    /// How it is doing.
    #[must_use]
    pub fn health(&self) -> Health {
        Health {
            is_synced: self.is_synced,
            last_heard: self.last_heard,
            trouble: self.trouble.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
