//! A full check of the snapshot against a rebuild from the objects it was told.

use scheduler_model::snapshot::Snapshot;

/// Lines in which the snapshot differs from a rebuild: `-` is missing, `+` is too much. Empty
/// if all is well. Cost: a rebuild, so for tests, the simulator and a debug endpoint only.
#[must_use]
pub fn audit(snap: &Snapshot) -> Vec<String> {
    let (ours, fresh) = (snap.describe(), snap.rebuilt().describe());
    let lacks = |lines: &[String], line: &String| lines.binary_search(line).is_err();
    let missing = fresh.iter().filter(|line| lacks(&ours, line)).map(|line| format!("- {line}"));
    let extra = ours.iter().filter(|line| lacks(&fresh, line)).map(|line| format!("+ {line}"));
    missing.chain(extra).collect()
}
