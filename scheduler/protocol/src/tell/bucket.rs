//! How often something may happen, in whole milliseconds.
//!
//! Invariant: within any stretch of time, never more than the burst and one per period.

use scheduler_model::time::{Span, Time};

/// A rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// One per this much time on average; zero for as many as you like.
    pub every: Span,
    /// So many at once after a silence.
    pub burst: u32,
}

/// One rate in use: remembers only when it will be as if nothing had happened.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bucket {
    full_at: Option<Time>,
}

impl Bucket {
    /// True if it may happen now; then it counts.
    pub(super) fn take(&mut self, rate: Rate, now: Time) -> bool {
        let is_free = self.free_at(rate, now) <= now;
        if is_free {
            let from = self.full_at.map_or(now, |at| at.max(now));
            self.full_at = Some(from.after(rate.every));
        }
        is_free
    }

    /// From when on it may happen again.
    pub(super) fn free_at(&self, rate: Rate, now: Time) -> Time {
        let spared = i64::from(rate.burst.saturating_sub(1)).saturating_mul(rate.every.ms());
        let full_at = self.full_at.unwrap_or(now);
        Time::from_ms(full_at.ms().saturating_sub(spared))
    }

    /// True if it is as if nothing had happened.
    pub(super) fn is_full(&self, now: Time) -> bool {
        self.full_at.is_none_or(|at| at <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { every: Span::from_secs(10), burst: 3 };

    #[test]
    fn a_burst_and_then_one_per_period() {
        let mut bucket = Bucket::default();
        let takes: Vec<i64> =
            (0..41).filter(|second| bucket.take(RATE, Time::from_ms(second * 1_000))).collect();
        assert_eq!(takes, [0, 1, 2, 10, 20, 30, 40]);
    }

    #[test]
    fn after_a_silence_there_is_a_burst_again() {
        let mut bucket = Bucket::default();
        for _ in 0..3 {
            assert!(bucket.take(RATE, Time::ZERO));
        }
        assert!(!bucket.is_full(Time::from_ms(29_999)));
        let later = Time::from_ms(30_000);
        assert!(bucket.is_full(later));
        assert!((0..3).all(|_| bucket.take(RATE, later)));
        assert!(!bucket.take(RATE, later));
    }
}
