//! Draws the nodes.

use super::{Dice, Draft, Feature};
use scheduler_model::amount::Amount;
use scheduler_model::spec::{Labels, NodeSpec, Resources, Taint, TaintEffect};
use scheduler_model::time::Time;
use std::collections::BTreeMap;

/// Label of the node's own name.
pub(super) const HOSTNAME: &str = "kubernetes.io/hostname";
/// Resource of a GPU.
pub(super) const GPU: &str = "example.com/gpu";

pub(super) fn draw(draft: &mut Draft) {
    let count = draft.dice.between(1, draft.size.nodes);
    let has_gpus = draft.dice.chance(60);
    for at in 0..count {
        let ready = !draft.draws(Feature::NotReady, 25);
        // Given up long ago, or about to be.
        let since = *draft.dice.pick(&[0, 900_000, 960_000]);
        let node = NodeSpec {
            attach_limits: BTreeMap::new(),
            name: format!("n{at}"),
            labels: labels(draft, at),
            taints: taints(draft),
            unschedulable: draft.draws(Feature::Cordons, 25),
            ready,
            allocatable: allocatable(&mut draft.dice, has_gpus),
            created_at: Time::ZERO,
            not_ready_since: (!ready).then_some(Time::from_ms(since)),
            flavour: if draft.draws(Feature::Flavours, 50) { "fast" } else { "" }.to_owned(),
        };
        draft.nodes.push(node);
    }
}

/// Rack names repeat from zone to zone, as they do in real clusters.
fn labels(draft: &mut Draft, at: u64) -> Labels {
    let mut labels = Labels::from([
        (HOSTNAME.to_owned(), format!("n{at}")),
        ("disk".to_owned(), (*draft.dice.pick(&["ssd", "hdd"])).to_owned()),
        ("speed".to_owned(), draft.dice.between(1, 4).to_string()),
    ]);
    for key in ["zone", "rack"] {
        if !draft.draws(Feature::MissingLabels, 25) {
            labels.insert(key.to_owned(), format!("{key}{}", draft.dice.between(0, 1)));
        }
    }
    labels
}

fn taints(draft: &mut Draft) -> Vec<Taint> {
    if !draft.draws(Feature::Taints, 60) {
        return Vec::new();
    }
    let taint = |dice: &mut Dice| {
        let (key, value) = *dice.pick(&[("team", "a"), ("team", "b"), ("level", "5")]);
        let effects =
            [TaintEffect::NoSchedule, TaintEffect::NoExecute, TaintEffect::PreferNoSchedule];
        Taint { key: key.to_owned(), value: value.to_owned(), effect: *dice.pick(&effects) }
    };
    (0..draft.dice.between(1, 2)).map(|_| taint(&mut draft.dice)).collect()
}

fn allocatable(dice: &mut Dice, has_gpus: bool) -> Resources {
    let mut all = vec![
        ("cpu", dice.between(2, 8) * 1000),
        ("memory", dice.between(4, 16) << 30),
        ("pods", *dice.pick(&[2, 4, 8, 110])),
    ];
    if has_gpus {
        all.push((GPU, *dice.pick(&[0, 2, 4, 8])));
    }
    all.into_iter().map(|(name, amount)| (name.to_owned(), amount_of(amount))).collect()
}

/// An amount of `units`.
pub(super) fn amount_of(units: u64) -> Amount {
    Amount::new(i64::try_from(units).unwrap_or(i64::MAX))
}
