//! Dashboards: valid JSON that Grafana takes, valid PromQL, only metrics that muster serves.

use e2e::promql::{self, Query};
use e2e::{manifests, promtool};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

#[test]
fn every_panel_has_a_place_of_its_own_and_asks_the_chosen_data_source() {
    let source = json!({ "type": "prometheus", "uid": "${datasource}" });
    let mut uids = BTreeSet::new();
    for (file, dashboard) in promql::dashboard_files().expect("they are JSON") {
        assert!(uids.insert(dashboard["uid"].to_string()), "{file}: the uid is taken");
        assert_eq!(dashboard["templating"]["list"][0]["name"], "datasource", "{file}");
        let panels = dashboard["panels"].as_array().expect("it has panels");
        let mut ids = BTreeSet::new();
        let mut taken: BTreeMap<(u64, u64), String> = BTreeMap::new();
        for panel in panels {
            let title = panel["title"].as_str().expect("a panel has a title");
            assert!(ids.insert(panel["id"].as_u64()), "{file}: {title}: the id is taken");
            for cell in cells(&panel["gridPos"]) {
                let other = taken.insert(cell, title.to_owned());
                assert_eq!(other, None, "{file}: {title} lies on it at {cell:?}");
            }
            if panel["type"] == "row" {
                continue;
            }
            let targets = panel["targets"].as_array().expect("a panel asks something");
            assert!(!targets.is_empty(), "{file}: {title} asks nothing");
            for target in targets.iter().chain([panel]) {
                assert_eq!(target["datasource"], source, "{file}: {title}");
            }
        }
    }
    assert_eq!(uids.len(), 3);
}

fn cells(place: &Value) -> Vec<(u64, u64)> {
    let number = |key: &str| place[key].as_u64().expect("a place has whole numbers");
    let (x, y, width, height) = (number("x"), number("y"), number("w"), number("h"));
    assert!(width > 0 && height > 0 && x + width <= 24, "{place} is outside the grid");
    (x..x + width).flat_map(|x| (y..y + height).map(move |y| (x, y))).collect()
}

#[test]
fn every_query_is_valid() {
    let rules: Vec<Value> = all()
        .iter()
        .enumerate()
        .map(|(index, query)| {
            json!({ "record": format!("query_{index}"), "expr": query.filled("nvidia.com/gpu") })
        })
        .collect();
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("queries.yaml");
    // JSON is YAML too.
    let text = json!({ "groups": [{ "name": "all", "rules": rules }] }).to_string();
    std::fs::write(&file, text).expect("it can be written");
    let mut command = Command::new(promtool().expect("it builds"));
    let output = command.args(["check", "rules"]).arg(&file).output().expect("promtool runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_metric_and_label_is_one_that_muster_serves() {
    let served = served();
    let mut faults = Vec::new();
    for query in all() {
        for used in query.uses() {
            let place = &query.place;
            match served.get(&used.metric) {
                None => faults.push(format!("{place}: there is no {}", used.metric)),
                Some(labels) => faults.extend(
                    used.labels
                        .difference(labels)
                        .map(|label| format!("{place}: {} has no {label}", used.metric)),
                ),
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

fn all() -> Vec<Query> {
    let mut all = promql::dashboards().expect("dashboards can be read");
    all.extend(promql::alerts().expect("rules can be read"));
    all
}

/// Series by name, with their labels, as docs/METRICS.md lists the metrics.
fn served() -> BTreeMap<String, BTreeSet<String>> {
    let page = manifests::folder().join("../docs/METRICS.md");
    let page = std::fs::read_to_string(page).expect("docs/METRICS.md is there");
    let mut served = BTreeMap::new();
    for line in page.lines().filter(|line| line.starts_with("| `muster_")) {
        let fields: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, kind, labels, ..] = fields[..] else { continue };
        let labels = labels.split(',').map(|label| label.trim().trim_matches('`').to_owned());
        let labels: BTreeSet<String> = labels.filter(|label| !label.is_empty()).collect();
        let name = name.trim_matches('`');
        if kind != "histogram" {
            served.insert(name.to_owned(), labels);
            continue;
        }
        for end in ["_sum", "_count"] {
            served.insert(format!("{name}{end}"), labels.clone());
        }
        let bucket = labels.into_iter().chain(["le".to_owned()]).collect();
        served.insert(format!("{name}_bucket"), bucket);
    }
    for word in page.split('`').filter(|word| word.starts_with("process_")) {
        served.insert(word.to_owned(), BTreeSet::new());
    }
    assert!(served.len() > 20, "the page has tables of metrics");
    served
}
