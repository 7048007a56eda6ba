//! Evictions by a process that may die at any call, among victims that take their time and
//! strangers that take the room.

use crate::alone::{Alone, group, member, node};
use scheduler_core::engine::Config;
use scheduler_model::event::Event;
use scheduler_model::spec::{Dialect, GangKey, NodeSpec, PodPhase, PodSpec, QueueSpec};
use scheduler_model::time::Span;
use scheduler_protocol::status::Phase;
use scheduler_sim::live::server::Done;
use std::collections::BTreeSet;

const SOON: Span = Span::from_secs(20);

/// Two queues of equal weight; the gangs of "lender" borrowed all nodes, two members each.
fn borrowed(gangs: usize) -> Alone {
    borrowed_with(gangs, Config::default())
}

fn borrowed_with(gangs: usize, engine: Config) -> Alone {
    let mut alone = Alone::with(2 * gangs, engine);
    for name in ["owner", "lender"] {
        alone.change(Event::Queue(QueueSpec::named(name)));
    }
    for index in 0..gangs {
        arrive(&mut alone, &format!("v{index}"), "lender");
        alone.pass(SOON);
    }
    run_all(&mut alone);
    alone.pass(SOON);
    alone
}

/// A gang of two.
fn arrive(alone: &mut Alone, name: &str, queue: &str) -> GangKey {
    let mut spec = group(Dialect::Muster, name, 2);
    spec.queue = Some(queue.to_owned());
    spec.created_at = alone.now;
    let key = spec.key.clone();
    alone.change(Event::Gang(Box::new(spec)));
    for index in 0..2 {
        let pod = member(&key, &format!("{name}-{index}"), alone.now);
        alone.change(Event::Pod(Box::new(pod)));
    }
    key
}

/// Kubelets start what is bound.
fn run_all(alone: &mut Alone) {
    let bound = |pod: &&PodSpec| pod.node.is_some() && pod.phase == PodPhase::Pending;
    let pods: Vec<PodSpec> = alone.server.pods.values().filter(bound).cloned().collect();
    for pod in pods {
        let started_at = Some(alone.now);
        let running = PodSpec { phase: PodPhase::Running, started_at, ..pod };
        alone.change(Event::Pod(Box::new(running)));
    }
}

/// Pods that were told to go.
fn going(alone: &Alone) -> Vec<PodSpec> {
    alone.server.pods.values().filter(|pod| pod.terminating).cloned().collect()
}

/// What was told to go is gone, and made anew; answers the nodes that are free by it.
fn vanish(alone: &mut Alone) -> Vec<String> {
    let going = going(alone);
    for pod in &going {
        alone.change(Event::PodGone(pod.uid.clone()));
        let Some(gang) = key_of(pod) else { continue };
        let name = format!("{}r", pod.name);
        let now = alone.now;
        let anew = PodSpec { queue: pod.queue.clone(), ..member(&gang, &name, now) };
        alone.change(Event::Pod(Box::new(anew)));
    }
    going.into_iter().filter_map(|pod| pod.node).collect()
}

fn key_of(pod: &PodSpec) -> Option<GangKey> {
    match &pod.membership {
        scheduler_model::spec::Membership::Group(key) => Some(key.clone()),
        _ => None,
    }
}

/// Pods that were deleted so far.
fn deleted(alone: &Alone) -> BTreeSet<String> {
    let of = |done: &Done| match done {
        Done::Deleted(pod) => Some(pod.uid.clone()),
        _ => None,
    };
    alone.server.writes.iter().filter_map(|write| of(&write.what)).collect()
}

fn bound(alone: &Alone, gang: &str) -> usize {
    let of = |pod: &&PodSpec| key_of(pod).is_some_and(|key| key.name == gang);
    alone.server.pods.values().filter(of).filter(|pod| pod.node.is_some()).count()
}

/// What a queue uses and wants.
fn wanted(alone: &Alone, queue: &str) -> i64 {
    let queues = alone.live().engine().queues();
    let found = queues.into_iter().find(|it| it.name == queue).expect("it is there");
    found.amounts[&(None, "gpu".to_owned())].demand.units()
}

/// A pod that was told to go is gone, and made anew.
fn vanish_one(alone: &mut Alone, pod: &PodSpec) {
    alone.change(Event::PodGone(pod.uid.clone()));
    if let Some(gang) = key_of(pod) {
        let anew = member(&gang, &format!("{}r", pod.name), alone.now);
        alone.change(Event::Pod(Box::new(anew)));
    }
}

/// Another scheduler's pod.
fn stranger(alone: &mut Alone, node: &str) {
    let name = format!("stranger-{node}");
    let key = group(Dialect::Muster, "none", 1).key;
    let pod = PodSpec {
        ours: false,
        node: Some(node.to_owned()),
        membership: scheduler_model::spec::Membership::Alone,
        ..member(&key, &name, alone.now)
    };
    alone.change(Event::Pod(Box::new(pod)));
}

#[test]
fn reservation_and_nominations_stand_before_the_first_mark_and_marks_before_the_first_delete() {
    let mut alone = borrowed(2);
    let key = arrive(&mut alone, "gainer", "owner");
    alone.pass(SOON);
    let reservation = alone.ledger(&key).reservation.expect("room is being made");
    assert_eq!((reservation.victims, reservation.nodes.len()), (2, 2));
    let mut is_reserved = false;
    let (mut nominated, mut marked, mut gone) = (0, 0, 0);
    for write in &alone.server.writes {
        match &write.what {
            Done::Group(gang, status) if *gang == key => {
                is_reserved |= status.ledger.reservation.is_some();
            }
            Done::Pod(pod) if pod.name.starts_with("gainer") && marked == 0 => nominated += 1,
            Done::Marked(_) => {
                assert!(is_reserved && nominated >= 2 && gone == 0, "marked too early");
                marked += 1;
            }
            Done::Deleted(_) => {
                assert_eq!(marked, 2, "deleted too early");
                gone += 1;
            }
            _ => {}
        }
    }
    assert_eq!((marked, gone), (2, 2));
    let going = alone.server.pods.values().filter(|pod| pod.terminating);
    assert!(going.into_iter().all(|pod| pod.evicted_for == Some(reservation.plan)));
}

#[test]
fn a_process_that_dies_at_any_call_of_a_reclaim_evicts_nobody_else_and_loses_no_room() {
    let whom = {
        let mut alone = borrowed(2);
        arrive(&mut alone, "gainer", "owner");
        alone.pass(SOON);
        deleted(&alone)
    };
    assert_eq!(whom.len(), 2);
    for calls in 0..24 {
        let mut alone = borrowed(2);
        let key = arrive(&mut alone, "gainer", "owner");
        alone.dies_after = Some(calls);
        alone.pass(SOON);
        // What was deleted by then is gone before the next process looks, or not.
        if calls % 2 == 0 {
            vanish(&mut alone);
        }
        alone.restart();
        alone.pass(SOON);
        vanish(&mut alone);
        alone.pass(SOON);
        assert_eq!(deleted(&alone), whom, "died after {calls} calls");
        assert_eq!(bound(&alone, "gainer"), 2, "died after {calls} calls");
        alone.pass(Span::from_secs(60));
        assert_eq!(alone.ledger(&key).reservation, None, "died after {calls} calls");
        assert_eq!(deleted(&alone), whom, "died after {calls} calls");
    }
}

#[test]
fn a_gainer_that_goes_while_nobody_looks_costs_no_further_pod() {
    for calls in 0..24 {
        let mut alone = borrowed(2);
        let key = arrive(&mut alone, "gainer", "owner");
        alone.dies_after = Some(calls);
        alone.pass(SOON);
        let before = deleted(&alone);
        for index in 0..2 {
            let uid = member(&key, &format!("gainer-{index}"), alone.now).uid;
            alone.change(Event::PodGone(uid));
        }
        alone.change(Event::GangGone(key));
        alone.restart();
        for _ in 0..12 {
            alone.pass(SOON);
            vanish(&mut alone);
            run_all(&mut alone);
        }
        // A gang that was left with too few is released as any other.
        let is_gone = |uid: &&String| !before.contains(*uid);
        let after = deleted(&alone);
        let further: Vec<&String> = after.iter().filter(is_gone).collect();
        let is_hurt = before.len() == 1;
        assert!(further.is_empty() || is_hurt, "died after {calls} calls: {further:?}");
        assert_eq!((bound(&alone, "v0"), bound(&alone, "v1")), (2, 2), "after {calls} calls");
    }
}

#[test]
fn a_gainer_that_goes_calls_off_what_has_not_left() {
    let mut alone = borrowed(2);
    let key = arrive(&mut alone, "gainer", "owner");
    // It dies before its victims are deleted, having marked some.
    alone.dies_after = Some(4);
    alone.pass(SOON);
    alone.restart();
    alone.change(Event::GangGone(key.clone()));
    for index in 0..2 {
        let uid = member(&key, &format!("gainer-{index}"), alone.now).uid;
        alone.change(Event::PodGone(uid));
    }
    alone.pass(SOON);
    assert_eq!(deleted(&alone), BTreeSet::new());
}

#[test]
fn victims_that_were_granted_long_to_go_are_waited_for() {
    let mut alone = borrowed(2);
    arrive(&mut alone, "gainer", "owner");
    alone.pass(SOON);
    let pods = going(&alone);
    for pod in pods {
        let gone_by = Some(alone.now.after(Span::from_secs(3_600)));
        alone.change(Event::Pod(Box::new(PodSpec { gone_by, ..pod })));
    }
    alone.pass(Span::from_secs(3_000));
    assert_eq!(deleted(&alone).len(), 2, "nobody else had to go");
    vanish(&mut alone);
    alone.pass(SOON);
    assert_eq!(bound(&alone, "gainer"), 2);
}

#[test]
fn victims_that_refuse_to_die_cost_one_other_gang_and_not_all() {
    let mut alone = borrowed(4);
    arrive(&mut alone, "gainer", "owner");
    alone.pass(Span::from_secs(500));
    assert_eq!(deleted(&alone).len(), 2);
    alone.pass(Span::from_secs(200));
    assert_eq!(deleted(&alone).len(), 4, "others go in their place");
    alone.pass(Span::from_secs(400));
    assert_eq!(deleted(&alone).len(), 4, "and are waited for");
}

#[test]
fn room_that_is_taken_twice_costs_one_further_gang_before_a_rest() {
    let mut alone = borrowed(4);
    arrive(&mut alone, "gainer", "owner");
    for times in 1..=2 {
        alone.pass(SOON);
        assert_eq!(deleted(&alone).len(), 2 * times);
        for node in vanish(&mut alone) {
            stranger(&mut alone, &node);
        }
    }
    alone.pass(SOON);
    assert_eq!(deleted(&alone).len(), 4, "it rests");
}

#[test]
fn what_evicted_pods_wanted_is_wanted_until_they_are_made_anew() {
    let mut alone = borrowed(2);
    arrive(&mut alone, "gainer", "owner");
    alone.pass(SOON);
    let pods = going(&alone);
    for pod in &pods {
        alone.change(Event::PodGone(pod.uid.clone()));
    }
    alone.pass(SOON);
    assert_eq!(bound(&alone, "gainer"), 2);
    assert_eq!(wanted(&alone, "lender"), 4, "two run, two are to come again");
    alone.pass(Span::from_secs(60));
    assert_eq!(wanted(&alone, "lender"), 2, "nobody made them anew");
}

#[test]
fn a_gang_that_runs_again_before_the_last_of_its_old_pods_is_gone_is_repaired_as_any_other() {
    let mut alone = borrowed(2);
    arrive(&mut alone, "gainer", "owner");
    alone.pass(SOON);
    let going = going(&alone);
    let victim = key_of(&going[0]).expect("it has a group");
    // Room for it, and one pod that takes its time.
    for name in ["m0", "m1"] {
        alone.change(node(name));
    }
    vanish_one(&mut alone, &going[0]);
    let second = PodSpec { queue: None, ..member(&victim, "late-r", alone.now) };
    alone.change(Event::Pod(Box::new(second)));
    alone.pass(SOON);
    run_all(&mut alone);
    alone.change(Event::PodGone(going[1].uid.clone()));
    alone.pass(SOON);
    assert_eq!(bound(&alone, &victim.name), 2);
    // One of its nodes is lost, and there is no other.
    let of_it = |pod: &&PodSpec| key_of(pod).as_ref() == Some(&victim) && pod.node.is_some();
    let lost = alone.server.pods.values().find(of_it).expect("it runs").clone();
    alone.change(Event::NodeGone(lost.node.expect("it has one")));
    alone.change(Event::PodGone(lost.uid));
    alone.pass(SOON);
    let last = alone.server.writes.iter().rev().find_map(|write| match &write.what {
        Done::Group(key, status) if *key == victim => Some(status.phase),
        _ => None,
    });
    assert_eq!(last, Some(Phase::Broken));
}

#[test]
fn a_node_that_changes_before_anybody_went_costs_nobody_else() {
    for calls in 1..6 {
        let mut alone = borrowed(2);
        arrive(&mut alone, "gainer", "owner");
        alone.cut_after = Some(calls);
        alone.pass(Span::from_secs(3));
        let named = |name: &str| {
            let found = alone.server.nodes.get(name).expect("it is there");
            let labels = [("changed".to_owned(), "yes".to_owned())].into();
            Event::Node(Box::new(NodeSpec { labels, ..found.clone() }))
        };
        let events = [named("n0"), named("n1"), named("n2"), named("n3")];
        events.into_iter().for_each(|event| alone.change(event));
        alone.pass(Span::from_secs(3));
        alone.cut_after = None;
        alone.pass(Span::from_secs(60));
        assert_eq!(deleted(&alone).len(), 2, "cut after {calls} calls");
        vanish(&mut alone);
        alone.pass(SOON);
        assert_eq!(bound(&alone, "gainer"), 2, "cut after {calls} calls");
    }
}

#[test]
fn a_node_that_is_cordoned_before_anybody_went_leaves_no_plan_that_waits_for_nobody() {
    for calls in 1..6 {
        let mut alone = borrowed(4);
        arrive(&mut alone, "gainer", "owner");
        alone.cut_after = Some(calls);
        alone.pass(Span::from_secs(3));
        let nodes: Vec<NodeSpec> =
            ["n0", "n1"].iter().map(|name| alone.server.nodes[*name].clone()).collect();
        for node in nodes {
            let cordoned = NodeSpec { unschedulable: true, ..node };
            alone.change(Event::Node(Box::new(cordoned)));
        }
        alone.pass(Span::from_secs(3));
        alone.cut_after = None;
        for _ in 0..6 {
            alone.pass(SOON);
            vanish(&mut alone);
        }
        assert_eq!(bound(&alone, "gainer"), 2, "cut after {calls} calls");
        assert!(deleted(&alone).len() <= 4, "cut after {calls} calls: {:?}", deleted(&alone));
    }
}

#[test]
fn a_gang_that_was_marked_and_not_deleted_was_not_evicted() {
    let mut alone = borrowed(4);
    alone.unmarkable = Some("v0-1".to_owned());
    arrive(&mut alone, "gainer", "owner");
    alone.pass(SOON);
    let gone = deleted(&alone);
    assert_eq!(gone.len(), 2);
    assert!(!gone.iter().any(|uid| uid.contains("v0")), "{gone:?}");
    let spared = group(Dialect::Muster, "v0", 2).key;
    assert_eq!(alone.believed(&spared).evicted, []);
    let marked = alone.server.pods.values().filter(|pod| pod.evicted && !pod.terminating);
    assert_eq!(marked.count(), 0, "its mark was taken back");
}

#[test]
fn a_gang_without_pods_keeps_age_and_evictions_over_a_restart() {
    let mut alone = borrowed(2);
    arrive(&mut alone, "gainer", "owner");
    alone.pass(SOON);
    let going = going(&alone);
    let victim = key_of(&going[0]).expect("it has a group");
    let age = alone.believed(&victim).age;
    for pod in &going {
        alone.change(Event::PodGone(pod.uid.clone()));
    }
    alone.pass(SOON);
    alone.restart();
    alone.pass(SOON);
    for pod in &going {
        let anew = member(&victim, &format!("{}r", pod.name), alone.now);
        alone.change(Event::Pod(Box::new(anew)));
    }
    alone.pass(SOON);
    let ledger = alone.believed(&victim);
    assert_eq!((ledger.age, ledger.evicted.len()), (age, 1));
}

#[test]
fn what_a_gang_of_one_wanted_is_wanted_too() {
    let mut alone = Alone::new(2);
    for name in ["owner", "lender"] {
        alone.change(Event::Queue(QueueSpec::named(name)));
    }
    let single = |alone: &mut Alone, name: &str, queue: &str| {
        let mut spec = group(Dialect::Muster, name, 1);
        spec.queue = Some(queue.to_owned());
        let pod = member(&spec.key, &format!("{name}-0"), alone.now);
        alone.change(Event::Gang(Box::new(spec)));
        alone.change(Event::Pod(Box::new(pod)));
        alone.pass(SOON);
        run_all(alone);
    };
    single(&mut alone, "v0", "lender");
    single(&mut alone, "v1", "lender");
    single(&mut alone, "gainer", "owner");
    let going = deleted(&alone);
    assert_eq!(going.len(), 1);
    for uid in going {
        alone.change(Event::PodGone(uid));
    }
    alone.pass(SOON);
    assert_eq!(bound(&alone, "gainer"), 1);
    assert_eq!(wanted(&alone, "lender"), 2, "one runs, one is to come again");
}

#[test]
fn nobody_is_evicted_before_the_gang_has_waited_for_room_to_come_by_itself() {
    let evict_after = Span::from_secs(10);
    let mut alone = borrowed_with(2, Config { evict_after, ..Config::default() });
    arrive(&mut alone, "gainer", "owner");
    alone.pass(Span::from_ms(9_900));
    assert_eq!(deleted(&alone).len(), 0);
    alone.pass(Span::from_ms(200));
    assert_eq!(deleted(&alone).len(), 2);
}

#[test]
fn a_queue_that_lacks_little_of_its_share_takes_nothing_back() {
    for (share_tolerance, victims) in [(40, 2), (60, 0)] {
        let mut alone = borrowed_with(4, Config { share_tolerance, ..Config::default() });
        // It comes to half of what it is due, and lacks the other half.
        arrive(&mut alone, "gainer", "owner");
        alone.pass(SOON);
        vanish(&mut alone);
        alone.pass(SOON);
        run_all(&mut alone);
        let before = deleted(&alone).len();
        arrive(&mut alone, "another", "owner");
        alone.pass(SOON);
        assert_eq!(deleted(&alone).len() - before, victims, "{share_tolerance} tolerated");
    }
}

#[test]
fn gangs_that_are_alike_wait_each_by_a_clock_of_its_own() {
    let evict_after = Span::from_secs(10);
    let mut alone = borrowed_with(4, Config { evict_after, ..Config::default() });
    let first = arrive(&mut alone, "first", "owner");
    alone.pass(Span::from_secs(4));
    arrive(&mut alone, "second", "owner");
    alone.pass(Span::from_secs(2));
    for index in 0..2 {
        let uid = member(&first, &format!("first-{index}"), alone.now).uid;
        alone.change(Event::PodGone(uid));
    }
    alone.change(Event::GangGone(first));
    alone.pass(SOON);
    assert_eq!(deleted(&alone).len(), 2, "the second has waited, too");
}
