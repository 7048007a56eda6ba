//! The network between a replica and the API server: what becomes of a call, and when.
//!
//! Invariant: a call is carried out at most once, and never later than one time-out after it
//! was put on the wire; whoever sent it hears exactly one answer.

use super::server::ApiServer;
use crate::worlds::Dice;
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::{Answer, Reply};
use scheduler_protocol::call::{CallId, Send};

/// How often what goes wrong, in percent of the calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The request never arrives.
    pub request_lost: u64,
    /// It is carried out, the answer never arrives.
    pub reply_lost: u64,
    /// Answered 429 or 503 without being carried out.
    pub turned_away: u64,
    /// Answered 500 or 504, carried out or not.
    pub failed: u64,
    /// Takes seconds instead of milliseconds.
    pub slow: u64,
}

/// A call on its way.
#[derive(Clone, Debug)]
pub struct Flight {
    /// Which replica sent it, and in which of its lives.
    pub from: (usize, u64),
    /// Its id there.
    pub id: CallId,
    /// The call.
    send: Send,
    /// When it is carried out, if it is and was not yet.
    acts_at: Option<Time>,
    /// When its answer arrives.
    pub answers_at: Time,
    answer: Answer,
    /// The answer is what the server says when it is carried out.
    is_heard: bool,
}

/// All calls on their way.
#[derive(Clone, Debug, Default)]
pub struct Wire {
    flights: Vec<Flight>,
    /// The server cannot be reached before this moment.
    down_until: Time,
}

impl Wire {
    /// The server cannot be reached until `until`: what is on its way is answered by nobody.
    pub fn cut(&mut self, until: Time) {
        self.down_until = self.down_until.max(until);
        for flight in self.flights.iter_mut().filter(|flight| flight.is_heard) {
            flight.is_heard = false;
            flight.answer = Answer::Lost("connection reset".to_owned());
        }
    }

    /// A process was killed: what the server has not looked at yet is lost or carried out
    /// shortly; nobody hears an answer.
    pub fn orphan(&mut self, replica: usize, now: Time, dice: &mut Dice) {
        for flight in self.flights.iter_mut().filter(|flight| flight.from.0 == replica) {
            let soon = now.after(span(dice.between(1, 200)));
            flight.acts_at = flight.acts_at.filter(|_| dice.chance(50)).map(|at| at.min(soon));
        }
    }

    /// True while the server cannot be reached.
    #[must_use]
    pub fn is_down(&self, now: Time) -> bool {
        now < self.down_until
    }

    /// Puts a call on the wire at `now`.
    pub fn put(
        &mut self,
        from: (usize, u64),
        send: Send,
        now: Time,
        faults: &Faults,
        dice: &mut Dice,
    ) {
        let lost = |why: &str| Answer::Lost(why.to_owned());
        let timeout = now.after(send.timeout);
        let most = if dice.chance(faults.slow) { 2 * ms(send.timeout) } else { 20 };
        let acts_at = now.after(span(dice.between(1, most))).min(timeout);
        let back = acts_at.after(span(dice.between(1, 20)));
        let id = send.id;
        let mut flight = Flight {
            from,
            id,
            send,
            acts_at: Some(acts_at),
            answers_at: back,
            answer: lost("time-out"),
            is_heard: true,
        };
        if self.is_down(now) {
            flight.acts_at = None;
            flight.is_heard = false;
            flight.answer = Answer::Unsent("connection refused".to_owned());
        } else if dice.chance(faults.request_lost) {
            flight.acts_at = None;
            flight.is_heard = false;
            flight.answers_at = timeout;
        } else if dice.chance(faults.reply_lost) {
            flight.is_heard = false;
            flight.answers_at = if dice.chance(50) { timeout } else { back };
        } else if dice.chance(faults.turned_away) {
            flight.acts_at = None;
            flight.is_heard = false;
            flight.answer = Answer::Reply(turned_away(dice));
        } else if dice.chance(faults.failed) {
            flight.acts_at = flight.acts_at.filter(|_| dice.chance(50));
            flight.is_heard = false;
            flight.answer = Answer::Reply(Reply::code(*dice.pick(&[500, 504])));
        } else if back > timeout {
            flight.is_heard = false;
            flight.answers_at = timeout;
        }
        self.flights.push(flight);
    }

    /// Carries out what is due, in order of time, and gives the answers that arrive by `now`.
    pub fn run(
        &mut self,
        server: &mut ApiServer,
        now: Time,
    ) -> Vec<((usize, u64), CallId, Answer)> {
        loop {
            let due = self.flights.iter().enumerate().filter_map(|(index, flight)| {
                flight.acts_at.filter(|at| *at <= now).map(|at| (at, index))
            });
            let Some((at, index)) = due.min() else { break };
            let flight = &mut self.flights[index];
            flight.acts_at = None;
            let reply = server.call(flight.from.0, &flight.send.call, at);
            if flight.is_heard {
                flight.answer = Answer::Reply(reply);
            }
        }
        let (landed, flying): (Vec<Flight>, Vec<Flight>) =
            self.flights.drain(..).partition(|it| it.answers_at <= now && it.acts_at.is_none());
        self.flights = flying;
        let mut landed = landed;
        landed.sort_by_key(|flight| (flight.answers_at, flight.id));
        landed.into_iter().map(|flight| (flight.from, flight.id, flight.answer)).collect()
    }

    /// When something happens next.
    #[must_use]
    pub fn wake_at(&self) -> Option<Time> {
        let times = |flight: &Flight| flight.acts_at.unwrap_or(flight.answers_at);
        self.flights.iter().map(times).min()
    }
}

fn turned_away(dice: &mut Dice) -> Reply {
    let code = *dice.pick(&[429, 503]);
    let retry_after = dice.chance(50).then(|| Span::from_secs(1));
    Reply { retry_after, ..Reply::code(code) }
}

fn span(ms: u64) -> Span {
    Span::from_ms(i64::try_from(ms).unwrap_or(i64::MAX))
}

fn ms(span: Span) -> u64 {
    u64::try_from(span.ms()).unwrap_or(0)
}
