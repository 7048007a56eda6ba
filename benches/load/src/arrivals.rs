//! B2 (b): plain pods that come one after the other, at a steady rate that does not wait for
//! anybody, and how long each waits for its bind.

use crate::burst::add_used;
use crate::check::End;
use crate::contestant::{Contestant, Running, Settings};
use crate::figures::Measure;
use crate::figures::{Figures, STRANGERS, WAIT_P50, WAIT_P99, WRITES, measure, quantile};
use crate::observer::{Observer, Sight};
use crate::stage::Stage;
use crate::wire::{Wire, failed};
use crate::work::{Cut, Made, NAMESPACE, landed};
use e2e::{FakeNode, Fault};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Pods that came in a second.
pub const CAME: Measure = measure("came/s", 0);

/// How long a scheduler that has fallen behind may go on without a single bind.
const PATIENCE: Duration = Duration::from_secs(30);
/// Creations on their way at once: enough that none waits for another.
const AT_ONCE: usize = 1024;
/// Creations on their way while the ceiling is measured.
const CEILING_AT_ONCE: usize = 16;
/// Pods before the measurement: connections, caches, first cycles.
const WARM_UP: usize = 20;

/// One load.
#[derive(Clone, Copy, Debug)]
pub struct Arrivals {
    /// Nodes that take 1000 pods each.
    pub nodes: usize,
    /// How long pods come.
    pub span: Duration,
}

/// A stage on which a scheduler runs and has bound its first pods.
struct Course {
    stage: Stage,
    cut: Cut,
    observer: Observer,
    running: Running,
}

impl Arrivals {
    /// Pods that the machine makes and the null binder binds in a second, as fast as it goes.
    pub async fn ceiling(self, settings: &Settings) -> Result<f64, Fault> {
        let course = self.course(Contestant::Null, settings).await?;
        let begin = Instant::now();
        let mut running: JoinSet<Result<(), Fault>> = JoinSet::new();
        let mut made = 0;
        while begin.elapsed() < self.span {
            if running.len() >= CEILING_AT_ONCE {
                landed(running.join_next().await)?;
            }
            spawn(&mut running, &course.stage.wire, course.pod(made));
            made += 1;
        }
        while !running.is_empty() {
            landed(running.join_next().await)?;
        }
        course.observer.until_bound(WARM_UP + made, PATIENCE).await?;
        Ok(made as f64 / begin.elapsed().as_secs_f64())
    }

    /// Runs one contestant while `rate` pods come in a second.
    pub async fn run(
        self,
        contestant: Contestant,
        rate: f64,
        settings: &Settings,
    ) -> Result<Figures, Fault> {
        let course = self.course(contestant, settings).await?;
        let Course { stage, observer, running, .. } = &course;
        let counters = stage.counters().await?;
        let warm = observer.bound();
        let before = stage.reading(Some(running))?;
        let pods = (rate * self.span.as_secs_f64()) as usize;
        let came = self.come(&course, pods, rate).await?;
        observer.until_bound(warm + pods, PATIENCE).await?;
        let used = stage.reading(Some(running))?.since(&before);
        let made = stage.counters().await?.since(&counters);
        let sights = observer.sights();
        let end = End::read(&stage.wire).await?;
        let binds = made.binds() + u64::try_from(warm).unwrap_or(0);
        end.verdict(&sights, |_| Some(1), binds)?;
        let mut figures = Figures::default();
        let waits = waits(&sights);
        let ms =
            |permille| quantile(waits.clone(), permille).unwrap_or_default().as_secs_f64() * 1000.0;
        figures.add(WAIT_P50, ms(500));
        figures.add(WAIT_P99, ms(990));
        figures.add(CAME, came);
        add_used(&mut figures, &used, pods);
        figures.add(WRITES, made.scheduler_writes() as f64 / pods as f64);
        figures.add(STRANGERS, used.strangers);
        Ok(figures)
    }

    async fn course(self, contestant: Contestant, settings: &Settings) -> Result<Course, Fault> {
        let shape = |node: FakeNode, _| node.cpu("1000").memory("1000Gi").resource("pods", "1000");
        let nodes = FakeNode::many(self.nodes, "node-", shape);
        let stage = Stage::raise(&[contestant], &nodes, settings).await?;
        let dialect = contestant.dialect_of_singles();
        let cut = Cut { scheduler: contestant.scheduler(), dialect, cpu: "1" };
        let observer = Observer::start(&stage.kubeconfig, NAMESPACE)?;
        let running = contestant.start(&stage).await?;
        let mut running_up: JoinSet<Result<(), Fault>> = JoinSet::new();
        for index in 0..WARM_UP {
            spawn(&mut running_up, &stage.wire, cut.gang(&format!("warm{index}"), 1));
        }
        while !running_up.is_empty() {
            landed(running_up.join_next().await)?;
        }
        observer.until_bound(WARM_UP, PATIENCE).await?;
        Ok(Course { stage, cut, observer, running })
    }

    /// Makes pods at even distances, whatever becomes of those before; gives how many came in a
    /// second.
    async fn come(self, course: &Course, pods: usize, rate: f64) -> Result<f64, Fault> {
        let mut running: JoinSet<Result<(), Fault>> = JoinSet::new();
        let begin = Instant::now();
        for index in 0..pods {
            let due = begin + Duration::from_secs_f64(index as f64 / rate);
            tokio::time::sleep_until(due.into()).await;
            while let Some(done) = running.try_join_next() {
                landed(Some(done))?;
            }
            if running.len() >= AT_ONCE {
                return Err(Fault::new("the API server makes pods more slowly than they come"));
            }
            spawn(&mut running, &course.stage.wire, course.pod(index));
        }
        while !running.is_empty() {
            landed(running.join_next().await)?;
        }
        Ok(pods as f64 / begin.elapsed().as_secs_f64())
    }
}

impl Course {
    fn pod(&self, index: usize) -> Vec<Made> {
        self.cut.gang(&format!("pod{index}"), 1)
    }
}

/// Makes objects in the background, one after the other.
fn spawn(running: &mut JoinSet<Result<(), Fault>>, wire: &Wire, objects: Vec<Made>) {
    let wire = wire.clone();
    running.spawn(async move {
        for (collection, object) in objects {
            let made = wire.create(&collection, &object).await;
            made.map_err(|fault| failed("an arrival", fault))?;
        }
        Ok(())
    });
}

/// How long each pod waited, those of the warm-up left out.
fn waits(sights: &BTreeMap<String, Sight>) -> Vec<Duration> {
    let counted = sights.iter().filter(|(name, _)| name.starts_with("pod"));
    let wait = |(_, sight): (&String, &Sight)| {
        let (_, at) = sight.bound.as_ref()?;
        Some(at.duration_since(sight.created))
    };
    counted.filter_map(wait).collect()
}
