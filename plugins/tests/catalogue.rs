//! The catalogue, the files and the documentation agree.

use plugins::{CATALOGUE, Entry, chosen_profile, default_profile};
use scheduler_framework::profile::Profile;
use scheduler_framework::{EventMask, Scorer};
use std::collections::BTreeSet;
use std::path::Path;

const PAGE: &str = include_str!("../../docs/PLUGINS.md");

/// Files that are no plugin: what they hold is shared by several.
const SHARED: [&str; 5] = ["catalogue", "domain", "lib", "share", "testing"];

#[test]
fn every_plugin_has_its_row_in_the_documentation() {
    for entry in CATALOGUE {
        let row = row(entry);
        assert!(PAGE.lines().any(|line| line == row), "put this row into docs/PLUGINS.md:\n{row}");
    }
}

#[test]
fn every_row_of_the_documentation_is_a_plugin() {
    let rows = PAGE.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, CATALOGUE.len(), "take rows of plugins that went out of docs/PLUGINS.md");
}

#[test]
fn every_plugin_has_a_file_of_its_name_and_every_file_is_a_plugin() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files: BTreeSet<String> = std::fs::read_dir(&folder)
        .expect("the crate has sources")
        .map(|file| file.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .filter(|name| !SHARED.contains(&name.as_str()))
        .collect();
    let names: BTreeSet<String> = CATALOGUE.iter().map(|entry| entry.name.to_owned()).collect();
    assert_eq!(files, names);
    assert_eq!(names.len(), CATALOGUE.len(), "no name is there twice");
}

#[test]
fn an_entry_installs_what_it_says_under_its_own_name() {
    for entry in CATALOGUE {
        let profile = install(entry);
        let points: Vec<&str> = entry.points.split(", ").collect();
        assert_eq!(profile.filters().len(), usize::from(points.contains(&"filter")));
        assert_eq!(profile.scorers().len(), usize::from(points.contains(&"scorer")));
        let filters = profile.filters().iter().map(|it| it.name());
        let scorers = profile.scorers().iter().map(|(it, _)| it.name());
        assert!(filters.chain(scorers).all(|name| name == entry.name), "{}", entry.name);
    }
}

#[test]
fn an_explanation_names_what_the_node_says_before_what_other_pods_say() {
    let order = ["unschedulable", "taints", "selectors", "host_ports", "affinity", "spread"];
    let profile = default_profile();
    let names = profile.filters().iter().map(|it| it.name());
    let known: Vec<&str> = names.filter(|name| order.contains(name)).collect();
    assert_eq!(known, order);
}

fn install(entry: &Entry) -> Profile {
    let mut profile = Profile::default();
    (entry.install)(&mut profile);
    profile
}

fn row(entry: &Entry) -> String {
    let wakes =
        install(entry).filters().first().map_or("–".to_owned(), |it| words(it.wakes_on()));
    format!("| `{}` | {} | {} | {wakes} |", entry.name, entry.points, entry.about)
}

fn words(mask: EventMask) -> String {
    let kinds = [
        ("node added", EventMask::NODE_ADDED),
        ("node changed", EventMask::NODE_CHANGED),
        ("room freed", EventMask::ROOM_FREED),
        ("pod placed", EventMask::POD_PLACED),
        ("gang changed", EventMask::GANG_CHANGED),
        ("queue changed", EventMask::QUEUE_CHANGED),
        ("policy changed", EventMask::POLICY_CHANGED),
        ("next cycle", EventMask::NEXT_CYCLE),
        ("volume changed", EventMask::VOLUME_CHANGED),
    ];
    let named: Vec<&str> =
        kinds.iter().filter(|(_, kind)| mask.meets(*kind)).map(|(word, _)| *word).collect();
    named.join(", ")
}

#[test]
fn a_chosen_profile_lacks_what_is_disabled_and_weighs_as_told() {
    let profile = chosen_profile(|name| name == "taints", |name| (name == "gpu_pack").then_some(7));
    let names: Vec<&str> = profile.scorers().iter().map(|(scorer, _)| scorer.name()).collect();
    assert!(!names.contains(&"taints"), "{names:?}");
    assert!(!profile.filters().iter().any(|filter| filter.name() == "taints"));
    let weight = |of: &[_], name| {
        let found = of
            .iter()
            .find(|(scorer, _): &&(std::sync::Arc<dyn Scorer>, i64)| scorer.name() == name);
        found.map(|(_, weight)| *weight)
    };
    assert_eq!(weight(profile.scorers(), "gpu_pack"), Some(7));
    assert_eq!(weight(profile.scorers(), "pack"), weight(default_profile().scorers(), "pack"));
}
