//! What is measured: the figures of one run, and over rounds their medians and ratios.

use std::collections::BTreeMap;
use std::time::Duration;

/// One thing that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Measure {
    /// Head of its column.
    pub name: &'static str,
    /// Digits behind the point.
    pub digits: usize,
}

/// A measure.
pub const fn measure(name: &'static str, digits: usize) -> Measure {
    Measure { name, digits }
}

/// Binds over the time from the first to the last.
pub const RATE: Measure = measure("pods/s", 0);
/// Pods over the time from the start of the scheduler to the last bind.
pub const DRAIN: Measure = measure("drain pods/s", 0);
/// From the start of the scheduler to the first bind.
pub const FIRST: Measure = measure("first bind s", 2);
/// From the first to the last bind of one gang.
pub const SKEW: Measure = measure("skew p99 ms", 0);
/// Of the scheduler, from its start to the end, for a thousand pods.
pub const CPU: Measure = measure("CPU-s/1k", 2);
/// The same of the API server.
pub const API_CPU: Measure = measure("API server CPU-s/1k", 2);
/// The same of etcd.
pub const ETCD_CPU: Measure = measure("etcd CPU-s/1k", 2);
/// Most memory of the scheduler.
pub const PEAK: Measure = measure("peak MiB", 1);
/// Memory of the scheduler at the end.
pub const STEADY: Measure = measure("steady MiB", 1);
/// Writes of the scheduler for each bound pod.
pub const WRITES: Measure = measure("writes/pod", 3);
/// Cores that others than this measurement kept busy.
pub const STRANGERS: Measure = measure("others' cores", 2);
/// From creation to bind, half of the pods.
pub const WAIT_P50: Measure = measure("created→bound p50 ms", 1);
/// From creation to bind, all but one in a hundred.
pub const WAIT_P99: Measure = measure("created→bound p99 ms", 1);

/// The figures of one run, in the order in which they are shown.
#[derive(Clone, Debug, Default)]
pub struct Figures(Vec<(Measure, f64)>);

impl Figures {
    /// One more figure.
    pub fn add(&mut self, measure: Measure, value: f64) {
        self.0.push((measure, value));
    }

    /// A figure, if it was measured.
    #[must_use]
    pub fn get(&self, measure: Measure) -> Option<f64> {
        self.0.iter().find(|(it, _)| *it == measure).map(|(_, value)| *value)
    }

    /// What was measured.
    pub fn measures(&self) -> impl Iterator<Item = Measure> {
        self.0.iter().map(|(measure, _)| *measure)
    }

    /// On one line, for people who wait.
    #[must_use]
    pub fn line(&self) -> String {
        let shown = |(measure, value): &(Measure, f64)| {
            format!("{} {value:.*}", measure.name, measure.digits)
        };
        self.0.iter().map(shown).collect::<Vec<String>>().join(", ")
    }
}

/// One contestant's runs; a run without a score says why.
pub type Runs = Vec<Result<Figures, String>>;

/// All runs of one scenario, by contestant's name, round by round.
#[derive(Clone, Debug, Default)]
pub struct Scenario {
    /// What was done.
    pub title: String,
    /// In the order in which contestants are shown.
    pub rows: Vec<(String, Runs)>,
}

/// A ratio over rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Median over median.
    pub medians: f64,
    /// Least ratio of one round.
    pub least: f64,
    /// Greatest ratio of one round.
    pub most: f64,
}

impl Scenario {
    /// The runs of a contestant.
    pub fn runs(&self, name: &str) -> &[Result<Figures, String>] {
        self.rows.iter().find(|(it, _)| it == name).map_or(&[], |(_, runs)| runs)
    }

    /// The values of a measure in the rounds that have a score.
    fn values(&self, name: &str, measure: Measure) -> Vec<f64> {
        self.runs(name).iter().flatten().filter_map(|run| run.get(measure)).collect()
    }

    /// The median of a measure.
    #[must_use]
    pub fn median(&self, name: &str, measure: Measure) -> Option<f64> {
        median(self.values(name, measure))
    }

    /// A measure of one contestant over that of another, in the rounds where both have a score.
    #[must_use]
    pub fn ratio(&self, one: &str, other: &str, measure: Measure) -> Option<Ratio> {
        let of = |run: &Result<Figures, String>| run.as_ref().ok().and_then(|it| it.get(measure));
        let pairs = self.runs(one).iter().zip(self.runs(other));
        let pairs: Vec<(f64, f64)> =
            pairs.filter_map(|(one, other)| of(one).zip(of(other))).collect();
        let medians = median(pairs.iter().map(|(one, _)| *one).collect())?
            / median(pairs.iter().map(|(_, other)| *other).collect())?;
        let each = pairs.iter().map(|(one, other)| one / other);
        let least = each.clone().fold(f64::INFINITY, f64::min);
        Some(Ratio { medians, least, most: each.fold(0.0, f64::max) })
    }

    /// All measures that any run has, in order of appearance.
    #[must_use]
    pub fn measures(&self) -> Vec<Measure> {
        let mut all = Vec::new();
        for run in self.rows.iter().flat_map(|(_, runs)| runs.iter().flatten()) {
            for measure in run.measures() {
                if !all.contains(&measure) {
                    all.push(measure);
                }
            }
        }
        all
    }
}

/// The value in the middle.
#[must_use]
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) {
        Some((values.get(middle.checked_sub(1)?)? + values[middle]) / 2.0)
    } else {
        values.get(middle).copied()
    }
}

/// The least value that all but so many in a thousand do not exceed.
#[must_use]
pub fn quantile(mut spans: Vec<Duration>, permille: usize) -> Option<Duration> {
    spans.sort();
    let rank = (spans.len() * permille).div_ceil(1000).max(1);
    spans.get(rank - 1).copied()
}

/// The spread of times of each key: from its first to its last.
pub(crate) fn spreads<'a>(
    times: impl IntoIterator<Item = (&'a str, std::time::Instant)>,
) -> Vec<Duration> {
    let mut ends: BTreeMap<&str, (std::time::Instant, std::time::Instant)> = BTreeMap::new();
    for (key, at) in times {
        let (first, last) = ends.entry(key).or_insert((at, at));
        (*first, *last) = ((*first).min(at), (*last).max(at));
    }
    ends.into_values().map(|(first, last)| last.duration_since(first)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(values: &[f64]) -> Runs {
        let run = |value: &f64| {
            let mut figures = Figures::default();
            figures.add(RATE, *value);
            Ok(figures)
        };
        values.iter().map(run).collect()
    }

    #[test]
    fn a_ratio_is_of_medians_and_shows_the_spread_of_rounds() {
        let rows = vec![
            ("a".to_owned(), runs(&[100.0, 200.0, 400.0])),
            ("b".to_owned(), runs(&[100.0, 100.0, 100.0])),
        ];
        let scenario = Scenario { title: String::new(), rows };
        let ratio = scenario.ratio("a", "b", RATE);
        assert_eq!(ratio, Some(Ratio { medians: 2.0, least: 1.0, most: 4.0 }));
    }

    #[test]
    fn a_round_without_a_score_counts_for_neither() {
        let mut failed = runs(&[500.0, 300.0]);
        failed[0] = Err("half a gang".to_owned());
        let rows = vec![("a".to_owned(), failed), ("b".to_owned(), runs(&[1.0, 100.0]))];
        let ratio = Scenario { title: String::new(), rows }.ratio("a", "b", RATE);
        assert_eq!(ratio.map(|it| it.medians), Some(3.0));
    }

    #[test]
    fn medians_and_quantiles_are_those_of_the_sorted_values() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0]), Some(2.5));
        assert_eq!(median(Vec::new()), None);
        let spans = (1..=200).rev().map(Duration::from_millis).collect::<Vec<_>>();
        assert_eq!(quantile(spans.clone(), 990), Some(Duration::from_millis(198)));
        assert_eq!(quantile(spans, 500), Some(Duration::from_millis(100)));
    }
}
