//! Who is entitled to what: all there is, divided among queues level by level.
//!
//! Each *measure* (a resource on one flavour, or on all) is divided by itself: weighted max-min
//! among siblings, capped by what each wants and may use, dedicated and deserved parts first
//! ([`divide`]). What a queue is entitled to does not depend on what is wanted at the moment; what
//! it deserves and its fair share do.
//!
//! Invariants: shares are worked out at the start of a cycle and stay during it, as a gang that is
//! placed was wanted before and is used afterwards. The same queues, nodes and gangs give the same
//! shares, whatever changed before: the tree keeps what does not change, and groups of siblings
//! are divided anew only where something did.
//!
//! Cost: one measure of one group is a sort of its siblings; a change of demand costs the groups
//! on its way up and those below whose share changes. A change of queues or nodes costs all.

pub mod demand;
pub mod divide;
pub mod fill;
mod stake;
mod supply;
mod tree;

use crate::roster::Roster;
use demand::Demand;
use scheduler_model::ids::{ClassId, ConstraintId, FlavourId};
use scheduler_model::journal::Cursor;
use scheduler_model::node_set::NodeSet;
use scheduler_model::queue::{Branch, DEFAULT, Division, Measure, Share};
use scheduler_model::snapshot::Snapshot;
use stake::is_unused_default;
use std::collections::{BTreeMap, BTreeSet};
use supply::Supply;
use tree::Tree;

/// Shares, and what they were worked out from.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    /// What waits.
    pub demand: Demand,
    supply: Supply,
    tree: Option<Tree>,
    /// The queues that the tree was made from.
    epoch: u64,
    described: Cursor,
    has_unused_default: Option<bool>,
    /// Flavours on which the pods of a constraint may run, while nodes stay as they are.
    reach: BTreeMap<ConstraintId, Vec<FlavourId>>,
    reach_at: Cursor,
}

/// What changed.
type Changes = Vec<(Branch, Measure, Share)>;

impl Shares {
    /// Takes in what a gang wants. `nodes` answers where pods of a class may run at all.
    pub fn note(
        &mut self,
        snap: &Snapshot,
        roster: &Roster,
        mut nodes: impl FnMut(ClassId) -> NodeSet,
    ) {
        let now = snap.nodes().described().cursor();
        if now != self.reach_at {
            self.reach.clear();
            self.reach_at = now;
        }
        let count = snap.nodes().flavours().count();
        self.demand.note(snap, roster, |set| {
            if count < 2 {
                return Vec::new();
            }
            let class = roster.sets[set].class;
            let constraint = snap.classes().get(class).constraint;
            let reach = self.reach.entry(constraint).or_insert_with(|| {
                let mut flavours = BTreeSet::new();
                for node in nodes(class).iter() {
                    flavours.insert(snap.nodes().flavour(node));
                    if flavours.len() == count {
                        break;
                    }
                }
                flavours.into_iter().collect()
            });
            reach.clone()
        });
    }

    /// Brings all shares in the snapshot up to date.
    pub fn refresh(&mut self, snap: &mut Snapshot) {
        let touched = snap.take_touched_queues();
        let is_moved = self.epoch != snap.queues().epoch();
        if is_moved {
            self.demand.requeue(snap);
        }
        let is_supplied = self.supply.refresh(snap, &mut self.described);
        let default = snap
            .queues()
            .find(DEFAULT)
            .map(|id| is_unused_default(snap.queues().get(id), &self.demand, id));
        let is_joined = std::mem::replace(&mut self.has_unused_default, default) != default;
        let is_same = !is_moved && !is_supplied && !is_joined;
        let mut changes = Changes::new();
        match self.tree.as_mut().filter(|_| is_same) {
            Some(tree) => {
                let mut queues = self.demand.take_touched();
                queues.extend(touched);
                tree.update(snap, &self.demand, &queues, &mut changes);
                snap.set_shares(changes);
            }
            None => {
                self.epoch = snap.queues().epoch();
                self.demand.take_touched();
                let measures = self.supply.measures(snap);
                let tree = Tree::new(snap, &self.demand, &self.supply, &measures, &mut changes);
                let division = Division {
                    capacity: self.supply.capacity(&measures),
                    free: BTreeMap::new(),
                    keepers: tree.keepers(),
                    parents: tree.parents(),
                };
                self.tree = Some(tree);
                snap.set_division(division, changes);
            }
        }
        if !snap.queues().division().keepers.is_empty() {
            let free = supply::free(snap);
            snap.set_free(free);
        }
    }
}
