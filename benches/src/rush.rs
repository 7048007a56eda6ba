//! Many queues that all get short work at once, played in virtual time: Kueue's performance
//! generator (cohorts of queues, three classes of one-pod jobs), against the production engine.
//!
//! A bind takes a while, and nothing else does: what the engine needs is counted beside. Invariant:
//! no queue ever uses more than it deserves and may borrow, and no cohort more than all of its
//! queues deserve.

use plugins::default_profile;
use scheduler_core::engine::{Config, Engine};
use scheduler_model::amount::Amount;
use scheduler_model::effect::{Effect, EffectId, Outcome};
use scheduler_model::event::{Event, Kind};
use scheduler_model::spec::{NodeSpec, PodPhase, PodShape, PodSpec, QueueSpec, Resources};
use scheduler_model::time::{Span, Time};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One class of jobs: how many each queue gets, and what each of them is.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// What people call it.
    pub name: &'static str,
    /// Jobs per queue.
    pub jobs: i64,
    /// Cores of each.
    pub cores: i64,
    /// Run time, in milliseconds.
    pub runs: i64,
    /// Priority.
    pub priority: i32,
    /// Time between two of one queue, in milliseconds.
    pub every: i64,
}

/// Kueue's classes.
pub const CLASSES: [Class; 3] = [
    Class { name: "small", jobs: 35, cores: 1, runs: 150, priority: 50, every: 60 },
    Class { name: "medium", jobs: 11, cores: 5, runs: 350, priority: 100, every: 300 },
    Class { name: "large", jobs: 4, cores: 20, runs: 700, priority: 200, every: 700 },
];

/// Cores that each queue deserves, and that it may borrow.
const NOMINAL: i64 = 20;
const BORROWS: i64 = 100;

/// How many queues there are.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Cohorts.
    pub cohorts: usize,
    /// Queues in each.
    pub queues: usize,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    /// From the first arrival to the last end, in virtual milliseconds.
    pub makespan: i64,
    /// What it would be at best: all cores busy from the first to the last moment.
    pub ideal: i64,
    /// Part of all cores that was in use, in thousandths.
    pub usage: i64,
    /// Largest distance of a queue's use from that of the mean queue, over the first three
    /// seconds, in thousandths of what it deserves.
    pub share_error: i64,
    /// Mean time from arrival to start by class, in milliseconds.
    pub waits: BTreeMap<&'static str, i64>,
    /// Jobs.
    pub jobs: usize,
    /// Time that the engine took.
    pub engine: Duration,
    /// Cycles.
    pub cycles: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    End(String),
    Bound(EffectId, String, String),
    Arrival(usize, usize),
}

struct Rush {
    engine: Engine,
    now: Time,
    due: BTreeMap<i64, Vec<Due>>,
    pods: BTreeMap<String, (PodSpec, usize, usize)>,
    size: Size,
    outcomes: Outcomes,
    used: Vec<i64>,
    early: Vec<i64>,
    waited: [(i64, i64); 3],
    last: i64,
}

/// Plays it to the end.
#[must_use]
pub fn play(size: Size, bind: Span) -> Outcomes {
    let mut rush = Rush::new(size);
    let mut total = 0;
    while let Some((at, due)) = rush.due.pop_first() {
        rush.pass(at);
        for one in due {
            rush.happen(one);
        }
        let start = Instant::now();
        let report = rush.engine.cycle(rush.now);
        rush.outcomes.engine += start.elapsed();
        rush.outcomes.cycles += 1;
        for (id, Effect::Bind(it)) in report.effects {
            total += 1;
            let when = at + bind.ms();
            rush.due.entry(when).or_default().push(Due::Bound(id, it.uid, it.node));
        }
    }
    rush.finish(total)
}

impl Rush {
    fn new(size: Size) -> Self {
        let mut engine = Engine::new(default_profile(), Config::default());
        let queues = size.cohorts * size.queues;
        engine.observe(Event::ListStart(Kind::Queue), Time::ZERO);
        for event in cluster(size) {
            engine.observe(event, Time::ZERO);
        }
        engine.observe(Event::ListEnd(Kind::Queue), Time::ZERO);
        let mut due: BTreeMap<i64, Vec<Due>> = BTreeMap::new();
        for (class, of) in CLASSES.iter().enumerate() {
            for job in 0..of.jobs {
                let arrivals = (0..queues).map(|queue| Due::Arrival(queue, class));
                due.entry(job * of.every).or_default().extend(arrivals);
            }
        }
        Self {
            engine,
            now: Time::ZERO,
            due,
            pods: BTreeMap::new(),
            size,
            outcomes: Outcomes::default(),
            used: vec![0; queues],
            early: vec![0; queues],
            waited: [(0, 0); 3],
            last: 0,
        }
    }

    fn pass(&mut self, to: i64) {
        let early = to.min(3000) - self.last.min(3000);
        let used: i64 = self.used.iter().sum();
        self.outcomes.usage += used * (to - self.last);
        self.early.iter_mut().zip(&self.used).for_each(|(sum, used)| *sum += used * early);
        (self.last, self.now) = (to, Time::from_ms(to));
    }

    fn happen(&mut self, due: Due) {
        match due {
            Due::Arrival(queue, class) => {
                let uid = format!("j{}", self.pods.len());
                let pod = pod(&uid, queue, CLASSES[class], self.now);
                self.pods.insert(uid, (pod.clone(), queue, class));
                self.engine.observe(Event::Pod(Box::new(pod)), self.now);
            }
            Due::Bound(id, uid, node) => {
                let (pod, queue, class) = self.pods.get_mut(&uid).expect("it arrived");
                let of = CLASSES[*class];
                pod.node = Some(node);
                pod.phase = PodPhase::Running;
                pod.started_at = Some(self.now);
                self.used[*queue] += of.cores;
                assert!(self.used[*queue] <= NOMINAL + BORROWS, "a borrowing limit holds");
                let waited = &mut self.waited[*class];
                *waited = (waited.0 + self.now.since(pod.created_at).ms(), waited.1 + 1);
                let pod = pod.clone();
                self.engine.settle(id, &Outcome::Done, self.now);
                self.engine.observe(Event::Pod(Box::new(pod)), self.now);
                let end = self.last + of.runs;
                self.due.entry(end).or_default().push(Due::End(uid));
            }
            Due::End(uid) => {
                let (_, queue, class) = self.pods[&uid];
                self.used[queue] -= CLASSES[class].cores;
                self.engine.observe(Event::PodGone(uid), self.now);
            }
        }
    }

    fn finish(mut self, jobs: usize) -> Outcomes {
        let queues = i64::try_from(self.used.len()).expect("few");
        let work: i64 = CLASSES.iter().map(|it| it.jobs * it.cores * it.runs).sum();
        let cores = queues * NOMINAL;
        assert_eq!(jobs, self.pods.len(), "every job ran");
        assert_eq!(self.size.cohorts * self.size.queues, self.used.len());
        self.outcomes.jobs = jobs;
        self.outcomes.makespan = self.last;
        self.outcomes.ideal = work / NOMINAL;
        self.outcomes.usage = self.outcomes.usage * 1000 / (cores * self.last);
        let mean = self.early.iter().sum::<i64>() / queues;
        let off = self.early.iter().map(|used| (used - mean).abs()).max().unwrap_or(0);
        self.outcomes.share_error = off * 1000 / (NOMINAL * 3000);
        for (class, (sum, count)) in CLASSES.iter().zip(self.waited) {
            self.outcomes.waits.insert(class.name, sum / count.max(1));
        }
        self.outcomes
    }
}

/// A node of two hundred cores for every ten queues; cohorts and their queues.
fn cluster(size: Size) -> Vec<Event> {
    let queues = size.cohorts * size.queues;
    let cores = |count: i64| Amount::new(count * 1000);
    let node = |number| {
        let allocatable = Resources::from([
            ("cpu".to_owned(), cores(NOMINAL * 10)),
            ("pods".to_owned(), Amount::new(10_000)),
        ]);
        NodeSpec { name: format!("n{number}"), ready: true, allocatable, ..NodeSpec::default() }
    };
    let mut events: Vec<Event> =
        (0..queues.div_ceil(10)).map(|it| Event::Node(Box::new(node(it)))).collect();
    for cohort in 0..size.cohorts {
        let mut queue = QueueSpec::named(&format!("c{cohort}"));
        let all = NOMINAL * i64::try_from(size.queues).expect("few");
        let quota = queue.quota_mut(None, "cpu");
        (quota.deserved, quota.limit) = (Some(cores(all)), Some(cores(all)));
        events.push(Event::Queue(queue));
    }
    for number in 0..queues {
        let parent = Some(format!("c{}", number / size.queues));
        let mut queue = QueueSpec { parent, ..QueueSpec::named(&format!("q{number}")) };
        let quota = queue.quota_mut(None, "cpu");
        quota.deserved = Some(cores(NOMINAL));
        quota.borrowing_limit = Some(cores(BORROWS));
        events.push(Event::Queue(queue));
    }
    events
}

fn pod(uid: &str, queue: usize, class: Class, now: Time) -> PodSpec {
    let requests = Resources::from([("cpu".to_owned(), Amount::new(class.cores * 1000))]);
    PodSpec {
        uid: uid.to_owned(),
        queue: Some(format!("q{queue}")),
        priority: Some(class.priority),
        shape: Arc::new(PodShape { requests, ..PodShape::default() }),
        created_at: now,
        ..PodSpec::new("team", uid)
    }
}
