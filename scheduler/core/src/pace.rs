//! How often a large gang is looked at while its pods are bound one by one.
//!
//! A look at a gang costs as much as it has members, so one look after each of its n binds would
//! cost n². What only confirms a decision, or tells of a member that stays where it is, therefore
//! waits a little where the gang is large: looks take a bounded share of the time, however many
//! members there are. News that can change a decision waits for nothing.

use scheduler_model::time::{Span, Time};

/// What counts as large, and how long it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Members from which on a gang is large.
    pub large: usize,
    /// The pause between two looks, per hundred members.
    pub per_hundred: Span,
    /// The longest pause.
    pub longest: Span,
}

impl Default for Pace {
    fn default() -> Self {
        Self { large: 100, per_hundred: Span::from_ms(5), longest: Span::from_secs(1) }
    }
}

impl Pace {
    /// When a gang of so many members is looked at again after a look at `now`; `None` if at
    /// once.
    #[must_use]
    pub fn next(&self, members: usize, now: Time) -> Option<Time> {
        if members < self.large {
            return None;
        }
        let members = i64::try_from(members).unwrap_or(i64::MAX);
        let pause = members.saturating_mul(self.per_hundred.ms()) / 100;
        Some(now.after(Span::from_ms(pause.min(self.longest.ms()))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_gangs_never_wait_and_the_pause_of_large_ones_grows_with_them_to_a_limit() {
        let pace = Pace::default();
        let next = |members| pace.next(members, Time::ZERO).map(Time::ms);
        assert_eq!(next(99), None);
        assert_eq!(next(100), Some(5));
        assert_eq!(next(2_000), Some(100));
        assert_eq!(next(usize::MAX), Some(1_000));
    }
}
