//! Joins what was read into a world: what needs more than one object comes here.

use super::Reading;
use super::check::{self, Asked};
use super::collect::{Collector, Place};
use crate::object::Late;
use crate::translate::kueue::Cohorts;
use crate::translate::{hypernode, kueue, native, object_name, owner, priority, volume};
use crate::wire::kueue::ResourceFlavor;
use crate::wire::volcano::HyperNode;
use scheduler_model::event::Event;
use scheduler_model::node::natural;
use scheduler_model::problem::Problem;
use scheduler_model::spec::{Dialect, GangKey, GangSpec, Membership, NodeSpec};
use scheduler_model::world::{SimHints, Workload};
use std::collections::{BTreeMap, BTreeSet};

/// All that was read, as a world.
pub(super) fn finish(mut all: Collector<'_>) -> Reading {
    let late = late(&mut all);
    let mut nodes: Vec<NodeSpec> = take(&mut all.nodes.0);
    nodes.sort_by(|a, b| natural(&a.name, &b.name));
    let mut found = kueue::flavours(&late.flavours, &mut nodes);
    let (topologies, problems) = hypernode::resolve(&late.hypernodes, &mut nodes);
    found.extend(problems);
    for problem in found {
        let place = late.places.get(&problem.object).copied().unwrap_or_default();
        all.problems.push((place, problem));
    }
    for topology in topologies {
        all.topologies.0.entry(topology.name.clone()).or_insert((topology, Place::default()));
    }
    let mut gangs = Gangs::default();
    gangs.groups(&all);
    gangs.owners(&mut all);
    gangs.replicas(&all);
    check::references(&mut all, &gangs.asked);
    let topologies: Vec<_> = take(&mut all.topologies.0);
    for gang in gangs.specs.values_mut() {
        hypernode::fit(gang, &topologies);
    }
    for class in priority::built_in() {
        all.classes.0.entry(class.name.clone()).or_insert((class, Place::default()));
    }
    let volumes = volumes(&mut all, &mut nodes);
    let mut out = std::mem::take(&mut all.out);
    let events = &mut out.world.events;
    events.extend(take(&mut all.namespaces.0).into_iter().map(Event::Namespace));
    events.extend(take(&mut all.classes.0).into_iter().map(Event::PriorityClass));
    events.extend(topologies.into_iter().map(Event::Topology));
    events.extend(take(&mut all.queues.0).into_iter().map(Event::Queue));
    events.extend(nodes.into_iter().map(|node| Event::Node(Box::new(node))));
    events.extend(volumes);
    events.extend(take(&mut all.daemons.0).into_iter().map(Event::Daemon));
    events.extend(take(&mut all.budgets.0).into_iter().map(Event::Budget));
    events.extend(gangs.specs.into_values().map(|gang| Event::Gang(Box::new(gang))));
    let known: BTreeSet<&str> = all.pods.0.values().map(|(pod, _)| pod.uid.as_str()).collect();
    all.pod_hints.retain(|uid, _| known.contains(uid.as_str()));
    events.extend(take(&mut all.pods.0).into_iter().map(Event::Pod));
    out.world.workloads = gangs.workloads;
    out.world.pod_hints = std::mem::take(&mut all.pod_hints);
    out.world.gang_hints = gangs.hints;
    let mut problems = std::mem::take(&mut all.problems);
    problems.sort_by_key(|(place, _)| *place);
    out.problems = problems.into_iter().map(|one| all.located(one)).collect();
    out
}

fn take<K: Ord, T>(shelf: &mut BTreeMap<K, (T, Place)>) -> Vec<T> {
    std::mem::take(shelf).into_values().map(|(value, _)| value).collect()
}

/// Claims and what serves them, joined; nodes learn what they can attach.
fn volumes(all: &mut Collector<'_>, nodes: &mut [NodeSpec]) -> Vec<Event> {
    let mut store = volume::Store::default();
    let mut places: BTreeMap<(&'static str, String), Place> = BTreeMap::new();
    for (name, (object, place)) in std::mem::take(&mut all.storage.0) {
        places.insert(name, place);
        store.put(object);
    }
    for node in nodes {
        node.attach_limits = store.attach_limits(&node.name);
    }
    let mut events = Vec::new();
    let note = |all: &mut Collector<'_>, kind: &'static str, key: String, problems| {
        let place = places.get(&(kind, key)).copied().unwrap_or_default();
        let problems: Vec<Problem> = problems;
        all.problems.extend(problems.into_iter().map(|problem| (place, problem)));
    };
    let there = store.all();
    for key in there.claims {
        let Some(read) = store.claim(&key) else { continue };
        note(all, "PersistentVolumeClaim", key, read.problems);
        events.push(Event::Claim(Box::new(read.value)));
    }
    for name in there.volumes {
        let Some(read) = store.volume(&name) else { continue };
        note(all, "PersistentVolume", name, read.problems);
        events.push(Event::Volume(Box::new(read.value)));
    }
    for key in there.pools {
        let Some(read) = store.pool(&key) else { continue };
        note(all, "CSIStorageCapacity", key, read.problems);
        events.push(Event::Pool(Box::new(read.value)));
    }
    events
}

/// Objects that had to wait for others.
#[derive(Default)]
struct Waited {
    hypernodes: Vec<HyperNode>,
    flavours: Vec<ResourceFlavor>,
    /// Where each object stands, by the name that problems give it.
    places: BTreeMap<String, Place>,
}

fn cohorts<'a>(late: impl Iterator<Item = &'a Late> + Clone) -> Cohorts {
    let cohorts = late.clone().filter_map(|object| match object {
        Late::Cohort(object) => Some(object),
        _ => None,
    });
    let queues = late.filter_map(|object| match object {
        Late::ClusterQueue(object) => Some(object),
        _ => None,
    });
    Cohorts::of(cohorts, queues)
}

fn late(all: &mut Collector<'_>) -> Waited {
    let mut waited = Waited::default();
    let shelf = std::mem::take(&mut all.late.0);
    let cohorts = cohorts(shelf.values().map(|(object, _)| object));
    for ((kind, name), (object, place)) in shelf {
        waited.places.insert(format!("{kind} {name}"), place);
        let read = match object {
            Late::HyperNode(object) => {
                waited.hypernodes.push(object);
                continue;
            }
            Late::Flavour(object) => {
                waited.flavours.push(object);
                continue;
            }
            Late::ClusterQueue(object) => kueue::cluster_queue(&object, &cohorts),
            Late::Cohort(object) => kueue::cohort(&object, &cohorts),
        };
        all.problems.extend(read.problems.into_iter().map(|problem| (place, problem)));
        if let Some((_, before)) = all.queues.0.get(&read.value.name) {
            let message = format!(
                "a queue of this name stands at {} already; this one is left out",
                all.show(*before)
            );
            let object = format!("{kind} {name}");
            let problem = Problem::new(object, "", message, "give the queues different names");
            all.problems.push((place, problem));
        } else {
            all.queues.0.insert(read.value.name.clone(), (read.value, place));
        }
    }
    waited
}

/// Gangs of group objects and of controllers.
#[derive(Default)]
struct Gangs {
    specs: BTreeMap<GangKey, GangSpec>,
    hints: BTreeMap<GangKey, SimHints>,
    workloads: Vec<Workload>,
    asked: Vec<Asked>,
}

impl Gangs {
    fn groups(&mut self, all: &Collector<'_>) {
        for ((gang, hints), _) in all.groups.0.values() {
            self.hint(&gang.key, *hints);
            self.specs.insert(gang.key.clone(), gang.clone());
        }
    }

    fn hint(&mut self, key: &GangKey, hints: SimHints) {
        if hints != SimHints::default() {
            self.hints.entry(key.clone()).or_insert(hints);
        }
    }

    /// A group object knows better than the controller that would make the same group.
    fn owners(&mut self, all: &mut Collector<'_>) {
        let mut owners = std::mem::take(&mut all.owners);
        let below = owners.0.iter().filter(|(_, (owner, _))| owner::above(owner).is_some());
        let below: Vec<_> = below.map(|(key, _)| key.clone()).collect();
        for key in below {
            let Some((mut owner, place)) = owners.0.remove(&key) else { continue };
            owner.inherit(&owners);
            owners.0.insert(key, (owner, place));
        }
        for (owner, place) in owners.0.values() {
            let read = owner.read(&all.parents, all.context);
            let hints = owner.hints();
            // Where it is played, its hints were read, and judged, with its pods.
            let said = if read.value.workloads.is_empty() { hints.problems } else { Vec::new() };
            let said = read.problems.into_iter().chain(said);
            all.problems.extend(said.map(|problem| (*place, problem)));
            let creates = !read.value.workloads.is_empty();
            for gang in read.value.gangs {
                if let Some(queue) = gang.queue.clone().filter(|_| creates) {
                    let object = object_name(owner.key().1, owner.meta());
                    self.asked.push(Asked { queue, place: *place, object });
                }
                self.hint(&gang.key, hints.value);
                let scheduler = gang.scheduler.clone();
                let known = self.specs.entry(gang.key.clone()).or_insert(gang);
                if known.scheduler.is_empty() {
                    known.scheduler = scheduler;
                }
            }
            self.workloads.extend(read.value.workloads);
        }
        all.owners = owners;
    }

    /// Pods may name one replica of a group; each replica is a gang like the group.
    fn replicas(&mut self, all: &Collector<'_>) {
        let played = self.workloads.iter().flat_map(|workload| &workload.pods);
        let pods = all.pods.0.values().map(|(pod, _)| &**pod).chain(played);
        let mut wanted = BTreeSet::new();
        for pod in pods {
            if let Membership::Group(key) = &pod.membership
                && key.dialect == Dialect::Kubernetes
                && !self.specs.contains_key(key)
            {
                wanted.insert(key.clone());
            }
        }
        for key in wanted {
            let Some((base, _)) = key.name.rsplit_once('/') else { continue };
            let group = GangKey { name: base.to_owned(), ..key.clone() };
            let made = self.specs.get(&group).and_then(|group| native::replica(group, &key));
            self.specs.extend(made.map(|gang| (key, gang)));
        }
    }
}
