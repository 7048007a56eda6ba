//! Cases from the documentation of pod topology spread constraints and the default
//! scheduler's behaviour.

use super::*;
use crate::testing::{
    build, kept, labelled, labels, node, on, pod, refusal, score, selector, terminating,
};
use scheduler_model::spec::{NodeSpec, PodShape, PodSpec, SelectorOperator, Taint, TaintEffect};

const APP: &[(&str, &str)] = &[("app", "web")];

fn over(key: &str) -> SpreadSpec {
    SpreadSpec {
        max_skew: 1,
        topology_key: key.to_owned(),
        when_unsatisfiable: WhenUnsatisfiable::DoNotSchedule,
        selector: Some(selector(APP)),
        min_domains: 1,
        honour_affinity: true,
        honour_taints: false,
    }
}

fn soft(key: &str) -> SpreadSpec {
    SpreadSpec { when_unsatisfiable: WhenUnsatisfiable::ScheduleAnyway, ..over(key) }
}

fn spread(constraints: Vec<SpreadSpec>) -> PodShape {
    PodShape { spread: constraints, ..PodShape::default() }
}

/// `a1` and `a2` in zone a, `b1` in zone b, `x` in none.
fn nodes() -> Vec<NodeSpec> {
    vec![
        labelled("a1", &[("zone", "a")]),
        labelled("a2", &[("zone", "a")]),
        labelled("b1", &[("zone", "b")]),
        node("x"),
    ]
}

fn webs(places: &[&str]) -> Vec<PodSpec> {
    let one = |(index, place): (usize, &&str)| {
        on(place, pod(&format!("w{index}"), APP, PodShape::default()))
    };
    places.iter().enumerate().map(one).collect()
}

fn world(nodes: Vec<NodeSpec>, mut pods: Vec<PodSpec>, shape: PodShape) -> Snapshot {
    pods.push(pod("p", APP, shape));
    build(nodes, pods)
}

/// Where one more pod may go beside `places`.
fn fits(constraints: Vec<SpreadSpec>, places: &[&str]) -> Vec<String> {
    let snap = world(nodes(), webs(places), spread(constraints));
    kept(&Spread, &snap, "p").into_iter().map(str::to_owned).collect()
}

#[test]
fn the_fuller_domain_is_closed_beyond_the_skew() {
    assert_eq!(fits(vec![over("zone")], &[]), ["a1", "a2", "b1"]);
    assert_eq!(fits(vec![over("zone")], &["a1"]), ["b1"]);
    assert_eq!(fits(vec![over("zone")], &["a1", "b1"]), ["a1", "a2", "b1"]);
    let loose = SpreadSpec { max_skew: 2, ..over("zone") };
    assert_eq!(fits(vec![loose], &["a1"]), ["a1", "a2", "b1"]);
}

#[test]
fn a_node_without_the_label_is_refused_for_good() {
    let snap = world(nodes(), vec![], spread(vec![over("zone")]));
    let reason = NodeReason::NoSpreadLabel("zone".to_owned());
    assert_eq!(refusal(&Spread, &snap, "p", "x"), Some(reason));
    let snap = world(nodes(), webs(&["a1"]), spread(vec![over("zone")]));
    let reason = NodeReason::Spread("zone".to_owned());
    assert_eq!(refusal(&Spread, &snap, "p", "a2"), Some(reason));
}

#[test]
fn a_pod_that_its_own_selector_misses_does_not_count_itself() {
    let shape = spread(vec![over("zone")]);
    let mut pods = webs(&["a1"]);
    pods.push(pod("p", &[], shape));
    let snap = build(nodes(), pods);
    assert_eq!(kept(&Spread, &snap, "p"), ["a1", "a2", "b1"]);
}

#[test]
fn too_few_domains_make_the_emptiest_hold_nothing() {
    let three = SpreadSpec { min_domains: 3, ..over("zone") };
    assert!(fits(vec![three.clone()], &["a1", "b1"]).is_empty());
    assert_eq!(fits(vec![three], &["a1"]), ["b1"]);
    let two = SpreadSpec { min_domains: 2, ..over("zone") };
    assert_eq!(fits(vec![two], &["a1", "b1"]), ["a1", "a2", "b1"]);
}

#[test]
fn all_hard_constraints_must_hold() {
    let host = || over("kubernetes.io/hostname");
    assert_eq!(fits(vec![over("zone"), host()], &["a1", "b1"]), ["a2"]);
}

#[test]
fn nodes_without_the_label_of_another_constraint_make_no_domain() {
    // Zone c is known from a node without rack: it would be the emptiest and close all others.
    let nodes = vec![
        labelled("a1", &[("zone", "a"), ("rack", "1")]),
        labelled("b1", &[("zone", "b"), ("rack", "2")]),
        labelled("c1", &[("zone", "c")]),
    ];
    let shape = spread(vec![over("zone"), over("rack")]);
    let snap = world(nodes, webs(&["a1", "b1"]), shape);
    assert_eq!(kept(&Spread, &snap, "p"), ["a1", "b1"]);
}

#[test]
fn pods_on_their_way_out_and_waiting_ones_do_not_count() {
    let mut pods = webs(&["a1"]).into_iter().map(terminating).collect::<Vec<_>>();
    pods.push(pod("waits", APP, PodShape::default()));
    let snap = world(nodes(), pods, spread(vec![over("zone")]));
    assert_eq!(kept(&Spread, &snap, "p"), ["a1", "a2", "b1"]);
}

#[test]
fn pods_of_other_namespaces_do_not_count() {
    let foreign = webs(&["a1"])
        .into_iter()
        .map(|pod| PodSpec { namespace: "other".to_owned(), ..pod })
        .collect();
    let snap = world(nodes(), foreign, spread(vec![over("zone")]));
    assert_eq!(kept(&Spread, &snap, "p"), ["a1", "a2", "b1"]);
}

#[test]
fn the_affinity_policy_decides_whether_unwanted_nodes_make_domains() {
    let shape = |honour_affinity| PodShape {
        node_selector: labels(&[("zone", "a")]),
        ..spread(vec![SpreadSpec { honour_affinity, ..over("zone") }])
    };
    let honoured = world(nodes(), webs(&["a1"]), shape(true));
    assert_eq!(kept(&Spread, &honoured, "p"), ["a1", "a2", "b1"]);
    let ignored = world(nodes(), webs(&["a1"]), shape(false));
    assert_eq!(kept(&Spread, &ignored, "p"), ["b1"]);
}

#[test]
fn the_taints_policy_decides_whether_tainted_nodes_make_domains() {
    let world = |honour_taints, effect| {
        let mut nodes = nodes();
        nodes[2].taints = vec![Taint { key: "k".to_owned(), value: String::new(), effect }];
        let shape = spread(vec![SpreadSpec { honour_taints, ..over("zone") }]);
        world(nodes, webs(&["a1"]), shape)
    };
    assert_eq!(kept(&Spread, &world(false, TaintEffect::NoSchedule), "p"), ["b1"]);
    let all = ["a1", "a2", "b1"];
    assert_eq!(kept(&Spread, &world(true, TaintEffect::NoSchedule), "p"), all);
    assert_eq!(kept(&Spread, &world(true, TaintEffect::PreferNoSchedule), "p"), ["b1"]);
}

#[test]
fn an_empty_selector_counts_no_placed_pod() {
    let empty = SpreadSpec { selector: Some(selector(&[])), ..over("zone") };
    assert_eq!(fits(vec![empty], &["a1", "a1", "a1"]), ["a1", "a2", "b1"]);
}

#[test]
fn a_selector_by_absence_counts_unlabelled_pods() {
    let mut absent = selector(APP);
    absent.requirements[0].operator = SelectorOperator::DoesNotExist;
    absent.requirements[0].values.clear();
    let constraint = SpreadSpec { selector: Some(absent), ..over("zone") };
    let mut pods = vec![on("a1", pod("plain", &[], PodShape::default()))];
    pods.push(pod("p", &[], spread(vec![constraint])));
    assert_eq!(kept(&Spread, &build(nodes(), pods), "p"), ["b1"]);
}

#[test]
fn a_soft_constraint_turns_nobody_away() {
    assert_eq!(fits(vec![soft("zone")], &["a1", "a1"]).len(), 4);
}

#[test]
fn soft_constraints_score_the_emptier_domain_higher() {
    let snap = world(nodes(), webs(&["a1", "a1", "b1"]), spread(vec![soft("zone")]));
    assert_eq!(score(&Spread, &snap, "p", "b1"), 1000);
    assert_eq!(score(&Spread, &snap, "p", "a2"), 500);
    assert_eq!(score(&Spread, &snap, "p", "x"), 0);
}

#[test]
fn a_larger_skew_allowed_makes_the_score_fall_slower() {
    let wide = SpreadSpec { max_skew: 3, ..soft("zone") };
    let snap = world(nodes(), webs(&["a1"]), spread(vec![wide]));
    assert_eq!(score(&Spread, &snap, "p", "a1"), 750);
}

#[test]
fn several_soft_constraints_score_their_mean() {
    let shape = spread(vec![soft("zone"), soft("kubernetes.io/hostname")]);
    let snap = world(nodes(), webs(&["a1"]), shape);
    assert_eq!(score(&Spread, &snap, "p", "a2"), i64::midpoint(500, 1000));
    assert_eq!(score(&Spread, &snap, "p", "a1"), 500);
}
