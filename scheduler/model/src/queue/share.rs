//! What a division of all there is gave to each queue.
//!
//! The engine works it out at the start of a cycle and hands it in; inside a cycle it stays as it
//! is, because a gang that is placed was wanted before and is used afterwards.

use super::{Queue, QueueTree, Usage};
use crate::ids::{FlavourId, Id, IndexVec, QueueId, ResourceId};
use std::collections::{BTreeMap, BTreeSet};

/// What quotas speak of and what is divided: a resource on the nodes of one flavour, or on all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Measure {
    /// On this flavour only; `None` sums over all.
    pub flavour: Option<FlavourId>,
    /// Of this resource.
    pub resource: ResourceId,
}

impl Measure {
    /// True if pods on nodes of `flavour` count.
    #[must_use]
    pub fn counts(self, flavour: FlavourId) -> bool {
        self.flavour.is_none_or(|only| only == flavour)
    }

    /// What counts of a use.
    #[must_use]
    pub fn of(self, usage: &Usage) -> i128 {
        match self.flavour {
            Some(flavour) => usage.get(&(flavour, self.resource)).copied().unwrap_or(0),
            None => {
                let all = usage.iter().filter(|((_, resource), _)| *resource == self.resource);
                all.map(|(_, used)| used).sum()
            }
        }
    }
}

/// What one queue got of one measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Kept for it whether it wants it or not.
    pub kept: i128,
    /// What it may call its own if it wants that much: what its object or its weight says.
    pub entitled: i128,
    /// Its own, of what it wants now.
    pub deserved: i128,
    /// With what others lend it.
    pub fair: i128,
    /// What it uses and what waits in it, as far as its limits let it run.
    pub demand: i128,
}

/// The level of a branch that uses just what it is entitled to. Fine enough to tell one byte in a
/// terabyte.
pub const ENTITLED: i128 = 1_000_000_000_000;

/// Who stands in a line with others below the same parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Branch {
    /// A queue with all that is below it.
    Queue(QueueId),
    /// The own gangs of a queue that has queues below it: like one more of them, of weight 1.
    Own(QueueId),
}

/// What there was to divide, and who keeps a part of it from others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Division {
    /// All that queues may use together.
    pub capacity: BTreeMap<Measure, i128>,
    /// What was free on nodes that take pods when it was last counted; only where something is
    /// kept for somebody.
    pub free: BTreeMap<Measure, i128>,
    /// Queues that something is kept for, by their parents.
    pub keepers: BTreeMap<(Option<QueueId>, Measure), Vec<QueueId>>,
    /// Queues that have others below them.
    pub parents: BTreeSet<QueueId>,
}

impl Division {
    /// Nothing is kept for queues that are gone; all else is as it was until the next division.
    pub(super) fn forget(&mut self, gone: &BTreeSet<QueueId>) {
        if gone.is_empty() {
            return;
        }
        for keepers in self.keepers.values_mut() {
            keepers.retain(|queue| !gone.contains(queue));
        }
        self.keepers.retain(|(parent, _), keepers| {
            !keepers.is_empty() && parent.is_none_or(|parent| !gone.contains(&parent))
        });
        self.parents.retain(|queue| !gone.contains(queue));
    }
}

/// What all branches got of one measure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Column {
    queues: IndexVec<QueueId, Share>,
    own: IndexVec<QueueId, Share>,
}

impl QueueTree {
    /// What a branch got of a measure.
    #[must_use]
    pub fn share(&self, branch: Branch, measure: Measure) -> Share {
        self.shares.get(&measure).map(|column| column.get(branch)).unwrap_or_default()
    }

    /// What a branch got of each measure that is divided.
    pub fn shares(&self, branch: Branch) -> impl Iterator<Item = (Measure, Share)> + '_ {
        self.shares.iter().map(move |(measure, column)| (*measure, column.get(branch)))
    }

    /// What a branch uses.
    #[must_use]
    pub fn usage(&self, branch: Branch) -> &Usage {
        let row: &Queue = self.get(branch.queue());
        match branch {
            Branch::Queue(_) => &row.usage,
            Branch::Own(_) => row.own(),
        }
    }

    /// The branches that lead from the top down to the gangs of a queue.
    #[must_use]
    pub fn branches(&self, queue: QueueId) -> Vec<Branch> {
        let mut branches: Vec<Branch> = self.ids_up(queue).map(Branch::Queue).collect();
        branches.reverse();
        if self.division.parents.contains(&queue) {
            branches.push(Branch::Own(queue));
        }
        branches
    }

    /// How well off a branch is with `more` than it uses, by the measure of which it has most:
    /// 0 without any use, [`ENTITLED`] with all it is entitled to, more with what others lend it.
    /// On which flavour it would use more is not known, so that counts over all only.
    #[must_use]
    pub fn level(&self, branch: Branch, more: &[(ResourceId, i128)]) -> i128 {
        let usage = self.usage(branch);
        let used = usage.keys().flat_map(|(flavour, resource)| {
            [None, Some(*flavour)].map(|flavour| Measure { flavour, resource: *resource })
        });
        let wanted = more.iter().map(|(it, _)| Measure { flavour: None, resource: *it });
        let level = |measure: Measure| {
            // What nobody divides says nothing about who has more.
            let capacity = *self.division.capacity.get(&measure)?;
            let used = measure.of(usage) + of(more, measure);
            Some(self.level_in(branch, measure, capacity, used))
        };
        used.chain(wanted).filter_map(level).max().unwrap_or(0)
    }

    /// True if a branch wants more of something than is fair, and has that much with `more` than
    /// it uses.
    #[must_use]
    pub fn is_satisfied(&self, branch: Branch, more: &[(ResourceId, i128)]) -> bool {
        let usage = self.usage(branch);
        self.shares(branch).any(|(measure, share)| {
            let used = measure.of(usage);
            // Whatever is so little that it is none: a queue with a weight has its first place.
            let fair = share.fair.max(1);
            share.demand > fair && used > 0 && used + of(more, measure) >= fair
        })
    }

    fn level_in(&self, branch: Branch, measure: Measure, capacity: i128, used: i128) -> i128 {
        let entitled = self.share(branch, measure).entitled;
        if used <= 0 {
            return 0;
        }
        if used <= entitled {
            return used.saturating_mul(ENTITLED) / entitled;
        }
        let weight = match branch {
            Branch::Queue(queue) => self.get(queue).spec.weight.max(1),
            Branch::Own(_) => 1,
        };
        let lent = (used - entitled).saturating_mul(ENTITLED);
        ENTITLED + lent / capacity.max(1).saturating_mul(i128::from(weight))
    }

    /// Takes over a new division.
    pub(crate) fn set_division(&mut self, division: Division) {
        self.division = division;
        self.shares.clear();
    }

    /// Takes over what is free now.
    pub(crate) fn set_free(&mut self, free: BTreeMap<Measure, i128>) {
        self.taken.clear();
        self.division.free = free;
    }

    /// Takes over what a branch got of a measure.
    pub(crate) fn set_share(&mut self, branch: Branch, measure: Measure, share: Share) {
        let column = self.shares.entry(measure).or_default();
        let shares = match branch {
            Branch::Queue(_) => &mut column.queues,
            Branch::Own(_) => &mut column.own,
        };
        shares.grow(branch.queue().index() + 1, Share::default());
        shares[branch.queue()] = share;
    }
}

/// What more there is of a measure.
fn of(more: &[(ResourceId, i128)], measure: Measure) -> i128 {
    let found = more.iter().find(|(it, _)| *it == measure.resource && measure.flavour.is_none());
    found.map_or(0, |(_, units)| *units)
}

impl Column {
    fn get(&self, branch: Branch) -> Share {
        let shares = match branch {
            Branch::Queue(_) => &self.queues,
            Branch::Own(_) => &self.own,
        };
        shares.get(branch.queue()).copied().unwrap_or_default()
    }
}

impl Branch {
    /// The queue it is or belongs to.
    #[must_use]
    pub const fn queue(self) -> QueueId {
        match self {
            Self::Queue(queue) | Self::Own(queue) => queue,
        }
    }
}
