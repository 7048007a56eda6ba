//! Many queues under load: all want more than there is, of GPUs, CPU and memory.

use scheduler_core::roster::Roster;
use scheduler_core::shares::Shares;
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::node_set::NodeSet;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{NodeSpec, PodShape, PodSpec, QueueSpec, Resources};
use scheduler_model::time::Time;
use std::sync::Arc;

/// How queues stand to each other.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    parents: usize,
    each: usize,
}

impl Shape {
    /// All at the top.
    #[must_use]
    pub const fn flat(queues: usize) -> Self {
        Self { parents: 0, each: queues }
    }

    /// So many at the top, and so many below each.
    #[must_use]
    pub const fn below(parents: usize, each: usize) -> Self {
        Self { parents, each }
    }

    /// Queues with gangs.
    #[must_use]
    pub const fn queues(self) -> usize {
        if self.parents == 0 { self.each } else { self.parents * self.each }
    }

    /// Queues above them.
    #[must_use]
    pub const fn parents(self) -> usize {
        self.parents
    }
}

/// A snapshot with many queues, and shares that follow it.
#[derive(Debug)]
pub struct Division {
    snapshot: Snapshot,
    shares: Shares,
    rounds: u32,
}

/// Queues of that shape, each with a pod that waits and one that runs.
#[must_use]
pub fn division(shape: Shape) -> Division {
    let mut snapshot = Snapshot::default();
    let mut tell = |event| snapshot.ingest(event, Time::ZERO);
    for number in 0..200 {
        tell(Event::Node(Box::new(node(number))));
    }
    for parent in 0..shape.parents {
        tell(Event::Queue(QueueSpec::named(&format!("p{parent}"))));
    }
    for number in 0..shape.queues() {
        tell(Event::Queue(queue(shape, number, 1)));
        for (name, is_bound) in [("w", false), ("r", true)] {
            tell(Event::Pod(Box::new(pod(number, name, is_bound))));
        }
    }
    snapshot.settle();
    let mut division = Division { snapshot, shares: Shares::default(), rounds: 0 };
    for number in 0..shape.queues() {
        division.want(number);
    }
    division.divide();
    division
}

impl Division {
    /// What is measured.
    pub fn divide(&mut self) {
        self.shares.refresh(&mut self.snapshot);
    }

    /// A queue gets another weight, so that everything is divided anew.
    pub fn touch_a_quota(&mut self) {
        self.rounds += 1;
        let (_, row) = self.snapshot.queues().iter().last().expect("there are queues");
        let spec = QueueSpec { weight: 1 + self.rounds % 3, ..row.spec.clone() };
        self.snapshot.ingest(Event::Queue(spec), Time::ZERO);
        self.snapshot.settle();
    }

    /// A gang comes to one queue.
    pub fn change_one_queue(&mut self) {
        self.rounds += 1;
        let name = format!("more{}", self.rounds);
        self.snapshot.ingest(Event::Pod(Box::new(pod(7, &name, false))), Time::ZERO);
        self.note(&format!("7-{name}"));
    }

    fn want(&mut self, number: usize) {
        self.note(&format!("{number}-w"));
    }

    fn note(&mut self, uid: &str) {
        let pod = self.snapshot.pods().find(uid).expect("told before");
        let gang = self.snapshot.pods().get(pod).gang.expect("it is ours");
        let roster = Roster::of(&self.snapshot, gang, None);
        self.shares.note(&self.snapshot, &roster, |_| NodeSet::new());
    }
}

fn node(number: usize) -> NodeSpec {
    let allocatable = amounts(8, 64, 110);
    NodeSpec { name: format!("n{number}"), ready: true, allocatable, ..NodeSpec::default() }
}

fn queue(shape: Shape, number: usize, weight: u32) -> QueueSpec {
    let parent = (shape.parents > 0).then(|| format!("p{}", number / shape.each));
    let weight = weight + u32::try_from(number % 5).expect("small");
    QueueSpec { parent, weight, ..QueueSpec::named(&format!("q{number}")) }
}

fn pod(queue: usize, name: &str, is_bound: bool) -> PodSpec {
    PodSpec {
        uid: format!("{queue}-{name}"),
        queue: Some(format!("q{queue}")),
        node: is_bound.then(|| format!("n{}", queue % 200)),
        shape: Arc::new(PodShape { requests: amounts(1, 2, 0), ..PodShape::default() }),
        ..PodSpec::new("team", &format!("{queue}-{name}"))
    }
}

/// GPUs, cores with four GiB each, and pods.
fn amounts(gpus: i64, cores: i64, pods: i64) -> Resources {
    let all = [
        ("nvidia.com/gpu", gpus),
        ("cpu", cores * 1000),
        ("memory", cores * (4 << 30)),
        ("pods", pods),
    ];
    let some = all.into_iter().filter(|(_, units)| *units > 0);
    some.map(|(name, units)| (name.to_owned(), Amount::new(units))).collect()
}
