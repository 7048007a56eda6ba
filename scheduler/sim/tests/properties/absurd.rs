//! No world makes anything panic, however absurd, and what fits is still judged.

use crate::change;
use crate::seeds::on_worlds;
use crate::trial::Trial;
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::resource::RESOURCES_MAX;
use scheduler_model::spec::{
    GangKey, GangSpec, Grants, LabelSelector, Membership, NodeSpec, PodShape, PodSpec, QueueSpec,
    Requirement, Resources, RoleSpec, SelectorOperator, SpreadSpec, Taint, TaintEffect,
    WhenUnsatisfiable, Wishes,
};
use scheduler_model::time::{Span, Time};
use scheduler_sim::worlds::{Dice, Size};
use std::sync::Arc;

#[test]
fn absurd_objects_break_nothing() {
    on_worlds(400, Size::SMALL, |world, dice| {
        let mut trial = Trial::of(&scheduler_model::world::World::default());
        for event in &world.events {
            // Sound objects first, so that absurd ones also come as changes.
            if dice.chance(50) {
                trial.tell(event.clone());
            }
            trial.tell(absurd(event.clone(), dice));
        }
        for _ in 0..4 {
            trial.judged_cycle()?;
            // Beyond that which resources are refused depends on which came first.
            if trial.engine.snapshot().resources().len() < RESOURCES_MAX {
                trial.audit()?;
            }
            trial.confirm_all();
            trial.pass(400);
            for _ in 0..3 {
                if let Some(event) = change::draw(&trial.objects, trial.now, dice) {
                    trial.tell(absurd(event, dice));
                }
            }
        }
        for gang in trial.engine.gangs() {
            // Words for people must come out of anything.
            drop(gang.explanation.map(|why| why.to_string()));
        }
        Ok(())
    });
}

fn absurd(event: Event, dice: &mut Dice) -> Event {
    if dice.chance(50) {
        return event;
    }
    match event {
        Event::Node(node) => Event::Node(Box::new(node_of(*node, dice))),
        Event::Pod(pod) => Event::Pod(Box::new(pod_of(*pod, dice))),
        Event::Gang(gang) => Event::Gang(Box::new(gang_of(*gang, dice))),
        Event::Queue(queue) => Event::Queue(queue_of(queue, dice)),
        Event::Topology(mut topology) => {
            topology.levels.clear();
            Event::Topology(topology)
        }
        Event::NodeGone(_) => Event::NodeGone(word(dice)),
        Event::PodGone(_) => Event::PodGone(word(dice)),
        other => other,
    }
}

fn word(dice: &mut Dice) -> String {
    match dice.between(0, 5) {
        0 => String::new(),
        1 => "x".repeat(100_000),
        2 => "\u{0}\n\"\u{202e}".to_owned(),
        3 => "9".repeat(40),
        4 => "-".to_owned(),
        _ => "n0".to_owned(),
    }
}

fn amount(dice: &mut Dice) -> Amount {
    let choices = [i64::MAX, i64::MIN, -1, 0, 1, 1 << 50, (1 << 51) - 1, 1 << 62];
    Amount::new(*dice.pick(&choices))
}

fn time(dice: &mut Dice) -> Time {
    Time::from_ms(*dice.pick(&[i64::MAX, i64::MIN, -1, 0, 1]))
}

fn number(dice: &mut Dice) -> u32 {
    *dice.pick(&[0, 1, u32::MAX, u32::MAX - 1, 1 << 31])
}

fn scramble(resources: &mut Resources, dice: &mut Dice) {
    let names: Vec<String> = resources.keys().cloned().collect();
    for name in names {
        if dice.chance(30) {
            resources.insert(name, amount(dice));
        }
    }
    if dice.chance(20) {
        resources.insert(word(dice), amount(dice));
    }
    if dice.chance(10) {
        resources.extend((0..300).map(|at| (format!("example.com/r{at}"), Amount::new(1))));
    }
}

fn node_of(mut node: NodeSpec, dice: &mut Dice) -> NodeSpec {
    scramble(&mut node.allocatable, dice);
    if dice.chance(20) {
        node.labels.insert("zone".to_owned(), word(dice));
        node.labels.insert(word(dice), word(dice));
    }
    if dice.chance(20) {
        let taint = Taint { key: word(dice), value: word(dice), effect: TaintEffect::NoSchedule };
        node.taints = vec![taint.clone(), taint];
    }
    match dice.between(0, 9) {
        0 => node.name = word(dice),
        1 => node.flavour = word(dice),
        2 => node.created_at = time(dice),
        _ => {}
    }
    node
}

fn pod_of(mut pod: PodSpec, dice: &mut Dice) -> PodSpec {
    let mut shape: PodShape = (*pod.shape).clone();
    scramble(&mut shape.requests, dice);
    if dice.chance(30) {
        shape_of(&mut shape, dice);
    }
    pod.shape = Arc::new(shape);
    match dice.between(0, 19) {
        0 => pod.uid = word(dice),
        1 => pod.name = word(dice),
        2 => pod.namespace = word(dice),
        3 => drop(pod.labels.insert("app".to_owned(), word(dice))),
        4 => pod.node = Some(word(dice)),
        5 => pod.role = word(dice),
        6 => pod.rank = Some(u64::MAX),
        7 => pod.queue = Some(word(dice)),
        8 => pod.created_at = time(dice),
        9 => (pod.started_at, pod.finished_at) = (Some(time(dice)), Some(time(dice))),
        10 => pod.walltime = Some(Span::from_ms(i64::MAX)),
        11 => pod.priority = Some(*dice.pick(&[i32::MIN, i32::MAX])),
        12 => pod.membership = Membership::Alone,
        13 => pod.membership = Membership::Group(key(&pod, dice)),
        14 => pod.membership = Membership::Owner(key(&pod, dice)),
        15 => pod.ours = !pod.ours,
        _ => {}
    }
    pod
}

fn key(pod: &PodSpec, dice: &mut Dice) -> GangKey {
    let dialect = *dice.pick(&[
        scheduler_model::spec::Dialect::Pod,
        scheduler_model::spec::Dialect::Plain,
        scheduler_model::spec::Dialect::Kubernetes,
    ]);
    GangKey { namespace: pod.namespace.clone(), name: word(dice), dialect }
}

fn shape_of(shape: &mut PodShape, dice: &mut Dice) {
    let odd = Requirement {
        key: word(dice),
        operator: *dice.pick(&[
            SelectorOperator::Gt,
            SelectorOperator::Lt,
            SelectorOperator::In,
            SelectorOperator::NotIn,
        ]),
        values: if dice.chance(50) { Vec::new() } else { vec![word(dice), word(dice)] },
    };
    let selector = Some(LabelSelector { requirements: vec![odd.clone()] });
    for term in shape.affinity.iter_mut().chain(&mut shape.anti_affinity) {
        term.selector = selector.clone();
        term.topology_key = word(dice);
    }
    let terms = shape.affinity.clone();
    shape.pod_preferences = terms.into_iter().map(|it| (i32::MIN, it)).collect();
    for term in shape.node_affinity.iter_mut().flatten() {
        term.labels = vec![odd.clone()];
        term.fields = vec![odd.clone()];
        shape.node_preferences.push((i32::MAX, term.clone()));
    }
    shape.spread.push(SpreadSpec {
        // The API takes no less than 1, nor does the translation.
        max_skew: number(dice).max(1),
        topology_key: word(dice),
        when_unsatisfiable: WhenUnsatisfiable::DoNotSchedule,
        selector,
        min_domains: number(dice),
        honour_affinity: true,
        honour_taints: true,
    });
    for port in &mut shape.host_ports {
        port.port = *dice.pick(&[i32::MIN, -1, 0, i32::MAX]);
    }
}

fn gang_of(mut gang: GangSpec, dice: &mut Dice) -> GangSpec {
    match dice.between(0, 8) {
        0 => gang.min = number(dice),
        1 => {
            let role = RoleSpec { name: "worker".to_owned(), min: number(dice) };
            gang.roles = vec![role.clone(), role];
        }
        2 => gang.succeeded = number(dice),
        3 => gang.topology.required = Some(word(dice)),
        4 => gang.topology.preferred = Some(word(dice)),
        5 => gang.queue = Some(word(dice)),
        6 => gang.created_at = time(dice),
        7 => {
            gang.wishes = Wishes {
                non_preemptible: dice.chance(50),
                min_runtime: Span::from_ms(i64::MAX),
                cooldown: Span::from_ms(i64::MAX),
                preemption_cost: Some(number(dice)),
                checkpointed_at: Some(time(dice)),
            };
        }
        _ => gang.priority = Some(*dice.pick(&[i32::MIN, i32::MAX])),
    }
    gang
}

fn queue_of(mut queue: QueueSpec, dice: &mut Dice) -> QueueSpec {
    match dice.between(0, 6) {
        0 => queue.parent = Some(queue.name.clone()),
        1 => queue.parent = Some(word(dice)),
        2 => queue.weight = number(dice),
        3 => queue.priority = *dice.pick(&[i32::MIN, i32::MAX]),
        4 => queue.name = word(dice),
        5 => {
            queue.min_runtime = Span::from_ms(i64::MAX);
            queue.grants = Grants { preemption_cost: Some(number(dice)), ..Grants::FREE };
        }
        _ => {
            for quota in &mut queue.quotas {
                quota.quota.limit = Some(amount(dice));
            }
        }
    }
    queue
}
