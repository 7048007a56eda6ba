//! Random claims, volumes and room for volumes.

use crate::random::{amount, labels, node_term, selector, text};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use scheduler_model::event::Event;
use scheduler_model::spec::*;

prop_compose! {
    pub(crate) fn claim_use()(name in text(), is_own in any::<bool>()) -> ClaimUse {
        ClaimUse { name, is_own }
    }
}

fn reach() -> impl Strategy<Value = Reach> {
    of(vec(node_term().boxed(), 0..2))
}

prop_compose! {
    fn attach()(driver in text(), handle in text()) -> Attach {
        Attach { driver, handle }
    }
}

prop_compose! {
    fn provision()(driver in text(), reach in reach(), counts_room in any::<bool>()) -> Provision {
        Provision { driver, reach, counts_room }
    }
}

prop_compose! {
    fn late()(
        (class, bytes, modes, is_block) in
            (text(), amount(), vec(text(), 0..2), any::<bool>()),
        (selector, provision, chosen) in (of(selector()), of(provision()), of(text())),
    ) -> LateClaim {
        LateClaim { class, bytes, modes, is_block, selector, provision, chosen }
    }
}

fn state() -> impl Strategy<Value = ClaimState> {
    let bound = (text(), reach(), of(attach()))
        .prop_map(|(name, reach, attach)| ClaimState::Bound(BoundVolume { name, reach, attach }));
    prop_oneof![text().prop_map(ClaimState::Unready), bound, late().prop_map(ClaimState::Late)]
}

prop_compose! {
    fn claim()(
        (key, uid, owner, is_once_pod) in (text(), text(), of(text()), any::<bool>()),
        state in state(),
    ) -> ClaimSpec {
        ClaimSpec { key, uid, owner, is_once_pod, state }
    }
}

prop_compose! {
    fn volume()(
        (name, version, class, bytes) in (text(), text(), text(), amount()),
        (modes, is_block, labels) in (vec(text(), 0..2), any::<bool>(), labels()),
        (reach, attach, kept_for) in (reach(), of(attach()), of(text())),
    ) -> VolumeSpec {
        VolumeSpec { name, version, class, bytes, modes, is_block, labels, reach, attach, kept_for }
    }
}

prop_compose! {
    fn pool()((key, class, reach, largest) in (text(), text(), reach(), amount())) -> PoolSpec {
        PoolSpec { key, class, reach, largest }
    }
}

pub(crate) fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        claim().prop_map(|claim| Event::Claim(Box::new(claim))),
        volume().prop_map(|volume| Event::Volume(Box::new(volume))),
        pool().prop_map(|pool| Event::Pool(Box::new(pool))),
    ]
}

pub(crate) fn gone() -> impl Strategy<Value = Event> {
    prop_oneof![
        text().prop_map(Event::ClaimGone),
        text().prop_map(Event::VolumeGone),
        text().prop_map(Event::PoolGone),
    ]
}
