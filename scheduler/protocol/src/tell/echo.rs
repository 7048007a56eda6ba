//! What the watch shows of what was written: a write that was given up may be carried out after
//! the one that followed it, and a leader that was held may wake up with one.
//!
//! Invariant: each strange value is answered once, so that nobody can be drawn into writing for
//! ever.

use crate::retry::seed_of;
use scheduler_model::spec::Ledger;
use scheduler_model::time::{Span, Time};

/// How long the watch may lag behind what was written.
const LAG: Span = Span::from_secs(10);

/// What was seen to stand where something else was written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Echo {
    /// Since when something else stands there.
    strange: Option<(u64, Time)>,
    /// What was answered last.
    answered: Option<u64>,
}

impl Echo {
    /// Looks at what stands there, where `written` was written; true if it is to be written
    /// again.
    pub(super) fn look(&mut self, stands: &Ledger, written: &Ledger, now: Time) -> bool {
        self.look_whole((stands, None), (written, None), now)
    }

    /// The same where what stands beside the ledger may be known, as a number.
    pub(super) fn look_whole(
        &mut self,
        (stands, digest): (&Ledger, Option<u64>),
        (written, wrote): (&Ledger, Option<u64>),
        now: Time,
    ) -> bool {
        // A start may be known from elsewhere than the ledger, and never goes back.
        let has_started = stands.has_started && written.has_started;
        let stands = &Ledger { has_started, ..stands.clone() };
        if stands == written && (digest.is_none() || digest == wrote) {
            *self = Self::default();
            return false;
        }
        let print = seed_of(&format!("{stands:?} {digest:?}"));
        if self.answered == Some(print) {
            return false;
        }
        let known = self.strange.filter(|(known, _)| *known == print);
        let (_, since) = *self.strange.insert(known.unwrap_or((print, now)));
        if now < since.after(LAG) {
            return false;
        }
        (self.strange, self.answered) = (None, Some(print));
        true
    }

    /// When to look again.
    pub(super) fn next_look(&self) -> Option<Time> {
        self.strange.map(|(_, since)| since.after(LAG))
    }
}

/// Whether another scheduler writes into the status too.
///
/// Invariant: it is told once, and nothing is written for it: two that correct each other would
/// never end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rival {
    /// Since when another one's words stand where ours were written.
    since: Option<Time>,
    is_told: bool,
}

impl Rival {
    /// Our own words stand there, or ours are still to be written.
    pub(super) const fn absent(&mut self) {
        self.since = None;
    }

    /// Another one's words stand there; true, once, if they cannot be from before our own write.
    pub(super) fn seen(&mut self, now: Time) -> bool {
        if self.is_told {
            return false;
        }
        let since = *self.since.get_or_insert(now);
        self.is_told = since.after(LAG) <= now;
        self.is_told
    }

    /// When to look again.
    pub(super) fn next_look(&self) -> Option<Time> {
        self.since.filter(|_| !self.is_told).map(|since| since.after(LAG))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(releases: u32) -> Ledger {
        Ledger { releases, ..Ledger::default() }
    }

    #[test]
    fn what_comes_late_is_no_echo_of_another() {
        let mut echo = Echo::default();
        assert!(!echo.look(&ledger(0), &ledger(1), Time::from_ms(0)));
        assert!(!echo.look(&ledger(1), &ledger(1), Time::from_ms(9_000)));
        assert_eq!(echo.next_look(), None);
    }

    #[test]
    fn another_scheduler_is_told_of_once_its_words_outlive_the_lag_of_the_watch() {
        let mut rival = Rival::default();
        assert!(!rival.seen(Time::from_ms(0)));
        // It was from before our write.
        rival.absent();
        assert!(!rival.seen(Time::from_ms(20_000)));
        assert_eq!(rival.next_look(), Some(Time::from_ms(30_000)));
        assert!(rival.seen(Time::from_ms(30_000)));
        assert!(!rival.seen(Time::from_ms(60_000)), "once is enough");
        assert_eq!(rival.next_look(), None);
    }

    #[test]
    fn what_another_wrote_is_answered_once() {
        let mut echo = Echo::default();
        assert!(!echo.look(&ledger(0), &ledger(1), Time::from_ms(0)));
        assert!(echo.look(&ledger(0), &ledger(1), Time::from_ms(10_000)));
        assert!(!echo.look(&ledger(0), &ledger(1), Time::from_ms(30_000)));
    }
}
