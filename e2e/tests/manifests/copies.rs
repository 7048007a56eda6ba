//! Copies say what their originals say, and versions agree.

use e2e::manifests::{folder, objects, text};
use serde_json::Value;
use std::path::Path;

const RULE_HEAD: &str = "\
# alerts.yaml for the Prometheus operator. After a change there, write this anew with
# UPDATE=1 cargo test -p e2e --test manifests
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: muster
spec:
";

#[test]
fn the_rule_of_the_operator_is_the_file_of_alerts() {
    let alerts = text("monitoring/alerts.yaml").expect("it is there");
    let start = alerts.find("groups:").expect("it has groups");
    let mut wanted = RULE_HEAD.to_owned();
    for line in alerts[start..].lines() {
        wanted.push_str(if line.is_empty() { "" } else { "  " });
        wanted.push_str(line);
        wanted.push('\n');
    }
    same("monitoring/prometheusrule.yaml", &wanted);
}

#[test]
fn the_chart_holds_the_files_of_kustomize() {
    let mut pairs = vec![
        ("base/clusterrole.yaml".to_owned(), "clusterrole.yaml".to_owned()),
        ("base/users.yaml".to_owned(), "users.yaml".to_owned()),
        ("monitoring/alerts.yaml".to_owned(), "alerts.yaml".to_owned()),
    ];
    for (from, to) in [("crds", "crds"), ("monitoring/dashboards", "dashboards")] {
        for name in names(&folder().join(from)) {
            if name != "kustomization.yaml" {
                pairs.push((format!("{from}/{name}"), format!("{to}/{name}")));
            }
        }
        let copies = names(&folder().join("helm/muster/files").join(to));
        let kept = |name: &String| pairs.iter().any(|(_, copy)| *copy == format!("{to}/{name}"));
        let left: Vec<&String> = copies.iter().filter(|name| !kept(name)).collect();
        assert!(left.is_empty(), "manifests/helm/muster/files/{to}: {left:?} has no original");
    }
    for (original, copy) in pairs {
        same(&format!("helm/muster/files/{copy}"), &text(&original).expect("it is there"));
    }
}

#[test]
fn the_versions_are_those_of_the_crate() {
    let version = env!("CARGO_PKG_VERSION");
    let chart = one("helm/muster/Chart.yaml");
    assert_eq!(chart["version"], version);
    assert_eq!(chart["appVersion"], version);
    let base = one("base/kustomization.yaml");
    assert_eq!(base["images"][0]["newTag"], format!("v{version}"));
    assert_eq!(base["images"][0]["newName"], one("helm/muster/values.yaml")["image"]["repository"],);
}

fn one(path: &str) -> Value {
    let all = objects(&text(path).expect("it is there")).expect("it is YAML");
    all.into_iter().next().expect("it has a document")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("it can be listed").file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

fn same(path: &str, wanted: &str) {
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(folder().join(path), wanted).expect("manifests can be written");
    }
    let found = text(path).unwrap_or_default();
    assert!(
        found == wanted,
        "manifests/{path} is out of date: UPDATE=1 cargo test -p e2e --test manifests"
    );
}
