//! Those of Volcano's metrics that dashboards graph and that do not grow with jobs.

use super::board::{BARE, Board};
use super::busiest::{Busiest, OTHER};
use super::figures::{Figures, seconds, shown};
use super::table;
use prometheus::{GaugeVec, HistogramVec, IntCounterVec};
use scheduler_live::news::Started;
use scheduler_model::amount::{Amount, Unit};
use std::time::Duration;

/// The metrics.
#[derive(Debug)]
pub(super) struct Volcano {
    job: HistogramVec,
    e2e: HistogramVec,
    action: HistogramVec,
    attempts: IntCounterVec,
    unscheduled: GaugeVec,
    used: Triple,
    limit: Triple,
}

/// One figure of queues, as Volcano splits it by resource.
#[derive(Debug)]
struct Triple {
    cpu: GaugeVec,
    memory: GaugeVec,
    other: GaugeVec,
}

impl Volcano {
    pub(super) fn new(board: &Board) -> Self {
        board.gauge(table::V_VICTIMS).with_label_values(BARE).set(0.0);
        board.counter(table::V_PREEMPTIONS).with_label_values(BARE).inc_by(0);
        Self {
            job: board.histogram(table::V_JOB),
            e2e: board.histogram(table::V_E2E),
            action: board.histogram(table::V_ACTION),
            attempts: board.counter(table::V_ATTEMPTS),
            unscheduled: board.gauge(table::V_UNSCHEDULED),
            used: Triple {
                cpu: board.gauge(table::V_USED_CPU),
                memory: board.gauge(table::V_USED_MEMORY),
                other: board.gauge(table::V_USED_OTHER),
            },
            limit: Triple {
                cpu: board.gauge(table::V_LIMIT_CPU),
                memory: board.gauge(table::V_LIMIT_MEMORY),
                other: board.gauge(table::V_LIMIT_OTHER),
            },
        }
    }

    pub(super) fn started(&self, started: &Started) {
        self.job.with_label_values(BARE).observe(seconds(started.wait) * 1000.0);
    }

    pub(super) fn cycle(&self, took: Duration) {
        let ms = took.as_secs_f64() * 1000.0;
        self.e2e.with_label_values(BARE).observe(ms);
        self.action.with_label_values(&["allocate"]).observe(ms);
    }

    pub(super) fn attempt(&self, result: &str) {
        self.attempts.with_label_values(&[result]).inc();
    }

    pub(super) fn show(&self, figures: &Figures, busiest: &Busiest) {
        self.unscheduled
            .with_label_values(BARE)
            .set(f64::from(figures.census.pending.values().sum::<u32>()));
        for triple in [&self.used, &self.limit] {
            triple.reset();
        }
        for (name, queue) in &figures.census.queues {
            let label = busiest.label(name);
            for (resource, amount) in shown(&queue.used) {
                self.used.add(label, resource, *amount);
            }
            for (resource, amount) in shown(&queue.limit).filter(|_| label != OTHER) {
                self.limit.add(label, resource, *amount);
            }
        }
    }
}

impl Triple {
    fn reset(&self) {
        for vec in [&self.cpu, &self.memory, &self.other] {
            vec.reset();
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a gauge is a float, by its format")]
    fn add(&self, queue: &str, resource: &str, amount: Amount) {
        let units = amount.units() as f64;
        match (resource, Unit::of(resource)) {
            ("cpu", _) => self.cpu.with_label_values(&[queue]).add(units),
            ("memory", _) => self.memory.with_label_values(&[queue]).add(units),
            // Volcano counts everything else in thousandths.
            _ => self.other.with_label_values(&[queue, resource]).add(units * 1000.0),
        }
    }
}
