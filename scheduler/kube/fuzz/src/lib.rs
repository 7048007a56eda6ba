//! What must hold of any bytes from outside, one trial per language that is read.
//!
//! A trial takes bytes and panics if something does not hold that should. libFuzzer runs them
//! through `fuzz_targets`; `scheduler/kube/tests/corpus` takes this file in as a module and
//! replays the seeds in `corpus` on stable. So a trial is plain code: no fuzzer in it.
//!
//! Every trial demands at least: no panic, and the same answer twice.

mod documents;
mod duration;
mod objects;
mod pick;
mod quantity;
mod scenario;
mod selectors;

/// Tries bytes, and panics if something does not hold.
type Trial = fn(&[u8]);

/// All trials by the name of their target, which is also the folder of their seeds.
pub const TRIALS: &[(&str, Trial)] = &[
    ("documents", documents::trial),
    ("duration", duration::trial),
    ("objects", objects::trial),
    ("quantity", quantity::trial),
    ("scenario", scenario::trial),
    ("selectors", selectors::trial),
];

/// Runs one trial by its name.
///
/// # Panics
/// If something does not hold, or there is no trial of this name.
pub fn run(name: &str, data: &[u8]) {
    let trial = TRIALS.iter().find(|(known, _)| *known == name);
    let (_, trial) = trial.unwrap_or_else(|| panic!("there is no trial {name}"));
    trial(data);
}
