//! Trees of queues that nobody draws: a thousand levels, ten thousand queues, and one bad queue of
//! each kind among all of them.

use plugins::default_profile;
use scheduler_core::engine::{Config, Engine};
use scheduler_core::view::Standing;
use scheduler_model::event::{Event, Kind};
use scheduler_model::time::Time;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What became of each gang on one node of 8 GPUs: `runs`, or why it waits.
fn play(queues: &str, gangs: &str) -> BTreeMap<String, String> {
    let nodes = "story: Queues\nnodes: [{ name: a1, gpu: 8 }]";
    let text = format!("{nodes}\nqueues:\n{queues}pending:\n{gangs}");
    let scenario = scheduler_scenario::parse("crowded.yaml", &text).expect("the story is sound");
    let now = Time::from_ms(1_000_000);
    let mut engine = Engine::new(default_profile(), Config::default());
    let all = scenario.world.events.into_iter();
    let (queues, others): (Vec<Event>, Vec<Event>) =
        all.partition(|event| matches!(event, Event::Queue(_)));
    // As a watch tells of many.
    engine.observe(Event::ListStart(Kind::Queue), now);
    queues.into_iter().for_each(|event| engine.observe(event, now));
    engine.observe(Event::ListEnd(Kind::Queue), now);
    others.into_iter().for_each(|event| engine.observe(event, now));
    for _ in 0..3 {
        engine.cycle(now);
    }
    let become_of = |standing, why: Option<&str>| match (standing, why) {
        (Standing::Waiting, Some(why)) => why.to_owned(),
        (Standing::Waiting, None) => "waits".to_owned(),
        _ => "runs".to_owned(),
    };
    let views = engine.gangs().into_iter();
    let ends = views.map(|view| {
        let why = view.explanation.as_ref().map(|why| why.reason.word());
        (view.key.name, become_of(view.standing, why))
    });
    ends.collect()
}

/// A chain of queues below each other, each with what `spec` says of it.
fn chain(levels: usize, spec: impl Fn(usize) -> &'static str) -> String {
    let mut text = String::from("  - { name: l0 }\n");
    for level in 1..levels {
        let (above, spec) = (level - 1, spec(level));
        let _ = writeln!(text, "  - {{ name: l{level}, parent: l{above}{spec} }}");
    }
    text
}

fn gang(name: &str, queue: &str, pods: u32) -> String {
    format!("  - {{ gang: {name}, queue: {queue}, pods: {pods}, each: {{ gpu: 1 }} }}\n")
}

#[test]
fn a_thousand_levels_hold_their_limits_and_their_own_contradictions() {
    let queues = chain(1_000, |level| match level {
        500 => ", limit: { gpu: 5 }",
        501 => ", dedicated: { gpu: 6 }",
        _ => ", limit: { gpu: 8 }, deserved: { gpu: 1 }",
    });
    let gangs = [
        gang("deep", "l999", 5),
        gang("wide", "l998", 6),
        gang("greedy", "l501", 1),
        gang("beside", "sane", 3),
    ];
    let ends = play(&format!("{queues}  - {{ name: sane }}\n"), &gangs.concat());
    let want = [
        ("beside", "runs"),
        ("deep", "runs"),
        ("greedy", "queue-contradictory"),
        ("wide", "limit"),
    ];
    assert_eq!(ends, want.map(|(gang, end)| (gang.to_owned(), end.to_owned())).into());
}

#[test]
fn ten_thousand_levels_exhaust_no_stack() {
    let queues = chain(10_000, |level| if level == 9_999 { ", dedicated: { gpu: 2 }" } else { "" });
    let gangs = [gang("deep", "l9999", 1), gang("beside", "l0", 1)];
    let ends = play(&queues, &gangs.concat());
    assert!(ends.values().all(|end| end == "runs"), "{ends:?}");
}

#[test]
fn ten_thousand_queues_run_beside_one_of_each_bad_kind() {
    let mut queues = String::new();
    for number in 0..10_000 {
        let _ = writeln!(queues, "  - {{ name: q{number}, parent: p{} }}", number % 100);
    }
    for number in 0..100 {
        let _ = writeln!(queues, "  - {{ name: p{number}, weight: {} }}", number + 1);
    }
    let mut gangs = String::new();
    let mut want = BTreeMap::new();
    for (name, spec, end) in [
        ("lost", "parent: nowhere", "queue-broken"),
        ("round", "parent: round", "queue-broken"),
        ("above", "dedicated: { gpu: 6 }, limit: { gpu: 4 }", "queue-contradictory"),
        ("shut", "open: false", "queue-closed"),
    ] {
        let _ = writeln!(queues, "  - {{ name: {name}, {spec} }}");
        gangs.push_str(&gang(&format!("in-{name}"), name, 1));
        want.insert(format!("in-{name}"), end.to_owned());
    }
    for number in [0, 17, 9_999] {
        gangs.push_str(&gang(&format!("g{number}"), &format!("q{number}"), 1));
        want.insert(format!("g{number}"), "runs".to_owned());
    }
    assert_eq!(play(&queues, &gangs), want);
}
