//! B5: a hundred queues that all get short work at once: Kueue's generator, on a real API server.
//!
//! The harness makes the jobs when they are due, ends each when its time is up (one write), and
//! makes a job that was evicted anew: the same for pods, which muster and the null binder bind,
//! and for the workloads that Kueue admits. Invariant: the run ends when every job has ended.

use crate::admissions;
use crate::burst::add_used;
use crate::check::End;
use crate::contestant::{Contestant, Settings};
use crate::figures::{Figures, Measure, STRANGERS, WRITES, measure};
use crate::kueue;
use crate::observer::{Observer, Seen};
use crate::stage::Stage;
use crate::wire::failed;
use crate::work::{Made, NAMESPACE, landed, made, submit};
use benches::rush::{CLASSES, Class};
use e2e::{FakeNode, FakePod, Fault};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinSet;

/// From the first creation to the last end.
pub const WALL: Measure = measure("wall s", 2);
/// Jobs over that time.
pub const JOBS: Measure = measure("jobs/s", 0);
/// From the first creation to the last.
pub const MADE: Measure = measure("all made s", 2);
/// Part of all cores that queues deserve that was in use.
pub const USAGE: Measure = measure("cores in use %", 1);
/// Jobs that lost their room and were made anew.
pub const EVICTED: Measure = measure("evicted", 0);
/// From a job's creation to its start, by class.
const WAITS: [Measure; 3] =
    [measure("small wait s", 2), measure("medium wait s", 2), measure("large wait s", 2)];

/// Cores that each queue deserves, and that it may borrow.
const NOMINAL: i64 = 20;
const BORROWS: i64 = 100;
/// Creations on their way at once.
const AT_ONCE: usize = 32;
/// How long nothing at all may be seen.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long a scheduler is left alone with its queues before the first job.
const REST: Duration = Duration::from_secs(2);

/// One size of the rush: one cohort.
#[derive(Clone, Copy, Debug)]
pub struct Rush {
    /// Queues.
    pub queues: usize,
}

/// A job, and what has become of it.
#[derive(Clone, Debug)]
struct Job {
    queue: usize,
    class: usize,
    tries: usize,
    made: Option<Instant>,
    started: Option<Instant>,
    waited: Option<Duration>,
    used: Duration,
    has_ended: bool,
}

/// The run of all jobs.
struct Course<'a> {
    stage: &'a Stage,
    contestant: Contestant,
    jobs: Vec<Job>,
    names: BTreeMap<String, usize>,
    waiting: VecDeque<usize>,
    due: BTreeSet<(Instant, usize)>,
    making: JoinSet<Result<(), Fault>>,
    ending: JoinSet<Result<(), Fault>>,
    evicted: usize,
    left: usize,
    made: Instant,
    ended: Instant,
}

impl Rush {
    /// Runs one contestant.
    pub async fn run(self, contestant: Contestant, settings: &Settings) -> Result<Figures, Fault> {
        let shape = |node: FakeNode, _| node.cpu("200").resource("pods", "10000");
        let nodes = FakeNode::many(self.queues.div_ceil(10), "node-", shape);
        let stage = Stage::raise(&[contestant], &nodes, settings).await?;
        submit(&stage.wire, self.queues_of(contestant)).await?;
        let running = contestant.start(&stage).await?;
        let (follower, mut seen) = unbounded_channel();
        let mut observer = None;
        let mut watching = JoinSet::new();
        if contestant == Contestant::Kueue {
            // It changes its kinds while it starts, which ends all watches of them.
            watching.spawn(admissions::follow(stage.wire.clone(), follower));
        } else {
            observer = Some(Observer::start_with(&stage.kubeconfig, NAMESPACE, Some(follower))?);
        }
        tokio::time::sleep(REST).await;

        let counters = stage.counters().await?;
        let before = stage.reading(Some(&running))?;
        let begin = Instant::now();
        let mut course = Course::new(&stage, contestant, self.queues, begin);
        let played = course.play(begin, &mut seen).await;
        if let Some(Ok(Err(why))) = watching.try_join_next() {
            return Err(why);
        }
        played?;
        let used = stage.reading(Some(&running))?.since(&before);
        drop(running);
        let mut figures = course.figures(begin, self.queues);
        add_used(&mut figures, &used, course.jobs.len());
        if let Some(observer) = observer {
            let made = stage.counters().await?.since(&counters);
            // The harness's own words about pods that have ended are no writes of the scheduler.
            let own = u64::try_from(course.jobs.len()).unwrap_or(0);
            let writes = made.scheduler_writes().saturating_sub(own);
            figures.add(WRITES, writes as f64 / course.jobs.len() as f64);
            let end = End::read(&stage.wire).await?;
            end.verdict(&observer.sights(), |_| None, made.binds())?;
        }
        figures.add(STRANGERS, used.strangers);
        Ok(figures)
    }

    /// What must be there before the first job.
    fn queues_of(self, contestant: Contestant) -> Vec<Made> {
        let priority = |class: Class| {
            let object = json!({ "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                "metadata": { "name": class.name }, "value": class.priority });
            ("/apis/scheduling.k8s.io/v1/priorityclasses".to_owned(), object)
        };
        let mut all: Vec<Made> = CLASSES.into_iter().map(priority).collect();
        if contestant == Contestant::Kueue {
            all.extend(kueue::queues(self.queues, NOMINAL, BORROWS));
        }
        if contestant == Contestant::Muster {
            let cores = NOMINAL * i64::try_from(self.queues).unwrap_or(i64::MAX);
            let cores = json!({ "cpu": cores.to_string() });
            all.push(queue("c0", json!({ "deserved": cores, "limit": cores })));
            all.extend((0..self.queues).map(|number| {
                let spec = json!({ "parent": "c0", "deserved": { "cpu": NOMINAL.to_string() },
                    "borrowingLimit": { "cpu": BORROWS.to_string() } });
                queue(&format!("q{number}"), spec)
            }));
        }
        all
    }
}

/// One of muster's queues.
pub(crate) fn queue(name: &str, spec: Value) -> Made {
    let object = json!({ "apiVersion": "muster.sh/v1alpha1", "kind": "Queue",
        "metadata": { "name": name }, "spec": spec });
    ("/apis/muster.sh/v1alpha1/queues".to_owned(), object)
}

/// All jobs, in the order in which they are due, and when that is.
fn arrivals(queues: usize) -> Vec<(Duration, Job)> {
    let mut all = Vec::new();
    for (class, of) in CLASSES.iter().enumerate() {
        for number in 0..of.jobs {
            let due = Duration::from_millis(u64::try_from(number * of.every).unwrap_or(0));
            all.extend((0..queues).map(|queue| {
                let (made, started, waited) = (None, None, None);
                let (tries, used, has_ended) = (0, Duration::ZERO, false);
                (due, Job { queue, class, tries, made, started, waited, used, has_ended })
            }));
        }
    }
    all.sort_by_key(|(due, _)| *due);
    all
}

impl<'a> Course<'a> {
    fn new(stage: &'a Stage, contestant: Contestant, queues: usize, now: Instant) -> Self {
        let jobs: Vec<Job> = arrivals(queues).into_iter().map(|(_, job)| job).collect();
        let left = jobs.len();
        Self {
            stage,
            contestant,
            jobs,
            names: BTreeMap::new(),
            waiting: VecDeque::new(),
            due: BTreeSet::new(),
            making: JoinSet::new(),
            ending: JoinSet::new(),
            evicted: 0,
            left,
            made: now,
            ended: now,
        }
    }

    /// Until every job has ended.
    async fn play(
        &mut self,
        begin: Instant,
        seen: &mut UnboundedReceiver<Seen>,
    ) -> Result<(), Fault> {
        let queues = self.jobs.iter().map(|job| job.queue + 1).max().unwrap_or(0);
        let mut coming: VecDeque<(Instant, usize)> = arrivals(queues)
            .into_iter()
            .enumerate()
            .map(|(job, (due, _))| (begin + due, job))
            .collect();
        let mut last = begin;
        while self.left > 0 {
            let now = Instant::now();
            while coming.front().is_some_and(|(due, _)| *due <= now) {
                self.waiting.extend(coming.pop_front().map(|(_, job)| job));
            }
            self.make();
            self.end(now);
            let next = coming.front().map(|(due, _)| *due).into_iter();
            let next = next.chain(self.due.first().map(|(due, _)| *due)).min();
            let next = next.unwrap_or(now + PATIENCE).min(now + PATIENCE);
            tokio::select! {
                Some(done) = self.making.join_next() => {
                    landed(Some(done))?;
                    self.made = Instant::now();
                }
                Some(done) = self.ending.join_next() => landed(Some(done))?,
                one = seen.recv() => {
                    let gone = || Fault::new("nobody watches any more");
                    self.happened(one.ok_or_else(gone)?);
                    last = Instant::now();
                }
                () = tokio::time::sleep_until(next.into()) => {}
            }
            if last.elapsed() > PATIENCE {
                let (left, all) = (self.left, self.jobs.len());
                return Err(Fault::new(format!(
                    "{left} of {all} jobs have not ended, and nothing happened for {PATIENCE:?}"
                )));
            }
        }
        while let Some(done) = self.ending.join_next().await {
            landed(Some(done))?;
        }
        Ok(())
    }

    /// Makes what is due, as far as it may be on its way.
    fn make(&mut self) {
        while self.making.len() < AT_ONCE {
            let Some(job) = self.waiting.pop_front() else { return };
            let name = self.name(job);
            let one = &mut self.jobs[job];
            one.made.get_or_insert_with(Instant::now);
            let (queue, class) = (format!("q{}", one.queue), CLASSES[one.class]);
            self.names.insert(name.clone(), job);
            let (path, object) = match self.contestant {
                Contestant::Kueue => kueue::workload(&name, &queue, class.cores, class.priority),
                _ => pod(&name, &queue, class, self.contestant.scheduler()),
            };
            let wire = self.stage.wire.clone();
            self.making.spawn(async move { wire.create(&path, &object).await });
        }
    }

    /// Ends the jobs whose time is up.
    fn end(&mut self, now: Instant) {
        while self.due.first().is_some_and(|(due, _)| *due <= now) {
            let Some((_, job)) = self.due.pop_first() else { return };
            let (wire, name) = (self.stage.wire.clone(), self.name(job));
            let is_kueue = self.contestant == Contestant::Kueue;
            self.ending.spawn(async move {
                let done = if is_kueue {
                    wire.apply(&kueue::status_of(&name), &kueue::finished(&name)).await
                } else {
                    let path = format!("/api/v1/namespaces/{NAMESPACE}/pods/{name}/status");
                    wire.merge(&path, &json!({ "status": { "phase": "Succeeded" } })).await
                };
                unless_gone(done)
            });
        }
    }

    /// Carries out an eviction, as kubelets do, at once.
    fn kill(&mut self, pod: String) {
        if let Some(job) = self.names.get(&pod) {
            self.due.retain(|(_, it)| it != job);
        }
        let wire = self.stage.wire.clone();
        self.ending.spawn(async move {
            let path = format!("/api/v1/namespaces/{NAMESPACE}/pods/{pod}");
            unless_gone(wire.delete(&path).await)
        });
    }

    fn happened(&mut self, seen: Seen) {
        match seen {
            Seen::Started(name, at) => {
                let Some((job, one)) = Self::find(&self.names, &mut self.jobs, &name) else {
                    return;
                };
                let class = CLASSES[one.class];
                one.started = Some(at);
                let made = one.made.unwrap_or(at);
                one.waited.get_or_insert_with(|| at.saturating_duration_since(made));
                let runs = Duration::from_millis(u64::try_from(class.runs).unwrap_or(0));
                self.due.insert((at + runs, job));
            }
            Seen::Leaves(name) => self.kill(name),
            Seen::Ended(name, at) => {
                let Some((_, one)) = Self::find(&self.names, &mut self.jobs, &name) else {
                    return;
                };
                if let Some(started) = one.started.take() {
                    one.used += at.duration_since(started);
                }
                self.left -= usize::from(!one.has_ended);
                one.has_ended = true;
                self.ended = at;
            }
            Seen::Lost(name, _) => {
                let Some((job, one)) = Self::find(&self.names, &mut self.jobs, &name) else {
                    return;
                };
                one.started = None;
                self.evicted += 1;
                self.due.retain(|(_, it)| *it != job);
                // A workload stays and waits again; a pod is gone for good.
                if self.contestant != Contestant::Kueue {
                    one.tries += 1;
                    self.waiting.push_back(job);
                }
            }
        }
    }

    /// The job of that name, unless it goes by another one by now.
    fn find<'b>(
        names: &BTreeMap<String, usize>,
        jobs: &'b mut [Job],
        name: &str,
    ) -> Option<(usize, &'b mut Job)> {
        let job = *names.get(name)?;
        Some((job, &mut jobs[job]))
    }

    fn name(&self, job: usize) -> String {
        let Job { queue, class, tries, .. } = &self.jobs[job];
        format!("{}{job}q{queue}t{tries}", CLASSES[*class].name)
    }

    fn figures(&self, begin: Instant, queues: usize) -> Figures {
        let mut figures = Figures::default();
        let wall = self.ended.duration_since(begin).as_secs_f64().max(0.001);
        figures.add(WALL, wall);
        figures.add(JOBS, self.jobs.len() as f64 / wall);
        figures.add(MADE, self.made.duration_since(begin).as_secs_f64());
        let used = |job: &Job| job.used.as_secs_f64() * CLASSES[job.class].cores as f64;
        let used: f64 = self.jobs.iter().map(used).sum();
        figures.add(USAGE, used / (queues as f64 * NOMINAL as f64 * wall) * 100.0);
        for (class, measure) in WAITS.into_iter().enumerate() {
            let waits = self.jobs.iter().filter(|job| job.class == class);
            let waits: Vec<f64> = waits.filter_map(|job| Some(job.waited?.as_secs_f64())).collect();
            figures.add(measure, waits.iter().sum::<f64>() / waits.len().max(1) as f64);
        }
        figures.add(EVICTED, self.evicted as f64);
        figures
    }
}

/// Who is evicted at its last moment may be gone, and is made anew.
fn unless_gone(done: Result<(), Fault>) -> Result<(), Fault> {
    match done {
        Err(fault) if !fault.to_string().contains(": 404 ") => Err(failed("ending a job", fault)),
        _ => Ok(()),
    }
}

fn pod(name: &str, queue: &str, class: Class, scheduler: &str) -> Made {
    let pod = FakePod::new(name).scheduler(scheduler).label("muster.sh/queue", queue);
    let pod = pod.request("cpu", &class.cores.to_string());
    made(&pod.spec("priorityClassName", json!(class.name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jobs_of_all_queues_come_in_the_order_in_which_they_are_due() {
        let all = arrivals(2);
        assert_eq!(all.len(), 2 * 50);
        assert!(all.is_sorted_by_key(|(due, _)| *due));
        let (last, job) = all.last().expect("there are jobs");
        assert_eq!((*last, CLASSES[job.class].name), (Duration::from_millis(3000), "medium"));
    }
}
