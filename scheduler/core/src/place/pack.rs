//! Counts of one class onto the nodes of one region, best node first.
//!
//! Invariant: whatever is placed fits (room, masks, per-placement filters, queue limits) on
//! the state just before it was placed. It may place fewer than asked.

use super::{Placer, take};
use crate::txn::Txn;
use scheduler_framework::Cadence;
use scheduler_model::ids::{ClassId, FlavourId, GangId, Id, NodeId, QueueId};
use scheduler_model::node_set::NodeSet;
use scheduler_model::snapshot::Snapshot;

/// What to pack.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    /// What each pod is.
    pub class: ClassId,
    /// Whose limits count; `None` for nobody's.
    pub queue: Option<QueueId>,
    /// Whose members they are: what its users may use counts where the queue's limits do.
    pub gang: GangId,
    /// At most this many.
    pub count: u32,
    /// Only here; `None` is everywhere.
    pub region: Option<&'a NodeSet>,
}

impl Load<'_> {
    /// Whose use it counts as.
    fn payer(&self) -> (Option<QueueId>, Option<GangId>) {
        (self.queue, self.queue.map(|_| self.gang))
    }

    /// How many pods of its class may still start on nodes of a flavour.
    fn headroom(&self, snap: &Snapshot, flavour: FlavourId) -> u32 {
        let request = &snap.classes().get(self.class).request;
        let (queue, gang) = self.payer();
        queue.map_or(u32::MAX, |queue| snap.headroom(queue, gang, flavour, request))
    }
}

/// What came from the kept order of a class.
struct FromShelf {
    /// Pods packed.
    count: u32,
    /// True if a scan would find no more.
    is_final: bool,
}

impl Placer<'_> {
    /// Packs as much of the load as fits and appends where it went; answers how many.
    pub fn pack(
        &mut self,
        txn: &mut Txn<'_>,
        load: Load<'_>,
        placed: &mut Vec<(NodeId, u32)>,
    ) -> u32 {
        let from_shelf = self.pack_from_shelf(txn, load, placed);
        let load = Load { count: load.count - from_shelf.count, ..load };
        if from_shelf.is_final || load.count == 0 {
            return from_shelf.count;
        }
        let mut nodes = self.candidates(txn.view(), load.class, load.region);
        retain_within_limits(txn.view(), load, &mut nodes);
        self.fuel.take(nodes.count() + 1);
        if nodes.is_empty() {
            return from_shelf.count;
        }
        let has_peers_act = self.profile.is_per_placement(txn.view(), load.class);
        let count = if has_peers_act {
            self.pack_one_by_one(txn, load, nodes, placed)
        } else if load.count == 1 {
            self.pack_one(txn, load, &nodes, placed)
        } else {
            self.pack_counts(txn, load, &nodes, placed)
        };
        from_shelf.count + count
    }

    /// Packs from the kept order of the class. Not final where none is kept or it does not
    /// apply: inside a region, where placed pods act on the class, or once a queue limit stands
    /// in the way of the best node.
    fn pack_from_shelf(
        &mut self,
        txn: &mut Txn<'_>,
        load: Load<'_>,
        placed: &mut Vec<(NodeId, u32)>,
    ) -> FromShelf {
        let mut done = FromShelf { count: 0, is_final: false };
        if load.region.is_some() || self.profile.is_per_placement(txn.view(), load.class) {
            return done;
        }
        while done.count < load.count {
            let mask = self.masks.get(txn.view(), self.profile, load.class);
            let shelves = &mut self.scratch.shelves;
            if !shelves.refresh(txn.view(), self.profile, mask, load.class) {
                return done;
            }
            let first = shelves.first(load.class);
            debug_assert!(self.is_first_by_scan(txn.view(), load.class, first));
            let Some(node) = first.filter(|_| self.fuel.take(1)) else {
                done.is_final = true;
                return done;
            };
            let count = holds(txn.view(), load, node).min(load.count - done.count);
            if count == 0 {
                return done;
            }
            take(txn, load.class, node, load.payer(), count);
            placed.push((node, count));
            done.count += count;
        }
        done
    }

    /// Nodes with room for at least one pod of the class, as far as masks and columns say.
    pub fn candidates(
        &mut self,
        snap: &Snapshot,
        class: ClassId,
        region: Option<&NodeSet>,
    ) -> NodeSet {
        let row = snap.classes().get(class);
        if !row.refused_resources.is_empty() {
            return NodeSet::new();
        }
        let mut nodes = self.masks.get(snap, self.profile, class).clone();
        if let Some(region) = region {
            nodes.retain(region);
        }
        nodes.subtract(snap.nodes().closed());
        // The rarest resource was seen last: it empties most words of the set.
        for (resource, amount) in row.request.iter().rev().filter(|(_, it)| it.units() > 0) {
            nodes.retain_at_least(snap.nodes().free_column(*resource), amount.units());
        }
        nodes
    }

    fn pack_one(
        &mut self,
        txn: &mut Txn<'_>,
        load: Load<'_>,
        nodes: &NodeSet,
        placed: &mut Vec<(NodeId, u32)>,
    ) -> u32 {
        let node = self.best(txn.view(), load.class, nodes).expect("the set is not empty");
        take(txn, load.class, node, load.payer(), 1);
        placed.push((node, 1));
        1
    }

    fn pack_counts(
        &mut self,
        txn: &mut Txn<'_>,
        load: Load<'_>,
        nodes: &NodeSet,
        placed: &mut Vec<(NodeId, u32)>,
    ) -> u32 {
        self.score(txn.view(), load.class, nodes);
        let mut order = std::mem::take(&mut self.scratch.order);
        order.clear();
        let rank = |node| txn.view().nodes().rank(node);
        order.extend(
            nodes.iter().map(|node| (-self.scratch.scores[node.index()], rank(node), node)),
        );
        order.sort_unstable();
        let mut left = load.count;
        for (_, _, node) in &order {
            if left == 0 {
                break;
            }
            let count = holds(txn.view(), load, *node).min(left);
            if count > 0 {
                take(txn, load.class, *node, load.payer(), count);
                placed.push((*node, count));
                left -= count;
            }
        }
        self.scratch.order = order;
        load.count - left
    }

    fn pack_one_by_one(
        &mut self,
        txn: &mut Txn<'_>,
        load: Load<'_>,
        mut nodes: NodeSet,
        placed: &mut Vec<(NodeId, u32)>,
    ) -> u32 {
        let mut now = self.asked_anew(txn.view(), load.class, &nodes);
        for done in 0..load.count {
            if !self.fuel.take(nodes.count() + 1) {
                return done;
            }
            let Some(node) = self.best(txn.view(), load.class, &now) else { return done };
            take(txn, load.class, node, load.payer(), 1);
            placed.push((node, 1));
            if holds(txn.view(), load, node) == 0 {
                nodes.remove(node);
            }
            if load.queue.is_some() {
                retain_within_limits(txn.view(), load, &mut nodes);
            }
            if done + 1 == load.count {
                break;
            }
            if self.profile.is_local(txn.view(), load.class) {
                now.retain(&nodes);
                let class = load.class;
                if !self.profile.accepts(Cadence::PerPlacement, txn.view(), class, node) {
                    now.remove(node);
                }
                debug_assert!(self.is_as_asked_anew(txn.view(), class, (&nodes, &now)));
            } else {
                now = self.asked_anew(txn.view(), load.class, &nodes);
            }
        }
        load.count
    }

    /// The nodes of the set on which placed pods leave the class a place.
    fn asked_anew(&self, snap: &Snapshot, class: ClassId, nodes: &NodeSet) -> NodeSet {
        let mut now = nodes.clone();
        self.profile.retain(Cadence::PerPlacement, snap, class, &mut now);
        now
    }

    /// Checks a set that was mended against asking about every node, on clusters small enough
    /// for a debug build.
    fn is_as_asked_anew(
        &self,
        snap: &Snapshot,
        class: ClassId,
        (nodes, mended): (&NodeSet, &NodeSet),
    ) -> bool {
        snap.nodes().len() > 64 || self.asked_anew(snap, class, nodes).iter().eq(mended.iter())
    }

    /// The best node of the set; ties go to the first by name.
    fn best(&mut self, snap: &Snapshot, class: ClassId, nodes: &NodeSet) -> Option<NodeId> {
        self.scratch.clear_scores(snap.nodes().bound());
        let scores = &mut self.scratch.scores;
        let left = &mut self.scratch.contenders;
        left.clone_from(nodes);
        self.profile.add_scores_of_contenders(snap, class, left, scores);
        left.iter()
            .max_by_key(|node| (scores[node.index()], std::cmp::Reverse(snap.nodes().rank(*node))))
    }

    /// Checks a kept order against a scan, on clusters small enough for a debug build.
    fn is_first_by_scan(&mut self, snap: &Snapshot, class: ClassId, first: Option<NodeId>) -> bool {
        if snap.nodes().len() > 64 {
            return true;
        }
        let nodes = self.candidates(snap, class, None);
        self.best(snap, class, &nodes) == first
    }

    /// Fills the score buffer for these nodes.
    fn score(&mut self, snap: &Snapshot, class: ClassId, nodes: &NodeSet) {
        self.scratch.clear_scores(snap.nodes().bound());
        self.profile.add_scores(snap, class, nodes, &mut self.scratch.scores);
    }
}

/// How many more pods of the load the node holds, by room, host ports and queue limits.
fn holds(snap: &Snapshot, load: Load<'_>, node: NodeId) -> u32 {
    let class = snap.classes().get(load.class);
    let by_limit = load.headroom(snap, snap.nodes().flavour(node));
    let by_room = class
        .request
        .iter()
        .map(|(resource, amount)| snap.nodes().free(node, *resource).holds(*amount))
        .min();
    by_limit.min(by_room.unwrap_or(u32::MAX))
}

/// Drops nodes on whose flavour the queue may not start even one more pod.
fn retain_within_limits(snap: &Snapshot, load: Load<'_>, nodes: &mut NodeSet) {
    let Some(queue) = load.queue else { return };
    let accounts = &snap.gangs().get(load.gang).accounts;
    if !snap.queues().has_ceilings(queue) && !snap.queues().limits_users(accounts) {
        return;
    }
    let may_start: Vec<bool> =
        snap.nodes().flavours().map(|flavour| load.headroom(snap, flavour) > 0).collect();
    if may_start.iter().all(|may| *may) {
        return;
    }
    nodes.retain_if(|node| may_start[snap.nodes().flavour(node).index()]);
}
