//! All sets of a gang, region by region, until its goal is placed.
//!
//! Invariant: on success the `Txn` holds exactly the placed members; on failure it is as it
//! was. The best failed attempt is kept for the explanation.

use super::pack::Load;
use super::region::{Goal, Region};
use super::{Placed, Placer};
use crate::line::QueueKeyInLine;
use crate::roster::{PodSet, Roster};
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
        let mut orders = Orders::default();
        let mut best = Attempt::default();
        for region in self.regions(txn.view(), roster, goal) {
            for by in [By::Size, By::Choice, By::Listing] {
                let Some(order) = orders.get(by, |by| self.order(txn.view(), roster, by)) else {
                    continue;
                };
                let mark = txn.mark();
                let filled = self.fill(txn, roster, goal, queue, (&region, order));
                let is_whole = filled.reaches(goal);
                let attempt = Attempt {
                    is_whole,
                    placed: filled.placed,
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
                let next = roster.wants(txn.view(), 1);
                QueueKeyInLine::of(txn.view(), self.profile, queue, &next) > *rival
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
            let filled = self.fill(txn, roster, &goal, queue, (&region, &order));
            if !filled.placed.is_empty() {
                return Attempt {
                    is_whole: true,
                    placed: filled.placed,
                    region: Some(region),
                    is_out_of_fuel: false,
                };
            }
        }
        Attempt { is_out_of_fuel: self.fuel.is_empty(), ..Attempt::default() }
    }

    /// One order in which to place the sets.
    fn order(&mut self, snap: &Snapshot, roster: &Roster, by: By) -> Vec<usize> {
        match by {
            By::Size => sorted(roster, |set| Reverse(size(snap, roster, set))),
            By::Choice => {
                let count = |it: &PodSet| self.candidates(snap, it.class, None).count();
                let choices: Vec<usize> = roster.sets.iter().map(count).collect();
                sorted(roster, |set| (choices[set], Reverse(size(snap, roster, set))))
            }
            By::Listing => (0..roster.sets.len()).collect(),
        }
    }

    /// Fills the stages of a region in order; sets go round again while that helps, since one
    /// set's affinity may need another set's pods first.
    fn fill<'a>(
        &mut self,
        txn: &mut Txn<'_>,
        roster: &'a Roster,
        goal: &Goal,
        queue: Option<QueueId>,
        (region, order): (&Region, &[usize]),
    ) -> Filled<'a> {
        let mut filled = Filled::new(roster);
        for stage in &region.stages {
            loop {
                let before = filled.total;
                for toward in [Toward::Roles, Toward::Total] {
                    for set in order {
                        let want = filled.wanted(goal, *set, toward);
                        let class = roster.sets[*set].class;
                        let (count, region, gang) = (want, stage.as_ref(), roster.gang);
                        let load = Load { class, queue, gang, count, region };
                        self.pack_set(txn, load, *set, &mut filled);
                    }
                }
                if filled.total == before || filled.reaches(goal) {
                    break;
                }
            }
        }
        filled
    }

    fn pack_set(&mut self, txn: &mut Txn<'_>, load: Load<'_>, set: usize, filled: &mut Filled<'_>) {
        if load.count == 0 || self.fuel.is_empty() {
            return;
        }
        let mut nodes = std::mem::take(&mut self.scratch.packed);
        nodes.clear();
        self.pack(txn, load, &mut nodes);
        for (node, count) in &nodes {
            filled.add(Placed { set, node: *node, count: *count });
        }
        self.scratch.packed = nodes;
    }
}

/// Orders in which to place the sets of a gang; the later ones are only worked out once the
/// earlier ones failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// Largest first: small sets still fit into what it leaves.
    Size,
    /// Fewest candidates first: a picky set needs its few nodes.
    Choice,
    /// As the roster has them.
    Listing,
}

/// Orders worked out so far.
#[derive(Debug, Default)]
struct Orders {
    made: Vec<(By, Option<Vec<usize>>)>,
}

impl Orders {
    /// The order, unless it equals one that was tried before.
    fn get(&mut self, by: By, make: impl FnOnce(By) -> Vec<usize>) -> Option<&[usize]> {
        let known = self.made.iter().position(|(it, _)| *it == by);
        let index = known.unwrap_or_else(|| {
            let order = Some(make(by))
                .filter(|order| self.made.iter().all(|(_, made)| made.as_ref() != Some(order)));
            self.made.push((by, order));
            self.made.len() - 1
        });
        self.made[index].1.as_deref()
    }
}

/// What one filling placed so far, with its sums.
struct Filled<'a> {
    roster: &'a Roster,
    placed: Vec<Placed>,
    total: u32,
    by_set: Vec<u32>,
    by_role: BTreeMap<&'a str, u32>,
}

impl<'a> Filled<'a> {
    fn new(roster: &'a Roster) -> Self {
        let by_set = vec![0; roster.sets.len()];
        Self { roster, placed: Vec::new(), total: 0, by_set, by_role: BTreeMap::new() }
    }

    fn add(&mut self, placed: Placed) {
        self.total += placed.count;
        self.by_set[placed.set] += placed.count;
        *self.by_role.entry(&self.roster.sets[placed.set].role).or_insert(0) += placed.count;
        self.placed.push(placed);
    }

    fn of_role(&self, role: &str) -> u32 {
        self.by_role.get(role).copied().unwrap_or(0)
    }

    /// How many more of a set to place: up to what its role lacks, or up to what the total
    /// lacks.
    fn wanted(&self, goal: &Goal, set: usize, toward: Toward) -> u32 {
        let row = &self.roster.sets[set];
        let short = match toward {
            Toward::Roles => {
                let needed = goal.roles.get(&row.role).copied().unwrap_or(0);
                needed.saturating_sub(self.of_role(&row.role))
            }
            Toward::Total => goal.total.saturating_sub(self.total),
        };
        short.min(row.count() - self.by_set[set])
    }

    /// True if what is placed reaches the goal, in total and per role.
    fn reaches(&self, goal: &Goal) -> bool {
        let is_met = |(role, needed): (&String, &u32)| self.of_role(role) >= *needed;
        self.total >= goal.total && goal.roles.iter().all(is_met)
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
