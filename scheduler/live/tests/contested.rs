//! Another scheduler that writes into the same groups.

use scheduler_framework::profile::Profile;
use scheduler_live::driver::Live;
use scheduler_live::news::{News, Notice};
use scheduler_live::settings::Settings;
use scheduler_model::event::Event;
use scheduler_model::spec::{Dialect, GangKey, GangSpec, Membership, PodSpec, QueueSpec};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::{Answer, Reply};
use scheduler_protocol::call::Call;

const START: Time = Time::from_ms(1_000_000);

fn key(name: &str) -> GangKey {
    GangKey { namespace: "d".to_owned(), name: name.to_owned(), dialect: Dialect::Volcano }
}

/// The group with what muster itself wrote down on it.
fn group(live: &Live, name: &str, is_contested: bool) -> News {
    let ledger = live.engine().gang(&key(name)).map(|view| view.ledger).unwrap_or_default();
    let spec = GangSpec { is_contested, ledger, ..GangSpec::plain(key(name)) };
    News::Event(Event::Gang(Box::new(spec)))
}

/// Both groups are seen like that.
fn see(live: &mut Live, is_contested: bool, now: Time) {
    for name in ["a", "b"] {
        let news = group(live, name, is_contested);
        live.take(news, now);
    }
}

/// Lets a minute pass; every call is answered well. Notices about others, and how often a group
/// was written.
fn minute(live: &mut Live, from: Time) -> (Vec<(String, bool)>, usize) {
    let (mut told, mut writes) = (Vec::new(), 0);
    for second in 0..60 {
        let now = from.after(Span::from_secs(second));
        let turn = live.turn(now);
        for send in turn.sends {
            writes += usize::from(matches!(send.call, Call::GroupStatus { .. }));
            live.take(News::Answer(send.id, Answer::Reply(Reply::code(200))), now);
        }
        told.extend(turn.notices.into_iter().filter_map(|notice| match notice {
            Notice::Contested { gang, is_first } => Some((gang.name, is_first)),
            _ => None,
        }));
    }
    (told, writes)
}

#[test]
fn each_group_that_another_scheduler_writes_into_is_told_of_once_and_the_first_as_such() {
    let mut live = Live::new(Profile::default(), Settings::of("me", None));
    live.take(News::Event(Event::Queue(QueueSpec::named("default"))), START);
    see(&mut live, true, START);
    for name in ["a", "b"] {
        let membership = Membership::Group(key(name));
        let pod = PodSpec { membership, ..PodSpec::new("d", name) };
        live.take(News::Event(Event::Pod(Box::new(pod))), START);
    }
    live.take(News::Ready(true), START);
    // Without a node they wait. What stood there before was written over: it came first.
    live.turn(START);
    let now = START.after(Span::from_secs(5));
    see(&mut live, false, now);
    assert_eq!(minute(&mut live, now).0, []);

    let now = START.after(Span::from_secs(120));
    see(&mut live, true, now);
    let (told, writes) = minute(&mut live, now);
    assert_eq!(told, [("a".to_owned(), true), ("b".to_owned(), false)]);
    assert_eq!(writes, 0, "two that correct each other would never end");
}
