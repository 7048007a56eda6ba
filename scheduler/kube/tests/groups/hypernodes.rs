//! HyperNodes become node labels and one topology.

use crate::object;
use scheduler_kube::translate::{hypernode, volcano};
use scheduler_kube::wire::volcano::HyperNode;
use scheduler_model::problem::Problem;
use scheduler_model::spec::{GangSpec, NodeSpec, TopologySpec};

fn nodes(names: &[&str]) -> Vec<NodeSpec> {
    names.iter().map(|name| NodeSpec { name: (*name).to_owned(), ..NodeSpec::default() }).collect()
}

fn tree(name: &str, tier: u32, members: &str) -> HyperNode {
    object(&format!("metadata: {{name: {name}}}\nspec: {{tier: {tier}, members: [{members}]}}"))
}

fn node(name: &str) -> String {
    format!("{{type: Node, selector: {{exactMatch: {{name: {name}}}}}}}")
}

fn inner(name: &str) -> String {
    format!("{{type: HyperNode, selector: {{exactMatch: {{name: {name}}}}}}}")
}

/// Each node as `name: tier=hypernode …`, tiers from the narrowest to the widest.
fn labels(nodes: &[NodeSpec]) -> Vec<String> {
    nodes
        .iter()
        .map(|node| {
            let tiers = node.labels.iter().filter_map(|(key, value)| {
                Some(format!(" {}={value}", key.strip_prefix("topology.volcano.sh/tier-")?))
            });
            format!("{}:{}", node.name, tiers.collect::<String>())
        })
        .collect()
}

fn said(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn each_tier_becomes_a_label_and_a_level_the_widest_first() {
    let mut nodes = nodes(&["a", "b", "c", "d"]);
    let trees = [
        tree("top", 2, &format!("{}, {}", inner("s1"), inner("s2"))),
        tree("s1", 1, &format!("{}, {}", node("a"), node("b"))),
        tree("s2", 1, &node("c")),
    ];
    let (topologies, problems) = hypernode::resolve(&trees, &mut nodes);
    assert_eq!(labels(&nodes), ["a: 1=s1 2=top", "b: 1=s1 2=top", "c: 1=s2 2=top", "d:"]);
    let levels: Vec<&str> = topologies[0].levels.iter().map(|level| &*level.key).collect();
    assert_eq!(levels, ["topology.volcano.sh/tier-2", "topology.volcano.sh/tier-1"]);
    assert_eq!((&*topologies[0].name, problems), ("volcano", vec![]));
}

#[test]
fn members_are_chosen_by_name_by_pattern_and_by_label() {
    let mut nodes = nodes(&["a1", "a2", "b1", "c1"]);
    nodes[3].labels.insert("rack".to_owned(), "c".to_owned());
    let trees = [
        tree("a", 1, "{type: Node, selector: {regexMatch: {pattern: '^a'}}}"),
        tree("b", 1, &node("b1")),
        tree("c", 1, "{type: Node, selector: {labelMatch: {matchLabels: {rack: c}}}}"),
        tree("all", 2, "{type: HyperNode, selector: {regexMatch: {pattern: '^[abc]$'}}}"),
    ];
    let (_, problems) = hypernode::resolve(&trees, &mut nodes);
    assert_eq!(
        labels(&nodes),
        ["a1: 1=a 2=all", "a2: 1=a 2=all", "b1: 1=b 2=all", "c1: 1=c 2=all"]
    );
    assert_eq!(problems, []);
}

#[test]
fn a_tier_is_called_by_its_name_where_it_has_one() {
    let named = "metadata: {name: s1}\nspec: {tier: 1, tierName: rack, members: []}";
    let trees: [HyperNode; 2] = [object(named), tree("top", 2, "")];
    let (topologies, problems) = hypernode::resolve(&trees, &mut []);
    let names: Vec<&str> = topologies[0].levels.iter().map(|level| &*level.name).collect();
    assert_eq!((names, problems), (vec!["tier-2", "rack"], vec![]));
}

#[test]
fn a_narrower_hypernode_stands_in_for_a_tier_that_a_node_lacks() {
    let mut nodes = nodes(&["a", "b", "c"]);
    let trees = [
        tree("s1", 1, &node("a")),
        tree("s2", 2, &node("b")),
        tree("top", 3, &format!("{}, {}", inner("s2"), node("c"))),
    ];
    let (_, problems) = hypernode::resolve(&trees, &mut nodes);
    assert_eq!(labels(&nodes), ["a: 1=s1 2=s1 3=s1", "b: 2=s2 3=top", "c: 3=top"]);
    assert_eq!(problems, []);
}

#[test]
fn what_is_wrong_with_one_hypernode_is_said_and_the_rest_is_used() {
    let unknown = node("ghost");
    let pattern = "{type: Node, selector: {regexMatch: {pattern: '('}}}";
    for (bad, wrong) in [
        (unknown.as_str(), "does not exist"),
        (pattern, "is no pattern"),
        ("{type: Rack}", "is no type of member"),
        ("{type: Node}", "chooses no member"),
        ("{type: HyperNode, selector: {labelMatch: {}}}", "chooses no member"),
        (
            "{type: Node, selector: {labelMatch: {matchExpressions: [{key: a, operator: Near}]}}}",
            "is not an operator",
        ),
    ] {
        let mut nodes = nodes(&["a"]);
        let trees = [tree("s1", 1, &format!("{bad}, {}", node("a")))];
        let (_, problems) = hypernode::resolve(&trees, &mut nodes);
        assert_eq!(labels(&nodes), ["a: 1=s1"], "{bad}");
        assert!(problems.len() == 1 && said(&problems)[0].contains(wrong), "{:?}", said(&problems));
    }
}

#[test]
fn a_cycle_is_said_and_left_out() {
    let mut nodes = nodes(&["a"]);
    let trees = [
        tree("x", 2, &format!("{}, {}", inner("y"), node("a"))),
        tree("y", 2, &inner("x")),
        tree("z", 1, &inner("z")),
    ];
    let (_, problems) = hypernode::resolve(&trees, &mut nodes);
    assert_eq!(labels(&nodes), ["a: 2=x"]);
    assert_eq!(problems.len(), 3, "{:?}", said(&problems));
}

#[test]
fn a_node_in_two_hypernodes_of_one_tier_stays_in_the_first_by_name() {
    let mut nodes = nodes(&["a"]);
    let trees = [tree("s2", 1, &node("a")), tree("s1", 1, &node("a"))];
    let (_, problems) = hypernode::resolve(&trees, &mut nodes);
    assert_eq!(labels(&nodes), ["a: 1=s1"]);
    assert!(said(&problems)[0].starts_with("HyperNode s2 "), "{:?}", said(&problems));
}

#[test]
fn a_hypernode_without_a_tier_and_a_second_of_one_name_are_left_out() {
    let mut nodes = nodes(&["a", "b"]);
    let no_tier = format!("metadata: {{name: s0}}\nspec: {{tier: -1, members: [{}]}}", node("a"));
    let trees = [object(&no_tier), tree("s1", 1, &node("a")), tree("s1", 1, &node("b"))];
    let (_, problems) = hypernode::resolve(&trees, &mut nodes);
    assert_eq!(labels(&nodes), ["a: 1=s1", "b:"]);
    assert_eq!(problems.len(), 2);
}

#[test]
fn resolving_again_forgets_what_was_before() {
    let mut nodes = nodes(&["a"]);
    let _ = hypernode::resolve(&[tree("s1", 1, &node("a"))], &mut nodes);
    let _ = hypernode::resolve(&[tree("s2", 3, &node("a"))], &mut nodes);
    assert_eq!(labels(&nodes), ["a: 3=s2"]);
}

fn group(wish: &str) -> GangSpec {
    let yaml = format!("metadata: {{name: g}}\nspec: {{minMember: 1, networkTopology: {wish}}}");
    volcano::pod_group(&object(&yaml)).value
}

fn tiers(numbers: &[u32]) -> Vec<TopologySpec> {
    let trees: Vec<HyperNode> =
        numbers.iter().map(|number| tree(&format!("t{number}"), *number, "")).collect();
    hypernode::resolve(&trees, &mut []).0
}

#[test]
fn a_wish_for_a_tier_takes_the_widest_one_that_exists_and_is_allowed() {
    let level = |number: u32| Some(format!("topology.volcano.sh/tier-{number}"));
    for (wish, exist, required, preferred) in [
        ("{mode: hard, highestTierAllowed: 2}", vec![1, 2, 3], level(2), None),
        ("{mode: hard, highestTierAllowed: 2}", vec![1, 3], level(1), None),
        ("{mode: hard, highestTierAllowed: 9}", vec![1, 3], level(3), None),
        ("{highestTierAllowed: 0}", vec![1, 3], level(0), None),
        ("{mode: soft, highestTierAllowed: 2}", vec![1, 3], None, level(1)),
        ("{mode: soft}", vec![2, 3], None, level(2)),
        ("{highestTierName: rack}", vec![1], Some("rack".to_owned()), None),
    ] {
        let mut gang = group(wish);
        hypernode::fit(&mut gang, &tiers(&exist));
        assert_eq!(
            (gang.topology.required, gang.topology.preferred),
            (required, preferred),
            "{wish}"
        );
    }
}
