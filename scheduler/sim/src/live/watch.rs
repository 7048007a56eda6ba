//! What one replica has heard: per kind a place in the server's log, with a lag of its own.
//!
//! Kinds are told independently of each other, so news of different kinds arrives in any
//! order; within a kind the order holds. A watch may stall, may repeat itself, and may be cut:
//! then the kind is listed afresh, and what happened in between is never told.

use super::server::ApiServer;
use crate::worlds::Dice;
use scheduler_model::event::{Event, Kind};
use scheduler_model::time::{Span, Time};
use std::collections::BTreeMap;

/// Kinds that change while the world is played.
const LIVELY: [Kind; 3] = [Kind::Node, Kind::Pod, Kind::Gang];
/// Kinds that change besides where there are volumes.
const VOLUMES: [Kind; 2] = [Kind::Claim, Kind::Volume];
/// Kinds that stay as they were.
const STILL: [Kind; 7] = [
    Kind::Namespace,
    Kind::PriorityClass,
    Kind::Topology,
    Kind::Queue,
    Kind::Daemon,
    Kind::Pool,
    Kind::Budget,
];

/// The watches of one replica.
#[derive(Clone, Debug)]
pub struct Watch {
    sources: BTreeMap<Kind, Source>,
    /// Nothing is delayed any more.
    is_swift: bool,
}

#[derive(Clone, Debug)]
struct Source {
    /// Changes of the kind that were told.
    told: usize,
    lag: Span,
    /// Nothing arrives before this moment.
    stalled_until: Time,
    /// It was cut: the kind is listed afresh.
    is_cut: bool,
}

impl Watch {
    /// Watches that have heard nothing yet: everything is listed first.
    #[must_use]
    pub fn new(has_volumes: bool, dice: &mut Dice) -> Self {
        let source = |dice: &mut Dice| Source {
            told: 0,
            lag: draw_lag(dice),
            stalled_until: Time::ZERO,
            is_cut: true,
        };
        let volumes = VOLUMES.into_iter().filter(|_| has_volumes);
        let kinds = LIVELY.into_iter().chain(volumes);
        let sources = kinds.map(|kind| (kind, source(dice))).collect();
        Self { sources, is_swift: false }
    }

    /// What does not change, as the first thing to tell a new replica.
    #[must_use]
    pub fn still(server: &ApiServer) -> Vec<Event> {
        STILL.into_iter().flat_map(|kind| listed(server, kind)).collect()
    }

    /// True once every kind was listed.
    #[must_use]
    pub fn is_synced(&self) -> bool {
        self.sources.values().all(|source| !source.is_cut)
    }

    /// Holds back one kind until `until`; with `cut`, what happens until then is lost.
    pub fn stall(&mut self, kind: Kind, until: Time, cut: bool) {
        if let Some(source) = self.sources.get_mut(&kind) {
            source.stalled_until = source.stalled_until.max(until);
            source.is_cut |= cut;
        }
    }

    /// Holds back all kinds.
    pub fn stall_all(&mut self, until: Time, cut: bool) {
        for kind in LIVELY.into_iter().chain(VOLUMES) {
            self.stall(kind, until, cut);
        }
    }

    /// From now on every kind is told without delay.
    pub fn hurry(&mut self) {
        self.is_swift = true;
        for source in self.sources.values_mut() {
            source.lag = Span::from_ms(5);
        }
    }

    /// What arrives by `now`.
    pub fn hear(&mut self, server: &ApiServer, now: Time, dice: &mut Dice) -> Vec<Event> {
        let mut out = Vec::new();
        for (kind, source) in &mut self.sources {
            if now < source.stalled_until {
                continue;
            }
            if source.is_cut {
                source.is_cut = false;
                source.told = server.changes_of(*kind);
                out.extend(listed(server, *kind));
                continue;
            }
            while let Some((at, event)) = server.change_of(*kind, source.told) {
                if now < at.after(source.lag) {
                    break;
                }
                out.push(event.clone());
                if dice.chance(3) {
                    out.push(event.clone());
                }
                if dice.chance(2) && !self.is_swift {
                    source.lag = draw_lag(dice);
                }
                source.told += 1;
            }
        }
        out
    }

    /// When something may arrive next.
    #[must_use]
    pub fn wake_at(&self, server: &ApiServer, now: Time) -> Option<Time> {
        let next = |(kind, source): (&Kind, &Source)| {
            if source.is_cut {
                return Some(source.stalled_until.max(now));
            }
            let (at, _) = server.change_of(*kind, source.told)?;
            Some(at.after(source.lag).max(source.stalled_until).max(now))
        };
        self.sources.iter().filter_map(next).min()
    }
}

fn listed(server: &ApiServer, kind: Kind) -> Vec<Event> {
    let mut out = vec![Event::ListStart(kind)];
    out.extend(server.list(kind));
    out.push(Event::ListEnd(kind));
    out
}

/// Mostly a few milliseconds, now and then a second.
fn draw_lag(dice: &mut Dice) -> Span {
    let most = if dice.chance(10) { 1000 } else { 30 };
    Span::from_ms(i64::try_from(dice.between(1, most)).unwrap_or(1))
}
