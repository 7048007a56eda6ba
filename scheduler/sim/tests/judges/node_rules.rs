//! Cordon, readiness, taints, node selector, node affinity: yes and no of each.

use crate::make::*;
use scheduler_model::explain::NodeReason;
use scheduler_model::spec::SelectorOperator::{DoesNotExist, Exists, Gt, In, Lt, NotIn};
use scheduler_model::spec::TaintEffect::{NoExecute, NoSchedule, PreferNoSchedule};
use scheduler_model::spec::{
    NodeSpec, NodeTerm, PodShape, Requirement, Taint, TolerationOperator as Op, Unsupported,
};
use scheduler_sim::checker::{Refusal, refusals};

#[test]
fn a_cordoned_node_takes_only_pods_that_tolerate_the_cordon() {
    let cordoned = NodeSpec { unschedulable: true, ..node("n", &[]) };
    assert!(!fits(PodShape::default(), &cordoned));
    let key = "node.kubernetes.io/unschedulable";
    assert!(fits(tolerating(key, Op::Exists, "", Some(NoSchedule)), &cordoned));
    assert!(fits(tolerating("", Op::Exists, "", None), &cordoned));
    assert!(!fits(tolerating(key, Op::Exists, "", Some(NoExecute)), &cordoned));
}

#[test]
fn a_node_that_is_not_ready_takes_nobody() {
    let down = NodeSpec { ready: false, ..node("n", &[]) };
    assert!(!fits(PodShape::default(), &down));
}

fn tainted(taint: Taint) -> NodeSpec {
    NodeSpec { taints: vec![taint], ..node("n", &[]) }
}

#[test]
fn hard_taints_keep_away_and_soft_ones_do_not() {
    for (effect, goes) in [(NoSchedule, false), (NoExecute, false), (PreferNoSchedule, true)] {
        let node = tainted(taint("team", "a", effect));
        assert_eq!(fits(PodShape::default(), &node), goes, "{effect:?}");
    }
}

#[test]
fn tolerations_match_by_key_operator_value_and_effect() {
    let cases = [
        ("team", Op::Equal, "a", None, true),
        ("team", Op::Equal, "b", None, false),
        ("team", Op::Equal, "", None, false),
        ("other", Op::Equal, "a", None, false),
        ("team", Op::Exists, "", None, true),
        ("", Op::Exists, "", None, true),
        ("team", Op::Exists, "", Some(NoSchedule), true),
        ("team", Op::Exists, "", Some(NoExecute), false),
    ];
    let node = tainted(taint("team", "a", NoSchedule));
    for (key, operator, value, effect, goes) in cases {
        let shape = tolerating(key, operator, value, effect);
        assert_eq!(fits(shape, &node), goes, "{key} {operator:?} {value} {effect:?}");
    }
}

#[test]
fn numeric_tolerations_compare_integers_and_match_nothing_else() {
    let cases = [
        ("950", Op::Gt, "900", true),
        ("900", Op::Gt, "900", false),
        ("5", Op::Lt, "7", true),
        ("7", Op::Lt, "5", false),
        ("-3", Op::Lt, "0", true),
        ("fast", Op::Gt, "1", false),
        ("5", Op::Gt, "slow", false),
    ];
    for (has, operator, than, goes) in cases {
        let node = tainted(taint("level", has, NoSchedule));
        let shape = tolerating("level", operator, than, None);
        assert_eq!(fits(shape, &node), goes, "{has} {operator:?} {than}");
    }
}

#[test]
fn every_hard_taint_needs_its_own_toleration() {
    let two = vec![taint("team", "a", NoSchedule), taint("disk", "slow", NoExecute)];
    let node = NodeSpec { taints: two, ..node("n", &[]) };
    let world = cluster(vec![node], Vec::new());
    let pod = pod("p", &[], tolerating("team", Op::Exists, "", None));
    let left = NodeReason::Taint(taint("disk", "slow", NoExecute));
    assert_eq!(reasons(&world, &pod, "n"), [left]);
}

#[test]
fn the_node_selector_wants_every_label_with_its_value() {
    let node = node("n", &[("zone", "a"), ("disk", "ssd")]);
    let wants = |pairs| PodShape { node_selector: labels(pairs), ..PodShape::default() };
    assert!(fits(wants(&[("zone", "a"), ("disk", "ssd")]), &node));
    assert!(!fits(wants(&[("zone", "a"), ("disk", "hdd")]), &node));
    assert!(!fits(wants(&[("rack", "1")]), &node));
}

#[test]
fn node_affinity_operators_do_what_the_api_says() {
    let cases = [
        (requirement("zone", In, &["a", "b"]), true),
        (requirement("zone", In, &["b"]), false),
        (requirement("rack", In, &["1"]), false),
        (requirement("zone", NotIn, &["b"]), true),
        (requirement("zone", NotIn, &["a"]), false),
        (requirement("rack", NotIn, &["1"]), true),
        (requirement("zone", Exists, &[]), true),
        (requirement("rack", Exists, &[]), false),
        (requirement("rack", DoesNotExist, &[]), true),
        (requirement("zone", DoesNotExist, &[]), false),
        (requirement("speed", Gt, &["10"]), true),
        (requirement("speed", Gt, &["11"]), false),
        (requirement("speed", Lt, &["12"]), true),
        (requirement("speed", Lt, &["11"]), false),
        (requirement("zone", Gt, &["1"]), false),
        (requirement("speed", Lt, &["many"]), false),
        (requirement("rack", Lt, &["5"]), false),
    ];
    let node = node("n", &[("zone", "a"), ("speed", "11")]);
    for (requirement, goes) in cases {
        assert_eq!(
            fits(with_term(std::slice::from_ref(&requirement), &[]), &node),
            goes,
            "{requirement:?}"
        );
    }
}

#[test]
fn match_fields_mean_the_name_of_the_node() {
    let name =
        |operator, value| with_term(&[], &[requirement("metadata.name", operator, &[value])]);
    assert!(fits(name(In, "n"), &node("n", &[])));
    assert!(!fits(name(In, "m"), &node("n", &[])));
    assert!(!fits(name(NotIn, "n"), &node("n", &[])));
}

#[test]
fn one_term_must_hold_with_all_of_its_requirements() {
    let term = |requirements: &[Requirement]| NodeTerm {
        labels: requirements.to_vec(),
        fields: Vec::new(),
    };
    let (yes, no) = (requirement("zone", Exists, &[]), requirement("rack", Exists, &[]));
    let node = node("n", &[("zone", "a")]);
    let any = |terms| PodShape { node_affinity: Some(terms), ..PodShape::default() };
    let both = term(&[yes.clone(), no.clone()]);
    assert!(!fits(any(vec![both]), &node));
    assert!(fits(any(vec![term(&[no]), term(&[yes])]), &node));
}

#[test]
fn an_empty_term_and_an_empty_list_of_terms_match_no_node() {
    let any = |terms| PodShape { node_affinity: Some(terms), ..PodShape::default() };
    assert!(!fits(any(vec![NodeTerm::default()]), &node("n", &[])));
    assert!(!fits(any(Vec::new()), &node("n", &[])));
}

#[test]
fn node_selector_and_affinity_must_both_hold() {
    let node = node("n", &[("zone", "a")]);
    let shape = with_term(&[requirement("zone", Exists, &[])], &[]);
    assert!(!fits(PodShape { node_selector: labels(&[("zone", "b")]), ..shape }, &node));
}

#[test]
fn pods_that_are_not_waiting_or_not_ready_to_be_placed_are_refused_anywhere() {
    let world = cluster(vec![node("n", &[])], Vec::new());
    let free = pod("p", &[], PodShape::default());
    let asks = |pod| refusals(&world, &pod, "n");
    assert_eq!(asks(free.clone()), []);
    let mut gated = free.clone();
    gated.gates = vec!["wait".to_owned()];
    assert_eq!(asks(gated), [Refusal::Gated(vec!["wait".to_owned()])]);
    let mut claims = free.clone();
    claims.unsupported = vec![Unsupported::ResourceClaim("gpu".to_owned())];
    let claim = Unsupported::ResourceClaim("gpu".to_owned());
    assert_eq!(asks(claims), [Refusal::Unsupported(claim)]);
    let mut ending = free.clone();
    ending.terminating = true;
    assert_eq!(asks(ending), [Refusal::Ending]);
    let mut foreign = free.clone();
    foreign.ours = false;
    assert_eq!(asks(foreign), [Refusal::NotOurs]);
    assert_eq!(asks(on("m", free.clone())), [Refusal::Bound("m".to_owned())]);
    assert_eq!(refusals(&world, &free, "m"), [Refusal::NoNode]);
}
