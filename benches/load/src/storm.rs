//! B6: a cluster that is nearly full, thousands of gangs that cannot fit, small ones that can,
//! and now and then a node that becomes free.
//!
//! One pod fills each node to 95 %. The storm's pods take an eighth of what that pod leaves when
//! it goes, so that a gang of eight fits a freed node and none fits anything else; the small
//! gangs' pods fit what is left beside it.

use crate::burst::mebibytes;
use crate::check::End;
use crate::contestant::{Contestant, Running, Settings};
use crate::figures::{Figures, Measure, PEAK, RATE, STEADY, STRANGERS, measure, quantile};
use crate::observer::{Observer, Sight};
use crate::stage::Stage;
use crate::work::{Cut, Dialect, Made, NAMESPACE, Shape, submit};
use e2e::{FakeNode, Fault};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Share of a core that the scheduler uses while nothing happens, in percent.
pub const IDLE: Measure = measure("idle CPU %", 2);
/// From a node's release to the first bind on it.
pub const FREED: Measure = measure("freed→used p99 ms", 0);
/// Writes of the scheduler for each gang that cannot fit, until it says no more.
pub const SAYS: Measure = measure("writes/waiting gang", 2);
/// Writes of the scheduler in a second while nothing happens.
pub const IDLE_WRITES: Measure = measure("idle writes/s", 2);

/// Sizes of gangs that cannot fit, over and over.
const SIZES: [usize; 10] = [8, 8, 16, 8, 8, 32, 8, 16, 8, 64];
/// Members of the smallest: what a freed node takes.
const SMALLEST: usize = 8;
/// Pods of a gang that fits.
const SMALL: usize = 4;
const PATIENCE: Duration = Duration::from_secs(60);
/// A scheduler that uses less than this of a core for a second has said what it had to say.
const QUIET: f64 = 0.1;
/// Whoever is not quiet after so long never is.
const LOUD: Duration = Duration::from_secs(60);
/// Between two nodes that become free.
const EVERY: Duration = Duration::from_secs(2);

/// One size of the storm.
#[derive(Clone, Copy, Debug)]
pub struct Storm {
    /// Nodes.
    pub nodes: usize,
    /// Gangs that cannot fit; 0 for the calm to compare with.
    pub gangs: usize,
    /// Small gangs that can.
    pub fitting: usize,
    /// Nodes that become free, one after the other.
    pub freed: usize,
    /// How long nothing happens.
    pub idle: Duration,
}

impl Storm {
    /// Runs one contestant.
    pub async fn run(self, contestant: Contestant, settings: &Settings) -> Result<Figures, Fault> {
        let nodes = FakeNode::many(self.nodes, "node-", |node, _| node.cpu("16").memory("256Gi"));
        let stage = Stage::raise(&[contestant], &nodes, settings).await?;
        let (scheduler, dialect) = (contestant.scheduler(), contestant.dialect());
        let cut = |cpu| Cut { scheduler, dialect, cpu };
        let filler = Cut { dialect: Dialect::Plain, ..cut("15200m") };
        submit(&stage.wire, (0..self.nodes).map(|node| on_node(&filler, node)).collect()).await?;
        let observer = Observer::start(&stage.kubeconfig, NAMESPACE)?;
        observer.until_created(self.nodes, PATIENCE).await?;
        let counters = stage.counters().await?;
        let running = contestant.start(&stage).await?;

        let storm = cut("1900m");
        let sizes = SIZES.into_iter().cycle().take(self.gangs).enumerate();
        let gangs = sizes.flat_map(|(gang, size)| storm.gang(&storm_name(gang, size), size));
        submit(&stage.wire, gangs.collect()).await?;
        let mut figures = Figures::default();
        until_quiet(&stage, &running).await?;
        let said = stage.counters().await?;
        let before = stage.reading(Some(&running))?;
        tokio::time::sleep(self.idle).await;
        let used = stage.reading(Some(&running))?.since(&before);
        let idle = stage.counters().await?.since(&said);
        figures.add(IDLE, used.scheduler / self.idle.as_secs_f64() * 100.0);
        figures.add(IDLE_WRITES, idle.scheduler_writes() as f64 / self.idle.as_secs_f64());
        if self.gangs > 0 {
            let writes = said.since(&counters).scheduler_writes();
            figures.add(SAYS, writes as f64 / self.gangs as f64);
        }

        let small = cut("800m").gangs("small", Shape { gangs: self.fitting, size: SMALL });
        let bound = observer.bound();
        submit(&stage.wire, small).await?;
        observer.until_bound(bound + self.fitting * SMALL, PATIENCE).await?;
        figures.add(RATE, rate(&observer.sights()));
        if self.gangs > 0 {
            let freed = self.free(&stage, &observer).await?;
            let p99 = quantile(freed, 990).unwrap_or_default();
            figures.add(FREED, p99.as_secs_f64() * 1000.0);
        }

        let used = stage.reading(Some(&running))?.since(&before);
        drop(running);
        let made = stage.counters().await?.since(&counters);
        let end = End::read(&stage.wire).await?;
        end.verdict(&observer.sights(), size_of, made.binds())?;
        figures.add(PEAK, mebibytes(used.peak));
        figures.add(STEADY, mebibytes(used.resident));
        figures.add(STRANGERS, used.strangers);
        Ok(figures)
    }

    /// Frees nodes one by one; gives for each how long it took until a pod was bound to it.
    async fn free(self, stage: &Stage, observer: &Observer) -> Result<Vec<Duration>, Fault> {
        for node in 0..self.freed {
            let path = format!("/api/v1/namespaces/{NAMESPACE}/pods/filler-{node}");
            let bound = observer.bound();
            let begin = Instant::now();
            stage.wire.delete(&path).await?;
            observer.until_bound(bound + SMALLEST, PATIENCE).await?;
            tokio::time::sleep(EVERY.saturating_sub(begin.elapsed())).await;
        }
        Ok(used_after(&observer.sights()))
    }
}

fn node_name(node: usize) -> String {
    format!("node-{node}")
}

/// The size is part of the name, for the check at the end.
fn storm_name(gang: usize, size: usize) -> String {
    format!("storm{gang}of{size}")
}

/// Members of a gang, by its name; nothing for the pods that fill nodes.
fn size_of(gang: &str) -> Option<usize> {
    match gang.rsplit_once("of") {
        Some((_, size)) => size.parse().ok(),
        None => gang.starts_with("small").then_some(SMALL),
    }
}

/// The pod that fills a node, made there.
fn on_node(cut: &Cut, node: usize) -> Made {
    let (path, mut pod) = cut.pod(&format!("filler-{node}"), None);
    pod["spec"]["nodeName"] = node_name(node).into();
    (path, pod)
}

/// Waits until the scheduler has nothing more to do, or it shows that it never has.
async fn until_quiet(stage: &Stage, running: &Running) -> Result<(), Fault> {
    let begin = Instant::now();
    loop {
        let before = stage.reading(Some(running))?;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let used = stage.reading(Some(running))?.since(&before);
        if used.scheduler < QUIET || begin.elapsed() > LOUD {
            return Ok(());
        }
    }
}

/// Small gangs' pods over the time from the creation of the first to the bind of the last.
fn rate(sights: &BTreeMap<String, Sight>) -> f64 {
    let small: Vec<&Sight> =
        sights.iter().filter(|(name, _)| name.starts_with("small")).map(|(_, it)| it).collect();
    let first = small.iter().map(|sight| sight.created).min();
    let last = small.iter().filter_map(|sight| Some(sight.bound.as_ref()?.1)).max();
    let span =
        first.zip(last).map_or(0.0, |(first, last)| last.duration_since(first).as_secs_f64());
    small.len() as f64 / span.max(0.001)
}

/// For each pod that went, how long it took until another was on its node.
fn used_after(sights: &BTreeMap<String, Sight>) -> Vec<Duration> {
    let gone = sights.values().filter_map(|sight| {
        let (node, _) = sight.bound.as_ref()?;
        Some((node, sight.gone?))
    });
    let spans = gone.filter_map(|(node, gone)| {
        let later = sights.values().filter_map(|sight| sight.bound.as_ref());
        let later = later.filter(|(it, at)| it == node && *at >= gone).map(|(_, at)| *at);
        Some(later.min()?.duration_since(gone))
    });
    spans.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_gang_is_known_by_its_name() {
        assert_eq!(size_of(&storm_name(3, 64)), Some(64));
        assert_eq!(size_of("small12"), Some(SMALL));
        assert_eq!(size_of("filler"), None);
    }

    #[test]
    fn a_freed_node_is_used_by_the_first_bind_after_its_pod_went() {
        let now = Instant::now();
        let at = |ms| now + Duration::from_millis(ms);
        let sight = |bound, gone: Option<u64>| Sight {
            bound: Some(("n".to_owned(), at(bound))),
            gone: gone.map(at),
            ..Sight::of(now)
        };
        let all = [("a", sight(0, Some(100))), ("b", sight(50, None)), ("c", sight(180, None))];
        let sights = all.map(|(name, it)| (name.to_owned(), it)).into_iter().collect();
        assert_eq!(used_after(&sights), [Duration::from_millis(80)]);
    }
}
