//! The whole harness in the smallest size: what it measures is of no interest, that it does is.

use benches_load::arrivals::Arrivals;
use benches_load::burst::Burst;
use benches_load::contestant::{Contestant, Settings};
use benches_load::figures::{CPU, FIRST, RATE, WAIT_P99, WRITES};
use benches_load::footprint::Footprint;
use benches_load::recorded;
use benches_load::rush::{EVICTED, Rush, WALL};
use benches_load::shares::{IN_USE, OFF, Shares};
use benches_load::storm::{FREED, Storm};
use benches_load::work::Shape;
use std::time::Duration;

fn settings() -> Settings {
    Settings { load: env!("CARGO_BIN_EXE_load").into(), in_flight: 16 }
}

const BURST: Burst = Burst { nodes: 20, shape: Shape { gangs: 4, size: 10 } };

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_has_a_score_for_the_ceiling() {
    let figures = BURST.run(Contestant::Null, &settings()).await.expect("it has a score");
    assert!(figures.get(RATE).is_some_and(|it| it > 1.0), "{}", figures.line());
    assert_eq!(figures.get(WRITES), Some(1.0), "the null binder binds, and does nothing else");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_has_a_score_for_muster() {
    let figures = BURST.run(Contestant::Muster, &settings()).await.expect("it has a score");
    assert!(figures.get(RATE).is_some_and(|it| it > 1.0), "{}", figures.line());
    assert!(figures.get(CPU).is_some_and(|it| it > 0.0), "{}", figures.line());
    assert!(figures.get(WRITES).is_some_and(|it| it <= 1.4), "{}", figures.line());
}

#[tokio::test(flavor = "multi_thread")]
async fn pods_that_arrive_have_a_wait() {
    let arrivals = Arrivals { nodes: 5, span: Duration::from_secs(2) };
    let figures = arrivals.run(Contestant::Muster, 20.0, &settings()).await;
    let figures = figures.expect("it has a score");
    let wait = figures.get(WAIT_P99);
    assert!(wait.is_some_and(|it| it > 0.0 && it < 30_000.0), "{}", figures.line());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_shows_how_soon_freed_room_is_used() {
    let idle = Duration::from_secs(1);
    let storm = Storm { nodes: 10, gangs: 10, fitting: 2, freed: 1, idle };
    let figures = storm.run(Contestant::Muster, &settings()).await.expect("it has a score");
    assert!(figures.get(FREED).is_some_and(|it| it > 0.0), "{}", figures.line());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_job_of_a_rush_ends_whoever_binds_it() {
    for contestant in [Contestant::Null, Contestant::Muster] {
        let figures = Rush { queues: 4 }.run(contestant, &settings()).await;
        let figures = figures.expect("it has a score");
        assert!(figures.get(WALL).is_some_and(|it| it > 3.0), "{}", figures.line());
        assert!(figures.get(EVICTED).is_some(), "{}", figures.line());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn queues_with_weights_have_shares_that_are_measured() {
    let shares = Shares { nodes: 3, seconds: 12 };
    let figures = shares.run(Contestant::Muster, &settings()).await.expect("it has a score");
    assert!(figures.get(IN_USE).is_some_and(|it| it > 50.0), "{}", figures.line());
    // Of seconds, with jobs that are as long, this says nothing but that it is measured.
    assert!(figures.get(OFF).is_some_and(f64::is_finite), "{}", figures.line());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_cluster_is_read_and_its_gang_bound() {
    let scenario = recorded::run(Footprint { nodes: 20, pods: 100 }, 1).await;
    let scenario = scenario.expect("it can be told");
    let run = scenario.runs("muster")[0].as_ref().expect("it has a score");
    assert!(run.get(FIRST).is_some_and(|it| it > 0.0), "{}", run.line());
}
