//! The cluster in numbers at one moment, and the gauges that show it.
//!
//! Invariant: gauges are written as a whole when somebody looks, so that nothing of a queue
//! or resource that is gone stays behind.

use super::Metrics;
use super::board::BARE;
use super::busiest::{Busiest, OTHER};
use super::table::{self, Row};
use scheduler_core::census::Census;
use scheduler_core::queues::QueueAmounts;
use scheduler_model::amount::{Amount, Unit};
use scheduler_model::time::Span;
use std::collections::{BTreeMap, BTreeSet};

/// The cluster in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// What the engine counts.
    pub census: Census,
    /// Number of nodes.
    pub nodes: u64,
    /// Things wrong with objects.
    pub problems: u64,
}

/// Most resources that have series: nobody graphs more, and a cluster may have hundreds.
const RESOURCES_MAX: usize = 12;

/// Series of shares there may be whatever the number of queues: the busiest have them.
const SHARE_SERIES: usize = 200;

/// So many more for each queue that has no series of its own: about what those would be.
const SPARED_SERIES: usize = 30;

/// One of a queue's amounts.
pub(super) type Part = fn(&QueueAmounts) -> Amount;

/// The gauges of shares, and what each shows.
pub(super) const SHARES: [(Row, Part); 6] = [
    (table::QUEUE_DEDICATED, |it| it.kept),
    (table::QUEUE_ENTITLED, |it| it.entitled),
    (table::QUEUE_DESERVED, |it| it.deserved),
    (table::QUEUE_FAIR, |it| it.fair),
    (table::QUEUE_DEMAND, |it| it.demand),
    (table::QUEUE_BORROWED, QueueAmounts::borrowed),
];

impl Metrics {
    /// Shows the cluster; `None` where this replica does not lead and knows less than the one
    /// that does.
    pub(super) fn show(&self, figures: Option<&Figures>) {
        for vec in [
            &self.pending,
            &self.oldest,
            &self.queue_used,
            &self.queue_limit,
            &self.node_resources,
            &self.nodes,
            &self.problems,
        ] {
            vec.reset();
        }
        self.shares.iter().for_each(|(vec, _)| vec.reset());
        let Some(figures) = figures else { return };
        let census = &figures.census;
        self.forget_queues(|queue| census.queues.contains_key(queue));
        let busiest = self.busiest.lock().expect("nobody panics while holding it");
        for ((queue, reason), count) in &census.pending {
            self.pending.with_label_values(&[busiest.label(queue), reason]).add(f64::from(*count));
        }
        for (queue, span) in &census.oldest {
            let gauge = self.oldest.with_label_values(&[busiest.label(queue)]);
            gauge.set(gauge.get().max(seconds(*span)));
        }
        self.idle.show(&census.vacancy, &busiest);
        self.show_queues(census, &busiest);
        for (resource, sums) in shown(&census.nodes) {
            for (state, amount) in
                [("capacity", sums.capacity), ("used", sums.used), ("free", sums.free)]
            {
                let gauge = self.node_resources.with_label_values(&[resource.as_str(), state]);
                gauge.set(base(resource, amount));
            }
        }
        self.nodes.with_label_values(BARE).set(float(figures.nodes));
        self.problems.with_label_values(BARE).set(float(figures.problems));
        if let Some(volcano) = &self.volcano {
            volcano.show(figures, &busiest);
        }
    }

    fn show_queues(&self, census: &Census, busiest: &Busiest) {
        let resources: BTreeSet<&String> = census
            .queues
            .values()
            .flat_map(|it| shown(&it.amounts))
            .map(|(name, _)| name)
            .collect();
        let each = resources.len().max(1) * SHARES.len();
        let first = busiest.first((SHARE_SERIES + SPARED_SERIES * busiest.spare()) / each);
        for (name, queue) in &census.queues {
            let label = busiest.label(name);
            for (resource, amounts) in shown(&queue.amounts) {
                let labels = &[label, resource];
                let gauge = self.queue_used.with_label_values(labels);
                gauge.add(base(resource, amounts.used));
                // A sum of ceilings or of parts at different levels would say nothing.
                if label == OTHER {
                    continue;
                }
                if let Some(limit) = amounts.limit {
                    self.queue_limit.with_label_values(labels).set(base(resource, limit));
                }
                if first.contains(label) {
                    self.show_shares(labels, amounts);
                }
            }
        }
    }

    fn show_shares(&self, labels: &[&str; 2], amounts: &QueueAmounts) {
        // Nobody divides it, as the number of pods where no queue has a quota of them.
        if (amounts.entitled, amounts.demand) == (Amount::ZERO, Amount::ZERO) {
            return;
        }
        let is_absent = |row: usize, amount| row == 0 && amount == Amount::ZERO;
        for (index, (vec, of)) in self.shares.iter().enumerate() {
            let amount = of(amounts);
            if !is_absent(index, amount) {
                vec.with_label_values(labels).set(base(labels[1], amount));
            }
        }
    }
}

/// The resources that have series: the best known first, then by name.
pub(super) fn shown<T>(all: &BTreeMap<String, T>) -> impl Iterator<Item = (&String, &T)> {
    let rank = |name: &str| match name {
        "cpu" | "memory" | "pods" => 0,
        name if name.contains('/') => 1,
        _ => 2,
    };
    let mut sorted: Vec<(&String, &T)> = all.iter().collect();
    sorted.sort_by_key(|(name, _)| (rank(name), name.as_str()));
    sorted.into_iter().take(RESOURCES_MAX)
}

/// An amount in the base unit that Prometheus asks for: cores, bytes, pieces.
#[expect(clippy::cast_precision_loss, reason = "a gauge is a float, by its format")]
pub(super) fn base(resource: &str, amount: Amount) -> f64 {
    let units = amount.units() as f64;
    match Unit::of(resource) {
        Unit::Milli => units / 1000.0,
        Unit::Byte | Unit::Count => units,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a gauge is a float, by its format")]
pub(super) fn float(count: u64) -> f64 {
    count as f64
}

#[expect(clippy::cast_precision_loss, reason = "metrics count in seconds, as floats")]
pub(super) fn seconds(span: Span) -> f64 {
    span.ms() as f64 / 1000.0
}
