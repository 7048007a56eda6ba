//! The network between a replica and the API server: what becomes of a call, and when.
//!
//! Invariants: a call is carried out at most once, and never later than one time-out after it
//! was put on the wire; whoever sent it hears exactly one answer. An answer that says that
//! nothing is known may come long before the call is carried out.

use super::server::{ApiServer, Caller};
use crate::worlds::Dice;
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::{Answer, Reply};
use scheduler_protocol::call::{Call, CallId, Send};
use std::collections::BTreeSet;

/// How often what goes wrong, in percent of the calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The request never arrives.
    pub request_lost: u64,
    /// It is carried out, the answer never arrives: known at the time-out, or at once because
    /// the connection broke; then it is often carried out only afterwards.
    pub reply_lost: u64,
    /// Answered 429 or 503 without being carried out.
    pub turned_away: u64,
    /// Answered 500 or 504, carried out or not, before or after.
    pub failed: u64,
    /// Takes seconds instead of milliseconds.
    pub slow: u64,
}

/// A call on its way.
#[derive(Clone, Debug)]
struct Flight {
    from: Caller,
    send: Send,
    /// When it is carried out, if it is and was not yet.
    acts_at: Option<Time>,
    /// When its answer arrives, if it did not yet.
    answers_at: Option<Time>,
    answer: Answer,
    /// The answer is what the server says when it is carried out.
    is_heard: bool,
}

/// An answer on arrival.
#[derive(Clone, Debug)]
pub struct Landing {
    /// Whose call it was.
    pub to: Caller,
    /// The call there.
    pub id: CallId,
    /// What the call was.
    pub call: Call,
    /// How it ended.
    pub answer: Answer,
}

/// All calls on their way.
#[derive(Clone, Debug, Default)]
pub struct Wire {
    flights: Vec<Flight>,
    /// The server cannot be reached before this moment.
    down_until: Time,
    /// Calls that were carried out and not yet asked for.
    done: Vec<(Caller, Call)>,
    /// Pods whose next bind stays in doubt.
    doomed: BTreeSet<String>,
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
        for flight in self.flights.iter_mut().filter(|flight| flight.from.replica == replica) {
            let soon = now.after(span(dice.between(1, 200)));
            flight.acts_at = flight.acts_at.filter(|_| dice.chance(50)).map(|at| at.min(soon));
        }
    }

    /// The answer to the next bind of this pod is lost at once; it is carried out late or never.
    pub fn doom(&mut self, uid: &str) {
        self.doomed.insert(uid.to_owned());
    }

    fn is_doomed(&mut self, call: &Call) -> bool {
        matches!(call, Call::Bind { pod, .. } if self.doomed.remove(&pod.uid))
    }

    /// True while the server cannot be reached.
    #[must_use]
    pub fn is_down(&self, now: Time) -> bool {
        now < self.down_until
    }

    /// Puts a call on the wire at `now`.
    pub fn put(&mut self, from: Caller, send: Send, now: Time, faults: &Faults, dice: &mut Dice) {
        let lost = |why: &str| Answer::Lost(why.to_owned());
        let timeout = now.after(send.timeout);
        let most = if dice.chance(faults.slow) { 2 * ms(send.timeout) } else { 20 };
        let acts_at = now.after(span(dice.between(1, most))).min(timeout);
        let back = acts_at.after(span(dice.between(1, 20)));
        let mut flight = Flight {
            from,
            send,
            acts_at: Some(acts_at),
            answers_at: Some(back),
            answer: lost("time-out"),
            is_heard: true,
        };
        let early = Some(now.after(span(dice.between(1, 40))));
        if self.is_down(now) {
            flight.acts_at = None;
            flight.answer = Answer::Unsent("connection refused".to_owned());
        } else if self.is_doomed(&flight.send.call) {
            let late = now.after(span(dice.between(100, 4_000)));
            flight.acts_at = Some(late.min(timeout)).filter(|_| dice.chance(50));
            flight.answers_at = early;
        } else if dice.chance(faults.request_lost) {
            flight.acts_at = None;
            flight.answers_at = Some(timeout);
        } else if dice.chance(faults.reply_lost) {
            flight.answers_at = *dice.pick(&[Some(timeout), Some(back), early]);
        } else if dice.chance(faults.turned_away) {
            flight.acts_at = None;
            flight.answer = Answer::Reply(turned_away(dice));
        } else if dice.chance(faults.failed) {
            flight.acts_at = flight.acts_at.filter(|_| dice.chance(50));
            flight.answers_at = *dice.pick(&[Some(back), early]);
            flight.answer = Answer::Reply(Reply::code(*dice.pick(&[500, 504])));
        } else if back > timeout {
            flight.answers_at = Some(timeout);
        } else {
            self.flights.push(flight);
            return;
        }
        flight.is_heard = false;
        self.flights.push(flight);
    }

    /// Carries out what is due, in order of time, and gives the answers that arrive by `now`.
    pub fn run(&mut self, server: &mut ApiServer, now: Time) -> Vec<Landing> {
        loop {
            let due = self.flights.iter().enumerate().filter_map(|(index, flight)| {
                flight.acts_at.filter(|at| *at <= now).map(|at| (at, index))
            });
            let Some((at, index)) = due.min() else { break };
            let flight = &mut self.flights[index];
            flight.acts_at = None;
            let reply = server.call(flight.from, &flight.send.call, at);
            self.done.push((flight.from, flight.send.call.clone()));
            if flight.is_heard {
                flight.answer = Answer::Reply(reply);
            }
        }
        let mut landed = Vec::new();
        for flight in &mut self.flights {
            if let Some(at) = flight.answers_at.take_if(|at| *at <= now) {
                let (id, call) = (flight.send.id, flight.send.call.clone());
                let answer = flight.answer.clone();
                landed.push((at, Landing { to: flight.from, id, call, answer }));
            }
        }
        self.flights.retain(|flight| flight.acts_at.is_some() || flight.answers_at.is_some());
        landed.sort_by_key(|(at, landing)| (*at, landing.id));
        landed.into_iter().map(|(_, landing)| landing).collect()
    }

    /// The calls that were carried out since the last time.
    pub fn take_done(&mut self) -> Vec<(Caller, Call)> {
        std::mem::take(&mut self.done)
    }

    /// When something happens next.
    #[must_use]
    pub fn wake_at(&self) -> Option<Time> {
        let times = |flight: &Flight| flight.acts_at.into_iter().chain(flight.answers_at).min();
        self.flights.iter().filter_map(times).min()
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
