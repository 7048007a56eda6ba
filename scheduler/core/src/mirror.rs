//! News from outside into the snapshot, and what it may wake.
//!
//! A list replaces a kind: what it does not name is gone, because deletions that happened while
//! nobody watched are never told.

use crate::evict::{loosens, pod_loosens};
use scheduler_framework::EventMask;
use scheduler_model::event::{Event, Kind};
use scheduler_model::ids::{ClassId, GangId, NodeId, PodId, QueueId};
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{BudgetSpec, GangKey, PodPhase, PodSpec};
use scheduler_model::time::Time;
use scheduler_model::volume::claims_of;
use std::collections::{BTreeMap, BTreeSet};

/// What an event may wake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wake {
    /// Kinds of change that parked gangs may wait for.
    pub mask: EventMask,
    /// Gangs that changed themselves.
    pub gangs: BTreeSet<GangId>,
    /// Gangs of which a member changed that stays where it is and what it is: see `stays`.
    pub quiet: BTreeSet<GangId>,
    /// Gangs of which only what is told about them may have changed.
    pub beside: BTreeSet<GangId>,
    /// Members of larger gangs that left their places without having succeeded.
    pub departed: Vec<(GangId, Box<PodSpec>)>,
    /// Members of larger gangs that are new.
    pub arrived: Vec<(GangId, PodId)>,
}

/// Lists in progress.
#[derive(Clone, Debug, Default)]
pub struct Mirror {
    /// Per kind that is being listed, the names seen so far.
    listing: BTreeMap<Kind, BTreeSet<String>>,
}

impl Mirror {
    /// Takes one event into the snapshot.
    pub fn observe(&mut self, snap: &mut Snapshot, event: Event, now: Time) -> Wake {
        let mut wake = Wake::default();
        match &event {
            Event::ListStart(kind) => {
                self.listing.insert(*kind, BTreeSet::new());
                return wake;
            }
            Event::ListEnd(kind) => {
                let seen = self.listing.remove(kind).unwrap_or_default();
                for gone in missing(snap, *kind, &seen) {
                    self.take(snap, gone, now, &mut wake);
                }
                snap.settle_queues();
                return wake;
            }
            _ => {}
        }
        if let Some((kind, name)) = subject(&event)
            && let Some(seen) = self.listing.get_mut(&kind)
        {
            seen.insert(name);
        }
        if !is_known(snap, &event) {
            self.take(snap, event, now, &mut wake);
        }
        // A list of ten thousand queues is a tree to settle once.
        if !self.listing.contains_key(&Kind::Queue) {
            snap.settle_queues();
        }
        wake
    }

    fn take(&mut self, snap: &mut Snapshot, event: Event, now: Time, wake: &mut Wake) {
        match &event {
            Event::Pod(spec) if stays(snap, spec) => {
                let gang = snap.pods().find(&spec.uid).and_then(|pod| gang_of(snap, pod));
                snap.ingest(event, now);
                wake.quiet.extend(gang);
            }
            Event::Pod(spec) => {
                let uid = spec.uid.clone();
                let before = Stand::of(snap, &uid);
                wake.gangs.extend(sharers(snap, &uid));
                let ends = spec.phase.is_finished() && !is_success(spec);
                let departs = if ends { member(snap, &uid) } else { None };
                let found = snap.pods().find(&uid).map(|pod| snap.pods().get(pod));
                if found.is_some_and(|pod| pod_loosens(&pod.spec, spec)) {
                    wake.mask |= EventMask::ROOM_FREED;
                }
                let is_new = found.is_none();
                snap.ingest(event, now);
                wake.gangs.extend(sharers(snap, &uid));
                wake.departed.extend(departs);
                if is_new {
                    wake.arrived.extend(arrival(snap, &uid));
                }
                note_pod(snap, &uid, before, wake);
            }
            Event::PodGone(uid) => {
                let uid = uid.clone();
                let before = Stand::of(snap, &uid);
                wake.gangs.extend(sharers(snap, &uid));
                wake.departed.extend(member(snap, &uid));
                snap.ingest(event, now);
                note_pod(snap, &uid, before, wake);
            }
            Event::Gang(spec) => {
                if loosens(snap, spec) {
                    wake.mask |= EventMask::ROOM_FREED;
                }
                let key = spec.key.clone();
                take_gang(snap, event, &key, now, wake);
            }
            Event::GangGone(key) => {
                let key: GangKey = key.clone();
                snap.ingest(event, now);
                wake.gangs.extend(snap.gangs().find(&key));
            }
            Event::Claim(spec) => {
                let key = spec.key.clone();
                take_claim(snap, event, &key, now, wake);
            }
            Event::ClaimGone(key) => {
                let key = key.clone();
                take_claim(snap, event, &key, now, wake);
            }
            Event::Node(_) | Event::NodeGone(_) => take_node(snap, event, now, wake),
            Event::Queue(_)
            | Event::QueueGone(_)
            | Event::Namespace(_)
            | Event::NamespaceGone(_) => {
                wake.mask |= mask_of(snap, &event);
                snap.ingest(event, now);
                // Whether a queue takes a gang is told to whoever makes its pods; queues and
                // namespaces change seldom.
                wake.beside.extend(snap.gangs().iter().map(|(id, _)| id));
            }
            _ => {
                wake.mask |= mask_of(snap, &event);
                snap.ingest(event, now);
            }
        }
    }
}

fn take_gang(snap: &mut Snapshot, event: Event, key: &GangKey, now: Time, wake: &mut Wake) {
    let queue = |snap: &Snapshot| Some(snap.gangs().get(snap.gangs().find(key)?).queue);
    let before = queue(snap);
    snap.ingest(event, now);
    wake.gangs.extend(snap.gangs().find(key));
    if before != queue(snap) {
        // What its members use no longer counts against the old one's limits.
        wake.mask |= EventMask::QUEUE_CHANGED;
    }
}

/// A node that comes or goes finds or loses the members that are bound to it.
fn take_node(snap: &mut Snapshot, event: Event, now: Time, wake: &mut Wake) {
    wake.mask |= mask_of(snap, &event);
    let pods: Vec<PodId> = match &event {
        Event::Node(spec) if snap.nodes().find(&spec.name).is_none() => {
            snap.pods().adrift(&spec.name).collect()
        }
        Event::NodeGone(name) => {
            let node = snap.nodes().find(name);
            node.into_iter().flat_map(|node| snap.pods().on_node(node)).collect()
        }
        _ => Vec::new(),
    };
    wake.gangs.extend(pods.into_iter().filter_map(|pod| gang_of(snap, pod)));
    snap.ingest(event, now);
}

/// A claim that changes may let the gangs run whose pods use it.
fn take_claim(snap: &mut Snapshot, event: Event, key: &str, now: Time, wake: &mut Wake) {
    snap.ingest(event, now);
    wake.gangs.extend(snap.volumes().users(key).filter_map(|pod| gang_of(snap, pod)));
    // A volume that was to be its own may be free now.
    wake.mask |= EventMask::VOLUME_CHANGED;
}

/// Gangs whose pods use a claim of this pod: some claims are for one pod at a time.
fn sharers(snap: &Snapshot, uid: &str) -> Vec<GangId> {
    let Some(pod) = snap.pods().find(uid).map(|id| snap.pods().get(id)) else {
        return Vec::new();
    };
    let users = claims_of(&pod.spec).flat_map(|claim| {
        snap.volumes().users(&claim).filter_map(|pod| gang_of(snap, pod)).collect::<Vec<_>>()
    });
    users.collect()
}

fn is_success(spec: &PodSpec) -> bool {
    spec.phase == PodPhase::Succeeded && !spec.evicted
}

/// The pod as it stands, if it is a placed member of a larger gang, or was evicted: somebody
/// waits for the one that takes its part.
fn member(snap: &Snapshot, uid: &str) -> Option<(GangId, Box<PodSpec>)> {
    let pod = snap.pods().get(snap.pods().find(uid)?);
    let gang = pod.gang.filter(|_| pod.place.is_placed())?;
    let is_missed = snap.gangs().get(gang).min() > 1 || pod.is_evicted || pod.spec.evicted;
    is_missed.then(|| (gang, pod.spec.clone()))
}

/// True if a pod holds its room as before, and nothing is new but that it is seen bound there or
/// runs, and what is written on it. No decision hangs on that.
fn stays(snap: &Snapshot, spec: &PodSpec) -> bool {
    let Some(pod) = snap.pods().find(&spec.uid).map(|id| snap.pods().get(id)) else {
        return false;
    };
    let Some(place) = pod.place.node().map(|node| &snap.nodes().spec(node).name) else {
        return false;
    };
    let as_told = PodSpec {
        node: spec.node.clone(),
        phase: spec.phase,
        scheduled_at: spec.scheduled_at,
        started_at: spec.started_at,
        told: spec.told.clone(),
        ledger: spec.ledger.clone(),
        wishes: match pod_loosens(&pod.spec, spec) {
            true => pod.spec.wishes.clone(),
            false => spec.wishes.clone(),
        },
        ..(*pod.spec).clone()
    };
    let is_there = spec.node.as_ref() == Some(place) || spec.node == pod.spec.node;
    is_there && !pod.spec.phase.is_finished() && !spec.phase.is_finished() && as_told == *spec
}

/// The pod as it stands: its gang may miss one like it.
fn arrival(snap: &Snapshot, uid: &str) -> Option<(GangId, PodId)> {
    let id = snap.pods().find(uid)?;
    let pod = snap.pods().get(id);
    pod.gang.filter(|_| !pod.spec.phase.is_finished()).map(|gang| (gang, id))
}

fn gang_of(snap: &Snapshot, pod: PodId) -> Option<GangId> {
    snap.pods().get(pod).gang
}

/// True if the event repeats what is known: nodes send signs of life all the time, and lists
/// name everything again. Nobody must be woken for that.
fn is_known(snap: &Snapshot, event: &Event) -> bool {
    match event {
        Event::Node(spec) => {
            let node = snap.nodes().find(&spec.name);
            node.is_some_and(|node| snap.nodes().spec(node) == spec.as_ref())
        }
        Event::Pod(spec) => {
            let pod = snap.pods().find(&spec.uid);
            pod.is_some_and(|pod| snap.pods().get(pod).spec == *spec)
        }
        Event::Gang(spec) => {
            let gang = snap.gangs().find(&spec.key).map(|gang| snap.gangs().get(gang));
            gang.is_some_and(|gang| gang.exists && gang.spec.as_ref() == Some(spec))
        }
        Event::Queue(spec) => {
            let queue = snap.queues().find(&spec.name).map(|queue| snap.queues().get(queue));
            queue.is_some_and(|queue| !queue.is_implicit && queue.spec == *spec)
        }
        Event::Topology(spec) => snap.topology().specs().get(&spec.name) == Some(spec),
        Event::PriorityClass(spec) => snap.priority_classes().get(&spec.name) == Some(spec),
        Event::Namespace(spec) => snap.namespaces().get(&spec.name) == Some(spec),
        Event::Daemon(spec) => snap.daemons().get(&spec.key).is_some_and(|it| it.spec == *spec),
        Event::Claim(spec) => snap.volumes().claims().get(&spec.key) == Some(spec.as_ref()),
        Event::Volume(spec) => snap.volumes().volumes().get(&spec.name) == Some(spec.as_ref()),
        Event::Pool(spec) => snap.volumes().pools().get(&spec.key) == Some(spec.as_ref()),
        Event::Budget(spec) => snap.budgets().get(&spec.key()).is_some_and(|it| it.spec == *spec),
        _ => false,
    }
}

/// All about a pod that can matter to others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stand {
    gang: Option<GangId>,
    /// Whose limits its gang counts against.
    queue: Option<QueueId>,
    /// Where it holds room, as what, and whether it is on its way out.
    room: Option<(NodeId, Option<ClassId>, bool)>,
}

impl Stand {
    fn of(snap: &Snapshot, uid: &str) -> Self {
        let Some(pod) = snap.pods().find(uid).map(|id| snap.pods().get(id)) else {
            return Self::default();
        };
        Self {
            gang: pod.gang,
            queue: pod.gang.and_then(|gang| snap.gangs().get(gang).queue),
            room: pod.place.node().map(|node| (node, pod.class, pod.is_releasing())),
        }
    }
}

fn note_pod(snap: &Snapshot, uid: &str, before: Stand, wake: &mut Wake) {
    let after = Stand::of(snap, uid);
    wake.gangs.extend(before.gang.into_iter().chain(after.gang));
    if before.room != after.room {
        if before.room.is_some() {
            wake.mask |= EventMask::ROOM_FREED | EventMask::QUEUE_CHANGED;
        }
        if after.room.is_some() {
            wake.mask |= EventMask::POD_PLACED;
        }
    }
    if before.queue != after.queue {
        wake.mask |= EventMask::QUEUE_CHANGED;
    }
}

fn mask_of(snap: &Snapshot, event: &Event) -> EventMask {
    match event {
        Event::Node(spec) if snap.nodes().find(&spec.name).is_none() => EventMask::NODE_ADDED,
        Event::Node(_) => EventMask::NODE_CHANGED,
        // Fewer nodes or daemons: spread domains change and room may be kept no longer.
        Event::NodeGone(_) | Event::Daemon(_) | Event::DaemonGone(_) => {
            EventMask::NODE_CHANGED | EventMask::ROOM_FREED
        }
        Event::Queue(_) | Event::QueueGone(_) => EventMask::QUEUE_CHANGED,
        Event::Topology(_)
        | Event::TopologyGone(_)
        | Event::PriorityClass(_)
        | Event::PriorityClassGone(_) => EventMask::POLICY_CHANGED,
        // A namespace's labels decide what selectors see, its queue what its gangs may use.
        Event::Namespace(_) | Event::NamespaceGone(_) => EventMask::ALL,
        Event::Claim(_) | Event::ClaimGone(_) => EventMask::NONE,
        Event::Volume(_) | Event::VolumeGone(_) | Event::Pool(_) | Event::PoolGone(_) => {
            EventMask::VOLUME_CHANGED
        }
        Event::Budget(spec) => {
            let before = snap.budgets().get(&spec.key()).map(|budget| &budget.spec);
            let may_help = |before: &BudgetSpec| {
                before.allowed < spec.allowed || before.selector != spec.selector
            };
            match before.is_some_and(may_help) {
                true => EventMask::BUDGET_ROSE,
                false => EventMask::NONE,
            }
        }
        Event::BudgetGone(_) => EventMask::BUDGET_ROSE,
        Event::Pod(_)
        | Event::PodGone(_)
        | Event::Gang(_)
        | Event::GangGone(_)
        | Event::ListStart(_)
        | Event::ListEnd(_) => EventMask::NONE,
    }
}

fn subject(event: &Event) -> Option<(Kind, String)> {
    Some(match event {
        Event::Node(spec) => (Kind::Node, spec.name.clone()),
        Event::Pod(spec) => (Kind::Pod, spec.uid.clone()),
        Event::Gang(spec) => (Kind::Gang, gang_name(&spec.key)),
        Event::Queue(spec) => (Kind::Queue, spec.name.clone()),
        Event::Topology(spec) => (Kind::Topology, spec.name.clone()),
        Event::PriorityClass(spec) => (Kind::PriorityClass, spec.name.clone()),
        Event::Namespace(spec) => (Kind::Namespace, spec.name.clone()),
        Event::Daemon(spec) => (Kind::Daemon, spec.key.clone()),
        Event::Claim(spec) => (Kind::Claim, spec.key.clone()),
        Event::Volume(spec) => (Kind::Volume, spec.name.clone()),
        Event::Pool(spec) => (Kind::Pool, spec.key.clone()),
        Event::Budget(spec) => (Kind::Budget, spec.key()),
        Event::NodeGone(_)
        | Event::PodGone(_)
        | Event::GangGone(_)
        | Event::QueueGone(_)
        | Event::TopologyGone(_)
        | Event::PriorityClassGone(_)
        | Event::NamespaceGone(_)
        | Event::DaemonGone(_)
        | Event::ClaimGone(_)
        | Event::VolumeGone(_)
        | Event::PoolGone(_)
        | Event::BudgetGone(_)
        | Event::ListStart(_)
        | Event::ListEnd(_) => return None,
    })
}

fn gang_name(key: &GangKey) -> String {
    format!("{} {key}", key.dialect.name())
}

/// Deletions of everything of a kind that a complete list did not name.
fn missing(snap: &Snapshot, kind: Kind, seen: &BTreeSet<String>) -> Vec<Event> {
    let gone = |name: &String| !seen.contains(name);
    match kind {
        Kind::Node => {
            let names = snap.nodes().live().iter().map(|node| snap.nodes().spec(node).name.clone());
            names.filter(gone).map(Event::NodeGone).collect()
        }
        Kind::Pod => {
            let uids = snap.pods().iter().map(|(_, pod)| pod.spec.uid.clone());
            uids.filter(gone).map(Event::PodGone).collect()
        }
        Kind::Gang => {
            let gangs = snap.gangs().iter().filter(|(_, gang)| gang.exists);
            let keys = gangs.map(|(_, gang)| gang.key.clone());
            keys.filter(|key| gone(&gang_name(key))).map(Event::GangGone).collect()
        }
        Kind::Queue => {
            let queues = snap.queues().iter().filter(|(_, queue)| !queue.is_implicit);
            let names = queues.map(|(_, queue)| queue.spec.name.clone());
            names.filter(gone).map(Event::QueueGone).collect()
        }
        Kind::Topology => {
            let names = snap.topology().specs().keys().cloned();
            names.filter(gone).map(Event::TopologyGone).collect()
        }
        Kind::PriorityClass => {
            let names = snap.priority_classes().keys().cloned();
            names.filter(gone).map(Event::PriorityClassGone).collect()
        }
        Kind::Namespace => {
            let names = snap.namespaces().keys().cloned();
            names.filter(gone).map(Event::NamespaceGone).collect()
        }
        Kind::Daemon => {
            let names = snap.daemons().keys().cloned();
            names.filter(gone).map(Event::DaemonGone).collect()
        }
        Kind::Claim => {
            let keys = snap.volumes().claims().keys().cloned();
            keys.filter(gone).map(Event::ClaimGone).collect()
        }
        Kind::Volume => {
            let names = snap.volumes().volumes().keys().cloned();
            names.filter(gone).map(Event::VolumeGone).collect()
        }
        Kind::Pool => {
            let keys = snap.volumes().pools().keys().cloned();
            keys.filter(gone).map(Event::PoolGone).collect()
        }
        Kind::Budget => {
            let keys = snap.budgets().iter().map(|budget| budget.spec.key());
            keys.filter(gone).map(Event::BudgetGone).collect()
        }
    }
}
