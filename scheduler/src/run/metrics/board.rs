//! Rows of the table become metrics of the library that serves them.

use super::table::{Kind, Row};
use prometheus::core::Collector;
use prometheus::{GaugeVec, HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry};

/// Where metrics are registered.
#[derive(Debug, Default)]
pub(super) struct Board {
    registry: Registry,
}

impl Board {
    pub(super) fn counter(&self, row: Row) -> IntCounterVec {
        assert!(matches!(row.kind, Kind::Counter), "{} is no counter", row.name);
        let made = IntCounterVec::new(Opts::new(row.name, row.help), row.labels);
        self.register(row, made)
    }

    /// A counter of seconds.
    pub(super) fn sum(&self, row: Row) -> prometheus::CounterVec {
        assert!(matches!(row.kind, Kind::Counter), "{} is no counter", row.name);
        let made = prometheus::CounterVec::new(Opts::new(row.name, row.help), row.labels);
        self.register(row, made)
    }

    pub(super) fn gauge(&self, row: Row) -> GaugeVec {
        assert!(matches!(row.kind, Kind::Gauge), "{} is no gauge", row.name);
        let made = GaugeVec::new(Opts::new(row.name, row.help), row.labels);
        self.register(row, made)
    }

    pub(super) fn histogram(&self, row: Row) -> HistogramVec {
        let Kind::Histogram(bounds) = row.kind else { panic!("{} is no histogram", row.name) };
        let options = HistogramOpts::new(row.name, row.help).buckets(bounds.to_vec());
        self.register(row, HistogramVec::new(options, row.labels))
    }

    fn register<T>(&self, row: Row, made: prometheus::Result<T>) -> T
    where
        T: Collector + Clone + 'static,
    {
        let made = made.unwrap_or_else(|error| panic!("{}: {error}", row.name));
        let registered = self.registry.register(Box::new(made.clone()));
        registered.unwrap_or_else(|error| panic!("{}: {error}", row.name));
        made
    }

    pub(super) const fn registry(&self) -> &Registry {
        &self.registry
    }
}

/// The one series of a metric without labels.
pub(super) const BARE: &[&str] = &[];
