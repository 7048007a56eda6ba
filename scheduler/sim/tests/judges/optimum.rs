//! How many gangs fit together.

use crate::make::*;
use proptest::prelude::*;
use scheduler_model::amount::Amount;
use scheduler_model::spec::{Membership, PodSpec};
use scheduler_sim::checker::{Cluster, Objects};
use scheduler_sim::oracle::{Answer, GangQuestion, QueueRoom, best_total, feasible, questions};
use scheduler_sim::worlds::{Size, random};

const BUDGET: u64 = 100_000;

/// Gangs of the given sizes (cpu per member) on nodes with 8 cpu units.
fn gangs(nodes: usize, sizes: &[&[i64]]) -> (Cluster, Vec<GangQuestion>) {
    let mut pods = Vec::new();
    for (at, members) in sizes.iter().enumerate() {
        for (index, cpu) in members.iter().enumerate() {
            let one = pod(&format!("g{at}-{index}"), &[], requesting(&[("cpu", *cpu)]));
            pods.push(PodSpec { membership: Membership::Group(key(&format!("g{at}"))), ..one });
        }
    }
    let nodes = (0..nodes).map(|at| node(&format!("n{at}"), &[])).collect();
    let mut objects = Objects::default();
    objects.cluster = cluster(nodes, pods);
    for (at, members) in sizes.iter().enumerate() {
        let min = u32::try_from(members.len()).expect("gangs are small");
        objects.gangs.insert(key(&format!("g{at}")), gang(&format!("g{at}"), min));
    }
    let asked = questions(&objects).into_iter().map(|(_, question)| question);
    (objects.cluster, asked.map(|question| question.expect("only room matters")).collect())
}

fn total(nodes: usize, sizes: &[&[i64]]) -> Option<u32> {
    let (cluster, questions) = gangs(nodes, sizes);
    best_total(&cluster, &questions, BUDGET)
}

#[test]
fn two_small_gangs_beat_one_large_one() {
    assert_eq!(total(2, &[&[8, 8], &[8], &[8]]), Some(2));
}

#[test]
fn all_gangs_fit_if_they_are_packed_well() {
    assert_eq!(total(2, &[&[5, 3], &[4, 4]]), Some(2));
    assert_eq!(total(2, &[&[5, 4], &[5, 1]]), Some(1));
}

#[test]
fn gangs_share_the_room_of_their_queue() {
    let (cluster, mut questions) = gangs(2, &[&[4], &[4]]);
    for question in &mut questions {
        question.room = vec![QueueRoom {
            queue: "q".to_owned(),
            flavour: None,
            resource: "cpu".to_owned(),
            left: Amount::new(7),
        }];
    }
    assert_eq!(best_total(&cluster, &questions, BUDGET), Some(1));
}

#[test]
fn a_gang_is_whole_before_the_next_one_begins() {
    let of = |gang: &str, uid: &str, app: &str, wants: Option<&str>| {
        let terms: Vec<_> = wants.iter().map(|app| near(app, "name")).collect();
        let membership = Membership::Group(key(gang));
        PodSpec { membership, ..pod(uid, &[("app", app)], affine(&terms)) }
    };
    // Each gang has what the other one waits for, but neither can be whole first.
    let pods = vec![
        of("g", "a", "x", None),
        of("g", "b", "-", Some("y")),
        of("h", "c", "y", None),
        of("h", "d", "-", Some("x")),
    ];
    let mut objects = Objects::default();
    objects.cluster = cluster(vec![node("n", &[("name", "n")])], pods);
    let best = |objects: &Objects| {
        let asked = questions(objects).into_iter().filter_map(|(_, question)| question.ok());
        best_total(&objects.cluster, &asked.collect::<Vec<_>>(), BUDGET)
    };
    objects.gangs.extend([(key("g"), gang("g", 2)), (key("h"), gang("h", 2))]);
    assert_eq!(best(&objects), Some(0));
    objects.gangs.insert(key("h"), gang("h", 1));
    assert_eq!(best(&objects), Some(2));
}

/// Places gangs greedily in every order; the most that were placed.
fn greedy(cluster: &Cluster, left: &[&GangQuestion]) -> u32 {
    let mut most = 0;
    for (at, question) in left.iter().enumerate() {
        let Answer::Yes(binds) = feasible(cluster, question, BUDGET) else { continue };
        let mut after = cluster.clone();
        for (uid, node) in binds {
            after.pods.get_mut(&uid).expect("it was asked about").node = Some(node);
        }
        let rest = left.iter().enumerate().filter(|(other, _)| *other != at);
        let rest: Vec<&GangQuestion> = rest.map(|(_, question)| *question).collect();
        most = most.max(1 + greedy(&after, &rest));
    }
    most
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn the_optimum_lies_between_greedy_and_one_by_one(seed: u64) {
        let objects = Objects::from_world(&random(seed, Size::TINY));
        let asked = questions(&objects).into_iter().filter_map(|(_, question)| question.ok());
        // Without limits, which greedy does not share between gangs.
        let asked: Vec<GangQuestion> = asked.filter(|question| question.room.is_empty()).collect();
        if let Some(best) = best_total(&objects.cluster, &asked, BUDGET) {
            prop_assert!(best >= greedy(&objects.cluster, &asked.iter().collect::<Vec<_>>()));
            prop_assert!(best as usize <= asked.len());
        }
    }
}
