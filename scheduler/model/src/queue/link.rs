//! Parents and states. `petgraph` finds cycles, in a way that no depth of a tree can exhaust a
//! stack; decisions walk the parent column only.

use super::{QueueState, QueueTree, Usage, Users};
use crate::ids::QueueId;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use std::collections::{BTreeMap, BTreeSet};

impl QueueTree {
    /// True if parents, states and use are to be worked out anew.
    pub(crate) const fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// True if nothing is to be worked out anew.
    pub(crate) const fn is_settled(&self) -> bool {
        !(self.is_stale || self.is_unchecked || self.is_unsorted)
    }

    /// True, once, if pods are to be sorted anew by where they may go.
    pub(crate) const fn take_unsorted(&mut self) -> bool {
        std::mem::replace(&mut self.is_unsorted, false)
    }

    /// Links parents, finds states and empties all use; the caller charges it anew.
    pub(crate) fn settle(&mut self) {
        (self.is_stale, self.is_unchecked) = (false, false);
        // Whoever moved has others above.
        self.is_unsorted |= !self.with_nodes.is_empty();
        let gone = std::mem::take(&mut self.gone);
        self.division.forget(&gone);
        for gone in gone {
            self.rows.remove(gone);
        }
        self.has_users = self.rows.iter().any(|(_, row)| row.spec.users.is_some());
        let ids = self.rows.ids();
        for id in &ids {
            let parent = self.rows[*id].spec.parent.as_ref();
            let parent = parent.and_then(|name| self.by_name.get(name)).copied();
            let row = &mut self.rows[*id];
            row.parent = parent;
            row.has_below = false;
            (row.usage, row.own_below) = (Usage::new(), Usage::new());
            (row.running, row.users) = (0, Users::new());
        }
        for id in self.cycles() {
            self.rows[id].parent = None;
        }
        for id in &ids {
            if let Some(parent) = self.rows[*id].parent {
                self.rows[parent].has_below = true;
            }
        }
        self.find_states(&ids);
    }

    /// Finds states anew if amounts changed that could contradict others. Who has what stays.
    pub(crate) fn check(&mut self) {
        if std::mem::take(&mut self.is_unchecked) {
            let ids = self.rows.ids();
            self.find_states(&ids);
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
        kosaraju_scc(&graph)
            .into_iter()
            .filter(|part| {
                part.len() > 1 || part.iter().any(|point| graph.contains_edge(*point, *point))
            })
            .flatten()
            .map(|point| graph[point])
            .collect()
    }

    /// States from the top down: each queue is asked once, however deep the tree is.
    fn find_states(&mut self, ids: &[QueueId]) {
        let mut known: BTreeMap<QueueId, QueueState> = BTreeMap::new();
        for id in ids {
            let mut unknown = Vec::new();
            let mut next = Some(*id);
            while let Some(id) = next.filter(|id| !known.contains_key(id)) {
                unknown.push(id);
                next = self.rows[id].parent;
            }
            let mut above = next.map(|id| known[&id]);
            for id in unknown.into_iter().rev() {
                let row = &self.rows[id];
                let is_orphan = row.spec.parent.is_some() && row.parent.is_none();
                let state = match above {
                    Some(QueueState::Broken) => QueueState::Broken,
                    _ if is_orphan => QueueState::Broken,
                    Some(QueueState::Closed) => QueueState::Closed,
                    _ if !row.spec.open => QueueState::Closed,
                    // The queues below it are none the worse for it.
                    _ if self.clash(id).is_some() => QueueState::Contradictory,
                    _ => QueueState::Open,
                };
                known.insert(id, state);
                above = Some(state);
            }
        }
        for (id, state) in known {
            self.rows[id].state = state;
        }
    }
}
