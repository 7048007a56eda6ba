//! What becomes of a plan as a whole.

use crate::{Desk, bind, code, gang, lost, shows, unsent, waiting};
use scheduler_model::effect::{EffectId, Outcome};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::PodFacts;
use scheduler_protocol::bind::Bound;
use scheduler_protocol::call::Call;

#[test]
fn all_binds_of_a_plan_fly_at_once_within_the_window() {
    let mut desk = Desk::new(3);
    desk.plan(&["a", "b", "c", "d"]);
    let sends = desk.send();
    assert_eq!(sends.len(), 3);
    desk.answer(&sends[1], &code(201));
    assert_eq!(desk.send().len(), 1);
}

#[test]
fn a_plan_waits_until_the_lane_has_room_and_can_then_be_checked() {
    let mut desk = Desk::new(1);
    desk.plan(&["a"]);
    let first = desk.send();
    desk.plan(&["b"]);
    assert_eq!(desk.binder.next_plan(&desk.lanes, desk.now), None);
    desk.answer(&first[0], &code(201));
    let plan = desk.binder.next_plan(&desk.lanes, desk.now).expect("there is room");
    let names: Vec<&str> = desk.binder.members(plan).map(|bind| bind.name.as_str()).collect();
    assert_eq!(names, ["b"]);
}

#[test]
fn a_plan_that_is_withdrawn_sends_nothing() {
    let mut desk = Desk::with_plan(&["a", "b"]);
    let plan = desk.binder.next_plan(&desk.lanes, desk.now).expect("it waits");
    let settled = desk.binder.withdraw(plan, &mut desk.lanes, "a node is gone", desk.now);
    let refused = Outcome::Refused("a node is gone".to_owned());
    let wanted = [(EffectId(0), refused.clone()), (EffectId(1), refused)];
    assert_eq!(settled, wanted);
    assert_eq!(desk.send(), []);
    assert_eq!(desk.binder.take_bound(), []);
}

#[test]
fn a_member_that_goes_before_its_plan_has_begun_is_left_to_the_check_of_the_whole() {
    let mut desk = Desk::with_plan(&["a", "b"]);
    let plan = desk.binder.next_plan(&desk.lanes, desk.now).expect("it waits");
    assert_eq!(desk.binder.gone("uid-a", &mut desk.lanes, desk.now), []);
    let ends = PodFacts { is_terminating: true, ..waiting() };
    assert_eq!(desk.binder.seen(&ends, &mut desk.lanes, desk.now), []);
    let settled = desk.binder.withdraw(plan, &mut desk.lanes, "a pod is gone", desk.now);
    assert_eq!(settled.len(), 2);
    assert_eq!(desk.send(), []);
}

#[test]
fn a_begun_plan_of_which_nothing_left_can_still_be_withdrawn() {
    let mut desk = Desk::with_plan(&["a"]);
    let plan = desk.binder.next_plan(&desk.lanes, desk.now).expect("it waits");
    desk.binder.begin(plan, &mut desk.lanes, desk.now);
    assert_eq!(desk.binder.untouched_plans(), [plan]);
    assert_eq!(desk.binder.withdraw(plan, &mut desk.lanes, "no", desk.now).len(), 1);
    assert_eq!(desk.send(), []);
}

#[test]
fn a_plan_of_which_a_bind_left_is_carried_through() {
    let mut desk = Desk::new(1);
    desk.plan(&["a", "b"]);
    let plan = desk.binder.next_plan(&desk.lanes, desk.now).expect("it waits");
    let sends = desk.send();
    assert_eq!(desk.binder.untouched_plans(), []);
    assert_eq!(desk.binder.withdraw(plan, &mut desk.lanes, "no", desk.now), []);
    desk.answer(&sends[0], &lost());
    assert_eq!(desk.binder.withdraw(plan, &mut desk.lanes, "no", desk.now), []);
    assert_eq!(desk.send().len(), 1);
}

#[test]
fn a_plan_is_taken_back_if_its_first_bind_is_refused_before_any_other_left() {
    let mut desk = Desk::new(1);
    desk.plan(&["a", "b"]);
    let sends = desk.send();
    desk.answer(&sends[0], &code(404));
    assert_eq!(desk.outcomes().len(), 2, "{:?}", desk.settled);
    assert_eq!(desk.send(), []);
}

#[test]
fn a_plan_is_taken_back_if_a_member_goes_while_nothing_may_have_got_through() {
    let mut desk = Desk::new(2);
    desk.plan(&["a", "b", "c"]);
    let sends = desk.send();
    let settled = desk.binder.gone("uid-a", &mut desk.lanes, desk.now);
    assert_eq!(settled.len(), 1);
    desk.answer(&sends[0], &code(404));
    assert_eq!(desk.send(), [], "nothing more leaves while it is not known of b");
    desk.answer(&sends[1], &unsent());
    assert_eq!(desk.settled.len(), 2, "b and c are taken back");
    assert!(desk.binder.is_empty());
}

#[test]
fn a_plan_goes_on_without_a_member_that_went_if_another_stands() {
    let mut desk = Desk::new(2);
    desk.plan(&["a", "b", "c"]);
    let sends = desk.send();
    let settled = desk.binder.gone("uid-a", &mut desk.lanes, desk.now);
    assert_eq!(settled.len(), 1);
    desk.answer(&sends[1], &code(201));
    assert_eq!(desk.send().len(), 1, "c follows b");
}

#[test]
fn a_plan_that_came_back_unsent_is_checked_again() {
    let mut desk = Desk::with_plan(&["a", "b"]);
    let sends = desk.send();
    desk.answer(&sends[0], &unsent());
    assert_eq!(desk.binder.untouched_plans(), []);
    desk.answer(&sends[1], &unsent());
    assert_eq!(desk.binder.untouched_plans().len(), 1);
    assert_eq!(desk.send(), []);
    desk.now = desk.binder.wake_at(&desk.lanes, desk.now).expect("it is tried again");
    assert_eq!(desk.send().len(), 2);
}

#[test]
fn a_pod_with_an_unsettled_bind_is_refused_another() {
    let mut desk = Desk::with_plan(&["a"]);
    let refused = desk.binder.take(&gang(), vec![(EffectId(9), bind("a", "m"))], desk.now);
    assert!(matches!(refused[..], [(EffectId(9), Outcome::Refused(_))]), "{refused:?}");
    assert_eq!(desk.send().len(), 1);
}

#[test]
fn the_times_of_a_plan_are_told_when_its_last_bind_is_settled() {
    let mut desk = Desk::with_plan(&["a", "b", "c"]);
    let sends = desk.send();
    desk.now = Time::from_ms(10);
    desk.answer(&sends[0], &code(201));
    desk.now = Time::from_ms(30);
    desk.answer(&sends[1], &code(201));
    assert_eq!(desk.binder.take_bound(), []);
    desk.answer(&sends[2], &code(404));
    let [Bound { sent_at, first_done, last_done, done, refused, .. }] =
        desk.binder.take_bound()[..]
    else {
        panic!("one plan ended");
    };
    assert_eq!((sent_at, done, refused), (Time::ZERO, 2, 1));
    assert_eq!(first_done, Some(Time::from_ms(10)));
    assert_eq!(last_done, Some(Time::from_ms(30)));
}

#[test]
fn when_the_right_to_write_is_lost_only_what_never_left_is_refused() {
    let mut desk = Desk::new(3);
    desk.plan(&["a", "b", "c", "d"]);
    let sends = desk.send();
    desk.answer(&sends[0], &lost());
    desk.answer(&sends[1], &code(429));
    let settled = desk.binder.forget_all(&mut desk.lanes);
    let unknown: Vec<bool> = settled.iter().map(|(_, end)| *end == Outcome::Unknown).collect();
    // a: lost, b: turned away, c: in the air, d: never left.
    assert_eq!(unknown, [true, false, true, false]);
    desk.pass(Span::from_secs(100));
    assert_eq!(desk.send(), []);
    desk.answer(&sends[2], &code(201));
    assert_eq!(desk.settled, []);
}

#[test]
fn annotations_travel_with_the_bind() {
    let mut desk = Desk::new(1);
    let mut bind = bind("a", "n");
    bind.annotations.insert("muster.sh/rank".to_owned(), "3".to_owned());
    desk.binder.take(&gang(), vec![(EffectId(0), bind)], desk.now);
    let Call::Bind { annotations, .. } = desk.next().call else { panic!("a bind leaves first") };
    assert_eq!(annotations["muster.sh/rank"], "3");
}

#[test]
fn a_plan_wider_than_its_window_that_came_back_unsent_is_checked_again() {
    let mut desk = Desk::new(2);
    desk.plan(&["a", "b", "c"]);
    let sends = desk.send();
    assert_eq!(sends.len(), 2);
    desk.answer(&sends[0], &unsent());
    assert_eq!(desk.send(), [], "nothing is known to have left: nothing more leaves");
    desk.answer(&sends[1], &unsent());
    assert_eq!(desk.binder.untouched_plans().len(), 1);
}

#[test]
fn binds_that_were_held_back_follow_the_first_that_left() {
    let mut desk = Desk::new(2);
    desk.plan(&["a", "b", "c"]);
    let sends = desk.send();
    desk.answer(&sends[0], &unsent());
    desk.answer(&sends[1], &code(201));
    assert_eq!(desk.send().len(), 2);
}

#[test]
fn a_bind_of_a_begun_plan_that_has_not_left_can_be_given_up_alone() {
    let mut desk = Desk::new(2);
    desk.plan(&["a", "b"]);
    let sends = desk.send();
    desk.answer(&sends[0], &code(201));
    desk.answer(&sends[1], &unsent());
    desk.pass(Span::from_secs(1));
    let leaving: Vec<EffectId> =
        desk.binder.leaving(&desk.lanes, desk.now).map(|(effect, _)| effect).collect();
    assert_eq!(leaving, [EffectId(1)]);
    let settled = desk.binder.refuse(EffectId(1), "its node is gone", &mut desk.lanes, desk.now);
    let refused = Outcome::Refused("its node is gone".to_owned());
    assert_eq!(settled, [(EffectId(1), refused)]);
    assert_eq!(desk.send(), []);
}

#[test]
fn a_bind_that_may_have_happened_is_not_given_up_whatever_became_of_its_node() {
    let mut desk = Desk::with_plan(&["a"]);
    let bind = desk.next();
    assert_eq!(desk.binder.refuse(EffectId(0), "no", &mut desk.lanes, desk.now), []);
    desk.answer(&bind, &lost());
    let read = desk.next();
    desk.answer(&read, &shows(waiting()));
    desk.pass(Span::from_secs(1));
    assert_eq!(desk.binder.leaving(&desk.lanes, desk.now).count(), 0);
    assert_eq!(desk.binder.refuse(EffectId(0), "no", &mut desk.lanes, desk.now), []);
}

#[test]
fn a_plan_waits_for_the_one_before_it_of_the_same_gang_and_is_taken_back_with_it() {
    let mut desk = Desk::new(64);
    desk.plan(&["a", "b"]);
    let first = desk.send();
    desk.plan(&["c"]);
    assert_eq!(desk.send(), [], "it counts on the first");
    desk.answer(&first[0], &code(404));
    desk.answer(&first[1], &unsent());
    assert_eq!(desk.settled.len(), 3, "{:?}", desk.settled);
}

#[test]
fn a_plan_follows_as_soon_as_the_one_before_it_of_the_same_gang_stands() {
    let mut desk = Desk::new(64);
    desk.plan(&["a"]);
    let first = desk.send();
    desk.plan(&["b"]);
    desk.answer(&first[0], &code(201));
    assert_eq!(desk.send().len(), 1);
}
