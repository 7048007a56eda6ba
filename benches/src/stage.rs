//! An engine on a cluster that decides about workloads, one after the other, always from the
//! same state: what was placed ends and leaves before the next one arrives.

use crate::cluster;
use crate::workload::Workload;
use plugins::default_profile;
use scheduler_core::engine::{Config, Engine};
use scheduler_core::report::CycleReport;
use scheduler_model::effect::Outcome;
use scheduler_model::time::{Span, Time};

/// An engine in its steady state.
#[derive(Debug)]
pub struct Stage {
    engine: Engine,
    now: Time,
}

impl Stage {
    /// An engine with all plugins that knows a cluster of `nodes` nodes and has nothing to do.
    #[must_use]
    pub fn new(nodes: usize) -> Self {
        let config = Config { fuel: u64::MAX, ..Config::default() };
        let engine = Engine::new(default_profile(), config);
        let mut stage = Self { engine, now: Time::ZERO };
        for event in cluster::events(nodes) {
            stage.engine.observe(event, stage.now);
        }
        let report = stage.decide();
        assert!(report.effects.is_empty(), "everything in the cluster runs already");
        stage
    }

    /// The workload arrives; nothing is decided yet.
    pub fn arrive(&mut self, workload: &Workload) {
        self.now = self.now.after(Span::from_ms(10));
        for event in workload.arrival() {
            self.engine.observe(event, self.now);
        }
    }

    /// One cycle: what is measured.
    pub fn decide(&mut self) -> CycleReport {
        self.engine.cycle(self.now)
    }

    /// Binds end well, pods finish and are deleted, and a cycle takes notice.
    pub fn depart(&mut self, workload: &Workload, report: &CycleReport) {
        for (effect, _) in &report.effects {
            self.engine.settle(*effect, &Outcome::Done, self.now);
        }
        for event in workload.departure() {
            self.engine.observe(event, self.now);
        }
        self.engine.cycle(self.now);
    }

    /// A whole round. Panics unless every pod was placed: a benchmark of refusals would look
    /// fast and mean nothing.
    pub fn round(&mut self, workload: &Workload) -> CycleReport {
        self.arrive(workload);
        let report = self.decide();
        assert_eq!(report.effects.len(), workload.pods(), "every pod of {workload:?} is placed");
        self.depart(workload, &report);
        report
    }

    /// The engine, for reading.
    #[must_use]
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }
}
