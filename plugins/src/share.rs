//! Parts of an allocatable amount on the fixed scale, without a division per node.
//!
//! Nodes of one shape mostly follow each other, so the factor for the last allocatable is
//! kept: a scan divides only where the shape changes. Invariant: the answer depends on the
//! two amounts alone, never on what was asked before.

use scheduler_framework::SCORE_MAX;

/// Turns amounts into parts of an allocatable, 0 to [`SCORE_MAX`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share {
    allocatable: i64,
    shift: u32,
    factor: i64,
}

/// Allocatables are scaled down to this many bits, so that no product overflows. Parts are
/// then exact to well below one point of the scale.
const BITS: u32 = 20;

/// Binary digits of the factor behind the point.
const POINT: u32 = 32;

impl Share {
    /// Which part of `allocatable` the amount `part` is; all of it if there is none.
    #[inline]
    pub(crate) fn of(&mut self, part: i64, allocatable: i64) -> i64 {
        if allocatable <= 0 {
            return SCORE_MAX;
        }
        if allocatable != self.allocatable {
            *self = Self::by(allocatable);
        }
        let part = part.clamp(0, allocatable) >> self.shift;
        (part * self.factor) >> POINT
    }

    fn by(allocatable: i64) -> Self {
        let bits = i64::BITS - allocatable.leading_zeros();
        let shift = bits.saturating_sub(BITS);
        // Rounded up, so that the whole is SCORE_MAX and not one less.
        let scaled = allocatable >> shift;
        let factor = ((SCORE_MAX << POINT) + scaled - 1) / scaled;
        Self { allocatable, shift, factor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scheduler_model::node::CAPACITY_MAX;

    #[test]
    fn parts_are_exact_to_one_point() {
        for allocatable in [1, 3, 7, 8, 1000, 96_000, 1 << 20, (1 << 20) + 1, 123_456_789_012] {
            for step in 0..=64 {
                let part = allocatable * step / 64;
                let exact = SCORE_MAX * part / allocatable;
                let got = Share::default().of(part, allocatable);
                assert!((got - exact).abs() <= 1, "{part}/{allocatable}: {got}, not {exact}");
            }
        }
    }

    #[test]
    fn the_whole_is_the_full_score_and_nothing_is_none() {
        for allocatable in [1, 3, 999, 1 << 37, CAPACITY_MAX] {
            assert_eq!(Share::default().of(allocatable, allocatable), SCORE_MAX);
            assert_eq!(Share::default().of(0, allocatable), 0);
        }
    }

    #[test]
    fn an_overfull_or_missing_allocatable_stays_on_the_scale() {
        assert_eq!(Share::default().of(-5, 8), 0);
        assert_eq!(Share::default().of(9, 8), SCORE_MAX);
        assert_eq!(Share::default().of(0, 0), SCORE_MAX);
    }

    #[test]
    fn what_was_asked_before_does_not_matter() {
        let mut share = Share::default();
        share.of(3, 8);
        assert_eq!(share.of(1, 5), Share::default().of(1, 5));
    }
}
