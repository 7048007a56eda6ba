//! Random moments.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Throws another number each time.
pub(crate) struct Dice(u64);

impl Dice {
    /// Dice that fall differently in each run: no moment can be met twice anyway.
    pub(crate) fn new() -> Self {
        Self(RandomState::new().hash_one(std::process::id()))
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    /// The same for counts.
    pub(crate) fn size_below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).expect("it is a small number");
        usize::try_from(self.below(end)).expect("it is a small number")
    }

    /// A time below so many milliseconds.
    pub(crate) fn pause(&mut self, ms: u64) -> Duration {
        Duration::from_micros(self.below(ms * 1000))
    }
}
