//! What-if with an undo log. Forgetting to discard is impossible: dropping is discarding.
//!
//! Invariant: when a `Txn` ends without [`Txn::commit`], the snapshot is bit for bit what it
//! was when it began.

use scheduler_model::op::Op;
use scheduler_model::snapshot::Snapshot;

/// A place in the log of a [`Txn`] to roll back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(usize);

/// Hypothetical changes to a snapshot.
#[derive(Debug)]
pub struct Txn<'a> {
    snapshot: &'a mut Snapshot,
    log: Vec<Op>,
}

impl<'a> Txn<'a> {
    /// Begins with nothing changed.
    pub const fn new(snapshot: &'a mut Snapshot) -> Self {
        Self { snapshot, log: Vec::new() }
    }

    /// The snapshot with all changes so far.
    #[must_use]
    pub const fn view(&self) -> &Snapshot {
        self.snapshot
    }

    /// Carries out one change.
    pub fn apply(&mut self, op: Op) {
        self.snapshot.apply(op.clone());
        self.log.push(op);
    }

    /// Here.
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark(self.log.len())
    }

    /// Takes back everything after `to`.
    pub fn rollback(&mut self, to: Mark) {
        while self.log.len() > to.0 {
            let op = self.log.pop().expect("the log is longer than the mark");
            self.snapshot.revert(op);
        }
    }

    /// What was done after `from`, in order.
    #[must_use]
    pub fn since(&self, from: Mark) -> &[Op] {
        &self.log[from.0..]
    }

    /// Keeps the changes.
    pub fn commit(mut self) {
        self.log.clear();
    }
}

impl Drop for Txn<'_> {
    fn drop(&mut self) {
        self.rollback(Mark(0));
    }
}
