//! What a claim comes to for placing a pod: all that can change where the pod may go, and no
//! names where one claim is as good as another.

use super::{VolumeTable, claims_of};
use crate::amount::Amount;
use crate::spec::{ClaimState, LabelSelector, PodSpec, Provision, Reach};

/// What one claim of a pod asks of its node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// A volume that exists and is the claim's.
    Bound {
        /// Nodes that can use it.
        reach: Reach,
        /// Driver that attaches it, and its handle where other pods use the claim, too.
        attach: Option<(String, Option<String>)>,
    },
    /// A volume that is taken or made once the pod has a place.
    Late(Box<LateNeed>),
}

/// What a late claim asks for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LateNeed {
    /// Least size in bytes. First, so that small claims are served first.
    pub bytes: Amount,
    /// Storage class.
    pub class: String,
    /// Access modes wanted, sorted.
    pub modes: Vec<String>,
    /// It is wanted as a block device.
    pub is_block: bool,
    /// Which volumes may serve it.
    pub selector: Option<LabelSelector>,
    /// How a volume is made for it.
    pub provision: Option<Provision>,
    /// The claim, where other pods use it, too, or a volume is kept for it.
    pub claim: Option<String>,
}

impl VolumeTable {
    /// What the claims of a pod come to, each with its key, in order. Claims that keep the pod
    /// from being placed at all are left out, and of pods of others what only concerns placing.
    pub(crate) fn needs(&self, spec: &PodSpec) -> Vec<(Need, String)> {
        let mut needs: Vec<(Need, String)> =
            claims_of(spec).filter_map(|key| Some((self.need(spec, &key)?, key))).collect();
        needs.sort();
        needs
    }

    fn need(&self, spec: &PodSpec, key: &str) -> Option<Need> {
        match &self.claims.get(key)?.state {
            ClaimState::Unready(_) => None,
            ClaimState::Bound(volume) => {
                let attach = volume.attach.as_ref().map(|attach| {
                    let handle = self.is_shared(key).then(|| attach.handle.clone());
                    (attach.driver.clone(), handle)
                });
                let reach = volume.reach.clone().filter(|_| spec.ours);
                (reach.is_some() || attach.is_some()).then_some(Need::Bound { reach, attach })
            }
            ClaimState::Late(late) => spec.ours.then(|| {
                let is_told_apart = self.is_shared(key) || self.is_kept_for(key);
                Need::Late(Box::new(LateNeed {
                    bytes: late.bytes,
                    class: late.class.clone(),
                    modes: late.modes.clone(),
                    is_block: late.is_block,
                    selector: late.selector.clone(),
                    provision: late.provision.clone(),
                    claim: is_told_apart.then(|| key.to_owned()),
                }))
            }),
        }
    }
}
