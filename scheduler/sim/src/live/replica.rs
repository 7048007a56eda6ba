//! One muster process: the production driver, its watches, and what is between it and the wire.
//!
//! It can be killed (everything but the API objects is lost), held (as by SIGSTOP: no turn,
//! but what lies in the socket goes out) and asked to stop.

use super::server::ApiServer;
use super::watch::Watch;
use super::wire::{Faults, Wire};
use crate::worlds::Dice;
use scheduler_framework::profile::Profile;
use scheduler_live::driver::Live;
use scheduler_live::news::{End, News, Notice};
use scheduler_live::settings::Settings;
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::Answer;
use scheduler_protocol::call::{CallId, Send};

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
    /// What it told, with when.
    pub notices: Vec<(Time, Notice)>,
}

impl Replica {
    /// A process that starts at `starts_at`.
    #[must_use]
    pub fn new(index: usize, starts_at: Time, dice: &mut Dice) -> Self {
        Self {
            index,
            life: 0,
            live: None,
            watch: Watch::new(dice),
            held_until: Time::ZERO,
            starts_at,
            leaving: Vec::new(),
            inbox: Vec::new(),
            was_synced: false,
            notices: Vec::new(),
        }
    }

    /// Kills it; it starts again at `again`.
    pub fn kill(&mut self, again: Time) {
        self.live = None;
        self.starts_at = again;
        self.leaving.clear();
        self.inbox.clear();
        self.was_synced = false;
    }

    /// Holds it until `until`.
    pub fn hold(&mut self, until: Time) {
        self.held_until = self.held_until.max(until);
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
        let mut live = Live::new(profile, settings);
        for event in Watch::still(server) {
            live.take(News::Event(event), now);
        }
        self.live = Some(live);
        self.watch = Watch::new(dice);
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
        let live = self.live.as_mut()?;
        for event in self.watch.hear(server, now, dice) {
            live.take(News::Event(event), now);
        }
        let is_synced = self.watch.is_synced();
        if is_synced != self.was_synced {
            self.was_synced = is_synced;
            live.take(News::Ready(is_synced), now);
        }
        for (id, answer) in std::mem::take(&mut self.inbox) {
            live.take(News::Answer(id, answer), now);
        }
        let turn = live.turn(now);
        self.notices.extend(turn.notices.into_iter().map(|notice| (now, notice)));
        for send in turn.sends {
            let delay = if dice.chance(90) { 0 } else { dice.between(1, 5) };
            let delay = Span::from_ms(i64::try_from(delay).unwrap_or(0));
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
            if now >= send.not_after && !was_looked_at {
                self.inbox.push((send.id, Answer::Unsent("too late".to_owned())));
            } else {
                wire.put((self.index, self.life), send, now, faults, dice);
            }
        }
    }

    /// When it has something to do next.
    #[must_use]
    pub fn wake_at(&self, server: &ApiServer, now: Time) -> Option<Time> {
        let Some(live) = &self.live else { return Some(self.starts_at.max(now)) };
        let news = (!self.inbox.is_empty()).then_some(now);
        let leaving = self.leaving.iter().map(|(at, _)| *at).min();
        let next = [news, leaving, live.wake_at(now), self.watch.wake_at(server, now)];
        let next = next.into_iter().flatten().min()?;
        Some(next.max(self.held_until).max(now))
    }
}
