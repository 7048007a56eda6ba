//! The queue tree and what each queue uses, per (flavour, resource), at every level.
//!
//! Invariant: a queue's use is the sum of what its own gangs and its children use. `petgraph`
//! finds cycles when the tree changes; decisions walk the parent column only.

use crate::amount::Amount;
use crate::ids::{FlavourId, QueueId, ResourceId, Slots};
use crate::relation::Sign;
use crate::resource::Request;
use crate::spec::QueueSpec;
use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use std::collections::{BTreeMap, BTreeSet};

/// The queue of gangs that name none; it exists even where nobody made it.
pub const DEFAULT: &str = "default";

/// Whether gangs of a queue may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueueState {
    /// They may.
    Open,
    /// It, or a queue above it, was closed.
    Closed,
    /// Its parent is missing, or it hangs on a cycle of parents.
    Broken,
}

/// Use per (flavour, resource); wide enough that no sum over a cluster overflows.
pub type Usage = BTreeMap<(FlavourId, ResourceId), i128>;

/// One queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// As it was described.
    pub spec: QueueSpec,
    /// The queue above it.
    pub parent: Option<QueueId>,
    /// Whether its gangs may start.
    pub state: QueueState,
    /// Ceilings with ids instead of names.
    pub limits: Vec<Limit>,
    /// Use of its gangs and of all queues below it.
    pub usage: Usage,
    /// Made by us because gangs need a default, not by an object.
    pub is_implicit: bool,
}

/// A ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// On this flavour only; `None` sums over all.
    pub flavour: Option<FlavourId>,
    /// On this resource.
    pub resource: ResourceId,
    /// This much.
    pub amount: Amount,
}

impl Queue {
    /// Use of a resource on one flavour, or on all together.
    #[must_use]
    pub fn used(&self, flavour: Option<FlavourId>, resource: ResourceId) -> i128 {
        match flavour {
            Some(flavour) => self.usage.get(&(flavour, resource)).copied().unwrap_or(0),
            None => {
                let all = self.usage.iter().filter(|((_, r), _)| *r == resource);
                all.map(|(_, used)| used).sum()
            }
        }
    }
}

/// All queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueTree {
    rows: Slots<QueueId, Queue>,
    by_name: BTreeMap<String, QueueId>,
}

impl Default for QueueTree {
    fn default() -> Self {
        let mut tree = Self { rows: Slots::default(), by_name: BTreeMap::new() };
        tree.insert_default();
        tree
    }
}

impl QueueTree {
    /// The queue.
    #[must_use]
    pub fn get(&self, id: QueueId) -> &Queue {
        &self.rows[id]
    }

    /// The queue called `name`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<QueueId> {
        self.by_name.get(name).copied()
    }

    /// All queues in order of name.
    pub fn iter(&self) -> impl Iterator<Item = (QueueId, &Queue)> {
        self.by_name.values().map(|id| (*id, &self.rows[*id]))
    }

    /// The queue and all above it, upwards.
    pub fn path(&self, queue: QueueId) -> impl Iterator<Item = &Queue> {
        let mut next = Some(queue);
        // A broken tree may hold a cycle: no path is longer than the number of queues.
        let steps = self.rows.len();
        std::iter::from_fn(move || {
            let row = &self.rows[next?];
            next = row.parent;
            Some(row)
        })
        .take(steps)
    }

    /// How many pods wanting `request` each may still start on nodes of `flavour`, by all
    /// limits on the way up; `u32::MAX` if none applies.
    #[must_use]
    pub fn headroom(&self, queue: QueueId, flavour: FlavourId, request: &Request) -> u32 {
        self.path(queue)
            .flat_map(|row| row.limits.iter().map(move |limit| (row, limit)))
            .map(|(row, limit)| room(row, limit, flavour, request))
            .min()
            .unwrap_or(u32::MAX)
    }

    /// Puts the default queue as it is without an object.
    pub(crate) fn insert_default(&mut self) {
        self.insert(QueueSpec::named(DEFAULT), Vec::new());
        let id = self.by_name[DEFAULT];
        self.rows[id].is_implicit = true;
    }

    pub(crate) fn insert(&mut self, spec: QueueSpec, limits: Vec<Limit>) {
        let name = spec.name.clone();
        match self.by_name.get(&name) {
            Some(id) => {
                let row = &mut self.rows[*id];
                (row.spec, row.limits, row.is_implicit) = (spec, limits, false);
            }
            None => {
                let id = self.rows.insert(Queue {
                    spec,
                    parent: None,
                    state: QueueState::Open,
                    limits,
                    usage: Usage::new(),
                    is_implicit: false,
                });
                self.by_name.insert(name, id);
            }
        }
    }

    pub(crate) fn remove(&mut self, name: &str) {
        if let Some(id) = self.by_name.remove(name) {
            self.rows.remove(id);
        }
    }

    /// Links parents, finds states and empties all use; the caller charges it anew.
    pub(crate) fn relink(&mut self) {
        let ids = self.rows.ids();
        for id in &ids {
            let parent = self.rows[*id].spec.parent.as_ref();
            let parent = parent.and_then(|name| self.by_name.get(name)).copied();
            let row = &mut self.rows[*id];
            row.parent = parent;
            row.usage.clear();
        }
        let cyclic = self.cycles();
        for id in ids {
            let state = self.state_of(id, &cyclic);
            self.rows[id].state = state;
        }
    }

    fn cycles(&self) -> BTreeSet<QueueId> {
        let mut graph = DiGraph::<QueueId, ()>::new();
        let points: BTreeMap<QueueId, _> =
            self.rows.iter().map(|(id, _)| (id, graph.add_node(id))).collect();
        for (id, row) in self.rows.iter() {
            if let Some(parent) = row.parent {
                graph.add_edge(points[&id], points[&parent], ());
            }
        }
        tarjan_scc(&graph)
            .into_iter()
            .filter(|part| {
                part.len() > 1 || part.iter().any(|point| graph.contains_edge(*point, *point))
            })
            .flatten()
            .map(|point| graph[point])
            .collect()
    }

    fn state_of(&self, id: QueueId, cyclic: &BTreeSet<QueueId>) -> QueueState {
        let mut state = QueueState::Open;
        let mut next = Some(id);
        while let Some(id) = next {
            let row = &self.rows[id];
            if cyclic.contains(&id) || (row.spec.parent.is_some() && row.parent.is_none()) {
                return QueueState::Broken;
            }
            if !row.spec.open {
                state = QueueState::Closed;
            }
            next = row.parent;
        }
        state
    }

    /// Moves the use of a queue and of all above it.
    pub(crate) fn charge(
        &mut self,
        queue: QueueId,
        flavour: FlavourId,
        request: &Request,
        count: u32,
        sign: Sign,
    ) {
        let mut next = Some(queue);
        let steps = self.rows.len();
        for _ in 0..steps {
            let Some(id) = next else { return };
            let row = &mut self.rows[id];
            for (resource, amount) in request {
                let by = i128::from(amount.units()) * i128::from(count);
                let used = row.usage.entry((flavour, *resource)).or_insert(0);
                match sign {
                    Sign::Plus => *used += by,
                    Sign::Minus => *used -= by,
                }
                if *used == 0 {
                    row.usage.remove(&(flavour, *resource));
                }
            }
            next = row.parent;
        }
    }
}

fn room(row: &Queue, limit: &Limit, flavour: FlavourId, request: &Request) -> u32 {
    if limit.flavour.is_some_and(|only| only != flavour) {
        return u32::MAX;
    }
    let Some((_, want)) = request.iter().find(|(resource, _)| *resource == limit.resource) else {
        return u32::MAX;
    };
    if want.units() <= 0 {
        return u32::MAX;
    }
    let left = i128::from(limit.amount.units()) - row.used(limit.flavour, limit.resource);
    u32::try_from((left / i128::from(want.units())).max(0)).unwrap_or(u32::MAX)
}
