//! How the claims of one more pod would be served on a node: by volumes that exist before new
//! ones, by the smallest that does, each volume once.
//!
//! The order is Kubernetes' own: small claims first, and of equal volumes the first by name.
//! Next: `plugins/src/volumes.rs` asks, and the engine takes what is answered.

use super::{Attached, LateNeed, Need, Served, Source};
use crate::explain::NodeReason;
use crate::ids::{ClassId, ConstraintId, NodeId};
use crate::relation::holds;
use crate::snapshot::Snapshot;
use crate::spec::{VolumeSpec, VolumeStep};
use crate::{amount::Amount, ids::PodId};
use std::collections::BTreeSet;

impl Snapshot {
    /// True if pods of the class have claims that are bound once they have a place.
    #[must_use]
    pub fn has_late_claims(&self, class: ClassId) -> bool {
        let needs = &self.classes().get(class).key.needs;
        needs.iter().any(|need| matches!(need, Need::Late(_)))
    }

    /// True if what is placed may keep one more pod of the class off a node by its claims.
    #[must_use]
    pub fn counts_volumes(&self, class: ClassId) -> bool {
        self.classes().get(class).key.needs.iter().any(|need| match need {
            Need::Bound { attach, .. } => {
                attach.as_ref().is_some_and(|(driver, _)| self.nodes().limits(driver))
            }
            Need::Late(_) => true,
        })
    }

    /// True if what one pod of the class takes on a node leaves all other nodes as they were: no
    /// volume that exists may serve it, and no other pod uses its late claims.
    #[must_use]
    pub fn serves_node_by_node(&self, class: ClassId) -> bool {
        self.classes().get(class).key.needs.iter().all(|need| match need {
            Need::Bound { .. } => true,
            Need::Late(late) => {
                late.claim.is_none() && !self.volumes.by_class.contains_key(&late.class)
            }
        })
    }

    /// What serves the late claims of one more pod of the class on the node, one per claim.
    ///
    /// # Errors
    /// Why the node cannot serve them, or cannot attach all volumes of the pod.
    pub fn serve(&self, class: ClassId, node: NodeId) -> Result<Vec<Served>, NodeReason> {
        let row = self.classes().get(class);
        let mut served = Vec::new();
        let mut picked = BTreeSet::new();
        let mut fresh: BTreeSet<(&Attached, usize)> = BTreeSet::new();
        let mut wants: Vec<(Attached, usize)> = Vec::new();
        for (index, need) in row.key.needs.iter().enumerate() {
            match need {
                Need::Bound { attach, .. } => {
                    wants.extend(attach.clone().map(|attach| (attach, index)));
                }
                Need::Late(late) => {
                    let reach = row.reaches[index];
                    let by = self.source(late, (node, reach), &mut picked)?;
                    let attach = self.attach_of(late, &by);
                    wants.extend(attach.clone().map(|attach| (attach, index)));
                    served.push(Served { need: index, by, claim: late.claim.clone(), attach });
                }
            }
        }
        for (what, index) in &wants {
            // Shared ones count once, others each.
            let index = if what.1.is_some() { 0 } else { *index };
            let is_there = self
                .volumes
                .attached
                .get(&node)
                .is_some_and(|rows| what.1.is_some() && rows.contains_key(what));
            if !is_there {
                fresh.insert((what, index));
            }
        }
        self.check_limits(node, &fresh)?;
        Ok(served)
    }

    fn check_limits(
        &self,
        node: NodeId,
        fresh: &BTreeSet<(&Attached, usize)>,
    ) -> Result<(), NodeReason> {
        for (driver, limit) in &self.nodes().spec(node).attach_limits {
            let more = fresh.iter().filter(|((of, _), _)| of == driver).count();
            let more = u32::try_from(more).unwrap_or(u32::MAX);
            if more == 0 {
                continue;
            }
            if more > *limit {
                return Err(NodeReason::TooManyVolumes(driver.clone()));
            }
            if self.volumes.attached(node, driver).saturating_add(more) > *limit {
                return Err(NodeReason::AttachLimit(driver.clone()));
            }
        }
        Ok(())
    }

    fn source(
        &self,
        late: &LateNeed,
        (node, made_on): (NodeId, Option<ConstraintId>),
        picked: &mut BTreeSet<String>,
    ) -> Result<Source, NodeReason> {
        let lack = || NodeReason::NoVolume(late.class.clone());
        if let Some((volume, _)) = late.claim.as_ref().and_then(|it| self.volumes.joined.get(it)) {
            let reach = match volume {
                Some(name) => self.reach_of(name),
                None => made_on,
            };
            let is_near = self.is_within(reach, node);
            return if is_near { Ok(Source::Join(volume.clone())) } else { Err(lack()) };
        }
        if let Some(name) = self.free_volume(late, node, picked) {
            picked.insert(name.clone());
            return Ok(Source::Take(name));
        }
        let provision = late.provision.as_ref().ok_or_else(lack)?;
        if !self.is_within(made_on, node) {
            return Err(lack());
        }
        let has_room = !provision.counts_room
            || self.volumes.pools.values().any(|pool| {
                pool.class == late.class
                    && pool.largest >= late.bytes
                    && self.is_within(self.volumes.pool_reach[&pool.key], node)
            });
        if has_room { Ok(Source::Make) } else { Err(NodeReason::StorageRoom(late.class.clone())) }
    }

    /// The volume that serves a claim on the node: one kept for it, else the smallest.
    fn free_volume(
        &self,
        late: &LateNeed,
        node: NodeId,
        picked: &BTreeSet<String>,
    ) -> Option<String> {
        let all = self.volumes.by_class.get(&late.class)?;
        let rows = all.range((late.bytes, String::new())..);
        let mut fitting = rows
            .filter(|((_, name), _)| {
                !picked.contains(name) && !self.volumes.taken.contains_key(name)
            })
            .filter(|((_, name), _)| serves(&self.volumes.volumes[name], late))
            .filter(|(_, reach)| self.is_within(**reach, node))
            .map(|((_, name), _)| name);
        let is_kept = |name: &&String| self.volumes.volumes[*name].kept_for.is_some();
        if late.claim.is_none() {
            return fitting.next().cloned();
        }
        let all: Vec<&String> = fitting.collect();
        all.iter().find(|name| is_kept(name)).or(all.first()).map(|name| (*name).clone())
    }

    fn reach_of(&self, volume: &str) -> Option<ConstraintId> {
        let spec = self.volumes.volumes.get(volume)?;
        let rows = self.volumes.by_class.get(&spec.class)?;
        rows.get(&(spec.bytes, volume.to_owned())).copied().flatten()
    }

    fn attach_of(&self, late: &LateNeed, by: &Source) -> Option<Attached> {
        match by {
            Source::Make | Source::Join(None) => {
                let driver = late.provision.as_ref()?.driver.clone();
                Some((driver, late.claim.clone()))
            }
            Source::Take(name) | Source::Join(Some(name)) => {
                let attach = self.volumes.volumes.get(name)?.attach.as_ref()?;
                Some((attach.driver.clone(), Some(attach.handle.clone())))
            }
        }
    }

    fn is_within(&self, reach: Option<ConstraintId>, node: NodeId) -> bool {
        reach.is_none_or(|reach| {
            let name = &self.nodes().spec(node).name;
            self.constraints().get(reach).selects(self.labels(), node, name)
        })
    }

    /// What has to be done about a placed pod's claims before it is bound.
    #[must_use]
    pub fn volume_steps(&self, pod: PodId) -> Vec<VolumeStep> {
        let served = self.volumes.served.get(&pod).into_iter().flatten();
        let step = |(claim, served): &(String, Served)| {
            let uid = self.volumes.claims.get(claim)?.uid.clone();
            let claim = claim.clone();
            match &served.by {
                Source::Make => Some(VolumeStep::Provision { claim, uid }),
                Source::Take(volume) => {
                    let spec = self.volumes.volumes.get(volume)?;
                    let (version, is_kept) = (spec.version.clone(), spec.kept_for.is_some());
                    let volume = volume.clone();
                    Some(VolumeStep::Take { claim, uid, volume, version, is_kept })
                }
                Source::Join(_) => None,
            }
        };
        let mut steps: Vec<VolumeStep> = served.filter_map(step).collect();
        steps.sort();
        steps
    }
}

/// True if the volume is what the claim asks for, wherever it is.
fn serves(volume: &VolumeSpec, late: &LateNeed) -> bool {
    let is_for = volume.kept_for.is_none() || volume.kept_for == late.claim;
    is_for
        && volume.bytes >= late.bytes.max(Amount::ZERO)
        && volume.is_block == late.is_block
        && late.modes.iter().all(|mode| volume.modes.contains(mode))
        && late.selector.as_ref().is_none_or(|selector| {
            selector.requirements.iter().all(|requirement| holds(requirement, &volume.labels))
        })
}
