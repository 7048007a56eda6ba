//! Pod affinity and anti-affinity, both ways.

use crate::make::*;
use scheduler_model::explain::NodeReason;
use scheduler_model::spec::{
    LabelSelector, NamespaceScope, NamespaceSpec, PodShape, PodSpec, PodTerm, SelectorOperator,
};
use scheduler_sim::checker::Cluster;

const WEB: &[(&str, &str)] = &[("app", "web")];

/// Nodes a1, a2 in zone a, b1 in zone b, and c1 in none.
fn zones(pods: Vec<PodSpec>) -> Cluster {
    let nodes = vec![
        node("a1", &[("zone", "a"), ("name", "a1")]),
        node("a2", &[("zone", "a"), ("name", "a2")]),
        node("b1", &[("zone", "b"), ("name", "b1")]),
        node("c1", &[("name", "c1")]),
    ];
    cluster(nodes, pods)
}

fn allowed(world: &Cluster, pod: &PodSpec) -> Vec<&'static str> {
    let nodes = ["a1", "a2", "b1", "c1"];
    nodes.into_iter().filter(|node| reasons(world, pod, node).is_empty()).collect()
}

#[test]
fn affinity_goes_where_the_partner_shares_the_domain() {
    let world = zones(vec![on("a1", pod("w", WEB, PodShape::default()))]);
    assert_eq!(allowed(&world, &pod("p", &[], affine(&[near("web", "zone")]))), ["a1", "a2"]);
    assert_eq!(allowed(&world, &pod("p", &[], affine(&[near("web", "name")]))), ["a1"]);
}

#[test]
fn affinity_without_any_partner_goes_nowhere() {
    let world = zones(Vec::new());
    assert_eq!(allowed(&world, &pod("p", &[], affine(&[near("web", "zone")]))), [""; 0]);
}

#[test]
fn the_first_of_its_kind_may_go_wherever_the_key_is() {
    let world = zones(Vec::new());
    let first = pod("p", WEB, affine(&[near("web", "zone")]));
    assert_eq!(allowed(&world, &first), ["a1", "a2", "b1"]);
}

#[test]
fn the_second_of_its_kind_follows_the_first() {
    let first = on("b1", pod("w", WEB, PodShape::default()));
    let second = pod("p", WEB, affine(&[near("web", "zone")]));
    assert_eq!(allowed(&zones(vec![first]), &second), ["b1"]);
}

#[test]
fn a_partner_outside_of_all_domains_leaves_the_pod_the_first_of_its_kind() {
    let outside = on("c1", pod("w", WEB, PodShape::default()));
    let pod = pod("p", WEB, affine(&[near("web", "zone")]));
    assert_eq!(allowed(&zones(vec![outside]), &pod), ["a1", "a2", "b1"]);
}

#[test]
fn only_a_pod_that_all_terms_mean_is_a_partner() {
    let db = requirement("tier", SelectorOperator::In, &["db"]);
    let tier = PodTerm { selector: Some(selector(&[db])), ..near("web", "zone") };
    let wants = pod("p", &[], affine(&[near("web", "zone"), tier]));
    let halves = vec![
        on("a1", pod("w", WEB, PodShape::default())),
        on("a2", pod("t", &[("tier", "db")], PodShape::default())),
    ];
    assert_eq!(allowed(&zones(halves), &wants), [""; 0]);
    let whole = on("a1", pod("w", &[("app", "web"), ("tier", "db")], PodShape::default()));
    assert_eq!(allowed(&zones(vec![whole]), &wants), ["a1", "a2"]);
}

#[test]
fn anti_affinity_keeps_away_from_the_whole_domain() {
    let world = zones(vec![on("a1", pod("w", WEB, PodShape::default()))]);
    let shy = pod("p", &[], anti(&[near("web", "zone")]));
    assert_eq!(allowed(&world, &shy), ["b1", "c1"]);
    assert_eq!(reasons(&world, &shy, "a2"), [NodeReason::PodAntiAffinity]);
}

#[test]
fn each_anti_affinity_term_counts_by_itself() {
    let world = zones(vec![
        on("a1", pod("w", WEB, PodShape::default())),
        on("b1", pod("d", &[("app", "db")], PodShape::default())),
    ]);
    let shy = pod("p", &[], anti(&[near("web", "name"), near("db", "zone")]));
    assert_eq!(allowed(&world, &shy), ["a2", "c1"]);
}

#[test]
fn anti_affinity_of_a_running_pod_keeps_the_new_one_away() {
    let world = zones(vec![on("a1", pod("w", &[], anti(&[near("web", "zone")])))]);
    let new = pod("p", WEB, PodShape::default());
    assert_eq!(allowed(&world, &new), ["b1", "c1"]);
    assert_eq!(reasons(&world, &new, "a2"), [NodeReason::RefusedByPod]);
    assert_eq!(allowed(&world, &pod("q", &[], PodShape::default())).len(), 4);
}

#[test]
fn terminating_pods_are_partners_and_finished_ones_are_not() {
    let there = on("a1", pod("w", WEB, PodShape::default()));
    let shy = pod("p", &[], anti(&[near("web", "name")]));
    let terminating = PodSpec { terminating: true, ..there.clone() };
    assert_eq!(allowed(&zones(vec![terminating]), &shy).len(), 3);
    let mut finished = there;
    finished.phase = scheduler_model::spec::PodPhase::Failed;
    assert_eq!(allowed(&zones(vec![finished]), &shy).len(), 4);
}

#[test]
fn a_term_looks_into_named_and_selected_namespaces_only() {
    let other =
        PodSpec { namespace: "red".to_owned(), ..on("a1", pod("w", WEB, PodShape::default())) };
    let mut world = zones(vec![other]);
    let red =
        NamespaceSpec { name: "red".to_owned(), labels: labels(&[("team", "fire")]), queue: None };
    world.namespaces.insert("red".to_owned(), red);
    let scope = |names: &[&str], selector| NamespaceScope {
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        selector,
    };
    let team = |name| Some(selector(&[requirement("team", SelectorOperator::In, &[name])]));
    let cases = [
        (scope(&["blue"], None), false),
        (scope(&["red"], None), true),
        (scope(&[], Some(LabelSelector::default())), true),
        (scope(&["blue"], team("fire")), true),
        (scope(&["blue"], team("sea")), false),
    ];
    for (namespaces, meets) in cases {
        let term = PodTerm { namespaces: namespaces.clone(), ..near("web", "name") };
        let shy = pod("p", &[], anti(&[term]));
        assert_eq!(!reasons(&world, &shy, "a1").is_empty(), meets, "{namespaces:?}");
    }
}

#[test]
fn a_missing_selector_means_nobody_and_an_empty_one_everybody() {
    let world = zones(vec![on("a1", pod("w", &[], PodShape::default()))]);
    let shy = |selector| pod("p", &[], anti(&[PodTerm { selector, ..near("web", "name") }]));
    assert_eq!(reasons(&world, &shy(None), "a1"), []);
    assert_eq!(reasons(&world, &shy(Some(LabelSelector::default())), "a1").len(), 1);
}
