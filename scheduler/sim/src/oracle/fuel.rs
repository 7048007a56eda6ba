//! The step budget of an exhaustive search.

/// What is left of a budget.
pub(super) struct Fuel(u64);

/// The budget ran out before the answer was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutOfFuel;

/// An exact answer, unless the budget ran out.
pub(super) type Fueled<T> = Result<T, OutOfFuel>;

impl Fuel {
    pub(super) fn new(steps: u64) -> Self {
        Self(steps)
    }

    /// Takes `steps` from the budget.
    pub(super) fn burn(&mut self, steps: usize) -> Fueled<()> {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        self.0 = self.0.checked_sub(steps).ok_or(OutOfFuel)?;
        Ok(())
    }
}
