//! Everybody beside muster: kubelets, controllers, the garbage collector, other schedulers,
//! people.
//!
//! They see the server's objects at once and act on them after a while. What they do is drawn
//! from the seed, but depends on what muster did.

use super::server::ApiServer;
use super::story::{Act, START, STORM, Story};
use super::tally;
use super::troop::Troop;
use crate::worlds::Dice;
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::spec::{NodeSpec, PodPhase, PodSpec};
use scheduler_model::time::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// A controller gives up after so many pods in one place.
const REPLACED_MAX: u64 = 12;

/// What the others know, and what they are about to do.
#[derive(Clone, Debug)]
pub struct Actors {
    agenda: BTreeMap<(Time, u64), Act>,
    number: u64,
    /// How far the log was read.
    seen: usize,
    /// Pods that a kubelet took in.
    admitted: BTreeSet<String>,
    /// Pods that were noticed to be bound, terminating, replaced.
    noticed: BTreeSet<(String, &'static str)>,
    /// Pods as last seen, to replace them once they are gone.
    known: BTreeMap<String, PodSpec>,
    /// Nodes that are gone, to bring them back.
    gone: BTreeMap<String, NodeSpec>,
    /// How often each place was filled anew.
    replaced: BTreeMap<String, u64>,
    /// Places whose new pods bear the old name.
    keeps_names: BTreeSet<String>,
    dice: Dice,
}

impl Actors {
    /// Everybody, with what the story has in store.
    #[must_use]
    pub fn new(story: &Story, dice: Dice) -> Self {
        let mut actors = Self {
            agenda: BTreeMap::new(),
            number: 0,
            seen: 0,
            admitted: BTreeSet::new(),
            noticed: BTreeSet::new(),
            known: BTreeMap::new(),
            gone: BTreeMap::new(),
            replaced: BTreeMap::new(),
            keeps_names: story
                .troops
                .iter()
                .filter(|troop| troop.keeps_names)
                .map(|troop| troop.gang.key.name.clone())
                .collect(),
            dice,
        };
        for (at, act) in &story.acts {
            actors.plan(*at, act.clone());
        }
        actors
    }

    /// Something will happen at `at`.
    pub fn plan(&mut self, at: Time, act: Act) {
        self.number += 1;
        self.agenda.insert((at, self.number), act);
    }

    /// The next thing that is due by `now`.
    pub fn next(&mut self, now: Time) -> Option<Act> {
        let (key, _) = self.agenda.first_key_value().filter(|((at, _), _)| *at <= now)?;
        let key = *key;
        self.agenda.remove(&key)
    }

    /// When something happens next.
    #[must_use]
    pub fn wake_at(&self) -> Option<Time> {
        self.agenda.keys().next().map(|(at, _)| *at)
    }

    fn later(&mut self, now: Time, low: u64, high: u64, act: Act) {
        let ms = i64::try_from(self.dice.between(low, high)).unwrap_or(0);
        self.plan(now.after(Span::from_ms(ms)), act);
    }

    /// Reads what happened since it last looked, and makes plans.
    pub fn react(&mut self, server: &ApiServer, now: Time) {
        let news: Vec<Event> =
            server.log[self.seen..].iter().map(|(_, event)| event.clone()).collect();
        self.seen = server.log.len();
        for event in news {
            match event {
                Event::Pod(pod) => self.meet(server, &pod, now),
                Event::PodGone(uid) => {
                    if let Some(pod) = self.known.remove(&uid)
                        && pod.phase != PodPhase::Succeeded
                    {
                        self.replace(&pod, now);
                    }
                }
                _ => {}
            }
        }
    }

    fn meet(&mut self, server: &ApiServer, pod: &PodSpec, now: Time) {
        self.known.insert(pod.uid.clone(), pod.clone());
        let uid = pod.uid.clone();
        let Some(node) = &pod.node else { return };
        if pod.phase.is_finished() {
            let is_bad = pod.phase == PodPhase::Failed;
            if is_bad && self.keeps_names.contains(troop_name(pod)) {
                // Its controller takes the old one away first.
                if self.noticed.insert((uid.clone(), "failed")) {
                    self.later(now, 20, 1_000, Act::Vanish(uid));
                }
            } else if is_bad {
                self.replace(pod, now);
            }
            return;
        }
        let is_there = server.nodes.contains_key(node);
        if pod.terminating && is_there && self.noticed.insert((uid.clone(), "terminating")) {
            self.later(now, 50, 3_000, Act::Vanish(uid));
        } else if is_there && self.noticed.insert((uid.clone(), "bound")) {
            self.later(now, 20, 1_500, Act::Admit(uid));
        }
    }

    /// A controller fills the place of a pod.
    fn replace(&mut self, pod: &PodSpec, now: Time) {
        let place = place_of(pod);
        let times = self.replaced.entry(place.clone()).or_insert(0);
        let is_news = self.noticed.insert((pod.uid.clone(), "replaced"));
        if !pod.has_controller || !is_news || *times >= REPLACED_MAX {
            return;
        }
        *times += 1;
        let uid = format!("{place}-r{times}");
        let keeps_name = self.keeps_names.contains(troop_name(pod));
        let name = if keeps_name { pod.name.clone() } else { uid.clone() };
        let new = PodSpec {
            uid,
            queue: pod.queue.clone(),
            shape: pod.shape.clone(),
            membership: pod.membership.clone(),
            rank: pod.rank,
            role: pod.role.clone(),
            claims: pod.claims.clone(),
            has_controller: true,
            ..PodSpec::new(&pod.namespace, &name)
        };
        self.later(now, 20, 2_000, Act::Replace(Box::new(new)));
    }

    /// The kubelet looks at a pod that was bound to its node.
    pub fn admit(&mut self, server: &mut ApiServer, uid: &str, story: &Story, now: Time) {
        let Some(pod) = server.pod(uid).cloned() else { return };
        let node = pod.node.clone().unwrap_or_default();
        let Some(spec) = server.nodes.get(&node) else { return };
        if pod.phase.is_finished() || pod.terminating {
            return;
        }
        if !spec.ready {
            self.later(now, 1_000, 3_000, Act::Admit(uid.to_owned()));
            return;
        }
        let spec = spec.clone();
        let is_stormy = now < START.after(STORM);
        let why = if is_stormy && self.dice.chance(story.refusals) {
            Some("UnexpectedAdmissionError".to_owned())
        } else {
            self.lacks(server, &pod, &spec)
        };
        if let Some(why) = why {
            let failed = PodSpec {
                phase: PodPhase::Failed,
                rejected: Some(why),
                evicted: true,
                finished_at: Some(now),
                ..pod
            };
            server.change(Event::Pod(Box::new(failed)), now);
            return;
        }
        self.admitted.insert(uid.to_owned());
        let troop = troop_of(story, &pod);
        let running = PodSpec { phase: PodPhase::Running, started_at: Some(now), ..pod };
        server.change(Event::Pod(Box::new(running)), now);
        if let Some((troop, runtime)) = troop.and_then(|it| it.runtime.map(|span| (it, span))) {
            let fails = self.dice.chance(troop.fails);
            self.plan(now.after(runtime), Act::End(uid.to_owned(), !fails));
        }
    }

    /// What the node has too little of, as its kubelet counts.
    fn lacks(&self, server: &ApiServer, pod: &PodSpec, node: &NodeSpec) -> Option<String> {
        for (resource, wanted) in &pod.shape.requests {
            let others = server.pods.values().filter(|other| {
                other.node.as_deref() == Some(node.name.as_str())
                    && !other.phase.is_finished()
                    && other.uid != pod.uid
                    && (self.admitted.contains(&other.uid) || !other.ours)
            });
            let used: i64 = others
                .filter_map(|other| other.shape.requests.get(resource))
                .map(|amount| amount.units())
                .sum();
            let has = node.allocatable.get(resource).map_or(0, |amount: &Amount| amount.units());
            if used + wanted.units() > has {
                return Some(format!("OutOf{resource}"));
            }
        }
        None
    }

    /// Somebody makes a pod; its gate opens later if its troop has gates.
    pub fn create(&mut self, server: &mut ApiServer, pod: PodSpec, story: &Story, now: Time) {
        let name = (pod.namespace.clone(), pod.name.clone());
        if server.pods.contains_key(&name) {
            self.later(now, 100, 1_000, Act::Replace(Box::new(pod)));
            return;
        }
        let gated_for = troop_of(story, &pod).and_then(|troop| troop.gated_for);
        let gates = gated_for.map(|_| "hold".to_owned()).into_iter().collect();
        if let Some(span) = gated_for {
            self.plan(now.after(span), Act::Ungate(pod.uid.clone()));
        }
        let pod = PodSpec { created_at: now, gates, ..pod };
        server.change(Event::Pod(Box::new(pod)), now);
    }

    /// A pod that succeeded is removed, as soon as its success is written down elsewhere: so do
    /// controllers that count.
    pub fn forget(&mut self, server: &mut ApiServer, uid: &str, now: Time) {
        let Some(pod) = server.pod(uid) else { return };
        let key = tally::group_of(pod).cloned();
        let peers: Vec<&PodSpec> =
            server.pods.values().filter(|peer| tally::group_of(peer) == key.as_ref()).collect();
        let has = peers.iter().filter(|peer| peer.phase == PodPhase::Succeeded).count();
        let is_over = peers.iter().all(|peer| peer.phase.is_finished());
        let group = key.and_then(|key| server.gangs.get(&key));
        let written: u32 =
            group.map_or(0, |gang| gang.ledger.succeeded.iter().map(|role| role.count).sum());
        if is_over || usize::try_from(written).is_ok_and(|written| written >= has) {
            server.change(Event::PodGone(uid.to_owned()), now);
        } else if now < START.after(STORM).after(Span::from_secs(60)) {
            self.later(now, 2_000, 5_000, Act::Forget(uid.to_owned()));
        }
    }

    /// A node is gone; remembers it for its return.
    pub fn lose_node(&mut self, server: &mut ApiServer, name: &str, now: Time) {
        if let Some(node) = server.nodes.get(name).cloned() {
            self.gone.insert(name.to_owned(), node);
            server.change(Event::NodeGone(name.to_owned()), now);
        }
    }

    /// A node that was gone comes back, empty but for what is still bound to it.
    pub fn return_node(&mut self, server: &mut ApiServer, name: &str, now: Time) {
        if let Some(node) = self.gone.remove(name) {
            server.change(Event::Node(Box::new(node)), now);
        }
    }
}

/// The troop of a pod.
pub(super) fn troop_of<'a>(story: &'a Story, pod: &PodSpec) -> Option<&'a Troop> {
    story.troops.iter().find(|troop| troop.gang.key.name == troop_name(pod))
}

/// The name of a pod's troop: what stands before its rank.
fn troop_name(pod: &PodSpec) -> &str {
    pod.name.split('-').next().unwrap_or(&pod.name)
}

/// The place of a pod among its peers: its name without what replacement appended.
fn place_of(pod: &PodSpec) -> String {
    pod.name.split("-r").next().unwrap_or(&pod.name).to_owned()
}
