//! The desk: news of single objects in, events for the engine out. What [`crate::read`] does
//! with a whole input, done bit by bit as objects change.
//!
//! [`Source`] says where an object comes from; `claims` keeps who describes what; `pods` keeps
//! the little that is kept of pods; `owners`, `joins` and `volumes` have what needs more than
//! one object; `flush` tells.
//!
//! Invariants: the events so far, folded into the latest of each object, are the world that
//! [`crate::read`] makes of the same objects, whatever the order in which they came, how often
//! they were told and how often a source was listed afresh. No I/O and no clock. Controllers are
//! never played here: live pods are real.

mod claims;
mod flush;
mod joins;
mod owners;
mod pods;
mod source;
mod tell;
mod volumes;

pub use source::{Part, Source};

use crate::object::{Object, Owner};
use crate::translate::{
    Context, budget, daemon, kueue, membership, namespace, native, node, pod, priority, queue,
    topology, volcano,
};
use crate::wire::{Meta, Pod};
use claims::{Claimant, Claims, Rank, full_name};
use joins::Joins;
use owners::Owners;
use pods::{Pods, Wish};
use scheduler_model::event::Event;
use scheduler_model::problem::Problem;
use scheduler_model::spec::{
    BudgetSpec, DaemonSpec, GangKey, GangSpec, Membership, NamespaceSpec, NodeSpec, PodSpec,
    PriorityClassSpec, QueueSpec, TopologySpec,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use tell::Told;
use volumes::Volumes;

/// What happened in a source.
#[derive(Clone, Debug)]
pub enum News {
    /// A fresh list begins: what it does not name by the matching [`News::ListEnd`] is gone.
    ListStart(Source),
    /// The list is complete.
    ListEnd(Source),
    /// An object as it is now.
    Apply(Source, Box<Object>),
    /// An object that cannot be read. What was known of it still counts.
    Unreadable(Source, Name, String),
    /// The object is gone, or left what the source selects.
    Delete(Source, Name),
    /// The source itself is gone, and all of its objects with it.
    Drop(Source),
}

/// What an object is called inside its source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// Namespace; empty for what stands in none.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl Name {
    fn of(meta: &Meta) -> Self {
        Self { namespace: meta.namespace.clone(), name: meta.name.clone() }
    }

    fn key(&self) -> Arc<str> {
        match self.namespace.as_str() {
            "" => self.name.as_str().into(),
            namespace => format!("{namespace}/{}", self.name).into(),
        }
    }
}

/// How objects are read.
#[derive(Clone, Debug, Default)]
pub struct DeskConfig {
    /// Which pods are ours.
    pub context: Context,
    /// Kueue's queues are queues. Off, where Kueue itself runs and admits: its queue names
    /// then mean nothing here, and only its gates are respected.
    pub kueue_queues: bool,
}

/// What comes of some news.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// For the engine.
    pub events: Vec<Event>,
    /// For people: each once, until it changes.
    pub problems: Vec<Problem>,
}

/// The latest of every object, as far as others depend on it.
#[derive(Debug)]
pub struct Desk {
    config: DeskConfig,
    shelves: BTreeMap<Source, Shelf>,
    pods: Pods,
    owners: Owners,
    joins: Joins,
    volumes: Volumes,
    nodes: Claims<String, NodeSpec>,
    namespaces: Claims<String, NamespaceSpec>,
    classes: Claims<String, PriorityClassSpec>,
    daemons: Claims<String, DaemonSpec>,
    budgets: Claims<String, BudgetSpec>,
    queues: Claims<String, QueueSpec>,
    topologies: Claims<String, TopologySpec>,
    gangs: Claims<GangKey, GangSpec>,
    told: Told,
    pod_events: Vec<Event>,
    is_wanted_dirty: bool,
}

/// Names of the objects of one source.
#[derive(Debug, Default)]
struct Shelf {
    round: u32,
    rows: BTreeMap<Arc<str>, u32>,
    /// It was listed whole at least once.
    is_complete: bool,
}

impl Desk {
    /// An empty desk; it knows the priority classes that every cluster has.
    #[must_use]
    pub fn new(config: DeskConfig) -> Self {
        let mut classes = Claims::default();
        for class in priority::built_in() {
            let claimant = Claimant::derived(Rank::Assumed, &class.name);
            classes.set(&claimant, [(class.name.clone(), class)]);
        }
        Self {
            config,
            shelves: BTreeMap::new(),
            pods: Pods::default(),
            owners: Owners::default(),
            joins: Joins::default(),
            volumes: Volumes::default(),
            nodes: Claims::default(),
            namespaces: Claims::default(),
            classes,
            daemons: Claims::default(),
            budgets: Claims::default(),
            queues: Claims::default(),
            topologies: Claims::default(),
            gangs: Claims::default(),
            told: Told::default(),
            pod_events: Vec::new(),
            is_wanted_dirty: false,
        }
    }

    /// Takes one piece of news; what comes of it is told by the next [`Desk::flush`].
    pub fn take(&mut self, news: News) {
        match news {
            News::ListStart(source) => {
                self.pods.begin(source);
                let shelf = self.shelves.entry(source).or_default();
                shelf.round = shelf.round.wrapping_add(1);
            }
            News::ListEnd(source) => {
                self.sweep(source);
                let shelf = self.shelves.entry(source).or_default();
                // Pods may have been told before it was known who describes their gangs.
                self.is_wanted_dirty |= !std::mem::replace(&mut shelf.is_complete, true);
            }
            News::Apply(source, object) => self.apply(source, *object),
            News::Unreadable(source, name, why) => self.unreadable(source, &name, why),
            News::Delete(source, name) => self.delete(source, &name.key()),
            News::Drop(source) => {
                self.take(News::ListStart(source));
                self.sweep(source);
                self.shelves.remove(&source);
            }
        }
    }

    /// Budgets cannot be read, or can be now: as long as they cannot, every pod may be under one.
    pub fn hide_budgets(&mut self, are_hidden: bool) {
        let claimant = Claimant::derived(Rank::Assumed, "budgets that cannot be read");
        let all = are_hidden.then(BudgetSpec::unreadable);
        self.budgets.set(&claimant, all.map(|all| (all.key(), all)));
    }

    /// How many objects of the source are there.
    #[must_use]
    pub fn count(&self, source: Source) -> usize {
        self.pods.count(source) + self.shelves.get(&source).map_or(0, |shelf| shelf.rows.len())
    }

    fn apply(&mut self, source: Source, object: Object) {
        let meta = object.meta();
        if meta.name.is_empty() {
            return;
        }
        let key = Name::of(meta).key();
        if let Object::Pod(object) = object {
            return self.pod(source, &key, &object);
        }
        let shelf = self.shelves.entry(source).or_default();
        let round = shelf.round;
        shelf.rows.insert(Arc::clone(&key), round);
        let rank = if matches!(object, Object::Owner(_)) { Rank::Owner } else { Rank::Object };
        self.object(Claimant::object(rank, source, key), object);
    }

    fn object(&mut self, who: Claimant, object: Object) {
        let problems = match object {
            Object::Node(object) => {
                let read = node::translate(&object);
                let old = self.nodes.get(&read.value.name);
                if old.is_none_or(|old| old.labels != read.value.labels) {
                    self.joins.touch_nodes();
                }
                self.nodes.set(&who, [(read.value.name.clone(), read.value)]);
                read.problems
            }
            Object::Namespace(object) => {
                let read = namespace::translate(&object);
                self.namespaces.set(&who, [(read.value.name.clone(), read.value)]);
                read.problems
            }
            Object::PriorityClass(object) => {
                let read = priority::translate(&object);
                self.classes.set(&who, [(read.value.name.clone(), read.value)]);
                read.problems
            }
            Object::DaemonSet(object) => {
                let read = daemon::translate(&object);
                self.daemons.set(&who, [(read.value.key.clone(), read.value)]);
                read.problems
            }
            Object::Budget(object) => {
                let read = budget::translate(&object);
                self.budgets.set(&who, [(read.value.key(), read.value)]);
                read.problems
            }
            Object::Owner(owner) => return self.owner(who, owner),
            Object::Group(object) => {
                let read = object.translate();
                self.set_gangs(&who, vec![read.value]);
                read.problems
            }
            Object::Workload(object) => {
                let read = native::workload(&object);
                self.set_gangs(&who, read.value);
                read.problems
            }
            Object::Queue(object) => self.queue(&who, queue::queue(&object)),
            Object::VolcanoQueue(object) => self.queue(&who, volcano::volcano_queue(&object)),
            Object::LocalQueue(object) => self.queue(&who, kueue::local_queue(&object)),
            Object::Topology(object) => {
                let read = topology::topology(&object);
                self.topologies.set(&who, [(read.value.name.clone(), read.value)]);
                read.problems
            }
            Object::Late(object) => return self.joins.put(who, object),
            Object::Storage(object) => return self.volumes.put(object),
            Object::Pod(_) => unreachable!("pods are kept apart"),
        };
        self.told.say(&who.full_name(), problems);
    }

    fn queue(
        &mut self,
        who: &Claimant,
        read: crate::translate::Translated<QueueSpec>,
    ) -> Vec<Problem> {
        self.queues.set(who, [(read.value.name.clone(), read.value)]);
        read.problems
    }

    fn set_gangs(&mut self, who: &Claimant, mut gangs: Vec<GangSpec>) {
        if !self.config.kueue_queues {
            for gang in &mut gangs {
                let labels = &gang.labels;
                membership::beside_kueue(&mut gang.queue, &gang.key.namespace, labels);
            }
        }
        self.gangs.set(who, gangs.into_iter().map(|gang| (gang.key.clone(), gang)));
    }

    fn owner(&mut self, who: Claimant, owner: Owner) {
        for (who, read) in self.owners.put(who, owner) {
            self.set_gangs(&who, read.value);
            self.told.say(&who.full_name(), read.problems);
        }
    }

    fn pod(&mut self, source: Source, key: &str, object: &Pod) {
        let read = pod::translate(object, &self.config.context);
        let mut spec = read.value;
        if !self.config.kueue_queues {
            membership::beside_kueue(&mut spec.queue, &spec.namespace, &spec.labels);
        }
        spec.shape = self.pods.share(spec.shape);
        if let Some(gone) = self.pods.put(source, key, &spec.uid) {
            self.pod_events.push(Event::PodGone(gone.into()));
        }
        let wanted = Self::undescribed(object, &spec);
        self.is_wanted_dirty |= self.pods.want(&spec.uid, wanted);
        self.told.say(&full_name(source, key), read.problems);
        self.pod_events.push(Event::Pod(Box::new(spec)));
    }

    /// The gang that the pod names, if no object may describe it under that name: a replica of
    /// a native group, or the gang of a controller that was not seen yet.
    fn undescribed(object: &Pod, spec: &PodSpec) -> Option<Wish> {
        match &spec.membership {
            Membership::Group(key) if native::may_be_replica(key) => Some((key.clone(), None)),
            Membership::Owner(key) if spec.ours && spec.node.is_none() => {
                let (group, kind) = membership::described_by(&object.metadata, key)?;
                Some((key.clone(), Some(Source::of(&group, &kind)?)))
            }
            _ => None,
        }
    }

    fn unreadable(&mut self, source: Source, name: &Name, why: String) {
        let key = name.key();
        self.pods.keep(source, &key);
        let shelf = self.shelves.entry(source).or_default();
        let round = shelf.round;
        let known = shelf.rows.get_mut(&key).map(|row| *row = round).is_some();
        let object = format!("{} {key}", source.kind().kind);
        let message = match known {
            true => format!("{why}; what was known of it before still counts"),
            false => format!("{why}; it is left out"),
        };
        let remedy = "write the field as its kind describes it; kubectl explain shows how";
        let problem = Problem::new(object, "", message, remedy);
        self.told.say(&full_name(source, &key), vec![problem]);
    }

    fn delete(&mut self, source: Source, key: &Arc<str>) {
        self.told.forget(&full_name(source, key));
        if Pods::is_of(source) {
            if let Some(uid) = self.pods.remove(source, key) {
                self.is_wanted_dirty = true;
                self.pod_events.push(Event::PodGone(uid.into()));
            }
            return;
        }
        let Some(shelf) = self.shelves.get_mut(&source) else { return };
        if shelf.rows.remove(key).is_none() {
            return;
        }
        self.volumes.remove(source.kind().kind, key);
        for rank in [Rank::Object, Rank::Owner] {
            self.forget(&Claimant::object(rank, source, Arc::clone(key)));
        }
    }

    fn forget(&mut self, who: &Claimant) {
        if who.is_of("Node") {
            self.joins.touch_nodes();
        }
        self.nodes.unset(who);
        self.namespaces.unset(who);
        self.classes.unset(who);
        self.daemons.unset(who);
        self.budgets.unset(who);
        self.queues.unset(who);
        self.topologies.unset(who);
        self.gangs.unset(who);
        self.joins.remove(who);
        for (who, read) in self.owners.remove(who) {
            self.set_gangs(&who, read.value);
        }
    }

    /// Objects that the list did not name are gone.
    fn sweep(&mut self, source: Source) {
        for key in self.pods.unnamed(source) {
            self.delete(source, &key.into());
        }
        let Some(shelf) = self.shelves.get(&source) else { return };
        let round = shelf.round;
        let unnamed = shelf.rows.iter().filter(|(_, row)| **row != round);
        let unnamed: Vec<Arc<str>> = unnamed.map(|(key, _)| Arc::clone(key)).collect();
        for key in unnamed {
            self.delete(source, &key);
        }
    }
}
