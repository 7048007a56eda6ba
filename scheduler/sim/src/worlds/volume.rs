//! Draws volume claims and what serves them, once it is known which pods wait.

use super::node::HOSTNAME;
use super::{Dice, Draft, Feature};
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::spec::{
    Attach, BoundVolume, ClaimSpec, ClaimState, ClaimUse, Labels, LateClaim, NodeTerm, PodSpec,
    PoolSpec, Provision, Reach, Requirement, SelectorOperator, VolumeSpec,
};
use std::collections::BTreeMap;

/// Driver of all volumes.
const DRIVER: &str = "disk.example.com";

/// What the claims of one gang are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One bound claim for all.
    Shared,
    /// A bound claim each.
    Bound,
    /// A claim each for which a volume is made.
    Made,
    /// A claim each that takes a local volume.
    Local,
    /// A claim each that is not ready.
    Unready,
    /// Claims that are not there.
    Missing,
    /// One claim that is for one pod at a time.
    Once,
}

const KINDS: [Kind; 9] = [
    Kind::Shared,
    Kind::Bound,
    Kind::Bound,
    Kind::Made,
    Kind::Made,
    Kind::Local,
    Kind::Unready,
    Kind::Missing,
    Kind::Once,
];

/// Gives pods claims; answers what they need, as news.
pub(super) fn draw(draft: &mut Draft) -> Vec<Event> {
    if !draft.features.contains(&Feature::Volumes) {
        return Vec::new();
    }
    for at in 0..draft.nodes.len() {
        if draft.dice.chance(50) {
            let limit = u32::try_from(draft.dice.between(1, 3)).unwrap_or(1);
            draft.nodes[at].attach_limits = BTreeMap::from([(DRIVER.to_owned(), limit)]);
        }
    }
    let mut kinds: BTreeMap<String, Option<Kind>> = BTreeMap::new();
    let mut claims: BTreeMap<String, ClaimSpec> = BTreeMap::new();
    for at in 0..draft.pods.len() {
        let gang = format!("{:?}", draft.pods[at].membership);
        let dice = &mut draft.dice;
        let drawn = |dice: &mut Dice| dice.chance(30).then(|| *dice.pick(&KINDS));
        let kind = *kinds.entry(gang).or_insert_with(|| drawn(dice));
        // What runs already was placed by somebody; its volumes are near.
        let is_placed = draft.pods[at].node.is_some();
        let Some(kind) = kind.filter(|_| !draft.pods[at].phase.is_finished()) else { continue };
        let claim = claim(&draft.pods[at], kind, is_placed, &mut draft.dice);
        let name = claim.key.rsplit('/').next().unwrap_or_default().to_owned();
        draft.pods[at].claims = vec![ClaimUse { name, is_own: false }];
        if kind != Kind::Missing {
            claims.entry(claim.key.clone()).or_insert(claim);
        }
    }
    let mut events: Vec<Event> =
        claims.into_values().map(|claim| Event::Claim(Box::new(claim))).collect();
    events.extend(volumes(draft));
    events
}

fn claim(pod: &PodSpec, kind: Kind, is_placed: bool, dice: &mut Dice) -> ClaimSpec {
    let name = match kind {
        Kind::Shared => "shared".to_owned(),
        Kind::Once => "once".to_owned(),
        _ => format!("{}-data", pod.name),
    };
    let key = format!("{}/{name}", pod.namespace);
    let late = |provision| {
        ClaimState::Late(LateClaim {
            class: if provision { "made" } else { "local" }.to_owned(),
            bytes: Amount::new(10),
            modes: Vec::new(),
            is_block: false,
            selector: None,
            provision: provision.then(|| Provision {
                driver: DRIVER.to_owned(),
                reach: pod.uid.len().is_multiple_of(2).then(|| vec![only("zone", "zone0")]),
                counts_room: false,
            }),
            chosen: None,
        })
    };
    let state = match kind {
        Kind::Unready if !is_placed => ClaimState::Unready("is not bound yet".to_owned()),
        Kind::Made if !is_placed => late(true),
        Kind::Local if !is_placed => late(false),
        Kind::Bound if !is_placed => bound(&name, Some(vec![only("zone", near(dice))])),
        _ => bound(&name, None),
    };
    let uid = format!("claim:{key}");
    ClaimSpec { key, uid, owner: None, is_once_pod: kind == Kind::Once, state }
}

fn near(dice: &mut Dice) -> &'static str {
    if dice.chance(50) { "zone0" } else { "zone1" }
}

fn bound(name: &str, reach: Reach) -> ClaimState {
    let attach = Some(Attach { driver: DRIVER.to_owned(), handle: name.to_owned() });
    ClaimState::Bound(BoundVolume { name: name.to_owned(), reach, attach })
}

fn only(key: &str, value: &str) -> NodeTerm {
    let values = vec![value.to_owned()];
    let requirement = Requirement { key: key.to_owned(), operator: SelectorOperator::In, values };
    NodeTerm { labels: vec![requirement], fields: Vec::new() }
}

/// A local volume on some nodes, and room on the first.
fn volumes(draft: &mut Draft) -> Vec<Event> {
    let mut events = Vec::new();
    for at in 0..draft.nodes.len() {
        if !draft.dice.chance(60) {
            continue;
        }
        let node = draft.nodes[at].name.clone();
        let size = i64::try_from(draft.dice.between(5, 20)).unwrap_or(5);
        events.push(Event::Volume(Box::new(VolumeSpec {
            name: format!("local-{node}"),
            version: "1".to_owned(),
            class: "local".to_owned(),
            bytes: Amount::new(size),
            modes: Vec::new(),
            is_block: false,
            labels: Labels::new(),
            reach: Some(vec![only(HOSTNAME, &node)]),
            attach: None,
            kept_for: None,
        })));
    }
    events.push(Event::Pool(Box::new(PoolSpec {
        key: "pools/one".to_owned(),
        class: "made".to_owned(),
        reach: None,
        largest: Amount::new(100),
    })));
    events
}
