//! Why a gang that has nodes is not bound yet: claims of its members are not.
//!
//! Invariant: it follows from the snapshot alone, so that a dump, read again, says the same.

use scheduler_model::explain::{Cure, Explanation, WaitReason};
use scheduler_model::ids::PodId;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{ClaimState, GangKey, PodPhase};
use scheduler_model::volume::claims_of;

/// The claims that these members of the gang wait for on their nodes.
pub(crate) fn explain(snap: &Snapshot, gang: &GangKey, members: &[PodId]) -> Option<Explanation> {
    if snap.volumes().is_unused() {
        return None;
    }
    let claims = snap.volumes().claims();
    let is_late =
        |key: &String| matches!(claims.get(key).map(|it| &it.state), Some(ClaimState::Late(_)));
    let (mut pods, mut first) = (0_u32, None);
    for pod in members.iter().map(|id| snap.pods().get(*id)) {
        if pod.place.node().is_none() || pod.spec.phase != PodPhase::Pending {
            continue;
        }
        let Some(claim) = claims_of(&pod.spec).filter(is_late).min() else { continue };
        pods = pods.saturating_add(1);
        first = first.into_iter().chain([claim]).min();
    }
    let why = "is not bound yet; its gang has nodes and waits for it".to_owned();
    Some(Explanation {
        gang: gang.clone(),
        reason: WaitReason::Volume { pods, claim: first?, why },
        placeable: 0,
        needed: 0,
        sets: Vec::new(),
        nearest: None,
        cure: Cure::Wait,
        next_step: "see what the driver of the claim says, if it takes long".to_owned(),
    })
}
