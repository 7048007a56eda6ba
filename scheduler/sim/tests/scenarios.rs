//! Plays every story under `scheduler/scenario/cases`; each is a test of its own name.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenario/cases");
    let mut files = Vec::new();
    collect(&cases, &mut files);
    files.sort();
    assert!(files.len() > 50, "only {} stories were found", files.len());
    let trials = files.into_iter().map(|file| {
        let name = file.strip_prefix(&cases).expect("it was found there").with_extension("");
        Trial::test(name.display().to_string(), move || play(&file))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn play(file: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(file)?;
    let scenario = scheduler_scenario::parse(&file.display().to_string(), &text)?;
    let failures = scheduler_sim::runner::run(&scenario);
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the cases are part of the checkout") {
        let path = entry.expect("the folder is readable").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
}
