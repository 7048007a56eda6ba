//! Shares over time: who uses how much while everybody wants more than there is.

use super::make::stage_with;
use scheduler_model::amount::Amount;
use scheduler_model::time::{Span, Time};
use scheduler_sim::stage::{Options, Stage};
use std::fmt::Write;

const QUEUES: [(&str, i64); 3] = [("one", 1), ("two", 2), ("three", 3)];
const SECONDS: i64 = 240;
const GPUS: i64 = 120;

/// Fifteen nodes of eight GPUs, and for each queue twice the gangs that its weight can run: of one
/// to eight GPUs, and of two to ten seconds.
fn crowded() -> Stage {
    let mut text = String::from("nodes: [{ name: \"n{01..15}\", gpu: 8 }]\nqueues:\n");
    for (name, weight) in QUEUES {
        writeln!(text, "  - {{ name: {name}, weight: {weight} }}").expect("a string grows");
    }
    text.push_str("pending:\n");
    let mut number: i64 = 0;
    for (name, weight) in QUEUES {
        // GPU-seconds that have arrived by then.
        let mut offered = 0;
        for second in 0..SECONDS {
            while offered < (second + 10) * 2 * GPUS * weight / 6 {
                number += 1;
                let (pods, each, runs) = (1 + number % 4, 1 + number % 2, 2 + number % 9);
                offered += pods * each * runs;
                let what = format!("pods: {pods}, each: {{ gpu: {each} }}");
                let when = format!("at: {second}s, runtime: {runs}s");
                writeln!(text, "  - {{ gang: {name}{number}, queue: {name}, {what}, {when} }}")
                    .expect("a string grows");
            }
        }
    }
    // What is judged is time; the checks of every cycle would cost minutes.
    stage_with(&text, Options::default())
}

/// GPU-seconds that each queue used in each second.
fn used(stage: &mut Stage) -> Vec<[i64; 3]> {
    let mut seconds = Vec::new();
    let mut last = (stage.now(), [0; 3]);
    let mut sums = [0; 3];
    for second in 1..=SECONDS {
        let end = Time::ZERO.after(Span::from_secs(second));
        while stage.next().is_some_and(|next| next < end) {
            stage.step().expect("the engine keeps its promises");
            add(&mut sums, &mut last, stage.now());
            last.1 = now(stage);
        }
        add(&mut sums, &mut last, end);
        seconds.push(std::mem::take(&mut sums));
    }
    seconds
}

fn add(sums: &mut [i64; 3], last: &mut (Time, [i64; 3]), to: Time) {
    let span = to.since(last.0).ms();
    sums.iter_mut().zip(last.1).for_each(|(sum, used)| *sum += used * span);
    last.0 = to;
}

fn now(stage: &Stage) -> [i64; 3] {
    let used = stage.queue_use();
    QUEUES.map(|(name, _)| used[name].get("nvidia.com/gpu").map_or(0, |it: &Amount| it.units()))
}

#[test]
fn three_queues_hold_their_shares_over_any_minute() {
    let seconds = used(&mut crowded());
    let minute = 60;
    let mut worst = 0;
    // After a minute to warm up.
    for window in seconds[minute..].windows(minute) {
        for (at, (name, weight)) in QUEUES.into_iter().enumerate() {
            let used: i64 = window.iter().map(|second| second[at]).sum();
            let entitled = GPUS * weight * 60_000 / 6;
            let off = (used - entitled).abs() * 1000 / entitled;
            worst = worst.max(off);
            assert!(off <= 50, "queue {name}: {used} of {entitled} GPU-milliseconds");
        }
    }
    assert!(worst > 0, "not even a remainder: nothing was measured");
}
