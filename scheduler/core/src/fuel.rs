//! Step budgets. A cycle stops after so many steps, not after so many milliseconds, so that a
//! slow machine decides the same.

/// What is left of a budget. One step is about one node looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fuel {
    left: u64,
    spent: u64,
}

impl Fuel {
    /// A budget of `steps`.
    #[must_use]
    pub const fn new(steps: u64) -> Self {
        Self { left: steps, spent: 0 }
    }

    /// Spends `steps`; false once the budget is used up.
    pub fn take(&mut self, steps: usize) -> bool {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX).min(self.left);
        self.left -= steps;
        self.spent += steps;
        self.left > 0
    }

    /// True once nothing is left.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Steps spent so far.
    #[must_use]
    pub const fn spent(&self) -> u64 {
        self.spent
    }
}
