//! Three queues with weights 1:2:3 on a cluster that all of them would fill alone, with kwok as
//! the kubelets: who has how much over any minute.
//!
//! Gangs of one to four pods of one or two GPUs run for two to ten seconds; a feeder makes new
//! ones as others get their room, so that each queue always has work for a while. What counts is
//! what a watch sees, from bind to end. Next: `rush.rs` for many queues.

use crate::burst::add_used;
use crate::check::End;
use crate::contestant::{Contestant, Settings};
use crate::figures::{Figures, Measure, STRANGERS, measure};
use crate::observer::{Observer, Seen};
use crate::rush::{EVICTED, queue};
use crate::stage::Stage;
use crate::work::{Cut, Made, NAMESPACE, gang_of, made, submit};
use e2e::{FakeNode, FakePod, Fault, Nodes, RUN_FOR};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Largest distance of a queue from its entitlement over any window, in percent of that.
pub const OFF: Measure = measure("worst error %", 2);
/// GPUs in use, of all there are, after the warm-up.
pub const IN_USE: Measure = measure("GPUs in use %", 1);
/// GPUs that each queue used, after the warm-up.
const MEANS: [Measure; 3] =
    [measure("GPUs of one", 2), measure("GPUs of two", 2), measure("GPUs of three", 2)];
/// Pods that were evicted after the warm-up: before, queues that fill first have to give back.
const LATER: Measure = measure("evicted after warm-up", 0);
/// Gangs that ran.
const GANGS: Measure = measure("gangs", 0);

const QUEUES: [(&str, u64); 3] = [("one", 1), ("two", 2), ("three", 3)];
const WEIGHTS: u64 = 6;
const GPUS_OF_NODE: u64 = 8;
/// Work that waits in each queue, in seconds of all that it is entitled to.
const BACKLOG: u64 = 20;
/// Between two looks at what has got its room.
const LOOK: Duration = Duration::from_millis(100);
/// How long nothing may be bound while the rest is.
const PATIENCE: Duration = Duration::from_secs(60);
/// The length of a window, and of the warm-up.
const MINUTE: usize = 60;

/// One size of it.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    /// Nodes of eight GPUs.
    pub nodes: u64,
    /// How long all queues are full, in seconds.
    pub seconds: usize,
}

/// What a pod used: the queue, its GPUs, from when, and until when.
#[derive(Clone, Copy, Debug)]
struct Use {
    queue: usize,
    gpus: u64,
    from: Instant,
    to: Option<Instant>,
}

/// One gang of a queue.
#[derive(Clone, Copy, Debug)]
struct Shape {
    queue: usize,
    pods: usize,
    gpus: u64,
    runs: u64,
}

impl Shares {
    /// Runs muster, or whoever understands its queues.
    pub async fn run(self, contestant: Contestant, settings: &Settings) -> Result<Figures, Fault> {
        let shape = |node: FakeNode, _| node.gpus(8);
        let count = usize::try_from(self.nodes).unwrap_or(0);
        let nodes = FakeNode::many(count, "node-", shape);
        let stage = Stage::raise_with(Nodes::Kwok, &[contestant], &nodes, settings).await?;
        let queues = QUEUES.map(|(name, weight)| queue(name, json!({ "weight": weight })));
        submit(&stage.wire, queues.to_vec()).await?;
        let (follower, seen) = unbounded_channel();
        let observer = Observer::start_with(&stage.kubeconfig, NAMESPACE, Some(follower))?;
        let running = contestant.start(&stage).await?;

        let counters = stage.counters().await?;
        let before = stage.reading(Some(&running))?;
        let begin = Instant::now();
        let mut feeder = Feeder::new(contestant, self.nodes * GPUS_OF_NODE, seen);
        while begin.elapsed() < Duration::from_secs(u64::try_from(self.seconds).unwrap_or(0)) {
            submit(&stage.wire, feeder.feed()).await?;
            tokio::time::sleep(LOOK).await;
        }
        let used = stage.reading(Some(&running))?.since(&before);
        feeder.look();
        let uses: Vec<Use> = feeder.uses.values().copied().collect();
        let evicted = feeder.evicted.clone();
        // No gang is left half bound.
        observer.until_bound(feeder.pods, PATIENCE).await?;
        drop(running);
        let made = stage.counters().await?.since(&counters);
        let end = End::read(&stage.wire).await?;
        // Of a gang that was evicted some pods may be gone.
        let shape = |gang: &str| feeder.shapes.get(gang).filter(|_| feeder.evicted.is_empty());
        let whole = |gang: &str| shape(gang).map(|shape| shape.pods);
        end.verdict(&observer.sights(), whole, made.binds())?;
        let mut figures = self.figures(&uses, begin);
        figures.add(GANGS, feeder.shapes.len() as f64);
        figures.add(EVICTED, evicted.len() as f64);
        let warm = begin + Duration::from_secs(self.minute() as u64);
        figures.add(LATER, evicted.iter().filter(|at| **at > warm).count() as f64);
        add_used(&mut figures, &used, feeder.pods);
        figures.add(STRANGERS, used.strangers);
        Ok(figures)
    }

    /// How long the warm-up is, and a window: whoever only looks whether it works has no minute.
    fn minute(self) -> usize {
        MINUTE.min(self.seconds / 4).max(1)
    }

    fn figures(self, uses: &[Use], begin: Instant) -> Figures {
        let seconds = by_second(uses, begin, self.seconds);
        let minute = self.minute();
        let gpus = self.nodes * GPUS_OF_NODE;
        let counted = &seconds[minute.min(seconds.len())..];
        let mut figures = Figures::default();
        figures.add(OFF, worst(counted, minute, gpus) * 100.0);
        let all = counted.len().max(1) as f64 * 1000.0;
        let mean =
            |queue: usize| counted.iter().map(|second| second[queue]).sum::<u64>() as f64 / all;
        let means = [0, 1, 2].map(mean);
        figures.add(IN_USE, means.iter().sum::<f64>() / gpus as f64 * 100.0);
        MEANS.into_iter().zip(means).for_each(|(measure, mean)| figures.add(measure, mean));
        figures
    }
}

/// Keeps the queues full, and notes what was seen.
struct Feeder {
    cut: Cut,
    entitled: [u64; 3],
    seen: UnboundedReceiver<Seen>,
    shapes: BTreeMap<String, Shape>,
    /// GPU-seconds that wait, by queue.
    waits: [u64; 3],
    uses: BTreeMap<String, Use>,
    evicted: Vec<Instant>,
    pods: usize,
}

impl Feeder {
    fn new(contestant: Contestant, gpus: u64, seen: UnboundedReceiver<Seen>) -> Self {
        let (scheduler, dialect) = (contestant.scheduler(), contestant.dialect());
        Self {
            cut: Cut { scheduler, dialect, cpu: "100m" },
            entitled: QUEUES.map(|(_, weight)| gpus * weight / WEIGHTS),
            seen,
            shapes: BTreeMap::new(),
            waits: [0; 3],
            uses: BTreeMap::new(),
            evicted: Vec::new(),
            pods: 0,
        }
    }

    /// What is needed to fill all queues again, one gang of each queue after the other.
    fn feed(&mut self) -> Vec<Made> {
        self.look();
        let mut all = Vec::new();
        loop {
            let full = |queue: &usize| self.waits[*queue] >= self.entitled[*queue] * BACKLOG;
            let hungry: Vec<usize> = (0..QUEUES.len()).filter(|it| !full(it)).collect();
            if hungry.is_empty() {
                return all;
            }
            for queue in hungry {
                let number = self.shapes.len();
                let (gpus, runs) = (1 + number as u64 % 2, 2 + number as u64 % 9);
                let shape = Shape { queue, pods: 1 + number % 4, gpus, runs };
                let name = format!("{}{number}", QUEUES[queue].0);
                self.waits[queue] += shape.pods as u64 * gpus * runs;
                self.pods += shape.pods;
                all.extend(self.cut.group(&name, shape.pods));
                all.extend((0..shape.pods).map(|pod| self.pod(&name, pod, shape)));
                self.shapes.insert(name, shape);
            }
        }
    }

    fn pod(&self, gang: &str, number: usize, shape: Shape) -> Made {
        let pod = FakePod::new(format!("{gang}-{number}")).scheduler(self.cut.scheduler);
        let pod = pod.label("muster.sh/pod-group", gang);
        let pod = pod.label("muster.sh/queue", QUEUES[shape.queue].0);
        let gpus = u32::try_from(shape.gpus).unwrap_or(0);
        made(&pod.gpus(gpus).annotation(RUN_FOR, &format!("{}s", shape.runs)))
    }

    /// Takes in what was seen since the last time.
    fn look(&mut self) {
        while let Ok(seen) = self.seen.try_recv() {
            match seen {
                Seen::Started(name, from) => {
                    let Some(Shape { queue, gpus, runs, .. }) =
                        self.shapes.get(gang_of(&name)).copied()
                    else {
                        continue;
                    };
                    self.waits[queue] = self.waits[queue].saturating_sub(gpus * runs);
                    self.uses.insert(name, Use { queue, gpus, from, to: None });
                }
                // kwok sees to it.
                Seen::Leaves(_) => {}
                Seen::Ended(name, at) => self.end(&name, at),
                Seen::Lost(name, at) => {
                    self.evicted.push(at);
                    self.end(&name, at);
                }
            }
        }
    }

    fn end(&mut self, name: &str, at: Instant) {
        if let Some(it) = self.uses.get_mut(name) {
            it.to = Some(at);
        }
    }
}

/// GPU-milliseconds that each queue used in each second.
fn by_second(uses: &[Use], begin: Instant, seconds: usize) -> Vec<[u64; 3]> {
    let mut all = vec![[0; 3]; seconds];
    let at = |when: Instant| {
        u64::try_from(when.saturating_duration_since(begin).as_millis()).unwrap_or(u64::MAX)
    };
    for Use { queue, gpus, from, to } in uses {
        let (from, to) = (at(*from), to.map_or(u64::MAX, at));
        let first = usize::try_from(from / 1000).unwrap_or(usize::MAX);
        for (second, used) in all.iter_mut().enumerate().skip(first) {
            let start = second as u64 * 1000;
            let span = to.min(start + 1000).saturating_sub(from.max(start));
            if span == 0 {
                break;
            }
            used[*queue] += gpus * span;
        }
    }
    all
}

/// The largest distance of a queue from its entitlement over any window, as a part of that.
fn worst(seconds: &[[u64; 3]], window: usize, gpus: u64) -> f64 {
    let mut worst: f64 = 0.0;
    for window in seconds.windows(window) {
        for (queue, (_, weight)) in QUEUES.into_iter().enumerate() {
            let used: u64 = window.iter().map(|second| second[queue]).sum();
            let entitled = (gpus * weight * 1000) as f64 / WEIGHTS as f64 * window.len() as f64;
            worst = worst.max((used as f64 - entitled).abs() / entitled);
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_is_told_by_second() {
        let begin = Instant::now();
        let at = |ms| begin + Duration::from_millis(ms);
        let ended = Use { queue: 0, gpus: 2, from: at(500), to: Some(at(2250)) };
        let runs = Use { queue: 2, gpus: 1, from: at(1000), to: None };
        let wanted = [[1000, 0, 0], [2000, 0, 1000], [500, 0, 1000]];
        assert_eq!(by_second(&[ended, runs], begin, 3), wanted);
    }

    #[test]
    fn the_worst_queue_of_the_worst_window_counts() {
        let fair = [1000, 2000, 3000];
        assert_eq!(worst(&[fair; 4], 2, 6), 0.0);
        // In one window the first queue has three quarters of its own.
        assert_eq!(worst(&[fair, fair, [500, 2000, 3000]], 2, 6), 0.25);
    }
}
