//! Cases from the documentation of inter-pod affinity and the default scheduler's behaviour.

use super::*;
use crate::testing::{
    NAMESPACE, build, kept, labelled, labels, node, on, pod, refusal, score, selector, term,
    terminating,
};
use scheduler_model::event::Event;
use scheduler_model::spec::{NamespaceScope, NamespaceSpec, NodeSpec, PodShape, PodSpec, PodTerm};
use scheduler_model::time::Time;

/// `a1` and `a2` in zone a, `b1` in zone b, `x` in none.
fn nodes() -> Vec<NodeSpec> {
    vec![
        labelled("a1", &[("zone", "a")]),
        labelled("a2", &[("zone", "a")]),
        labelled("b1", &[("zone", "b")]),
        node("x"),
    ]
}

fn near(terms: Vec<PodTerm>) -> PodShape {
    PodShape { affinity: terms, ..PodShape::default() }
}

fn far(terms: Vec<PodTerm>) -> PodShape {
    PodShape { anti_affinity: terms, ..PodShape::default() }
}

fn wishing(wishes: &[(i32, PodTerm)]) -> PodShape {
    PodShape { pod_preferences: wishes.to_vec(), ..PodShape::default() }
}

fn web(name: &str) -> PodSpec {
    pod(name, &[("app", "web")], PodShape::default())
}

fn db(name: &str) -> PodSpec {
    pod(name, &[("app", "db")], PodShape::default())
}

/// Where a pod of this shape and these labels may go beside `others`.
fn fits(shape: PodShape, pairs: &[(&str, &str)], others: Vec<PodSpec>) -> Vec<String> {
    let mut pods = others;
    pods.push(pod("p", pairs, shape));
    let snap = build(nodes(), pods);
    kept(&Affinity, &snap, "p").into_iter().map(str::to_owned).collect()
}

#[test]
fn a_required_term_needs_a_partner_in_the_domain() {
    let shape = || near(vec![term("zone", &[("app", "db")])]);
    assert_eq!(fits(shape(), &[], vec![on("a1", db("d"))]), ["a1", "a2"]);
    assert!(fits(shape(), &[], vec![on("a1", web("w"))]).is_empty());
}

#[test]
fn a_partner_on_a_node_without_the_label_is_in_no_domain() {
    let shape = near(vec![term("zone", &[("app", "db")])]);
    assert!(fits(shape, &[], vec![on("x", db("d"))]).is_empty());
}

#[test]
fn the_first_pod_of_its_kind_may_go_wherever_the_label_is() {
    let shape = || near(vec![term("zone", &[("app", "db")])]);
    let own = &[("app", "db")];
    assert_eq!(fits(shape(), own, vec![]), ["a1", "a2", "b1"]);
    assert_eq!(fits(shape(), own, vec![on("b1", db("d"))]), ["b1"]);
    assert_eq!(fits(shape(), own, vec![on("x", db("d"))]), ["a1", "a2", "b1"]);
    assert!(fits(shape(), &[("app", "web")], vec![]).is_empty());
}

#[test]
fn the_first_pod_must_match_all_of_its_own_terms() {
    let shape = near(vec![term("zone", &[("app", "db")]), term("zone", &[("tier", "1")])]);
    assert!(fits(shape.clone(), &[("app", "db")], vec![]).is_empty());
    assert_eq!(fits(shape, &[("app", "db"), ("tier", "1")], vec![]), ["a1", "a2", "b1"]);
}

#[test]
fn a_partner_is_selected_by_all_terms_at_once() {
    let shape = || near(vec![term("zone", &[("app", "db")]), term("zone", &[("tier", "1")])]);
    let both = pod("both", &[("app", "db"), ("tier", "1")], PodShape::default());
    let other = pod("other", &[("tier", "1")], PodShape::default());
    assert_eq!(fits(shape(), &[], vec![on("b1", both)]), ["b1"]);
    assert!(fits(shape(), &[], vec![on("a1", db("d")), on("a1", other)]).is_empty());
}

#[test]
fn each_term_has_its_own_domains() {
    let host = term("kubernetes.io/hostname", &[("app", "db")]);
    let shape = near(vec![term("zone", &[("app", "db")]), host]);
    assert_eq!(fits(shape, &[], vec![on("a1", db("d"))]), ["a1"]);
}

#[test]
fn anti_affinity_keeps_out_of_the_domain_and_leaves_nodes_without_the_label() {
    let shape = far(vec![term("zone", &[("app", "db")])]);
    assert_eq!(fits(shape, &[], vec![on("a1", db("d"))]), ["b1", "x"]);
}

#[test]
fn any_anti_affinity_term_keeps_out() {
    let shape = far(vec![term("zone", &[("app", "db")]), term("zone", &[("app", "web")])]);
    assert_eq!(fits(shape, &[], vec![on("a1", db("d")), on("b1", web("w"))]), ["x"]);
}

#[test]
fn a_pod_that_refuses_others_keeps_them_out_of_its_domain() {
    let guard = || pod("guard", &[], far(vec![term("zone", &[("app", "web")])]));
    let plain = PodShape::default;
    assert_eq!(fits(plain(), &[("app", "web")], vec![on("a1", guard())]), ["b1", "x"]);
    assert_eq!(fits(plain(), &[("app", "web")], vec![on("x", guard())]), ["a1", "a2", "b1", "x"]);
    assert_eq!(fits(plain(), &[("app", "db")], vec![on("a1", guard())]).len(), 4);
}

#[test]
fn pods_on_their_way_out_still_count() {
    let there = || terminating(on("a1", db("d")));
    let near = near(vec![term("zone", &[("app", "db")])]);
    let far = far(vec![term("zone", &[("app", "db")])]);
    assert_eq!(fits(near, &[], vec![there()]), ["a1", "a2"]);
    assert_eq!(fits(far, &[], vec![there()]), ["b1", "x"]);
}

#[test]
fn waiting_pods_are_nobodys_partner() {
    let shape = near(vec![term("zone", &[("app", "db")])]);
    assert!(fits(shape, &[], vec![db("d")]).is_empty());
}

#[test]
fn a_term_without_selector_selects_nobody() {
    let none = || PodTerm { selector: None, ..term("zone", &[]) };
    assert!(fits(near(vec![none()]), &[], vec![on("a1", db("d"))]).is_empty());
    assert_eq!(fits(far(vec![none()]), &[], vec![on("a1", db("d"))]).len(), 4);
}

#[test]
fn terms_look_into_the_named_and_the_selected_namespaces() {
    let foreign = PodSpec { namespace: "other".to_owned(), ..on("a1", db("d")) };
    let scoped = |names: &[&str], by: Option<&[(&str, &str)]>| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let scope = NamespaceScope { names, selector: by.map(selector) };
        far(vec![PodTerm { namespaces: scope, ..term("zone", &[("app", "db")]) }])
    };
    let cases: [(PodShape, usize); 5] = [
        (scoped(&[NAMESPACE], None), 4),
        (scoped(&["other"], None), 2),
        (scoped(&[], Some(&[("kind", "prod")])), 2),
        (scoped(&[], Some(&[("kind", "test")])), 4),
        (scoped(&[], Some(&[])), 2),
    ];
    for (shape, count) in cases {
        let mut snap = build(nodes(), vec![foreign.clone(), pod("p", &[], shape.clone())]);
        let labels = labels(&[("kind", "prod")]);
        let namespace = NamespaceSpec { name: "other".to_owned(), labels, queue: None };
        snap.ingest(Event::Namespace(namespace), Time::ZERO);
        assert_eq!(kept(&Affinity, &snap, "p").len(), count, "{shape:?}");
    }
}

#[test]
fn the_reason_says_which_of_the_three_it_was() {
    let guard = pod("guard", &[], far(vec![term("zone", &[("app", "web")])]));
    let shapes = [
        (near(vec![term("zone", &[("app", "none")])]), NodeReason::PodAffinity),
        (far(vec![term("zone", &[("app", "db")])]), NodeReason::PodAntiAffinity),
        (PodShape::default(), NodeReason::RefusedByPod),
    ];
    for (shape, reason) in shapes {
        let pods =
            vec![on("a1", guard.clone()), on("a1", db("d")), pod("p", &[("app", "web")], shape)];
        assert_eq!(refusal(&Affinity, &build(nodes(), pods), "p", "a2"), Some(reason));
    }
}

#[test]
fn what_pulls_scores_above_the_middle_and_what_pushes_below() {
    let pods = |weight| {
        vec![on("a1", db("d")), pod("p", &[], wishing(&[(weight, term("zone", &[("app", "db")]))]))]
    };
    let (pulled, pushed) = (build(nodes(), pods(100)), build(nodes(), pods(-100)));
    assert_eq!(score(&Affinity, &pulled, "p", "a2"), 600);
    assert_eq!(score(&Affinity, &pulled, "p", "b1"), 500);
    assert_eq!(score(&Affinity, &pulled, "p", "x"), 500);
    assert_eq!(score(&Affinity, &pushed, "p", "a2"), 400);
}

#[test]
fn more_pods_and_more_weight_pull_harder_without_end_of_scale() {
    let scores: Vec<i64> = [0, 1, 100, 400, 6400, i64::MAX].map(on_scale).to_vec();
    assert_eq!(scores, [500, 501, 600, 750, 970, 999]);
    assert_eq!(on_scale(i64::MIN), 1);
}

#[test]
fn terms_of_placed_pods_pull_and_push_too() {
    let fan = pod("fan", &[], wishing(&[(100, term("zone", &[("app", "web")]))]));
    let foe = pod("foe", &[], wishing(&[(-100, term("zone", &[("app", "web")]))]));
    let pods = vec![on("a1", fan), on("b1", foe), web("p")];
    let snap = build(nodes(), pods);
    assert_eq!(score(&Affinity, &snap, "p", "a1"), 600);
    assert_eq!(score(&Affinity, &snap, "p", "b1"), 400);
}

#[test]
fn a_required_affinity_of_a_placed_pod_pulls_with_weight_one() {
    let fan = pod("fan", &[], near(vec![term("zone", &[("app", "web")])]));
    let snap = build(nodes(), vec![on("a1", fan), web("p")]);
    assert_eq!(score(&Affinity, &snap, "p", "a1"), 501);
}
