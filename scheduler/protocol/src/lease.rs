//! Who may write: leadership by a `coordination.k8s.io` Lease.
//!
//! Invariants: the right to write is counted from before the renewing request was handed out,
//! and ends a margin before anybody else may take the lease. Others' clocks decide nothing: a
//! candidate waits until *it* has seen no change for the whole duration. Losing is final; the
//! process ends and starts afresh. A lease fences nothing by itself: what was on the wire
//! when the right ended is absorbed by the preconditions of the writes themselves.
//!
//! `now` must come from a clock that never steps back.

use crate::answer::{Answer, Body, Reply};
use crate::call::{Call, CallId, LeaseRecord, LeaseRef};
use crate::lanes::{Lane, Lanes};
use crate::meaning::{CallKind, Meaning, Refusal, meaning};
use scheduler_model::time::{Span, Time};

/// Least time between two writes of one candidate, whatever the server answers.
const PAUSE: Span = Span::from_ms(250);

/// A record may ask for this many of our own durations at most: a typing error in it must not
/// keep everybody waiting for ever.
const DURATIONS_MAX: i64 = 10;

/// Which lease, who we are, and the times of the exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseConfig {
    /// The object.
    pub lease: LeaseRef,
    /// Our name in it. No other process may ever use it: pod name, uid and chance.
    pub identity: String,
    /// How long a candidate must see no change before it takes the lease.
    pub duration: Span,
    /// How long after a renewal was sent we may write. Shorter than `duration`; the difference
    /// is the time that writes on the wire have to end.
    pub renew_deadline: Span,
    /// How often the leader renews, and what failed is tried again.
    pub retry_period: Span,
    /// How often a candidate looks.
    pub watch_period: Span,
    /// How long a lease request may take.
    pub timeout: Span,
    /// How long a new leader waits before it writes, after the lease of another ran out.
    /// With the margin above it must cover the longest time-out of a write.
    pub fence: Span,
}

impl LeaseConfig {
    /// How long a new leader waits before it writes, unless another span is set.
    pub const FENCE: Span = Span::from_secs(2);

    /// The usual times: 15 s, 10 s, 2 s. A leader that vanished is followed, and the next one
    /// writes, at most `duration + watch_period + fence` later, and a round trip or two.
    #[must_use]
    pub fn new(lease: LeaseRef, identity: String) -> Self {
        Self {
            lease,
            identity,
            duration: Span::from_secs(15),
            renew_deadline: Span::from_secs(10),
            retry_period: Span::from_secs(2),
            watch_period: Span::from_ms(500),
            timeout: Span::from_secs(3),
            fence: Self::FENCE,
        }
    }

    /// What is wrong with the times, in words that complete "the lease …"; `None` if nothing.
    #[must_use]
    pub fn fault(&self) -> Option<&'static str> {
        if self.identity.is_empty() {
            return Some("needs a name to hold it by: set identity");
        }
        if self.renew_deadline >= self.duration {
            return Some(
                "would be taken while its holder still writes: set renew_deadline \
                         below duration",
            );
        }
        if self.retry_period >= self.renew_deadline || self.retry_period == Span::ZERO {
            return Some(
                "would run out between two renewals: set retry_period above zero and \
                         below renew_deadline",
            );
        }
        if self.watch_period == Span::ZERO {
            return Some("would be read without pause: set watch_period above zero");
        }
        None
    }
}

/// Where this process stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Another leads, or nobody yet.
    Following,
    /// The lease is ours; writing begins once writes of the one before are over.
    Entering,
    /// The lease is ours and was renewed in time: writes may leave.
    Leading,
    /// The lease was ours and could not be renewed in time. Nothing leaves; it may come back
    /// as long as nobody else took it.
    Stale,
    /// Given back, or never held when it was to be given back.
    Released,
    /// Another holds it now. This is final: the process must end.
    Lost,
}

/// The machine.
#[derive(Clone, Debug)]
pub struct Lease {
    /// `None`: one replica only, without a lease.
    config: Option<LeaseConfig>,
    state: State,
    /// The record as last read or written, and when (by our clock) it was first seen so.
    seen: Option<(LeaseRecord, Time)>,
    /// The right to write: from, and up to but without.
    right: (Time, Time),
    next: Step,
    due: Time,
    wrote_at: Option<Time>,
    flight: Option<Flight>,
    is_leaving: bool,
    trouble: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Following,
    Holding,
    Released,
    Lost,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Read,
    Create,
    Replace,
}

#[derive(Clone, Debug)]
struct Flight {
    id: CallId,
    step: Step,
    sent_at: Time,
    /// What was to be written.
    record: LeaseRecord,
}

impl Lease {
    /// One replica without a lease: it may always write.
    #[must_use]
    pub fn off() -> Self {
        Self { state: State::Holding, right: (Time::ZERO, Time::NEVER), ..Self::with(None) }
    }

    /// A candidate that knows nothing yet.
    #[must_use]
    pub fn new(config: LeaseConfig) -> Self {
        Self::with(Some(config))
    }

    fn with(config: Option<LeaseConfig>) -> Self {
        Self {
            config,
            state: State::Following,
            seen: None,
            right: (Time::ZERO, Time::ZERO),
            next: Step::Read,
            due: Time::ZERO,
            wrote_at: None,
            flight: None,
            is_leaving: false,
            trouble: None,
        }
    }

    /// Where this process stands now.
    #[must_use]
    pub fn standing(&self, now: Time) -> Standing {
        match self.state {
            State::Following => Standing::Following,
            State::Released => Standing::Released,
            State::Lost => Standing::Lost,
            State::Holding if now < self.right.0 => Standing::Entering,
            State::Holding if now < self.right.1 => Standing::Leading,
            State::Holding => Standing::Stale,
        }
    }

    /// Writes may leave while `now` is before this; the start of time while none may.
    #[must_use]
    pub fn may_write_until(&self, now: Time) -> Time {
        let is_open = self.state == State::Holding && !self.is_leaving && self.right.0 <= now;
        if is_open { self.right.1 } else { Time::ZERO }
    }

    /// From when on a lease that is ours lets writes leave.
    #[must_use]
    pub const fn may_write_from(&self) -> Time {
        self.right.0
    }

    /// Who leads, as far as this process knows: where a standby sends people.
    #[must_use]
    pub fn leader(&self) -> Option<&str> {
        let holder = self.seen.as_ref().map(|(record, _)| record.holder.as_str());
        holder.filter(|holder| !holder.is_empty())
    }

    /// Why the last request for the lease came to nothing, if it did: without rights on leases,
    /// or without a server, nobody leads.
    #[must_use]
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Gives the lease back so that another can go on at once. Nothing leaves any more from
    /// here on. Only to be called once nothing is in flight, or what is in flight can hurt
    /// nobody: the next leader does not wait.
    pub fn release(&mut self, now: Time) {
        self.is_leaving = true;
        match (&self.config, self.state) {
            (None, _) => self.state = State::Released,
            (Some(_), State::Following) if self.flight.is_none() => self.state = State::Released,
            _ => self.due = now,
        }
    }

    /// When [`Lease::turn`] has something to do, or the right to write begins.
    #[must_use]
    pub fn wake_at(&self, now: Time) -> Option<Time> {
        let is_over = matches!(self.state, State::Released | State::Lost);
        if is_over || self.config.is_none() {
            return None;
        }
        let turn = self.flight.is_none().then_some(self.due);
        let is_entering = self.standing(now) == Standing::Entering;
        let entry = is_entering.then_some(self.right.0);
        turn.into_iter().chain(entry).min()
    }

    /// Queues the next request if it is time for one.
    pub fn turn(&mut self, now: Time, lanes: &mut Lanes) {
        let is_over = matches!(self.state, State::Released | State::Lost);
        let Some(config) = &self.config else { return };
        if is_over || self.flight.is_some() || now < self.due {
            return;
        }
        let record = self.wanted(config, now);
        let call = match self.next {
            Step::Read => Call::ReadLease(config.lease.clone()),
            Step::Create => Call::CreateLease(config.lease.clone(), record.clone()),
            Step::Replace => Call::ReplaceLease(config.lease.clone(), record.clone()),
        };
        let id = lanes.push(Lane::Lease, call, config.timeout, now);
        if self.next != Step::Read {
            self.wrote_at = Some(now);
        }
        self.flight = Some(Flight { id, step: self.next, sent_at: now, record });
    }

    /// Takes in the answer of a call; those of others are ignored.
    pub fn answered(&mut self, id: CallId, answer: &Answer, now: Time) {
        let Some(config) = self.config.clone() else { return };
        let Some(flight) = self.flight.take_if(|flight| flight.id == id) else { return };
        let step = flight.step;
        let kind = if step == Step::Read { CallKind::Read } else { CallKind::Lease };
        self.trouble = None;
        match (meaning(kind, answer), body(answer)) {
            (Meaning::Done, Ok(Some(record))) if step == Step::Read => {
                self.read(&config, record, now);
            }
            (Meaning::Done, record) if step != Step::Read => {
                self.wrote(&config, flight, record.ok().flatten(), now);
            }
            (Meaning::Done, record) => {
                self.trouble = Some(record.err().unwrap_or_else(|| "an empty answer".to_owned()));
                self.plan(Step::Read, now.after(config.retry_period));
            }
            (Meaning::Refused(Refusal::Gone, _), _) if step != Step::Create => {
                self.missing(&config, now);
            }
            // Somebody was faster, or our own lost write was: look who it is, at once.
            (Meaning::Refused(Refusal::Changed, _), _) => self.plan(Step::Read, now),
            (Meaning::Again { after, words }, _) => {
                let pause = after.unwrap_or(Span::ZERO);
                self.trouble = Some(words);
                self.plan(step, now.after(pause.clamp(config.retry_period, config.duration)));
            }
            // What may have been written would bear our name. Most of the wait was the time-out.
            (Meaning::Unknown(words), _) => {
                self.trouble = Some(words);
                self.plan(Step::Read, now.after(PAUSE));
            }
            (Meaning::Refused(_, words), _) => {
                self.trouble = Some(words);
                self.plan(Step::Read, now.after(config.retry_period));
            }
        }
        // A write of ours that may still have happened must be looked for before leaving.
        let is_settled = step == Step::Read || self.next != Step::Read;
        if self.is_leaving && self.state == State::Following && is_settled {
            self.state = State::Released;
        }
    }

    /// A record was read.
    fn read(&mut self, config: &LeaseConfig, record: LeaseRecord, now: Time) {
        let is_ours = record.holder == config.identity;
        let is_free = record.holder.is_empty();
        let since = match &self.seen {
            Some((known, since)) if *known == record => *since,
            _ => now,
        };
        let expiry = since.after(longest(config, record.duration));
        self.seen = Some((record, since));
        if self.state == State::Holding && !is_ours {
            // Whoever took it may write soon, or does.
            self.state = if self.is_leaving { State::Released } else { State::Lost };
        } else if is_ours {
            // An answer of ours was lost. How long ago it was written nobody can say: the right
            // to write comes with the next renewal.
            self.state = State::Holding;
            self.plan(Step::Replace, now);
        } else if is_free {
            // Given back with nothing in flight: no reason to wait.
            self.right = (now, Time::ZERO);
            self.plan(Step::Replace, now);
        } else if expiry <= now {
            self.right = (expiry.after(config.fence), Time::ZERO);
            self.plan(Step::Replace, now);
        } else {
            self.plan(Step::Read, now.after(config.watch_period).min(expiry));
        }
    }

    /// There is no such object.
    fn missing(&mut self, config: &LeaseConfig, now: Time) {
        if self.is_leaving {
            self.state = State::Released;
            return;
        }
        if self.state == State::Following {
            // Where somebody deleted it, its holder need not know yet.
            let from = match &self.seen {
                Some((record, since)) if !record.holder.is_empty() => {
                    since.after(longest(config, record.duration)).after(config.fence)
                }
                _ => now,
            };
            self.right = (from.max(now), Time::ZERO);
        }
        self.plan(Step::Create, now);
    }

    /// Our record stands in the object.
    fn wrote(
        &mut self,
        config: &LeaseConfig,
        flight: Flight,
        record: Option<LeaseRecord>,
        now: Time,
    ) {
        if flight.record.holder.is_empty() {
            self.state = State::Released;
            self.seen = Some((flight.record, now));
            return;
        }
        self.state = State::Holding;
        self.right.1 = flight.sent_at.after(config.renew_deadline);
        // Without the version of what was written the next renewal must read first.
        self.next = if record.is_some() { Step::Replace } else { Step::Read };
        self.seen = Some((record.unwrap_or(flight.record), now));
        let due = if self.is_leaving { now } else { flight.sent_at.after(config.retry_period) };
        self.plan(self.next, due);
    }

    fn plan(&mut self, step: Step, due: Time) {
        let rested = self.wrote_at.map_or(Time::ZERO, |at| at.after(PAUSE));
        self.next = step;
        self.due = if step == Step::Read { due } else { due.max(rested) };
    }

    /// What is to stand in the lease if it is written now.
    fn wanted(&self, config: &LeaseConfig, now: Time) -> LeaseRecord {
        let before = self.seen.as_ref().map(|(record, _)| record.clone()).unwrap_or_default();
        if self.is_leaving {
            let duration = Span::from_secs(1);
            return LeaseRecord { holder: String::new(), duration, renewed_at: now, ..before };
        }
        let is_ours = before.holder == config.identity;
        LeaseRecord {
            holder: config.identity.clone(),
            duration: config.duration,
            acquired_at: if is_ours { before.acquired_at } else { now },
            renewed_at: now,
            transitions: before.transitions.saturating_add(u32::from(!is_ours)),
            version: before.version,
        }
    }
}

/// How long a record of another counts: as long as it says, but never shorter than ours, since
/// its holder may be one of ours with other settings.
fn longest(config: &LeaseConfig, theirs: Span) -> Span {
    let most = Span::from_ms(config.duration.ms().saturating_mul(DURATIONS_MAX));
    theirs.clamp(config.duration, most)
}

/// The record in an answer, or why it cannot be read.
fn body(answer: &Answer) -> Result<Option<LeaseRecord>, String> {
    match answer {
        Answer::Reply(Reply { body: Body::Lease(record), .. }) => Ok(Some(record.clone())),
        Answer::Reply(Reply { body: Body::Unreadable(why), .. }) => Err(why.clone()),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests;
