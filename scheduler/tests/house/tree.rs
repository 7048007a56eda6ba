//! The checkout as files: where it is, what belongs to it, and how faults are told.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Top of the checkout.
pub(crate) fn root() -> PathBuf {
    let scheduler = Path::new(env!("CARGO_MANIFEST_DIR"));
    scheduler.parent().expect("the crate lies below the top of the checkout").to_owned()
}

/// All files of the project by their path from the top, sorted. Git decides what belongs to
/// it; without git (a source archive) everything but build output does.
pub(crate) fn files() -> Vec<String> {
    let mut files = listed_by_git().unwrap_or_else(|| {
        let mut found = Vec::new();
        walk(&root(), "", &mut found);
        found
    });
    files.retain(|path| root().join(path).is_file());
    files.sort();
    files.dedup();
    assert!(files.len() > 100, "only {} files found below {:?}", files.len(), root());
    files
}

/// All Rust files.
pub(crate) fn rust_files() -> Vec<String> {
    files().into_iter().filter(|path| has_extension(path, "rs")).collect()
}

/// True if the path ends in a dot and `extension`.
pub(crate) fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}

/// The text of a file that must be there.
pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path))
        .unwrap_or_else(|error| panic!("{path} cannot be read: {error}"))
}

/// The text of a file; nothing if it is none (an archive, a picture).
pub(crate) fn read_if_text(path: &str) -> Option<String> {
    std::fs::read_to_string(root().join(path)).ok()
}

/// Fails with the rule and all faults, if there are any.
pub(crate) fn report(rule: &str, faults: &[String]) {
    assert!(faults.is_empty(), "\n\n{rule}\n\n  {}\n", faults.join("\n  "));
}

fn listed_by_git() -> Option<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let files: Vec<String> =
        text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    (output.status.success() && !files.is_empty()).then_some(files)
}

fn walk(folder: &Path, prefix: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the checkout can be listed") {
        let entry = entry.expect("a folder of the checkout can be listed");
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if entry.path().is_dir() {
            if name != "target" && name != ".git" {
                walk(&entry.path(), &format!("{path}/"), found);
            }
        } else {
            found.push(path);
        }
    }
}
