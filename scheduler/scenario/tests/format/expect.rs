//! Expectations: how they are read, and how they are compared.

use crate::{key, story};
use scheduler_model::amount::Amount;
use scheduler_model::explain::{Cure, Explanation, NearestMiss, NodeReason, SetTally, WaitReason};
use scheduler_model::queue::{Bound, NamedClash};
use scheduler_model::spec::Dialect;
use scheduler_scenario::{GangState, Observed, ObservedGang, QueueFact, check};

const CLUSTER: &str = "topology: [zone, rack]\n\
    nodes: [{ name: 'a{1..2}', zone: x, rack: r }, { name: b1, zone: y, rack: r }]\n\
    queues: [{ name: q }]\npending: [{ gang: g, pods: 2 }]\n";

/// A gang of two on the nodes given, in the cluster above.
fn observed(places: &[&str], state: GangState) -> Observed {
    let mut observed = Observed::default();
    let placed = places.iter().enumerate().map(|(i, n)| (format!("g-{i}"), (*n).to_owned()));
    let gang = ObservedGang { state, placed: placed.collect(), explanation: None, untouched: true };
    observed.gangs.insert(key("g", Dialect::Muster), gang);
    for (name, zone) in [("a1", "x"), ("a2", "x"), ("b1", "y")] {
        let labels = [("zone", zone), ("rack", "r")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        observed.node_labels.insert(name.to_owned(), labels.into());
    }
    let gpus = |count| [("nvidia.com/gpu".to_owned(), Amount::new(count))].into();
    let on_a100 = Some("a100".to_owned());
    let facts = [
        ((QueueFact::Uses, None), gpus(4)),
        ((QueueFact::Fair, None), gpus(6)),
        ((QueueFact::Fair, on_a100), gpus(2)),
    ];
    observed.queues.insert("q".to_owned(), facts.into());
    observed.problems.push("Queue q: weight 0".to_owned());
    observed
}

fn failures(expect: &str, observed: &Observed) -> Vec<String> {
    let scenario = story(&format!("{CLUSTER}expect: [{expect}]"));
    check(&scenario.expect, observed)
}

fn holds(expect: &str, observed: &Observed) {
    assert_eq!(failures(expect, observed), Vec::<String>::new(), "{expect}");
}

fn fails(expect: &str, observed: &Observed) -> String {
    let failures = failures(expect, observed);
    assert_eq!(failures.len(), 1, "{expect}: {failures:?}");
    failures[0].clone()
}

#[test]
fn states_are_compared() {
    for (state, word) in [
        (GangState::Runs, "runs"),
        (GangState::Waits, "waits"),
        (GangState::Done, "done"),
        (GangState::Silent, "silent"),
    ] {
        let observed = observed(&[], state);
        for other in ["runs", "waits", "done", "silent"] {
            let expect = format!("g: {other}");
            if other == word {
                holds(&expect, &observed);
            } else {
                assert!(fails(&expect, &observed).contains(state.word()));
            }
        }
    }
}

#[test]
fn done_and_silent_may_be_written_as_keys() {
    holds("g: { done: true }", &observed(&[], GangState::Done));
    holds("g: { silent: true }", &observed(&[], GangState::Silent));
}

#[test]
fn untouched_is_compared() {
    let mut observed = observed(&["a1", "a2"], GangState::Runs);
    holds("g: untouched", &observed);
    fails("g: { untouched: false }", &observed);
    observed.gangs.values_mut().for_each(|gang| gang.untouched = false);
    fails("g: { untouched: true }", &observed);
    holds("g: { untouched: false }", &observed);
}

#[test]
fn members_must_be_on_the_nodes_named_and_use_all_of_them_if_they_can() {
    let spread = observed(&["a1", "a2"], GangState::Runs);
    holds("g: { runs: { on: 'a{1..2}' } }", &spread);
    holds("g: { runs: { on: [a1, a2, b1] } }", &spread);
    let failure = fails("g: { runs: { on: a1 } }", &spread);
    assert_eq!(failure, "gang default/g: expected members on a1, got 1 on a1, 1 on a2");
    let together = observed(&["a1", "a1"], GangState::Runs);
    fails("g: { runs: { on: 'a{1..2}' } }", &together);
    holds("g: { runs: { among: 'a{1..2}' } }", &together);
    fails("g: { runs: { among: b1 } }", &together);
}

#[test]
fn counts_of_nodes_and_members_are_compared() {
    let observed = observed(&["a1", "a1"], GangState::Runs);
    holds("g: { runs: { nodes: 1, members: 2, each: { a1: 2, a2: 0 } } }", &observed);
    fails("g: { runs: { nodes: 2 } }", &observed);
    fails("g: { runs: { members: 1 } }", &observed);
    fails("g: { runs: { each: { a1: 1 } } }", &observed);
    fails("g: { runs: { each: { a1: 2, a2: 1 } } }", &observed);
}

#[test]
fn a_domain_is_equal_at_its_level_and_all_wider_ones() {
    holds("g: { runs: { within: rack } }", &observed(&["a1", "a2"], GangState::Runs));
    let apart = observed(&["a1", "b1"], GangState::Runs);
    let failure = fails("g: { runs: { within: rack } }", &apart);
    assert!(failure.contains("one rack"), "{failure}");
    fails("g: { runs: { within: unknown-label } }", &apart);
}

#[test]
fn queues_and_problems_are_compared() {
    let observed = observed(&[], GangState::Waits);
    holds("queue q: { uses: { gpu: 4, cpu: 0 } }, problems: [weight 0]", &observed);
    let failure = fails("queue q: { uses: { gpu: 5 } }", &observed);
    assert_eq!(failure, "queue q: expected uses: 5 nvidia.com/gpu, got 4 nvidia.com/gpu");
    fails("queue none: { uses: { gpu: 1 } }", &observed);
    holds("queue q: { fair: { gpu: 6 }, on: { a100: { fair: { gpu: 2 } } } }", &observed);
    let failure = fails("queue q: { on: { a100: { fair: { gpu: 6 } } } }", &observed);
    assert!(failure.contains("fair") && failure.contains("on a100"), "{failure}");
    fails("queue q: { kept: { gpu: 1 } }", &observed);
    fails("problems: [hail]", &observed);
    assert!(fails("g: runs", &Observed::default()).contains("no such gang"));
}

fn explained(reason: WaitReason, state: GangState) -> Observed {
    let mut observed = observed(&[], state);
    let explanation = Explanation {
        gang: key("g", Dialect::Muster),
        reason,
        placeable: 1,
        needed: 2,
        sets: vec![SetTally {
            role: "worker".to_owned(),
            requests: vec![("nvidia.com/gpu".to_owned(), Amount::new(8))],
            wanted: 2,
            placed: 1,
            nodes: vec![
                (NodeReason::Insufficient("nvidia.com/gpu".to_owned()), 2),
                (NodeReason::Fits, 1),
            ],
        }],
        nearest: Some(NearestMiss {
            places: 1,
            each: Vec::new(),
            domain: Some("rack=r".to_owned()),
            expected_at: None,
        }),
        cure: Cure::Nodes,
        next_step: "add two nodes".to_owned(),
    };
    observed.gangs.values_mut().for_each(|gang| gang.explanation = Some(explanation.clone()));
    observed
}

#[test]
fn every_part_of_an_explanation_is_compared() {
    let observed = explained(WaitReason::Room, GangState::Waits);
    let because = |text: &str| format!("g: {{ waits: {{ because: {{ {text} }} }} }}");
    for (right, wrong) in [
        ("reason: room", "reason: limit"),
        ("placeable: 1", "placeable: 2"),
        ("needed: 2", "needed: 3"),
        ("nodes: { insufficient gpu: 2, fits: 1 }", "nodes: { insufficient gpu: 3 }"),
        ("role: worker, nodes: { fits: 1 }", "role: ps, nodes: { fits: 1 }"),
        ("nodes: { cordoned: 0 }", "nodes: { cordoned: 1 }"),
        ("nearest: { places: 1 }", "nearest: { places: 2 }"),
        ("nearest: { domain: rack=r }", "nearest: { domain: rack=s }"),
        ("cure: nodes", "cure: wait"),
        ("text: 'members at once'", "text: hail"),
        ("step: two nodes", "step: three"),
    ] {
        holds(&because(right), &observed);
        let failure = fails(&because(wrong), &observed);
        assert!(failure.contains("[not enough room for all members at once"), "{failure}");
    }
}

#[test]
fn an_elastic_gang_runs_while_the_rest_of_it_waits() {
    let observed = explained(WaitReason::Elastic, GangState::Runs);
    holds("g: { runs: {}, waits: { because: { reason: elastic } } }", &observed);
    fails("g: waits", &observed);
}

#[test]
fn a_reason_is_expected_even_where_none_was_given() {
    let observed = observed(&[], GangState::Waits);
    fails("g: { waits: { because: { reason: room } } }", &observed);
    holds("g: waits", &observed);
}

#[test]
fn each_reason_has_its_word() {
    let text = || "x".to_owned();
    let members = |role| WaitReason::Members { role, exist: 1, min: 2, setting: None };
    let clash = NamedClash {
        queue: text(),
        flavour: None,
        resource: text(),
        dedicated: Amount::ZERO,
        bound: Bound::Limit,
        of: text(),
        most: Amount::ZERO,
    };
    for (reason, word) in [
        (members(None), "members"),
        (members(Some(text())), "role-members"),
        (WaitReason::Gated { gated: 1, gates: vec![text()] }, "gated"),
        (WaitReason::Volume { pods: 1, claim: text(), why: text() }, "volume"),
        (WaitReason::BindRefused { pods: 1, why: text() }, "bind-refused"),
        (WaitReason::NoGroup, "no-group"),
        (WaitReason::Schedulers, "schedulers"),
        (WaitReason::Unsupported(vec![text()]), "unsupported"),
        (WaitReason::QueueMissing(text()), "queue-missing"),
        (WaitReason::QueueClosed(text()), "queue-closed"),
        (WaitReason::QueueBroken(text()), "queue-broken"),
        (WaitReason::QueueContradictory(clash), "queue-contradictory"),
        (WaitReason::QueueForbidden { queue: text(), namespace: text() }, "queue-forbidden"),
        (WaitReason::LevelMissing(text()), "level-missing"),
        (WaitReason::Running { queue: text(), user: None, running: 1, most: 1 }, "max-running"),
        (
            WaitReason::UserLimit {
                queue: text(),
                user: text(),
                resource: text(),
                used: Amount::ZERO,
                wants: Amount::ZERO,
                limit: Amount::ZERO,
            },
            "user-limit",
        ),
        (WaitReason::Held { holder: key("h", Dialect::Muster) }, "held"),
        (WaitReason::Behind { head: key("h", Dialect::Muster) }, "behind"),
        (WaitReason::Fuel, "fuel"),
    ] {
        let observed = explained(reason, GangState::Waits);
        holds(&format!("g: {{ waits: {{ because: {{ reason: {word} }} }} }}"), &observed);
    }
}
