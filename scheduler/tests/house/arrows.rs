//! Which crate may know which. Arrows point downwards only; the tables are the law, and the
//! manifests must say exactly the same.

use crate::members::{Member, members};
use crate::tree::report;
use std::collections::BTreeMap;

/// A crate (by folder) and the crates of this workspace that it knows.
type Arrows = [(&'static str, &'static [&'static str])];

/// What each crate is built with, lowest first: a row may only name rows above it.
const ARROWS: &Arrows = &[
    ("scheduler/model", &[]),
    ("scheduler/api", &[]),
    ("scheduler/framework", &["scheduler/model"]),
    ("scheduler/scenario", &["scheduler/model"]),
    ("scheduler/protocol", &["scheduler/model"]),
    ("scheduler/kube", &["scheduler/api", "scheduler/model", "scheduler/protocol"]),
    ("scheduler/core", &["scheduler/framework", "scheduler/model"]),
    (
        "scheduler/live",
        &["scheduler/core", "scheduler/framework", "scheduler/model", "scheduler/protocol"],
    ),
    ("plugins", &["scheduler/framework", "scheduler/model"]),
    (
        "scheduler/sim",
        &[
            "plugins",
            "scheduler/core",
            "scheduler/framework",
            "scheduler/live",
            "scheduler/model",
            "scheduler/protocol",
            "scheduler/scenario",
        ],
    ),
    (
        "scheduler",
        &[
            "plugins",
            "scheduler/core",
            "scheduler/framework",
            "scheduler/kube",
            "scheduler/live",
            "scheduler/model",
            "scheduler/protocol",
            "scheduler/scenario",
            "scheduler/sim",
        ],
    ),
    ("benches", &["plugins", "scheduler/core", "scheduler/framework", "scheduler/model"]),
    ("e2e", &["scheduler/api"]),
    (
        "benches/load",
        &["benches", "e2e", "scheduler/kube", "scheduler/model", "scheduler/protocol"],
    ),
];

/// What only the tests of a crate are built with. Crates without a row need nothing more.
const TEST_ARROWS: &Arrows = &[
    // What is read must come back from a dump, and the seeds of all fuzz targets are replayed in
    // one place.
    ("scheduler/kube", &["scheduler/scenario"]),
    // One gang written in every dialect is read from real objects and played.
    ("scheduler/sim", &["scheduler/kube"]),
    // The laws run on random worlds, and the judge of the stage gives a second opinion.
    ("plugins", &["scheduler/sim"]),
    // What is read is compared with what the manifests permit, every call is sent to a real API
    // server, and stories are told to kube-scheduler.
    ("e2e", &["scheduler/kube", "scheduler/model", "scheduler/protocol", "scheduler/scenario"]),
];

/// Crates of others with one home: whoever else wants one asks the home for what it does.
const HOMES: &Arrows = &[
    ("axum", &["benches/load", "e2e", "scheduler"]),
    ("clap", &["scheduler"]),
    ("flate2", &["scheduler/kube"]),
    ("hashbrown", &["scheduler/model"]),
    ("jiff", &["scheduler/kube"]),
    ("k8s-openapi", &["e2e", "scheduler/api"]),
    ("kube", &["e2e", "scheduler/api", "scheduler/kube"]),
    ("petgraph", &["scheduler/model"]),
    ("prometheus", &["scheduler"]),
    ("regex", &["scheduler/kube"]),
    ("schemars", &["scheduler/api"]),
    ("serde-saphyr", &["scheduler/scenario", "scheduler/kube", "scheduler", "e2e"]),
    ("tikv-jemallocator", &["scheduler"]),
    ("tracing-subscriber", &["scheduler"]),
];

#[test]
fn the_manifests_have_exactly_the_arrows_of_the_table() {
    let mut faults = Vec::new();
    let members = by_folder();
    for (folder, member) in &members {
        let Some((_, wanted)) = ARROWS.iter().find(|(row, _)| row == folder) else {
            faults.push(format!("{folder}: no row in ARROWS; add one, lowest crate first"));
            continue;
        };
        let known: Vec<&str> = member.arrows.iter().map(String::as_str).collect();
        compare(folder, "[dependencies]", &known, wanted, &mut faults);
        let row = TEST_ARROWS.iter().find(|(row, _)| row == folder);
        let wanted = row.map_or(&[][..], |(_, wanted)| *wanted);
        let known: Vec<&str> = member.test_arrows.iter().map(String::as_str).collect();
        compare(folder, "[dev-dependencies]", &known, wanted, &mut faults);
    }
    for (folder, _) in ARROWS.iter().chain(TEST_ARROWS) {
        if !members.contains_key(*folder) {
            faults.push(format!("{folder}: has a row here but is no member of the workspace"));
        }
    }
    report("Crates know each other only as ARROWS and TEST_ARROWS say.", &faults);
}

#[test]
fn no_arrow_of_the_table_points_upwards() {
    let mut faults = Vec::new();
    for (index, (folder, known)) in ARROWS.iter().enumerate() {
        for other in *known {
            if !ARROWS[..index].iter().any(|(lower, _)| lower == other) {
                faults.push(format!("{folder} knows {other}, which has no row above it"));
            }
        }
    }
    report("A crate knows only crates below it.", &faults);
}

#[test]
fn a_crate_is_called_like_its_folder() {
    let mut faults = Vec::new();
    for (name, member) in members() {
        let wanted = member.folder.replace('/', "-");
        if name != wanted {
            faults.push(format!("{}: its crate is {name}, call it {wanted}", member.folder));
        }
    }
    report("The name of a crate is its path with dashes.", &faults);
}

#[test]
fn crates_of_others_stay_in_their_homes() {
    let mut faults = Vec::new();
    for (folder, member) in by_folder() {
        for name in &member.foreign {
            let home = HOMES.iter().find(|(it, _)| it == name);
            if home.is_some_and(|(_, homes)| !homes.contains(&folder.as_str())) {
                faults.push(format!("{folder}: depends on {name}, whose home is elsewhere"));
            }
        }
    }
    report("Some dependencies have one home, see HOMES.", &faults);
}

#[test]
fn a_missing_and_an_extra_arrow_are_faults() {
    let mut faults = Vec::new();
    compare("x", "[dependencies]", &["a", "b"], &["b", "c"], &mut faults);
    assert_eq!(faults.len(), 2, "{faults:?}");
}

fn by_folder() -> BTreeMap<String, Member> {
    members().into_values().map(|member| (member.folder.clone(), member)).collect()
}

fn compare(folder: &str, table: &str, known: &[&str], wanted: &[&str], faults: &mut Vec<String>) {
    for extra in known.iter().filter(|it| !wanted.contains(it)) {
        faults.push(format!(
            "{folder}/Cargo.toml: {table} has {extra}, which the table does not allow; \
             take it out, or change the table with a note in docs/decisions"
        ));
    }
    for missing in wanted.iter().filter(|it| !known.contains(it)) {
        faults.push(format!(
            "{folder}/Cargo.toml: {table} lacks {missing}; take it out of the table if that is right"
        ));
    }
}
