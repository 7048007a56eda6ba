//! Accidents at exact places: a process dies or is held at a step of its own making, or the
//! world moves on between two steps.
//!
//! Such as between the hand-out of a bind and the socket, between the moment at which the
//! server carried a deletion out and its answer, or after the count of releases was written and
//! before the first deletion; or a node goes after a plan for it was made and before it begins.

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

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// The process is killed, and starts again after so long.
    Kill(Span),
    /// It is held for so long, as by SIGSTOP.
    Hold(Span),
    /// The bind comes back unsent: nobody reaches the server for so long. Meanwhile this befalls
    /// what it is about, at that time, so that its plan must not begin as it was.
    Bounce(Span, Blow, Span),
    /// The answer to the bind is lost at once, and it is carried out late or never. Then this
    /// befalls what it is about, at that time.
    Doubt(Blow, Span),
}

/// What befalls that which a bind is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blow {
    /// Its node is cordoned for so long.
    Cordon(Span),
    /// Its node is gone for so long.
    NodeGone(Span),
    /// Its node is silent for so long.
    Silence(Span),
    /// The pod is deleted.
    Pod,
    /// Another member of the gang is deleted.
    Peer,
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

    /// A trap for a bind: it comes back or stays in doubt, and its world changes.
    #[must_use]
    pub fn mischief(dice: &mut Dice) -> Self {
        let left = if dice.chance(50) { 0 } else { dice.between(1, 10) };
        let lasts = seconds(dice, 20, 60);
        let blow = match dice.between(0, 6) {
            0 | 1 => Blow::Cordon(lasts),
            2 => Blow::NodeGone(lasts),
            3 => Blow::Silence(lasts),
            4 => Blow::Pod,
            _ => Blow::Peer,
        };
        let deed = if dice.chance(50) {
            let long = dice.between(200, 4_000);
            let then = dice.between(1, long);
            Deed::Bounce(ms(long), blow, ms(then))
        } else {
            let then = dice.between(1, 300);
            let blow = if dice.chance(70) { Blow::Cordon(lasts) } else { blow };
            Deed::Doubt(blow, ms(then))
        };
        Self { point: Point::HandedOut, call: "bind", left, deed }
    }

    /// A call got somewhere: what happens, if this is the place.
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

fn ms(ms: u64) -> Span {
    Span::from_ms(i64::try_from(ms).unwrap_or(0))
}
