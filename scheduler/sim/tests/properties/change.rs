//! What can happen to the objects of a world later on.

use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::spec::{
    Attach, BoundVolume, BudgetSpec, ClaimSpec, ClaimState, DaemonSpec, GangKey, GangSpec,
    LabelSelector, NamespaceScope, NamespaceSpec, NodeSpec, PodPhase, PodShape, PodSpec,
    PriorityClassSpec, QueueSpec, QuotaSpec, Requirement, Resources, SelectorOperator, Taint,
    TaintEffect, TopologyWish, VolumeSpec,
};
use scheduler_model::time::Time;
use scheduler_sim::checker::Objects;
use scheduler_sim::worlds::Dice;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The next thing that happens to `objects`; `None` if the dice chose a kind of which there
/// is nothing.
pub(crate) fn draw(objects: &Objects, now: Time, dice: &mut Dice) -> Option<Event> {
    let cluster = &objects.cluster;
    if !cluster.claims.is_empty() && dice.chance(15) {
        return match dice.between(0, 1) {
            0 => Some(claim(pick(&cluster.claims, dice)?.clone(), dice)),
            _ => Some(volume(pick(&cluster.volumes, dice)?.clone(), dice)),
        };
    }
    match dice.between(0, 19) {
        0..=4 => Some(node(pick(&cluster.nodes, dice)?.clone(), dice)),
        5..=12 => Some(pod(pick(&cluster.pods, dice)?.clone(), now, dice)),
        13..=14 => Some(gang(pick(&objects.gangs, dice)?.clone(), dice)),
        15..=16 => Some(queue(pick(&objects.queues, dice)?.clone(), dice)),
        17 => Some(namespace(pick(&cluster.namespaces, dice)?.clone(), dice)),
        18 => Some(topology(objects, dice)),
        _ => Some(other(dice)),
    }
}

fn pick<'a, K, V>(map: &'a BTreeMap<K, V>, dice: &mut Dice) -> Option<&'a V> {
    let rows: Vec<&V> = map.values().collect();
    if rows.is_empty() { None } else { Some(*dice.pick(&rows)) }
}

fn text(value: &str) -> String {
    value.to_owned()
}

fn word(dice: &mut Dice, words: &[&str]) -> String {
    let word: &&str = dice.pick(words);
    text(word)
}

fn node(mut node: NodeSpec, dice: &mut Dice) -> Event {
    match dice.between(0, 9) {
        0 => return Event::NodeGone(node.name),
        1 => node.name = format!("{}x", node.name),
        2 => drop(node.labels.insert(text("zone"), format!("zone{}", dice.between(0, 2)))),
        3 => drop(node.labels.remove(*dice.pick(&["zone", "rack", "disk", "speed"]))),
        4 => node.unschedulable = !node.unschedulable,
        5 => node.ready = !node.ready,
        6 => {
            let effects = [TaintEffect::NoSchedule, TaintEffect::PreferNoSchedule];
            let effect = *dice.pick(&effects);
            node.taints = vec![Taint { key: text("team"), value: text("a"), effect }];
        }
        7 => node.taints.clear(),
        8 => node.flavour = text(if node.flavour.is_empty() { "fast" } else { "" }),
        _ => {
            let cpu = i64::try_from(dice.between(0, 10) * 1000).expect("small");
            node.allocatable.insert(text("cpu"), Amount::new(cpu));
        }
    }
    Event::Node(Box::new(node))
}

fn pod(mut pod: PodSpec, now: Time, dice: &mut Dice) -> Event {
    let is_free = pod.node.is_none() && !pod.phase.is_finished();
    match dice.between(0, 11) {
        0 => return Event::PodGone(pod.uid),
        1 => pod.terminating = true,
        2 | 3 if pod.node.is_some() => end(&mut pod, PodPhase::Succeeded, now),
        4 if pod.node.is_some() => end(&mut pod, PodPhase::Failed, now),
        5 => pod.gates.clear(),
        6 => drop(pod.labels.insert(text("app"), word(dice, &["a", "b", "c"]))),
        7 => drop(pod.labels.remove("app")),
        8 => pod.queue = dice.chance(50).then(|| text("q0")),
        9 => pod.priority = Some(*dice.pick(&[-1, 0, 50])),
        10 if is_free => {
            let mut shape: PodShape = (*pod.shape).clone();
            shape.requests.insert(text("cpu"), Amount::new(700));
            pod.shape = Arc::new(shape);
        }
        _ => {
            // A new peer, like this one but not placed yet.
            (pod.uid, pod.name) = (format!("{}+", pod.uid), format!("{}-1", pod.name));
            (pod.node, pod.phase, pod.terminating) = (None, PodPhase::Pending, false);
            (pod.scheduled_at, pod.started_at, pod.finished_at) = (None, None, None);
            (pod.created_at, pod.ours) = (now, true);
        }
    }
    Event::Pod(Box::new(pod))
}

fn end(pod: &mut PodSpec, phase: PodPhase, now: Time) {
    (pod.phase, pod.finished_at) = (phase, Some(now));
}

fn gang(mut gang: GangSpec, dice: &mut Dice) -> Event {
    match dice.between(0, 5) {
        0 => return Event::GangGone(gang.key),
        1 => gang.min = u32::try_from(dice.between(1, 4)).expect("small"),
        2 => gang.priority = Some(*dice.pick(&[-5, 10, 1000])),
        3 => gang.queue = dice.chance(70).then(|| word(dice, &["q0", "q1", "nowhere"])),
        4 => gang.topology = TopologyWish::default(),
        _ => gang.topology.preferred = Some(word(dice, &["zone", "rack-level", "hall"])),
    }
    Event::Gang(Box::new(gang))
}

fn queue(mut queue: QueueSpec, dice: &mut Dice) -> Event {
    match dice.between(0, 8) {
        0 => return Event::QueueGone(queue.name),
        1 => queue.open = !queue.open,
        2 => queue.parent = Some(word(dice, &["q0", "q1", "q2", "nowhere"])),
        3 => queue.parent = None,
        4 => queue.quotas.clear(),
        5 => queue.name = text("default"),
        6 => {
            let names = vec![word(dice, &["blue", "red"])];
            let scope = NamespaceScope { names, selector: None };
            queue.namespaces = dice.chance(50).then_some(scope);
        }
        7 => {
            let part = Requirement {
                key: text("disk"),
                operator: SelectorOperator::In,
                values: vec![word(dice, &["ssd", "hdd"])],
            };
            let requirements = if dice.chance(70) { vec![part] } else { Vec::new() };
            queue.node_selector = LabelSelector { requirements };
        }
        _ => {
            let amount = Amount::new(i64::try_from(dice.between(0, 6)).expect("small"));
            queue.quotas = vec![QuotaSpec::limit(None, "pods", amount)];
        }
    }
    Event::Queue(queue)
}

fn claim(mut claim: ClaimSpec, dice: &mut Dice) -> Event {
    match dice.between(0, 3) {
        0 => return Event::ClaimGone(claim.key),
        1 => claim.state = ClaimState::Unready(text("is being deleted")),
        2 => claim.is_once_pod = !claim.is_once_pod,
        _ => {
            let attach = Attach { driver: text("disk.example.com"), handle: claim.key.clone() };
            let volume = BoundVolume { name: text("v"), reach: None, attach: Some(attach) };
            claim.state = ClaimState::Bound(volume);
        }
    }
    Event::Claim(Box::new(claim))
}

fn volume(mut volume: VolumeSpec, dice: &mut Dice) -> Event {
    match dice.between(0, 2) {
        0 => return Event::VolumeGone(volume.name),
        1 => volume.reach = None,
        _ => volume.bytes = Amount::new(i64::try_from(dice.between(5, 20)).expect("small")),
    }
    Event::Volume(Box::new(volume))
}

fn namespace(mut namespace: NamespaceSpec, dice: &mut Dice) -> Event {
    match dice.between(0, 2) {
        0 => return Event::NamespaceGone(namespace.name),
        1 => drop(namespace.labels.insert(text("team"), word(dice, &["sea", "fire"]))),
        _ => namespace.queue = dice.chance(70).then(|| text("q1")),
    }
    Event::Namespace(namespace)
}

fn topology(objects: &Objects, dice: &mut Dice) -> Event {
    match pick(&objects.topologies, dice) {
        Some(topology) if dice.chance(50) => Event::TopologyGone(topology.name.clone()),
        Some(topology) => {
            let mut topology = topology.clone();
            topology.levels.reverse();
            Event::Topology(topology)
        }
        None => other(dice),
    }
}

/// What the random worlds never have at the start.
fn other(dice: &mut Dice) -> Event {
    match dice.between(0, 6) {
        0 => Event::PriorityClassGone(text("high")),
        1 => Event::DaemonGone(text("blue/agent")),
        2 => Event::Daemon(DaemonSpec {
            key: text("blue/agent"),
            shape: Arc::new(PodShape {
                requests: Resources::from([(text("cpu"), Amount::new(100))]),
                ..PodShape::default()
            }),
        }),
        3 => Event::PriorityClass(PriorityClassSpec {
            name: text("high"),
            value: 100,
            is_default: dice.chance(50),
            preempts: dice.chance(80),
        }),
        4 => Event::Queue(QueueSpec::named("extra")),
        5 => Event::BudgetGone(text("blue/all")),
        _ => Event::Budget(BudgetSpec {
            namespace: text("blue"),
            name: text("all"),
            selector: Some(LabelSelector::default()),
            allowed: u32::from(dice.chance(50)),
        }),
    }
}

/// True if the state after `event` can still be told from the final objects alone: it does
/// not leave a succeeded member or a deleted group behind that only memory knows.
pub(crate) fn is_told_by_objects(event: &Event, objects: &Objects) -> bool {
    match event {
        Event::PodGone(uid) => {
            objects.cluster.pods.get(uid).is_some_and(|pod| pod.phase != PodPhase::Succeeded)
        }
        Event::GangGone(_) => false,
        _ => true,
    }
}

/// The object that an event is about.
pub(crate) fn subject(event: &Event) -> String {
    let gang = |key: &GangKey| format!("gang {} {key}", key.dialect.name());
    match event {
        Event::Node(spec) => format!("node {}", spec.name),
        Event::NodeGone(name) => format!("node {name}"),
        Event::Pod(spec) => format!("pod {}", spec.uid),
        Event::PodGone(uid) => format!("pod {uid}"),
        Event::Gang(spec) => gang(&spec.key),
        Event::GangGone(key) => gang(key),
        Event::Queue(spec) => format!("queue {}", spec.name),
        Event::QueueGone(name) => format!("queue {name}"),
        Event::Topology(spec) => format!("topology {}", spec.name),
        Event::TopologyGone(name) => format!("topology {name}"),
        Event::PriorityClass(spec) => format!("priority class {}", spec.name),
        Event::PriorityClassGone(name) => format!("priority class {name}"),
        Event::Namespace(spec) => format!("namespace {}", spec.name),
        Event::NamespaceGone(name) => format!("namespace {name}"),
        Event::Daemon(spec) => format!("daemon {}", spec.key),
        Event::DaemonGone(key) => format!("daemon {key}"),
        Event::Claim(spec) => format!("claim {}", spec.key),
        Event::ClaimGone(key) => format!("claim {key}"),
        Event::Volume(spec) => format!("volume {}", spec.name),
        Event::VolumeGone(name) => format!("volume {name}"),
        Event::Pool(spec) => format!("pool {}", spec.key),
        Event::PoolGone(key) => format!("pool {key}"),
        Event::Budget(spec) => format!("budget {}", spec.key()),
        Event::BudgetGone(key) => format!("budget {key}"),
        Event::ListStart(kind) | Event::ListEnd(kind) => format!("list {kind:?}"),
    }
}

pub(crate) fn is_pod(event: &Event) -> bool {
    matches!(event, Event::Pod(_) | Event::PodGone(_))
}
