//! Volume claims, volumes that wait for one, and room for new ones, as last told.
//!
//! Next: [`crate::class`] takes what the claims of a pod come to into its class.

use crate::ids::PodId;
use crate::spec::{ClaimSpec, PodSpec, PoolSpec, VolumeSpec};
use std::collections::{BTreeMap, BTreeSet};

/// All that volumes are decided by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeTable {
    pub(crate) claims: BTreeMap<String, ClaimSpec>,
    pub(crate) volumes: BTreeMap<String, VolumeSpec>,
    pub(crate) pools: BTreeMap<String, PoolSpec>,
    /// Unfinished pods that use a claim, by its key.
    pub(crate) users: BTreeMap<String, BTreeSet<PodId>>,
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
}

/// The keys of the claims that a pod uses.
pub fn claims_of(spec: &PodSpec) -> impl Iterator<Item = String> + '_ {
    spec.claims.iter().map(|claim| format!("{}/{}", spec.namespace, claim.name))
}
