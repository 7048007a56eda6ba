//! What is taken back of a plan that ends before it is ready.

use crate::{Desk, bind, bound, code, late, lost, provision, said};
use scheduler_model::time::Span;
use scheduler_protocol::answer::Answer;
use scheduler_protocol::volumes::VolumeNews;

#[test]
fn nodes_are_taken_away_from_claims_that_are_not_bound_and_from_no_others() {
    let (mut desk, plan, sends) = Desk::with(&["a", "b", "c"], provision);
    desk.answer(&sends[0], &code(200));
    desk.answer(&sends[1], &code(200));
    desk.see(&late("a", Some("n")));
    desk.see(&bound("b"));
    desk.volumes.withdrawn(plan, &mut desk.lanes, desk.now);
    assert_eq!(desk.next().call.name(), "deselect_node");
    assert_eq!(desk.send(), [], "b is bound, c is still in the air");
    desk.answer(&sends[2], &code(200));
    assert_eq!(said(&desk.next()), ("c", "reset", "n"));
    assert_eq!(desk.news(), []);
}

#[test]
fn a_step_that_never_left_needs_no_undoing() {
    let mut desk = Desk::new();
    let plan = desk.plan("g", vec![bind("a", vec![provision("a")])]);
    desk.volumes.withdrawn(plan, &mut desk.lanes, desk.now);
    assert_eq!(desk.send(), []);
}

#[test]
fn a_lost_write_is_undone_also_when_it_comes_late() {
    let (mut desk, plan, sends) = Desk::with(&["a"], provision);
    desk.answer(&sends[0], &lost());
    desk.volumes.withdrawn(plan, &mut desk.lanes, desk.now);
    let undo = desk.next();
    assert_eq!(said(&undo), ("a", "reset", "n"));
    desk.answer(&undo, &code(422));
    desk.pass(Span::from_secs(30));
    desk.see(&late("a", Some("n")));
    assert_eq!(said(&desk.next()), ("a", "reset", "n"));
}

#[test]
fn nothing_is_watched_for_once_nothing_can_come_late() {
    let (mut desk, plan, sends) = Desk::with(&["a"], provision);
    desk.answer(&sends[0], &code(200));
    desk.volumes.withdrawn(plan, &mut desk.lanes, desk.now);
    let undo = desk.next();
    desk.answer(&undo, &code(200));
    desk.see(&late("a", Some("n")));
    assert_eq!(desk.send(), [], "that is somebody else's");
}

#[test]
fn a_claim_that_its_driver_gave_back_needs_no_undoing() {
    let (mut desk, _, sends) = Desk::with(&["a"], provision);
    desk.answer(&sends[0], &code(200));
    desk.see(&late("a", Some("n")));
    desk.see(&late("a", None));
    desk.failure();
    assert_eq!(desk.send(), []);
}

#[test]
fn a_new_plan_takes_over_a_claim_whose_undoing_has_not_left() {
    let (mut desk, plan, sends) = Desk::with(&["a"], provision);
    desk.answer(&sends[0], &code(200));
    desk.volumes.withdrawn(plan, &mut desk.lanes, desk.now);
    desk.plan("g", vec![bind("a2", vec![provision("a")])]);
    assert_eq!(said(&desk.next()), ("a", "set", "n"));
    assert_eq!(desk.send(), []);
}

#[test]
fn a_new_plan_waits_for_an_undoing_in_the_air_however_it_ends() {
    for answer in [code(200), code(422), lost(), Answer::Unsent("no".to_owned())] {
        let (mut desk, plan, sends) = Desk::with(&["a"], provision);
        desk.answer(&sends[0], &code(200));
        desk.volumes.withdrawn(plan, &mut desk.lanes, desk.now);
        let undo = desk.next();
        desk.plan("g", vec![bind("a2", vec![provision("a")])]);
        assert_eq!(desk.send(), []);
        desk.answer(&undo, &answer);
        assert_eq!(said(&desk.next()), ("a", "set", "n"), "{answer:?}");
    }
}

#[test]
fn an_undoing_is_tried_again_and_people_hear_if_it_cannot_be_done() {
    let (mut desk, plan, sends) = Desk::with(&["a"], provision);
    desk.answer(&sends[0], &code(200));
    desk.volumes.withdrawn(plan, &mut desk.lanes, desk.now);
    let undo = desk.next();
    desk.answer(&undo, &code(429));
    let again = desk.next();
    assert_eq!(said(&again), ("a", "reset", "n"));
    desk.answer(&again, &code(403));
    let news = desk.news();
    assert!(matches!(&news[..], [VolumeNews::Left(claim, _)] if claim == "d/a"), "{news:?}");
}

#[test]
fn without_the_right_to_write_nothing_leaves_any_more() {
    let (mut desk, _, sends) = Desk::with(&["a", "b"], provision);
    desk.answer(&sends[0], &code(500));
    desk.volumes.forget_all(&mut desk.lanes);
    desk.answer(&sends[1], &code(200));
    desk.pass(Span::from_secs(700));
    assert_eq!(desk.send(), []);
    assert_eq!(desk.news(), []);
}
