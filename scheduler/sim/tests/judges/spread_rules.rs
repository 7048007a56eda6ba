//! Topology spread with `DoNotSchedule`.

use crate::make::*;
use scheduler_model::explain::NodeReason;
use scheduler_model::spec::{
    LabelSelector, NodeSpec, PodShape, PodSpec, SpreadSpec, TaintEffect, WhenUnsatisfiable,
};
use scheduler_sim::checker::Cluster;

const WEB: &[(&str, &str)] = &[("app", "web")];

fn web(uid: &str, node: &str) -> PodSpec {
    on(node, pod(uid, WEB, PodShape::default()))
}

/// Nodes a (zone a), b (zone b), c (zone c) with as many web pods as said.
fn zones(counts: [usize; 3]) -> Cluster {
    let names = ["a", "b", "c"];
    let nodes = names.iter().map(|name| node(name, &[("zone", name)])).collect();
    let pods = names
        .iter()
        .zip(counts)
        .flat_map(|(name, count)| (0..count).map(move |at| web(&format!("{name}{at}"), name)));
    cluster(nodes, pods.collect())
}

fn allowed(world: &Cluster, constraints: &[SpreadSpec]) -> Vec<&'static str> {
    let pod = pod("p", WEB, spreading(constraints));
    ["a", "b", "c"].into_iter().filter(|node| reasons(world, &pod, node).is_empty()).collect()
}

#[test]
fn no_domain_may_rise_above_the_emptiest_by_more_than_the_skew() {
    assert_eq!(allowed(&zones([2, 1, 1]), &[spread(1, "zone")]), ["b", "c"]);
    assert_eq!(allowed(&zones([2, 1, 1]), &[spread(2, "zone")]), ["a", "b", "c"]);
    assert_eq!(allowed(&zones([1, 1, 0]), &[spread(1, "zone")]), ["c"]);
}

#[test]
fn a_soft_constraint_forbids_nothing() {
    let soft =
        SpreadSpec { when_unsatisfiable: WhenUnsatisfiable::ScheduleAnyway, ..spread(1, "zone") };
    assert_eq!(allowed(&zones([5, 0, 0]), &[soft]), ["a", "b", "c"]);
}

#[test]
fn a_pod_that_its_own_selector_does_not_mean_adds_nothing() {
    let stranger = pod("p", &[], spreading(&[spread(1, "zone")]));
    let world = zones([1, 0, 0]);
    assert_eq!(reasons(&world, &stranger, "a"), []);
    let own = pod("p", WEB, spreading(&[spread(1, "zone")]));
    assert_eq!(reasons(&world, &own, "a"), [NodeReason::Spread("zone".to_owned())]);
}

#[test]
fn with_fewer_domains_than_wanted_the_emptiest_counts_as_empty() {
    let wide = SpreadSpec { min_domains: 4, ..spread(1, "zone") };
    assert_eq!(allowed(&zones([1, 1, 1]), std::slice::from_ref(&wide)), [""; 0]);
    assert_eq!(allowed(&zones([1, 1, 0]), std::slice::from_ref(&wide)), ["c"]);
    let enough = SpreadSpec { min_domains: 3, ..wide };
    assert_eq!(allowed(&zones([1, 1, 1]), &[enough]), ["a", "b", "c"]);
}

#[test]
fn terminating_pods_and_pods_of_other_namespaces_do_not_count() {
    let mut world = zones([1, 0, 0]);
    let there = world.pods.get_mut("a0").expect("there is one pod in zone a");
    there.terminating = true;
    assert_eq!(allowed(&world, &[spread(1, "zone")]), ["a", "b", "c"]);
    let there = world.pods.get_mut("a0").expect("there is one pod in zone a");
    (there.terminating, there.namespace) = (false, "red".to_owned());
    assert_eq!(allowed(&world, &[spread(1, "zone")]), ["a", "b", "c"]);
}

#[test]
fn the_node_must_carry_the_keys_of_all_hard_constraints() {
    let world = cluster(vec![node("a", &[("zone", "a")])], Vec::new());
    let pod = pod("p", WEB, spreading(&[spread(1, "zone"), spread(1, "rack")]));
    assert_eq!(reasons(&world, &pod, "a"), [NodeReason::NoSpreadLabel("rack".to_owned())]);
}

#[test]
fn nodes_without_all_keys_make_no_domain() {
    let mut world = zones([1, 0, 0]);
    for node in world.nodes.values_mut().filter(|node| node.name != "b") {
        node.labels.insert("rack".to_owned(), "r".to_owned());
    }
    // Zone b has no pod, but its node lacks the rack: zone c is the emptiest domain.
    let both = [spread(1, "zone"), spread(9, "rack")];
    assert_eq!(allowed(&world, &both), ["c"]);
    world.nodes.get_mut("c").expect("there is a zone c").labels.remove("rack");
    assert_eq!(allowed(&world, &both), ["a"]);
}

#[test]
fn nodes_outside_the_affinity_make_domains_only_if_it_is_ignored() {
    let world = zones([1, 1, 0]);
    let asks = |honour_affinity| {
        let shape = spreading(&[SpreadSpec { honour_affinity, ..spread(1, "zone") }]);
        let not_c = requirement("zone", scheduler_model::spec::SelectorOperator::NotIn, &["c"]);
        let terms = with_term(&[not_c], &[]).node_affinity;
        let pod = pod("p", WEB, PodShape { node_affinity: terms, ..shape });
        reasons(&world, &pod, "a").is_empty()
    };
    assert!(asks(true), "zone c makes no domain, so both others may take one more");
    assert!(!asks(false), "zone c is empty and counts");
}

#[test]
fn tainted_nodes_make_domains_unless_taints_are_honoured() {
    let mut world = zones([1, 1, 0]);
    let node: &mut NodeSpec = world.nodes.get_mut("c").expect("there is a zone c");
    node.taints = vec![taint("team", "x", TaintEffect::NoSchedule)];
    assert_eq!(allowed(&world, &[spread(1, "zone")]), [""; 0]);
    let honours = SpreadSpec { honour_taints: true, ..spread(1, "zone") };
    assert_eq!(allowed(&world, &[honours]), ["a", "b"]);
}

#[test]
fn an_empty_selector_counts_no_pod_that_is_there() {
    let all = SpreadSpec { selector: Some(LabelSelector::default()), ..spread(1, "zone") };
    assert_eq!(allowed(&zones([5, 0, 0]), &[all]), ["a", "b", "c"]);
}

#[test]
fn a_missing_selector_counts_nobody_not_even_the_pod_itself() {
    let none = SpreadSpec { selector: None, ..spread(1, "zone") };
    assert_eq!(allowed(&zones([5, 0, 0]), &[none]), ["a", "b", "c"]);
}
