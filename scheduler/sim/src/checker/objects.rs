//! All objects as the events left them.
//!
//! Invariant: the latest news of an object wins, and what a complete fresh list did not name
//! is gone.

use super::gang::{gang_of, members_by_gang};
use super::quota::{path, queue_of};
use super::{Cluster, Violation, audit};
use scheduler_model::event::{Event, Kind};
use scheduler_model::spec::{
    GangKey, GangSpec, LabelSelector, Membership, PodPhase, QueueSpec, TopologySpec,
};
use scheduler_model::world::World;
use std::collections::{BTreeMap, BTreeSet};

/// Everything both judges read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objects {
    /// Nodes, pods, namespaces.
    pub cluster: Cluster,
    /// Group objects.
    pub gangs: BTreeMap<GangKey, GangSpec>,
    /// Queues by name.
    pub queues: BTreeMap<String, QueueSpec>,
    /// Topologies by name.
    pub topologies: BTreeMap<String, TopologySpec>,
    /// What a running list has not named yet.
    unlisted: BTreeSet<(Kind, String)>,
    /// Some queue asked for nodes once.
    asks_for_nodes: bool,
}

impl Objects {
    /// What is left after all `events`.
    #[must_use]
    pub fn from_events(events: &[Event]) -> Self {
        let mut objects = Self::default();
        events.iter().for_each(|event| objects.observe(event));
        objects
    }

    /// The objects of `world` as they are written there, whatever their hints say.
    #[must_use]
    pub fn from_world(world: &World) -> Self {
        Self::from_events(&world.events)
    }

    /// Takes in one event.
    pub fn observe(&mut self, event: &Event) {
        if let Some((kind, name)) = named(event) {
            self.unlisted.remove(&(kind, name));
        }
        let cluster = &mut self.cluster;
        match event {
            Event::Node(spec) => {
                cluster.nodes.insert(spec.name.clone(), spec.as_ref().clone());
            }
            Event::Pod(spec) => {
                cluster.pods.insert(spec.uid.clone(), spec.as_ref().clone());
            }
            Event::Namespace(spec) => {
                cluster.namespaces.insert(spec.name.clone(), spec.clone());
            }
            Event::Gang(spec) => {
                self.gangs.insert(spec.key.clone(), spec.as_ref().clone());
            }
            Event::Queue(spec) => {
                self.asks_for_nodes |= !spec.node_selector.requirements.is_empty();
                self.queues.insert(spec.name.clone(), spec.clone());
            }
            Event::Topology(spec) => {
                self.topologies.insert(spec.name.clone(), spec.clone());
            }
            Event::NodeGone(name) => self.forget(Kind::Node, name),
            Event::PodGone(uid) => self.forget(Kind::Pod, uid),
            Event::NamespaceGone(name) => self.forget(Kind::Namespace, name),
            Event::QueueGone(name) => self.forget(Kind::Queue, name),
            Event::TopologyGone(name) => self.forget(Kind::Topology, name),
            Event::GangGone(key) => self.forget_gang(&key.clone()),
            Event::Claim(spec) => {
                cluster.claims.insert(spec.key.clone(), spec.as_ref().clone());
            }
            Event::Volume(spec) => {
                cluster.volumes.insert(spec.name.clone(), spec.as_ref().clone());
            }
            Event::Pool(spec) => {
                cluster.pools.insert(spec.key.clone(), spec.as_ref().clone());
            }
            Event::ClaimGone(key) => self.forget(Kind::Claim, key),
            Event::VolumeGone(name) => self.forget(Kind::Volume, name),
            Event::PoolGone(key) => self.forget(Kind::Pool, key),
            Event::ListStart(kind) => self.unlisted.extend(self.names(*kind)),
            Event::ListEnd(kind) => self.forget_unlisted(*kind),
            Event::PriorityClass(_)
            | Event::PriorityClassGone(_)
            | Event::Daemon(_)
            | Event::DaemonGone(_)
            | Event::Budget(_)
            | Event::BudgetGone(_) => {}
        }
        if self.asks_for_nodes {
            self.cluster.queue_nodes = self.queue_nodes();
        }
    }

    /// What queues ask of the nodes of each gang, read off anew.
    fn queue_nodes(&self) -> BTreeMap<GangKey, Vec<(String, LabelSelector)>> {
        let queues: Vec<&QueueSpec> = self.queues.values().collect();
        let members = members_by_gang(&self.cluster).into_iter();
        members
            .map(|(key, members)| {
                let queue = queue_of(&self.cluster, &key, self.gangs.get(&key), &members);
                let path = path(&queues, &queue).into_iter();
                let asks = path.filter(|queue| !queue.node_selector.requirements.is_empty());
                let asks = asks.map(|queue| (queue.name.clone(), queue.node_selector.clone()));
                (key, asks.collect())
            })
            .collect()
    }

    /// Group objects, and the gangs that exist without one: pods that share a controller and
    /// pods that stand alone. Only pods of ours make gangs.
    #[must_use]
    pub fn all_gangs(&self) -> Vec<GangSpec> {
        let mut gangs = self.gangs.clone();
        for pod in self.cluster.pods.values().filter(|pod| pod.ours) {
            if !matches!(pod.membership, Membership::Group(_)) {
                let key = gang_of(pod);
                gangs.entry(key.clone()).or_insert_with(|| GangSpec::plain(key));
            }
        }
        gangs.into_values().collect()
    }

    /// [`audit()`] of these objects. Gangs in `exempt` may be below their minimum.
    #[must_use]
    pub fn audit(&self, exempt: &BTreeSet<GangKey>) -> Vec<Violation> {
        let queues: Vec<QueueSpec> = self.queues.values().cloned().collect();
        let topologies: Vec<TopologySpec> = self.topologies.values().cloned().collect();
        audit(&self.cluster, &self.all_gangs(), &queues, &topologies, exempt)
    }

    fn forget(&mut self, kind: Kind, name: &str) {
        match kind {
            Kind::Node => drop(self.cluster.nodes.remove(name)),
            Kind::Pod => self.forget_pod(name),
            Kind::Namespace => drop(self.cluster.namespaces.remove(name)),
            Kind::Queue => drop(self.queues.remove(name)),
            Kind::Topology => drop(self.topologies.remove(name)),
            Kind::Gang => {
                let key = self.gangs.keys().find(|key| gang_name(key) == name).cloned();
                key.iter().for_each(|key| self.forget_gang(key));
            }
            Kind::Claim => drop(self.cluster.claims.remove(name)),
            Kind::Volume => drop(self.cluster.volumes.remove(name)),
            Kind::Pool => drop(self.cluster.pools.remove(name)),
            Kind::PriorityClass | Kind::Daemon | Kind::Budget => {}
        }
    }

    /// Members that succeeded count even after they were deleted.
    fn forget_pod(&mut self, uid: &str) {
        let Some(mut pod) = self.cluster.pods.remove(uid).filter(|pod| pod.ours) else { return };
        if !pod.phase.is_finished() {
            (pod.phase, pod.finished_at) = (PodPhase::Failed, None);
        }
        self.cluster.past.insert(uid.to_owned(), pod);
    }

    /// A gang with running members stays one by its last known spec.
    fn forget_gang(&mut self, key: &GangKey) {
        let members = members_by_gang(&self.cluster);
        let runs = members.get(key).is_some_and(|pods| {
            pods.iter().any(|pod| pod.node.is_some() && !pod.phase.is_finished())
        });
        if !runs {
            self.gangs.remove(key);
        }
    }

    fn names(&self, kind: Kind) -> Vec<(Kind, String)> {
        let names: Vec<String> = match kind {
            Kind::Node => self.cluster.nodes.keys().cloned().collect(),
            Kind::Pod => self.cluster.pods.keys().cloned().collect(),
            Kind::Namespace => self.cluster.namespaces.keys().cloned().collect(),
            Kind::Gang => self.gangs.keys().map(gang_name).collect(),
            Kind::Queue => self.queues.keys().cloned().collect(),
            Kind::Topology => self.topologies.keys().cloned().collect(),
            Kind::Claim => self.cluster.claims.keys().cloned().collect(),
            Kind::Volume => self.cluster.volumes.keys().cloned().collect(),
            Kind::Pool => self.cluster.pools.keys().cloned().collect(),
            Kind::PriorityClass | Kind::Daemon | Kind::Budget => Vec::new(),
        };
        names.into_iter().map(|name| (kind, name)).collect()
    }

    fn forget_unlisted(&mut self, kind: Kind) {
        let (gone, rest) =
            std::mem::take(&mut self.unlisted).into_iter().partition(|(of, _)| *of == kind);
        self.unlisted = rest;
        let gone: BTreeSet<(Kind, String)> = gone;
        gone.iter().for_each(|(_, name)| self.forget(kind, name));
    }
}

/// The object that an event shows alive.
fn named(event: &Event) -> Option<(Kind, String)> {
    match event {
        Event::Node(spec) => Some((Kind::Node, spec.name.clone())),
        Event::Pod(spec) => Some((Kind::Pod, spec.uid.clone())),
        Event::Namespace(spec) => Some((Kind::Namespace, spec.name.clone())),
        Event::Gang(spec) => Some((Kind::Gang, gang_name(&spec.key))),
        Event::Queue(spec) => Some((Kind::Queue, spec.name.clone())),
        Event::Topology(spec) => Some((Kind::Topology, spec.name.clone())),
        Event::Claim(spec) => Some((Kind::Claim, spec.key.clone())),
        Event::Volume(spec) => Some((Kind::Volume, spec.name.clone())),
        Event::Pool(spec) => Some((Kind::Pool, spec.key.clone())),
        _ => None,
    }
}

fn gang_name(key: &GangKey) -> String {
    format!("{}:{key}", key.dialect.name())
}
