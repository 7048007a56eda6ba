//! The world as the engine sees it, as a scenario that `muster simulate` reads.
//!
//! Invariant: the engine fed with it decides the same from that moment on. Members that were
//! given a node and are not yet seen bound stand in it as bound, since their binds are under
//! way; volumes they are about to have stand in it as kept for their claims; what the engine
//! remembers of a gang stands in its ledger.

use scheduler_core::engine::Engine;
use scheduler_core::view::GangView;
use scheduler_model::event::Event;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{PodSpec, VolumeStep};
use scheduler_model::time::Time;
use scheduler_model::world::World;
use std::collections::BTreeMap;

/// The sentence that a dump tells.
const STORY: &str = "A dump of what muster saw";

/// A world as text, at the moment when it was like that.
#[must_use]
pub fn text(world: &World, now: Time) -> String {
    scheduler_scenario::dump_at(world, STORY, now)
}

/// The whole world.
#[must_use]
pub fn world(engine: &Engine) -> World {
    let snap = engine.snapshot();
    let mut world = World { events: surroundings(snap), ..World::default() };
    let events = &mut world.events;
    for view in engine.gangs() {
        let Some(id) = snap.gangs().find(&view.key) else { continue };
        let gang = snap.gangs().get(id);
        if let Some(spec) = &gang.spec {
            let mut spec = spec.clone();
            spec.ledger = view.ledger.clone();
            let key = spec.key.clone();
            events.push(Event::Gang(spec));
            if !gang.exists {
                events.push(Event::GangGone(key));
            }
        }
        events.extend(members(&view, snap));
    }
    let strangers = snap.pods().iter().filter(|(_, pod)| pod.gang.is_none());
    events.extend(strangers.map(|(_, pod)| Event::Pod(pod.spec.clone())));
    world
}

/// Everything but gangs and pods.
fn surroundings(snap: &Snapshot) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    events.extend(snap.namespaces().values().cloned().map(Event::Namespace));
    events.extend(snap.priority_classes().values().cloned().map(Event::PriorityClass));
    events.extend(snap.topology().specs().values().cloned().map(Event::Topology));
    events.extend(snap.daemons().values().map(|daemon| Event::Daemon(daemon.spec.clone())));
    let queues = snap.queues().iter().filter(|(_, queue)| !queue.is_implicit);
    events.extend(queues.map(|(_, queue)| Event::Queue(queue.spec.clone())));
    let nodes = snap.nodes().live().iter();
    events.extend(nodes.map(|node| Event::Node(Box::new(snap.nodes().spec(node).clone()))));
    let volumes = snap.volumes();
    events.extend(volumes.claims().values().cloned().map(Box::new).map(Event::Claim));
    let taken = taken(snap);
    events.extend(volumes.volumes().values().cloned().map(|mut volume| {
        if let Some(claim) = taken.get(&volume.name) {
            volume.kept_for = Some(claim.clone());
        }
        Event::Volume(Box::new(volume))
    }));
    events.extend(volumes.pools().values().cloned().map(Box::new).map(Event::Pool));
    events.extend(snap.budgets().iter().map(|budget| Event::Budget(budget.spec.clone())));
    events
}

/// Volumes that members with nodes are about to have, and the claims they serve.
fn taken(snap: &Snapshot) -> BTreeMap<String, String> {
    let mut taken = BTreeMap::new();
    for step in snap.pods().iter().flat_map(|(pod, _)| snap.volume_steps(pod)) {
        if let VolumeStep::Take { claim, volume, .. } = step {
            taken.insert(volume, claim);
        }
    }
    taken
}

/// All pods of a gang, finished ones too; the ledger goes with them where no group carries it.
fn members(view: &GangView, snap: &Snapshot) -> Vec<Event> {
    let Some(id) = snap.gangs().find(&view.key) else { return Vec::new() };
    let gang = snap.gangs().get(id);
    let pod = |id: &_| {
        let row = snap.pods().get(*id);
        let mut spec: Box<PodSpec> = row.spec.clone();
        if spec.node.is_none() {
            spec.node = row.place.node().map(|node| snap.nodes().spec(node).name.clone());
        }
        if !view.has_object && !view.ledger.is_empty() {
            spec.ledger = Some(Box::new(view.ledger.clone()));
        }
        Event::Pod(spec)
    };
    gang.members.iter().map(pod).collect()
}
