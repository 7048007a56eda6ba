//! The oracle: small cases by hand, then against brute force, then its speed.

use crate::brute::brute;
use crate::make::*;
use proptest::prelude::*;
use scheduler_model::amount::Amount;
use scheduler_model::spec::{GangSpec, Membership, NodeSpec, PodShape, PodSpec, RoleSpec};
use scheduler_sim::checker::{Cluster, Objects, replay};
use scheduler_sim::oracle::{
    Answer, GangQuestion, Ground, QueueRoom, best_count, feasible, questions,
};
use scheduler_sim::worlds::{Feature, Size, random, random_of};

/// Large enough for all tiny worlds.
const BUDGET: u64 = 200_000;

/// The question that the gang `g` of these pods asks.
pub(crate) fn ask(cluster: &Cluster, gang: GangSpec) -> GangQuestion {
    let mut objects = Objects::default();
    objects.cluster = cluster.clone();
    objects.gangs.insert(gang.key.clone(), gang);
    let (_, question) = questions(&objects).pop().expect("some pods wait");
    question.expect("nothing but room is in the way")
}

fn pods(count: usize, cpu: i64) -> Vec<PodSpec> {
    (0..count).map(|at| pod(&format!("p{at}"), &[], requesting(&[("cpu", cpu)]))).collect()
}

fn says(nodes: usize, pods: Vec<PodSpec>, gang: GangSpec) -> bool {
    let nodes = (0..nodes).map(|at| node(&format!("n{at}"), &[])).collect();
    let world = cluster(nodes, pods);
    match feasible(&world, &ask(&world, gang), BUDGET) {
        Answer::Yes(_) => true,
        Answer::No => false,
        Answer::TooLarge => panic!("the case is small"),
    }
}

#[test]
fn identical_members_fit_as_often_as_they_go_into_the_nodes() {
    assert!(says(2, pods(4, 4), gang("g", 4)));
    assert!(!says(2, pods(5, 4), gang("g", 5)));
    assert!(says(2, pods(5, 4), gang("g", 4)));
    assert!(!says(4, pods(4, 9), gang("g", 1)));
}

#[test]
fn fewer_pods_than_the_minimum_never_fit() {
    assert!(!says(9, pods(3, 1), gang("g", 4)));
}

#[test]
fn members_that_run_count_towards_the_minimum() {
    let mut three = pods(3, 8);
    three[0] = on("n0", three[0].clone());
    assert!(says(2, three.clone(), gang("g", 2)));
    assert!(!says(2, three, gang("g", 3)));
}

#[test]
fn shapes_that_fit_only_in_one_arrangement_are_found() {
    // 5+3 and 4+4 fill both nodes; whoever puts 4 beside 3 loses.
    let sizes = [3, 4, 4, 5];
    let mixed = |sizes: &[i64]| -> Vec<PodSpec> {
        let one =
            |(at, cpu): (usize, &i64)| pod(&format!("p{at}"), &[], requesting(&[("cpu", *cpu)]));
        sizes.iter().enumerate().map(one).collect()
    };
    assert!(says(2, mixed(&sizes), gang("g", 4)));
    // 15 of 16 in sum, but no two of 5, 5, 5 share a node.
    assert!(!says(2, mixed(&[5, 5, 5]), gang("g", 3)));
    assert!(!says(2, mixed(&[6, 5, 5]), gang("g", 3)));
}

#[test]
fn minimums_of_roles_are_met_by_their_own_pods() {
    let role = |name: &str, min| RoleSpec { name: name.to_owned(), min };
    let mut three = pods(3, 8);
    three[0].role = "leader".to_owned();
    let wants = |leaders| GangSpec { roles: vec![role("leader", leaders)], ..gang("g", 2) };
    assert!(says(2, three.clone(), wants(1)));
    assert!(!says(9, three, wants(2)));
}

#[test]
fn all_members_must_find_room_in_one_domain_of_the_required_level() {
    let nodes = vec![node("a", &[("rack", "1")]), node("b", &[("rack", "2")]), node("c", &[])];
    let world = cluster(nodes, pods(2, 8));
    let mut gang = gang("g", 2);
    assert!(matches!(feasible(&world, &ask(&world, gang.clone()), 0), Answer::Yes(_)));
    gang.topology.required = Some("rack".to_owned());
    assert_eq!(feasible(&world, &ask(&world, gang), 0), Answer::No);
}

#[test]
fn running_members_fix_the_domain() {
    let racks = || vec![node("a", &[("rack", "1")]), node("b", &[("rack", "2")])];
    let mut two = pods(2, 4);
    two[0] = on("b", two[0].clone());
    let world = cluster(racks(), two);
    let mut gang = gang("g", 2);
    gang.topology.required = Some("rack".to_owned());
    let expected = Answer::Yes(vec![("p1".to_owned(), "b".to_owned())]);
    assert_eq!(feasible(&world, &ask(&world, gang), 0), expected);
}

fn room(flavour: Option<&str>, left: i64) -> QueueRoom {
    QueueRoom {
        queue: "q".to_owned(),
        flavour: flavour.map(str::to_owned),
        resource: "cpu".to_owned(),
        left: Amount::new(left),
    }
}

#[test]
fn the_room_in_queues_bounds_what_can_be_placed() {
    let sizes = [pods(2, 4), vec![pods(1, 4).remove(0), pod("q", &[], requesting(&[("cpu", 5)]))]];
    for pods in sizes {
        let all = pods.iter().map(|pod| pod.shape.requests["cpu"].units()).sum();
        let world = cluster(vec![node("n", &[]), node("m", &[])], pods);
        let with = |flavour, left| {
            let room = vec![room(flavour, left)];
            let question = GangQuestion { room, ..ask(&world, gang("g", 2)) };
            feasible(&world, &question, BUDGET) != Answer::No
        };
        assert!(with(None, all));
        assert!(!with(None, all - 1));
        assert!(with(Some(""), all));
        assert!(!with(Some(""), all - 1));
        assert!(with(Some("other"), 0));
    }
}

/// A pod with `app=web` that stays away from such pods.
fn shy(uid: &str) -> PodSpec {
    let shape = PodShape { requests: resources(&[("cpu", 1)]), ..anti(&[near("web", "name")]) };
    pod(uid, &[("app", "web")], shape)
}

#[test]
fn members_that_avoid_each_other_need_room_in_the_queue_on_each_node() {
    let fast = NodeSpec { flavour: "fast".to_owned(), ..node("f", &[("name", "f")]) };
    let world = cluster(vec![node("n", &[("name", "n")]), fast], vec![shy("p"), shy("q")]);
    let with = |left| {
        let room = vec![room(Some("fast"), left)];
        feasible(&world, &GangQuestion { room, ..ask(&world, gang("g", 2)) }, BUDGET)
    };
    assert_eq!(with(0), Answer::No);
    assert!(matches!(with(1), Answer::Yes(_)));
}

#[test]
fn a_member_that_avoids_the_running_one_finds_no_place_outside_its_domain() {
    let quiet = pod("p", &[("app", "web")], PodShape::default());
    let label = |name: &'static str, rack| [("name", name), ("rack", rack)];
    let nodes = vec![node("a", &label("a", "1")), node("b", &label("b", "2"))];
    let world = cluster(nodes, vec![on("b", quiet), shy("q")]);
    let mut gang = gang("g", 2);
    assert!(matches!(feasible(&world, &ask(&world, gang.clone()), BUDGET), Answer::Yes(_)));
    gang.topology.required = Some("rack".to_owned());
    assert_eq!(feasible(&world, &ask(&world, gang), BUDGET), Answer::No);
}

#[test]
fn pods_that_differ_only_in_a_label_that_a_running_pod_avoids_are_told_apart() {
    let one = |uid: &str, app: &str| pod(uid, &[("app", app)], requesting(&[("cpu", 8)]));
    let keeper = on("a", pod("k", &[], anti(&[near("web", "name")])));
    let keeper = PodSpec { ours: false, membership: Membership::Alone, ..keeper };
    let nodes = vec![node("a", &[("name", "a")]), node("b", &[("name", "b")])];
    let asks = |apps: [&str; 2]| {
        let pods = vec![keeper.clone(), one("p", apps[0]), one("q", apps[1])];
        let world = cluster(nodes.clone(), pods);
        feasible(&world, &ask(&world, gang("g", 2)), BUDGET)
    };
    assert!(matches!(asks(["web", "db"]), Answer::Yes(_)));
    assert_eq!(asks(["web", "web"]), Answer::No);
}

#[test]
fn members_that_avoid_each_other_need_a_node_each() {
    let world = |nodes: usize| {
        let nodes = (0..nodes).map(|at| node(&format!("n{at}"), &[("name", &at.to_string())]));
        cluster(nodes.collect(), (0..3).map(|at| shy(&format!("p{at}"))).collect())
    };
    let asks = |world: Cluster| feasible(&world, &ask(&world, gang("g", 3)), BUDGET);
    assert!(matches!(asks(world(3)), Answer::Yes(_)));
    assert_eq!(asks(world(2)), Answer::No);
    let two = world(2);
    assert_eq!(best_count(&two, &ask(&two, gang("g", 3)), BUDGET), Some(2));
}

#[test]
fn an_order_that_brings_the_partner_first_is_found() {
    let follower = pod("a", &[], affine(&[near("web", "name")]));
    let leader = pod("b", &[("app", "web")], PodShape::default());
    let world = cluster(vec![node("n", &[("name", "n")])], vec![follower, leader]);
    let bind = |uid: &str| (uid.to_owned(), "n".to_owned());
    let expected = Answer::Yes(vec![bind("b"), bind("a")]);
    assert_eq!(feasible(&world, &ask(&world, gang("g", 2)), BUDGET), expected);
}

#[test]
fn a_search_beyond_its_budget_says_so() {
    let mut three = pods(3, 3);
    three.push(pod("q", &[], requesting(&[("cpu", 5)])));
    let nodes = (0..2).map(|at| node(&format!("n{at}"), &[])).collect();
    let world = cluster(nodes, three);
    assert_eq!(feasible(&world, &ask(&world, gang("g", 4)), 1), Answer::TooLarge);
}

/// Compares every question of a world with brute force; the number that could be compared.
fn compare(objects: &Objects) -> usize {
    let cluster = &objects.cluster;
    let mut compared = 0;
    for (key, question) in questions(objects) {
        let Ok(question) = question else { continue };
        let Some(truth) = brute(cluster, &question) else { continue };
        let answer = feasible(cluster, &question, BUDGET);
        assert_eq!(matches!(answer, Answer::Yes(_)), truth.feasible, "{key}: {answer:?}");
        let most = best_count(cluster, &question, BUDGET).map(|most| most as usize);
        assert_eq!(most, Some(truth.most), "{key}");
        if let Answer::Yes(binds) = answer {
            assert_eq!(replay(&mut cluster.clone(), &binds), [], "{key}: {binds:?}");
        }
        compared += 1;
    }
    compared
}

/// Features that make pods look at each other.
const PARTNERS: [Feature; 5] = [
    Feature::PodAffinity,
    Feature::AntiAffinity,
    Feature::Spread,
    Feature::Ports,
    Feature::Namespaces,
];

fn without_partners() -> Vec<Feature> {
    Feature::ALL.into_iter().filter(|feature| !PARTNERS.contains(feature)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn counting_agrees_with_brute_force(seed: u64) {
        let features = without_partners().into_iter().filter(|feature| *feature != Feature::Mixed);
        let features: Vec<Feature> = features.filter(|feature| *feature != Feature::Roles).collect();
        compare(&Objects::from_world(&random_of(seed, Size::TINY, &features)));
    }

    #[test]
    fn packing_agrees_with_brute_force(seed: u64) {
        compare(&Objects::from_world(&random_of(seed, Size::TINY, &without_partners())));
        let features = [Feature::Mixed, Feature::Roles, Feature::Limits, Feature::Flavours];
        let size = Size { nodes: 3, gangs: 1, queues: 1, pods: 4 };
        compare(&Objects::from_world(&random_of(seed, size, &features)));
    }

    #[test]
    fn searching_agrees_with_brute_force(seed: u64) {
        compare(&Objects::from_world(&random(seed, Size::TINY)));
        let mut features = PARTNERS.to_vec();
        features.extend([Feature::Mixed, Feature::Running, Feature::Limits, Feature::Topology]);
        compare(&Objects::from_world(&random_of(seed, Size::TINY, &features)));
    }
}

#[test]
fn brute_force_gets_to_judge_most_questions() {
    let judged = (0..60).map(|seed| compare(&Objects::from_world(&random(seed, Size::TINY))));
    assert!(judged.sum::<usize>() > 30);
}

#[test]
fn five_hundred_gangs_are_judged_on_fifteen_hundred_nodes_within_seconds() {
    let zone = |at: usize| if at.is_multiple_of(2) { "a" } else { "b" };
    let nodes = (0..1500).map(|at| node(&format!("n{at}"), &[("zone", zone(at))])).collect();
    let running = (0..6000).map(|at| {
        on(&format!("n{}", at % 1500), pod(&format!("r{at}"), &[], requesting(&[("cpu", 1)])))
    });
    let world = cluster(nodes, running.collect());
    let (ground, start) = (Ground::new(&world), std::time::Instant::now());
    for at in 0..500 {
        let members = 2 * at + 1300;
        let shape = std::sync::Arc::new(requesting(&[("cpu", 3)]));
        let question = GangQuestion {
            gang: key("g"),
            pending: (0..members)
                .map(|at| PodSpec {
                    shape: shape.clone(),
                    ..pod(&format!("p{at}"), &[], PodShape::default())
                })
                .collect(),
            min: u32::try_from(members).expect("the count is small"),
            roles: Vec::new(),
            counted: 0,
            counted_by_role: Default::default(),
            level: None,
            anchors: Vec::new(),
            room: Vec::new(),
        };
        let fits = matches!(ground.feasible(&question, 0), Answer::Yes(_));
        assert_eq!(fits, members <= 1500);
    }
    // Ten times what it takes, so that only a change of order fails it.
    assert!(start.elapsed().as_secs() < 50, "{:?}", start.elapsed());
}
