//! No dead file: each source is named by the module above it, or the compiler never sees it.

use crate::tree::{read_if_text, report, rust_files};

#[test]
fn every_source_is_part_of_its_crate() {
    let faults: Vec<String> =
        rust_files().iter().filter_map(|path| orphan(path, &read_if_text)).collect();
    report("A file that no module names is dead.", &faults);
}

#[test]
fn a_file_that_nobody_names_is_an_orphan() {
    let read = |path: &str| match path {
        "a/src/lib.rs" => Some("mod b;\npub mod c;\n".to_owned()),
        "a/src/c.rs" => Some("mod d;\n".to_owned()),
        _ => None,
    };
    for named in ["a/src/lib.rs", "a/src/b.rs", "a/src/c/d.rs", "a/tests/e.rs", "a/build.rs"] {
        assert_eq!(orphan(named, &read), None);
    }
    assert!(orphan("a/src/bb.rs", &read).is_some());
    assert!(orphan("a/src/c/f.rs", &read).is_some());
}

/// The fault, if no module names the file at `path`.
fn orphan(path: &str, read: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let (folder, file) = path.rsplit_once('/')?;
    let stem = file.trim_end_matches(".rs");
    // A file is either the root of a target, or `mod.rs` stands for its folder.
    if is_root(folder, stem) {
        return None;
    }
    let (folder, name) = if stem == "mod" { folder.rsplit_once('/')? } else { (folder, stem) };
    let above = ["lib.rs", "main.rs", "mod.rs"].map(|file| format!("{folder}/{file}"));
    let above = above.into_iter().chain([format!("{folder}.rs")]);
    let is_named = |source: &str| {
        let words: Vec<&str> = source.split_whitespace().collect();
        words.windows(2).any(|pair| pair[0] == "mod" && pair[1] == format!("{name};"))
    };
    let is_found = above.filter_map(|path| read(&path)).any(|source| is_named(&source));
    (!is_found).then(|| format!("{path}: no `mod {name};` above it; name it or remove it"))
}

/// True for files from which cargo or rustc starts.
fn is_root(folder: &str, stem: &str) -> bool {
    let last = folder.rsplit('/').next().unwrap_or(folder);
    matches!(stem, "lib" | "main" | "build")
        || matches!(last, "tests" | "benches" | "examples" | "bin" | "fuzz_targets")
}
