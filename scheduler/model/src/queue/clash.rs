//! Amounts that contradict each other: more is dedicated to a queue than it, or a queue above
//! it, may use or keeps.
//!
//! Only what objects say is compared, never what the cluster has: nodes come and go, and a lost
//! node stops no queue. Next: `link.rs`, which keeps the gangs of such a queue waiting.

use super::{Measure, Queue, QueueTree};
use crate::amount::{Amount, Unit};
use crate::ids::{QueueId, ResourceId};
use crate::snapshot::Snapshot;
use crate::spec::Quota;
use std::collections::BTreeSet;
use std::fmt;

/// What an amount is above of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// A limit.
    Limit,
    /// What is deserved, with all that may be borrowed.
    Borrowing,
    /// What is dedicated to a queue above.
    Dedicated,
}

/// Two amounts that cannot both hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clash {
    /// Of what.
    pub measure: Measure,
    /// So much is dedicated to the queue.
    pub dedicated: Amount,
    /// Which amount forbids it.
    pub bound: Bound,
    /// Whose: its own, or that of a queue above.
    pub of: QueueId,
    /// That amount.
    pub most: Amount,
}

/// The same with names instead of ids, for people and programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedClash {
    /// The queue that too much is dedicated to.
    pub queue: String,
    /// On this flavour only.
    pub flavour: Option<String>,
    /// Of this resource.
    pub resource: String,
    /// So much is dedicated to it.
    pub dedicated: Amount,
    /// Which amount forbids it.
    pub bound: Bound,
    /// Whose amount that is: its own, or that of a queue above.
    pub of: String,
    /// That amount.
    pub most: Amount,
}

/// The sentence for people, with both amounts.
impl fmt::Display for NamedClash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { queue, flavour, resource, dedicated, bound, of, most } = self;
        let unit = Unit::of(resource);
        let (dedicated, most) = (unit.show(*dedicated), unit.show(*most));
        write!(f, "{dedicated} {resource}")?;
        if let Some(flavour) = flavour {
            write!(f, " of flavour {flavour:?}")?;
        }
        write!(f, " are dedicated to queue {queue:?}, but ")?;
        match bound {
            Bound::Limit if of == queue => write!(f, "its limit is {most}"),
            Bound::Limit => write!(f, "the limit of queue {of:?} above it is {most}"),
            Bound::Borrowing => {
                let who =
                    if of == queue { "it".to_owned() } else { format!("queue {of:?} above it") };
                write!(f, "{who} may use {most} with all that it may borrow")
            }
            Bound::Dedicated => write!(f, "only {most} are dedicated to queue {of:?} above it"),
        }
    }
}

impl NamedClash {
    /// What somebody can do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        let Self { queue, of, .. } = self;
        let mends = match self.bound {
            Bound::Limit => format!("raise the limit of queue {of:?}"),
            Bound::Borrowing => format!("let queue {of:?} borrow more"),
            Bound::Dedicated => format!("dedicate more to queue {of:?}"),
        };
        format!("lower what is dedicated to the queue {queue:?}, or {mends}")
    }
}

impl Snapshot {
    /// What contradicts what is dedicated to a queue, if anything does.
    #[must_use]
    pub fn clash(&self, queue: QueueId) -> Option<NamedClash> {
        let Clash { measure, dedicated, bound, of, most } = self.queues().clash(queue)?;
        let name = |id| self.queues().get(id).spec.name.clone();
        Some(NamedClash {
            queue: name(queue),
            flavour: measure.flavour.map(|it| self.nodes().flavour_name(it).to_owned()),
            resource: self.resources().name(measure.resource).to_owned(),
            dedicated,
            bound,
            of: name(of),
            most,
        })
    }
}

impl QueueTree {
    /// The first contradiction in what is dedicated to a queue, from itself upwards.
    #[must_use]
    pub fn clash(&self, queue: QueueId) -> Option<Clash> {
        let dedicated = dedicated(self.get(queue));
        if dedicated.is_empty() {
            return None;
        }
        self.ids_up(queue).find_map(|of| {
            let row = self.get(of);
            dedicated.iter().find_map(|(measure, units)| {
                let quota = row.quota(*measure)?;
                let kept = quota.dedicated.filter(|_| of != queue);
                let (bound, most) = bounds(quota, kept).find(|(_, most)| most < units)?;
                let amounts = (Amount::saturating(*units), Amount::saturating(most));
                let (dedicated, most) = amounts;
                Some(Clash { measure: *measure, dedicated, bound, of, most })
            })
        })
    }
}

/// True if two lists of quotas cannot differ in what contradicts what.
pub(super) fn is_same(before: &[(Measure, Quota)], after: &[(Measure, Quota)]) -> bool {
    // What is deserved matters to what may be borrowed.
    let of = |(measure, quota): &(Measure, Quota)| {
        let Quota { dedicated, deserved, limit, borrowing_limit, lending_limit: _ } = *quota;
        let deserved = deserved.filter(|_| borrowing_limit.is_some());
        (*measure, dedicated, deserved, limit, borrowing_limit)
    };
    before.len() == after.len() && before.iter().map(of).eq(after.iter().map(of))
}

/// What may be dedicated at most, where `kept` is dedicated to a queue above.
fn bounds(quota: &Quota, kept: Option<Amount>) -> impl Iterator<Item = (Bound, i128)> {
    let units = |amount: Amount| i128::from(amount.units());
    let borrowing = quota.deserved.zip(quota.borrowing_limit);
    [
        quota.limit.map(|it| (Bound::Limit, units(it))),
        borrowing.map(|(own, more)| (Bound::Borrowing, units(own) + units(more))),
        kept.map(|it| (Bound::Dedicated, units(it))),
    ]
    .into_iter()
    .flatten()
}

/// What is dedicated to a queue, by measure. What is kept on flavours is kept over all, too.
fn dedicated(row: &Queue) -> Vec<(Measure, i128)> {
    let said = |(measure, quota): &(Measure, Quota)| {
        Some((*measure, i128::from(quota.dedicated?.units()))).filter(|(_, units)| *units > 0)
    };
    let mut all: Vec<(Measure, i128)> = row.quotas.iter().filter_map(said).collect();
    let on_flavours = all.iter().filter(|(measure, _)| measure.flavour.is_some());
    let resources: BTreeSet<ResourceId> = on_flavours.map(|(it, _)| it.resource).collect();
    for resource in resources {
        let whole = Measure { flavour: None, resource };
        let each = all.iter().filter(|(it, _)| it.flavour.is_some() && it.resource == resource);
        let sum: i128 = each.map(|(_, units)| units).sum();
        match all.iter_mut().find(|(measure, _)| *measure == whole) {
            Some((_, units)) => *units = sum.max(*units),
            None => all.push((whole, sum)),
        }
    }
    all
}
