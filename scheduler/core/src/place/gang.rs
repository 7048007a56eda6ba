//! All sets of a gang, region by region, until its goal is placed.
//!
//! Invariant: on success the `Txn` holds exactly the placed members; on failure it is as it
//! was. The best failed attempt is kept for the explanation.

use super::pack::Load;
use super::region::{Goal, Region};
use super::{Placed, Placer};
use crate::line::QueueKeyInLine;
use crate::roster::Roster;
use crate::txn::Txn;
use scheduler_model::ids::QueueId;
use scheduler_model::snapshot::Snapshot;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How an attempt to place a gang ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attempt {
    /// True if the goal was placed.
    pub is_whole: bool,
    /// What was placed, in order; on failure, of the region that took most.
    pub placed: Vec<Placed>,
    /// Where.
    pub region: Option<Region>,
    /// The budget ended the search.
    pub is_out_of_fuel: bool,
}

impl Attempt {
    /// Members placed.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.placed.iter().map(|placed| placed.count).sum()
    }

    /// Members of one set placed.
    #[must_use]
    pub fn count_of(&self, set: usize) -> u32 {
        self.placed.iter().filter(|it| it.set == set).map(|it| it.count).sum()
    }
}

impl Placer<'_> {
    /// Tries to place `goal` of the gang, all or nothing.
    pub fn place(
        &mut self,
        txn: &mut Txn<'_>,
        roster: &Roster,
        goal: &Goal,
        queue: Option<QueueId>,
    ) -> Attempt {
        let orders = self.orders(txn.view(), roster);
        let mut best = Attempt::default();
        for region in self.regions(txn.view(), roster, goal) {
            for order in &orders {
                let mark = txn.mark();
                let placed = self.fill(txn, roster, goal, queue, (&region, order));
                let is_whole = reaches(roster, goal, &placed);
                let attempt = Attempt {
                    is_whole,
                    placed,
                    region: Some(region.clone()),
                    is_out_of_fuel: self.fuel.is_empty(),
                };
                if is_whole {
                    return attempt;
                }
                txn.rollback(mark);
                if best.region.is_none() || attempt.count() > best.count() {
                    best = attempt;
                }
                if self.fuel.is_empty() {
                    best.is_out_of_fuel = true;
                    return best;
                }
            }
        }
        best
    }

    /// Places members beyond a minimum that already runs, as many as fit while the queue does
    /// not fall behind `rival`. One member, or a sixteenth of a large gang, is always in order:
    /// queues take turns, and no turn is too small.
    pub fn grow_beside(
        &mut self,
        txn: &mut Txn<'_>,
        roster: &Roster,
        queue: Option<QueueId>,
        rival: Option<&QueueKeyInLine>,
    ) -> Attempt {
        let least = (roster.total.placed / 16).max(1);
        let mut most = roster.pending();
        loop {
            let mark = txn.mark();
            let attempt = self.grow(txn, roster, most, queue);
            let is_behind = rival.zip(queue).is_some_and(|(rival, queue)| {
                QueueKeyInLine::of(txn.view(), self.profile, queue) > *rival
            });
            if attempt.count() <= least || !is_behind {
                return attempt;
            }
            txn.rollback(mark);
            most = (attempt.count() / 2).max(least);
        }
    }

    /// Places as many members as fit, at most `most`, beyond a minimum that already runs.
    fn grow(
        &mut self,
        txn: &mut Txn<'_>,
        roster: &Roster,
        most: u32,
        queue: Option<QueueId>,
    ) -> Attempt {
        let goal = Goal { total: most, roles: BTreeMap::new() };
        let any = Goal { total: 1, roles: BTreeMap::new() };
        let order: Vec<usize> = (0..roster.sets.len()).collect();
        for region in self.regions(txn.view(), roster, &any) {
            let placed = self.fill(txn, roster, &goal, queue, (&region, &order));
            if !placed.is_empty() {
                return Attempt {
                    is_whole: true,
                    placed,
                    region: Some(region),
                    is_out_of_fuel: false,
                };
            }
        }
        Attempt { is_out_of_fuel: self.fuel.is_empty(), ..Attempt::default() }
    }

    /// Orders in which to place the sets: largest first, since small sets still fit into what
    /// it leaves; then fewest candidates first, since a picky set needs its few nodes.
    fn orders(&mut self, snap: &Snapshot, roster: &Roster) -> Vec<Vec<usize>> {
        let by_size: Vec<usize> = sorted(roster, |set| Reverse(size(snap, roster, set)));
        if roster.sets.len() == 1 {
            return vec![by_size];
        }
        let choices: Vec<usize> =
            roster.sets.iter().map(|set| self.candidates(snap, set.class, None).count()).collect();
        let by_choice = sorted(roster, |set| (choices[set], Reverse(size(snap, roster, set))));
        let by_listing: Vec<usize> = (0..roster.sets.len()).collect();
        let mut orders = vec![by_size];
        for order in [by_choice, by_listing] {
            if !orders.contains(&order) {
                orders.push(order);
            }
        }
        orders
    }

    /// Fills the stages of a region in order; sets go round again while that helps, since one
    /// set's affinity may need another set's pods first.
    fn fill(
        &mut self,
        txn: &mut Txn<'_>,
        roster: &Roster,
        goal: &Goal,
        queue: Option<QueueId>,
        (region, order): (&Region, &[usize]),
    ) -> Vec<Placed> {
        let mut placed = Vec::new();
        for stage in &region.stages {
            loop {
                let before = placed.len();
                for toward in [Toward::Roles, Toward::Total] {
                    for set in order {
                        let want = wanted(roster, goal, &placed, *set, toward);
                        let class = roster.sets[*set].class;
                        let load = Load { class, queue, count: want, region: stage.as_ref() };
                        self.pack_set(txn, load, *set, &mut placed);
                    }
                }
                if placed.len() == before || reaches(roster, goal, &placed) {
                    break;
                }
            }
        }
        placed
    }

    fn pack_set(
        &mut self,
        txn: &mut Txn<'_>,
        load: Load<'_>,
        set: usize,
        placed: &mut Vec<Placed>,
    ) {
        if load.count == 0 || self.fuel.is_empty() {
            return;
        }
        let mut nodes = Vec::new();
        self.pack(txn, load, &mut nodes);
        placed.extend(nodes.into_iter().map(|(node, count)| Placed { set, node, count }));
    }
}

fn sorted<K: Ord>(roster: &Roster, key: impl Fn(usize) -> K) -> Vec<usize> {
    let mut order: Vec<usize> = (0..roster.sets.len()).collect();
    order.sort_by_key(|set| key(*set));
    order
}

/// Share of the cluster that one pod of the set wants of its scarcest resource, scaled.
fn size(snap: &Snapshot, roster: &Roster, set: usize) -> i128 {
    let request = &snap.classes().get(roster.sets[set].class).request;
    let share = |(resource, amount): &(_, scheduler_model::amount::Amount)| {
        (i128::from(amount.units()) << 32) / snap.nodes().total(*resource).max(1)
    };
    request.iter().map(share).max().unwrap_or(0)
}

/// Which part of a goal a round of filling works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Toward {
    /// The minimums of roles.
    Roles,
    /// The total.
    Total,
}

/// How many more of a set to place: up to what its role lacks, or up to what the total lacks.
fn wanted(roster: &Roster, goal: &Goal, placed: &[Placed], set: usize, toward: Toward) -> u32 {
    let count = |keep: &dyn Fn(&Placed) -> bool| -> u32 {
        placed.iter().filter(|it| keep(it)).map(|it| it.count).sum()
    };
    let row = &roster.sets[set];
    let left = row.count() - count(&|it| it.set == set);
    let short = match toward {
        Toward::Roles => {
            let needed = goal.roles.get(&row.role).copied().unwrap_or(0);
            needed.saturating_sub(count(&|it| roster.sets[it.set].role == row.role))
        }
        Toward::Total => goal.total.saturating_sub(count(&|_| true)),
    };
    left.min(short)
}

/// True if what is placed reaches the goal, in total and per role.
fn reaches(roster: &Roster, goal: &Goal, placed: &[Placed]) -> bool {
    let total: u32 = placed.iter().map(|it| it.count).sum();
    let of_role = |role: &str| -> u32 {
        placed.iter().filter(|it| roster.sets[it.set].role == role).map(|it| it.count).sum()
    };
    total >= goal.total && goal.roles.iter().all(|(role, needed)| of_role(role) >= *needed)
}
