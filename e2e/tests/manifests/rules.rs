//! Alert rules: valid, tried, and each with a section that says what to do.

use e2e::manifests::{folder, text};
use e2e::{promql, promtool};
use std::path::Path;
use std::process::Command;

#[test]
fn promtool_finds_no_fault_and_all_its_tests_pass() {
    let folder = folder().join("monitoring");
    promtool_with(&["check", "rules"], &folder.join("alerts.yaml"));
    promtool_with(&["test", "rules"], &folder.join("alerts_test.yaml"));
}

#[test]
fn every_alert_is_tried_in_silence_and_in_need() {
    let tests = text("monitoring/alerts_test.yaml").expect("it is there");
    for alert in promql::alerts().expect("they can be read") {
        let name = &alert.place;
        assert!(tests.contains(&format!("alertname: {name}\n    exp_alerts:\n")), "{name} fires");
        let quiet = format!("alertname: {name}, exp_alerts: []");
        assert!(tests.contains(&quiet), "{name} keeps quiet");
    }
}

#[test]
fn every_alert_has_a_section_that_says_what_to_do() {
    let page = folder().join("../docs/OPERATIONS.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let rules = text("monitoring/alerts.yaml").expect("it is there");
    for alert in promql::alerts().expect("they can be read") {
        let name = &alert.place;
        assert!(page.contains(&format!("\n### {name}\n")), "docs/OPERATIONS.md: no ### {name}");
        let link = format!("docs/OPERATIONS.md#{}\n", name.to_lowercase());
        assert!(rules.contains(&link), "the runbook_url of {name} does not lead there");
    }
}

fn promtool_with(args: &[&str], file: &Path) {
    let mut command = Command::new(promtool().expect("it builds"));
    let output = command.args(args).arg(file).output().expect("promtool runs");
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}
