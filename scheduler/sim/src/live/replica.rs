//! One muster process: the production driver, its watches, and what is between it and the wire.
//!
//! It can be killed (everything but the API objects is lost), held (as by SIGSTOP: no turn,
//! but what lies in the socket goes out) and asked to stop.

use super::server::{ApiServer, Caller};
use super::sight::{Handed, Sight};
use super::watch::Watch;
use super::wire::{Faults, Wire};
use crate::worlds::Dice;
use scheduler_framework::profile::Profile;
use scheduler_live::driver::Live;
use scheduler_live::news::{End, News, Notice};
use scheduler_live::settings::Settings;
use scheduler_model::event::Event;
use scheduler_model::spec::{GangKey, Membership};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::Answer;
use scheduler_protocol::call::{Call, CallId, Send};
use std::collections::BTreeSet;

/// One replica.
#[derive(Debug)]
pub struct Replica {
    /// Its number.
    pub index: usize,
    /// How often it was started.
    pub life: u64,
    /// The process, while it lives.
    pub live: Option<Live>,
    watch: Watch,
    /// It does nothing before this moment.
    held_until: Time,
    /// When it starts, while it does not live.
    pub starts_at: Time,
    /// Calls between the check of the right to write and the wire: put there at this moment.
    leaving: Vec<(Time, Send)>,
    inbox: Vec<(CallId, Answer)>,
    was_synced: bool,
    /// Its clock is that much ahead of the world's, in milliseconds.
    skew: i64,
    /// Calls that were handed out and not yet asked for.
    handed: Vec<Handed>,
    sight: Sight,
    /// Calls that were put on the wire and not yet asked for.
    put: Vec<(Caller, Call)>,
    /// Its lease name, in this life.
    pub identity: String,
    owners: Owners,
    /// It keeps deciding while a kind is listed again.
    is_steadfast: bool,
    /// What it told, with when.
    pub notices: Vec<(Time, Notice)>,
    has_volumes: bool,
}

impl Replica {
    /// A process that starts at `starts_at`.
    #[must_use]
    pub fn new(
        index: usize,
        (starts_at, skew): (Time, i64),
        has_volumes: bool,
        dice: &mut Dice,
    ) -> Self {
        Self {
            index,
            life: 0,
            live: None,
            watch: Watch::new(has_volumes, dice),
            held_until: Time::ZERO,
            starts_at,
            leaving: Vec::new(),
            inbox: Vec::new(),
            was_synced: false,
            skew,
            handed: Vec::new(),
            sight: Sight::default(),
            put: Vec::new(),
            identity: String::new(),
            owners: Owners::default(),
            is_steadfast: dice.chance(50),
            notices: Vec::new(),
            has_volumes,
        }
    }

    /// Kills it; it starts again at `again`.
    pub fn kill(&mut self, again: Time) {
        self.live = None;
        self.starts_at = again;
        self.leaving.clear();
        self.inbox.clear();
        self.was_synced = false;
        self.owners = Owners::default();
    }

    /// Holds it until `until`.
    pub fn hold(&mut self, until: Time) {
        self.held_until = self.held_until.max(until);
    }

    /// Asks it to stop in good order.
    pub fn retire(&mut self, now: Time) {
        let clock = self.clock(now);
        if let Some(live) = &mut self.live {
            live.take(News::Stop, clock);
        }
    }

    /// The calls that were handed out since the last time.
    pub fn take_handed(&mut self) -> Vec<Handed> {
        std::mem::take(&mut self.handed)
    }

    /// The calls that were put on the wire since the last time.
    pub fn take_put(&mut self) -> Vec<(Caller, Call)> {
        std::mem::take(&mut self.put)
    }

    /// What its clock shows.
    const fn clock(&self, now: Time) -> Time {
        Time::from_ms(now.ms() + self.skew)
    }

    /// True while it can do something.
    #[must_use]
    pub fn is_up(&self, now: Time) -> bool {
        self.live.is_some() && self.held_until <= now
    }

    /// Its watches.
    pub const fn watch(&mut self) -> &mut Watch {
        &mut self.watch
    }

    /// Starts it if it is time.
    pub fn start(
        &mut self,
        server: &ApiServer,
        make: impl Fn(u64) -> (Profile, Settings),
        now: Time,
        dice: &mut Dice,
    ) {
        if self.live.is_some() || now < self.starts_at {
            return;
        }
        self.life += 1;
        let (profile, settings) = make(self.life);
        let lease = settings.lease.as_ref();
        self.identity = lease.map(|lease| lease.identity.clone()).unwrap_or_default();
        let mut live = Live::new(profile, settings);
        for event in Watch::still(server) {
            live.take(News::Event(event), self.clock(now));
        }
        self.live = Some(live);
        self.sight = Sight::default();
        self.watch = Watch::new(self.has_volumes, dice);
    }

    /// An answer for it arrived.
    pub fn land(&mut self, life: u64, id: CallId, answer: Answer) {
        if self.live.is_some() && life == self.life {
            self.inbox.push((id, answer));
        }
    }

    /// Hears what there is to hear and takes one turn; true if anything moved.
    pub fn turn(&mut self, server: &ApiServer, now: Time, dice: &mut Dice) -> Option<End> {
        if !self.is_up(now) {
            return None;
        }
        let clock = self.clock(now);
        let live = self.live.as_mut()?;
        for event in self.watch.hear(server, now, dice) {
            self.sight.hear(&event);
            if let Some(owner) = self.owners.of(&event, server) {
                live.take(News::Event(owner), clock);
            }
            live.take(News::Event(event), clock);
        }
        let is_synced = self.watch.is_synced() || (self.is_steadfast && self.was_synced);
        if is_synced != self.was_synced {
            self.was_synced = is_synced;
            live.take(News::Ready(is_synced), clock);
        }
        for (id, answer) in std::mem::take(&mut self.inbox) {
            live.take(News::Answer(id, answer), clock);
        }
        let turn = live.turn(clock);
        self.notices.extend(turn.notices.into_iter().map(|notice| (now, notice)));
        for send in turn.sends {
            let delay = if dice.chance(90) { 0 } else { dice.between(1, 5) };
            let delay = Span::from_ms(i64::try_from(delay).unwrap_or(0));
            self.handed.push(self.sight.judge(&send.call));
            self.leaving.push((now.after(delay), send));
        }
        turn.end
    }

    /// Puts on the wire what leaves by `now`. The right to write is looked at first; a process
    /// held just after that look puts it there when it goes on.
    pub fn post(&mut self, wire: &mut Wire, now: Time, faults: &Faults, dice: &mut Dice) {
        if self.live.is_none() || now < self.held_until {
            return;
        }
        let (due, later): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.leaving).into_iter().partition(|(at, _)| *at <= now);
        self.leaving = later;
        for (at, send) in due {
            let was_looked_at = at < self.held_until && dice.chance(50);
            let is_late = self.clock(now) >= send.not_after;
            if is_late && !was_looked_at {
                self.inbox.push((send.id, Answer::Unsent("too late".to_owned())));
            } else {
                let from = Caller { replica: self.index, life: self.life, is_late };
                self.put.push((from, send.call.clone()));
                wire.put(from, send, now, faults, dice);
            }
        }
    }

    /// When it has something to do next.
    #[must_use]
    pub fn wake_at(&self, server: &ApiServer, now: Time) -> Option<Time> {
        let Some(live) = &self.live else { return Some(self.starts_at.max(now)) };
        let news = (!self.inbox.is_empty()).then_some(now);
        let leaving = self.leaving.iter().map(|(at, _)| *at).min();
        let wake = live
            .wake_at(self.clock(now))
            .map(|at| Time::from_ms(at.ms().saturating_sub(self.skew)));
        let next = [news, leaving, wake, self.watch.wake_at(server, now)];
        let next = next.into_iter().flatten().min()?;
        Some(next.max(self.held_until).max(now))
    }
}

/// Controllers that were told of: a pod is told only once its controller was looked up.
#[derive(Clone, Debug, Default)]
struct Owners(BTreeSet<GangKey>);

impl Owners {
    /// The controller that is to be told before this event.
    fn of(&mut self, event: &Event, server: &ApiServer) -> Option<Event> {
        let Event::Pod(pod) = event else { return None };
        let Membership::Owner(key) = &pod.membership else { return None };
        let owner = server.gangs.get(key)?;
        self.0.insert(key.clone()).then(|| Event::Gang(Box::new(owner.clone())))
    }
}
