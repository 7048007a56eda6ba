//! What becomes of a broken gang, course by course.

use crate::stage::{Desk, done_by};
use crate::{bare, code, facts, gang, lost, pending, placed};
use scheduler_model::spec::Reservation;
use scheduler_model::time::{Span, Time};
use scheduler_protocol::facts::{GangFacts, MemberFacts};
use scheduler_protocol::repair::{Keep, RELEASE_ADVICE, RepairNews, Stage};
use scheduler_protocol::status::Phase;

const NONE: [&str; 0] = [];

fn broken() -> GangFacts {
    facts(Phase::Broken, vec![placed("a"), placed("b"), pending("c")])
}

fn running() -> GangFacts {
    facts(Phase::Running, vec![placed("a"), placed("b"), placed("c")])
}

#[test]
fn a_broken_gang_is_told_of_once_and_waited_for() {
    let mut desk = Desk::new();
    desk.look(&broken());
    desk.pass(Span::from_ms(119_000));
    desk.look(&broken());
    assert_eq!(desk.news, [RepairNews::Broken(gang(), Time::ZERO)]);
    assert_eq!(desk.send(), []);
    assert_eq!(desk.repair.wake_at(), Some(Time::from_ms(120_000)));
}

#[test]
fn a_gang_that_has_its_minimum_again_in_time_is_repaired() {
    let mut desk = Desk::new();
    desk.look(&broken());
    desk.look(&running());
    assert_eq!(desk.news[1..], [RepairNews::Repaired(gang(), Time::ZERO)]);
    assert_eq!(desk.repair.wake_at(), None);
}

#[test]
fn after_its_grace_every_member_in_place_is_marked_and_nothing_else_happens() {
    let mut desk = Desk::after_grace(vec![placed("a"), placed("b"), pending("c")]);
    let sends = desk.send();
    assert_eq!(done_by(&sends), (vec!["a", "b"], vec![], vec![]));
    desk.answer(&sends[0], &code(200));
    assert_eq!(desk.repair.stage(&gang()), Some(Stage::Marking));
    assert_eq!(desk.send(), []);
}

#[test]
fn the_count_comes_after_the_marks_and_before_the_deletes() {
    let mut desk = Desk::marked();
    assert_eq!(desk.news[1..], [RepairNews::Count(gang(), 1)]);
    assert_eq!(desk.send(), []);
    desk.record(0);
    assert_eq!(desk.send(), []);
    desk.record(1);
    assert_eq!(done_by(&desk.send()), (vec![], vec![], vec!["a", "b"]));
    assert_eq!(desk.news[2..], [RepairNews::Released(gang(), 1, 2)]);
}

#[test]
fn a_mark_that_has_grown_stale_is_set_again_before_the_delete() {
    let mut desk = Desk::marked();
    desk.pass(Span::from_secs(100));
    desk.record(1);
    let sends = desk.send();
    assert_eq!(done_by(&sends).0, ["a", "b"]);
    desk.answer(&sends[0], &code(200));
    assert_eq!(done_by(&desk.send()).2, ["a"]);
}

#[test]
fn a_delete_without_an_answer_is_sent_again() {
    let mut desk = Desk::recorded();
    let sends = desk.send();
    desk.answer(&sends[0], &lost());
    desk.pass(Span::from_secs(1));
    assert_eq!(done_by(&desk.send()).2, ["a"]);
}

#[test]
fn members_that_are_gone_or_replaced_need_no_delete() {
    for number in [404, 409] {
        let mut desk = Desk::recorded();
        for send in desk.send() {
            desk.answer(&send, &code(number));
        }
        desk.pass(Span::from_secs(100));
        assert_eq!(desk.send(), []);
        desk.look(&facts(Phase::Admitted, vec![pending("c")]));
        assert_eq!(desk.repair.stage(&gang()), None);
    }
}

#[test]
fn a_release_whose_deletes_the_watch_does_not_show_yet_is_not_followed_by_another() {
    let mut desk = Desk::recorded();
    for send in desk.send() {
        desk.answer(&send, &code(200));
    }
    for _ in 0..3 {
        desk.pass(Span::from_secs(300));
        desk.look(&broken());
        assert_eq!(desk.send(), []);
    }
}

#[test]
fn a_gang_that_breaks_again_after_its_release_has_its_grace_again() {
    let mut desk = Desk::recorded();
    for send in desk.send() {
        desk.answer(&send, &code(200));
    }
    let mut again = facts(Phase::Broken, vec![placed("d"), pending("e")]);
    again.ledger.releases = 1;
    desk.look(&again);
    assert_eq!(desk.send(), []);
    desk.pass(Span::from_secs(120));
    desk.look(&again);
    assert_eq!(done_by(&desk.send()).0, ["d"]);
}

#[test]
fn a_gang_that_is_whole_again_before_the_first_delete_keeps_its_members() {
    let mut desk = Desk::marked();
    desk.look(&running());
    assert_eq!(done_by(&desk.send()), (vec![], vec!["a", "b"], vec![]));
    desk.record(1);
    assert_eq!(desk.send(), []);
}

#[test]
fn deletes_that_wait_are_called_off_too_but_not_once_one_left() {
    let mut desk = Desk::recorded();
    desk.look(&running());
    assert_eq!(done_by(&desk.send()).2, NONE);

    let mut desk = Desk::recorded();
    let sends = desk.send();
    desk.look(&running());
    desk.answer(&sends[0], &lost());
    desk.pass(Span::from_secs(1));
    assert_eq!(done_by(&desk.send()).2, ["a"]);
}

#[test]
fn a_gang_whose_members_are_on_their_way_is_not_released() {
    let coming = MemberFacts { assumed: Some("m".to_owned()), ..pending("c") };
    let mut desk = Desk::after_grace(vec![placed("a"), placed("b"), coming]);
    assert_eq!(desk.send(), []);
    desk.look(&broken());
    assert_eq!(done_by(&desk.send()).0, ["a", "b"]);
}

#[test]
fn a_gang_for_which_others_are_evicted_is_not_released() {
    let mut facts = broken();
    facts.ledger.reservation = Some(Reservation::default());
    let mut desk = Desk::new();
    desk.look(&facts);
    desk.pass(Span::from_secs(120));
    desk.look(&facts);
    assert_eq!(desk.send(), []);
    desk.look(&broken());
    assert_eq!(done_by(&desk.send()).0, ["a", "b"], "room was not made after all");
}

#[test]
fn a_gang_with_a_bare_pod_keeps_its_room_and_says_why() {
    let mut desk = Desk::after_grace(vec![placed("a"), bare("b"), pending("c")]);
    let why = Keep::NoController("b".to_owned());
    assert_eq!(desk.news[1..], [RepairNews::Kept(gang(), why.clone())]);
    assert_eq!(desk.repair.kept(&gang()), Some(&why));
    assert_eq!(desk.send(), []);
    assert_eq!(desk.repair.wake_at(), None);
}

#[test]
fn a_bare_pod_that_comes_while_others_are_marked_stops_the_release() {
    let mut desk = Desk::after_grace(vec![placed("a"), pending("c")]);
    desk.send();
    desk.look(&facts(Phase::Broken, vec![placed("a"), bare("b"), pending("c")]));
    assert_eq!(desk.repair.stage(&gang()), None);
}

#[test]
fn a_gang_that_was_released_often_enough_keeps_its_room() {
    let mut desk = Desk::new();
    let mut facts = broken();
    facts.ledger.releases = 3;
    desk.pass(Span::from_secs(120));
    desk.look(&facts);
    assert_eq!(desk.news[1..], [RepairNews::Kept(gang(), Keep::UsedUp(3))]);
    assert_eq!(desk.send(), []);
}

#[test]
fn the_grace_goes_on_over_a_restart() {
    let mut desk = Desk::new();
    desk.now = Time::from_ms(120_000);
    desk.look(&broken());
    assert_eq!(done_by(&desk.send()).0, ["a", "b"]);
}

#[test]
fn a_release_that_a_restart_cut_short_is_finished_without_being_counted_again() {
    let mut desk = Desk::new();
    let marked = MemberFacts { is_marked: true, ..placed("a") };
    let mut facts = facts(Phase::Broken, vec![marked, pending("c")]);
    facts.ledger.releases = 3;
    desk.now = Time::from_ms(120_000);
    desk.look(&facts);
    for send in desk.send() {
        desk.answer(&send, &code(200));
    }
    assert_eq!(desk.news[1..], [RepairNews::Count(gang(), 3)]);
    desk.record(3);
    assert_eq!(done_by(&desk.send()).2, ["a"]);
}

#[test]
fn marks_of_others_later_in_the_run_excuse_no_release_from_being_counted() {
    let mut desk = Desk::new();
    desk.look(&running());
    desk.now = Time::from_ms(1_000_000);
    let marked = MemberFacts { is_marked: true, ..placed("a") };
    let mut facts = facts(Phase::Broken, vec![marked, pending("c")]);
    facts.ledger.broken_since = Some(Time::from_ms(500_000));
    facts.ledger.releases = 3;
    desk.look(&facts);
    assert_eq!(desk.repair.kept(&gang()), Some(&Keep::UsedUp(3)));
}

#[test]
fn a_member_that_may_not_be_marked_is_not_deleted() {
    let mut desk = Desk::after_grace(vec![placed("a"), pending("c")]);
    let sends = desk.send();
    desk.answer(&sends[0], &code(403));
    assert!(matches!(desk.repair.kept(&gang()), Some(Keep::MarkRefused(pod, _)) if pod == "a"));
    assert_eq!(done_by(&desk.send()).2, NONE);
    desk.pass(Span::from_secs(30));
    desk.look(&facts(Phase::Broken, vec![placed("a"), pending("c")]));
    assert_eq!(done_by(&desk.send()).0, ["a"]);
}

#[test]
fn a_count_that_cannot_be_written_is_told_and_deletes_nothing() {
    let mut desk = Desk::marked();
    desk.pass(Span::from_secs(60));
    assert_eq!(desk.repair.looks(desk.now), [gang()]);
    desk.look(&broken());
    assert_eq!(desk.repair.kept(&gang()), Some(&Keep::NotRecorded));
    assert_eq!(desk.repair.wake_at(), None);
    assert_eq!(desk.send(), []);
}

#[test]
fn a_half_bound_gang_that_never_started_is_released_as_well() {
    let mut desk = Desk::new();
    desk.now = Time::from_ms(120_000);
    desk.look(&GangFacts { has_started: false, ..broken() });
    assert_eq!(done_by(&desk.send()).0, ["a", "b"]);
}

#[test]
fn without_the_right_to_write_nothing_leaves() {
    let mut desk = Desk::recorded();
    desk.repair.forget_all(&mut desk.lanes);
    assert_eq!(desk.send(), []);
}

#[test]
fn a_gang_that_is_gone_is_forgotten() {
    let mut desk = Desk::recorded();
    desk.repair.gone(&gang(), &mut desk.lanes);
    assert_eq!(desk.send(), []);
    assert_eq!(desk.repair.stage(&gang()), None);
}

#[test]
fn the_advice_for_jobs_names_the_rule() {
    assert!(
        RELEASE_ADVICE.contains("podFailurePolicy") && RELEASE_ADVICE.contains("DisruptionTarget")
    );
}
