//! B1 and B2 (a): everything is there before the scheduler starts, and is to be bound.

use crate::check::End;
use crate::contestant::{Contestant, Settings};
use crate::figures::{
    API_CPU, CPU, DRAIN, ETCD_CPU, FIRST, Figures, PEAK, RATE, SKEW, STRANGERS, WRITES, quantile,
    spreads,
};
use crate::observer::{Observer, Sight};
use crate::stage::{Stage, Used};
use crate::work::{Cut, NAMESPACE, Shape, gang_of, submit};
use e2e::{FakeNode, Fault};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long no bind at all may be seen: kube-scheduler's longest back-off and more.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long the server is left alone before the start: it tidies up after many creations.
const REST: Duration = Duration::from_secs(1);
/// How long status may be written after the last bind, and counts.
const TRAIL: Duration = Duration::from_millis(1500);

/// One size of the burst.
#[derive(Clone, Copy, Debug)]
pub struct Burst {
    /// Nodes of 16 cores and 64 GiB.
    pub nodes: usize,
    /// Gangs, of pods of one core.
    pub shape: Shape,
}

impl Burst {
    /// Runs one contestant.
    pub async fn run(self, contestant: Contestant, settings: &Settings) -> Result<Figures, Fault> {
        let nodes = FakeNode::many(self.nodes, "node-", |node, _| node.cpu("16").memory("64Gi"));
        let stage = Stage::raise(&[contestant], &nodes, settings).await?;
        let dialect = match self.shape.size {
            1 => contestant.dialect_of_singles(),
            _ => contestant.dialect(),
        };
        let cut = Cut { scheduler: contestant.scheduler(), dialect, cpu: "1" };
        submit(&stage.wire, cut.gangs("gang", self.shape)).await?;
        let observer = Observer::start(&stage.kubeconfig, NAMESPACE)?;
        observer.until_created(self.shape.pods(), PATIENCE).await?;
        let counters = stage.counters().await?;
        tokio::time::sleep(REST).await;

        let before = stage.reading(None)?;
        let running = contestant.start(&stage).await?;
        observer.until_bound(self.shape.pods(), PATIENCE).await?;
        tokio::time::sleep(TRAIL).await;
        let used = stage.reading(Some(&running))?.since(&before);
        drop(running);

        let sights = observer.sights();
        let made = stage.counters().await?.since(&counters);
        let end = End::read(&stage.wire).await?;
        end.verdict(&sights, |_| Some(self.shape.size), made.binds())?;
        let mut figures = times(&sights, before.at());
        add_used(&mut figures, &used, self.shape.pods());
        let writes = made.scheduler_writes() as f64 / self.shape.pods() as f64;
        figures.add(WRITES, writes);
        figures.add(STRANGERS, used.strangers);
        Ok(figures)
    }
}

/// What was used, for a thousand pods.
pub(crate) fn add_used(figures: &mut Figures, used: &Used, pods: usize) {
    let thousands = pods as f64 / 1000.0;
    figures.add(CPU, used.scheduler / thousands);
    figures.add(PEAK, mebibytes(used.peak));
    figures.add(API_CPU, used.apiserver / thousands);
    figures.add(ETCD_CPU, used.etcd / thousands);
}

/// Bytes as MiB.
pub(crate) fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// How fast pods were bound after `start`.
fn times(sights: &BTreeMap<String, Sight>, start: Instant) -> Figures {
    let bound = |(name, sight): (&'_ String, &Sight)| {
        sight.bound.as_ref().map(|(_, at)| (gang_of(name).to_owned(), *at))
    };
    let bound: Vec<(String, Instant)> = sights.iter().filter_map(bound).collect();
    let first = bound.iter().map(|(_, at)| *at).min().unwrap_or(start);
    let last = bound.iter().map(|(_, at)| *at).max().unwrap_or(start);
    let seconds = |from: Instant| last.duration_since(from).as_secs_f64().max(0.001);
    let count = bound.len() as f64;
    let mut figures = Figures::default();
    figures.add(RATE, count / seconds(first));
    figures.add(DRAIN, count / seconds(start));
    figures.add(FIRST, first.duration_since(start).as_secs_f64());
    let skews = spreads(bound.iter().map(|(gang, at)| (gang.as_str(), *at)));
    figures.add(SKEW, quantile(skews, 990).unwrap_or_default().as_secs_f64() * 1000.0);
    figures
}
