//! The virtual cluster's objects: what is really there, whatever the engine believes.
//!
//! Invariant: the latest news of an object wins, and what a complete fresh list did not name
//! is gone.

use scheduler_model::event::{Event, Kind};
use scheduler_model::spec::{
    BudgetSpec, ClaimSpec, DaemonSpec, GangKey, GangSpec, NamespaceSpec, NodeSpec, PodSpec,
    PoolSpec, PriorityClassSpec, QueueSpec, TopologySpec, VolumeSpec,
};
use scheduler_model::time::Time;
use std::collections::{BTreeMap, BTreeSet};

/// All objects by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objects {
    /// Nodes by name.
    pub nodes: BTreeMap<String, NodeSpec>,
    /// Pods by uid.
    pub pods: BTreeMap<String, PodSpec>,
    /// Group objects.
    pub gangs: BTreeMap<GangKey, GangSpec>,
    /// Queues by name.
    pub queues: BTreeMap<String, QueueSpec>,
    /// Topologies by name.
    pub topologies: BTreeMap<String, TopologySpec>,
    /// Priority classes by name.
    pub priority_classes: BTreeMap<String, PriorityClassSpec>,
    /// Namespaces by name.
    pub namespaces: BTreeMap<String, NamespaceSpec>,
    /// DaemonSets by key.
    pub daemons: BTreeMap<String, DaemonSpec>,
    /// Volume claims by key.
    pub claims: BTreeMap<String, ClaimSpec>,
    /// Volumes that a late claim may take, by name.
    pub volumes: BTreeMap<String, VolumeSpec>,
    /// Room for new volumes by key.
    pub pools: BTreeMap<String, PoolSpec>,
    /// Disruption budgets by key.
    pub budgets: BTreeMap<String, BudgetSpec>,
    /// What a running list has not named yet.
    unlisted: BTreeMap<Kind, Vec<Event>>,
}

impl Objects {
    /// Takes one event in. Lists are for [`Objects::missing`].
    pub(super) fn take(&mut self, event: &Event) {
        match event.clone() {
            Event::Node(spec) => drop(self.nodes.insert(spec.name.clone(), *spec)),
            Event::NodeGone(name) => drop(self.nodes.remove(&name)),
            Event::Pod(spec) => drop(self.pods.insert(spec.uid.clone(), *spec)),
            Event::PodGone(uid) => drop(self.pods.remove(&uid)),
            Event::Gang(spec) => drop(self.gangs.insert(spec.key.clone(), *spec)),
            Event::GangGone(key) => drop(self.gangs.remove(&key)),
            Event::Queue(spec) => drop(self.queues.insert(spec.name.clone(), spec)),
            Event::QueueGone(name) => drop(self.queues.remove(&name)),
            Event::Topology(spec) => drop(self.topologies.insert(spec.name.clone(), spec)),
            Event::TopologyGone(name) => drop(self.topologies.remove(&name)),
            Event::PriorityClass(spec) => {
                self.priority_classes.insert(spec.name.clone(), spec);
            }
            Event::PriorityClassGone(name) => drop(self.priority_classes.remove(&name)),
            Event::Namespace(spec) => drop(self.namespaces.insert(spec.name.clone(), spec)),
            Event::NamespaceGone(name) => drop(self.namespaces.remove(&name)),
            Event::Daemon(spec) => drop(self.daemons.insert(spec.key.clone(), spec)),
            Event::DaemonGone(key) => drop(self.daemons.remove(&key)),
            Event::Claim(spec) => drop(self.claims.insert(spec.key.clone(), *spec)),
            Event::ClaimGone(key) => drop(self.claims.remove(&key)),
            Event::Volume(spec) => drop(self.volumes.insert(spec.name.clone(), *spec)),
            Event::VolumeGone(name) => drop(self.volumes.remove(&name)),
            Event::Pool(spec) => drop(self.pools.insert(spec.key.clone(), *spec)),
            Event::PoolGone(key) => drop(self.pools.remove(&key)),
            Event::Budget(spec) => drop(self.budgets.insert(spec.key(), spec)),
            Event::BudgetGone(key) => drop(self.budgets.remove(&key)),
            Event::ListStart(_) | Event::ListEnd(_) => {}
        }
    }

    /// Follows lists: answers, at the end of one, the ends of all objects that it did not name.
    pub(super) fn missing(&mut self, event: &Event) -> Vec<Event> {
        match event {
            Event::ListStart(kind) => {
                let ends = self.ends(*kind);
                self.unlisted.insert(*kind, ends);
                Vec::new()
            }
            Event::ListEnd(kind) => self.unlisted.remove(kind).unwrap_or_default(),
            named => {
                if let Some(end) = end_of(named) {
                    for unlisted in self.unlisted.values_mut() {
                        unlisted.retain(|one| *one != end);
                    }
                }
                Vec::new()
            }
        }
    }

    fn ends(&self, kind: Kind) -> Vec<Event> {
        match kind {
            Kind::Node => self.nodes.keys().cloned().map(Event::NodeGone).collect(),
            Kind::Pod => self.pods.keys().cloned().map(Event::PodGone).collect(),
            Kind::Gang => self.gangs.keys().cloned().map(Event::GangGone).collect(),
            Kind::Queue => self.queues.keys().cloned().map(Event::QueueGone).collect(),
            Kind::Topology => self.topologies.keys().cloned().map(Event::TopologyGone).collect(),
            Kind::PriorityClass => {
                self.priority_classes.keys().cloned().map(Event::PriorityClassGone).collect()
            }
            Kind::Namespace => self.namespaces.keys().cloned().map(Event::NamespaceGone).collect(),
            Kind::Daemon => self.daemons.keys().cloned().map(Event::DaemonGone).collect(),
            Kind::Claim => self.claims.keys().cloned().map(Event::ClaimGone).collect(),
            Kind::Volume => self.volumes.keys().cloned().map(Event::VolumeGone).collect(),
            Kind::Pool => self.pools.keys().cloned().map(Event::PoolGone).collect(),
            Kind::Budget => self.budgets.keys().cloned().map(Event::BudgetGone).collect(),
        }
    }

    /// All objects as news, in a fixed order.
    pub(super) fn events(&self) -> Vec<Event> {
        let mut events: Vec<Event> =
            self.namespaces.values().cloned().map(Event::Namespace).collect();
        events.extend(self.priority_classes.values().cloned().map(Event::PriorityClass));
        events.extend(self.topologies.values().cloned().map(Event::Topology));
        events.extend(self.queues.values().cloned().map(Event::Queue));
        events.extend(self.nodes.values().cloned().map(|spec| Event::Node(Box::new(spec))));
        events.extend(self.daemons.values().cloned().map(Event::Daemon));
        events.extend(self.claims.values().cloned().map(|spec| Event::Claim(Box::new(spec))));
        events.extend(self.volumes.values().cloned().map(|spec| Event::Volume(Box::new(spec))));
        events.extend(self.pools.values().cloned().map(|spec| Event::Pool(Box::new(spec))));
        events.extend(self.budgets.values().cloned().map(Event::Budget));
        events.extend(self.gangs.values().cloned().map(|spec| Event::Gang(Box::new(spec))));
        events.extend(self.pods.values().cloned().map(|spec| Event::Pod(Box::new(spec))));
        events
    }
}

/// The event that would end the object of `event`.
fn end_of(event: &Event) -> Option<Event> {
    Some(match event {
        Event::Node(spec) => Event::NodeGone(spec.name.clone()),
        Event::Pod(spec) => Event::PodGone(spec.uid.clone()),
        Event::Gang(spec) => Event::GangGone(spec.key.clone()),
        Event::Queue(spec) => Event::QueueGone(spec.name.clone()),
        Event::Topology(spec) => Event::TopologyGone(spec.name.clone()),
        Event::PriorityClass(spec) => Event::PriorityClassGone(spec.name.clone()),
        Event::Namespace(spec) => Event::NamespaceGone(spec.name.clone()),
        Event::Daemon(spec) => Event::DaemonGone(spec.key.clone()),
        Event::Claim(spec) => Event::ClaimGone(spec.key.clone()),
        Event::Volume(spec) => Event::VolumeGone(spec.name.clone()),
        Event::Pool(spec) => Event::PoolGone(spec.key.clone()),
        Event::Budget(spec) => Event::BudgetGone(spec.key()),
        _ => return None,
    })
}

/// The latest moment that any of the `events` mentions, if one does.
pub(super) fn latest<'a>(events: impl Iterator<Item = &'a Event>) -> Option<Time> {
    let times = |event: &Event| -> Vec<Time> {
        match event {
            Event::Node(spec) => vec![spec.created_at],
            Event::Gang(spec) => vec![spec.created_at],
            Event::Queue(spec) => vec![spec.created_at],
            Event::Pod(spec) => {
                let known = [spec.scheduled_at, spec.started_at, spec.finished_at];
                known.into_iter().flatten().chain([spec.created_at]).collect()
            }
            _ => Vec::new(),
        }
    };
    let known: BTreeSet<Time> = events.flat_map(times).filter(|time| *time < Time::NEVER).collect();
    known.last().copied()
}
