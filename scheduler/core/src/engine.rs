//! The engine's face: four verbs, and reading.
//!
//! Production, simulator, scenario test and benchmark drive exactly these. Next: [`crate::cycle`].

use crate::avoid::Avoided;
use crate::evict::{Budgets, Evicts, Plans};
use crate::futile::Futile;
use crate::line::GangKeyInLine;
use crate::lost::{self, Silent};
use crate::mask::Masks;
use crate::mirror::Mirror;
use crate::outbox::Outbox;
use crate::pace::Pace;
use crate::place::Scratch;
use crate::report::{CycleReport, Rejection};
use crate::rest::Rests;
use crate::run::{Parted, Run};
use crate::shares::Shares;
use crate::strict::Strict;
use crate::touched::Touched;
use crate::turn::{Turns, Users};
use crate::vacancy::Vacancy;
use crate::{fresh, hold::Hold};
use scheduler_framework::EventMask;
use scheduler_framework::profile::Profile;
use scheduler_model::effect::{EffectId, Outcome};
use scheduler_model::event::Event;
use scheduler_model::explain::Explanation;
use scheduler_model::ids::{GangId, NodeId, QueueId};
use scheduler_model::journal::Cursor;
use scheduler_model::resource::Request;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::PodSpec;
use scheduler_model::time::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// What can be tuned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// How long the first gang of a queue is blocked before it holds room; 0 is strict.
    pub hold_after: Span,
    /// How long a node is not ready before the members on it are given up for lost.
    pub node_lost_after: Span,
    /// How long a gang that lost members has room kept for their replacements.
    pub repair_grace: Span,
    /// How long a new node keeps room for its DaemonSet pods.
    pub fresh_for: Span,
    /// Steps a cycle may spend; one is about one node looked at.
    pub fuel: u64,
    /// Whether gangs may be evicted for others.
    pub evicts: Evicts,
    /// How often one gang may be evicted within an hour, at least 1.
    pub evictions_per_hour: u32,
    /// How long a gang waits for room before others are evicted for it.
    pub evict_after: Span,
    /// A queue that has all but so many hundredths of its fair share takes nothing back.
    pub share_tolerance: u8,
    /// Whether victims may be taken that disruption budgets protect.
    pub budgets: Budgets,
    /// How soon news of a large gang is followed that changes no decision.
    pub pace: Pace,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            hold_after: Span::from_secs(300),
            node_lost_after: Span::from_secs(60),
            repair_grace: Span::from_secs(120),
            fresh_for: Span::from_secs(60),
            // About a second on one core: 50,000 nodes looked at 4,000 times.
            fuel: 200_000_000,
            evicts: Evicts::Never,
            evictions_per_hour: 3,
            evict_after: Span::ZERO,
            share_tolerance: 0,
            budgets: Budgets::Keep,
            pace: Pace::default(),
        }
    }
}

/// What the engine remembers about a gang between cycles. After a restart, `run` comes from what
/// was written down, and the rest from nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    /// Facts of its current run.
    pub(crate) run: Run,
    /// What makes it active again.
    pub(crate) wakes_on: EventMask,
    /// Why it waits.
    pub(crate) explanation: Option<Box<Explanation>>,
    /// It lacks members in place for its minimum.
    pub(crate) is_short: bool,
    /// Members that left their places without having succeeded, while it is broken.
    pub(crate) vacant: Vec<PodSpec>,
    /// Where it stands among the blocked gangs, while it may hold room.
    pub(crate) blocked_at: Option<BlockedAt>,
}

/// A place among the blocked gangs.
#[derive(Clone, Debug)]
pub(crate) struct BlockedAt {
    pub(crate) queue: Option<QueueId>,
    pub(crate) user: String,
    pub(crate) key: GangKeyInLine,
}

/// The scheduler, without the world around it.
#[derive(Debug)]
pub struct Engine {
    pub(crate) snapshot: Snapshot,
    pub(crate) profile: Profile,
    pub(crate) config: Config,
    pub(crate) mirror: Mirror,
    pub(crate) masks: Masks,
    pub(crate) scratch: Scratch,
    pub(crate) shares: Shares,
    pub(crate) plans: Plans,
    pub(crate) outbox: Outbox,
    pub(crate) memory: BTreeMap<GangId, Memory>,
    /// Gangs that are considered in the next cycle.
    pub(crate) active: BTreeSet<GangId>,
    /// Gangs that news from elsewhere may make active again. The many that run are not in it.
    pub(crate) waiting: BTreeSet<GangId>,
    pub(crate) futile: Futile,
    /// Room kept on fresh nodes in the last cycle.
    pub(crate) kept: Vec<(NodeId, Request)>,
    pub(crate) woken: EventMask,
    pub(crate) changed: BTreeSet<GangId>,
    /// Large gangs of which only such news came that nothing hangs on, and when they are followed.
    pub(crate) later: BTreeMap<GangId, Time>,
    pub(crate) holds: Vec<Hold>,
    /// Gangs that were promised a start because they keep room.
    pub(crate) promised: BTreeSet<GangId>,
    /// Gangs that lack room and were not found hopeless, in line.
    pub(crate) blocked: BTreeMap<Option<QueueId>, Turns<()>>,
    /// Who stands in front and who waits behind, where queues are served strictly in order.
    pub(crate) strict: Strict,
    /// What users have where they take turns.
    pub(crate) users: Users,
    pub(crate) holds_seen: Cursor,
    /// What it costs to hold room.
    pub(crate) vacancy: Vacancy,
    pub(crate) is_unfinished: bool,
    pub(crate) touched: Touched,
    /// Gangs that lost members and have not been whole since.
    pub(crate) broken: BTreeSet<GangId>,
    /// Runs of gangs that went while they were released, until their pods are made anew.
    pub(crate) parted: Parted,
    pub(crate) silent: Silent,
    pub(crate) rests: Rests,
    pub(crate) avoided: Avoided,
    /// Not reported yet.
    pub(crate) rejections: Vec<Rejection>,
}

impl Engine {
    /// An engine that knows nothing yet.
    #[must_use]
    pub fn new(profile: Profile, config: Config) -> Self {
        Self {
            snapshot: Snapshot::default(),
            profile,
            config,
            mirror: Mirror::default(),
            masks: Masks::default(),
            scratch: Scratch::default(),
            shares: Shares::default(),
            plans: Plans::default(),
            outbox: Outbox::default(),
            memory: BTreeMap::new(),
            active: BTreeSet::new(),
            waiting: BTreeSet::new(),
            futile: Futile::default(),
            kept: Vec::new(),
            woken: EventMask::NONE,
            changed: BTreeSet::new(),
            later: BTreeMap::new(),
            holds: Vec::new(),
            promised: BTreeSet::new(),
            blocked: BTreeMap::new(),
            strict: Strict::default(),
            users: Users::default(),
            holds_seen: Cursor::default(),
            vacancy: Vacancy::default(),
            is_unfinished: false,
            touched: Touched::default(),
            broken: BTreeSet::new(),
            parted: Parted::default(),
            silent: Silent::default(),
            rests: Rests::default(),
            avoided: Avoided::default(),
            rejections: Vec::new(),
        }
    }

    /// Takes one piece of news in.
    pub fn observe(&mut self, event: Event, now: Time) {
        self.hear_of_pod(&event, now);
        let node = lost::subject(&event);
        let wake = self.mirror.observe(&mut self.snapshot, event, now);
        if let Some(node) = node {
            self.hear_of_node(&node);
        }
        for (gang, pod) in wake.departed {
            self.await_return(&pod.uid, now);
            self.note_departure(gang, pod);
        }
        for (gang, pod) in wake.arrived {
            self.end_return(gang);
            self.note_arrival(gang, pod);
        }
        self.woken |= wake.mask;
        self.touched.extend(&wake.gangs);
        self.touched.extend(&wake.beside);
        self.changed.extend(wake.gangs);
        for gang in wake.quiet {
            self.touched.extend(&[gang]);
            self.follow_later(gang, now);
        }
    }

    /// Follows a gang of which nothing changed that a decision hangs on: at once if it is small.
    fn follow_later(&mut self, gang: GangId, now: Time) {
        if self.changed.contains(&gang) {
            return;
        }
        let members = self.snapshot.gangs().get(gang).members.len();
        match self.config.pace.next(members, now) {
            Some(time) => {
                self.later.entry(gang).or_insert(time);
            }
            None => {
                self.changed.insert(gang);
            }
        }
    }

    /// Hears how an effect ended. `Done` and `Unknown` leave the pod assumed until the watch
    /// tells; only a refusal gives its room back.
    pub fn settle(&mut self, effect: EffectId, outcome: &Outcome, now: Time) {
        let Some(uid) = self.outbox.settle(effect) else { return };
        self.end_doubt(&uid);
        let Outcome::Refused(why) = outcome else { return };
        let Some(pod) = self.snapshot.pods().find(&uid) else { return };
        if self.snapshot.pods().get(pod).is_evicted {
            self.spare(&uid, now);
            return;
        }
        self.snapshot.forget(pod);
        self.rest(&uid, why, now);
        self.woken |= EventMask::ROOM_FREED | EventMask::QUEUE_CHANGED;
        let gang = self.snapshot.pods().get(pod).gang;
        self.touched.extend(&gang);
        self.changed.extend(gang);
    }

    /// Decides what can be decided now.
    pub fn cycle(&mut self, now: Time) -> CycleReport {
        self.run_cycle(now)
    }

    /// When to run the next cycle even if nothing happens; `None` if only news can help.
    #[must_use]
    pub fn wake_at(&self, now: Time) -> Option<Time> {
        let has_news = !self.woken.is_empty() || !self.changed.is_empty();
        if self.is_unfinished || has_news || self.strict.has_moved() {
            return Some(now);
        }
        let due = self
            .heads()
            .filter(|gang| !self.holds.iter().any(|hold| hold.gang == *gang))
            .filter_map(|gang| self.hold_at(gang))
            .min();
        let fresh = fresh::until(&self.snapshot, now, self.config.fresh_for);
        let others = [
            self.silent.next(),
            self.rests.next(),
            self.avoided.next(),
            self.next_repair_end(),
            self.plans.next(),
        ];
        let others = others.into_iter().flatten().chain(self.later.values().copied());
        due.into_iter().chain(fresh).chain(others).min().map(|time| time.max(now))
    }

    /// The cluster as the engine sees it.
    #[must_use]
    pub const fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The plugins in force.
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Effects not yet settled.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.outbox.len()
    }

    /// Why a gang waits, if it was considered and does.
    #[must_use]
    pub fn explanation(&self, gang: GangId) -> Option<&Explanation> {
        self.memory.get(&gang)?.explanation.as_deref()
    }

    /// Differences between the snapshot and a rebuild; empty if all is well.
    #[must_use]
    pub fn audit(&self) -> Vec<String> {
        crate::audit::audit(&self.snapshot)
    }
}
