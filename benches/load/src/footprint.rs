//! B7: a large cluster whose pods all run, and a scheduler that starts beside them: how soon it
//! binds, and how much memory it takes.
//!
//! Everybody starts on the same control plane, one after the other: making 100,000 pods takes
//! longer than all the rest.

use crate::burst::mebibytes;
use crate::contestant::{Contestant, Settings};
use crate::figures::{FIRST, Runs, Scenario};
use crate::figures::{Figures, Measure, PEAK, STEADY, STRANGERS, measure};
use crate::observer::Observer;
use crate::rounds::tell;
use crate::stage::Stage;
use crate::work::{Cut, Dialect, NAMESPACE, submit};
use e2e::{FakeNode, Fault};
use std::time::{Duration, Instant};

/// Time on a core from the start until memory was steady.
pub const SYNC_CPU: Measure = measure("CPU-s to sync", 1);

/// How long the first bind may take.
const PATIENCE: Duration = Duration::from_secs(180);
/// When memory is looked at again after the first bind.
const STEADY_AFTER: Duration = Duration::from_secs(10);
/// Members of the gang that waits for the scheduler.
const GANG: usize = 2;

/// One size of the cluster.
#[derive(Clone, Copy, Debug)]
pub struct Footprint {
    /// Nodes.
    pub nodes: usize,
    /// Pods that run on them.
    pub pods: usize,
}

impl Footprint {
    /// Starts everybody in turn, so many rounds.
    pub async fn run(
        self,
        contestants: &[Contestant],
        rounds: usize,
        settings: &Settings,
    ) -> Result<Scenario, Fault> {
        let title = format!("B7: {} nodes, {} bound pods", self.nodes, self.pods);
        let shape = |node: FakeNode, _| node.cpu("64").memory("256Gi");
        let nodes = FakeNode::many(self.nodes, "node-", shape);
        let stage = Stage::raise(contestants, &nodes, settings).await?;
        let observer = Observer::start(&stage.kubeconfig, NAMESPACE)?;
        // Of muster's own name: those are the pods that cost it most.
        let cut = Cut { scheduler: "muster", dialect: Dialect::Plain, cpu: "1" };
        let pods = (0..self.pods).map(|index| {
            let (path, mut pod) = cut.pod(&format!("old{index}-0"), None);
            pod["spec"]["nodeName"] = format!("node-{}", index % self.nodes).into();
            (path, pod)
        });
        submit(&stage.wire, pods.collect()).await?;
        observer.until_created(self.pods, PATIENCE).await?;

        let mut rows: Vec<(String, Runs)> =
            contestants.iter().map(|it| (it.name().to_owned(), Runs::new())).collect();
        for round in 0..rounds {
            for (index, contestant) in contestants.iter().enumerate() {
                let gang = format!("new{round}x{index}");
                let done = start(&stage, &observer, *contestant, &gang).await;
                let done = done.map_err(|fault| fault.to_string());
                let words = match &done {
                    Ok(figures) => figures.line(),
                    Err(why) => format!("no score: {why}"),
                };
                tell(&format!("{title}, round {}, {}: {words}", round + 1, contestant.name()));
                rows[index].1.push(done);
            }
        }
        Ok(Scenario { title, rows })
    }
}

async fn start(
    stage: &Stage,
    observer: &Observer,
    contestant: Contestant,
    gang: &str,
) -> Result<Figures, Fault> {
    let (scheduler, dialect) = (contestant.scheduler(), contestant.dialect());
    let cut = Cut { scheduler, dialect, cpu: "1" };
    let before = observer.bound();
    submit(&stage.wire, cut.gang(gang, GANG)).await?;
    let reading = stage.reading(None)?;
    let begin = Instant::now();
    let running = contestant.start(stage).await?;
    observer.until_bound(before + GANG, PATIENCE).await?;
    let sights = observer.sights();
    let first = (0..GANG).filter_map(|index| {
        let (_, at) = sights.get(&format!("{gang}-{index}"))?.bound.as_ref()?;
        Some(at.duration_since(begin))
    });
    let first = first.min().ok_or_else(|| Fault::new("another pod was bound"))?;
    tokio::time::sleep(STEADY_AFTER).await;
    let used = stage.reading(Some(&running))?.since(&reading);
    let mut figures = Figures::default();
    figures.add(FIRST, first.as_secs_f64());
    figures.add(PEAK, mebibytes(used.peak));
    figures.add(STEADY, mebibytes(used.resident));
    figures.add(SYNC_CPU, used.scheduler);
    figures.add(STRANGERS, used.strangers);
    Ok(figures)
}
