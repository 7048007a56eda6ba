//! Controllers create their pods at their pace.

use super::make::{played, stage, told};

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
