//! What is going to happen in one run, drawn from its seed before anything begins.
//!
//! A story has a stormy part, in which everything goes wrong that can, and a quiet part, in
//! which all must come right again.

use super::rivals::Rivals;
use super::store::{Stock, touches};
use super::trap::Trap;
use super::troop::{Troop, finale, finale_at};
use super::wire::Faults;
use crate::worlds::Dice;
use scheduler_core::pace::Pace;
use scheduler_model::amount::Amount;
use scheduler_model::event::Kind;
use scheduler_model::spec::{NodeSpec, PodSpec, QueueSpec, QuotaSpec, Resources};
use scheduler_model::time::{Span, Time};

/// How long the storm lasts.
pub const STORM: Span = Span::from_secs(120);

/// How long a gang that lost members is waited for: short, so that a story of minutes has
/// several releases.
pub const GRACE: Span = Span::from_secs(20);

/// Something that happens at a moment of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// A gang arrives: its group, then its pods.
    Arrive(usize),
    /// The kubelet looks at a pod that was bound to it.
    Admit(String),
    /// The gate of a pod opens.
    Ungate(String),
    /// A pod that succeeded is removed, once its success was written down.
    Forget(String),
    /// A pod ends: well or badly.
    End(String, bool),
    /// A pod that is terminating is gone.
    Vanish(String),
    /// A controller makes a new pod in the place of this one.
    Replace(Box<PodSpec>),
    /// A node is gone.
    NodeGone(String),
    /// A node that was gone is there again.
    NodeBack(String),
    /// A node falls silent, or speaks again.
    NodeReady(String, bool),
    /// A node is cordoned, or not any more.
    Cordon(String, bool),
    /// Pods on a node that is gone are removed.
    Collect(String),
    /// A person changes some volume that nobody took.
    Touch(u64),
    /// Another scheduler puts a pod there.
    Foreign(String),
    /// A person deletes some pod of ours.
    DeletePod(u64),
    /// A person deletes this pod.
    DeleteThis(String),
    /// A person raises the minimum of the gang of this number by so much.
    Raise(usize, u32),
    /// A person deletes some group.
    DeleteGroup(u64),
    /// A watch of a replica stalls, and is cut or not.
    Stall(usize, Kind, Span, bool),
    /// A replica is killed and starts again after so long.
    Kill(usize, Span),
    /// A replica is held for so long.
    Hold(usize, Span),
    /// A replica is asked to stop, and starts again after so long.
    Retire(usize, Span),
    /// The API server cannot be reached for so long.
    Outage(Span),
    /// What happens to the leader at the finale.
    Finale,
}

/// One run.
#[derive(Clone, Debug)]
pub struct Story {
    /// Nodes at the start.
    pub nodes: Vec<NodeSpec>,
    /// Gangs.
    pub troops: Vec<Troop>,
    /// What is known to happen from the start.
    pub acts: Vec<(Time, Act)>,
    /// How often calls go wrong during the storm.
    pub faults: Faults,
    /// Replicas; with one, no lease is used.
    pub replicas: usize,
    /// Hundredths of admissions that a kubelet refuses for reasons of its own.
    pub refusals: u64,
    /// Other schedulers and people change things that muster cannot foresee.
    pub has_strangers: bool,
    /// The most GPUs that the queue may use, if it is limited.
    pub limit: Option<u64>,
    /// How many binds may fly at once: with few, plans wait and the world moves on.
    pub binds_at_once: usize,
    /// How soon gangs are followed whose members only move as decided.
    pub pace: Pace,
    /// How long words wait while binds fill their window.
    pub words_wait: Span,
    /// Accidents at exact places.
    pub traps: Vec<Trap>,
    /// How much each replica's clock is ahead of the world's, in milliseconds.
    pub skews: Vec<i64>,
    /// What happens to the leader when the gang of the finale arrives.
    pub finale: Finale,
    /// Volumes, where there are any.
    pub stock: Option<Stock>,
    /// Queues that compete, where there are any: then gangs are evicted for others.
    pub rivals: Option<Rivals>,
}

/// What happens to the leader when all has come to rest and one more gang arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finale {
    /// Nothing.
    Quiet,
    /// It is killed.
    Kill,
    /// It is asked to stop.
    Retire,
}

/// When the story begins. Not 0, so that "never" and "at the start" differ.
pub const START: Time = Time::from_ms(1_000_000_000);

impl Story {
    /// The story of a seed.
    #[must_use]
    pub fn draw(dice: &mut Dice) -> Self {
        let count = dice.between(1, 6);
        let nodes: Vec<NodeSpec> = (0..count).map(|index| node(index, dice)).collect();
        let mut troops: Vec<Troop> =
            (0..dice.between(1, 8)).map(|index| Troop::draw(index, dice)).collect();
        troops.push(finale(dice));
        let has_strangers = dice.chance(40);
        let replicas = *dice.pick(&[1, 1, 1, 2, 2, 3]);
        let mut story = Self {
            nodes,
            troops,
            acts: Vec::new(),
            faults: draw_faults(dice),
            replicas,
            refusals: if dice.chance(30) { 15 } else { 0 },
            has_strangers,
            limit: dice.chance(25).then(|| dice.between(2, 12)),
            binds_at_once: *dice.pick(&[64, 64, 64, 1, 2]),
            pace: Pace::default(),
            words_wait: Span::from_secs(1),
            traps: Vec::new(),
            skews: (0..replicas).map(|_| draw_skew(dice)).collect(),
            finale: *dice.pick(&[Finale::Quiet, Finale::Kill, Finale::Retire]),
            stock: None,
            rivals: None,
        };
        if dice.chance(60) {
            story.traps = (0..dice.between(1, 3)).map(|_| Trap::draw(dice)).collect();
        }
        story.arrivals(dice);
        story.accidents(dice);
        story
    }

    /// More that goes wrong, from dice of its own: binds that come back or stay in doubt while
    /// their world changes, minimums that are raised, and gangs that count as large.
    pub fn add_mischief(&mut self, dice: &mut Dice) {
        if dice.chance(60) {
            self.traps.extend((0..dice.between(1, 4)).map(|_| Trap::mischief(dice)));
        }
        if dice.chance(20) {
            // The last one is that of the finale.
            let index = usize::try_from(dice.roll()).unwrap_or(0) % (self.troops.len() - 1);
            let more = u32::try_from(dice.between(1, 3)).unwrap_or(1);
            self.acts.push((moment(dice, STORM), Act::Raise(index, more)));
        }
        if dice.chance(50) {
            // As if the gangs here were hundreds of times as large.
            let per_hundred = Span::from_secs(i64::try_from(dice.between(1, 10)).unwrap_or(1));
            self.pace = Pace { large: 2, per_hundred, ..Pace::default() };
            self.words_wait = Span::from_secs(i64::try_from(dice.between(0, 5)).unwrap_or(0));
        }
    }

    /// Some stories have volumes too, from dice of their own.
    #[must_use]
    pub fn with_volumes(mut self, dice: &mut Dice) -> Self {
        let nodes: Vec<String> = self.nodes.iter().map(|node| node.name.clone()).collect();
        self.stock = Stock::draw(&mut self.troops, &nodes, dice);
        if self.stock.is_some() {
            self.acts.extend(touches(dice).into_iter().map(|(at, pick)| (at, Act::Touch(pick))));
        }
        self
    }

    /// Some stories have queues that compete, from dice of their own.
    #[must_use]
    pub fn with_rivals(mut self, dice: &mut Dice) -> Self {
        self.rivals = Rivals::draw(&mut self.troops, dice);
        self
    }

    fn arrivals(&mut self, dice: &mut Dice) {
        let last = self.troops.len() - 1;
        for index in 0..last {
            let at = moment(dice, STORM);
            self.acts.push((at, Act::Arrive(index)));
        }
        self.acts.push((finale_at(), Act::Finale));
        let later = Span::from_ms(i64::try_from(dice.between(0, 400)).unwrap_or(0));
        self.acts.push((finale_at().after(later), Act::Arrive(last)));
    }

    /// The server cannot be reached: often just as the binds of a gang leave, and nodes change
    /// before they can leave again.
    fn outage(&mut self, dice: &mut Dice) {
        let long = seconds(dice, 1, 20);
        let mut at = moment(dice, STORM);
        if dice.chance(60) {
            let arrivals = self.acts.iter().filter(|(_, act)| matches!(act, Act::Arrive(_)));
            let times: Vec<Time> =
                arrivals.map(|(at, _)| *at).filter(|at| *at < START.after(STORM)).collect();
            let soon = i64::try_from(dice.between(1, 60)).unwrap_or(0);
            at = dice.pick(&times).after(Span::from_ms(soon));
            for _ in 0..dice.between(1, 6) {
                let name = dice.pick(&self.nodes).name.clone();
                let within = u64::try_from(long.ms()).unwrap_or(0);
                let then = i64::try_from(dice.between(0, within)).unwrap_or(0);
                let then = at.after(Span::from_ms(then));
                self.acts.push((then, Act::Cordon(name.clone(), true)));
                self.acts.push((then.after(seconds(dice, 20, 60)), Act::Cordon(name, false)));
            }
        }
        self.acts.push((at, Act::Outage(long)));
    }

    fn accidents(&mut self, dice: &mut Dice) {
        for _ in 0..dice.between(0, 6) {
            let (at, long) = (moment(dice, STORM), seconds(dice, 1, 40));
            let replica = usize::try_from(dice.between(0, 5)).unwrap_or(0) % self.replicas;
            let act = match dice.between(0, 5) {
                0 => Act::Kill(replica, seconds(dice, 1, 10)),
                1 => Act::Hold(replica, long),
                2 => Act::Retire(replica, seconds(dice, 1, 10)),
                3 => {
                    self.outage(dice);
                    continue;
                }
                _ => {
                    let kind = *dice.pick(&[Kind::Pod, Kind::Node, Kind::Gang]);
                    Act::Stall(replica, kind, seconds(dice, 1, 15), dice.chance(60))
                }
            };
            self.acts.push((at, act));
        }
        for _ in 0..dice.between(0, 4) {
            let at = moment(dice, STORM);
            let name = dice.pick(&self.nodes).name.clone();
            let later = at.after(seconds(dice, 1, 90));
            match dice.between(0, 2) {
                0 => {
                    self.acts.push((at, Act::NodeGone(name.clone())));
                    self.acts.push((at.after(seconds(dice, 5, 40)), Act::Collect(name.clone())));
                    self.acts.push((later, Act::NodeBack(name)));
                }
                1 => {
                    self.acts.push((at, Act::NodeReady(name.clone(), false)));
                    self.acts.push((later, Act::NodeReady(name, true)));
                }
                _ => {
                    self.acts.push((at, Act::Cordon(name.clone(), true)));
                    self.acts.push((later, Act::Cordon(name, false)));
                }
            }
        }
        for _ in 0..if self.has_strangers { dice.between(1, 5) } else { 0 } {
            let at = moment(dice, STORM);
            let act = match dice.between(0, 3) {
                0 => Act::Foreign(dice.pick(&self.nodes).name.clone()),
                1 => Act::DeleteGroup(dice.roll()),
                _ => Act::DeletePod(dice.roll()),
            };
            self.acts.push((at, act));
        }
    }
}

/// The queue that all gangs of the storm share, or those that compete, and that of the finale.
#[must_use]
pub fn queues(story: &Story) -> Vec<QueueSpec> {
    let quotas = story.limit.map(|most| QuotaSpec::limit(None, "gpu", amount(most)));
    let shared = QueueSpec { quotas: quotas.into_iter().collect(), ..QueueSpec::named("default") };
    let mut queues = match &story.rivals {
        Some(rivals) => rivals.queues(shared).to_vec(),
        None => vec![shared],
    };
    queues.push(QueueSpec::named("finale"));
    queues
}

/// So many seconds, drawn.
pub(super) fn seconds(dice: &mut Dice, low: u64, high: u64) -> Span {
    let ms = dice.between(low * 1000, high * 1000);
    Span::from_ms(i64::try_from(ms).unwrap_or(0))
}

/// A moment within `within` of the start.
fn moment(dice: &mut Dice, within: Span) -> Time {
    let most = u64::try_from(within.ms()).unwrap_or(0);
    START.after(Span::from_ms(i64::try_from(dice.between(0, most)).unwrap_or(0)))
}

pub(super) fn amount(count: u64) -> Amount {
    Amount::new(i64::try_from(count).unwrap_or(0))
}

/// The node of the finale: nothing happens to it.
#[must_use]
pub fn stage() -> NodeSpec {
    let allocatable =
        Resources::from([("baton".to_owned(), amount(3)), ("pods".to_owned(), amount(110))]);
    NodeSpec { name: "stage".to_owned(), ready: true, allocatable, ..NodeSpec::default() }
}

fn node(index: u64, dice: &mut Dice) -> NodeSpec {
    let gpus = dice.between(1, 8);
    let allocatable =
        Resources::from([("gpu".to_owned(), amount(gpus)), ("pods".to_owned(), amount(110))]);
    NodeSpec { name: format!("n{index}"), ready: true, allocatable, ..NodeSpec::default() }
}

/// Mostly a few milliseconds, now and then seconds.
fn draw_skew(dice: &mut Dice) -> i64 {
    let most = *dice.pick(&[0, 20, 5_000]);
    let skew = i64::try_from(dice.between(0, 2 * most)).unwrap_or(0);
    skew - i64::try_from(most).unwrap_or(0)
}

fn draw_faults(dice: &mut Dice) -> Faults {
    let mut rate = |most: u64| if dice.chance(50) { 0 } else { dice.between(1, most) };
    Faults {
        request_lost: rate(20),
        reply_lost: rate(30),
        turned_away: rate(30),
        failed: rate(20),
        slow: rate(30),
    }
}
