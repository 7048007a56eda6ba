//! Gangs whose world changes while they are bound, or after.

use scheduler_core::pace::Pace;
use scheduler_core::view::Standing;
use scheduler_framework::profile::Profile;
use scheduler_live::driver::Live;
use scheduler_live::news::News;
use scheduler_live::settings::Settings;
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::spec::{
    Dialect, GangKey, GangSpec, Membership, NodeSpec, PodPhase, PodShape, PodSpec, QueueSpec,
    Resources,
};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::{Answer, Reply};
use scheduler_protocol::call::{Call, Send};
use std::sync::Arc;

const NOW: Time = Time::from_ms(1_000_000);

/// A driver with two nodes for one pod each and a gang of two; one bind may fly at once.
fn two_members() -> Live {
    two_members_of(Settings::of("me", None))
}

fn two_members_of(mut settings: Settings) -> Live {
    settings.windows.bind = 1;
    let mut live = Live::new(Profile::default(), settings);
    live.take(News::Event(Event::Queue(QueueSpec::named("default"))), NOW);
    live.take(News::Event(node("n0")), NOW);
    live.take(News::Event(node("n1")), NOW);
    let key = gang();
    let spec = GangSpec { min: 2, ..GangSpec::plain(key.clone()) };
    live.take(News::Event(Event::Gang(Box::new(spec))), NOW);
    for name in ["a", "b"] {
        live.take(News::Event(Event::Pod(Box::new(member(name)))), NOW);
    }
    live.take(News::Ready(true), NOW);
    live
}

fn gang() -> GangKey {
    GangKey { namespace: "d".to_owned(), name: "g".to_owned(), dialect: Dialect::Muster }
}

fn member(name: &str) -> PodSpec {
    PodSpec {
        membership: Membership::Group(gang()),
        shape: Arc::new(PodShape { requests: gpus(), ..PodShape::default() }),
        has_controller: true,
        ..PodSpec::new("d", name)
    }
}

fn gpus() -> Resources {
    Resources::from([("gpu".to_owned(), Amount::new(1))])
}

fn node(name: &str) -> Event {
    let mut allocatable = gpus();
    allocatable.insert("pods".to_owned(), Amount::new(10));
    let spec = NodeSpec { name: name.to_owned(), ready: true, allocatable, ..NodeSpec::default() };
    Event::Node(Box::new(spec))
}

fn binds(sends: &[Send]) -> Vec<(&str, &str)> {
    let words = sends.iter().filter_map(|send| match &send.call {
        Call::Bind { pod, node, .. } => Some((pod.name.as_str(), node.as_str())),
        _ => None,
    });
    words.collect()
}

#[test]
fn a_bind_that_waited_for_its_turn_does_not_go_to_a_node_that_is_gone_meanwhile() {
    let mut live = two_members();
    let first = live.turn(NOW).sends;
    let [(_, taken)] = binds(&first)[..] else { panic!("one bind leaves: {first:?}") };
    let other = if taken == "n0" { "n1" } else { "n0" };
    live.take(News::Event(Event::NodeGone(other.to_owned())), NOW);
    live.take(News::Answer(first[0].id, Answer::Reply(Reply::code(201))), NOW);
    let then = live.turn(NOW).sends;
    assert_eq!(binds(&then), [], "no node is left");

    live.take(News::Event(node("n2")), NOW);
    let later = NOW.after(Span::from_secs(120));
    let then = live.turn(later).sends;
    let [(_, placed)] = binds(&then)[..] else { panic!("it is placed again: {then:?}") };
    assert_eq!(placed, "n2");
}

#[test]
fn members_in_place_are_not_released_because_their_minimum_was_raised() {
    let mut live = two_members();
    for _ in 0..2 {
        let sends = live.turn(NOW).sends;
        let bind = sends.iter().find(|send| matches!(send.call, Call::Bind { .. }));
        let bind = bind.expect("one bind leaves after the other").clone();
        live.take(News::Answer(bind.id, Answer::Reply(Reply::code(201))), NOW);
        let Call::Bind { pod, node, .. } = bind.call else { panic!("it is a bind") };
        let bound = PodSpec { node: Some(node), phase: PodPhase::Running, ..member(&pod.name) };
        live.take(News::Event(Event::Pod(Box::new(bound))), NOW);
    }
    live.turn(NOW);
    let raised = GangSpec { min: 4, ..GangSpec::plain(gang()) };
    live.take(News::Event(Event::Gang(Box::new(raised))), NOW);
    for second in 0..600 {
        let now = NOW.after(Span::from_secs(second));
        for send in live.turn(now).sends {
            let is_harm = match &send.call {
                Call::DeletePod(_) => true,
                Call::PodStatus { condition, .. } => {
                    condition.as_ref().is_some_and(|it| it.kind == "DisruptionTarget")
                }
                _ => false,
            };
            assert!(!is_harm, "after {second} s: {send:?}");
            live.take(News::Answer(send.id, Answer::Reply(Reply::code(200))), now);
        }
    }
    let view = live.engine().gang(&gang()).expect("it is there");
    assert_eq!(view.standing, Standing::Partial);
}

/// Binds both members at `now`; says where they are.
fn bound_at(live: &mut Live, now: Time) -> Vec<PodSpec> {
    let mut members = Vec::new();
    while members.len() < 2 {
        let sends = live.turn(now).sends;
        let bind = sends.iter().find(|send| matches!(send.call, Call::Bind { .. }));
        let bind = bind.expect("one bind leaves after the other").clone();
        live.take(News::Answer(bind.id, Answer::Reply(Reply::code(201))), now);
        let Call::Bind { pod, node, .. } = bind.call else { panic!("it is a bind") };
        members.push(PodSpec { node: Some(node), ..member(&pod.name) });
    }
    members
}

fn tell(live: &mut Live, pod: PodSpec, now: Time) {
    live.take(News::Event(Event::Pod(Box::new(pod))), now);
    live.turn(now);
}

#[test]
fn a_large_gang_that_is_seen_bound_is_followed_after_a_pause_and_one_that_breaks_at_once() {
    let mut settings = Settings::of("me", None);
    settings.engine.pace = Pace { large: 2, per_hundred: Span::from_secs(5), ..Pace::default() };
    let mut live = two_members_of(settings);
    let members = bound_at(&mut live, NOW);
    let early = NOW.after(Span::from_ms(1));
    for member in &members {
        tell(&mut live, member.clone(), early);
    }
    let has_started = |live: &Live| live.engine().gang(&gang()).is_some_and(|it| it.has_started);
    assert!(!has_started(&live), "nothing hangs on it yet");
    let due = early.after(Span::from_ms(100));
    assert!(live.wake_at(early).is_some_and(|at| at > early && at <= due), "it is not forgotten");
    live.turn(due);
    assert!(has_started(&live));

    let late = due.after(Span::from_ms(1));
    let gone = PodSpec { terminating: true, ..members[0].clone() };
    tell(&mut live, gone, late);
    let view = live.engine().gang(&gang()).expect("it is there");
    assert_eq!((view.standing, view.ledger.broken_since), (Standing::Broken, Some(late)));
}

#[test]
fn words_wait_while_binds_fill_their_window_but_not_for_ever() {
    let settings = Settings { words_wait: Span::from_secs(3), ..Settings::of("me", None) };
    let mut live = two_members_of(settings);
    let other = GangKey { name: "h".to_owned(), ..gang() };
    let spec = GangSpec { min: 1, ..GangSpec::plain(other) };
    live.take(News::Event(Event::Gang(Box::new(spec))), NOW);
    let words = |live: &mut Live, seconds| {
        let sends = live.turn(NOW.after(Span::from_secs(seconds))).sends;
        sends.iter().filter(|send| !matches!(send.call, Call::Bind { .. })).count()
    };
    assert_eq!(words(&mut live, 0), 0);
    let pod = PodSpec {
        membership: Membership::Group(GangKey { name: "h".to_owned(), ..gang() }),
        ..member("c")
    };
    tell(&mut live, pod, NOW);
    assert_eq!(words(&mut live, 2), 0, "one bind flies, another waits for it");
    assert!(words(&mut live, 4) > 0, "the other gang waits for room");
}

#[test]
fn news_gather_for_a_breath_after_a_turn_and_a_driver_that_rested_takes_them_at_once() {
    let settings = Settings { breath: Span::from_ms(2), ..Settings::of("me", None) };
    let mut live = two_members_of(settings);
    live.turn(NOW);
    assert_eq!(live.breathes_until(), NOW.after(Span::from_ms(2)));
    let later = NOW.after(Span::from_secs(1));
    assert!(live.breathes_until() < later);
    live.turn(later);
    assert_eq!(live.breathes_until(), later.after(Span::from_ms(2)));
}
