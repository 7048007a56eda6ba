//! What a person or a program reads of the queues: who has what, who borrows from whom.

use crate::engine::Engine;
use scheduler_model::amount::Amount;
use scheduler_model::queue::{Branch, Measure, Queue, QueueState};
use std::collections::{BTreeMap, BTreeSet};

/// One queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueView {
    /// Its name.
    pub name: String,
    /// The queue above it, as its object says.
    pub parent: Option<String>,
    /// Whether its gangs may start.
    pub state: QueueState,
    /// Weight among the queues with the same parent.
    pub weight: u32,
    /// Higher goes first where shares are equal.
    pub priority: i32,
    /// What it has of each resource: over all flavours, and by flavour where those are divided
    /// by themselves.
    pub amounts: BTreeMap<(Option<String>, String), QueueAmounts>,
}

/// What a queue and all below it have of one resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueAmounts {
    /// In use.
    pub used: Amount,
    /// Kept for it whether it wants it or not.
    pub kept: Amount,
    /// What it may call its own if it wants that much: by its object, or by its weight.
    pub entitled: Amount,
    /// Its own, of what it wants now.
    pub deserved: Amount,
    /// With what others lend it.
    pub fair: Amount,
    /// What it uses and what waits in it, as far as its limits let it run.
    pub demand: Amount,
    /// Its own ceiling.
    pub limit: Option<Amount>,
}

impl QueueAmounts {
    /// What it uses of what others are entitled to.
    #[must_use]
    pub fn borrowed(&self) -> Amount {
        self.used.minus(self.entitled).max(Amount::ZERO)
    }

    /// What it is entitled to and does not use, as far as that is not kept for it: others may.
    #[must_use]
    pub fn lent(&self) -> Amount {
        self.entitled.minus(self.used.max(self.kept)).max(Amount::ZERO)
    }
}

impl Engine {
    /// All queues in order of name.
    #[must_use]
    pub fn queues(&self) -> Vec<QueueView> {
        self.snapshot.queues().iter().map(|(id, row)| self.queue(Branch::Queue(id), row)).collect()
    }

    fn queue(&self, branch: Branch, row: &Queue) -> QueueView {
        let snap = &self.snapshot;
        let used =
            row.usage.keys().map(|(_, resource)| Measure { flavour: None, resource: *resource });
        let shares = snap.queues().shares(branch);
        let quotas = row.quotas.iter().map(|(measure, _)| *measure);
        let measures: BTreeSet<Measure> =
            shares.keys().copied().chain(used).chain(quotas).collect();
        let amounts = measures.into_iter().map(|measure| {
            let share = shares.get(&measure).copied().unwrap_or_default();
            let amounts = QueueAmounts {
                used: narrow(row.used(measure)),
                kept: narrow(share.kept),
                entitled: narrow(share.entitled),
                deserved: narrow(share.deserved),
                fair: narrow(share.fair),
                demand: narrow(share.demand),
                limit: row.quota(measure).and_then(|quota| quota.limit),
            };
            let flavour = measure.flavour.map(|it| snap.nodes().flavour_name(it).to_owned());
            ((flavour, snap.resources().name(measure.resource).to_owned()), amounts)
        });
        QueueView {
            name: row.spec.name.clone(),
            parent: row.spec.parent.clone(),
            state: row.state,
            weight: row.spec.weight,
            priority: row.spec.priority,
            amounts: amounts.collect(),
        }
    }
}

fn narrow(units: i128) -> Amount {
    Amount::new(i64::try_from(units).unwrap_or(i64::MAX))
}
