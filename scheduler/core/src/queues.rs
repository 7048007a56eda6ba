//! What a person or a program reads of the queues: who has what, who borrows from whom.

use crate::engine::Engine;
use scheduler_model::amount::Amount;
use scheduler_model::explain::show_amount;
use scheduler_model::ids::QueueId;
use scheduler_model::queue::{Bound, Branch, Measure, NamedClash, Queue, QueueState, Share};
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{Dialect, NamespaceScope};
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
    /// What is wrong with it.
    pub trouble: Option<QueueTrouble>,
    /// Weight among the queues with the same parent.
    pub weight: u32,
    /// Higher goes first where shares are equal.
    pub priority: i32,
    /// What it has of each resource: over all flavours, and by flavour where those are divided
    /// by themselves.
    pub amounts: BTreeMap<(Option<String>, String), QueueAmounts>,
}

/// What is wrong with a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueTrouble {
    /// The queue above it does not exist.
    ParentMissing(String),
    /// It is above itself.
    CycleOfParents,
    /// A queue above it has no parent, or is above itself.
    ParentBroken(String),
    /// More is dedicated to it than it, or a queue above it, may use.
    Contradictory(NamedClash),
    /// More is dedicated to it than there is now, so that nothing of it is kept.
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
    /// Its weight is below 1.
    NoWeight,
    /// It speaks of a resource that no node has.
    ResourceMissing {
        /// On nodes of this flavour only.
        flavour: Option<String>,
        /// Of this resource.
        resource: String,
    },
    /// No namespace may use it.
    NoNamespace,
    /// No node has the labels that it and the queues above it ask for.
    NodesMissing,
}

impl QueueTrouble {
    /// One word for it, as conditions spell their reasons.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Self::ParentMissing(_) => "ParentMissing",
            Self::CycleOfParents => "CycleOfParents",
            Self::ParentBroken(_) => "ParentBroken",
            Self::Contradictory(NamedClash { bound, of, queue, .. }) => match bound {
                Bound::Limit | Bound::Borrowing if of == queue => "DedicatedAboveLimit",
                _ => "DedicatedAboveParent",
            },
            Self::DedicatedTooLarge { .. } => "DedicatedTooLarge",
            Self::NoWeight => "NoWeight",
            Self::ResourceMissing { .. } => "ResourceMissing",
            Self::NoNamespace => "NoNamespace",
            Self::NodesMissing => "NodesMissing",
        }
    }

    /// True if the queue is used as its object says all the same.
    #[must_use]
    pub const fn is_notice(&self) -> bool {
        matches!(self, Self::NoWeight | Self::ResourceMissing { .. } | Self::NodesMissing)
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
            Self::Contradictory(clash) => write!(f, "{clash}; its gangs wait"),
            Self::NoWeight => {
                write!(f, "its weight is below 1; it comes after all queues beside it")
            }
            Self::ResourceMissing { flavour, resource } => {
                write!(f, "it has an amount of {resource}, but no node")?;
                if let Some(flavour) = flavour {
                    write!(f, " of flavour {flavour:?}")?;
                }
                write!(f, " has any; it counts once one does")
            }
            Self::NoNamespace => write!(f, "no namespace may use it; its gangs wait"),
            Self::NodesMissing => {
                let what = "no node has the labels that it and the queues above it ask for";
                write!(f, "{what}; its gangs wait until one does")
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
        let mut missing = Missing::default();
        let all = self.snapshot.queues().iter();
        all.map(|(id, row)| self.queue(id, row, &mut missing)).collect()
    }

    /// The queue called `name`, without a look at any other.
    #[must_use]
    pub fn queue_named(&self, name: &str) -> Option<QueueView> {
        let id = self.snapshot.queues().find(name)?;
        Some(self.queue(id, self.snapshot.queues().get(id), &mut Missing::default()))
    }

    fn queue(&self, id: QueueId, row: &Queue, missing: &mut Missing) -> QueueView {
        let (snap, branch) = (&self.snapshot, Branch::Queue(id));
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
            trouble: self.trouble(id, row, missing),
            weight: row.spec.weight,
            priority: row.spec.priority,
            amounts: amounts.collect(),
        }
    }

    fn trouble(&self, id: QueueId, row: &Queue, missing: &mut Missing) -> Option<QueueTrouble> {
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
        if let Some(clash) = self.snapshot.clash(id) {
            return Some(QueueTrouble::Contradictory(clash));
        }
        let is_nobodys =
            |scope: &NamespaceScope| scope.names.is_empty() && scope.selector.is_none();
        if row.spec.namespaces.as_ref().is_some_and(is_nobodys) {
            return Some(QueueTrouble::NoNamespace);
        }
        let too_large = row.quotas.iter().find_map(|(measure, quota)| {
            let dedicated = quota.dedicated?;
            // What nobody has counted yet may be there.
            let exist = Amount::saturating(*queues.division().capacity.get(measure)?);
            let (flavour, resource) = self.names(*measure);
            let trouble = QueueTrouble::DedicatedTooLarge { flavour, resource, dedicated, exist };
            (dedicated > exist).then_some(trouble)
        });
        let too_large = too_large
            .or_else(|| (!self.snapshot.has_node_of(id)).then_some(QueueTrouble::NodesMissing));
        if row.spec.weight == 0 {
            return too_large.or(Some(QueueTrouble::NoWeight));
        }
        too_large.or_else(|| {
            let mut measures = row.quotas.iter().map(|(measure, _)| *measure);
            let none = measures.find(|measure| missing.has(&self.snapshot, *measure))?;
            let (flavour, resource) = self.names(none);
            Some(QueueTrouble::ResourceMissing { flavour, resource })
        })
    }

    fn names(&self, measure: Measure) -> (Option<String>, String) {
        let snap = &self.snapshot;
        let flavour = measure.flavour.map(|it| snap.nodes().flavour_name(it).to_owned());
        (flavour, snap.resources().name(measure.resource).to_owned())
    }
}

/// What was looked for on all nodes, and whether none has it.
#[derive(Debug, Default)]
struct Missing(BTreeMap<Measure, bool>);

impl Missing {
    /// True if no node has any of it. Without a single node nothing can be said.
    fn has(&mut self, snap: &Snapshot, measure: Measure) -> bool {
        if snap.queues().division().capacity.contains_key(&measure) {
            return false;
        }
        *self.0.entry(measure).or_insert_with(|| {
            let nodes = snap.nodes();
            let has = |node| {
                measure.counts(nodes.flavour(node))
                    && nodes.allocatable(node, measure.resource).units() > 0
            };
            !nodes.live().is_empty() && !nodes.live().iter().any(has)
        })
    }
}
