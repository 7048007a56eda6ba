//! `muster config`, and what is said about a file that is wrong.

use crate::{folder, run};
use scheduler::run::config::{Config, DEFAULT_TEXT, parse};
use scheduler::run::settings::profiles;
use serde_json::Value;

/// The one thing wrong with a file: `line field`, and all of it.
fn wrong(text: &str) -> (String, String) {
    let faults = parse("muster.yaml", text).expect_err("something is wrong with it");
    let [fault] = faults.as_slice() else { panic!("one thing is wrong: {faults:?}") };
    (format!("{} {}", fault.line, fault.field), fault.to_string())
}

#[test]
fn the_shown_defaults_are_the_defaults() {
    assert_eq!(parse("default.yaml", DEFAULT_TEXT), Ok(Config::default()));
    let ran = run(folder(&[]).path(), &["config", "show-default"], "");
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, DEFAULT_TEXT, ""));
}

#[test]
fn every_key_is_shown_with_a_comment() {
    fn keys(value: &Value, depth: usize, found: &mut Vec<(usize, String)>) {
        for (key, value) in value.as_object().into_iter().flatten() {
            found.push((depth, key.clone()));
            keys(value, depth + 1, found);
        }
    }
    let mut wanted = Vec::new();
    let value = serde_json::to_value(Config::default()).expect("it is plain data");
    keys(&value, 0, &mut wanted);
    assert!(wanted.len() > 30, "{wanted:?}");
    let lines: Vec<&str> = DEFAULT_TEXT.lines().collect();
    for (depth, key) in wanted {
        let start = format!("{}{key}:", "  ".repeat(depth));
        let at = lines.iter().position(|line| line.starts_with(&start));
        let at = at.unwrap_or_else(|| panic!("{key} is not shown"));
        assert!(lines[at - 1].trim_start().starts_with("# "), "{key} has no comment");
    }
}

#[test]
fn an_empty_file_and_one_of_comments_are_all_defaults() {
    assert_eq!(parse("x", ""), Ok(Config::default()));
    assert_eq!(parse("x", "# nothing\n\n"), Ok(Config::default()));
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_what_there_is() {
    let (place, whole) = wrong("listen: ':1'\ntimings:\n  holdafter: 5m\n");
    assert_eq!(place, "3 timings.holdafter");
    assert!(whole.starts_with("muster.yaml:3: timings.holdafter: "), "{whole}");
    assert!(whole.contains("holdAfter") && whole.contains("remove it"), "{whole}");
}

#[test]
fn bad_values_say_how_they_are_written() {
    for (text, place, part) in [
        ("timings:\n  holdAfter: soon\n", "2 timings.holdAfter", "write it like 250ms, 90s"),
        ("limits:\n  bindsInFlight: 0\n", "2 limits.bindsInFlight", "from 1 to 10000"),
        ("log:\n  level: loud\n", "2 log.level", "write error, warn, info"),
        ("log:\n  format: xml\n", "2 log.format", "use one of the names listed"),
        ("listen: here\n", "1 listen", "write it like :9090"),
        (
            "profiles:\n- schedulerName: muster\n  plugins:\n    disabled: [pak]\n",
            "4 profiles.plugins.disabled",
            "write one of unschedulable, taints",
        ),
        (
            "profiles:\n- schedulerName: muster\n  plugins:\n    weights:\n      pack: -1\n",
            "5 profiles.plugins.weights.pack",
            "from 0 to 1000000",
        ),
    ] {
        let (found, whole) = wrong(text);
        assert_eq!(found, place, "{whole}");
        assert!(whole.contains(part), "{whole}");
    }
}

#[test]
fn values_that_do_not_go_together_are_found() {
    for (text, place) in [
        ("leaderElection:\n  renewDeadline: 20s\n", "2 leaderElection.renewDeadline"),
        ("leaderElection:\n  renewDeadline: 14s\n", "2 leaderElection.renewDeadline"),
        ("leaderElection:\n  retryPeriod: 0s\n", "2 leaderElection.retryPeriod"),
        ("schedulerNames: []\n", "1 schedulerNames"),
        ("profiles:\n- schedulerName: other\n", "1 profiles"),
        (
            "profiles:\n- schedulerName: muster\n  plugins: {weights: {host_ports: 3}}\n",
            "1 profiles",
        ),
    ] {
        assert_eq!(wrong(text).0, place, "{text}");
    }
}

#[test]
fn names_may_have_plugins_of_their_own_but_one_order_of_gangs() {
    let names = "schedulerNames: [muster, volcano]\nprofiles:\n";
    let one = "- {schedulerName: muster, plugins: {disabled: [taints], weights: {pack: 5}}}\n";
    let config = parse("x", &format!("{names}{one}")).expect("other plugins for one name");
    assert_eq!(config.plugins("muster").weights.len(), 1);
    assert_eq!(config.plugins("volcano").weights.len(), 0);
    let (profile, number_of) = profiles(&config);
    assert_eq!((number_of["muster"], number_of["volcano"]), (0, 1));
    assert!(profile.filters().iter().all(|filter| filter.name() != "taints"));
    let two = one.replace("muster,", "volcano,");
    let config = parse("x", &format!("{names}{one}{two}")).expect("equal plugins");
    let (_, number_of) = profiles(&config);
    assert_eq!((number_of["muster"], number_of["volcano"]), (0, 0));
    let order = "- {schedulerName: volcano, plugins: {disabled: [priority]}}\n";
    let (_, whole) = wrong(&format!("{names}{order}"));
    assert!(whole.contains("their gangs compete"), "{whole}");
}

#[test]
fn check_ends_with_code_2_if_anything_is_wrong() {
    let folder = folder(&[("good.yaml", b"listen: ':1'\n"), ("bad.yaml", b"listn: 1\n")]);
    let good = run(folder.path(), &["config", "check", "good.yaml"], "");
    assert_eq!((good.code, good.out.as_str()), (0, "good.yaml: all is well\n"));
    let bad = run(folder.path(), &["config", "check", "bad.yaml"], "");
    assert_eq!((bad.code, bad.out.as_str()), (2, ""));
    assert!(bad.err.starts_with("error: bad.yaml:1: listn: "), "{}", bad.err);
    let none = run(folder.path(), &["config", "check", "none.yaml"], "");
    assert_eq!(none.code, 2);
    assert!(none.err.contains("check the path"), "{}", none.err);
}
