//! One run: replicas, wire, server and everybody else, moved from moment to moment.
//!
//! Invariant: the same seed gives the same run, to the last byte of its trace.

use super::actors::{Actors, troop_of};
use super::promises::Promises;
use super::replica::Replica;
use super::rest;
use super::server::ApiServer;
use super::store::{self, Maker, Stock};
use super::story::{Act, GRACE, START, STORM, Story, queues, stage};
use super::trap::Point;
use super::wire::{Faults, Wire};
use crate::worlds::Dice;
use scheduler_core::evict::Evicts;
use scheduler_framework::profile::Profile;
use scheduler_live::settings::Settings;
use scheduler_model::event::Event;
use scheduler_model::spec::{
    ClaimState, Dialect, GangKey, GangSpec, Ledger, PodPhase, PodShape, PodSpec, Resources,
};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::Answer;
use scheduler_protocol::call::{Call, LeaseRef};
use std::sync::Arc;

/// How long all must come right again after the storm.
pub const CALM: Span = Span::from_secs(400);

/// Parts the dice of the volumes from all others.
const VOLUMES: u64 = 0x5EED_0F70_1C3D_D15C;

/// Parts the dice of the queues that compete from all others.
const RIVALS: u64 = 0x0A1E_57ED_0F1D_EA5E;

/// What came of one run.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// Promises that were broken, in words.
    pub violations: Vec<String>,
    /// What happened, line by line.
    pub trace: Vec<String>,
    /// Binds that the server took.
    pub binds: usize,
    /// Pods that were evicted for others.
    pub evictions: usize,
    /// Moments that were played.
    pub moments: u64,
}

/// Plays the story of a seed.
#[must_use]
pub fn play(seed: u64, profile: &Profile) -> Played {
    let mut dice = Dice::new(seed);
    let mut own = Dice::new(seed ^ VOLUMES);
    let mut story = Story::draw(&mut dice).with_volumes(&mut own);
    story.add_mischief(&mut Dice::new(!seed));
    let story = story.with_rivals(&mut Dice::new(seed ^ RIVALS));
    tell(story, dice, own, profile)
}

/// Plays the story of a seed as it was before there was mischief, and before there were volumes.
#[must_use]
pub fn play_without_mischief(seed: u64, profile: &Profile) -> Played {
    let mut dice = Dice::new(seed);
    tell(Story::draw(&mut dice), dice, Dice::new(0), profile)
}

fn tell(story: Story, dice: Dice, own: Dice, profile: &Profile) -> Played {
    let mut run = Run::new(story, profile.clone(), dice, own);
    run.play();
    let config = settings(&run.story, 0, 0).engine;
    run.promises.finish(&run.server, &run.story, run.now);
    rest::look(&mut run.promises, &run.server, &run.replicas, (profile, &config), run.now);
    Played {
        violations: run.promises.take(),
        binds: run.server.writes.iter().filter(|write| write.is_bind()).count(),
        evictions: run.promises.evicted(),
        trace: run.trace,
        moments: run.moments,
    }
}

pub(super) struct Run {
    pub(super) story: Story,
    profile: Profile,
    pub(super) server: ApiServer,
    pub(super) wire: Wire,
    pub(super) replicas: Vec<Replica>,
    pub(super) actors: Actors,
    maker: Maker,
    pub(super) promises: Promises,
    dice: Dice,
    pub(super) now: Time,
    foreign: u64,
    traced: usize,
    trace: Vec<String>,
    moments: u64,
}

impl Run {
    fn new(story: Story, profile: Profile, mut dice: Dice, own: Dice) -> Self {
        let mut server = ApiServer::default();
        for node in &story.nodes {
            server.change(Event::Node(Box::new(node.clone())), START);
        }
        server.change(Event::Node(Box::new(stage())), START);
        for queue in queues(&story) {
            server.change(Event::Queue(queue), START);
        }
        for event in story.stock.iter().flat_map(Stock::events) {
            server.change(event, START);
        }
        let clocks = story.skews.iter().enumerate();
        let has_volumes = story.stock.is_some();
        let replica = |(index, skew): (usize, &i64)| {
            Replica::new(index, (START, *skew), has_volumes, &mut dice)
        };
        let replicas = clocks.map(replica).collect();
        let actors = Actors::new(&story, Dice::new(dice.roll()));
        Self {
            promises: Promises::new(),
            story,
            profile,
            server,
            wire: Wire::default(),
            replicas,
            actors,
            maker: Maker::new(own),
            dice,
            now: START,
            foreign: 0,
            traced: 0,
            trace: Vec::new(),
            moments: 0,
        }
    }

    pub(super) fn is_stormy(&self) -> bool {
        self.now < START.after(STORM)
    }

    fn faults(&self) -> Faults {
        if self.is_stormy() { self.story.faults } else { Faults::default() }
    }

    fn play(&mut self) {
        let end = START.after(STORM).after(CALM);
        while self.now < end {
            self.moment();
            self.moments += 1;
            let Some(next) = self.wake_at() else { break };
            // Something may be due at once; a moment later is soon enough for it.
            self.now = next.max(self.now.after(Span::from_ms(1)));
            if self.moments > 60_000 {
                self.promises.broken(self.now, "the run does not come to rest");
                break;
            }
        }
    }

    fn moment(&mut self) {
        while let Some(act) = self.actors.next(self.now) {
            self.act(act);
        }
        let faults = self.faults();
        for landing in self.wire.run(&mut self.server, self.now) {
            let (to, call) = (landing.to, landing.call);
            self.note_call((to.replica, to.life), &call, &answer_words(&landing.answer));
            self.promises.answered(to, &call, &landing.answer, self.now);
            self.replicas[to.replica].land(to.life, landing.id, landing.answer);
            self.step((to.replica, to.life), Point::Answered, &call);
        }
        for (by, call) in self.wire.take_done() {
            self.step((by.replica, by.life), Point::CarriedOut, &call);
        }
        self.replicas(&faults);
        self.actors.react(&self.server, self.now);
        self.maker.turn(&mut self.server, &self.story, self.now);
        self.promises.look(&self.server, &self.story, self.now);
        self.note();
    }

    /// Every replica takes its turn.
    fn replicas(&mut self, faults: &Faults) {
        let (story, profile) = (&self.story, &self.profile);
        for replica in &mut self.replicas {
            let index = replica.index;
            let make = |life| (profile.clone(), settings(story, index, life));
            replica.start(&self.server, make, self.now, &mut self.dice);
            let end = replica.turn(&self.server, self.now, &mut self.dice);
            if end.is_some() {
                self.promises.interrupted();
                self.wire.orphan(index, self.now, &mut self.dice);
                replica.kill(self.now.after(Span::from_secs(2)));
            }
        }
        for index in 0..self.replicas.len() {
            let life = self.replicas[index].life;
            for handed in self.replicas[index].take_handed() {
                self.note_call((index, life), &handed.call, "leaves");
                self.promises.handed((index, life), &handed, self.now);
                self.step((index, life), Point::HandedOut, &handed.call);
            }
            let replica = &mut self.replicas[index];
            replica.post(&mut self.wire, self.now, faults, &mut self.dice);
            for (from, call) in replica.take_put() {
                if !self.wire.is_down(self.now) {
                    self.promises.begun(from, &call);
                }
                self.promises.put(from, &replica.identity, &call, &self.server, self.now);
            }
        }
    }

    /// Writes down what becomes of a bind.
    fn note_call(&mut self, (replica, life): (usize, u64), call: &Call, what: &str) {
        if let Call::Bind { pod, node, .. } = call {
            let at = self.now.since(START).ms();
            let name = &pod.name;
            self.trace.push(format!("{at:>8} .. {replica}.{life} bind {name} to {node}: {what}"));
        }
    }

    /// Writes down what is new in the log.
    fn note(&mut self) {
        for (at, event) in &self.server.log[self.traced..] {
            self.trace.push(format!("{:>8} {}", at.since(START).ms(), line(event)));
        }
        self.traced = self.server.log.len();
    }

    fn wake_at(&self) -> Option<Time> {
        let replicas = self.replicas.iter();
        let next = replicas.filter_map(|replica| replica.wake_at(&self.server, self.now));
        let others = [self.wire.wake_at(), self.actors.wake_at(), self.maker.wake_at()];
        next.chain(others.into_iter().flatten()).min()
    }

    pub(super) fn act(&mut self, act: Act) {
        let now = self.now;
        self.trace.push(format!("{:>8} -- {}", now.since(START).ms(), act_words(&act)));
        match act {
            Act::Arrive(index) => self.arrive(index),
            Act::Admit(uid) => self.actors.admit(&mut self.server, &uid, &self.story, now),
            Act::End(uid, well) => self.end(&uid, well),
            Act::Vanish(uid) => {
                if self.server.pod(&uid).is_some() {
                    self.server.change(Event::PodGone(uid), now);
                }
            }
            Act::Replace(pod) => {
                self.actors.create(&mut self.server, *pod, &self.story, now);
            }
            Act::Ungate(uid) => self.ungate(&uid),
            Act::Forget(uid) => self.actors.forget(&mut self.server, &uid, now),
            Act::Finale => self.finale(),
            Act::NodeGone(name) => self.actors.lose_node(&mut self.server, &name, now),
            Act::NodeBack(name) => {
                self.promises.returned(now);
                self.actors.return_node(&mut self.server, &name, now);
            }
            Act::NodeReady(name, ready) => self.change_node(&name, |node| {
                node.ready = ready;
                node.not_ready_since = (!ready).then_some(now);
            }),
            Act::Cordon(name, is_on) => self.change_node(&name, |node| node.unschedulable = is_on),
            Act::Touch(pick) => store::touch(&mut self.server, pick, now),
            Act::Collect(name) => self.collect(&name),
            Act::Foreign(node) => self.stranger(&node),
            Act::DeletePod(pick) => self.delete_pod(pick),
            Act::DeleteThis(uid) => self.delete_this(&uid),
            Act::Raise(index, more) => self.raise(index, more),
            Act::DeleteGroup(pick) => self.delete_group(pick),
            Act::Stall(replica, kind, span, cut) => {
                self.replicas[replica].watch().stall(kind, now.after(span), cut);
            }
            Act::Kill(replica, span) => {
                self.promises.interrupted();
                self.wire.orphan(replica, now, &mut self.dice);
                self.replicas[replica].kill(now.after(span));
            }
            Act::Hold(replica, span) => {
                self.promises.interrupted();
                self.replicas[replica].hold(now.after(span));
            }
            Act::Retire(replica, _) => {
                self.promises.interrupted();
                self.replicas[replica].retire(now);
            }
            Act::Outage(span) => {
                self.wire.cut(now.after(span));
                for replica in &mut self.replicas {
                    replica.watch().stall_all(now.after(span), false);
                }
            }
        }
        self.promises.disturbed(now);
    }

    fn ungate(&mut self, uid: &str) {
        if let Some(pod) = self.server.pod(uid).cloned() {
            let open = PodSpec { gates: Vec::new(), ..pod };
            self.server.change(Event::Pod(Box::new(open)), self.now);
        }
    }

    fn arrive(&mut self, index: usize) {
        let troop = self.story.troops[index].clone();
        let gang = GangSpec { created_at: self.now, ..troop.gang };
        if troop.has_object {
            self.server.change(Event::Gang(Box::new(gang)), self.now);
        }
        for (late, pod) in troop.pods {
            self.actors.plan(self.now.after(late), Act::Replace(Box::new(pod)));
        }
    }

    fn end(&mut self, uid: &str, well: bool) {
        let Some(pod) = self.server.pod(uid).cloned() else { return };
        if pod.phase != PodPhase::Running {
            return;
        }
        let node = pod.node.clone().unwrap_or_default();
        if !self.server.nodes.get(&node).is_some_and(|node| node.ready) {
            // Nobody tells of it while the node is silent.
            self.actors.plan(self.now.after(Span::from_secs(5)), Act::End(uid.to_owned(), well));
            return;
        }
        let phase = if well { PodPhase::Succeeded } else { PodPhase::Failed };
        let ended = PodSpec { phase, finished_at: Some(self.now), ..pod };
        let kept_for = troop_of(&self.story, &ended).and_then(|troop| troop.kept_for);
        if let Some(span) = kept_for.filter(|_| well) {
            self.actors.plan(self.now.after(span), Act::Forget(uid.to_owned()));
        }
        self.server.change(Event::Pod(Box::new(ended)), self.now);
    }

    fn change_node(&mut self, name: &str, change: impl Fn(&mut scheduler_model::spec::NodeSpec)) {
        if let Some(node) = self.server.nodes.get(name) {
            let mut node = node.clone();
            change(&mut node);
            self.server.change(Event::Node(Box::new(node)), self.now);
        }
    }

    fn collect(&mut self, name: &str) {
        if self.server.nodes.contains_key(name) {
            return;
        }
        let on_it = self.server.pods.values().filter(|pod| pod.node.as_deref() == Some(name));
        let uids: Vec<String> =
            on_it.filter(|pod| !pod.phase.is_finished()).map(|pod| pod.uid.clone()).collect();
        for uid in uids {
            self.server.change(Event::PodGone(uid), self.now);
        }
    }

    fn stranger(&mut self, node: &str) {
        self.foreign += 1;
        let requests =
            Resources::from([("gpu".to_owned(), scheduler_model::amount::Amount::new(1))]);
        let name = format!("foreign-{}", self.foreign);
        let pod = PodSpec {
            ours: false,
            node: Some(node.to_owned()),
            phase: PodPhase::Running,
            shape: Arc::new(PodShape { requests, ..PodShape::default() }),
            created_at: self.now,
            ..PodSpec::new("else", &name)
        };
        let uid = pod.uid.clone();
        self.promises.surprised(node, self.now);
        self.server.change(Event::Pod(Box::new(pod)), self.now);
        self.actors.plan(self.now.after(Span::from_secs(60)), Act::Vanish(uid));
    }

    /// A person raises the minimum of a gang.
    fn raise(&mut self, index: usize, more: u32) {
        let key = &self.story.troops[index].gang.key;
        if let Some(gang) = self.server.gangs.get(key) {
            let gang = GangSpec {
                min: gang.min.saturating_add(more),
                generation: gang.generation + 1,
                ..gang.clone()
            };
            self.server.change(Event::Gang(Box::new(gang)), self.now);
        }
    }

    fn delete_group(&mut self, pick: u64) {
        // Whoever deletes a controller deletes its pods.
        let is_object = |key: &&GangKey| key.dialect != Dialect::Plain;
        let keys: Vec<GangKey> = self.server.gangs.keys().filter(is_object).cloned().collect();
        let count = u64::try_from(keys.len()).unwrap_or(0);
        if count == 0 {
            return;
        }
        let index = usize::try_from(pick % count).unwrap_or(0);
        let key = keys[index].clone();
        self.server.change(Event::GangGone(key), self.now);
    }
}

/// The numbers of a replica: short, so that a story of minutes shows all of them.
fn settings(story: &Story, index: usize, life: u64) -> Settings {
    let identity = format!("replica-{index}-{life}");
    let lease = LeaseRef { namespace: "muster-system".to_owned(), name: "muster".to_owned() };
    let mut settings = Settings::of(&identity, (story.replicas > 1).then_some(lease));
    settings.repair.grace = GRACE;
    settings.windows.bind = story.binds_at_once;
    settings.engine.pace = story.pace;
    settings.words_wait = story.words_wait;
    settings.engine.evicts = story.rivals.as_ref().map_or(Evicts::Never, |_| Evicts::ByQueue);
    settings.volumes.timeout = store::TIMEOUT;
    settings
}

fn act_words(act: &Act) -> String {
    match act {
        Act::Replace(pod) => format!("create {}", pod.uid),
        other => format!("{other:?}"),
    }
}

fn answer_words(answer: &Answer) -> String {
    match answer {
        Answer::Reply(reply) => format!("{} {}", reply.code, reply.message),
        Answer::Lost(words) => format!("lost, {words}"),
        Answer::Unsent(words) => format!("unsent, {words}"),
    }
}

fn short(ledger: &Ledger) -> String {
    let time =
        |time: Option<Time>| time.map_or_else(|| "-".to_owned(), |it| it.since(START).to_string());
    let Ledger { run, youngest, age, blocked_since, broken_since, .. } = ledger;
    format!(
        "[run {} youngest {} age {} blocked {} broken {} {} releases {} succeeded {} evicted {} \
         reserved {}]",
        time(*run),
        time(*youngest),
        time(*age),
        time(*blocked_since),
        time(*broken_since),
        if ledger.has_started { "started" } else { "waits" },
        ledger.releases,
        ledger.succeeded.iter().map(|role| role.count).sum::<u32>(),
        ledger.evicted.len(),
        time(ledger.reservation.as_ref().map(|it| it.plan)),
    )
}

fn line(event: &Event) -> String {
    match event {
        Event::Pod(pod) => {
            let mut words = vec![format!("pod {}", pod.uid), format!("{:?}", pod.phase)];
            words.extend(pod.node.as_ref().map(|node| format!("on {node}")));
            words.extend(pod.rejected.as_ref().map(|why| format!("rejected {why}")));
            words.extend(pod.terminating.then(|| "terminating".to_owned()));
            words.extend(pod.evicted.then(|| "marked".to_owned()));
            words.extend(pod.evicted_for.map(|plan| format!("for {}", plan.since(START).ms())));
            words.extend(pod.ledger.as_ref().map(|ledger| short(ledger)));
            words.extend(pod.told.as_ref().map(|told| format!("told {}", told.reason)));
            words.extend((!pod.gates.is_empty()).then(|| "gated".to_owned()));
            words.join(" ")
        }
        Event::PodGone(uid) => format!("pod {uid} gone"),
        Event::Node(node) => {
            let ready = if node.ready { "ready" } else { "silent" };
            let cordoned = if node.unschedulable { " cordoned" } else { "" };
            format!("node {} {ready}{cordoned}", node.name)
        }
        Event::NodeGone(name) => format!("node {name} gone"),
        Event::Claim(claim) => match &claim.state {
            ClaimState::Bound(volume) => format!("claim {} bound to {}", claim.key, volume.name),
            _ => format!("claim {} for {:?}", claim.key, store::chosen(claim)),
        },
        Event::Gang(gang) => format!("gang {} {}", gang.key, short(&gang.ledger)),
        Event::GangGone(key) => format!("gang {key} gone"),
        other => format!("{other:?}").chars().take(60).collect(),
    }
}
