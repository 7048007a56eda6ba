//! What it costs to hold room.

use super::make::{played, stage};

const WORLD: &str = "
nodes: [{ name: 'a{1..2}', gpu: 8 }]
queues: [{ name: q, holdAfter: 10s }, { name: loose, holds: false }]
running:
  - { gang: r1, each: { gpu: 8, cpu: 1 }, on: a1, ends: 20s }
  - { gang: r2, each: { gpu: 8, cpu: 1 }, on: a2, ends: 50s }
";

fn spent(queue: &str) -> Vec<(String, String, i128)> {
    let big = format!("pending: [{{ gang: big, queue: {queue}, pods: 2, each: {{ gpu: 8 }} }}]");
    let stage = played(stage(&format!("{WORLD}{big}")));
    let idle = stage.engine().census(stage.now()).vacancy;
    idle.into_iter().map(|((queue, resource), spent)| (queue, resource, spent)).collect()
}

#[test]
fn devices_that_stand_free_because_they_are_held_are_counted_with_the_time() {
    // Eight of them, from the end of the one gang to that of the other.
    assert_eq!(spent("q"), [("q".to_owned(), "nvidia.com/gpu".to_owned(), 8 * 30_000)]);
}

#[test]
fn a_queue_that_holds_nothing_costs_nothing() {
    assert_eq!(spent("loose"), []);
}
