//! Claims and what serves them, and which pods use them.

use crate::ids::PodId;
use crate::snapshot::Snapshot;
use crate::spec::{ClaimSpec, PodSpec, PoolSpec, VolumeSpec};
use crate::volume::claims_of;

impl Snapshot {
    pub(crate) fn upsert_claim(&mut self, spec: ClaimSpec) {
        self.volumes.claims.insert(spec.key.clone(), spec);
    }

    pub(crate) fn remove_claim(&mut self, key: &str) {
        self.volumes.claims.remove(key);
    }

    pub(crate) fn upsert_volume(&mut self, spec: VolumeSpec) {
        self.volumes.volumes.insert(spec.name.clone(), spec);
    }

    pub(crate) fn remove_volume(&mut self, name: &str) {
        self.volumes.volumes.remove(name);
    }

    pub(crate) fn upsert_pool(&mut self, spec: PoolSpec) {
        self.volumes.pools.insert(spec.key.clone(), spec);
    }

    pub(crate) fn remove_pool(&mut self, key: &str) {
        self.volumes.pools.remove(key);
    }

    /// Notes that an unfinished pod uses its claims.
    pub(crate) fn use_claims(&mut self, pod: PodId, spec: &PodSpec) {
        for claim in claims_of(spec) {
            self.volumes.users.entry(claim).or_default().insert(pod);
        }
    }

    /// Notes that a pod uses its claims no more.
    pub(crate) fn leave_claims(&mut self, pod: PodId, spec: &PodSpec) {
        for claim in claims_of(spec) {
            if let Some(pods) = self.volumes.users.get_mut(&claim) {
                pods.remove(&pod);
                if pods.is_empty() {
                    self.volumes.users.remove(&claim);
                }
            }
        }
    }
}
