//! What there is to divide: what nodes offer that take pods, less what belongs to no queue.

use scheduler_model::ids::{FlavourId, ResourceId};
use scheduler_model::journal::Cursor;
use scheduler_model::queue::{Measure, Usage};
use scheduler_model::snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};

/// What queues may use together.
#[derive(Clone, Debug, Default)]
pub(super) struct Supply {
    /// What nodes offer.
    offered: Usage,
    /// What of it others use: pods that are not ours, and gangs without a queue.
    outside: Usage,
}

impl Supply {
    /// Counts anew what changed; true if that changes what there is.
    pub(super) fn refresh(&mut self, snap: &Snapshot, seen: &mut Cursor) -> bool {
        let journal = snap.nodes().described();
        let mut is_new = false;
        if journal.since(*seen).is_none_or(|touched| !touched.is_empty()) {
            *seen = journal.cursor();
            let offered = offered(snap);
            is_new = offered != self.offered;
            self.offered = offered;
        }
        if *snap.queues().outside() != self.outside {
            self.outside.clone_from(snap.queues().outside());
            is_new = true;
        }
        is_new
    }

    /// What is divided: each resource that there is, on flavours too where it is on more than one;
    /// and whatever a queue has a quota of. Pods as a resource only if a queue has one.
    pub(super) fn measures(&self, snap: &Snapshot) -> BTreeSet<Measure> {
        let mut flavours: BTreeMap<ResourceId, BTreeSet<FlavourId>> = BTreeMap::new();
        for (flavour, resource) in self.offered.keys() {
            flavours.entry(*resource).or_default().insert(*flavour);
        }
        let quotas = snap.queues().iter().flat_map(|(_, row)| &row.quotas);
        let named: BTreeSet<ResourceId> = quotas.map(|(measure, _)| measure.resource).collect();
        flavours
            .retain(|resource, _| *resource != snap.resources().pods() || named.contains(resource));
        let mut measures: BTreeSet<Measure> = BTreeSet::new();
        // What an object says of the only flavour of a resource counts there.
        let of_flavour = snap.queues().iter().flat_map(|(_, row)| &row.quotas);
        measures.extend(of_flavour.map(|(measure, _)| *measure).filter(|measure| {
            measure
                .flavour
                .is_some_and(|flavour| self.offered.contains_key(&(flavour, measure.resource)))
        }));
        for (resource, flavours) in flavours {
            measures.insert(Measure { flavour: None, resource });
            if flavours.len() > 1 {
                let of = |flavour| Measure { flavour: Some(flavour), resource };
                measures.extend(flavours.into_iter().map(of));
            }
        }
        measures
    }

    /// How much there is of each.
    pub(super) fn capacity(&self, measures: &BTreeSet<Measure>) -> BTreeMap<Measure, i128> {
        measures.iter().map(|measure| (*measure, self.of(*measure))).collect()
    }

    /// Flavours of nodes that offer a resource.
    pub(super) fn flavours(&self, resource: ResourceId) -> impl Iterator<Item = FlavourId> + '_ {
        self.offered.keys().filter(move |(_, it)| *it == resource).map(|(flavour, _)| *flavour)
    }

    /// How much there is of one.
    pub(super) fn of(&self, measure: Measure) -> i128 {
        (measure.of(&self.offered) - measure.of(&self.outside)).max(0)
    }
}

/// What is free of each measure that is divided, on nodes that take pods.
pub(super) fn free(snap: &Snapshot) -> BTreeMap<Measure, i128> {
    let mut free: BTreeMap<Measure, i128> =
        snap.queues().division().capacity.keys().map(|measure| (*measure, 0)).collect();
    for node in snap.nodes().live().iter() {
        if !snap.nodes().spec(node).is_open() {
            continue;
        }
        let flavour = snap.nodes().flavour(node);
        for (measure, sum) in free.iter_mut().filter(|(measure, _)| measure.counts(flavour)) {
            *sum += i128::from(snap.nodes().free(node, measure.resource).units().max(0));
        }
    }
    free
}

fn offered(snap: &Snapshot) -> Usage {
    let mut offered = Usage::new();
    for node in snap.nodes().live().iter() {
        if !snap.nodes().spec(node).is_open() {
            continue;
        }
        let flavour = snap.nodes().flavour(node);
        for resource in snap.resources().ids() {
            let units = snap.nodes().allocatable(node, resource).units();
            if units > 0 {
                *offered.entry((flavour, resource)).or_insert(0) += i128::from(units);
            }
        }
    }
    offered
}
