//! What is written down reads back.

use crate::make::{NOW, encoder, group, pod};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::{Just, Strategy, any};
use proptest::{prop_assert, prop_assert_eq, proptest};
use scheduler_kube::translate::{Context, coscheduling, muster, native, pod as pods, volcano};
use scheduler_kube::wire::ledger;
use scheduler_model::problem::Problem;
use scheduler_model::spec::{
    Dialect, GangSpec, Ledger, Minimum, NodeTally, PodSpec, Reservation, RoleTally,
};
use scheduler_model::time::Time;
use scheduler_protocol::call::{Call, CallId};
use scheduler_protocol::status::GroupStatus;
use scheduler_protocol::tell::digest;
use serde_json::{Value, json};

/// Years 0 to 9999; counts that fit the API's numbers.
fn ledgers() -> impl Strategy<Value = Ledger> {
    let time = || of((-62_167_219_200_000_i64..253_402_300_799_000).prop_map(Time::from_ms));
    let tally = ("[a-z]{0,8}", 0..=i32::MAX.unsigned_abs())
        .prop_map(|(role, count)| RoleTally { role, count });
    let tallies = vec(tally, 0..4).prop_map(|mut all| {
        all.sort();
        all.dedup_by(|later, first| later.role == first.role);
        all
    });
    let times = (time(), time(), time(), time(), time());
    let begun = of((0..=i32::MAX.unsigned_abs(), tallies.clone()));
    let begun = begun.prop_map(|it| it.map(|(total, roles)| Minimum { total, roles }));
    let moment = || (-62_167_219_200_000_i64..253_402_300_799_000).prop_map(Time::from_ms);
    let node = ("[a-z]{1,8}", 0..=i32::MAX.unsigned_abs());
    let nodes = vec(node.prop_map(|(node, count)| NodeTally { node, count }), 0..3);
    let reservation = (moment(), moment(), 0..=i32::MAX.unsigned_abs(), nodes)
        .prop_map(|(plan, until, victims, nodes)| Reservation { plan, until, victims, nodes });
    // They are read in order.
    let evicted = vec(moment(), 0..3).prop_map(|mut all| {
        all.sort();
        all
    });
    let evictions = (evicted, of(reservation));
    (times, any::<bool>(), 0..=i32::MAX.unsigned_abs(), tallies, begun, evictions).prop_map(
        |(
            (run, youngest, age, blocked_since, broken_since),
            has_started,
            releases,
            succeeded,
            begun,
            (evicted, reservation),
        )| {
            Ledger {
                run,
                youngest,
                age,
                blocked_since,
                broken_since,
                has_started,
                releases,
                succeeded,
                begun,
                evicted,
                reservation,
            }
        },
    )
}

/// The first request's body for a status that holds nothing but this ledger.
fn written(dialect: Dialect, ledger: &Ledger) -> Value {
    let status = GroupStatus { ledger: ledger.clone(), since: NOW, ..GroupStatus::default() };
    let call = Call::GroupStatus { group: group(dialect), status: Box::new(status) };
    encoder().encode(CallId(0), &call).remove(0).body.expect("a write has a body").1
}

/// The group as it stands after the write, read.
fn read_back(dialect: Dialect, ledger: &Ledger) -> (GangSpec, Vec<Problem>) {
    let written = written(dialect, ledger);
    let object = match dialect {
        Dialect::Muster => json!({ "metadata": {}, "status": written[1]["value"] }),
        _ => json!({ "metadata": written["metadata"] }),
    };
    let text = object.to_string();
    let why = "it is a group";
    let read = match dialect {
        Dialect::Muster => muster::pod_group(&serde_json::from_str(&text).expect(why)),
        Dialect::Kubernetes => native::pod_group(&serde_json::from_str(&text).expect(why)),
        Dialect::Volcano => volcano::pod_group(&serde_json::from_str(&text).expect(why)),
        _ => coscheduling::pod_group(&serde_json::from_str(&text).expect(why)),
    };
    (read.value, read.problems)
}

fn read_pod(state: &Value) -> (PodSpec, Vec<Problem>) {
    let text = json!({ "metadata": { "name": "p", "annotations": { "muster.sh/state": state } } });
    let read = serde_json::from_str(&text.to_string()).expect("it is a pod");
    let read = pods::translate(&read, &Context::default());
    (read.value, read.problems)
}

fn is_about_state(problem: &Problem) -> bool {
    problem.field.contains("muster.sh/state")
}

proptest! {
    #[test]
    fn a_ledger_on_a_group_of_any_dialect_reads_back(
        ledger in ledgers(),
        dialect in proptest::sample::select(vec![
            Dialect::Muster, Dialect::Kubernetes, Dialect::Volcano, Dialect::Coscheduling,
        ]),
    ) {
        let (gang, problems) = read_back(dialect, &ledger);
        // Other dialects carry it in an annotation, and an age there is no older than the group.
        let mut wanted = ledger;
        if dialect != Dialect::Muster {
            wanted.age = wanted.age.map(|age| age.max(Time::ZERO));
        }
        prop_assert_eq!(gang.ledger, wanted);
        prop_assert!(!problems.iter().any(is_about_state), "{problems:?}");
    }

    #[test]
    fn a_ledger_on_a_pod_reads_back(ledger in ledgers()) {
        let call = Call::PodLedger { pod: pod(), ledger: Box::new(ledger.clone()) };
        let (_, body) = encoder().encode(CallId(0), &call).remove(0).body.expect("a body");
        let (pod, problems) = read_pod(&body["metadata"]["annotations"]["muster.sh/state"]);
        prop_assert_eq!(pod.ledger.map(|ledger| *ledger).unwrap_or_default(), ledger);
        prop_assert!(!problems.iter().any(is_about_state), "{problems:?}");
    }

    #[test]
    fn any_text_in_the_annotation_reads_as_some_ledger(text in ".{0,80}") {
        let (pod, problems) = read_pod(&text.into());
        prop_assert!(pod.ledger.is_some() || problems.iter().any(is_about_state));
    }

    #[test]
    fn any_value_in_any_field_reads_as_some_ledger(
        field in proptest::sample::select(vec![
            "v", "run", "age", "hasStarted", "releases", "succeeded", "else",
        ]),
        value in proptest::prop_oneof![
            Just(json!(null)), Just(json!(-1)), Just(json!(1e300)), Just(json!("x")),
            Just(json!([{ "role": 7 }])), Just(json!([{ "count": -3 }])), Just(json!({})),
        ],
    ) {
        let mut state = json!({ "v": 1, "releases": 2, "hasStarted": true });
        state[field] = value;
        let (pod, problems) = read_pod(&state.to_string().into());
        prop_assert!(pod.ledger.is_some() || problems.iter().any(is_about_state));
    }
}

#[test]
fn what_a_status_says_reads_back_as_a_number_where_it_is_one_write() {
    let read = |dialect| read_back(dialect, &Ledger::default()).0.digest;
    let status = GroupStatus { since: NOW, ..GroupStatus::default() };
    let digest = digest(Dialect::Muster, &status);
    assert!(digest.is_some());
    assert_eq!(read(Dialect::Muster), digest);
    assert_eq!(read(Dialect::Coscheduling), None);
}

#[test]
fn an_annotation_of_another_version_is_a_problem_and_no_ledger() {
    let (pod, problems) = read_pod(&json!(r#"{"v":2,"releases":3}"#));
    assert_eq!(pod.ledger, None);
    assert!(problems.iter().any(|it| it.message.contains("version is 2")), "{problems:?}");
}

#[test]
fn fields_of_a_later_release_are_ignored() {
    let (pod, problems) = read_pod(&json!(r#"{"v":1,"releases":3,"mood":"good"}"#));
    assert_eq!(pod.ledger.map(|ledger| ledger.releases), Some(3));
    assert_eq!(problems.iter().filter(|it| is_about_state(it)).count(), 0);
}

#[test]
fn a_ledger_of_many_long_roles_keeps_those_that_succeeded_most() {
    let tally = |index: u32| RoleTally { role: format!("{index:063}"), count: index };
    let ledger = Ledger { succeeded: (0..500).map(tally).collect(), ..Ledger::default() };
    let text = ledger::annotation(&ledger).expect("there is something to write");
    assert!(text.len() <= 4_096, "{} bytes", text.len());
    let (pod, _) = read_pod(&text.into());
    let kept = pod.ledger.expect("it reads back").succeeded;
    assert!(kept.len() > 30 && kept.contains(&tally(499)) && !kept.contains(&tally(0)));
}

#[test]
fn names_of_nodes_go_before_facts_do_where_there_is_too_much() {
    let node = |index| NodeTally { node: format!("n{index}.{}", "x".repeat(60)), count: 1 };
    let nodes = (0..64).map(node).collect();
    let plan = Time::from_ms(7);
    let ledger = Ledger {
        run: Some(NOW),
        succeeded: vec![RoleTally { role: "worker".to_owned(), count: 3 }],
        reservation: Some(Reservation { plan, until: NOW, victims: 2, nodes }),
        ..Ledger::default()
    };
    let (group, _) = read_back(Dialect::Coscheduling, &ledger);
    assert_eq!(group.ledger.succeeded, ledger.succeeded);
    let read = group.ledger.reservation.expect("the plan stands");
    assert_eq!((read.plan, read.victims, read.nodes), (plan, 2, Vec::new()));
}

#[test]
fn nobody_gets_ahead_by_an_age_from_before_the_group_was_there() {
    let object = json!({ "metadata": {
        "name": "g", "creationTimestamp": "2026-11-30T06:00:00Z",
        "annotations": { "muster.sh/state": r#"{"v":1,"age":"2001-01-01T00:00:00Z"}"# },
    }});
    let object = serde_json::from_str(&object.to_string()).expect("it is a group");
    let gang = volcano::pod_group(&object).value;
    assert_eq!(gang.ledger.age, Some(gang.created_at));
}
