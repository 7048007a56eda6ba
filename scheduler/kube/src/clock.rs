//! The only clock of live code: what time it is, in the engine's own terms.
//!
//! Invariant: it never goes back and never jumps, whatever happens to the wall clock. Everything
//! that compares two moments of one process (a lease and a request, above all) asks this clock,
//! so that the answer does not depend on a time server.

use rustix::time::{ClockId, clock_gettime};
use scheduler_model::time::{Span, Time};
use std::time::{SystemTime, UNIX_EPOCH};

/// Counts on while the machine sleeps: a lease does, too.
#[cfg(target_os = "linux")]
const STEADY: ClockId = ClockId::Boottime;
#[cfg(not(target_os = "linux"))]
const STEADY: ClockId = ClockId::Monotonic;

/// The wall clock as it was when this was made, moved on by a steady one. Copies agree.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    wall_at_start: Time,
    steady_at_start: i64,
}

impl Clock {
    /// Reads the wall clock, once.
    #[must_use]
    pub fn start() -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
        let ms = since_epoch.map_or(0, |it| i64::try_from(it.as_millis()).unwrap_or(i64::MAX));
        Self::start_at(Time::from_ms(ms))
    }

    /// A clock that shows `time` now.
    #[must_use]
    pub fn start_at(time: Time) -> Self {
        Self { wall_at_start: time, steady_at_start: steady() }
    }

    /// What time it is.
    #[must_use]
    pub fn now(&self) -> Time {
        self.wall_at_start.after(Span::from_ms(steady().saturating_sub(self.steady_at_start)))
    }
}

/// Milliseconds on the steady clock.
fn steady() -> i64 {
    let time = clock_gettime(STEADY);
    time.tv_sec.saturating_mul(1000).saturating_add(time.tv_nsec / 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_a_clock_agree_and_go_forward() {
        let clock = Clock::start_at(Time::from_ms(1_000));
        let copy = clock;
        let first = clock.now();
        assert!(first >= Time::from_ms(1_000) && copy.now() >= first);
        assert!(copy.now().since(first) < Span::from_secs(60));
    }

    #[test]
    fn it_starts_with_the_wall_clock() {
        let year_2020 = Time::from_ms(1_577_836_800_000);
        assert!(Clock::start().now() > year_2020);
    }
}
