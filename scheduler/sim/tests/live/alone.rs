//! One process beside a virtual API server that never fails: what it writes, and what outlives
//! it.
//!
//! Invariant: every answer and every change is heard at the moment of its call.

use scheduler_core::engine::Config;
use scheduler_core::evict::Evicts;
use scheduler_live::driver::Live;
use scheduler_live::news::News;
use scheduler_live::settings::Settings;
use scheduler_model::amount::Amount;
use scheduler_model::event::{Event, Kind};
use scheduler_model::spec::{
    Dialect, GangKey, GangSpec, Ledger, Membership, NodeSpec, PodShape, PodSpec, QueueSpec,
    Resources,
};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::{Answer, Reply};
use scheduler_protocol::call::Call;
use scheduler_sim::live::server::{ApiServer, Caller, Done};
use std::sync::Arc;

/// Where all clocks begin.
pub(crate) const START: Time = Time::from_ms(1_000_000_000);

/// The process and its server.
pub(crate) struct Alone {
    pub(crate) server: ApiServer,
    live: Live,
    /// Changes of the server that it was told.
    told: usize,
    pub(crate) now: Time,
    life: u64,
    /// The process dies once it made so many calls.
    pub(crate) dies_after: Option<usize>,
    /// The server cannot be reached once it took so many calls.
    pub(crate) cut_after: Option<usize>,
    /// Marks of this pod are refused.
    pub(crate) unmarkable: Option<String>,
    engine: Config,
}

impl Alone {
    /// A cluster of this many nodes, for one pod of a gang each.
    pub(crate) fn new(nodes: usize) -> Self {
        Self::with(nodes, Config::default())
    }

    /// The same with other settings of the engine.
    pub(crate) fn with(nodes: usize, engine: Config) -> Self {
        let mut server = ApiServer::default();
        server.change(Event::Queue(QueueSpec::named("default")), START);
        for index in 0..nodes {
            server.change(node(&format!("n{index}")), START);
        }
        let mut alone = Self {
            live: fresh(&engine),
            server,
            told: 0,
            now: START,
            life: 0,
            dies_after: None,
            cut_after: None,
            unmarkable: None,
            engine,
        };
        alone.restart();
        alone
    }

    /// Somebody else changes an object.
    pub(crate) fn change(&mut self, event: Event) {
        self.server.change(event, self.now);
    }

    /// The process dies and another one begins, which knows what the server lists.
    pub(crate) fn restart(&mut self) {
        self.live = fresh(&self.engine);
        self.dies_after = None;
        self.life += 1;
        self.told = self.server.log.len();
        for kind in [Kind::Queue, Kind::Node, Kind::Gang, Kind::Pod] {
            for event in self.server.list(kind) {
                self.live.take(News::Event(event), self.now);
            }
        }
        self.live.take(News::Ready(true), self.now);
    }

    /// Lets so much time pass.
    pub(crate) fn pass(&mut self, span: Span) {
        let end = self.now.after(span);
        loop {
            self.moment();
            let is_dead = self.dies_after == Some(0);
            let next = self.live.wake_at(self.now).filter(|next| *next <= end && !is_dead);
            let Some(next) = next else { break };
            self.now = next.max(self.now.after(Span::from_ms(1)));
        }
        self.now = end;
    }

    /// The process, to read from.
    pub(crate) const fn live(&self) -> &Live {
        &self.live
    }

    /// How often the status of a group was written so far.
    pub(crate) fn writes_of(&self, key: &GangKey) -> usize {
        let is_of = |done: &Done| matches!(done, Done::Group(group, _) if group == key);
        self.server.writes.iter().filter(|write| is_of(&write.what)).count()
    }

    /// The ledger as it stands on a group.
    pub(crate) fn ledger(&self, key: &GangKey) -> Ledger {
        self.server.gangs[key].ledger.clone()
    }

    /// The ledger as the process has it.
    pub(crate) fn believed(&self, key: &GangKey) -> Ledger {
        self.live.engine().gang(key).expect("the gang is there").ledger
    }

    fn answer(&mut self, by: Caller, call: &Call) -> Answer {
        match &mut self.cut_after {
            Some(0) => return Answer::Unsent("cut".to_owned()),
            Some(left) => *left -= 1,
            None => {}
        }
        match call {
            Call::PodStatus { pod, condition: Some(mark), .. }
                if mark.is_true && self.unmarkable.as_ref() == Some(&pod.name) =>
            {
                Answer::Reply(Reply::code(403))
            }
            _ => Answer::Reply(self.server.call(by, call, self.now)),
        }
    }

    fn moment(&mut self) {
        while self.dies_after != Some(0) {
            while let Some((_, event)) = self.server.log.get(self.told) {
                self.live.take(News::Event(event.clone()), self.now);
                self.told += 1;
            }
            let sends = self.live.turn(self.now).sends;
            if sends.is_empty() {
                return;
            }
            let by = Caller { replica: 0, life: self.life, is_late: false };
            for send in sends {
                match &mut self.dies_after {
                    Some(0) => return,
                    Some(left) => *left -= 1,
                    None => {}
                }
                let answer = self.answer(by, &send.call);
                self.live.take(News::Answer(send.id, answer), self.now);
            }
        }
    }
}

fn fresh(engine: &Config) -> Live {
    let mut settings = Settings::of("me", None);
    settings.engine = Config { evicts: Evicts::ByQueue, ..engine.clone() };
    Live::new(plugins::default_profile(), settings)
}

/// A group object of this minimum.
pub(crate) fn group(dialect: Dialect, name: &str, min: u32) -> GangSpec {
    let key = GangKey { namespace: "d".to_owned(), name: name.to_owned(), dialect };
    GangSpec { min, created_at: START, ..GangSpec::plain(key) }
}

/// A member that is created now.
pub(crate) fn member(gang: &GangKey, name: &str, now: Time) -> PodSpec {
    PodSpec {
        membership: Membership::Group(gang.clone()),
        shape: Arc::new(PodShape { requests: gpus(1), ..PodShape::default() }),
        has_controller: true,
        created_at: now,
        ..PodSpec::new("d", name)
    }
}

fn gpus(count: i64) -> Resources {
    Resources::from([("gpu".to_owned(), Amount::new(count))])
}

/// A node for one pod of a gang.
pub(crate) fn node(name: &str) -> Event {
    let mut allocatable = gpus(1);
    allocatable.insert("pods".to_owned(), Amount::new(10));
    let spec = NodeSpec { name: name.to_owned(), ready: true, allocatable, ..NodeSpec::default() };
    Event::Node(Box::new(spec))
}
