//! A dump fed back plays on as if nothing had happened.

use super::make::{stage, told};
use scheduler_core::engine::Config;
use scheduler_model::time::Span;
use scheduler_sim::stage::{Options, Stage};
use scheduler_sim::worlds::{Size, random};
use std::path::{Path, PathBuf};

/// How long a gang is blocked is no part of the objects, so nobody holds room here.
fn options() -> Options {
    let config = Config { hold_after: Span::from_ms(i64::MAX), ..Config::default() };
    Options { config, ..Options::default() }
}

/// Writes the world as a file, reads it back and sets a new stage with it.
fn fed_back(stage: &Stage) -> Stage {
    let text = scheduler_scenario::dump_at(&stage.world(), "A dump", stage.now());
    let scenario = scheduler_scenario::parse("dump.yaml", &text).expect("a dump reads back");
    Stage::new(scenario.world, Options { start: Some(scenario.start), ..options() })
}

/// Starts, growth and ends with their moments, from `from` on, without reasons to wait.
fn plans(stage: &Stage, from: usize) -> Vec<String> {
    let happenings = stage.timeline()[from..].iter();
    let told =
        happenings.filter(|(_, it)| !matches!(it, scheduler_sim::stage::Happening::Waits(_)));
    told.map(|(at, happening)| format!("{at:?} {happening:?}")).collect()
}

/// Plays `moments` moments, then the rest twice: once on, once fed back.
fn plays_on(mut stage: Stage, moments: u32, name: &str) {
    for _ in 0..moments {
        stage.step().expect("the engine keeps its promises");
    }
    let (mut again, from) = (fed_back(&stage), stage.timeline().len());
    stage.run().expect("the engine keeps its promises");
    again.run().expect("the engine keeps its promises");
    assert_eq!(plans(&stage, from), plans(&again, 0), "{name}");
}

fn stories(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the cases are part of the checkout") {
        let path = entry.expect("the folder is readable").path();
        if path.is_dir() {
            stories(&path, found);
        } else {
            found.push(path);
        }
    }
    found.sort();
}

#[test]
fn every_story_decides_the_same_from_its_dump() {
    let mut files = Vec::new();
    stories(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenario/cases"), &mut files);
    for file in files {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(&file).expect("a case is text");
        let scenario = scheduler_scenario::parse(&name, &text).expect("a case is readable");
        for moments in 0..2 {
            let options = Options { start: Some(scenario.start), ..options() };
            plays_on(Stage::new(scenario.world.clone(), options), moments, &name);
        }
    }
}

#[test]
fn every_random_world_decides_the_same_from_its_dump() {
    for seed in 0..100 {
        let moments = seed % 4;
        let stage = Stage::new(random(u64::from(seed), Size::SMALL), options());
        plays_on(stage, moments, &format!("seed {seed} after {moments} moments"));
    }
}

#[test]
fn a_dump_keeps_what_is_still_to_come() {
    let text = "nodes: [{ name: a1, gpu: 8 }]
pending:
  - { owner: job/j, pods: 3, pace: at most 1, each: { gpu: 8 }, runtime: 1m }
  - { pod: late, each: { gpu: 8 }, at: 90s, runtime: 1m }
  - { owner: job/k, pods: 2, pace: at most 1, each: { gpu: 8 }, runtime: 1m, at: 100s }";
    let mut stage = stage(text);
    stage.step().expect("the engine keeps its promises");
    stage.step().expect("the engine keeps its promises");
    let mut again = fed_back(&stage);
    again.run().expect("the engine keeps its promises");
    assert_eq!(
        told(&again),
        [
            "1m late starts late",
            "2m late ends",
            "2m job/k starts k-0",
            "3m job/j grows j-2",
            "4m job/j ends",
            "4m job/k grows k-1",
            "5m job/k ends"
        ]
    );
}
