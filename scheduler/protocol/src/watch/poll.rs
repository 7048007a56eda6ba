//! A question that is asked again and again: what the server serves.
//!
//! Invariant: a question is asked at most once per pause, however often somebody nudges.

use super::{Fault, Trouble};
use crate::retry::Backoff;
use scheduler_model::time::{Span, Time};

/// How often a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Pause after an answer.
    pub every: Span,
    /// Shortest pause, if somebody wants to know at once.
    pub least: Span,
    /// How long an answer may take.
    pub patience: Span,
    /// Pauses after tries that failed.
    pub backoff: Backoff,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            every: Span::from_secs(30),
            least: Span::from_secs(1),
            patience: Span::from_secs(15),
            backoff: super::Times::default().backoff,
        }
    }
}

/// A question that is asked again and again.
#[derive(Clone, Debug)]
pub struct Poll {
    pace: Pace,
    seed: u64,
    next_at: Time,
    asked_at: Time,
    failures: u32,
    trouble: Option<Trouble>,
}

/// What the driver is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Ask, and wait for the answer until then.
    Now(Time),
    /// Not before then, unless nudged.
    At(Time),
}

impl Poll {
    /// A question that has not been asked.
    #[must_use]
    pub fn new(pace: Pace, seed: u64) -> Self {
        let (next_at, asked_at) = (Time::ZERO, Time::ZERO);
        Self { pace, seed, next_at, asked_at, failures: 0, trouble: None }
    }

    /// What to do now.
    pub fn next(&mut self, now: Time) -> Ask {
        if now < self.next_at {
            return Ask::At(self.next_at);
        }
        self.asked_at = now;
        Ask::Now(now.after(self.pace.patience))
    }

    /// An answer came.
    pub fn answered(&mut self, now: Time) {
        (self.failures, self.trouble) = (0, None);
        self.next_at = now.after(self.pace.every);
    }

    /// None came, or one that does not help.
    pub fn failed(&mut self, fault: Fault, now: Time) {
        self.failures = self.failures.saturating_add(1);
        let asked = fault.retry_after;
        self.trouble = Some(Trouble::of(fault));
        let seed = self.seed ^ u64::from(self.failures);
        self.next_at = now.after(self.pace.backoff.pause(self.failures, seed, asked));
    }

    /// Somebody wants to know sooner.
    pub fn nudge(&mut self, now: Time) {
        if self.failures == 0 {
            let soonest = self.asked_at.after(self.pace.least).max(now);
            self.next_at = self.next_at.min(soonest);
        }
    }

    /// What went wrong last, until an answer comes.
    #[must_use]
    pub fn trouble(&self) -> Option<&Trouble> {
        self.trouble.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(secs: i64) -> Time {
        Time::from_ms(secs * 1000)
    }

    fn asked() -> Poll {
        let mut poll = Poll::new(Pace::default(), 1);
        assert_eq!(poll.next(at(100)), Ask::Now(at(115)));
        poll.answered(at(101));
        poll
    }

    #[test]
    fn after_an_answer_it_pauses() {
        assert_eq!(asked().next(at(102)), Ask::At(at(131)));
        assert_eq!(asked().next(at(131)), Ask::Now(at(146)));
    }

    #[test]
    fn a_nudge_asks_sooner_but_never_without_a_pause() {
        let mut poll = asked();
        poll.nudge(at(110));
        assert_eq!(poll.next(at(110)), Ask::Now(at(125)));
        poll.answered(at(110));
        for _ in 0..9 {
            poll.nudge(at(110));
        }
        assert_eq!(poll.next(at(110)), Ask::At(at(111)));
    }

    #[test]
    fn a_nudge_does_not_shorten_the_pause_after_a_failure() {
        let mut poll = asked();
        let asked = Some(Span::from_secs(60));
        poll.failed(Fault { retry_after: asked, ..Fault::lost("x") }, at(131));
        poll.nudge(at(132));
        let Ask::At(until) = poll.next(at(132)) else { panic!("it is asked at once") };
        assert!(until >= at(191), "{until:?}");
        assert_eq!(poll.trouble().map(Trouble::words), Some("x"));
        poll.answered(at(200));
        assert_eq!(poll.trouble(), None);
    }
}
