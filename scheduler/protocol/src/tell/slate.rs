//! One thing that is written again and again: what is to stand there, what stands there, and
//! when it may be written next.
//!
//! Invariants: one write at a time; the last wish wins; what stands already is not written; two
//! writes lie apart as far as was asked. Values are known by fingerprint only, their owner keeps
//! the latest.

use crate::call::CallId;
use crate::meaning::{CallKind, Meaning, Refusal};
use crate::retry::Policy;
use scheduler_model::time::{Span, Time};

/// How soon something new is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    /// At least this long after it was wished first.
    pub(super) delay: Span,
    /// At least this long after the write before.
    pub(super) spacing: Span,
}

impl Pace {
    pub(super) const AT_ONCE: Self = Self { delay: Span::ZERO, spacing: Span::ZERO };
}

/// How a write ended for its slate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Landing {
    /// It stands, or will be tried again.
    Kept,
    /// The object is gone.
    Gone,
    /// It is not tried again until something else is to stand there.
    GivenUp,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Slate {
    wanted: Option<u64>,
    written: Option<u64>,
    flight: Option<(CallId, u64)>,
    due: Option<Time>,
    wrote_at: Option<Time>,
    /// Not before this, after a failure.
    rests_until: Option<Time>,
    spacing: Span,
    tries: u32,
}

impl Slate {
    /// One on which this stands already.
    pub(super) fn standing(print: u64) -> Self {
        Self { wanted: Some(print), written: Some(print), ..Self::default() }
    }

    /// True if nothing stands there as far as is known, and nothing is to.
    pub(super) const fn is_blank(&self) -> bool {
        self.wanted.is_none() && self.written.is_none()
    }

    /// When it is to be written.
    pub(super) const fn due(&self) -> Option<Time> {
        self.due
    }

    /// The write on its way, if there is one.
    pub(super) fn flight(&self) -> Option<CallId> {
        self.flight.map(|(id, _)| id)
    }

    pub(super) fn want(&mut self, print: u64, pace: Pace, now: Time) {
        if self.wanted == Some(print) {
            return;
        }
        // A wish that is still to be written keeps its pace, whatever else comes on top.
        let latest = self.flight.map(|(_, print)| print).or(self.written);
        let is_pending = self.wanted.is_some() && self.wanted != latest;
        self.spacing = if is_pending { self.spacing.min(pace.spacing) } else { pace.spacing };
        self.wanted = Some(print);
        self.tries = 0;
        if self.flight.is_some() {
            return;
        }
        if self.written == Some(print) {
            self.due = None;
            return;
        }
        let due = self.spaced(now.after(pace.delay));
        // Ever new wishes never put the write off.
        let due = self.due.map_or(due, |before| before.min(due));
        self.due = Some(self.rests_until.map_or(due, |rest| due.max(rest)));
    }

    /// True if nothing is to be written or on its way.
    pub(super) const fn is_still(&self) -> bool {
        self.due.is_none() && self.flight.is_none()
    }

    /// Something else stands there than what was written: the wish is written again.
    pub(super) fn overwritten(&mut self, now: Time) {
        if self.is_still() && self.wanted.is_some() {
            self.written = None;
            self.due = Some(self.spaced(now));
        }
    }

    /// True if the wish was written, and nothing else is to be.
    pub(super) fn is_written(&self) -> bool {
        self.is_still() && self.written.is_some() && self.written == self.wanted
    }

    /// What stands there as far as is known.
    pub(super) const fn written(&self) -> Option<u64> {
        self.written
    }

    /// The wish stands there already.
    pub(super) fn settle(&mut self) {
        self.written = self.wanted;
        self.due = None;
    }

    /// The wish is on its way as this call.
    pub(super) fn start(&mut self, id: CallId) {
        let wanted = self.wanted.expect("only what is wanted is due");
        self.flight = Some((id, wanted));
        self.due = None;
    }

    pub(super) fn landed(&mut self, means: &Meaning, seed: u64, now: Time) -> Landing {
        let Some((_, print)) = self.flight.take() else { return Landing::Kept };
        self.wrote_at = Some(now);
        self.rests_until = None;
        let policy = Policy::of(CallKind::Write);
        self.tries = self.tries.saturating_add(1);
        let again = |asked| Some(policy.backoff.pause(self.tries, seed, asked));
        let pause = match means {
            Meaning::Done => {
                self.written = Some(print);
                self.tries = 0;
                let is_new = self.wanted != self.written;
                self.due = is_new.then(|| self.spaced(now));
                return Landing::Kept;
            }
            Meaning::Refused(Refusal::Gone, _) => return Landing::Gone,
            Meaning::Refused(Refusal::Forbidden | Refusal::Rejected, _) => {
                let is_new = self.wanted != Some(print);
                self.due = is_new.then(|| self.spaced(now));
                return Landing::GivenUp;
            }
            // A server in trouble gets well again, however long it takes.
            Meaning::Again { after, .. } => again(*after),
            Meaning::Unknown(_) => {
                // Either may stand there now.
                self.written = None;
                again(None)
            }
            Meaning::Refused(Refusal::Changed, _) => policy.next(self.tries, seed, None),
        };
        self.rests_until = pause.map(|pause| now.after(pause));
        self.due = self.rests_until;
        if self.due.is_some() { Landing::Kept } else { Landing::GivenUp }
    }

    fn spaced(&self, due: Time) -> Time {
        self.wrote_at.map_or(due, |at| due.max(at.after(self.spacing)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace { delay: Span::from_secs(1), spacing: Span::from_secs(10) };

    fn at(ms: i64) -> Time {
        Time::from_ms(ms)
    }

    fn unknown() -> Meaning {
        Meaning::Unknown(String::new())
    }

    #[test]
    fn the_last_wish_is_written_when_the_first_was_due() {
        let mut slate = Slate::default();
        slate.want(1, PACE, at(0));
        slate.want(2, PACE, at(900));
        assert_eq!(slate.due(), Some(at(1_000)));
    }

    #[test]
    fn what_stands_there_already_is_not_written() {
        let mut slate = Slate::standing(1);
        slate.want(1, PACE, at(0));
        assert_eq!(slate.due(), None);
        slate.want(2, PACE, at(0));
        slate.want(1, PACE, at(1));
        assert_eq!(slate.due(), None);
    }

    #[test]
    fn two_writes_lie_apart() {
        let mut slate = Slate::default();
        slate.want(1, PACE, at(0));
        slate.start(CallId(0));
        slate.want(2, PACE, at(1_000));
        slate.landed(&Meaning::Done, 0, at(1_500));
        assert_eq!(slate.due(), Some(at(11_500)));
    }

    #[test]
    fn what_comes_on_top_of_an_urgent_wish_does_not_slow_it() {
        let mut slate = Slate::default();
        slate.want(1, PACE, at(0));
        slate.start(CallId(0));
        slate.want(2, PACE, at(1));
        slate.want(3, Pace { spacing: Span::from_secs(30), ..PACE }, at(2));
        slate.landed(&Meaning::Done, 0, at(3));
        assert_eq!(slate.due(), Some(at(10_003)));
    }

    #[test]
    fn a_write_that_may_have_happened_is_not_taken_for_standing() {
        let mut slate = Slate::standing(1);
        slate.want(2, PACE, at(0));
        slate.start(CallId(0));
        slate.want(1, PACE, at(1));
        assert_eq!(slate.landed(&unknown(), 0, at(2)), Landing::Kept);
        assert!(slate.due().is_some(), "2 may stand there, 1 is wanted");
    }

    #[test]
    fn what_another_wrote_over_is_written_again() {
        let mut slate = Slate::standing(1);
        slate.overwritten(at(0));
        assert!(slate.due().is_some());
    }

    #[test]
    fn what_is_refused_for_good_waits_for_another_wish() {
        let mut slate = Slate::default();
        slate.want(1, PACE, at(0));
        slate.start(CallId(0));
        let means = Meaning::Refused(Refusal::Forbidden, String::new());
        assert_eq!(slate.landed(&means, 0, at(1)), Landing::GivenUp);
        assert_eq!(slate.due(), None);
        slate.want(2, PACE, at(2));
        assert!(slate.due().is_some());
    }

    #[test]
    fn a_failure_makes_it_rest_whatever_is_wished_meanwhile() {
        let mut slate = Slate::default();
        slate.want(1, PACE, at(0));
        slate.start(CallId(0));
        let asked = Meaning::Again { after: Some(Span::from_secs(30)), words: String::new() };
        slate.landed(&asked, 0, at(0));
        slate.want(2, Pace::AT_ONCE, at(1));
        assert!(slate.due() >= Some(at(30_000)));
    }
}
