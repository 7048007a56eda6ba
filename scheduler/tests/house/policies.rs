//! Plugins: each file is in the catalogue, obeys the laws, and has its row in the docs.

use crate::source::tokens;
use crate::tree::{files, read, report};
use plugins::CATALOGUE;

/// Files of the crate that are no plugins.
const NO_PLUGINS: &[&str] = &[
    "lib",
    "catalogue",
    // What several plugins count with.
    "domain",
    "share",
    // Worlds for their tests.
    "testing",
];

const DOCS: &str = "docs/PLUGINS.md";
const LAWS: &str = "plugins/tests/laws.rs";

#[test]
fn every_plugin_file_is_in_the_catalogue_and_the_other_way_round() {
    let catalogued: Vec<&str> = CATALOGUE.iter().map(|entry| entry.name).collect();
    let files = files();
    let stems = files.iter().filter_map(|path| {
        let stem = path.strip_prefix("plugins/src/")?.strip_suffix(".rs")?;
        (!stem.contains('/') && !NO_PLUGINS.contains(&stem)).then_some(stem)
    });
    report("One file per plugin, one catalogue.", &differences(stems.collect(), catalogued));
}

#[test]
fn every_plugin_has_its_row_in_the_docs() {
    let docs = read(DOCS);
    let mut faults = Vec::new();
    for entry in CATALOGUE {
        let start = format!("| `{}` |", entry.name);
        match docs.lines().find(|line| line.starts_with(&start)) {
            None => faults.push(format!("{DOCS}: no row that begins with {start}")),
            Some(row) if !row.contains(entry.points) => {
                faults.push(format!("{DOCS}: the row of {} lacks {:?}", entry.name, entry.points));
            }
            Some(_) => {}
        }
    }
    report("The docs list every plugin with the points it sits on.", &faults);
}

#[test]
fn the_laws_are_tried_on_the_whole_catalogue() {
    let laws = tokens(LAWS, &read(LAWS));
    let says = |word: &str| laws.iter().any(|token| token.text == word);
    let wanted = ["CATALOGUE", "laws", "filter", "scorer"];
    let missing: Vec<String> = wanted
        .iter()
        .filter(|word| !says(word))
        .map(|word| format!("{LAWS}: does not use {word} any more"))
        .collect();
    report("The law test runs over the catalogue, not over a list of its own.", &missing);
}

#[test]
fn a_forgotten_plugin_and_a_stale_entry_are_faults() {
    assert_eq!(differences(vec!["a", "b"], vec!["b", "c"]).len(), 2);
}

fn differences(files: Vec<&str>, catalogued: Vec<&str>) -> Vec<String> {
    let forgotten = files
        .iter()
        .filter(|name| !catalogued.contains(name))
        .map(|name| format!("plugins/src/{name}.rs: not in plugins/src/catalogue.rs"));
    let stale = catalogued
        .iter()
        .filter(|name| !files.contains(name))
        .map(|name| format!("plugins/src/catalogue.rs: {name} has no file plugins/src/{name}.rs"));
    forgotten.chain(stale).collect()
}
