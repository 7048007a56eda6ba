//! Gives the short form its meaning: sections become a [`World`], names become keys.
//!
//! One [`Builder`] goes through the whole file, so that later steps know what earlier ones
//! made. Invariant: every name that a sentence or an expectation uses was made before it.

mod cluster;
mod constraint;
mod expect;
mod gang;
mod member;
mod step;
mod volume;

use crate::error::Error;
use crate::file::Sections;
use crate::full::Mirror;
use crate::story::PodName;
use scheduler_model::event::Event;
use scheduler_model::spec::{Dialect, GangKey, Membership, PodSpec, TopologySpec};
use scheduler_model::time::{Span, Time};
use scheduler_model::world::{SimHints, Workload, World};
use std::collections::{BTreeMap, BTreeSet};

/// 1980-01-01: later times in a file are dates, earlier ones count from the moment at hand.
const DATES_FROM_MS: i64 = 315_532_800_000;

/// What was made so far, and the world being made now.
pub(crate) struct Builder {
    start: Time,
    now: Time,
    step: usize,
    topologies: Vec<TopologySpec>,
    nodes: BTreeSet<String>,
    queues: BTreeSet<String>,
    gangs: BTreeMap<GangKey, Known>,
    pods: BTreeSet<PodName>,
    world: World,
}

/// A gang that an entry described.
#[derive(Default)]
struct Known {
    line: u64,
    step: usize,
    /// Members made so far, by role.
    members: BTreeMap<String, u32>,
}

impl Builder {
    /// A builder for a file whose clock starts at `start`.
    pub(crate) fn new(start: Time) -> Self {
        Self {
            start,
            now: start,
            step: 0,
            topologies: Vec::new(),
            nodes: BTreeSet::new(),
            queues: BTreeSet::new(),
            gangs: BTreeMap::new(),
            pods: BTreeSet::new(),
            world: World::default(),
        }
    }

    /// The world that `sections` describe.
    pub(crate) fn world(&mut self, sections: Sections) -> Result<World, Error> {
        self.cluster(&sections)?;
        self.volumes(&sections)?;
        self.gangs(&sections)?;
        for object in sections.objects {
            self.object(Event::into_value(object.value), object.referenced.line())?;
        }
        for file in sections.workloads {
            let workload = Workload::into_value(file);
            self.learn_gang(&workload.gang, 0);
            for pod in &workload.pods {
                self.learn_pod(pod, 0);
            }
            self.world.workloads.push(workload);
        }
        self.world
            .pod_hints
            .extend(sections.pod_hints.into_iter().map(<(String, SimHints)>::into_value));
        self.world
            .gang_hints
            .extend(sections.gang_hints.into_iter().map(<(GangKey, SimHints)>::into_value));
        Ok(std::mem::take(&mut self.world))
    }

    /// An object in full: taken as it is, its names learnt.
    fn object(&mut self, event: Event, line: u64) -> Result<(), Error> {
        match &event {
            Event::Node(node) if node.name.is_empty() => {
                return Err(Error::at(line, "the node has no name", "give it one"));
            }
            Event::Node(node) => {
                self.nodes.insert(node.name.clone());
            }
            Event::Pod(pod) => self.learn_pod(pod, line),
            Event::Gang(gang) => self.learn_gang(&gang.key, line),
            Event::Queue(queue) => {
                self.queues.insert(queue.name.clone());
            }
            Event::Topology(topology) => self.topologies.push(topology.clone()),
            _ => {}
        }
        self.world.events.push(event);
        Ok(())
    }

    fn learn_pod(&mut self, pod: &PodSpec, line: u64) {
        let name = PodName { namespace: pod.namespace.clone(), name: pod.name.clone() };
        self.pods.insert(name);
        match &pod.membership {
            Membership::Group(key) | Membership::Owner(key) => self.learn_gang(key, line),
            Membership::Alone => self.learn_gang(
                &GangKey {
                    namespace: pod.namespace.clone(),
                    name: pod.name.clone(),
                    dialect: Dialect::Pod,
                },
                line,
            ),
        }
    }

    fn learn_gang(&mut self, key: &GangKey, line: u64) {
        if !self.gangs.contains_key(key) {
            let known = Known { line, step: self.step, members: BTreeMap::new() };
            self.gangs.insert(key.clone(), known);
        }
    }

    /// The moment that a file means by `time`: a date, or so much before or after `base`.
    fn moment(base: Time, time: Time) -> Time {
        if time.ms() >= DATES_FROM_MS {
            return time;
        }
        Time::from_ms(base.ms().saturating_add(time.ms()))
    }

    /// `span` before the moment at hand.
    fn ago(&self, span: Span) -> Time {
        Time::from_ms(self.now.ms().saturating_sub(span.ms()))
    }

    /// The node label that `word` means: a level by name, `node` for single nodes, else itself.
    fn label_key(&self, word: &str) -> String {
        if word == "node" {
            return HOSTNAME.to_owned();
        }
        let levels = self.topologies.iter().flat_map(|topology| &topology.levels);
        let found = levels.into_iter().find(|level| level.name == word);
        found.map_or_else(|| word.to_owned(), |level| level.key.clone())
    }

    /// The gang that a sentence or expectation means by `word`: its name, with namespace and
    /// dialect in front where that is not enough.
    fn gang_key(&self, word: &str, line: u64) -> Result<GangKey, Error> {
        let means = |key: &GangKey| {
            let (full, dialect) = (key.to_string(), key.dialect.name());
            [key.name.clone(), format!("{dialect}:{full}"), format!("{dialect}:{}", key.name), full]
                .iter()
                .any(|name| name == word)
        };
        let found: Vec<&GangKey> = self.gangs.keys().filter(|key| means(key)).collect();
        match found.as_slice() {
            [one] => Ok((*one).clone()),
            [] => Err(Error::at(
                line,
                format!("there is no gang {word:?}"),
                format!("the gangs so far are: {}", list(self.gangs.keys())),
            )),
            many => {
                let names = many.iter().map(|key| format!("{}:{key}", key.dialect.name()));
                Err(Error::at(
                    line,
                    format!("{word:?} means {} gangs", many.len()),
                    format!("write one of: {}", list(names)),
                ))
            }
        }
    }
}

/// The label that every node has.
pub(crate) const HOSTNAME: &str = "kubernetes.io/hostname";

/// The first names of a list for a message.
fn list<T: ToString>(names: impl IntoIterator<Item = T>) -> String {
    const SHOWN_MAX: usize = 12;
    let mut names: Vec<String> = names.into_iter().map(|name| name.to_string()).collect();
    let more = names.len().saturating_sub(SHOWN_MAX);
    names.truncate(SHOWN_MAX);
    match (names.is_empty(), more) {
        (true, _) => "none".to_owned(),
        (false, 0) => names.join(", "),
        (false, more) => format!("{} and {more} more", names.join(", ")),
    }
}
