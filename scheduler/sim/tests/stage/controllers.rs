//! Controllers create their pods at their pace.

use super::make::{checked, played, stage, told};
use scheduler_model::world::{After, Until};
use scheduler_sim::stage::{Options, Stage};

/// The controllers of a story as parts of one object, each of which waits for the one before.
fn chain(text: &str, until: Until) -> Stage {
    let text = format!("story: A chain\n{text}");
    let mut scenario = scheduler_scenario::parse("test", &text).expect("the test's story is right");
    let mut before: Option<String> = None;
    for workload in &mut scenario.world.workloads {
        workload.part.clone_from(&workload.object);
        workload.after = before.map(|part| After { part, until }).into_iter().collect();
        before = Some(workload.part.clone());
    }
    Stage::new(scenario.world, Options { start: Some(scenario.start), ..checked() })
}

#[test]
fn a_job_has_no_more_unfinished_pods_than_its_parallelism() {
    let text = "nodes: [{ name: a1, gpu: 8 }]
pending: [{ owner: job/j, pods: 5, pace: at most 2, each: { gpu: 1 }, runtime: 1m }]";
    let told = told(&played(stage(text)));
    assert_eq!(
        told,
        [
            "0s job/j starts j-0",
            "0s job/j grows j-1",
            "1m job/j grows j-2,j-3",
            "2m job/j grows j-4",
            "3m job/j ends"
        ]
    );
}

#[test]
fn an_ordered_set_creates_the_next_pod_when_the_one_before_runs() {
    let text = "nodes: [{ name: \"a{1..2}\", gpu: 8 }]
pending: [{ owner: statefulset/s, pods: 3, pace: after ready, each: { gpu: 8 } }]";
    let stage = played(stage(text));
    assert_eq!(told(&stage), ["0s statefulset/s starts s-0", "0s statefulset/s grows s-1"]);
    assert_eq!(stage.objects().pods.len(), 3, "the third exists and waits");
}

#[test]
fn an_ordered_set_stops_at_the_first_pod_that_waits() {
    let text = "nodes: [{ name: a1, gpu: 4 }]
pending: [{ owner: statefulset/s, pods: 3, pace: after ready, each: { gpu: 8 } }]";
    assert_eq!(played(stage(text)).objects().pods.len(), 1);
}

#[test]
fn workers_come_when_their_leader_runs() {
    let text = "nodes: [{ name: a1, gpu: 8 }]
pending: [{ owner: leaderworkerset/l, pods: 4, pace: after leader, each: { gpu: 1 } }]";
    let told = told(&played(stage(text)));
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(told[0], "0s leaderworkerset/l starts l-0");
}

#[test]
fn a_controller_that_arrives_later_creates_nothing_before() {
    let text = "nodes: [{ name: a1, gpu: 8 }]
pending: [{ owner: job/j, pods: 2, pace: at once, each: { gpu: 1 }, at: 3m }]";
    let told = told(&played(stage(text)));
    assert!(told.iter().all(|line| line.starts_with("3m ")), "{told:?}");
}

#[test]
fn a_deleted_gang_takes_its_controller_along() {
    let text = "nodes: [{ name: a1, gpu: 8 }]
pending: [{ owner: job/j, pods: 5, pace: at most 1, each: { gpu: 1 }, runtime: 1m }]";
    let mut stage = stage(text);
    stage.settle().expect("the engine keeps its promises");
    let key = stage.engine().gangs()[0].key.clone();
    stage.delete_gang(&key);
    let stage = played(stage);
    assert_eq!(told(&stage), ["0s job/j starts j-0", "0s job/j ends"]);
    assert!(stage.objects().pods.is_empty());
}

#[test]
fn a_chain_of_three_parts_starts_one_after_the_other() {
    let text = "nodes: [{ name: a1, gpu: 8 }]
pending:
  - { owner: job/c, pods: 2, pace: at once, each: { gpu: 1 } }
  - { owner: job/b, pods: 1, pace: at once, each: { gpu: 1 } }
  - { owner: job/a, pods: 1, pace: at once, each: { gpu: 1 } }";
    let stage = played(chain(text, Until::Starts));
    let told = told(&stage);
    let gangs: Vec<&str> = told.iter().map(|line| &line[..8]).collect();
    assert_eq!(gangs[..1], ["0s job/c"], "{told:?}");
    assert_eq!(gangs[gangs.len() - 2..], ["0s job/b", "0s job/a"], "{told:?}");
}

#[test]
fn a_part_whose_pods_wait_keeps_the_next_one_from_being_created() {
    let text = "nodes: [{ name: a1, gpu: 8 }]
pending:
  - { owner: job/a, pods: 2, pace: at once, each: { gpu: 5 }, runtime: 1m }
  - { owner: job/b, pods: 1, pace: at once, each: { gpu: 1 } }";
    let mut stage = chain(text, Until::Starts);
    stage.settle().expect("the engine keeps its promises");
    assert_eq!(stage.objects().pods.len(), 2, "one of the two waits for room");
    let told = told(&played(stage));
    assert!(told.contains(&"1m job/b starts b-0".to_owned()), "{told:?}");
}

#[test]
fn a_part_that_waits_for_an_end_is_created_when_all_have_succeeded() {
    let text = "nodes: [{ name: a1, gpu: 8 }]
pending:
  - { owner: job/a, pods: 2, pace: at most 1, each: { gpu: 1 }, runtime: 1m }
  - { owner: job/b, pods: 1, pace: at once, each: { gpu: 1 }, runtime: 1m }
  - { owner: job/c, pods: 1, pace: at once, each: { gpu: 1 } }";
    let told = told(&played(chain(text, Until::Succeeds)));
    assert!(told.contains(&"2m job/b starts b-0".to_owned()), "{told:?}");
    assert!(told.contains(&"3m job/c starts c-0".to_owned()), "{told:?}");
}

#[test]
fn what_waits_for_a_deleted_part_never_comes() {
    let text = "nodes: [{ name: a1, gpu: 8 }]
pending:
  - { owner: job/a, pods: 1, pace: at once, each: { gpu: 1 }, runtime: 1m }
  - { owner: job/b, pods: 1, pace: at once, each: { gpu: 1 } }";
    let mut stage = chain(text, Until::Succeeds);
    stage.settle().expect("the engine keeps its promises");
    let key = stage.engine().gangs()[0].key.clone();
    stage.delete_gang(&key);
    assert!(played(stage).objects().pods.is_empty());
}

#[test]
fn a_dump_waits_only_for_what_has_not_come_about() {
    let text = "nodes: [{ name: a1, gpu: 8 }]
pending:
  - { owner: job/a, pods: 1, pace: at once, each: { gpu: 1 }, runtime: 1m }
  - { owner: job/b, pods: 1, pace: at once, each: { gpu: 1 } }
  - { owner: job/c, pods: 1, pace: at once, each: { gpu: 9 } }
  - { owner: job/d, pods: 1, pace: at once, each: { gpu: 1 } }";
    let mut stage = chain(text, Until::Starts);
    stage.settle().expect("the engine keeps its promises");
    let world = stage.world();
    let waits: Vec<usize> = world.workloads.iter().map(|workload| workload.after.len()).collect();
    assert_eq!(waits, [0, 0, 0, 1]);
    let again = Stage::new(world, Options { start: Some(stage.now()), ..checked() });
    assert_eq!(played(again).objects().pods.len(), 3, "the last still waits for the third");
}
