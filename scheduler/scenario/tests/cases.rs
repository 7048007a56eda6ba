//! The case files themselves: each is readable, expects something, and is named by its story.

use scheduler_scenario::{Scenario, file_name, parse};
use std::fs;
use std::path::{Path, PathBuf};

/// All case files, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the cases are part of the checkout") {
        let path = entry.expect("the folder is readable").path();
        if path.is_dir() {
            found.append(&mut files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn cases() -> Vec<(PathBuf, Scenario)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a case is text");
        let scenario =
            parse(&path.display().to_string(), &text).unwrap_or_else(|error| panic!("{error}"));
        (path, scenario)
    };
    let cases: Vec<_> = files(&folder).into_iter().map(read).collect();
    assert!(cases.len() >= 140, "only {} cases were found", cases.len());
    cases
}

#[test]
fn every_case_is_named_by_its_story() {
    for (path, scenario) in cases() {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        assert_eq!(name, file_name(&scenario.story), "{}", path.display());
    }
}

#[test]
fn every_case_expects_something_at_its_end() {
    for (path, scenario) in cases() {
        let last = scenario.then.last().map_or(&scenario.expect, |step| &step.expect);
        assert!(!last.is_empty(), "{} expects nothing", path.display());
    }
}

#[test]
fn every_story_is_told_once() {
    let mut stories: Vec<String> = cases().into_iter().map(|(_, case)| case.story).collect();
    stories.sort();
    for pair in stories.windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
}

#[test]
fn every_example_of_the_reference_is_readable() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/SCENARIOS.md");
    let text = fs::read_to_string(path).expect("the reference is part of the checkout");
    let examples: Vec<&str> = text
        .split("```yaml\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap_or_default())
        .collect();
    assert!(examples.len() > 5, "the reference has examples");
    for example in examples {
        parse("SCENARIOS.md", example).unwrap_or_else(|error| panic!("{error}\n{example}"));
    }
}
