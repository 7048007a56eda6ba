//! Scenarios: each is one sentence, is called like it, and expects something.

use crate::tree::{files, has_extension, read, report};
use scheduler_scenario::{file_name, parse};
use std::collections::BTreeMap;

/// Least number of stories there are; it only ever grows.
const STORIES_MIN: usize = 300;

const CASES: &str = "scheduler/scenario/cases/";

#[test]
fn every_scenario_tells_a_story_and_expects_something() {
    let faults: Vec<String> = cases().iter().filter_map(|path| fault(path, &read(path))).collect();
    report("A scenario is one sentence and what must come of it.", &faults);
}

#[test]
fn there_are_as_many_stories_as_there_were() {
    let cases = cases();
    let count = cases.len();
    assert!(count >= STORIES_MIN, "{count} stories below {CASES}, {STORIES_MIN} were there before");
    let mut by_name: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for path in &cases {
        let name = path.rsplit_once('/').map_or(path.as_str(), |(_, name)| name);
        by_name.entry(name).or_default().push(path);
    }
    let twice = by_name.values().filter(|paths| paths.len() > 1);
    let twice: Vec<String> = twice.map(|paths| format!("{paths:?}")).collect();
    report("A story is told once.", &twice);
}

#[test]
fn a_story_without_sentence_name_or_expectation_is_a_fault() {
    let good = "story: A pod runs\nnodes: [{ name: a, cpu: 1 }]\n\
                pending: [{ gang: g, each: { cpu: 1 } }]\n";
    let expecting = format!("{good}expect: [{{ g: runs }}]\n");
    assert_eq!(fault("x/a-pod-runs.yaml", &expecting), None);
    assert!(fault("x/a-pod-runs.yaml", good).is_some(), "nothing is expected");
    assert!(fault("x/other.yaml", &expecting).is_some(), "the name is another");
    assert!(fault("x/.yaml", &expecting.replace("A pod runs", "''")).is_some(), "no sentence");
}

fn cases() -> Vec<String> {
    let is_case = |path: &String| path.starts_with(CASES) && has_extension(path, "yaml");
    files().into_iter().filter(is_case).collect()
}

fn fault(path: &str, text: &str) -> Option<String> {
    let scenario = match parse(path, text) {
        Ok(scenario) => scenario,
        Err(error) => return Some(error.to_string()),
    };
    if scenario.story.trim().is_empty() {
        return Some(format!("{path}: say in `story:` what it shows"));
    }
    let wanted = file_name(&scenario.story);
    if !path.ends_with(&format!("/{wanted}")) {
        return Some(format!("{path}: the file of this story is called {wanted}"));
    }
    let expects =
        !scenario.expect.is_empty() || scenario.then.iter().any(|step| !step.expect.is_empty());
    (!expects).then(|| format!("{path}: nothing is expected; add `expect:`"))
}
