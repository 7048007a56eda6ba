//! What it costs to divide all there is among many queues: everything anew, and after a change in
//! one queue.
//!
//! `cargo bench -p benches --bench shares`. Each number is the fastest of several rounds, since
//! noise only ever adds.

use benches::queues::{Shape, division};
use std::io::{self, Write};
use std::time::{Duration, Instant};

const ROUNDS: u32 = 25;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "| queues | below | all anew | one queue changed |")?;
    writeln!(out, "|---|---|---|---|")?;
    for shape in [Shape::flat(100), Shape::flat(1000), Shape::flat(10_000), Shape::below(100, 100)]
    {
        let mut division = division(shape);
        let anew = fastest(|| {
            division.touch_a_quota();
            let start = Instant::now();
            division.divide();
            start.elapsed()
        });
        let one = fastest(|| {
            division.change_one_queue();
            let start = Instant::now();
            division.divide();
            start.elapsed()
        });
        writeln!(out, "| {} | {} | {anew:.1?} | {one:.1?} |", shape.queues(), shape.parents())?;
    }
    Ok(())
}

fn fastest(mut round: impl FnMut() -> Duration) -> Duration {
    (0..ROUNDS).map(|_| round()).min().unwrap_or_default()
}
