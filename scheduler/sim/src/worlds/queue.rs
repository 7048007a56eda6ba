//! Draws the queues, and at the end limits that what runs already keeps.

use super::node::{GPU, amount_of};
use super::{Draft, Feature};
use crate::checker::{Objects, usage, used_of};
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::spec::{GangKey, GangSpec, QueueSpec, Quota, QuotaSpec};
use scheduler_model::world::World;
use std::collections::BTreeMap;

pub(super) fn draw(draft: &mut Draft) {
    let count = draft.dice.between(1, draft.size.queues);
    for at in 0..count {
        let mut queue = QueueSpec::named(&format!("q{at}"));
        if at > 0 && draft.dice.chance(50) {
            queue.parent = Some(format!("q{}", draft.dice.between(0, at - 1)));
        }
        queue.weight = u32::try_from(draft.dice.between(1, 3)).unwrap_or(1);
        queue.open = !draft.draws(Feature::Closed, 30);
        draft.queues.push(queue);
    }
}

/// Limits the queues of `world` a little above what they use.
pub(super) fn limit(draft: &mut Draft, world: &mut World) {
    let objects = Objects::from_world(world);
    let gangs = objects.all_gangs();
    let gangs: BTreeMap<&GangKey, &GangSpec> = gangs.iter().map(|gang| (&gang.key, gang)).collect();
    let queues: Vec<&QueueSpec> = objects.queues.values().collect();
    let usage = usage(&objects.cluster, &gangs, &queues);
    for event in &mut world.events {
        let Event::Queue(queue) = event else { continue };
        while draft.draws(Feature::Limits, 50) {
            let (drawn, left) = draw_limit(draft);
            let used = used_of(&usage, &queue.name, &drawn).max(Amount::ZERO);
            let quota = queue.quota_mut(drawn.flavour.as_deref(), &drawn.resource);
            let limit = left.plus(used);
            quota.limit = Some(quota.limit.map_or(limit, |least| least.min(limit)));
        }
    }
}

/// On what a limit is, and what it leaves beyond the present use.
fn draw_limit(draft: &mut Draft) -> (QuotaSpec, Amount) {
    let (resource, left) = match draft.dice.between(0, 2) {
        0 => ("cpu", draft.dice.between(0, 8) * 1000),
        1 => (GPU, draft.dice.between(0, 8)),
        _ => ("pods", draft.dice.between(0, 6)),
    };
    let flavour = draft.draws(Feature::Flavours, 50).then(|| {
        let fast = draft.dice.chance(70);
        if fast { "fast" } else { "" }.to_owned()
    });
    let quota = Quota::default();
    (QuotaSpec { flavour, resource: resource.to_owned(), quota }, amount_of(left))
}
