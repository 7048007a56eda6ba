//! What is written into queues: that, and how seldom.

use scheduler_framework::profile::Profile;
use scheduler_live::driver::Live;
use scheduler_live::news::News;
use scheduler_live::settings::Settings;
use scheduler_model::event::Event;
use scheduler_model::spec::{Dialect, GangKey, GangSpec, Membership, PodSpec, QueueSpec};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::{Answer, Reply};
use scheduler_protocol::call::Call;
use scheduler_protocol::status::{GroupsByPhase, QueueStatus};

const START: Time = Time::from_ms(1_000_000);

fn ours(name: &str) -> QueueSpec {
    QueueSpec { dialect: Some(Dialect::Muster), ..QueueSpec::named(name) }
}

fn queue(live: &mut Live, spec: QueueSpec, now: Time) {
    live.take(News::Event(Event::Queue(spec)), now);
}

/// Takes turns for a minute, each when the loop asks for it; what was written into queues.
fn minute(live: &mut Live, from: Time) -> Vec<(String, QueueStatus)> {
    let end = from.after(Span::from_secs(60));
    let (mut now, mut writes) = (from, Vec::new());
    while now < end {
        for send in live.turn(now).sends {
            live.take(News::Answer(send.id, Answer::Reply(Reply::code(200))), now);
            if let Call::QueueStatus { queue, status } = send.call {
                writes.push((queue.name, *status));
            }
        }
        let soonest = now.after(Span::from_ms(10));
        now = live.wake_at(now).unwrap_or(end).max(soonest);
    }
    writes
}

fn leader() -> Live {
    let mut live = Live::new(Profile::default(), Settings::of("me", None));
    live.take(News::Ready(true), START);
    live
}

#[test]
fn a_queue_of_ours_is_written_once_and_those_of_others_never() {
    let mut live = leader();
    queue(&mut live, ours("research"), START);
    queue(&mut live, QueueSpec::named("theirs"), START);
    let writes = minute(&mut live, START);
    let names: Vec<&str> = writes.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["research"]);
    assert_eq!(writes[0].1.trouble, None);
    assert_eq!(minute(&mut live, START.after(Span::from_secs(60))), []);
}

#[test]
fn a_queue_tells_of_its_trouble_and_of_its_end() {
    let mut live = leader();
    let orphan = QueueSpec { parent: Some("all".to_owned()), ..ours("research") };
    queue(&mut live, orphan, START);
    let writes = minute(&mut live, START);
    let reason = writes[0].1.trouble.as_ref().map(|(reason, _)| reason.as_str());
    assert_eq!(reason, Some("ParentMissing"));
    let now = START.after(Span::from_secs(60));
    queue(&mut live, ours("all"), now);
    let mut writes = minute(&mut live, now);
    writes.retain(|(name, _)| name == "research");
    let [(_, status)] = writes.as_slice() else { panic!("{writes:?}") };
    assert_eq!(status.trouble, None);
    assert!(status.since >= now, "it is so since then");
}

#[test]
fn gangs_that_wait_are_counted_where_they_wait() {
    let mut live = leader();
    queue(&mut live, ours("research"), START);
    let pod = PodSpec { queue: Some("research".to_owned()), ..PodSpec::new("a", "p") };
    live.take(News::Event(Event::Pod(Box::new(pod))), START);
    let writes = minute(&mut live, START);
    assert_eq!(writes.last().map(|(_, status)| status.waiting), Some(1));
}

/// A group of Volcano in the queue `shared`, with a pod that names us, or without.
fn volcano_group(name: &str, pods: &[&str]) -> Vec<Event> {
    let key =
        GangKey { namespace: "a".to_owned(), name: name.to_owned(), dialect: Dialect::Volcano };
    let queue = Some("shared".to_owned());
    let gang = GangSpec { uid: name.to_owned(), queue, min: 2, ..GangSpec::plain(key.clone()) };
    let member = |pod: &&str| {
        let membership = Membership::Group(key.clone());
        Event::Pod(Box::new(PodSpec { membership, ..PodSpec::new("a", pod) }))
    };
    std::iter::once(Event::Gang(Box::new(gang))).chain(pods.iter().map(member)).collect()
}

#[test]
fn groups_of_ours_are_counted_in_a_queue_of_volcano_and_others_are_not() {
    let mut live = leader();
    let shared = QueueSpec { dialect: Some(Dialect::Volcano), ..QueueSpec::named("shared") };
    queue(&mut live, shared, START);
    for event in [volcano_group("ours", &["p"]), volcano_group("theirs", &[])].concat() {
        live.take(News::Event(event), START);
    }
    let writes = minute(&mut live, START);
    let [(name, status)] = writes.as_slice() else { panic!("{writes:?}") };
    let admitted = GroupsByPhase { admitted: 1, ..GroupsByPhase::default() };
    assert_eq!((name.as_str(), status.groups), ("shared", Some(admitted)));
}

#[test]
fn a_queue_of_volcano_without_gangs_of_ours_is_not_written() {
    let mut live = leader();
    let shared = QueueSpec { dialect: Some(Dialect::Volcano), ..QueueSpec::named("shared") };
    queue(&mut live, shared, START);
    assert_eq!(minute(&mut live, START), []);
}
