//! Draws the queues, and at the end limits that what runs already keeps.

use super::node::{GPU, amount_of};
use super::{Draft, Feature};
use crate::checker::{Objects, Turnout, usage, used_of};
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::spec::{
    GangKey, GangSpec, LabelSelector, NamespaceScope, QueueSpec, Quota, QuotaSpec, Requirement,
    SelectorOperator, UserBy, UserRule,
};
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
        if draft.draws(Feature::Guests, 50) {
            queue.namespaces = Some(draw_namespaces(draft));
        }
        if draft.draws(Feature::Partitions, 50) {
            queue.node_selector = draw_nodes(draft);
        }
        if draft.draws(Feature::Turnout, 50) {
            let by_label = draft.dice.chance(50);
            let by = if by_label { UserBy::Label("app".to_owned()) } else { UserBy::Namespace };
            queue.users = Some(Box::new(UserRule { by, ..UserRule::default() }));
        }
        draft.queues.push(queue);
    }
}

fn draw_namespaces(draft: &mut Draft) -> NamespaceScope {
    let names = draft.dice.chance(50).then(|| (*draft.dice.pick(&["blue", "red"])).to_owned());
    let selector = draft.dice.chance(50).then(|| {
        let teams: [&[&str]; 3] = [&["sea"], &["fire"], &["fire", "sea"]];
        let teams = *draft.dice.pick(&teams);
        selector("team", SelectorOperator::In, teams)
    });
    NamespaceScope { names: names.into_iter().collect(), selector }
}

fn draw_nodes(draft: &mut Draft) -> LabelSelector {
    let operator = *draft.dice.pick(&[SelectorOperator::In, SelectorOperator::NotIn]);
    let (key, values): (&str, &[&str]) = *draft.dice.pick(&[
        ("disk", &["ssd"][..]),
        ("speed", &["1", "2", "3"]),
        ("zone", &["zone0"]),
    ]);
    selector(key, operator, values)
}

fn selector(key: &str, operator: SelectorOperator, values: &[&str]) -> LabelSelector {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    LabelSelector { requirements: vec![Requirement { key: key.to_owned(), operator, values }] }
}

/// Limits the queues of `world` a little above what they use.
pub(super) fn limit(draft: &mut Draft, world: &mut World) {
    let objects = Objects::from_world(world);
    let gangs = objects.all_gangs();
    let gangs: BTreeMap<&GangKey, &GangSpec> = gangs.iter().map(|gang| (&gang.key, gang)).collect();
    let queues: Vec<&QueueSpec> = objects.queues.values().collect();
    let usage = usage(&objects.cluster, &gangs, &queues);
    let turnout = Turnout::of(&objects.cluster, &gangs, &queues);
    for event in &mut world.events {
        let Event::Queue(queue) = event else { continue };
        limit_turnout(draft, queue, &turnout);
        while draft.draws(Feature::Limits, 50) {
            let (drawn, left) = draw_limit(draft);
            let used = used_of(&usage, &queue.name, &drawn).max(Amount::ZERO);
            let quota = queue.quota_mut(drawn.flavour.as_deref(), &drawn.resource);
            let limit = left.plus(used);
            quota.limit = Some(quota.limit.map_or(limit, |least| least.min(limit)));
        }
    }
}

/// Lets a queue run a few gangs more than it does, and its users use a little more.
fn limit_turnout(draft: &mut Draft, queue: &mut QueueSpec, turnout: &Turnout) {
    let more = |draft: &mut Draft| u32::try_from(draft.dice.between(0, 2)).unwrap_or(0);
    if draft.draws(Feature::Turnout, 40) {
        let running = turnout.gangs.get(&queue.name).copied().unwrap_or(0);
        queue.max_running = Some(running + more(draft));
    }
    let Some(rule) = &mut queue.users else { return };
    let of_users = turnout.users.iter().filter(|((name, _), _)| *name == queue.name);
    let (mut running, mut used) = (0, BTreeMap::<&str, Amount>::new());
    for (_, (count, usage)) in of_users {
        running = running.max(*count);
        for (resource, amount) in usage {
            let most = used.entry(resource).or_default();
            *most = (*most).max(*amount);
        }
    }
    if draft.dice.chance(40) {
        rule.max_running = Some(running + more(draft));
    }
    let (drawn, left) = draw_limit(draft);
    let used = used.get(drawn.resource.as_str()).copied().unwrap_or_default();
    rule.limit.insert(drawn.resource, left.plus(used));
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
