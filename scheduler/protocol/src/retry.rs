//! When to try again: growing pauses with jitter, in whole milliseconds.
//!
//! Invariants: the same seed and count give the same pause; a pause that the server asks for is
//! never cut short (up to [`ASKED_MAX`]); nothing waits longer than the cap and its jitter
//! unless asked to.

use crate::meaning::CallKind;
use scheduler_model::time::Span;

/// Longest pause a server can ask for; more is cut to this.
pub const ASKED_MAX: Span = Span::from_secs(300);

/// Pauses that grow from try to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Pause after the first try.
    pub base: Span,
    /// How many times longer each next pause is; at least 1.
    pub factor: u32,
    /// Longest pause.
    pub cap: Span,
    /// Jitter: up to this many hundredths of the pause come on top.
    pub jitter_percent: u32,
}

/// How a kind of call is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How long to wait for an answer.
    pub timeout: Span,
    /// Pauses between tries.
    pub backoff: Backoff,
    /// After so many tries it is given up; `None` for never.
    pub tries_max: Option<u32>,
}

impl Backoff {
    /// The pause after `tries` tries (the first is 1). `seed` spreads the jitter, `asked` is
    /// what the server wants to be waited for.
    #[must_use]
    pub fn pause(&self, tries: u32, seed: u64, asked: Option<Span>) -> Span {
        let grown = (1..tries.min(64)).fold(self.base.ms(), |ms, _| {
            ms.saturating_mul(i64::from(self.factor.max(1))).min(self.cap.ms())
        });
        let own = grown.min(self.cap.ms());
        let asked = asked.unwrap_or(Span::ZERO).min(ASKED_MAX).ms();
        let pause = own.max(asked);
        // The jitter of a pause that was asked for is that of our own: enough to part a crowd.
        let room = own.saturating_mul(i64::from(self.jitter_percent)) / 100;
        let room = u64::try_from(room).expect("a span is never negative").saturating_add(1);
        let dice = splitmix64(seed ^ u64::from(tries).rotate_left(32)) % room;
        let jitter = i64::try_from(dice).expect("it is less than a span");
        Span::from_ms(pause.saturating_add(jitter))
    }
}

impl Policy {
    /// How calls of this kind are tried. The lease's own calls have their own times, see
    /// [`crate::lease::LeaseConfig`].
    #[must_use]
    pub const fn of(kind: CallKind) -> Self {
        match kind {
            CallKind::Bind => Self::new(5, Backoff::between(100, 10_000), Some(8)),
            CallKind::Read => Self::new(5, Backoff::between(100, 5_000), None),
            CallKind::Delete => Self::new(5, Backoff::between(500, 30_000), None),
            CallKind::Write => Self::new(5, Backoff::between(500, 30_000), Some(8)),
            CallKind::Event => Self::new(5, Backoff::between(1_000, 10_000), Some(3)),
            CallKind::Lease => Self::new(5, Backoff::between(500, 2_000), None),
        }
    }

    /// The pause before the next try after `tries` of them; `None` if it is given up.
    #[must_use]
    pub fn next(&self, tries: u32, seed: u64, asked: Option<Span>) -> Option<Span> {
        let is_over = self.tries_max.is_some_and(|max| tries >= max);
        (!is_over).then(|| self.backoff.pause(tries, seed, asked))
    }

    /// The policies for people, in Markdown.
    #[must_use]
    pub fn table() -> String {
        let mut text = String::from(
            "| call | answer within | first pause | longest pause | tries |\n|---|---|---|---|---|\n",
        );
        for kind in CallKind::ALL.into_iter().filter(|kind| *kind != CallKind::Lease) {
            let Self { timeout, backoff: Backoff { base, cap, .. }, tries_max } = Self::of(kind);
            let tries = tries_max.map_or("no limit".to_owned(), |max| max.to_string());
            let title = kind.title();
            text.push_str(&format!("| {title} | {timeout} | {base} | {cap} | {tries} |\n"));
        }
        text
    }

    const fn new(timeout_secs: i64, backoff: Backoff, tries_max: Option<u32>) -> Self {
        Self { timeout: Span::from_secs(timeout_secs), backoff, tries_max }
    }
}

impl Backoff {
    /// Doubling pauses from `base` to `cap` milliseconds with a quarter of jitter.
    #[must_use]
    pub const fn between(base: i64, cap: i64) -> Self {
        let (base, cap) = (Span::from_ms(base), Span::from_ms(cap));
        Self { base, factor: 2, cap, jitter_percent: 25 }
    }
}

/// A seed from a text, such as a uid: FNV-1a.
#[must_use]
pub fn seed_of(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// One step of the generator splitmix64: a well mixed number for each input.
#[must_use]
pub const fn splitmix64(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::LeaseRef;
    use crate::lease::LeaseConfig;

    const PLAIN: Backoff = Backoff {
        base: Span::from_ms(100),
        factor: 2,
        cap: Span::from_ms(1_000),
        jitter_percent: 0,
    };

    #[test]
    fn pauses_double_up_to_the_cap() {
        let pauses: Vec<i64> = (1..7).map(|tries| PLAIN.pause(tries, 0, None).ms()).collect();
        assert_eq!(pauses, [100, 200, 400, 800, 1_000, 1_000]);
    }

    #[test]
    fn the_longest_count_still_gives_the_cap() {
        assert_eq!(PLAIN.pause(u32::MAX, 0, None), PLAIN.cap);
    }

    #[test]
    fn jitter_only_lengthens_and_differs_by_seed() {
        let backoff = Backoff { jitter_percent: 50, ..PLAIN };
        let pauses: Vec<i64> = (0..100).map(|seed| backoff.pause(4, seed, None).ms()).collect();
        assert!(pauses.iter().all(|ms| (800..=1_200).contains(ms)), "{pauses:?}");
        assert!(pauses.iter().collect::<std::collections::BTreeSet<_>>().len() > 50);
        assert_eq!(backoff.pause(4, 7, None), backoff.pause(4, 7, None));
    }

    #[test]
    fn what_the_server_asks_for_is_kept_within_reason() {
        assert_eq!(PLAIN.pause(1, 0, Some(Span::from_secs(7))), Span::from_secs(7));
        assert_eq!(PLAIN.pause(1, 0, Some(Span::from_secs(9_999))), ASKED_MAX);
        assert_eq!(PLAIN.pause(1, 0, Some(Span::from_ms(1))), PLAIN.base);
    }

    #[test]
    fn a_kind_with_a_limit_gives_up_and_one_without_never_does() {
        assert_eq!(Policy::of(CallKind::Event).next(3, 0, None), None);
        assert!(Policy::of(CallKind::Event).next(2, 0, None).is_some());
        assert!(Policy::of(CallKind::Read).next(u32::MAX, 0, None).is_some());
    }

    #[test]
    fn the_page_for_people_shows_the_policies_as_they_are() {
        let page = include_str!("../../../docs/PROTOCOL.md");
        assert!(page.contains(&Policy::table()), "put this into it:\n{}", Policy::table());
    }

    #[test]
    fn a_write_of_one_leader_has_ended_before_the_next_writes() {
        let lease = LeaseRef { namespace: "d".to_owned(), name: "l".to_owned() };
        let config = LeaseConfig::new(lease, "me".to_owned());
        let margin = config.duration.ms() - config.renew_deadline.ms() + config.fence.ms();
        for kind in CallKind::ALL {
            let timeout = Policy::of(kind).timeout;
            assert!(timeout.ms() <= margin, "{kind:?} takes {timeout} of {margin} ms");
        }
    }

    #[test]
    fn seeds_differ_by_text() {
        assert_ne!(seed_of("a"), seed_of("b"));
    }
}
