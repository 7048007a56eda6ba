//! What it costs to look for victims: where many may be taken, and where none may.
//!
//! `cargo bench -p benches --bench reclaim [-- NODES QUEUES WAITING]`

use benches::reclaim::{Lent, Reclaim, plans};
use scheduler_core::evict::Evicts;
use std::io::{self, Write};
use std::time::Instant;

fn main() -> io::Result<()> {
    let numbers: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let (nodes, queues, waiting) = match numbers[..] {
        [nodes, queues, waiting, ..] => (nodes, queues, waiting),
        _ => (1_000, 100, 1_000),
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{nodes} nodes, {queues} queues, {waiting} gangs of 8 wait")?;
    writeln!(out, "| lent | evicts | cycle | plans | pods | steps | took |")?;
    writeln!(out, "|:--|:--|:--|--:|--:|--:|--:|")?;
    for lent in [Lent::Half, Lent::Nothing] {
        for evicts in [Evicts::Never, Evicts::ByQueue] {
            let mut it = Reclaim::new(nodes, queues, waiting, lent, evicts);
            for cycle in ["first", "again"] {
                let began = Instant::now();
                let report = it.cycle();
                let took = began.elapsed();
                let (plans, pods) = plans(&report);
                writeln!(
                    out,
                    "| {lent:?} | {evicts:?} | {cycle} | {plans} | {pods} | {} | {took:.2?} |",
                    report.steps
                )?;
                it.stir();
            }
        }
    }
    Ok(())
}
