//! Volume claims, volumes that wait for one, and room for new ones; and what placed pods take
//! of them.
//!
//! [`Need`] is what a claim comes to for placing; [`serve`] says how the claims of one more pod
//! would be served on a node. Invariant: `attached`, `taken` and `joined` equal the sums over all
//! that holds room, and a count of zero has no entry. Written only by [`crate::op`] and
//! [`crate::ingest`]. Next: [`crate::class`] takes needs into classes.

mod need;
pub mod serve;

pub use need::{LateNeed, Need};

use crate::amount::Amount;
use crate::ids::{ClassId, ConstraintId, NodeId, PodId};
use crate::relation::Sign;
use crate::spec::{ClaimSpec, ClaimState, PodSpec, PoolSpec, VolumeSpec};
use std::collections::{BTreeMap, BTreeSet};

/// All that volumes are decided by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeTable {
    pub(crate) claims: BTreeMap<String, ClaimSpec>,
    pub(crate) volumes: BTreeMap<String, VolumeSpec>,
    pub(crate) pools: BTreeMap<String, PoolSpec>,
    /// Unfinished pods that use a claim, by its key.
    pub(crate) users: BTreeMap<String, BTreeSet<PodId>>,
    /// Volumes per class, smallest first, with the nodes that can use them.
    pub(crate) by_class: BTreeMap<String, BTreeMap<(Amount, String), Option<ConstraintId>>>,
    /// Nodes of each pool.
    pub(crate) pool_reach: BTreeMap<String, Option<ConstraintId>>,
    /// What is attached to each node, with how many pods use it.
    pub(crate) attached: BTreeMap<NodeId, BTreeMap<Attached, u32>>,
    /// Volumes that pods without a bound claim are to have.
    pub(crate) taken: BTreeMap<String, u32>,
    /// Late claims of several pods that one of them is served already: by which volume, if one
    /// that exists, and for how many.
    pub(crate) joined: BTreeMap<String, (Option<String>, u32)>,
    /// What was taken by an `Op` and has no pod yet.
    pub(crate) open: Vec<Service>,
    /// What placed pods were given for claims that are not bound yet, by claim.
    pub(crate) served: BTreeMap<PodId, Vec<(String, Served)>>,
}

/// One volume on a node: its driver, and its handle where other pods may share it.
pub type Attached = (String, Option<String>);

/// What serves one late claim of a pod.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Served {
    /// Which need of the class.
    pub need: usize,
    /// By what.
    pub by: Source,
    /// The claim, where it is told apart from others.
    pub claim: Option<String>,
    /// What it takes of the limit of attached volumes.
    pub attach: Option<Attached>,
}

/// By what a late claim is served.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A volume is made.
    Make,
    /// This volume, which exists.
    Take(String),
    /// What another pod of the same claim was given: this volume, or one that is made.
    Join(Option<String>),
}

/// What the late claims of one pod are given on a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Service {
    /// What the pod is.
    pub class: ClassId,
    /// Where it goes.
    pub node: NodeId,
    /// One per late need.
    pub served: Vec<Served>,
}

impl VolumeTable {
    /// Claims by key.
    #[must_use]
    pub const fn claims(&self) -> &BTreeMap<String, ClaimSpec> {
        &self.claims
    }

    /// Volumes that a late claim may take, by name.
    #[must_use]
    pub const fn volumes(&self) -> &BTreeMap<String, VolumeSpec> {
        &self.volumes
    }

    /// Room for new volumes, by key.
    #[must_use]
    pub const fn pools(&self) -> &BTreeMap<String, PoolSpec> {
        &self.pools
    }

    /// Unfinished pods that use the claim of this key, in order of row.
    pub fn users(&self, claim: &str) -> impl Iterator<Item = PodId> + '_ {
        self.users.get(claim).into_iter().flatten().copied()
    }

    /// True if no unfinished pod uses a claim.
    #[must_use]
    pub fn is_unused(&self) -> bool {
        self.users.is_empty()
    }

    /// True if more than one unfinished pod uses the claim.
    pub(crate) fn is_shared(&self, claim: &str) -> bool {
        self.users.get(claim).is_some_and(|pods| pods.len() > 1)
    }

    /// True if some volume is kept for the claim.
    pub(crate) fn is_kept_for(&self, claim: &str) -> bool {
        self.volumes.values().any(|volume| volume.kept_for.as_deref() == Some(claim))
    }

    /// How many volumes of a driver are attached to a node.
    #[must_use]
    pub fn attached(&self, node: NodeId, driver: &str) -> u32 {
        let rows = self.attached.get(&node).into_iter().flatten();
        rows.filter(|((of, _), _)| of == driver)
            .map(|((_, handle), count)| if handle.is_some() { 1 } else { *count })
            .sum()
    }

    pub(crate) fn attach(&mut self, node: NodeId, what: &Attached, count: u32, sign: Sign) {
        let rows = self.attached.entry(node).or_default();
        let row = rows.entry(what.clone()).or_insert(0);
        match sign {
            Sign::Plus => *row += count,
            Sign::Minus => *row -= count,
        }
        if *row == 0 {
            rows.remove(what);
        }
        if rows.is_empty() {
            self.attached.remove(&node);
        }
    }

    /// Gives a pod on a node what serves its claims, or takes it back.
    pub(crate) fn give(&mut self, node: NodeId, served: &[Served], sign: Sign) {
        for it in served {
            let volume = match &it.by {
                Source::Make | Source::Join(None) => None,
                Source::Take(volume) | Source::Join(Some(volume)) => Some(volume),
            };
            if let Some(volume) = volume {
                let count = self.taken.entry(volume.clone()).or_insert(0);
                step(count, sign);
                if *count == 0 {
                    self.taken.remove(volume);
                }
            }
            if let Some(claim) = &it.claim {
                let fresh = || (volume.cloned(), 0);
                let row = self.joined.entry(claim.clone()).or_insert_with(fresh);
                step(&mut row.1, sign);
                if row.1 == 0 {
                    self.joined.remove(claim);
                }
            }
            if let Some(what) = &it.attach {
                self.attach(node, what, 1, sign);
            }
        }
    }
}

fn step(count: &mut u32, sign: Sign) {
    match sign {
        Sign::Plus => *count += 1,
        Sign::Minus => *count -= 1,
    }
}

/// The keys of the claims that a pod uses.
pub fn claims_of(spec: &PodSpec) -> impl Iterator<Item = String> + '_ {
    spec.claims.iter().map(|claim| format!("{}/{}", spec.namespace, claim.name))
}

/// True if the claim is to be bound once its pod has a place.
pub(crate) fn is_late(claim: Option<&ClaimSpec>) -> bool {
    claim.is_some_and(|claim| matches!(claim.state, ClaimState::Late(_)))
}
