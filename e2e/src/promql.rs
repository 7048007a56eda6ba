//! What dashboards and alert rules ask of a Prometheus: queries, and the metrics and labels in
//! them.
//!
//! PromQL is scanned for names, not parsed; promtool parses it in the tests. All labels of a
//! query are counted for all its metrics. Where metrics of different labels meet in one query,
//! those behind `/ scalar(` are taken by themselves.

use crate::fault::{Fault, Trying};
use crate::manifests::{folder, objects, text};
use serde_json::Value;
use std::collections::BTreeSet;

/// Words of PromQL that are no metrics.
const WORDS: &[&str] = &["and", "or", "unless", "bool", "offset", "inf", "nan"];

/// Words before a list of labels in parentheses.
const BEFORE_LABELS: &[&str] = &["by", "without", "on", "ignoring", "group_left", "group_right"];

/// One query of a dashboard or rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Query {
    /// File and panel, or alert.
    pub place: String,
    /// PromQL, with Grafana's variables in dashboards.
    pub promql: String,
    /// Labels that the text shown beside the result names.
    pub shown: BTreeSet<String>,
}

/// A metric and the labels that are asked of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// Name as it is scraped, with `_bucket` and the like.
    pub metric: String,
    /// Labels, without those that the scraping itself adds.
    pub labels: BTreeSet<String>,
}

/// Labels that Prometheus itself adds.
const ADDED: &[&str] = &["instance", "job", "namespace", "pod", "__name__"];

impl Query {
    /// The query with Grafana's variables filled in: all queues, one resource, a short interval.
    #[must_use]
    pub fn filled(&self, resource: &str) -> String {
        let text = self.promql.replace("$__rate_interval", "1m").replace("$queue", ".*");
        text.replace("$resource", resource)
    }

    /// Every metric in it, with its labels.
    #[must_use]
    pub fn uses(&self) -> BTreeSet<Use> {
        let mut uses = BTreeSet::new();
        for (index, part) in self.promql.split("/ scalar(").enumerate() {
            let (metrics, mut labels) = names(part);
            // A scalar has no labels to show.
            labels.extend(self.shown.iter().filter(|_| index == 0).cloned());
            labels.retain(|label| !ADDED.contains(&label.as_str()));
            uses.extend(metrics.into_iter().map(|metric| Use { metric, labels: labels.clone() }));
        }
        uses
    }
}

/// All queries of all dashboards. The values that a dashboard's variables offer are queries too.
pub fn dashboards() -> Result<Vec<Query>, Fault> {
    let mut queries = Vec::new();
    for (file, dashboard) in dashboard_files()? {
        for panel in dashboard["panels"].as_array().into_iter().flatten() {
            let place = format!("{file}: {}", panel["title"].as_str().unwrap_or_default());
            for target in panel["targets"].as_array().into_iter().flatten() {
                let promql = target["expr"].as_str().unwrap_or_default().to_owned();
                let shown = in_braces(target["legendFormat"].as_str().unwrap_or_default());
                queries.push(Query { place: place.clone(), promql, shown });
            }
        }
        for variable in dashboard["templating"]["list"].as_array().into_iter().flatten() {
            let Some(text) = variable["query"]["query"].as_str() else { continue };
            let place = format!("{file}: variable {}", variable["name"]);
            let inner = text.strip_prefix("label_values(").and_then(|it| it.strip_suffix(')'));
            let Some((metric, label)) = inner.and_then(|inner| inner.split_once(", ")) else {
                return Err(Fault::new(format!("{place}: write label_values(METRIC, LABEL)")));
            };
            let shown = BTreeSet::from([label.to_owned()]);
            queries.push(Query { place, promql: metric.to_owned(), shown });
        }
    }
    Ok(queries)
}

/// All dashboards by file name, as JSON.
pub fn dashboard_files() -> Result<Vec<(String, Value)>, Fault> {
    let folder = folder().join("monitoring/dashboards");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).trying(|| format!("listing {}", folder.display()))? {
        let path = entry.trying(|| format!("listing {}", folder.display()))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let json = text(&format!("monitoring/dashboards/{name}"))?;
        files.push((
            name.clone(),
            serde_json::from_str(&json).trying(|| format!("reading {name}"))?,
        ));
    }
    files.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(files)
}

/// The queries of all alert rules; what their texts show counts.
pub fn alerts() -> Result<Vec<Query>, Fault> {
    let mut queries = Vec::new();
    for file in objects(&text("monitoring/alerts.yaml")?)? {
        for group in file["groups"].as_array().into_iter().flatten() {
            for rule in group["rules"].as_array().into_iter().flatten() {
                let texts = rule["annotations"].as_object().into_iter().flatten();
                let shown = texts
                    .flat_map(|(_, text)| in_braces(text.as_str().unwrap_or_default()))
                    .filter_map(|inner| inner.strip_prefix("$labels.").map(str::to_owned))
                    .collect();
                queries.push(Query {
                    place: rule["alert"].as_str().unwrap_or_default().to_owned(),
                    promql: rule["expr"].as_str().unwrap_or_default().to_owned(),
                    shown,
                });
            }
        }
    }
    Ok(queries)
}

/// What stands in `{{ … }}`.
fn in_braces(text: &str) -> BTreeSet<String> {
    let parts = text.split("{{").skip(1).filter_map(|rest| rest.split("}}").next());
    parts.map(|part| part.trim().to_owned()).collect()
}

/// Metrics and labels of a query.
fn names(promql: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut metrics, mut labels) = (BTreeSet::new(), BTreeSet::new());
    let tokens = tokens(promql);
    let mut closes = None;
    for (index, token) in tokens.iter().enumerate() {
        let next = tokens.get(index + 1).map(String::as_str);
        match token.as_str() {
            "{" => closes = Some("}"),
            "(" if index > 0 && BEFORE_LABELS.contains(&tokens[index - 1].as_str()) => {
                closes = Some(")");
            }
            end if closes == Some(end) => closes = None,
            word if !word.starts_with(is_first) => {}
            label if closes.is_some() => {
                labels.insert(label.to_owned());
            }
            // A function, or an aggregation with its labels in front.
            _ if matches!(next, Some("(" | "by" | "without")) => {}
            word if WORDS.contains(&word) || BEFORE_LABELS.contains(&word) => {}
            metric => {
                metrics.insert(metric.to_owned());
            }
        }
    }
    (metrics, labels)
}

/// Names and signs; without numbers, quoted texts and ranges.
fn tokens(promql: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = promql;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            '[' => rest.find(']').map_or(rest.len(), |end| end + 1),
            _ if is_first(first) || first.is_ascii_digit() => {
                rest.find(|it: char| !is_first(it) && !it.is_ascii_digit()).unwrap_or(rest.len())
            }
            other => other.len_utf8(),
        };
        let is_kept = is_first(first) || matches!(first, '{' | '}' | '(' | ')');
        if is_kept {
            tokens.push(rest[..length].to_owned());
        }
        rest = &rest[length..];
    }
    tokens
}

const fn is_first(letter: char) -> bool {
    letter.is_ascii_alphabetic() || matches!(letter, '_' | ':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(promql: &str) -> (Vec<String>, Vec<String>) {
        let (metrics, labels) = names(promql);
        (metrics.into_iter().collect(), labels.into_iter().collect())
    }

    fn lists(metrics: &[&str], labels: &[&str]) -> (Vec<String>, Vec<String>) {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        (owned(metrics), owned(labels))
    }

    #[test]
    fn metrics_and_labels_are_found_and_words_of_the_language_are_not() {
        assert_eq!(
            of(
                "histogram_quantile(0.9, sum by (le, queue) (rate(m_bucket{queue=~\"$queue\"}[5m])))"
            ),
            lists(&["m_bucket"], &["le", "queue"])
        );
        assert_eq!(
            of("sum(a) == 0 or absent(b{code=~\"429|5..\", x!=\"m{y}\"} offset 5m) > 1e3"),
            lists(&["a", "b"], &["code", "x"])
        );
        assert_eq!(
            of("rate(process_cpu_seconds_total[1m]) and on (job) muster_build_info"),
            lists(&["muster_build_info", "process_cpu_seconds_total"], &["job"])
        );
        assert_eq!(of("sum(a) by (kind) / 2"), lists(&["a"], &["kind"]));
        assert_eq!(of("max by (kind) (a) or vector(0)"), lists(&["a"], &["kind"]));
    }

    #[test]
    fn labels_that_are_only_shown_count() {
        let query = Query {
            place: String::new(),
            promql: "a".to_owned(),
            shown: in_braces("{{verb}} {{ kind }} {{instance}}"),
        };
        let labels = BTreeSet::from(["kind".to_owned(), "verb".to_owned()]);
        assert_eq!(query.uses(), BTreeSet::from([Use { metric: "a".to_owned(), labels }]));
    }

    #[test]
    fn a_scalar_keeps_its_labels_to_itself() {
        let promql = "sum by (a) (x) / scalar(sum(y{b=\"c\"}) > 0)".to_owned();
        let query = Query { place: String::new(), promql, shown: in_braces("{{a}}") };
        let uses = query.uses().into_iter();
        let found: Vec<(String, Vec<String>)> =
            uses.map(|used| (used.metric, used.labels.into_iter().collect())).collect();
        let one = |metric: &str, label: &str| (metric.to_owned(), vec![label.to_owned()]);
        assert_eq!(found, [one("x", "a"), one("y", "b")]);
    }

    #[test]
    fn there_are_queries_to_look_at() {
        assert!(dashboards().expect("they can be read").len() > 40);
        assert!(alerts().expect("they can be read").len() > 10);
    }
}
