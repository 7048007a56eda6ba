//! The generators, run tiny, so that benchmarks cannot rot.

use benches::bare::Bare;
use benches::cluster::{GPUS_PER_NODE, free_gpus};
use benches::naive::Naive;
use benches::stage::Stage;
use benches::workload::{Variety, Wish, Workload};
use scheduler_core::report::{CycleReport, Decision};
use scheduler_model::ids::PodId;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::time::Span;

const NODES: usize = 100;
const VARIETIES: [Variety; 4] =
    [Variety::Identical, Variety::Fifty, Variety::Different, Variety::OwnSelector];

#[test]
fn a_cluster_is_sixty_percent_full() {
    let all = NODES * GPUS_PER_NODE;
    assert_eq!((all - free_gpus(NODES)) * 100 / all, 60);
}

#[test]
fn every_workload_is_placed_whole_and_leaves_no_trace() {
    let mut stage = Stage::new(NODES);
    for variety in VARIETIES {
        for (gangs, size) in [(20, 1), (4, 8), (1, 64)] {
            let before = stage.engine().snapshot().nodes().clone();
            stage.round(&Workload::new(gangs, size, variety));
            assert!(*stage.engine().snapshot().nodes() == before, "{variety:?} {gangs}x{size}");
        }
    }
}

#[test]
fn wishes_are_placed_whole() {
    let mut stage = Stage::new(NODES);
    for wish in [Wish::Rack, Wish::PreferRack, Wish::Spread] {
        stage.round(&Workload { wish, ..Workload::new(1, 16, Variety::Identical) });
    }
}

#[test]
fn a_round_decides_what_the_round_before_it_decided() {
    let mut stage = Stage::new(NODES);
    let workload = Workload::new(10, 8, Variety::Fifty);
    let first = places(&stage.round(&workload));
    assert_eq!(places(&stage.round(&workload)), first);
}

#[test]
fn the_naive_scan_puts_gangs_of_one_where_the_engine_does() {
    for variety in VARIETIES {
        let mut stage = Stage::new(NODES);
        let workload = Workload::new(30, 1, variety);
        stage.arrive(&workload);
        let mut naive = Naive::of(&stage);
        let decided = places(&stage.decide());
        let pods: Vec<PodId> = decided.iter().map(|(uid, _)| find(naive.snapshot(), uid)).collect();
        let nodes = naive.place(&pods).expect("there is room");
        let names = nodes.iter().map(|node| &naive.snapshot().nodes().spec(*node).name);
        let expected: Vec<(String, String)> =
            decided.iter().map(|(uid, _)| uid.clone()).zip(names.cloned()).collect();
        assert_eq!(decided, expected, "{variety:?}");
    }
}

#[test]
fn placing_alone_places_everybody_and_takes_it_back() {
    let mut stage = Stage::new(NODES);
    stage.arrive(&Workload::new(4, 8, Variety::Fifty));
    let mut bare = Bare::of(&stage);
    assert_eq!(bare.place_and_undo(), 32);
    assert_eq!(bare.place_and_undo(), 32);
    let ops = bare.ops();
    assert_eq!(ops.len(), 8);
    bare.apply_and_undo(&ops);
    assert_eq!(bare.place_and_undo(), 32);
}

/// Which pod went where, in order of decision.
fn places(report: &CycleReport) -> Vec<(String, String)> {
    let plans = report.decisions.iter().filter_map(|decision| match decision {
        Decision::Run(plan) => Some(plan),
        Decision::Wait(_) | Decision::Evict(_) => None,
    });
    plans.flat_map(|plan| plan.steps.iter().map(|it| (it.uid.clone(), it.node.clone()))).collect()
}

fn find(snap: &Snapshot, uid: &str) -> PodId {
    snap.pods().find(uid).expect("the workload has arrived")
}

#[test]
fn many_queues_of_short_work_keep_all_cores_busy() {
    let it = benches::rush::play(benches::rush::Size { cohorts: 2, queues: 10 }, Span::from_ms(5));
    assert_eq!(it.jobs, 1000);
    let (makespan, ideal) = (it.makespan, it.ideal);
    assert!(makespan * 4 <= ideal * 5, "{makespan} ms instead of {ideal}");
    assert!(it.usage >= 800, "{} of 1000 cores in use", it.usage);
    assert!(it.share_error <= 50, "a queue is {} of 1000 off", it.share_error);
    let wait = |class: &str| it.waits[class];
    assert!(wait("large") < wait("medium") && wait("medium") < wait("small"), "{:?}", it.waits);
}
