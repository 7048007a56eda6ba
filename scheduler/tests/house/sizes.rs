//! Files that can be read in one sitting, and that say what they are. (The size of functions
//! is clippy's business, see `.clippy.toml`.)

use crate::tree::{read, report, rust_files};

/// Longest file, in lines, tests included.
const LINES_MAX: usize = 500;

#[test]
fn no_file_is_longer_than_one_sitting() {
    let faults: Vec<String> =
        rust_files().iter().filter_map(|path| long(path, &read(path))).collect();
    report("A file has fewer than 500 lines.", &faults);
}

#[test]
fn every_module_begins_by_saying_what_it_is() {
    let faults: Vec<String> =
        rust_files().iter().filter_map(|path| mute(path, &read(path))).collect();
    report("A module begins with `//!`: what it is, its invariant, where to go next.", &faults);
}

#[test]
fn a_long_and_a_mute_file_are_faults() {
    assert!(long("x.rs", &"\n".repeat(LINES_MAX)).is_some());
    assert!(long("x.rs", &"\n".repeat(LINES_MAX - 1)).is_none());
    assert!(mute("x.rs", "// A comment.\nuse std::fmt;\n").is_some());
    assert!(mute("x.rs", "//! A module.\n").is_none());
}

fn long(path: &str, source: &str) -> Option<String> {
    let lines = source.lines().count();
    let text = || format!("{path}: {lines} lines; find the second noun in it and give it a file");
    (lines >= LINES_MAX).then(text)
}

fn mute(path: &str, source: &str) -> Option<String> {
    let text = || format!("{path}:1: put a line `//! …` before everything else");
    (!source.starts_with("//! ")).then(text)
}
