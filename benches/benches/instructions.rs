//! Instruction counts, which do not depend on how busy the machine is.
//!
//! `cargo bench -p benches --bench instructions` needs valgrind and gungraun-runner in the
//! version of the library; without them it says so and ends well.

#![allow(missing_docs, reason = "the macros of gungraun make public items without docs")]

use benches::bare::Bare;
use benches::stage::Stage;
use benches::workload::{Variety, Wish, Workload};
use gungraun::{library_benchmark, library_benchmark_group};
use scheduler_core::report::CycleReport;
use scheduler_model::op::Op;
use std::hint::black_box;
use std::io::{self, Write};
use std::process::{Command, Stdio};

const NODES: usize = 5000;

/// A stage in its steady state at which the workload has just arrived.
fn arrived(workload: Workload) -> Stage {
    on(NODES, workload)
}

/// The same on a cluster of another size.
fn on(nodes: usize, workload: Workload) -> Stage {
    let mut stage = Stage::new(nodes);
    // Masks, buffers and orders are kept from the second time on at the latest.
    for _ in 0..3 {
        stage.round(&workload);
    }
    stage.arrive(&workload);
    stage
}

fn with(wish: Wish, workload: Workload) -> Stage {
    arrived(Workload { wish, ..workload })
}

#[library_benchmark]
#[bench::one_identical(arrived(Workload::new(1, 1, Variety::Identical)))]
#[bench::thousand_identical(arrived(Workload::new(1000, 1, Variety::Identical)))]
#[bench::thousand_different(arrived(Workload::new(1000, 1, Variety::Different)))]
#[bench::two_hundred_different(arrived(Workload::new(200, 1, Variety::Different)))]
#[bench::gang_of_64_in_one_rack(with(Wish::Rack, Workload::new(1, 64, Variety::Identical)))]
#[bench::gang_of_1000(arrived(Workload::new(1, 1000, Variety::Identical)))]
#[bench::gang_of_5000(arrived(Workload::new(1, 5000, Variety::Identical)))]
#[bench::identical_on_500_nodes(on(500, Workload::new(500, 1, Variety::Identical)))]
#[bench::identical_on_5000_nodes(on(5000, Workload::new(500, 1, Variety::Identical)))]
#[bench::different_on_500_nodes(on(500, Workload::new(500, 1, Variety::Different)))]
#[bench::different_on_5000_nodes(on(5000, Workload::new(500, 1, Variety::Different)))]
#[bench::gang_of_64_spread(with(Wish::Spread, Workload::new(1, 64, Variety::Identical)))]
fn cycle(mut stage: Stage) -> (Stage, CycleReport) {
    let report = stage.decide();
    black_box((stage, report))
}

/// A snapshot on which a gang of 1000 waits, and an op for each of its members.
fn ready() -> (Bare, Vec<Op>) {
    let bare = Bare::of(&arrived(Workload::new(1, 1000, Variety::Identical)));
    let ops = bare.ops();
    (bare, ops)
}

#[library_benchmark]
#[bench::thousand_ops(ready())]
fn apply_and_undo((mut bare, ops): (Bare, Vec<Op>)) -> (Bare, Vec<Op>) {
    bare.apply_and_undo(&ops);
    black_box((bare, ops))
}

library_benchmark_group!(name = decisions, benchmarks = [cycle, apply_and_undo]);

fn main() -> io::Result<()> {
    for (tool, remedy) in [
        ("valgrind", "install the package valgrind"),
        ("gungraun-runner", "see docs/benchmarks.md for the version to install"),
    ] {
        if !is_installed(tool) {
            return writeln!(io::stdout(), "instruction counts: no {tool} here; {remedy}");
        }
    }
    gungraun::main!(library_benchmark_groups = decisions);
    main();
    Ok(())
}

fn is_installed(tool: &str) -> bool {
    let mut command = Command::new(tool);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok()
}
