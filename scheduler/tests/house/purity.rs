//! The pure crates: same input, same decision. What they link and which lints close std's doors.

use crate::members::members;
use crate::tree::{read, read_if_text, report};

/// Pure crates, and the crates of others that each may use.
pub(crate) const PURE: &[(&str, &[&str])] = &[
    // Maps with a fixed hasher, and graph checks of queue trees when they change.
    ("scheduler/model", &["hashbrown", "petgraph"]),
    ("scheduler/framework", &[]),
    ("scheduler/protocol", &[]),
    ("scheduler/core", &[]),
    ("scheduler/live", &[]),
    ("plugins", &[]),
];

/// Lints that each of them denies at the top of its `lib.rs`.
const DENIED: &[&str] = &[
    "clippy::float_arithmetic",
    "clippy::iter_over_hash_type",
    "clippy::as_conversions",
    "clippy::fn_params_excessive_bools",
];

/// True if a file belongs to the sources of a pure crate.
pub(crate) fn is_pure(path: &str) -> bool {
    PURE.iter().any(|(folder, _)| path.starts_with(&format!("{folder}/src/")))
}

#[test]
fn a_pure_crate_links_nothing_that_could_do_io() {
    let mut faults = Vec::new();
    let members = members();
    for (folder, allowed) in PURE {
        let member = members.values().find(|member| member.folder == *folder);
        let member = member.unwrap_or_else(|| panic!("{folder} is no member of the workspace"));
        for name in member.foreign.iter().filter(|name| !allowed.contains(&name.as_str())) {
            faults.push(format!(
                "{folder}/Cargo.toml: depends on {name}; do that at the edge and hand the result \
                 in as data, or allow it in PURE with its reason"
            ));
        }
    }
    report("Pure crates use std and very little else.", &faults);
}

#[test]
fn a_pure_crate_denies_floats_casts_and_hash_order() {
    let mut faults = Vec::new();
    for (folder, _) in PURE {
        let path = format!("{folder}/src/lib.rs");
        faults.extend(undenied(&path, &read(&path)));
    }
    report("Each pure crate closes the same doors.", &faults);
}

#[test]
fn a_pure_crate_has_the_lint_settings_that_forbid_clocks_and_files() {
    let first = read(&format!("{}/.clippy.toml", PURE[0].0));
    let mut faults = Vec::new();
    for (folder, _) in PURE {
        let path = format!("{folder}/.clippy.toml");
        if read_if_text(&path).as_deref() != Some(first.as_str()) {
            faults.push(format!("{path}: copy it from {}", PURE[0].0));
        }
    }
    for door in ["Instant::now", "SystemTime::now", "thread::spawn", "fs::File", "env::var"] {
        if !first.contains(door) {
            faults.push(format!("{}/.clippy.toml: does not forbid {door}", PURE[0].0));
        }
    }
    report("Clippy takes the nearest settings, so each pure crate carries them.", &faults);
}

#[test]
fn a_lint_that_is_only_mentioned_is_not_denied() {
    let source = "//! deny(clippy::float_arithmetic)\n#![deny(clippy::as_conversions)]\n";
    assert_eq!(undenied("x", source).len(), DENIED.len() - 1);
}

fn undenied(path: &str, source: &str) -> Vec<String> {
    let start = source.find("#![deny(").unwrap_or(source.len());
    let rest = &source[start..];
    let block = &rest[..rest.find(")]").unwrap_or(rest.len())];
    let missing = DENIED.iter().filter(|lint| !block.contains(**lint));
    missing.map(|lint| format!("{path}: add {lint} to its `#![deny(…)]`")).collect()
}
