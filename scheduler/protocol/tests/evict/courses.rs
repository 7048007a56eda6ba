//! Single courses: what is sent when, and how each plan ends.

use crate::stage::{Desk, PLAN, code, key, plan};
use scheduler_model::effect::Outcome;
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::Answer;
use scheduler_protocol::call::Call;
use scheduler_protocol::evict::{EvictNews, PREEMPTED, Stage, plan_of};

#[test]
fn nobody_is_marked_before_the_reservation_stands_in_the_api() {
    let mut desk = Desk::with(2);
    assert!(desk.send().is_empty());
    desk.show(None, Some("n"));
    desk.show(Some(Time::from_ms(1)), Some("n"));
    assert!(desk.send().is_empty(), "that was another plan's");
    desk.show(Some(PLAN), Some("n"));
    assert_eq!(desk.answer_all(&code(200)), ["mark v1", "mark v2"]);
}

#[test]
fn nominated_nodes_are_waited_for_and_not_for_long() {
    let mut desk = Desk::with(1);
    desk.show(Some(PLAN), None);
    assert!(desk.send().is_empty());
    desk.pass(Span::from_secs(5));
    assert_eq!(desk.evictor.looks(desk.now).count(), 1);
    desk.show(Some(PLAN), None);
    assert_eq!(desk.answer_all(&code(200)), ["mark v1"]);
}

#[test]
fn nobody_is_deleted_before_all_are_marked() {
    let mut desk = Desk::recorded(2);
    let marks = desk.send();
    desk.answer(&marks[0], &code(200));
    assert!(desk.send().is_empty());
    desk.answer(&marks[1], &code(200));
    assert_eq!(desk.answer_all(&code(200)), ["delete v1", "delete v2"]);
    assert_eq!(desk.settled, [(1, Outcome::Done), (2, Outcome::Done)]);
    assert!(desk.evictor.is_empty());
    assert_eq!(desk.news, [EvictNews::Began(key("gainer"), vec![(key("victim"), 2)])]);
}

#[test]
fn a_mark_names_the_gainer_and_the_plan() {
    let mut desk = Desk::recorded(1);
    let sends = desk.send();
    let Call::PodStatus { condition: Some(condition), .. } = &sends[0].call else {
        panic!("{:?}", sends[0].call);
    };
    assert_eq!((condition.kind, condition.is_true), ("DisruptionTarget", true));
    assert_eq!(condition.reason, PREEMPTED);
    assert!(condition.message.contains("d/gainer"), "{}", condition.message);
    assert_eq!(plan_of(&condition.message), Some(PLAN));
    assert_eq!(plan_of("preempted by somebody else"), None);
}

#[test]
fn a_victim_that_is_gone_already_holds_nothing_up() {
    let mut desk = Desk::recorded(2);
    let marks = desk.send();
    desk.answer(&marks[0], &code(404));
    desk.answer(&marks[1], &code(200));
    assert_eq!(desk.answer_all(&code(404)), ["delete v2"]);
    assert_eq!(desk.settled, [(1, Outcome::Done), (2, Outcome::Done)]);
}

#[test]
fn a_refused_mark_ends_the_plan_before_anybody_is_deleted() {
    let mut desk = Desk::recorded(2);
    let marks = desk.send();
    desk.answer(&marks[0], &code(200));
    desk.answer(&marks[1], &code(403));
    assert!(matches!(desk.settled[..], [(2, Outcome::Refused(_))]), "{:?}", desk.settled);
    assert_eq!(desk.stays, [1]);
    assert_eq!(desk.answer_all(&code(200)), ["unmark v1"]);
    assert!(desk.evictor.is_empty());
}

#[test]
fn a_delete_that_is_refused_in_mid_gang_ends_the_plan_for_those_not_asked_yet() {
    let mut desk = Desk::recorded(3);
    desk.answer_all(&code(200));
    let deletes = desk.send();
    desk.answer(&deletes[0], &code(200));
    desk.answer(&deletes[1], &code(403));
    assert_eq!(desk.evictor.stage(&plan()), Some(Stage::Ending));
    desk.answer(&deletes[2], &code(200));
    assert!(desk.evictor.is_empty());
    assert_eq!(desk.settled.len(), 3);
    assert!(matches!(desk.settled[1], (2, Outcome::Refused(_))));
    assert!(desk.stays.is_empty());
}

#[test]
fn a_lost_answer_is_asked_again_until_the_pod_is_known_to_go() {
    let mut desk = Desk::recorded(1);
    desk.answer_all(&code(200));
    assert_eq!(desk.answer_all(&Answer::Lost("time".to_owned())), ["delete v1"]);
    assert!(desk.settled.is_empty());
    desk.pass(Span::from_secs(30));
    assert_eq!(desk.answer_all(&code(200)), ["delete v1"]);
    assert_eq!(desk.settled, [(1, Outcome::Done)]);
}

#[test]
fn an_old_mark_is_set_again_before_the_delete() {
    let mut desk = Desk::recorded(1);
    desk.answer_all(&code(200));
    assert_eq!(desk.answer_all(&Answer::Unsent("no connection".to_owned())), ["delete v1"]);
    desk.pass(Span::from_secs(100));
    // The delete that waits is as old as the mark; what comes after it is not.
    let first = desk.answer_all(&code(503));
    desk.pass(Span::from_secs(100));
    let second = desk.answer_all(&code(200));
    assert_eq!((first, second), (vec!["delete v1".to_owned()], vec!["mark v1".to_owned()]));
}

#[test]
fn a_plan_that_is_called_off_deletes_nobody_and_takes_its_marks_back() {
    let mut desk = Desk::recorded(2);
    let marks = desk.send();
    desk.answer(&marks[0], &code(200));
    desk.call_off();
    assert_eq!(desk.stays, [1, 2]);
    let mut sent = desk.answer_all(&code(200));
    sent.sort();
    assert_eq!(sent, ["unmark v1", "unmark v2"], "the mark of v2 is on its way");
    desk.answer(&marks[1], &code(200));
    assert!(desk.evictor.is_empty());
    assert!(desk.send().is_empty());
}

#[test]
fn a_plan_called_off_before_it_was_recorded_leaves_no_trace() {
    let mut desk = Desk::with(2);
    desk.call_off();
    assert_eq!(desk.stays, [1, 2]);
    desk.show(Some(PLAN), Some("n"));
    assert!(desk.send().is_empty());
    assert!(desk.evictor.is_empty());
}

#[test]
fn a_delete_that_left_before_the_plan_was_called_off_is_waited_for_and_not_asked_again() {
    let mut desk = Desk::recorded(1);
    desk.answer_all(&code(200));
    let deletes = desk.send();
    desk.call_off();
    assert!(desk.stays.is_empty(), "nobody knows yet");
    desk.answer(&deletes[0], &Answer::Lost("time".to_owned()));
    assert_eq!(desk.stays, [1]);
    desk.pass(Span::from_secs(60));
    assert!(desk.send().is_empty());
    assert!(desk.evictor.is_empty());
}

#[test]
fn a_reservation_that_cannot_be_written_down_is_given_up_and_told() {
    let mut desk = Desk::with(1);
    desk.pass(Span::from_secs(59));
    assert!(desk.evictor.take_overdue().is_empty());
    desk.pass(Span::from_secs(1));
    assert_eq!(desk.evictor.take_overdue(), [plan()]);
    assert_eq!(desk.evictor.take_news(), [EvictNews::NotRecorded(key("gainer"))]);
}

#[test]
fn a_process_that_ends_sends_nothing_more_and_leaves_its_marks() {
    let mut desk = Desk::recorded(2);
    desk.answer_all(&code(200));
    desk.evictor.forget_all(&mut desk.lanes);
    assert!(desk.send().is_empty());
}
