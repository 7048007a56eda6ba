//! The Helm chart gives the same objects as kustomize.

use e2e::manifests::{chart, kustomize, objects, title};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Keys that only Helm writes, and that change nothing.
const OF_HELM: &[&str] = &[
    "app.kubernetes.io/managed-by",
    "app.kubernetes.io/version",
    "checksum/config",
    "helm.sh/chart",
    "helm.sh/resource-policy",
];

#[test]
fn the_chart_installs_what_the_base_installs() {
    compare("base", &[]);
}

#[test]
fn one_replica_is_the_same_in_both() {
    compare("overlays/single", &["--set", "replicas=1,leaderElection.enabled=false"]);
}

#[test]
fn in_the_place_of_volcanos_scheduler_is_the_same_in_both() {
    let set = "schedulerNames={muster,volcano},config.metrics.volcanoNames=true";
    compare("overlays/volcano", &["--set", set]);
}

#[test]
fn monitoring_is_the_same_in_both() {
    compare("overlays/monitoring", &["--set", "monitoring.enabled=true"]);
}

#[test]
fn without_monitoring_nothing_needs_its_kinds() {
    let all = objects(&kustomize("base").expect("it renders")).expect("it is YAML");
    let foreign: Vec<String> = all
        .iter()
        .filter(|object| object["apiVersion"].as_str().unwrap_or_default().contains("coreos"))
        .map(title)
        .collect();
    assert_eq!(foreign, [""; 0]);
}

#[test]
fn the_base_needs_no_api_that_is_not_stable() {
    let all = objects(&kustomize("base").expect("it renders")).expect("it is YAML");
    for object in &all {
        let version = object["apiVersion"].as_str().unwrap_or_default();
        assert!(version.ends_with("v1"), "{} is of {version}", title(object));
    }
}

#[test]
fn several_replicas_without_a_lease_are_refused() {
    let fault = chart(&["--set", "leaderElection.enabled=false"]).expect_err("two would decide");
    assert!(fault.to_string().contains("set replicas to 1"), "{fault}");
}

#[test]
fn a_value_that_does_not_exist_is_refused() {
    let fault = chart(&["--set", "replica=3"]).expect_err("nobody reads it");
    assert!(fault.to_string().contains("'replica' not allowed"), "{fault}");
}

#[test]
fn the_lease_that_is_configured_is_the_one_that_is_permitted() {
    let text = chart(&["--set", "config.leaderElection.name=other"]).expect("it renders");
    let all = objects(&text).expect("it is YAML");
    let role = all.iter().find(|object| title(object) == "Role/muster-lease");
    assert_eq!(role.expect("it is there")["rules"][1]["resourceNames"], json!(["other"]));
}

fn compare(overlay: &str, values: &[&str]) {
    let by_kustomize = plain(&kustomize(overlay).expect("kustomize renders it"));
    let by_helm = plain(&chart(values).expect("helm renders it"));
    let names = |all: &BTreeMap<String, Value>| all.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&by_kustomize), names(&by_helm), "kustomize, helm");
    for (title, object) in &by_kustomize {
        let found = difference(title, object, &by_helm[title]);
        assert!(found.is_none(), "kustomize and helm differ: {}", found.unwrap_or_default());
    }
}

/// The first place where two values differ, and how.
fn difference(place: &str, one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            keys.into_iter().find_map(|key| {
                let none = &Value::Null;
                let (one, other) = (one.get(key).unwrap_or(none), other.get(key).unwrap_or(none));
                difference(&format!("{place}.{key}"), one, other)
            })
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let pairs = one.iter().zip(other).enumerate();
            pairs
                .map(|(index, (one, other))| difference(&format!("{place}[{index}]"), one, other))
                .find_map(|found| found)
        }
        _ => (one != other).then(|| format!("{place}: {one} and {other}")),
    }
}

/// Objects by kind and name, without what only one of the two writes.
fn plain(text: &str) -> BTreeMap<String, Value> {
    let all = objects(text).expect("it is YAML");
    // Helm leaves the making of the namespace to who installs.
    let all = all.into_iter().filter(|object| object["kind"] != "Namespace");
    all.map(|object| settle(&object)).map(|object| (title(&object), object)).collect()
}

fn settle(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut settled = Map::new();
            for (key, value) in map {
                let value = settle(value);
                let is_empty = value.as_object().is_some_and(Map::is_empty);
                let is_dropped =
                    OF_HELM.contains(&key.as_str()) || (key == "annotations" && is_empty);
                if !is_dropped {
                    settled.insert(key.clone(), if key == "data" { parse(value) } else { value });
                }
            }
            Value::Object(settled)
        }
        Value::Array(all) => Value::Array(all.iter().map(settle).collect()),
        // YAML tells 1 from 1.0, the API does not.
        Value::Number(number) => json!(number.as_f64()),
        // The hash of the content that kustomize adds.
        Value::String(text) if text.starts_with("muster-config-") => json!("muster-config"),
        other => other.clone(),
    }
}

/// Files in a ConfigMap, read: comments and layout do not count.
fn parse(mut data: Value) -> Value {
    for (_, text) in data.as_object_mut().into_iter().flatten() {
        let read =
            objects(text.as_str().unwrap_or_default()).expect("a file in a ConfigMap is read");
        *text = settle(&Value::Array(read));
    }
    data
}
