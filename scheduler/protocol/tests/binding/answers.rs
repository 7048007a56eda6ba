//! What becomes of one bind, answer by answer.

use crate::{Desk, code, is_bind, is_read, lost, on, shows, unsent, waiting};
use scheduler_model::effect::Outcome;
use scheduler_model::time::Span;
use scheduler_protocol::answer::{Answer, PodFacts, Reply};

/// A bind whose answer was lost, and the question that follows.
fn asked() -> (Desk, scheduler_protocol::call::Send) {
    let mut desk = Desk::with_plan(&["a"]);
    let bind = desk.next();
    desk.answer(&bind, &lost());
    let read = desk.next();
    assert!(is_read(&read));
    (desk, read)
}

fn refusal(desk: &Desk) -> &str {
    let [(_, Outcome::Refused(words))] = &desk.settled[..] else {
        panic!("not refused: {:?}", desk.settled);
    };
    words
}

#[test]
fn a_bind_that_was_taken_is_done() {
    let mut desk = Desk::with_plan(&["a"]);
    let bind = desk.next();
    desk.answer(&bind, &code(201));
    assert_eq!(desk.outcomes(), [Outcome::Done]);
}

#[test]
fn a_bind_of_a_pod_that_is_gone_is_refused_at_once() {
    let mut desk = Desk::with_plan(&["a"]);
    let bind = desk.next();
    desk.answer(&bind, &code(404));
    assert!(refusal(&desk).contains("404"));
}

#[test]
fn a_refusal_carries_the_words_of_the_server() {
    let mut desk = Desk::with_plan(&["a"]);
    let bind = desk.next();
    let message = "no GPUs on Fridays".to_owned();
    desk.answer(&bind, &Answer::Reply(Reply { message, ..Reply::code(403) }));
    assert!(refusal(&desk).contains("no GPUs on Fridays"));
}

#[test]
fn a_lost_answer_is_done_if_the_pod_is_on_its_node() {
    let (mut desk, read) = asked();
    desk.answer(&read, &shows(on("n")));
    assert_eq!(desk.outcomes(), [Outcome::Done]);
}

#[test]
fn a_conflict_is_done_if_an_own_lost_bind_was_the_reason() {
    let mut desk = Desk::with_plan(&["a"]);
    let bind = desk.next();
    desk.answer(&bind, &code(409));
    let read = desk.next();
    desk.answer(&read, &shows(on("n")));
    assert_eq!(desk.outcomes(), [Outcome::Done]);
}

#[test]
fn a_pod_that_somebody_else_bound_is_refused_with_the_node() {
    let (mut desk, read) = asked();
    desk.answer(&read, &shows(on("other")));
    assert!(refusal(&desk).contains("other"));
}

#[test]
fn a_pod_on_its_way_out_finished_gated_or_new_is_refused() {
    let cases = [
        PodFacts { is_terminating: true, ..waiting() },
        PodFacts { is_finished: true, ..waiting() },
        PodFacts { is_gated: true, ..waiting() },
        PodFacts { uid: "uid-b".to_owned(), ..on("n") },
    ];
    for facts in cases {
        let (mut desk, read) = asked();
        desk.answer(&read, &shows(facts));
        refusal(&desk);
    }
}

#[test]
fn a_pod_that_still_waits_is_bound_to_the_same_node_again() {
    let (mut desk, read) = asked();
    desk.answer(&read, &shows(waiting()));
    let again = desk.next();
    let first = Desk::with_plan(&["a"]).next();
    assert_eq!(again.call, first.call);
}

#[test]
fn a_look_that_fails_is_repeated_until_it_tells() {
    let (mut desk, mut read) = asked();
    for failure in [lost(), unsent(), code(500), code(403), code(200)] {
        desk.answer(&read, &failure);
        read = desk.next();
        assert!(is_read(&read));
    }
    desk.answer(&read, &code(404));
    refusal(&desk);
}

#[test]
fn a_refusal_after_a_lost_bind_stands_only_once_the_lost_one_cannot_come_any_more() {
    let (mut desk, read) = asked();
    desk.answer(&read, &shows(waiting()));
    let again = desk.next();
    desk.answer(&again, &code(403));
    let early = desk.next();
    desk.answer(&early, &shows(waiting()));
    assert_eq!(desk.outcomes(), []);
    let late = desk.next();
    assert!(desk.now.ms() >= 60_000, "{:?}", desk.now);
    desk.answer(&late, &shows(waiting()));
    assert!(refusal(&desk).contains("403"));
}

#[test]
fn a_lost_bind_that_comes_late_after_a_refusal_is_done() {
    let (mut desk, read) = asked();
    desk.answer(&read, &shows(waiting()));
    let again = desk.next();
    desk.answer(&again, &code(403));
    let read = desk.next();
    desk.answer(&read, &shows(on("n")));
    assert_eq!(desk.outcomes(), [Outcome::Done]);
}

#[test]
fn a_server_that_always_fails_is_given_up_with_its_words() {
    let mut desk = Desk::with_plan(&["a"]);
    let mut binds = 0;
    while desk.settled.is_empty() {
        let send = desk.next();
        binds += u32::from(is_bind(&send));
        let answer = if is_bind(&send) { code(500) } else { shows(waiting()) };
        desk.answer(&send, &answer);
    }
    assert_eq!(binds, 8);
    assert!(refusal(&desk).contains("given up after 8 tries"), "{}", refusal(&desk));
}

#[test]
fn a_full_server_is_left_alone_as_long_as_it_asks() {
    let mut desk = Desk::with_plan(&["a"]);
    let bind = desk.next();
    let retry_after = Some(Span::from_secs(9));
    desk.answer(&bind, &Answer::Reply(Reply { retry_after, ..Reply::code(429) }));
    desk.pass(Span::from_ms(8_999));
    assert_eq!(desk.send(), []);
    assert!(is_bind(&desk.next()));
}

#[test]
fn a_server_that_is_away_is_waited_for_without_limit() {
    let mut desk = Desk::with_plan(&["a"]);
    for _ in 0..100 {
        let bind = desk.next();
        desk.answer(&bind, &unsent());
    }
    assert!(is_bind(&desk.next()));
    assert_eq!(desk.outcomes(), []);
}

#[test]
fn the_watch_may_tell_before_the_answer() {
    let mut desk = Desk::with_plan(&["a"]);
    let bind = desk.next();
    let settled = desk.binder.seen(&on("n"), &mut desk.lanes, desk.now);
    desk.settled.extend(settled);
    desk.answer(&bind, &lost());
    assert_eq!(desk.outcomes(), [Outcome::Done]);
    assert_eq!(desk.send(), []);
}

#[test]
fn a_watch_that_shows_the_pod_waiting_tells_nothing() {
    let mut desk = Desk::with_plan(&["a"]);
    desk.next();
    assert_eq!(desk.binder.seen(&waiting(), &mut desk.lanes, desk.now), []);
}

#[test]
fn a_pod_that_the_watch_shows_gone_is_not_tried_again() {
    let (mut desk, read) = asked();
    desk.answer(&read, &shows(waiting()));
    let settled = desk.binder.gone("uid-a", &mut desk.lanes, desk.now);
    assert!(matches!(settled[..], [(_, Outcome::Refused(_))]), "{settled:?}");
    desk.pass(Span::from_secs(100));
    assert_eq!(desk.send(), []);
}
