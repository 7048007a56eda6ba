//! Names that lead nowhere, told once each where they stand. Their gangs wait with the same
//! reason anyway; here a person learns in which file to mend it.

use super::collect::{Collector, Place};
use scheduler_model::problem::Problem;
use scheduler_model::queue;
use scheduler_model::spec::{GangKey, Membership};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// A controller that asks for a queue.
pub(super) struct Asked {
    pub queue: String,
    pub place: Place,
    pub object: String,
}

/// Looks at the parents of queues, the queues of groups and pods, and the groups of pods.
pub(super) fn references(all: &mut Collector<'_>, asked: &[Asked]) {
    let mut found = parents(all);
    found.extend(queues(all, asked));
    found.extend(groups(all));
    all.problems.extend(found);
}

type Found = Vec<(Place, Problem)>;

fn parents(all: &Collector<'_>) -> Found {
    let parent = |name: &str| {
        let (queue, _) = all.queues.0.get(name)?;
        queue.parent.as_deref()
    };
    let mut found = Found::new();
    for (name, (queue, place)) in &all.queues.0 {
        let Some(first) = queue.parent.as_deref() else { continue };
        let mut say = |message: String, remedy: &str| {
            let object = format!("Queue {name}");
            found.push((*place, Problem::new(object, "spec.parent", message, remedy)));
        };
        if !all.queues.0.contains_key(first) && first != queue::DEFAULT {
            let message = format!("queue {first:?} does not exist; gangs in {name:?} wait");
            say(message, "create the parent, or name one that exists");
            continue;
        }
        // A way up is at most as long as there are queues.
        let mut way = vec![name.as_str()];
        let mut next = Some(first);
        while let Some(above) = next
            && !way.contains(&above)
        {
            way.push(above);
            next = parent(above);
        }
        // Told once, at the first queue of the circle by name.
        if next == Some(name.as_str()) && way.iter().min() == Some(&name.as_str()) {
            way.push(name);
            let message =
                format!("its parents form a cycle: {}; gangs in it wait", way.join(" > "));
            say(message, "take the parent away from one of them");
        }
    }
    found
}

/// A name that leads nowhere, the first object that uses it, and how many do.
type Missing<K> = BTreeMap<K, (Place, String, usize)>;

fn note<K: Ord>(missing: &mut Missing<K>, key: K, place: Place, object: String) {
    match missing.entry(key) {
        Entry::Vacant(entry) => {
            entry.insert((place, object, 1));
        }
        Entry::Occupied(mut entry) => {
            let (first, name, count) = entry.get_mut();
            *count += 1;
            if place < *first {
                (*first, *name) = (place, object);
            }
        }
    }
}

fn queues(all: &Collector<'_>, asked: &[Asked]) -> Found {
    let is_missing = |name: &str| !all.queues.0.contains_key(name) && name != queue::DEFAULT;
    let mut missing = Missing::new();
    for (key, ((gang, _), place)) in &all.groups.0 {
        if let Some(queue) = gang.queue.as_deref().filter(|queue| is_missing(queue)) {
            note(&mut missing, queue, *place, format!("PodGroup {key}"));
        }
    }
    for (pod, place) in all.pods.0.values().filter(|(pod, _)| pod.ours) {
        if let Some(queue) = pod.queue.as_deref().filter(|queue| is_missing(queue)) {
            note(&mut missing, queue, *place, format!("Pod {}/{}", pod.namespace, pod.name));
        }
    }
    for Asked { queue, place, object } in asked {
        if is_missing(queue) {
            note(&mut missing, queue, *place, object.clone());
        }
    }
    let told = missing.into_iter().map(|(queue, (place, object, count))| {
        let message = format!("queue {queue:?} does not exist, so it waits{}", more(count));
        (place, Problem::new(object, "queue", message, "create the queue, or name one that exists"))
    });
    told.collect()
}

fn groups(all: &Collector<'_>) -> Found {
    let made: BTreeSet<GangKey> =
        all.owners.0.values().filter_map(|(owner, _)| owner.makes_group()).collect();
    let mut missing = Missing::new();
    for (pod, place) in all.pods.0.values() {
        let Membership::Group(key) = &pod.membership else { continue };
        let is_known = all.groups.0.contains_key(key) || made.contains(key);
        if !pod.ours || is_known || pod.phase.is_finished() || is_replica(all, key) {
            continue;
        }
        note(&mut missing, key, *place, format!("Pod {}/{}", pod.namespace, pod.name));
    }
    let told = missing.into_iter().map(|(key, (place, object, count))| {
        let dialect = key.dialect.name();
        let message =
            format!("its {dialect} group {key} does not exist, so it waits{}", more(count));
        let remedy = "create the group, or take the name away from the pod";
        (place, Problem::new(object, "group", message, remedy))
    });
    told.collect()
}

/// True if this is one replica of a group that exists.
fn is_replica(all: &Collector<'_>, key: &GangKey) -> bool {
    key.name.rsplit_once('/').is_some_and(|(base, _)| {
        all.groups.0.contains_key(&GangKey { name: base.to_owned(), ..key.clone() })
    })
}

/// How many others say the same.
fn more(count: usize) -> String {
    match count {
        0 | 1 => String::new(),
        count => format!(", like {} more", count - 1),
    }
}
