//! One table: what a decision costs, against a naive full scan in the same process.
//!
//! `cargo bench -p benches --bench decisions [-- MOST_NODES]`. Each cell takes the fastest of
//! several rounds on both sides, since noise only ever adds.

use benches::bare::Bare;
use benches::cluster::free_gpus;
use benches::naive::Naive;
use benches::stage::Stage;
use benches::workload::{Variety, Wish, Workload};
use std::io::{self, Write};
use std::time::{Duration, Instant};

const NODES: [usize; 5] = [100, 1000, 5000, 10_000, 50_000];
const SIZES: [usize; 5] = [1, 8, 64, 1000, 5000];
const VARIETIES: [Variety; 3] = [Variety::Identical, Variety::Fifty, Variety::Different];
/// Pods per cycle, where gangs are smaller than that.
const PODS: usize = 1000;
/// More classes than orders are kept, each coming back every cycle: the worst for caches.
const CLASSES: usize = 200;
/// Rounds of a cell end after this time.
const PATIENCE: Duration = Duration::from_secs(2);
const ROUNDS_MAX: usize = 15;

fn main() -> io::Result<()> {
    let most = std::env::args().find_map(|arg| arg.parse().ok()).unwrap_or(usize::MAX);
    let mut table = Table { out: io::stdout().lock(), smaller: Vec::new() };
    table.head()?;
    for nodes in NODES.into_iter().filter(|nodes| *nodes <= most) {
        let mut stage = Stage::new(nodes);
        for workload in workloads(nodes) {
            let cell = measure(&mut stage, nodes, &workload);
            table.row(&cell)?;
        }
    }
    Ok(())
}

/// What fits on so many nodes, with some room to choose.
fn workloads(nodes: usize) -> Vec<Workload> {
    let most = free_gpus(nodes) / 3;
    let mut all = Vec::new();
    for variety in VARIETIES {
        // What a single new pod costs that finds the engine idle.
        all.push(Workload::new(1, 1, variety));
        for size in SIZES.into_iter().filter(|size| *size <= most) {
            let gangs = (PODS.min(most) / size).max(1);
            all.push(Workload::new(gangs, size, variety));
        }
    }
    if most >= 1000 {
        all.push(Workload::new(CLASSES, 1, Variety::Different));
        all.push(Workload::new(1000, 1, Variety::OwnSelector));
        for wish in [Wish::Rack, Wish::PreferRack, Wish::Spread] {
            all.push(Workload { wish, ..Workload::new(8, 64, Variety::Identical) });
        }
    }
    all
}

/// One cell of the table.
struct Cell {
    nodes: usize,
    workload: Workload,
    best: Duration,
    median: Duration,
    allocations: u64,
    bare: Duration,
    bare_allocations: u64,
    naive_ns: u128,
}

fn measure(stage: &mut Stage, nodes: usize, workload: &Workload) -> Cell {
    // The first round grows buffers and masks: not the steady state.
    stage.round(workload);
    let mut rounds = Vec::new();
    let start = Instant::now();
    while rounds.len() < 3 || (rounds.len() < ROUNDS_MAX && start.elapsed() < PATIENCE) {
        stage.arrive(workload);
        let begin = Instant::now();
        let report = stage.decide();
        rounds.push(begin.elapsed());
        stage.depart(workload, &report);
    }
    rounds.sort_unstable();
    stage.arrive(workload);
    let naive_ns = weigh_naive(&Naive::of(stage), workload);
    let (bare, bare_allocations) = weigh_bare(&mut Bare::of(stage));
    let mut report = None;
    let counted = allocation_counter::measure(|| report = Some(stage.decide()));
    stage.depart(workload, &report.expect("the closure ran"));
    Cell {
        nodes,
        workload: *workload,
        best: rounds[0],
        median: rounds[rounds.len() / 2],
        allocations: counted.count_total,
        bare,
        bare_allocations,
        naive_ns,
    }
}

/// Nanoseconds per pod of a full scan.
fn weigh_naive(naive: &Naive, workload: &Workload) -> u128 {
    let mut naive = Naive::clone(naive);
    let most = (200_000 / naive.snapshot().nodes().len()).clamp(4, 100);
    let pods = naive.waiting(most.min(workload.pods()));
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let begin = Instant::now();
        let places = naive.place(&pods);
        best = best.min(begin.elapsed());
        assert!(places.is_some(), "the naive scan finds room too");
        naive.undo();
    }
    best.as_nanos() / pods.len() as u128
}

/// The fastest time of placing alone, and its allocations.
fn weigh_bare(bare: &mut Bare) -> (Duration, u64) {
    bare.place_and_undo();
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let begin = Instant::now();
        bare.place_and_undo();
        best = best.min(begin.elapsed());
    }
    let counted = allocation_counter::measure(|| {
        bare.place_and_undo();
    });
    (best, counted.count_total)
}

struct Table<W> {
    out: W,
    smaller: Vec<(Workload, usize, u128)>,
}

impl<W: Write> Table<W> {
    fn head(&mut self) -> io::Result<()> {
        writeln!(
            self.out,
            "| nodes | pods | gangs | µs/decision | median | ms/gang | placing only µs \
             | × naive | growth | allocations/decision | placing only |"
        )?;
        writeln!(self.out, "|--:|:--|--:|--:|--:|--:|--:|--:|:--|--:|--:|")
    }

    fn row(&mut self, cell: &Cell) -> io::Result<()> {
        let Cell { workload, .. } = cell;
        let pods = workload.pods() as u128;
        let per_pod = |time: Duration| time.as_nanos() / pods;
        let per_decision = |count: u64| tenths(u128::from(count) * 10 / pods);
        let own = per_pod(cell.best);
        let growth = self.growth(cell, own);
        self.smaller.push((*workload, cell.nodes, own));
        let wish = match workload.wish {
            Wish::Anywhere => "",
            Wish::Rack => ", one rack",
            Wish::PreferRack => ", rack preferred",
            Wish::Spread => ", spread",
        };
        writeln!(
            self.out,
            "| {} | {}{wish} | {} × {} | {} | {} | {} | {} | {} | {growth} | {} | {} |",
            cell.nodes,
            workload.variety.name(),
            workload.gangs,
            workload.size,
            micros(own),
            micros(per_pod(cell.median)),
            micros(cell.best.as_nanos() / workload.gangs as u128 / 1000),
            micros(per_pod(cell.bare)),
            tenths(cell.naive_ns * 10 / own.max(1)),
            per_decision(cell.allocations),
            per_decision(cell.bare_allocations),
        )?;
        self.out.flush()
    }

    /// The cost per decision against the next smaller cluster that had the same kind of gangs.
    fn growth(&self, cell: &Cell, own: u128) -> String {
        let is_alike = |other: &Workload| {
            let key =
                |it: &Workload| (it.size, it.variety, it.wish, it.gangs == 1, it.gangs == CLASSES);
            key(other) == key(&cell.workload)
        };
        let last =
            self.smaller.iter().rev().find(|(it, nodes, _)| is_alike(it) && *nodes < cell.nodes);
        last.map_or_else(String::new, |(_, nodes, before)| {
            let by = tenths(own * 10 / (*before).max(1));
            format!("×{by} for ×{}", cell.nodes / nodes)
        })
    }
}

fn tenths(value: u128) -> String {
    format!("{}.{}", value / 10, value % 10)
}

/// Thousandths as a number with two digits behind the point.
fn micros(thousandths: u128) -> String {
    format!("{}.{:02}", thousandths / 1000, thousandths % 1000 / 10)
}
