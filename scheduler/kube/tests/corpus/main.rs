//! What fuzzing found stays found: every seed of the fuzz targets runs through its trial on
//! stable, as it is and damaged in a few dozen ways.
//!
//! The trials are those of `scheduler/kube/fuzz`, taken in as a module; its folder `corpus`
//! has the seeds. A seed that fails here is replayed alone by
//! `MUSTER_SEED=documents/tabs.yaml cargo test -p scheduler-kube --test corpus`.

mod mangle;
#[path = "../../fuzz/src/lib.rs"]
pub mod trials;

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// How many damaged copies of each seed are tried.
const DAMAGES: u64 = 32;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus")
}

/// Names of what is in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let names: BTreeSet<String> =
        entries.map(|entry| name(entry.expect("the folder can be read"))).collect();
    names.into_iter().collect()
}

/// Seeds of a target by their names, or the one that is asked for.
fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = corpus().join(target);
    let wanted = std::env::var("MUSTER_SEED").ok();
    let named = names(&folder).into_iter().map(|name| (format!("{target}/{name}"), name));
    named
        .filter(|(path, _)| wanted.as_ref().is_none_or(|wanted| wanted == path))
        .map(|(path, name)| (path, fs::read(folder.join(name)).expect("a seed can be read")))
        .collect()
}

/// Runs the trial on `data`; what it died of, if it did.
fn failure(target: &str, data: &[u8]) -> Option<String> {
    let outcome = catch_unwind(AssertUnwindSafe(|| trials::run(target, data)));
    let panic = outcome.err()?;
    let text = panic.downcast_ref::<String>().cloned();
    Some(text.or_else(|| Some((*panic.downcast_ref::<&str>()?).to_owned())).unwrap_or_default())
}

fn replay(target: &str) {
    let mut faults = Vec::new();
    for (path, seed) in seeds(target) {
        if let Some(said) = failure(target, &seed) {
            faults.push(format!("{path}: {said:.2000}"));
        }
        for damage in 0..DAMAGES {
            let data = mangle::damaged(&seed, damage);
            if let Some(said) = failure(target, &data) {
                let data = String::from_utf8_lossy(&data);
                faults.push(format!("{path}, damage {damage}: {said:.2000}\n{data:?}"));
                break;
            }
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n\n"));
}

#[test]
fn streams_of_objects_hold() {
    replay("documents");
}

#[test]
fn durations_hold() {
    replay("duration");
}

#[test]
fn mangled_objects_hold() {
    replay("objects");
}

#[test]
fn quantities_hold() {
    replay("quantity");
}

#[test]
fn scenarios_hold() {
    replay("scenario");
}

#[test]
fn selectors_hold() {
    replay("selectors");
}

#[test]
fn every_target_has_its_trial_and_its_seeds() {
    let trials: Vec<&str> = trials::TRIALS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names(&corpus()), trials);
    let targets = names(&corpus().with_file_name("fuzz_targets"));
    let stems: Vec<&str> = targets.iter().map(|file| file.trim_end_matches(".rs")).collect();
    assert_eq!(stems, trials);
    for trial in trials {
        assert!(names(&corpus().join(trial)).len() >= 10, "{trial} has hardly any seeds");
    }
}

#[test]
fn a_trial_that_fails_is_told() {
    assert!(failure("no such trial", b"").is_some_and(|said| said.contains("no such trial")));
}
