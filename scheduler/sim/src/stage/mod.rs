//! A virtual clock and a virtual cluster that drive the production engine through its four
//! verbs. `muster simulate`, scenario tests and property tests all play on it.
//!
//! What is played: pods arrive, are bound at once and run at once, end after their run time
//! and stay as finished objects; controllers create pods at their pace. What is not: images
//! to pull, failing nodes, replacements of pods that were lost.
//!
//! Rules of time, for one moment: pods end, others arrive, controllers create; then cycles run
//! until nothing moves. An end without a run time (hint of the pod, its controller or gang,
//! else the gang's walltime, else the pod's) never comes, and neither does one by a walltime
//! that had already passed at the start: nobody knows when such a pod ends.
//!
//! Invariant: the same world and options give the same run, for ever, on any machine. Next:
//! `play.rs` (one moment, step by step), `load.rs` (worlds in and out), `controller.rs`.

mod act;
mod agenda;
mod claims;
mod controller;
mod judge;
mod load;
mod objects;
mod parts;
mod play;
mod report;

pub use objects::Objects;
pub use report::{Fault, Happening, RunReport};

pub(crate) use play::ended;

use agenda::Agenda;
use controller::Controllers;
use judge::Judge;
use scheduler_core::engine::{Config, Engine};
use scheduler_framework::profile::Profile;
use scheduler_model::amount::Amount;
use scheduler_model::queue::Measure;
use scheduler_model::spec::{GangKey, Resources};
use scheduler_model::time::{Span, Time};
use scheduler_model::world::{SimHints, World};
use std::collections::{BTreeMap, BTreeSet};

/// How to play.
#[derive(Clone, Debug)]
pub struct Options {
    /// When virtual time begins; `None` is the latest moment that an object mentions, and not
    /// before 0.
    pub start: Option<Time>,
    /// The run stops so long after its start, whatever is still to come.
    pub until: Option<Span>,
    /// The engine's numbers.
    pub config: Config,
    /// How long an evicted pod takes to go.
    pub grace: Span,
    /// The plugins in force.
    pub profile: Profile,
    /// Judge every cycle with the checker, audit the snapshot, and try whether a quiet cycle
    /// stays quiet. Costs far more than the cycles themselves.
    pub check: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            start: None,
            until: None,
            config: Config::default(),
            grace: Span::ZERO,
            profile: plugins::default_profile(),
            check: false,
        }
    }
}

/// A virtual cluster with the engine on top.
#[derive(Debug)]
pub struct Stage {
    engine: Engine,
    objects: Objects,
    agenda: Agenda,
    controllers: Controllers,
    judge: Option<Judge>,
    pod_hints: BTreeMap<String, SimHints>,
    gang_hints: BTreeMap<GangKey, SimHints>,
    start: Time,
    until: Option<Time>,
    now: Time,
    /// Nothing moves any more at the present moment.
    is_settled: bool,
    fuel: u64,
    /// Pods that were bound since ends were last planned.
    fresh: BTreeSet<String>,
    /// Number of unfinished members of ours.
    unfinished: BTreeMap<GangKey, u32>,
    /// Gangs with a member that got a place since they last ended.
    running: BTreeSet<GangKey>,
    /// Gangs that lost an unfinished member since ends were last told.
    fallen: BTreeSet<GangKey>,
    touched: BTreeSet<GangKey>,
    /// Pods whose binds are refused, by uid.
    pub(crate) refusing: BTreeSet<String>,
    timeline: Vec<(Time, Happening)>,
    grace: Span,
    violations: Vec<String>,
    cycles: u64,
}

impl Stage {
    /// A stage set with `world`, before its first cycle.
    #[must_use]
    pub fn new(world: World, options: Options) -> Self {
        let start = options.start.unwrap_or_else(|| load::start_of(&world));
        let mut stage = Self {
            fuel: options.config.fuel,
            engine: Engine::new(options.profile, options.config),
            objects: Objects::default(),
            agenda: Agenda::default(),
            controllers: Controllers::default(),
            judge: options.check.then(Judge::default),
            pod_hints: BTreeMap::new(),
            gang_hints: BTreeMap::new(),
            start,
            grace: options.grace,
            until: options.until.map(|span| start.after(span)),
            now: start,
            is_settled: false,
            fresh: BTreeSet::new(),
            unfinished: BTreeMap::new(),
            running: BTreeSet::new(),
            fallen: BTreeSet::new(),
            touched: BTreeSet::new(),
            refusing: BTreeSet::new(),
            timeline: Vec::new(),
            violations: Vec::new(),
            cycles: 0,
        };
        stage.add(world);
        stage.touched.clear();
        stage
    }

    /// What the clock says.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// When virtual time began.
    #[must_use]
    pub const fn start(&self) -> Time {
        self.start
    }

    /// The engine, to read from.
    #[must_use]
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The objects of the virtual cluster.
    #[must_use]
    pub const fn objects(&self) -> &Objects {
        &self.objects
    }

    /// Gangs whose pods were created, changed or deleted since this was last asked.
    pub fn take_touched(&mut self) -> BTreeSet<GangKey> {
        std::mem::take(&mut self.touched)
    }

    /// What the checker and the audits found so far.
    #[must_use]
    pub fn violations(&self) -> &[String] {
        &self.violations
    }

    /// All that happened so far.
    #[must_use]
    pub fn timeline(&self) -> &[(Time, Happening)] {
        &self.timeline
    }

    /// What each queue and all below it use now, over all flavours.
    #[must_use]
    pub fn queue_use(&self) -> BTreeMap<String, Resources> {
        let snapshot = self.engine.snapshot();
        let used = |queue: &scheduler_model::queue::Queue| -> Resources {
            let resources = snapshot.resources();
            let by_name = resources.ids().map(|id| {
                let used = queue.used(Measure { flavour: None, resource: id });
                (resources.name(id).to_owned(), Amount::saturating(used))
            });
            by_name.filter(|(_, amount)| *amount != Amount::ZERO).collect()
        };
        snapshot.queues().iter().map(|(_, row)| (row.spec.name.clone(), used(row))).collect()
    }

    /// The run so far.
    #[must_use]
    pub fn report(&self) -> RunReport {
        RunReport {
            started_at: self.start,
            ended_at: self.now,
            timeline: self.timeline.clone(),
            gangs: self.engine.gangs(),
            problems: self.engine.snapshot().problems().cloned().collect(),
            queues: self.queue_use(),
            cycles: self.cycles,
            violations: self.violations.clone(),
        }
    }
}
