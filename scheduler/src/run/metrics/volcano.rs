//! Those of Volcano's metrics that dashboards graph and that do not grow with jobs.

use super::board::{BARE, Board};
use super::busiest::{Busiest, OTHER};
use super::figures::{Figures, seconds, shown};
use super::table::{self, Row};
use prometheus::{GaugeVec, HistogramVec, IntCounterVec};
use scheduler_core::census::QueueCensus;
use scheduler_core::queues::QueueAmounts;
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
    victims: GaugeVec,
    preemptions: IntCounterVec,
    unscheduled: GaugeVec,
    used: Triple,
    limit: Triple,
    own: Triple,
    demand: Triple,
    share: GaugeVec,
    weight: GaugeVec,
    overused: GaugeVec,
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
        let victims = board.gauge(table::V_VICTIMS);
        victims.with_label_values(BARE).set(0.0);
        let preemptions = board.counter(table::V_PREEMPTIONS);
        preemptions.with_label_values(BARE).inc_by(0);
        Self {
            victims,
            preemptions,
            job: board.histogram(table::V_JOB),
            e2e: board.histogram(table::V_E2E),
            action: board.histogram(table::V_ACTION),
            attempts: board.counter(table::V_ATTEMPTS),
            unscheduled: board.gauge(table::V_UNSCHEDULED),
            used: Triple::new(
                board,
                [table::V_USED_CPU, table::V_USED_MEMORY, table::V_USED_OTHER],
            ),
            limit: Triple::new(
                board,
                [table::V_LIMIT_CPU, table::V_LIMIT_MEMORY, table::V_LIMIT_OTHER],
            ),
            own: Triple::new(board, [table::V_OWN_CPU, table::V_OWN_MEMORY, table::V_OWN_OTHER]),
            demand: Triple::new(
                board,
                [table::V_DEMAND_CPU, table::V_DEMAND_MEMORY, table::V_DEMAND_OTHER],
            ),
            share: board.gauge(table::V_SHARE),
            weight: board.gauge(table::V_WEIGHT),
            overused: board.gauge(table::V_OVERUSED),
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

    pub(super) fn evicted(&self, pods: u32) {
        self.preemptions.with_label_values(BARE).inc();
        self.victims.with_label_values(BARE).set(f64::from(pods));
    }

    pub(super) fn attempt(&self, result: &str) {
        self.attempts.with_label_values(&[result]).inc();
    }

    pub(super) fn show(&self, figures: &Figures, busiest: &Busiest) {
        self.unscheduled
            .with_label_values(BARE)
            .set(f64::from(figures.census.pending.values().sum::<u32>()));
        for triple in [&self.used, &self.limit, &self.own, &self.demand] {
            triple.reset();
        }
        for vec in [&self.share, &self.weight, &self.overused] {
            vec.reset();
        }
        for (name, queue) in &figures.census.queues {
            let label = busiest.label(name);
            let is_alone = label != OTHER;
            for (resource, amounts) in shown(&queue.amounts) {
                self.used.add(label, resource, amounts.used);
                if !is_alone {
                    continue;
                }
                if let Some(limit) = amounts.limit {
                    self.limit.add(label, resource, limit);
                }
                if amounts.entitled > Amount::ZERO || amounts.demand > Amount::ZERO {
                    self.own.add(label, resource, amounts.entitled);
                    self.demand.add(label, resource, amounts.demand);
                }
            }
            if is_alone {
                self.share.with_label_values(&[label]).set(share(queue));
                self.weight.with_label_values(&[label]).set(f64::from(queue.weight));
                let over = queue.amounts.values().any(|it| it.borrowed() > Amount::ZERO);
                self.overused.with_label_values(&[label]).set(if over { 1.0 } else { 0.0 });
            }
        }
    }
}

/// How much of what it is entitled to a queue uses, of the resource of which that is most.
#[expect(clippy::cast_precision_loss, reason = "a gauge is a float, by its format")]
fn share(queue: &QueueCensus) -> f64 {
    let parts = queue.amounts.values().filter(|it| it.entitled > Amount::ZERO);
    let parts = parts.map(|it| it.used.units() as f64 / it.entitled.units() as f64);
    // What it uses without any right to it counts as all.
    let is_beyond = |it: &QueueAmounts| it.entitled <= Amount::ZERO && it.borrowed() > Amount::ZERO;
    let least = if queue.amounts.values().any(is_beyond) { 1.0 } else { 0.0 };
    parts.fold(least, f64::max)
}

impl Triple {
    fn new(board: &Board, [cpu, memory, other]: [Row; 3]) -> Self {
        let gauge = |row| board.gauge(row);
        Self { cpu: gauge(cpu), memory: gauge(memory), other: gauge(other) }
    }

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
