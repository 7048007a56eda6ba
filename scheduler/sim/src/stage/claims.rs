//! Claims that are bound with their pods: the virtual cluster makes or hands out the volume at
//! once, and the engine hears of it before it hears of the pod.
//!
//! Invariant: a volume goes to one claim, and only to one that it serves. Room of drivers is not
//! used up: nobody but the driver knows how much a volume takes.

use super::Stage;
use crate::checker::term_holds;
use scheduler_model::effect::Bind;
use scheduler_model::event::Event;
use scheduler_model::spec::{
    Attach, BoundVolume, ClaimSpec, ClaimState, LateClaim, NodeSpec, NodeTerm, Reach, Requirement,
    SelectorOperator, VolumeSpec, VolumeStep,
};

impl Stage {
    /// Why the cluster would not do what the bind asks about claims, if it would not.
    pub(super) fn check_claims(&self, bind: &Bind) -> Result<(), String> {
        for step in &bind.volumes {
            let (claim, uid) = match step {
                VolumeStep::Provision { claim, uid } | VolumeStep::Take { claim, uid, .. } => {
                    (claim, uid)
                }
            };
            let known = self.objects.claims.get(claim).filter(|known| known.uid == *uid);
            let known = known.ok_or_else(|| format!("there is no claim {claim:?}"))?;
            let ClaimState::Late(late) = &known.state else {
                return Err(format!("the claim {claim:?} does not wait for a pod"));
            };
            match step {
                VolumeStep::Provision { .. } => {
                    let provision = late.provision.as_ref();
                    let provision = provision.ok_or("nobody makes volumes of the class")?;
                    self.check_reach(&provision.reach, &bind.node)?;
                }
                VolumeStep::Take { volume, version, .. } => {
                    let found = self.objects.volumes.get(volume);
                    let found = found.filter(|found| found.version == *version);
                    let found = found.ok_or_else(|| format!("volume {volume:?} is gone"))?;
                    check_fit(known, late, found)?;
                    self.check_reach(&found.reach, &bind.node)?;
                }
            }
        }
        Ok(())
    }

    fn check_reach(&self, reach: &Reach, node: &str) -> Result<(), String> {
        let node = self.objects.nodes.get(node).ok_or("there is no such node")?;
        match reach {
            Some(terms) if !terms.iter().any(|term| term_holds(term, node)) => {
                Err(format!("the volume cannot be used on {:?}", node.name))
            }
            _ => Ok(()),
        }
    }

    /// Makes the volumes, or hands them out.
    pub(super) fn serve_claims(&mut self, bind: &Bind) {
        for step in &bind.volumes {
            let (VolumeStep::Provision { claim, .. } | VolumeStep::Take { claim, .. }) = step;
            let Some(known) = self.objects.claims.get(claim).cloned() else { continue };
            let volume = match step {
                VolumeStep::Provision { .. } => self.made(&known, &bind.node),
                VolumeStep::Take { volume, .. } => {
                    let found = self.objects.volumes.get(volume).cloned();
                    if found.is_some() {
                        self.tell(Event::VolumeGone(volume.clone()));
                    }
                    found.map(|it| BoundVolume {
                        name: it.name,
                        reach: it.reach,
                        attach: it.attach,
                    })
                }
            };
            let Some(volume) = volume else { continue };
            let state = ClaimState::Bound(volume);
            self.tell(Event::Claim(Box::new(ClaimSpec { state, ..known })));
        }
    }

    /// A new volume for the node, in that node's part of where the class makes volumes.
    fn made(&self, claim: &ClaimSpec, node: &str) -> Option<BoundVolume> {
        let ClaimState::Late(LateClaim { provision: Some(provision), .. }) = &claim.state else {
            return None;
        };
        let node = self.objects.nodes.get(node)?;
        let terms = provision.reach.as_ref();
        let term = terms.and_then(|terms| terms.iter().find(|term| term_holds(term, node)));
        let name = format!("pvc-{}", claim.uid);
        let attach = Attach { driver: provision.driver.clone(), handle: name.clone() };
        let reach = term.map(|term| vec![part_of(term, node)]);
        Some(BoundVolume { name, reach, attach: Some(attach) })
    }
}

/// Why the volume does not serve the claim.
fn check_fit(claim: &ClaimSpec, late: &LateClaim, volume: &VolumeSpec) -> Result<(), String> {
    let is_for = volume.kept_for.as_ref().is_none_or(|kept| *kept == claim.key);
    let has_modes = late.modes.iter().all(|mode| volume.modes.contains(mode));
    let fits = volume.class == late.class
        && volume.bytes >= late.bytes
        && volume.is_block == late.is_block
        && has_modes
        && is_for;
    fits.then_some(()).ok_or_else(|| {
        format!("the volume {:?} does not serve the claim {:?}", volume.name, claim.key)
    })
}

/// The same term with this node's values alone.
fn part_of(term: &NodeTerm, node: &NodeSpec) -> NodeTerm {
    let own = |requirement: &Requirement| match node.labels.get(&requirement.key) {
        Some(value) if requirement.operator == SelectorOperator::In => {
            Requirement { values: vec![value.clone()], ..requirement.clone() }
        }
        _ => requirement.clone(),
    };
    NodeTerm { labels: term.labels.iter().map(own).collect(), fields: term.fields.clone() }
}
