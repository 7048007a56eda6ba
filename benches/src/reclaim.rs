//! Room that has to be taken back: half of the queues run on all nodes, the gangs of the other
//! half wait for their share.

use plugins::default_profile;
use scheduler_core::engine::{Config, Engine};
use scheduler_core::evict::Evicts;
use scheduler_core::report::{CycleReport, Decision};
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::spec::{
    Dialect, GangKey, GangSpec, Membership, NodeSpec, PodPhase, PodShape, PodSpec, QueueSpec,
    Resources,
};
use scheduler_model::time::{Span, Time};
use std::sync::Arc;

/// GPUs of a node, and members of a gang, which fills one node.
const MEMBERS: usize = 8;

/// Who has what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lent {
    /// All nodes are in use by queues that are due half of them.
    Half,
    /// Every queue has what it is due: nobody may take anything.
    Nothing,
}

/// An engine before its first decision.
#[derive(Debug)]
pub struct Reclaim {
    engine: Engine,
    now: Time,
}

impl Reclaim {
    /// So many nodes and queues; `waiting` gangs of a node each wait.
    #[must_use]
    pub fn new(nodes: usize, queues: usize, waiting: usize, lent: Lent, evicts: Evicts) -> Self {
        let config = Config { fuel: u64::MAX, evicts, ..Config::default() };
        let engine = Engine::new(default_profile(), config);
        let mut it = Self { engine, now: Time::from_ms(1_000_000) };
        for number in 0..queues {
            it.tell(Event::Queue(QueueSpec::named(&format!("q{number}"))));
        }
        for number in 0..nodes {
            it.tell(node(number));
            let of = match lent {
                Lent::Half => number % (queues / 2),
                Lent::Nothing => number % queues,
            };
            it.gang(&format!("r{number}"), of, Some(&format!("n{number}")));
        }
        it.cycle();
        for number in 0..waiting {
            let of = match lent {
                Lent::Half => queues / 2 + number % (queues - queues / 2),
                Lent::Nothing => number % queues,
            };
            it.gang(&format!("w{number}"), of, None);
        }
        it
    }

    /// One cycle: what is measured.
    pub fn cycle(&mut self) -> CycleReport {
        self.now = self.now.after(Span::from_ms(10));
        self.engine.cycle(self.now)
    }

    /// Something small changes, so that gangs that wait for room are looked at again.
    pub fn stir(&mut self) {
        self.tell(Event::PodGone(format!("pod:default/r0-{}", MEMBERS - 1)));
    }

    fn tell(&mut self, event: Event) {
        self.engine.observe(event, self.now);
    }

    fn gang(&mut self, name: &str, queue: usize, node: Option<&str>) {
        let key = GangKey {
            namespace: "default".to_owned(),
            name: name.to_owned(),
            dialect: Dialect::Muster,
        };
        let min = u32::try_from(MEMBERS).unwrap_or(u32::MAX);
        let queue = Some(format!("q{queue}"));
        let group = GangSpec { min, queue, ..GangSpec::plain(key.clone()) };
        self.tell(Event::Gang(Box::new(group)));
        let requests = Resources::from([("gpu".to_owned(), Amount::new(1))]);
        let shape = Arc::new(PodShape { requests, ..PodShape::default() });
        let started_at = node.map(|_| Time::from_ms(1));
        for rank in 0..MEMBERS {
            self.tell(Event::Pod(Box::new(PodSpec {
                membership: Membership::Group(key.clone()),
                shape: Arc::clone(&shape),
                has_controller: true,
                node: node.map(str::to_owned),
                phase: if node.is_some() { PodPhase::Running } else { PodPhase::Pending },
                scheduled_at: started_at,
                started_at,
                ..PodSpec::new("default", &format!("{name}-{rank}"))
            })));
        }
    }
}

/// Plans and pods that go, of one cycle.
#[must_use]
pub fn plans(report: &CycleReport) -> (usize, usize) {
    let plans = report.decisions.iter().filter(|it| matches!(it, Decision::Evict(_)));
    (plans.count(), report.evictions.len())
}

fn node(number: usize) -> Event {
    let gpus = i64::try_from(MEMBERS).unwrap_or(i64::MAX);
    let allocatable = Resources::from([
        ("gpu".to_owned(), Amount::new(gpus)),
        ("pods".to_owned(), Amount::new(110)),
    ]);
    let (name, ready) = (format!("n{number}"), true);
    Event::Node(Box::new(NodeSpec { name, ready, allocatable, ..NodeSpec::default() }))
}
