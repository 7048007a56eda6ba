//! Short work for many queues at once, in virtual time, against the ideal bound.
//!
//! `cargo bench -p benches --bench rush [-- COHORTS QUEUES]`; ten cohorts of a hundred queues are
//! Kueue's large configuration.

use benches::rush::{Size, play};
use scheduler_model::time::Span;
use std::io::{self, Write};

fn main() -> io::Result<()> {
    let numbers: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let size = match numbers[..] {
        [cohorts, queues, ..] => Size { cohorts, queues },
        _ => Size { cohorts: 10, queues: 100 },
    };
    let it = play(size, Span::from_ms(5));
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "| jobs | makespan ms | ideal ms | usage ‰ | share error ‰ | waits ms | engine | cycles |"
    )?;
    writeln!(out, "|--:|--:|--:|--:|--:|:--|--:|--:|")?;
    let waits: Vec<String> = it.waits.iter().map(|(name, ms)| format!("{name} {ms}")).collect();
    writeln!(
        out,
        "| {} | {} | {} | {} | {} | {} | {:.2?} | {} |",
        it.jobs,
        it.makespan,
        it.ideal,
        it.usage,
        it.share_error,
        waits.join(", "),
        it.engine,
        it.cycles
    )
}
