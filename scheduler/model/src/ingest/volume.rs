//! Claims and what serves them, which pods use them, and what placed pods were given.
//!
//! Invariant after every call: the class of each unfinished pod says what its claims come to
//! now, and a pod is given nothing for a claim that is not to be bound late any more.

use crate::ids::{NodeId, PodId};
use crate::relation::Sign;
use crate::snapshot::Snapshot;
use crate::spec::{ClaimSpec, ClaimState, ClaimUse, PodSpec, PoolSpec, VolumeSpec};
use crate::volume::{Need, Served, Service, Source, claims_of, is_late};
use std::collections::BTreeSet;

/// Claims.
impl Snapshot {
    pub(crate) fn upsert_claim(&mut self, spec: ClaimSpec) {
        let key = spec.key.clone();
        self.volumes.claims.insert(key.clone(), spec);
        self.claim_changed(&key);
    }

    pub(crate) fn remove_claim(&mut self, key: &str) {
        if self.volumes.claims.remove(key).is_some() {
            self.claim_changed(key);
        }
    }

    fn claim_changed(&mut self, key: &str) {
        let pods: Vec<PodId> = self.volumes.users(key).collect();
        if !is_late(self.volumes.claims.get(key)) {
            for pod in &pods {
                self.serve_no_more(*pod, key);
            }
        }
        self.intern_anew(pods);
    }

    /// Notes that an unfinished pod uses its claims. The second user of a claim makes it matter
    /// which claim the first one uses.
    pub(crate) fn use_claims(&mut self, pod: PodId, spec: &PodSpec) {
        for claim in claims_of(spec) {
            let pods = self.volumes.users.entry(claim).or_default();
            let alone: Vec<PodId> = pods.iter().copied().filter(|_| pods.len() == 1).collect();
            pods.insert(pod);
            self.intern_anew(alone);
        }
    }

    /// Notes that a pod uses its claims no more.
    pub(crate) fn leave_claims(&mut self, pod: PodId, spec: &PodSpec) {
        for claim in claims_of(spec) {
            let Some(pods) = self.volumes.users.get_mut(&claim) else { continue };
            pods.remove(&pod);
            let alone: Vec<PodId> = pods.iter().copied().filter(|_| pods.len() == 1).collect();
            if pods.is_empty() {
                self.volumes.users.remove(&claim);
            }
            self.intern_anew(alone);
        }
    }

    /// What keeps a pod from being placed on any node now: the claim, and words that complete
    /// "the claim …".
    #[must_use]
    pub fn claim_in_the_way(&self, pod: PodId) -> Option<(String, String)> {
        let spec = &self.pods.get(pod).spec;
        let keys = claims_of(spec);
        let uses = spec.claims.iter().zip(keys);
        uses.filter_map(|(wish, key)| {
            let why = self.trouble(pod, &key, wish)?;
            Some((key, why))
        })
        .next()
    }

    fn trouble(&self, pod: PodId, key: &str, wish: &ClaimUse) -> Option<String> {
        let Some(claim) = self.volumes.claims.get(key) else {
            return Some("is not found".to_owned());
        };
        let uid = &self.pods.get(pod).spec.uid;
        if wish.is_own && claim.owner.as_ref() != Some(uid) {
            return Some("was not made for this pod".to_owned());
        }
        if let ClaimState::Unready(why) = &claim.state {
            return Some(why.clone());
        }
        let holds = |other: &PodId| *other != pod && self.pods.get(*other).place.is_placed();
        let holders = self.volumes.users(key).filter(|_| claim.is_once_pod).filter(holds);
        let holder = holders.map(|other| &self.pods.get(other).spec.name).min()?;
        Some(format!("may be used by one pod at a time, and the pod {holder:?} uses it"))
    }
}

/// What serves claims.
impl Snapshot {
    pub(crate) fn upsert_volume(&mut self, spec: VolumeSpec) {
        let kept = self.forget_volume(&spec.name);
        let kept: BTreeSet<String> = kept.into_iter().chain(spec.kept_for.clone()).collect();
        let reach = self.intern_reach(spec.reach.clone());
        let rows = self.volumes.by_class.entry(spec.class.clone()).or_default();
        rows.insert((spec.bytes, spec.name.clone()), reach);
        self.volumes.volumes.insert(spec.name.clone(), spec);
        self.kept_changed(&kept);
    }

    pub(crate) fn remove_volume(&mut self, name: &str) {
        let kept = self.forget_volume(name);
        self.kept_changed(&kept.into_iter().collect());
    }

    /// Takes a volume out; answers the claim it was kept for.
    fn forget_volume(&mut self, name: &str) -> Option<String> {
        let spec = self.volumes.volumes.remove(name)?;
        if let Some(rows) = self.volumes.by_class.get_mut(&spec.class) {
            rows.remove(&(spec.bytes, spec.name));
            if rows.is_empty() {
                self.volumes.by_class.remove(&spec.class);
            }
        }
        spec.kept_for
    }

    /// A claim for which a volume is kept is told apart from others.
    fn kept_changed(&mut self, claims: &BTreeSet<String>) {
        for claim in claims {
            let pods: Vec<PodId> = self.volumes.users(claim).collect();
            self.intern_anew(pods);
        }
    }

    pub(crate) fn upsert_pool(&mut self, spec: PoolSpec) {
        let reach = self.intern_reach(spec.reach.clone());
        self.volumes.pool_reach.insert(spec.key.clone(), reach);
        self.volumes.pools.insert(spec.key.clone(), spec);
    }

    pub(crate) fn remove_pool(&mut self, key: &str) {
        self.volumes.pool_reach.remove(key);
        self.volumes.pools.remove(key);
    }
}

/// What placed pods were given.
impl Snapshot {
    /// Gives a pod that is about to be named what serves its claims, or takes that back.
    pub(crate) fn open_service(&mut self, service: Service, sign: Sign) {
        self.volumes.give(service.node, &service.served, sign);
        match sign {
            Sign::Plus => self.volumes.open.push(service),
            Sign::Minus => {
                let last = self.volumes.open.pop();
                assert_eq!(last, Some(service), "what was given last is taken back first");
            }
        }
    }

    /// Makes what was given to a pod of this class on this node this pod's own.
    pub(crate) fn own_service(&mut self, pod: PodId, node: NodeId) {
        let class = self.pods.get(pod).class;
        let is_it = |it: &Service| Some(it.class) == class && it.node == node;
        let Some(at) = self.volumes.open.iter().position(is_it) else { return };
        let service = self.volumes.open.remove(at);
        let needs = self.volumes.needs(&self.pods.get(pod).spec);
        self.volumes.give(node, &service.served, Sign::Minus);
        let named = |mut served: Served| {
            let (need, claim) = &needs[served.need];
            debug_assert!(matches!(need, Need::Late(_)), "only late claims are served");
            // From now on it is known which claim it is, should another pod use it, too.
            served.claim = Some(claim.clone());
            if let (Source::Make | Source::Join(None), Some((_, handle))) =
                (&served.by, &mut served.attach)
            {
                *handle = Some(claim.clone());
            }
            (claim.clone(), served)
        };
        let served: Vec<(String, Served)> = service.served.into_iter().map(named).collect();
        self.volumes.served.insert(pod, served);
        self.give_served(pod, Sign::Plus);
    }

    /// Charges what a placed pod was given, or takes the charge back.
    pub(crate) fn give_served(&mut self, pod: PodId, sign: Sign) {
        let Some(rows) = self.volumes.served.get(&pod) else { return };
        // Members of a gang that is finished hold nothing.
        let Some(node) = self.charge_of(pod).map(|charge| charge.node) else { return };
        let served: Vec<Served> = rows.iter().map(|(_, served)| served.clone()).collect();
        self.volumes.give(node, &served, sign);
    }

    /// The claim is the pod's own affair no more.
    fn serve_no_more(&mut self, pod: PodId, claim: &str) {
        if !self.volumes.served.contains_key(&pod) {
            return;
        }
        self.give_served(pod, Sign::Minus);
        if let Some(rows) = self.volumes.served.get_mut(&pod) {
            rows.retain(|(of, _)| of != claim);
            if rows.is_empty() {
                self.volumes.served.remove(&pod);
            }
        }
        self.give_served(pod, Sign::Plus);
    }
}
