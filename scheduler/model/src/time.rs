//! Time as data: the engine never reads a clock, it is told what time it is.

use std::fmt;

/// A moment, in milliseconds since the Unix epoch. Virtual clocks start at 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

/// A length of time in milliseconds, never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(i64);

impl Time {
    /// The start of virtual time, and the age of objects that carry no time.
    pub const ZERO: Self = Self(0);
    /// Later than everything that happens.
    pub const NEVER: Self = Self(i64::MAX);

    /// The moment `ms` milliseconds after the Unix epoch.
    #[must_use]
    pub const fn from_ms(ms: i64) -> Self {
        Self(ms)
    }

    /// Milliseconds since the Unix epoch.
    #[must_use]
    pub const fn ms(self) -> i64 {
        self.0
    }

    /// This moment moved later by `span`; stays at [`Time::NEVER`] once there.
    #[must_use]
    pub const fn after(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// How long ago `earlier` was; zero if it lies in the future.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Span {
        Span::from_ms(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A span of `ms` milliseconds; negative lengths read as zero.
    #[must_use]
    pub const fn from_ms(ms: i64) -> Self {
        Self(if ms < 0 { 0 } else { ms })
    }

    /// A span of whole seconds, saturating.
    #[must_use]
    pub const fn from_secs(secs: i64) -> Self {
        Self::from_ms(secs.saturating_mul(1000))
    }

    /// Length in milliseconds.
    #[must_use]
    pub const fn ms(self) -> i64 {
        self.0
    }
}

/// Shortest exact reading with the units people use: `1h30m`, `2m`, `1.5s`, `0s`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (secs, ms) = (self.0 / 1000, self.0 % 1000);
        let (days, hours, mins, rest) =
            (secs / 86_400, secs / 3600 % 24, secs / 60 % 60, secs % 60);
        for (value, unit) in [(days, "d"), (hours, "h"), (mins, "m")] {
            if value > 0 {
                write!(f, "{value}{unit}")?;
            }
        }
        if ms > 0 {
            let text = format!("{rest}.{ms:03}");
            write!(f, "{}s", text.trim_end_matches('0'))
        } else if rest > 0 || secs == 0 {
            write!(f, "{rest}s")
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_read_as_people_write_them() {
        let show = |ms| Span::from_ms(ms).to_string();
        assert_eq!(show(0), "0s");
        assert_eq!(show(1500), "1.5s");
        assert_eq!(show(120_000), "2m");
        assert_eq!(show(5_400_000), "1h30m");
        assert_eq!(show(90_061_000), "1d1h1m1s");
    }

    #[test]
    fn a_span_is_never_negative() {
        assert_eq!(Time::from_ms(5).since(Time::from_ms(9)), Span::ZERO);
    }

    #[test]
    fn time_saturates_at_never() {
        assert_eq!(Time::NEVER.after(Span::from_secs(1)), Time::NEVER);
    }
}
