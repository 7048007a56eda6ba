//! All branches of the queue tree in columns, one per measure, and their division.
//!
//! Invariant: rows stand level by level, siblings together, so that a group of siblings is a
//! slice, and a pass over the rows goes down, one in reverse goes up.

use super::Changes;
use super::demand::Demand;
use super::divide::{Stake, divide};
use super::stake::stake;
use super::supply::Supply;
use scheduler_model::ids::QueueId;
use scheduler_model::queue::{Branch, Measure, Share};
use scheduler_model::snapshot::Snapshot;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The queue tree, divided.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    rows: Vec<Row>,
    roots: Range<usize>,
    /// Where the own gangs of a queue are counted.
    own: BTreeMap<QueueId, usize>,
    columns: Vec<Column>,
}

#[derive(Clone, Debug)]
struct Row {
    branch: Branch,
    parent: Option<usize>,
    kids: Range<usize>,
}

/// One measure.
#[derive(Clone, Debug)]
struct Column {
    measure: Measure,
    capacity: i128,
    stakes: Vec<Stake>,
    /// What the own gangs of a row use and want.
    own: Vec<i128>,
    shares: Vec<Share>,
}

impl Tree {
    /// Divides everything from nothing; appends every share.
    pub(super) fn new(
        snap: &Snapshot,
        demand: &Demand,
        supply: &Supply,
        measures: &BTreeSet<Measure>,
        changes: &mut Changes,
    ) -> Self {
        let mut tree = Self::planted(snap);
        for measure in measures {
            let column = tree.column(snap, demand, supply, *measure);
            tree.columns.push(column);
        }
        for column in &tree.columns {
            let all = tree.rows.iter().zip(&column.shares);
            changes.extend(all.map(|(row, share)| (row.branch, column.measure, *share)));
        }
        tree
    }

    /// The rows, without columns.
    fn planted(snap: &Snapshot) -> Self {
        let mut below: BTreeMap<Option<QueueId>, Vec<QueueId>> = BTreeMap::new();
        for (id, row) in snap.queues().iter() {
            below.entry(row.parent).or_default().push(id);
        }
        for siblings in below.values_mut() {
            siblings.sort_by_cached_key(|id| {
                let spec = &snap.queues().get(*id).spec;
                (Reverse(spec.priority), spec.created_at, spec.uid.clone(), spec.name.clone())
            });
        }
        let row = |branch, parent| Row { branch, parent, kids: 0..0 };
        let roots = below.get(&None).into_iter().flatten();
        let mut rows: Vec<Row> = roots.map(|id| row(Branch::Queue(*id), None)).collect();
        let roots = 0..rows.len();
        let mut own = BTreeMap::new();
        let mut next = 0;
        while let Some(Row { branch, .. }) = rows.get(next) {
            let start = rows.len();
            let queue = branch.queue();
            let kids = below.get(&Some(queue)).filter(|_| *branch == Branch::Queue(queue));
            match kids {
                Some(kids) => {
                    own.insert(queue, start);
                    rows.push(row(Branch::Own(queue), Some(next)));
                    rows.extend(kids.iter().map(|id| row(Branch::Queue(*id), Some(next))));
                    rows[next].kids = start..rows.len();
                }
                None => {
                    own.entry(queue).or_insert(next);
                }
            }
            next += 1;
        }
        Self { rows, roots, own, columns: Vec::new() }
    }

    fn column(
        &self,
        snap: &Snapshot,
        demand: &Demand,
        supply: &Supply,
        measure: Measure,
    ) -> Column {
        let count = self.rows.len();
        let mut column = Column {
            measure,
            capacity: supply.of(measure),
            stakes: Vec::with_capacity(count),
            own: vec![0; count],
            shares: vec![Share::default(); count],
        };
        for row in &self.rows {
            column.stakes.push(stake(snap, (supply, demand), row.branch, measure));
        }
        for (index, row) in self.rows.iter().enumerate().rev() {
            let kept: i128 = column.stakes[row.kids.clone()].iter().map(Stake::kept).sum();
            let stake = &mut column.stakes[index];
            stake.dedicated = stake.dedicated.max(kept);
        }
        self.entitle(snap, &mut column);
        for (queue, index) in &self.own {
            column.own[*index] = wanted(snap, demand, *queue, measure);
        }
        for index in (0..count).rev() {
            let sum = self.demand_of(&column, index);
            column.stakes[index].demand = sum;
            column.shares[index].demand = clamped(&column.stakes[index]);
        }
        let mut changed = Vec::new();
        let whole = column.capacity;
        self.divide(&mut column, self.roots.clone(), whole, &mut changed);
        for index in 0..count {
            let whole = column.shares[index].fair;
            self.divide(&mut column, self.rows[index].kids.clone(), whole, &mut changed);
        }
        column
    }

    /// What each is entitled to if everybody wanted everything, and what is kept for it; then
    /// how much it may use with what it may borrow.
    fn entitle(&self, snap: &Snapshot, column: &mut Column) {
        let all = std::iter::once((self.roots.clone(), None)).chain(
            self.rows.iter().enumerate().map(|(index, row)| (row.kids.clone(), Some(index))),
        );
        for (group, parent) in all.filter(|(group, _)| !group.is_empty()) {
            let whole = parent.map_or(column.capacity, |index| column.shares[index].entitled);
            let greedy = |stake: &Stake| Stake { demand: whole, ..*stake };
            let stakes: Vec<Stake> = column.stakes[group.clone()].iter().map(greedy).collect();
            for (index, part) in group.zip(divide(whole, &stakes)) {
                let share = &mut column.shares[index];
                (share.kept, share.entitled) = (part.kept, part.deserved);
            }
        }
        for (index, row) in self.rows.iter().enumerate() {
            let Branch::Queue(queue) = row.branch else { continue };
            let quota = snap.queues().get(queue).quota(column.measure);
            let Some(borrows) = quota.and_then(|quota| quota.borrowing_limit) else { continue };
            let stake = &mut column.stakes[index];
            let own = stake.deserved.unwrap_or(column.shares[index].entitled);
            let most = own + i128::from(borrows.units());
            stake.most = Some(stake.most.map_or(most, |limit| limit.min(most)));
        }
    }

    /// Follows what changed in these queues.
    pub(super) fn update(
        &mut self,
        snap: &Snapshot,
        demand: &Demand,
        queues: &BTreeSet<QueueId>,
        changes: &mut Changes,
    ) {
        let mut columns = std::mem::take(&mut self.columns);
        for column in &mut columns {
            let mut groups: BTreeSet<Option<usize>> = BTreeSet::new();
            for queue in queues {
                let Some(index) = self.own.get(queue) else { continue };
                let now = wanted(snap, demand, *queue, column.measure);
                let by = now - std::mem::replace(&mut column.own[*index], now);
                if by != 0 {
                    self.rise(column, (*index, by), &mut groups, changes);
                }
            }
            let mut changed = Vec::new();
            while let Some(parent) = groups.pop_first() {
                let (group, whole) = match parent {
                    None => (self.roots.clone(), column.capacity),
                    Some(index) => (self.rows[index].kids.clone(), column.shares[index].fair),
                };
                self.divide(column, group, whole, &mut changed);
                for (index, has_other_whole) in changed.drain(..) {
                    changes.push((self.rows[index].branch, column.measure, column.shares[index]));
                    if has_other_whole && !self.rows[index].kids.is_empty() {
                        groups.insert(Some(index));
                    }
                }
            }
        }
        self.columns = columns;
    }

    /// Carries a row's new demand up, as far as it changes anything.
    fn rise(
        &self,
        column: &mut Column,
        (index, mut by): (usize, i128),
        groups: &mut BTreeSet<Option<usize>>,
        changes: &mut Changes,
    ) {
        let mut next = Some(index);
        while let Some(index) = next {
            column.stakes[index].demand += by;
            let share = &mut column.shares[index];
            let now = clamped(&column.stakes[index]);
            by = now - std::mem::replace(&mut share.demand, now);
            if by == 0 {
                return;
            }
            changes.push((self.rows[index].branch, column.measure, *share));
            next = self.rows[index].parent;
            groups.insert(next);
        }
    }

    fn demand_of(&self, column: &Column, index: usize) -> i128 {
        let kids = &column.shares[self.rows[index].kids.clone()];
        column.own[index] + kids.iter().map(|kid| kid.demand).sum::<i128>()
    }

    /// Divides among one group; appends whose share changed, and whether its fair share did.
    fn divide(
        &self,
        column: &mut Column,
        group: Range<usize>,
        whole: i128,
        changed: &mut Vec<(usize, bool)>,
    ) {
        if group.is_empty() {
            return;
        }
        let parts = divide(whole, &column.stakes[group.clone()]);
        for (index, part) in group.zip(parts) {
            let share = &mut column.shares[index];
            let now = Share { deserved: part.deserved, fair: part.fair, ..*share };
            if *share != now {
                changed.push((index, share.fair != now.fair));
                *share = now;
            }
        }
    }

    /// Queues that something is kept for, by parent.
    pub(super) fn keepers(&self) -> BTreeMap<(Option<QueueId>, Measure), Vec<QueueId>> {
        let mut keepers: BTreeMap<_, Vec<QueueId>> = BTreeMap::new();
        for column in &self.columns {
            for (row, share) in self.rows.iter().zip(&column.shares) {
                if share.kept > 0 {
                    let parent = row.parent.map(|index| self.rows[index].branch.queue());
                    let of = keepers.entry((parent, column.measure)).or_default();
                    of.push(row.branch.queue());
                }
            }
        }
        keepers
    }

    /// Queues that have others below them.
    pub(super) fn parents(&self) -> BTreeSet<QueueId> {
        let has_kids = self.rows.iter().filter(|row| !row.kids.is_empty());
        has_kids.map(|row| row.branch.queue()).collect()
    }
}

/// What the own gangs of a queue use and want.
fn wanted(snap: &Snapshot, demand: &Demand, queue: QueueId, measure: Measure) -> i128 {
    measure.of(snap.queues().get(queue).own()) + demand.of(queue, measure)
}

/// Demand as far as it may be met. What is in use already stays, whatever the limits say.
fn clamped(stake: &Stake) -> i128 {
    stake.most.map_or(stake.demand, |most| stake.demand.min(most.max(0)))
}
