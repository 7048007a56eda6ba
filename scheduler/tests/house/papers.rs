//! The papers around the code: the map names every crate, links lead somewhere, the top level
//! stays as it is, and nothing speaks of where the code was written.

use crate::members::members;
use crate::tree::{files, has_extension, read, read_if_text, report, root};
use std::collections::BTreeSet;
use std::path::Path;

/// All that one sees at the top of the checkout; dot-files come on top.
const TOP: &[&str] = &[
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "Makefile",
    "README.md",
    "benches",
    "docs",
    "e2e",
    "manifests",
    "plugins",
    "scheduler",
];

const MAP: &str = "docs/ARCHITECTURE.md";

/// Texts that tell of a workplace. Split, so that this file does not tell of one.
const PLACES: &[&str] = &[
    concat!("/wor", "k/"),
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("arti", "factory"),
    concat!("sand", "box"),
];

/// Words of how it was written rather than of what it does, whole words only.
const WORDS: &[&str] = &[concat!("ses", "sion"), concat!("ses", "sions"), concat!("age", "nts")];

/// Files that may say a word, and why.
const WORDS_ALLOWED: &[(&str, &str)] = &[
    ("docs/GLOSSARY.md", "lists what other schedulers call a cycle"),
    ("scheduler/tests/house/names.rs", "bans the word from names"),
];

#[test]
fn the_map_names_every_crate() {
    let map = read(MAP);
    let folders = members().into_values().map(|member| member.folder);
    let unnamed = folders.filter(|folder| !map.contains(&format!("`{folder}`")));
    let faults: Vec<String> =
        unnamed.map(|folder| format!("{MAP}: says nothing of `{folder}`")).collect();
    report("The map shows every room.", &faults);
}

#[test]
fn the_top_level_is_as_it_was() {
    let files = files();
    let top: BTreeSet<&str> =
        files.iter().map(|path| path.split('/').next().unwrap_or(path)).collect();
    let strange = top.iter().filter(|name| !name.starts_with('.') && !TOP.contains(name));
    let faults: Vec<String> = strange
        .map(|name| {
            format!(
                "{name}: put it below one of {TOP:?}; if it is only yours, \
                 name it in .git/info/exclude"
            )
        })
        .collect();
    report("The visible top level is fixed.", &faults);
}

#[test]
fn no_file_speaks_of_a_workplace() {
    let mut faults = Vec::new();
    for path in files() {
        let Some(text) = read_if_text(&path) else { continue };
        faults.extend(places(&path, &text));
        // Objects of users say what they like.
        let is_data = ["yaml", "json", "lock"].iter().any(|it| has_extension(&path, it));
        if !is_data && !WORDS_ALLOWED.iter().any(|(allowed, _)| path == *allowed) {
            faults.extend(words(&path, &text));
        }
    }
    report("What we ship says nothing of where it was written.", &faults);
}

#[test]
fn links_between_papers_lead_somewhere() {
    let mut faults = Vec::new();
    for path in files().into_iter().filter(|path| has_extension(path, "md")) {
        for target in links(&read(&path)) {
            let folder = Path::new(&path).parent().unwrap_or_else(|| Path::new(""));
            if !root().join(folder).join(target.split('#').next().unwrap_or("")).exists() {
                faults.push(format!("{path}: links to {target}, which is not there"));
            }
        }
    }
    report("Links in the docs lead to files that exist.", &faults);
}

#[test]
fn a_workplace_and_a_link_are_found() {
    assert_eq!(places("x", &format!("see\n{}main", PLACES[0])).len(), 1);
    assert_eq!(places("x", "see the docs"), [""; 0]);
    assert_eq!(words("x", &format!("one {} of many", WORDS[0])).len(), 1);
    assert_eq!(words("x", &format!("{}Affinity", WORDS[0])), [""; 0]);
    let text = "a [b](c.md), [d](https://e) [f](#g) [h](../i.md#j)";
    assert_eq!(links(text), ["c.md", "../i.md#j"]);
}

fn places(path: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let lower = text.to_lowercase();
        if let Some(place) = PLACES.iter().find(|place| lower.contains(**place)) {
            faults.push(format!("{path}:{line}: says {place:?}; say what a user would see"));
        }
    }
    faults
}

fn words(path: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let lower = text.to_lowercase();
        let mut split = lower.split(|letter: char| !letter.is_alphanumeric());
        if let Some(word) = split.find(|word| WORDS.contains(word)) {
            faults.push(format!("{path}:{line}: says {word:?}; say what the product does"));
        }
    }
    faults
}

/// Targets of links in Markdown that stay within the checkout.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://") && !target.starts_with('#')).collect()
}
