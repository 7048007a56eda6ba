//! What is asked about a gang, and what needs no asking.

use crate::make::*;
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::explain::{NodeReason, WaitReason};
use scheduler_model::spec::{
    GangSpec, LabelSelector, Membership, NamespaceScope, NamespaceSpec, PodPhase, PodShape,
    PodSpec, QueueSpec, QuotaSpec, SelectorOperator,
};
use scheduler_sim::checker::{Objects, Refusal, refusals};
use scheduler_sim::oracle::{Answer, GangQuestion, feasible, questions};

fn waiting(uid: &str) -> PodSpec {
    pod(uid, &[], requesting(&[("cpu", 1)]))
}

fn objects(gang: GangSpec, pods: Vec<PodSpec>, queues: &[QueueSpec]) -> Objects {
    let mut objects = Objects::default();
    objects.cluster = cluster(vec![node("n", &[])], pods);
    objects.gangs.insert(gang.key.clone(), gang);
    objects.queues = queues.iter().map(|queue| (queue.name.clone(), queue.clone())).collect();
    objects
}

fn in_queue(queue: &str) -> GangSpec {
    GangSpec { queue: Some(queue.to_owned()), ..gang("g", 1) }
}

fn only(objects: &Objects) -> Result<GangQuestion, WaitReason> {
    let mut all = questions(objects);
    assert_eq!(all.len(), 1);
    all.remove(0).1
}

fn waits(gang: GangSpec, queues: &[QueueSpec]) -> WaitReason {
    only(&objects(gang, vec![waiting("p")], queues)).expect_err("the gang must not be placed")
}

#[test]
fn a_gang_whose_queue_is_missing_closed_or_broken_is_not_asked_about() {
    let child = |name: &str, parent: &str| QueueSpec {
        parent: Some(parent.to_owned()),
        ..QueueSpec::named(name)
    };
    let q = || "q".to_owned();
    assert_eq!(waits(in_queue("q"), &[]), WaitReason::QueueMissing(q()));
    assert_eq!(waits(in_queue("q"), &[child("q", "none")]), WaitReason::QueueBroken(q()));
    let ring = [child("q", "r"), child("r", "q")];
    assert_eq!(waits(in_queue("q"), &ring), WaitReason::QueueBroken(q()));
    let closed = QueueSpec { open: false, ..QueueSpec::named("top") };
    let below_closed = [child("q", "top"), closed];
    assert_eq!(waits(in_queue("q"), &below_closed), WaitReason::QueueClosed("top".to_owned()));
}

#[test]
fn a_gang_whose_queue_has_more_dedicated_than_it_may_use_is_not_asked_about() {
    let queue = |name: &str, parent: Option<&str>, dedicated: Option<i64>, limit: Option<i64>| {
        let mut queue = QueueSpec { parent: parent.map(str::to_owned), ..QueueSpec::named(name) };
        let quota = queue.quota_mut(None, "cpu");
        (quota.dedicated, quota.limit) = (dedicated.map(Amount::new), limit.map(Amount::new));
        queue
    };
    let numbers = |queues: &[QueueSpec]| match waits(in_queue("q"), queues) {
        WaitReason::QueueContradictory(clash) => (clash.dedicated.units(), clash.most.units()),
        other => panic!("{other:?}"),
    };
    assert_eq!(numbers(&[queue("q", None, Some(6), Some(4))]), (6, 4));
    let below = queue("q", Some("top"), Some(6), None);
    assert_eq!(numbers(&[below.clone(), queue("top", None, None, Some(5))]), (6, 5));
    assert_eq!(numbers(&[below, queue("top", None, Some(3), None)]), (6, 3));
}

#[test]
fn a_gang_that_cannot_be_honoured_is_not_asked_about() {
    let unsupported = vec!["sub-groups".to_owned()];
    let odd = GangSpec { unsupported: unsupported.clone(), ..gang("g", 1) };
    assert_eq!(waits(odd, &[]), WaitReason::Unsupported(unsupported));
    let mut lost = gang("g", 1);
    lost.topology.topology = Some("none".to_owned());
    lost.topology.required = Some("rack".to_owned());
    assert_eq!(waits(lost, &[]), WaitReason::LevelMissing("rack".to_owned()));
    let foreign = PodSpec { ours: false, ..waiting("q") };
    let mixed = objects(gang("g", 1), vec![waiting("p"), foreign], &[]);
    assert_eq!(only(&mixed), Err(WaitReason::Schedulers));
    let alone = objects(gang("other", 1), vec![waiting("p")], &[]);
    assert_eq!(only(&alone), Err(WaitReason::NoGroup));
}

#[test]
fn the_queue_is_the_gangs_own_then_the_pods_then_the_namespaces_then_default() {
    let names = ["own", "pods", "spaces", "default"];
    let limit = |units| QuotaSpec::limit(None, "cpu", Amount::new(units));
    // Each queue is known by its limit.
    let queues: Vec<QueueSpec> = (1..)
        .zip(names)
        .map(|(units, name)| QueueSpec { quotas: vec![limit(units)], ..QueueSpec::named(name) })
        .collect();
    let queue = |name: &str| Some(name.to_owned());
    let asked = |own, of_pod, of_namespace| {
        let pod = PodSpec { queue: of_pod, ..waiting("p") };
        let mut all = objects(GangSpec { queue: own, ..gang("g", 1) }, vec![pod], &queues);
        let blue = NamespaceSpec { queue: of_namespace, ..NamespaceSpec::default() };
        all.cluster.namespaces.insert("blue".to_owned(), blue);
        only(&all).expect("all queues are open").room[0].queue.clone()
    };
    assert_eq!(asked(queue("own"), queue("pods"), queue("spaces")), "own");
    assert_eq!(asked(None, queue("pods"), queue("spaces")), "pods");
    assert_eq!(asked(None, None, queue("spaces")), "spaces");
    assert_eq!(asked(None, None, None), "default");
}

#[test]
fn what_runs_below_a_limit_is_taken_from_its_room() {
    let limit = QuotaSpec::limit(None, "cpu", Amount::new(5));
    let queue = QueueSpec { quotas: vec![limit], ..QueueSpec::named("q") };
    let running = on("n", pod("r", &[], requesting(&[("cpu", 3)])));
    let all = objects(in_queue("q"), vec![running, waiting("p")], &[queue]);
    assert_eq!(only(&all).expect("the queue is open").room[0].left, Amount::new(2));
}

#[test]
fn pods_that_may_not_be_placed_are_no_candidates() {
    let gated = PodSpec { gates: vec!["wait".to_owned()], ..waiting("q") };
    let all = objects(gang("g", 2), vec![waiting("p"), gated], &[]);
    let pending = only(&all).expect("only room matters").pending;
    assert_eq!(pending.iter().map(|pod| pod.uid.as_str()).collect::<Vec<_>>(), ["p"]);
}

#[test]
fn gangs_without_waiting_pods_are_not_asked_about() {
    let done = PodSpec { phase: PodPhase::Succeeded, ..waiting("q") };
    let all = objects(gang("g", 2), vec![on("n", waiting("p")), done], &[]);
    assert_eq!(questions(&all), []);
}

#[test]
fn pods_without_a_group_are_gangs_by_owner_or_alone() {
    let of = |uid: &str, membership| PodSpec { membership, ..pod(uid, &[], PodShape::default()) };
    let pods = vec![
        of("a", Membership::Owner(key("job/x"))),
        of("b", Membership::Owner(key("job/x"))),
        of("c", Membership::Alone),
    ];
    let all = questions(&objects(gang("g", 1), pods, &[]));
    let names: Vec<String> = all.iter().map(|(key, _)| key.to_string()).collect();
    assert_eq!(names, ["blue/c", "blue/job/x"]);
    assert!(all.iter().all(|(_, question)| question.as_ref().is_ok_and(|asked| asked.min == 1)));
}

#[test]
fn a_gang_whose_queue_or_one_above_is_not_for_its_namespace_is_not_asked_about() {
    let only_for = |name: &str, parent: Option<&str>, namespace: Option<&str>| QueueSpec {
        parent: parent.map(str::to_owned),
        namespaces: namespace
            .map(|it| NamespaceScope { names: vec![it.to_owned()], selector: None }),
        ..QueueSpec::named(name)
    };
    let forbidden = |queue: &str| WaitReason::QueueForbidden {
        queue: queue.to_owned(),
        namespace: "blue".to_owned(),
    };
    assert_eq!(waits(in_queue("q"), &[only_for("q", None, Some("red"))]), forbidden("q"));
    let below = [only_for("q", Some("top"), Some("blue")), only_for("top", None, Some("red"))];
    assert_eq!(waits(in_queue("q"), &below), forbidden("top"));
    let allowed = objects(in_queue("q"), vec![waiting("p")], &[only_for("q", None, Some("blue"))]);
    assert!(only(&allowed).is_ok());
}

#[test]
fn a_gang_finds_room_on_the_nodes_of_its_queue_alone() {
    let queue = |value: &str| QueueSpec {
        node_selector: LabelSelector {
            requirements: vec![requirement("pool", SelectorOperator::In, &[value])],
        },
        ..QueueSpec::named("q")
    };
    let answer = |value: &str| {
        let mut all = Objects::default();
        all.observe(&Event::Node(Box::new(node("n", &[("pool", "a")]))));
        all.observe(&Event::Gang(Box::new(in_queue("q"))));
        all.observe(&Event::Pod(Box::new(waiting("p"))));
        all.observe(&Event::Queue(queue(value)));
        let asked = only(&all).expect("the queue is open");
        (feasible(&all.cluster, &asked, 100), refusals(&all.cluster, &waiting("p"), "n"))
    };
    let (found, against) = answer("a");
    assert!(matches!(found, Answer::Yes(_)) && against.is_empty(), "{found:?} {against:?}");
    let other = Refusal::Node(NodeReason::QueueNodes("q".to_owned()));
    assert_eq!(answer("b"), (Answer::No, vec![other]));
}
