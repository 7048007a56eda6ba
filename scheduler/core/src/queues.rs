//! What a person or a program reads of the queues: who has what, who borrows from whom.

use crate::engine::Engine;
use scheduler_model::amount::Amount;
use scheduler_model::explain::show_amount;
use scheduler_model::queue::{Branch, Measure, Queue, QueueState, Share};
use scheduler_model::spec::Dialect;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// One queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueView {
    /// Its name.
    pub name: String,
    /// Uid of its object.
    pub uid: String,
    /// Kind of that object, if its status is ours to write.
    pub dialect: Option<Dialect>,
    /// The queue above it, as its object says.
    pub parent: Option<String>,
    /// Whether its gangs may start.
    pub state: QueueState,
    /// What keeps it from being what its object says.
    pub trouble: Option<QueueTrouble>,
    /// Weight among the queues with the same parent.
    pub weight: u32,
    /// Higher goes first where shares are equal.
    pub priority: i32,
    /// What it has of each resource: over all flavours, and by flavour where those are divided
    /// by themselves.
    pub amounts: BTreeMap<(Option<String>, String), QueueAmounts>,
}

/// What keeps a queue from being what its object says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueTrouble {
    /// The queue above it does not exist.
    ParentMissing(String),
    /// It is above itself.
    CycleOfParents,
    /// A queue above it has no parent, or is above itself.
    ParentBroken(String),
    /// More is dedicated to it than there is, so that nothing of it is kept.
    DedicatedTooLarge {
        /// On this flavour only.
        flavour: Option<String>,
        /// Of this resource.
        resource: String,
        /// So much is dedicated.
        dedicated: Amount,
        /// So much is there.
        exist: Amount,
    },
}

impl QueueTrouble {
    /// One word for it, as conditions spell their reasons.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::ParentMissing(_) => "ParentMissing",
            Self::CycleOfParents => "CycleOfParents",
            Self::ParentBroken(_) => "ParentBroken",
            Self::DedicatedTooLarge { .. } => "DedicatedTooLarge",
        }
    }
}

/// The sentence for people.
impl fmt::Display for QueueTrouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ParentMissing(parent) => {
                write!(f, "its parent {parent:?} does not exist; its gangs wait")
            }
            Self::CycleOfParents => write!(f, "its parents lead back to it; its gangs wait"),
            Self::ParentBroken(parent) => {
                let why = "is in a cycle of parents, or hangs on a missing one";
                write!(f, "its parent {parent:?} {why}; its gangs wait")
            }
            Self::DedicatedTooLarge { flavour, resource, dedicated, exist } => {
                write!(f, "{} are dedicated to it", show_amount(resource, *dedicated))?;
                if let Some(flavour) = flavour {
                    write!(f, " on flavour {flavour:?}")?;
                }
                let exist = show_amount(resource, *exist);
                write!(f, ", but queues have {exist} in all; nothing of it is kept")
            }
        }
    }
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
        // Demand counts what is used: without any, nobody divides this, and nobody lends it.
        if self.demand == Amount::ZERO {
            return Amount::ZERO;
        }
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

    /// The queue called `name`, without a look at any other.
    #[must_use]
    pub fn queue_named(&self, name: &str) -> Option<QueueView> {
        let id = self.snapshot.queues().find(name)?;
        Some(self.queue(Branch::Queue(id), self.snapshot.queues().get(id)))
    }

    fn queue(&self, branch: Branch, row: &Queue) -> QueueView {
        let snap = &self.snapshot;
        let used =
            row.usage.keys().map(|(_, resource)| Measure { flavour: None, resource: *resource });
        let shares: BTreeMap<Measure, Share> = snap.queues().shares(branch).collect();
        let quotas = row.quotas.iter().map(|(measure, _)| *measure);
        let measures: BTreeSet<Measure> =
            shares.keys().copied().chain(used).chain(quotas).collect();
        let amounts = measures.into_iter().map(|measure| {
            let share = shares.get(&measure).copied().unwrap_or_default();
            let amounts = QueueAmounts {
                used: Amount::saturating(row.used(measure)),
                kept: Amount::saturating(share.kept),
                entitled: Amount::saturating(share.entitled),
                deserved: Amount::saturating(share.deserved),
                fair: Amount::saturating(share.fair),
                demand: Amount::saturating(share.demand),
                limit: row.quota(measure).and_then(|quota| quota.limit),
            };
            let flavour = measure.flavour.map(|it| snap.nodes().flavour_name(it).to_owned());
            ((flavour, snap.resources().name(measure.resource).to_owned()), amounts)
        });
        QueueView {
            name: row.spec.name.clone(),
            uid: row.spec.uid.clone(),
            dialect: row.spec.dialect,
            parent: row.spec.parent.clone(),
            state: row.state,
            trouble: self.trouble(row),
            weight: row.spec.weight,
            priority: row.spec.priority,
            amounts: amounts.collect(),
        }
    }

    fn trouble(&self, row: &Queue) -> Option<QueueTrouble> {
        let queues = self.snapshot.queues();
        if let Some(parent) = row.spec.parent.as_ref().filter(|_| row.parent.is_none()) {
            return Some(match queues.find(parent) {
                None => QueueTrouble::ParentMissing(parent.clone()),
                Some(_) => QueueTrouble::CycleOfParents,
            });
        }
        if let Some(parent) = row.parent.filter(|_| row.state == QueueState::Broken) {
            return Some(QueueTrouble::ParentBroken(queues.get(parent).spec.name.clone()));
        }
        row.quotas.iter().find_map(|(measure, quota)| {
            let dedicated = quota.dedicated?;
            // What nobody has counted yet may be there.
            let exist = Amount::saturating(*queues.division().capacity.get(measure)?);
            let flavour =
                measure.flavour.map(|it| self.snapshot.nodes().flavour_name(it).to_owned());
            let resource = self.snapshot.resources().name(measure.resource).to_owned();
            let trouble = QueueTrouble::DedicatedTooLarge { flavour, resource, dedicated, exist };
            (dedicated > exist).then_some(trouble)
        })
    }
}
