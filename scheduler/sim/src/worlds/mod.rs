//! Small random worlds, each from one seed.
//!
//! Invariant: one seed and size give one world for ever, on any machine; what is bound at the
//! start breaks no capacity, limit or domain. Which features occur at all is drawn first, so
//! that rare mixes come up as often as common ones.
//!
//! Next: `feature.rs` lists what can occur; `node.rs`, `shape.rs`, `gang.rs`, `queue.rs` draw
//! it; `bound.rs` binds what runs from the start.

mod bound;
mod dice;
mod feature;
mod gang;
mod node;
mod queue;
mod shape;
mod volume;

pub use dice::Dice;
pub use feature::Feature;

use scheduler_model::event::Event;
use scheduler_model::spec::{
    GangSpec, Labels, LevelSpec, NamespaceSpec, NodeSpec, PodSpec, QueueSpec, TopologySpec,
};
use scheduler_model::time::Span;
use scheduler_model::world::{SimHints, World};
use std::collections::BTreeSet;

/// How large a random world may get; each number is drawn from 1 up to this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Nodes.
    pub nodes: u64,
    /// Gangs.
    pub gangs: u64,
    /// Queues.
    pub queues: u64,
    /// Pods of one gang.
    pub pods: u64,
}

impl Size {
    /// Large enough for most faults, small enough to read.
    pub const SMALL: Self = Self { nodes: 8, gangs: 6, queues: 4, pods: 5 };
    /// Small enough to try everything.
    pub const TINY: Self = Self { nodes: 3, gangs: 2, queues: 2, pods: 3 };
}

/// What is drawn so far.
struct Draft {
    dice: Dice,
    size: Size,
    features: BTreeSet<Feature>,
    nodes: Vec<NodeSpec>,
    queues: Vec<QueueSpec>,
    gangs: Vec<GangSpec>,
    pods: Vec<PodSpec>,
}

impl Draft {
    /// True if `feature` occurs in this world and the dice want it here.
    fn draws(&mut self, feature: Feature, percent: u64) -> bool {
        self.features.contains(&feature) && self.dice.chance(percent)
    }
}

/// The world of `seed`.
#[must_use]
pub fn random(seed: u64, size: Size) -> World {
    random_but(seed, size, &[])
}

/// The world of `seed`, in which none of `left_out` occurs, even if it would otherwise.
#[must_use]
pub fn random_but(seed: u64, size: Size, left_out: &[Feature]) -> World {
    let mut dice = Dice::new(seed);
    let mut features = Feature::draw(&mut dice);
    for (feature, stream) in Feature::APART {
        if Dice::new(seed ^ stream).chance(33) {
            features.insert(feature);
        }
    }
    features.retain(|feature| !left_out.contains(feature));
    random_with(dice, size, features)
}

/// The world of `seed`, in which `left_out` does not occur.
#[must_use]
pub fn random_without(seed: u64, size: Size, left_out: Feature) -> World {
    let mut dice = Dice::new(seed);
    let mut features = Feature::draw(&mut dice);
    features.remove(&left_out);
    random_with(dice, size, features)
}

/// The world of `seed` in which exactly `features` may occur.
#[must_use]
pub fn random_of(seed: u64, size: Size, features: &[Feature]) -> World {
    random_with(Dice::new(seed), size, features.iter().copied().collect())
}

fn random_with(dice: Dice, size: Size, features: BTreeSet<Feature>) -> World {
    let mut draft = Draft {
        dice,
        size,
        features,
        nodes: Vec::new(),
        queues: Vec::new(),
        gangs: Vec::new(),
        pods: Vec::new(),
    };
    node::draw(&mut draft);
    queue::draw(&mut draft);
    gang::draw(&mut draft);
    bound::draw(&mut draft);
    let mut served = volume::draw(&mut draft);
    let mut events = events(&draft);
    let pods = events.iter().position(|event| matches!(event, Event::Gang(_) | Event::Pod(_)));
    let at = pods.unwrap_or(events.len());
    events.splice(at..at, served.drain(..));
    let mut world = World { events, ..World::default() };
    queue::limit(&mut draft, &mut world);
    draw_runtimes(&mut draft, &mut world);
    world
}

fn events(draft: &Draft) -> Vec<Event> {
    let mut events: Vec<Event> = namespaces().into_iter().map(Event::Namespace).collect();
    if draft.features.contains(&Feature::Topology) {
        events.push(Event::Topology(net()));
    }
    events.extend(draft.queues.iter().cloned().map(Event::Queue));
    events.extend(draft.nodes.iter().cloned().map(|node| Event::Node(Box::new(node))));
    events.extend(draft.gangs.iter().cloned().map(|gang| Event::Gang(Box::new(gang))));
    events.extend(draft.pods.iter().cloned().map(|pod| Event::Pod(Box::new(pod))));
    events
}

fn namespaces() -> Vec<NamespaceSpec> {
    let namespace = |name: &str, team: &str| NamespaceSpec {
        name: name.to_owned(),
        labels: Labels::from([("team".to_owned(), team.to_owned())]),
        queue: None,
    };
    vec![namespace("blue", "sea"), namespace("red", "fire")]
}

fn net() -> TopologySpec {
    let level = |name: &str| LevelSpec { name: format!("{name}-level"), key: name.to_owned() };
    TopologySpec { name: "net".to_owned(), levels: vec![level("zone"), level("rack")] }
}

fn draw_runtimes(draft: &mut Draft, world: &mut World) {
    for at in 0..draft.gangs.len() {
        if draft.draws(Feature::Runtimes, 60) {
            let seconds = i64::try_from(draft.dice.between(1, 600)).unwrap_or(1);
            let runtime = Some(Span::from_secs(seconds));
            world
                .gang_hints
                .insert(draft.gangs[at].key.clone(), SimHints { runtime, arrival: None });
        }
    }
}
