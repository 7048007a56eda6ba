//! Accidents at exact places: a process dies, or is held, at a step of its own making.
//!
//! Such as between the hand-out of a bind and the socket, between the moment at which the
//! server carried a deletion out and its answer, or after the count of releases was written and
//! before the first deletion.

use super::story::seconds;
use crate::worlds::Dice;
use scheduler_model::time::Span;

/// How far a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// Handed out: the right to write was looked at, nothing is on the wire.
    HandedOut,
    /// The server carried it out, nobody knows.
    CarriedOut,
    /// Its answer arrived and was not looked at.
    Answered,
}

/// What happens to the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It is killed, and starts again after so long.
    Kill(Span),
    /// It is held for so long, as by SIGSTOP.
    Hold(Span),
}

/// One accident that waits for its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    point: Point,
    /// Name of the calls that are counted.
    call: &'static str,
    /// Calls that get away before.
    left: u64,
    deed: Deed,
}

/// Calls that a trap may wait for. The rare ones stand more often: they lie between two steps
/// of one exchange.
const CALLS: [&str; 10] = [
    "bind",
    "bind",
    "bind",
    "read_pod",
    "group_status",
    "pod_ledger",
    "pod_status",
    "delete_pod",
    "delete_pod",
    "replace_lease",
];

impl Trap {
    /// A trap somewhere.
    #[must_use]
    pub fn draw(dice: &mut Dice) -> Self {
        let point = *dice.pick(&[Point::HandedOut, Point::CarriedOut, Point::Answered]);
        let call = *dice.pick(&CALLS);
        let left = if dice.chance(60) { 0 } else { dice.between(1, 8) };
        let is_kill = dice.chance(65);
        let deed = if is_kill {
            Deed::Kill(seconds(dice, 1, 10))
        } else {
            Deed::Hold(seconds(dice, 1, 40))
        };
        Self { point, call, left, deed }
    }

    /// A call got somewhere: what happens to its process, if this is the place.
    pub fn step(&mut self, point: Point, call: &str) -> Option<Deed> {
        if self.point != point || self.call != call {
            return None;
        }
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                None
            }
            None => Some(self.deed),
        }
    }
}
