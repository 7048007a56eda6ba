//! Many pods: what a scrape costs while they are bound, and what waiting gangs cost.

use crate::burst::Burst;
use crate::observer::Observer;
use crate::{add_room, alone, check, plane, turn};
use e2e::ControlPlane;
use std::time::{Duration, Instant};

/// Beyond all reason; the promise is fifty milliseconds.
const TOO_LONG: Duration = Duration::from_secs(5);

/// Linux counts processor time in hundredths of a second, on every machine that runs this.
const TICKS_PER_SECOND: f64 = 100.0;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scrape_stays_small_in_a_burst() {
    let _turn = turn().await;
    let plane = plane(ControlPlane::builder().for_load()).await;
    let muster = alone(&plane).await;
    let burst = Burst { size: 20, ..Burst::new(&plane, "crowd", 500).await };
    add_room(&plane, "n", burst.pods()).await;
    let observer = Observer::new(&plane, &burst);
    let start = Instant::now();
    let submitted = burst.submit(&plane);
    let (mut took, mut most) = (Vec::new(), 0);
    while observer.count() < burst.pods() {
        assert!(start.elapsed() < 3 * crate::LONG, "{} are bound", observer.count());
        let begin = Instant::now();
        let (status, text) = muster.get("/metrics").await.expect("it is scraped");
        took.push(begin.elapsed());
        assert_eq!(status, 200);
        let series = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        most = most.max(series.count());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    submitted.await.expect("everything is made");
    println!("{} pods bound in {:?}; {most} series", burst.pods(), start.elapsed());
    check::tell("a scrape (promised: 50ms)", took.clone());
    assert!(most < 2000, "{most} series");
    assert!(took.iter().all(|took| *took < TOO_LONG), "{took:?}");
    check::whole(&plane, &burst, &observer.seen());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gangs_that_wait_cost_next_to_nothing() {
    let _turn = turn().await;
    let plane = plane(ControlPlane::builder().for_load()).await;
    let muster = alone(&plane).await;
    // One GPU more than a node has.
    let burst = Burst { size: 1, gpus: 9, ..Burst::new(&plane, "waits", 2000).await };
    add_room(&plane, "n", 800).await;
    burst.submit(&plane).await.expect("everything is made");
    e2e::eventually(crate::LONG, "every gang to wait", async || {
        let (_, text) = muster.get("/metrics").await.map_err(|it| it.to_string())?;
        let line = text.lines().find(|line| line.starts_with("muster_pending_gangs{"));
        let line = line.unwrap_or_default();
        if line.ends_with(" 2000") { Ok(()) } else { Err(line.to_owned()) }
    })
    .await;
    // Statuses are still written; they end.
    let mut share = f64::MAX;
    for _ in 0..4 {
        let before = processor_seconds(muster.id());
        tokio::time::sleep(Duration::from_secs(10)).await;
        share = share.min((processor_seconds(muster.id()) - before) / 10.0);
        if share <= 0.02 {
            break;
        }
    }
    println!("2000 waiting gangs: {:.2} % of a core (promised: 2 %)", share * 100.0);
    assert!(share < 0.2, "{share} of a core while nothing happens");
}

/// Processor time of a process, its own and the kernel's for it.
fn processor_seconds(id: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).expect("it runs");
    // The name before may hold blanks; it ends with the last parenthesis.
    let (_, rest) = text.rsplit_once(')').expect("the name stands in parentheses");
    let ticks = rest.split_whitespace().skip(11).take(2);
    ticks.map(|ticks| ticks.parse::<f64>().expect("it is a number")).sum::<f64>() / TICKS_PER_SECOND
}
