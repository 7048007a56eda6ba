//! Volume claims and what serves them, in the full form.

use super::{mirror, words};
use scheduler_model::amount::Amount;
use scheduler_model::spec::{
    Attach, BoundVolume, ClaimSpec, ClaimState, ClaimUse, LabelSelector, Labels, LateClaim,
    NodeTerm, PoolSpec, Provision, VolumeSpec,
};

mirror! {
    ClaimUse as ClaimUseFile, base ClaimUse { name: String::new(), is_own: false },
    required { name: String }
    optional { is_own: bool }
}

mirror! {
    ClaimSpec as ClaimFile,
    base ClaimSpec {
        key: String::new(),
        uid: String::new(),
        owner: None,
        is_once_pod: false,
        state: ClaimState::Unready(String::new()),
    },
    required { key: String, state: ClaimState }
    optional { uid: String, owner: Option<String>, is_once_pod: bool }
}

words! {
    ClaimState as ClaimStateFile ("camelCase") {
        Unready(String), Bound(BoundVolume), Late(LateClaim)
    }
}

mirror! {
    BoundVolume as BoundVolumeFile,
    base BoundVolume { name: String::new(), reach: None, attach: None },
    required { name: String }
    optional { reach: Option<Vec<NodeTerm>>, attach: Option<Attach> }
}

mirror! {
    Attach as AttachFile, base Attach { driver: String::new(), handle: String::new() },
    required { driver: String, handle: String }
    optional {}
}

mirror! {
    LateClaim as LateClaimFile,
    base LateClaim {
        class: String::new(),
        bytes: Amount::ZERO,
        modes: Vec::new(),
        is_block: false,
        selector: None,
        provision: None,
        chosen: None,
    },
    required { class: String }
    optional {
        bytes: Amount,
        modes: Vec<String>,
        is_block: bool,
        selector: Option<LabelSelector>,
        provision: Option<Provision>,
        chosen: Option<String>,
    }
}

mirror! {
    Provision as ProvisionFile,
    base Provision { driver: String::new(), reach: None, counts_room: false },
    required { driver: String }
    optional { reach: Option<Vec<NodeTerm>>, counts_room: bool }
}

mirror! {
    VolumeSpec as VolumeFile,
    base VolumeSpec {
        name: String::new(),
        version: String::new(),
        class: String::new(),
        bytes: Amount::ZERO,
        modes: Vec::new(),
        is_block: false,
        labels: Labels::new(),
        reach: None,
        attach: None,
        kept_for: None,
    },
    required { name: String }
    optional {
        version: String,
        class: String,
        bytes: Amount,
        modes: Vec<String>,
        is_block: bool,
        labels: Labels,
        reach: Option<Vec<NodeTerm>>,
        attach: Option<Attach>,
        kept_for: Option<String>,
    }
}

mirror! {
    PoolSpec as PoolFile,
    base PoolSpec {
        key: String::new(),
        class: String::new(),
        reach: None,
        largest: Amount::ZERO,
    },
    required { key: String }
    optional { class: String, reach: Option<Vec<NodeTerm>>, largest: Amount }
}
