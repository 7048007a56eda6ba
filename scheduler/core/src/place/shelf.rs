//! The nodes of a class in order of score, kept from one decision to the next.
//!
//! A placement changes one node, so the order is mended in logarithmic time instead of being
//! worked out anew: that is what makes a thousand equal pods cheap. Classes seen only once are
//! not kept; a scan is cheaper for them.
//!
//! Invariant: after [`Shelves::refresh`], [`Shelves::first`] is the node that a scan of all
//! candidates would choose. Only for classes on which no placed pod acts.

use scheduler_framework::profile::Profile;
use scheduler_model::class::ClassKey;
use scheduler_model::ids::{ClassId, Id, NodeId};
use scheduler_model::journal::Cursor;
use scheduler_model::node_set::NodeSet;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::PodShape;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Classes kept at most; the one not used for longest goes first.
const SHELVES_MAX: usize = 64;

/// Classes remembered as seen, to know which are worth keeping. No more than are kept: a class
/// that comes back later than that would only push out another that comes back, again and again.
const SEEN_MAX: usize = SHELVES_MAX;

/// Kept orders.
#[derive(Clone, Debug, Default)]
pub struct Shelves {
    rows: BTreeMap<ClassId, Shelf>,
    /// With its shape, because a row may have a new tenant by now.
    seen: VecDeque<(ClassId, Arc<PodShape>)>,
    clock: u64,
}

#[derive(Clone, Debug)]
struct Shelf {
    /// The class it was made for: its row may have a new tenant by now.
    key: ClassKey,
    concerned: u64,
    rank_epoch: u64,
    seen: Cursor,
    used: u64,
    tree: Tree,
}

impl Shelves {
    /// Brings the order of a class up to date; false if none is kept (yet).
    pub fn refresh(
        &mut self,
        snap: &Snapshot,
        profile: &Profile,
        mask: &NodeSet,
        class: ClassId,
    ) -> bool {
        self.clock += 1;
        if self.rows.get(&class).is_some_and(|shelf| !shelf.is_for(snap, class)) {
            self.rows.remove(&class);
        }
        let has_seen = self.rows.contains_key(&class) || self.has_seen(snap, class);
        match self.rows.get_mut(&class) {
            Some(shelf) => {
                shelf.used = self.clock;
                let is_current = shelf.is_current(snap, profile, class);
                if is_current && shelf.mend(snap, profile, mask, class) {
                    return true;
                }
            }
            None if !has_seen => {
                self.seen.push_back((class, Arc::clone(&snap.classes().get(class).key.shape)));
                if self.seen.len() > SEEN_MAX {
                    self.seen.pop_front();
                }
                return false;
            }
            None => self.make_room(),
        }
        let shelf = Shelf::new(snap, profile, mask, (class, self.clock));
        self.rows.insert(class, shelf);
        true
    }

    /// The best node that has room for one pod of the class.
    #[must_use]
    pub fn first(&self, class: ClassId) -> Option<NodeId> {
        self.rows.get(&class)?.tree.first()
    }

    fn has_seen(&self, snap: &Snapshot, class: ClassId) -> bool {
        let shape = &snap.classes().get(class).key.shape;
        let is_it = |(id, it): &(ClassId, Arc<PodShape>)| {
            *id == class && (Arc::ptr_eq(it, shape) || it == shape)
        };
        self.seen.iter().any(is_it)
    }

    fn make_room(&mut self) {
        if self.rows.len() >= SHELVES_MAX {
            let oldest = self.rows.iter().min_by_key(|(_, shelf)| shelf.used).map(|(id, _)| *id);
            self.rows.remove(&oldest.expect("it is full"));
        }
    }
}

impl Shelf {
    fn new(
        snap: &Snapshot,
        profile: &Profile,
        mask: &NodeSet,
        (class, used): (ClassId, u64),
    ) -> Self {
        let mut tree = Tree::new(snap.nodes().bound());
        for node in mask.iter() {
            tree.set_leaf(node, key(snap, profile, mask, class, node));
        }
        tree.build();
        Self {
            key: snap.classes().get(class).key.clone(),
            concerned: profile.scorers_concerned(snap, class),
            rank_epoch: snap.nodes().rank_epoch(),
            seen: snap.nodes().charged().cursor(),
            used,
            tree,
        }
    }

    /// True if the class is still the one it was made for.
    fn is_for(&self, snap: &Snapshot, class: ClassId) -> bool {
        let key = &snap.classes().get(class).key;
        let is_same = Arc::ptr_eq(&key.shape, &self.key.shape) || key.shape == self.key.shape;
        is_same
            && key.needs == self.key.needs
            && key.queues == self.key.queues
            && key.labels == self.key.labels
            && key.namespace == self.key.namespace
    }

    /// True if its keys can still be compared with fresh ones.
    fn is_current(&self, snap: &Snapshot, profile: &Profile, class: ClassId) -> bool {
        self.rank_epoch == snap.nodes().rank_epoch()
            && self.concerned == profile.scorers_concerned(snap, class)
    }

    /// Mends the rows that changed; false if too many did.
    fn mend(&mut self, snap: &Snapshot, profile: &Profile, mask: &NodeSet, class: ClassId) -> bool {
        let journal = snap.nodes().charged();
        let Some(touched) = journal.since(self.seen) else { return false };
        if touched.len() > snap.nodes().len() / 4 + 16 {
            return false;
        }
        let mut last = None;
        for node in touched {
            if last != Some(*node) {
                self.tree.set(*node, key(snap, profile, mask, class, *node));
                last = Some(*node);
            }
        }
        self.seen = journal.cursor();
        true
    }
}

/// Sort key of a node, larger is better; 0 if it has no room.
fn key(snap: &Snapshot, profile: &Profile, mask: &NodeSet, class: ClassId, node: NodeId) -> u64 {
    let row = snap.classes().get(class);
    let has_room = mask.contains(node)
        && !snap.nodes().closed().contains(node)
        && row.refused_resources.is_empty()
        && row.request.iter().all(|(resource, want)| {
            want.units() <= 0 || snap.nodes().free(node, *resource) >= *want
        });
    if !has_room {
        return 0;
    }
    let score = u64::try_from(profile.score(snap, class, node)).expect("scores are not negative");
    ((score + 1) << 32) | u64::from(u32::MAX - snap.nodes().rank(node))
}

/// A tournament: every inner entry is the larger of its two children.
#[derive(Clone, Debug)]
struct Tree {
    leaves: usize,
    entries: Vec<u64>,
}

impl Tree {
    fn new(nodes: usize) -> Self {
        let leaves = nodes.next_power_of_two().max(1);
        Self { leaves, entries: vec![0; 2 * leaves] }
    }

    fn set_leaf(&mut self, node: NodeId, key: u64) {
        self.entries[self.leaves + node.index()] = key;
    }

    fn build(&mut self) {
        for at in (1..self.leaves).rev() {
            self.entries[at] = self.entries[2 * at].max(self.entries[2 * at + 1]);
        }
    }

    fn set(&mut self, node: NodeId, key: u64) {
        let mut at = self.leaves + node.index();
        self.entries[at] = key;
        while at > 1 {
            at /= 2;
            let best = self.entries[2 * at].max(self.entries[2 * at + 1]);
            if self.entries[at] == best {
                return;
            }
            self.entries[at] = best;
        }
    }

    fn first(&self) -> Option<NodeId> {
        let best = self.entries[1];
        if best == 0 {
            return None;
        }
        let mut at = 1;
        while at < self.leaves {
            at = if self.entries[2 * at] == best { 2 * at } else { 2 * at + 1 };
        }
        Some(NodeId::from_index(at - self.leaves))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tournament_always_knows_the_largest() {
        let mut tree = Tree::new(5);
        let node = NodeId::from_index;
        for (index, key) in [(0, 3), (1, 9), (4, 7)] {
            tree.set(node(index), key);
        }
        assert_eq!(tree.first(), Some(node(1)));
        tree.set(node(1), 0);
        assert_eq!(tree.first(), Some(node(4)));
        tree.set(node(4), 1);
        assert_eq!(tree.first(), Some(node(0)));
        tree.set(node(0), 0);
        tree.set(node(4), 0);
        assert_eq!(tree.first(), None);
    }
}
