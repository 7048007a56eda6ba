//! Arrivals, run times, the end of a run.

use super::make::{at, checked, played, secs, stage, stage_with, told};
use scheduler_model::event::Event;
use scheduler_model::spec::PodPhase;
use scheduler_sim::stage::{Options, Stage};

const ONE_NODE: &str = "nodes: [{ name: a1, gpu: 8 }]\n";

#[test]
fn a_pod_that_arrives_later_is_created_then() {
    let text = format!("{ONE_NODE}pending: [{{ pod: late, each: {{ gpu: 1 }}, at: 10m }}]");
    let mut stage = stage(&text);
    stage.settle().expect("nothing is there yet");
    assert!(stage.objects().pods.is_empty());
    let stage = played(stage);
    assert_eq!(told(&stage), ["10m late starts late"]);
}

#[test]
fn a_pod_ends_after_its_run_time_and_its_object_stays() {
    let text = format!("{ONE_NODE}pending: [{{ pod: p, each: {{ gpu: 8 }}, runtime: 5m }}]");
    let stage = played(stage(&text));
    assert_eq!(told(&stage), ["0s p starts p", "5m p ends"]);
    let pod = stage.objects().pods.values().next().expect("it is kept");
    assert_eq!((pod.phase, pod.finished_at), (PodPhase::Succeeded, Some(at(300))));
}

#[test]
fn the_end_of_one_gang_starts_the_next() {
    let each = "pods: 2, each: { gpu: 4 }, runtime: 5m";
    let text = format!("{ONE_NODE}pending: [{{ gang: one, {each} }}, {{ gang: two, {each} }}]");
    let told = told(&played(stage(&text)));
    assert_eq!(
        told,
        ["0s one starts one-0,one-1", "5m one ends", "5m two starts two-0,two-1", "10m two ends"]
    );
}

#[test]
fn a_gang_without_a_run_time_ends_after_its_walltime() {
    let text = format!("{ONE_NODE}pending: [{{ gang: g, pods: 2, walltime: 1h }}]");
    assert_eq!(told(&played(stage(&text)))[1], "1h g ends");
}

#[test]
fn the_run_time_goes_before_the_walltime() {
    let text = format!("{ONE_NODE}pending: [{{ gang: g, walltime: 1h, runtime: 2h }}]");
    assert_eq!(told(&played(stage(&text)))[1], "2h g ends");
}

#[test]
fn a_pod_that_runs_already_ends_when_its_run_time_is_over() {
    let text = format!("{ONE_NODE}running: [{{ pod: p, on: a1, since: -1h, runtime: 90m }}]");
    assert_eq!(told(&played(stage(&text))), ["30m p ends"]);
}

#[test]
fn a_pod_that_outran_its_walltime_keeps_running() {
    let text = format!("{ONE_NODE}running: [{{ gang: g, on: a1, since: -2h, walltime: 1h }}]");
    assert!(told(&played(stage(&text))).is_empty());
}

#[test]
fn a_run_stops_when_its_time_is_up() {
    let text = format!("{ONE_NODE}pending: [{{ pod: p, runtime: 5m }}, {{ pod: q, at: 1h }}]");
    let options = Options { until: Some(secs(600)), ..checked() };
    let stage = played(stage_with(&text, options));
    assert_eq!((told(&stage).len(), stage.now()), (2, at(600)));
}

#[test]
fn time_begins_at_the_latest_moment_that_an_object_mentions() {
    let text = format!("{ONE_NODE}running: [{{ pod: p, on: a1, since: 7m }}]");
    let stage = stage_with(&text, Options { start: None, ..Options::default() });
    let fresh = Stage::new(stage.world(), Options::default());
    assert_eq!(fresh.start(), at(420));
}

#[test]
fn a_pod_without_a_creation_time_is_created_at_the_start() {
    let text = format!("{ONE_NODE}pending: [{{ pod: p, created: 0s }}]");
    let mut stage = stage_with(&text, Options::default());
    stage.advance(at(60)).expect("nothing is wrong");
    let mut pod = stage.objects().pods.values().next().expect("it is there").clone();
    assert_eq!(pod.created_at, at(0), "at the start of the clock that is no time at all");
    (pod.uid, pod.name, pod.node) = ("q".to_owned(), "q".to_owned(), None);
    pod.phase = PodPhase::Pending;
    let events = vec![Event::Pod(Box::new(pod))];
    stage.add(scheduler_model::world::World { events, ..Default::default() });
    assert_eq!(stage.objects().pods["q"].created_at, at(60));
}

#[test]
fn a_gang_that_waited_long_enough_keeps_room_when_its_time_has_come() {
    // Each small pod would take the room of the one before; after the hold none may.
    let text = "nodes: [{ name: \"a{1..2}\", gpu: 8 }]
pending:
  - { pod: long, each: { gpu: 8 }, runtime: 1h }
  - { pod: short, each: { gpu: 8 }, runtime: 10m }
  - { gang: large, pods: 2, each: { gpu: 8 }, runtime: 1m, at: 1m }
  - { pod: small, each: { gpu: 8 }, runtime: 10m, at: 9m }";
    let told = told(&played(stage(text)));
    let starts: Vec<&String> = told.iter().filter(|line| line.contains("starts")).collect();
    assert_eq!(
        starts,
        [
            "0s long starts long",
            "0s short starts short",
            "1h large starts large-0,large-1",
            "1h1m small starts small"
        ]
    );
}

#[test]
fn time_alone_makes_a_gang_hold_room() {
    let text = "nodes: [{ name: a1, gpu: 8 }]
running: [{ pod: old, each: { gpu: 8 }, on: a1 }]
pending: [{ pod: p, each: { gpu: 8 } }]";
    let mut stage = stage(text);
    stage.settle().expect("the engine keeps its promises");
    assert_eq!(stage.next(), Some(at(300)));
    assert_eq!(played(stage).now(), at(300));
}

#[test]
fn two_runs_are_equal() {
    for seed in 0..50 {
        let run = || {
            let world = scheduler_sim::worlds::random(seed, scheduler_sim::worlds::Size::SMALL);
            let mut stage = Stage::new(world, Options::default());
            stage.run().expect("the engine keeps its promises");
            stage.report()
        };
        assert_eq!(run(), run(), "seed {seed}");
    }
}
