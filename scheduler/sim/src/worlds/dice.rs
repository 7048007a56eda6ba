//! The one generator: splitmix64, so that a seed means the same for ever.

/// A stream of numbers that its seed decides.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The stream of `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn roll(&mut self) -> u64 {
        // The constants are those of splitmix64 (Steele, Lea, Flood 2014).
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from `low` to `high`, both included; `low` if they are the wrong way round.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        let span = high.saturating_sub(low).saturating_add(1);
        low + self.roll() % span
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.between(1, 100) <= percent
    }

    /// One of `choices`, which are not empty.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        let last = u64::try_from(choices.len()).unwrap_or(u64::MAX).saturating_sub(1);
        &choices[usize::try_from(self.between(0, last)).unwrap_or(0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_splitmix64() {
        let mut dice = Dice::new(1_234_567);
        assert_eq!(dice.roll(), 6_457_827_717_110_365_317);
        assert_eq!(dice.roll(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn numbers_stay_between_their_bounds() {
        let mut dice = Dice::new(7);
        let drawn: std::collections::BTreeSet<u64> = (0..200).map(|_| dice.between(3, 5)).collect();
        assert_eq!(drawn.into_iter().collect::<Vec<_>>(), [3, 4, 5]);
    }
}
