//! How a plan becomes ready, or does not.

use crate::{Desk, bind, bound, code, gang, late, lost, provision, said, take, unready};
use scheduler_model::spec::{ClaimSpec, VolumeStep};
use scheduler_model::time::Span;
use scheduler_protocol::answer::{Answer, Reply};
use scheduler_protocol::call::{Call, Send};
use scheduler_protocol::volumes::VolumeNews;

#[test]
fn all_steps_of_all_members_leave_together_and_no_bind() {
    let (mut desk, _, sends) = Desk::with(&["a", "b", "c"], provision);
    let all: Vec<_> = sends.iter().map(said).collect();
    assert_eq!(all, [("a", "set", "n"), ("b", "set", "n"), ("c", "set", "n")]);
    desk.answer_all(&sends, &code(200));
    assert_eq!(desk.binder.next_plan(&desk.lanes, desk.now), None);
    assert_eq!(desk.binder.wake_at(&desk.lanes, desk.now), None);
}

#[test]
fn a_plan_is_ready_once_the_last_claim_is_bound_and_then_goes_on_as_any_plan() {
    let (mut desk, plan, sends) = Desk::with(&["a", "b"], provision);
    desk.answer_all(&sends, &code(200));
    desk.see(&bound("a"));
    assert_eq!(desk.news(), []);
    desk.see(&bound("b"));
    assert_eq!(desk.news(), [VolumeNews::Ready(plan)]);
    assert!(desk.volumes.is_empty());
    desk.binder.prepared(plan, desk.now);
    assert_eq!(desk.binder.next_plan(&desk.lanes, desk.now), Some(plan));
}

#[test]
fn a_claim_that_several_members_share_is_asked_for_once() {
    let mut desk = Desk::new();
    let plan = desk.plan("g", ["a", "b"].map(|pod| bind(pod, vec![provision("x")])).to_vec());
    assert_eq!(desk.send().len(), 1);
    desk.see(&bound("x"));
    assert_eq!(desk.news(), [VolumeNews::Ready(plan)]);
}

#[test]
fn members_without_steps_wait_for_the_claims_of_the_others() {
    let mut desk = Desk::new();
    desk.plan("g", vec![bind("a", vec![provision("a")]), bind("b", Vec::new())]);
    assert_eq!(desk.binder.next_plan(&desk.lanes, desk.now), None);
}

#[test]
fn a_lost_answer_is_asked_again_and_the_watch_may_tell_first() {
    let (mut desk, plan, sends) = Desk::with(&["a"], provision);
    desk.answer(&sends[0], &lost());
    let again = desk.next();
    assert_eq!(said(&again), ("a", "set", "n"));
    desk.answer(&again, &lost());
    desk.see(&bound("a"));
    assert_eq!(desk.news(), [VolumeNews::Ready(plan)]);
    desk.now = desk.now.after(Span::from_secs(60));
    assert_eq!(desk.send(), [], "what is bound is not asked for again");
}

#[test]
fn a_refused_step_ends_the_whole_plan() {
    let (mut desk, _, sends) = Desk::with(&["a", "b"], provision);
    let message = "quota says no".to_owned();
    desk.answer(&sends[0], &Answer::Reply(Reply { message, ..Reply::code(403) }));
    let (why, unfit) = desk.failure();
    assert!(why.contains("d/a") && why.contains("quota says no"), "{why}");
    assert_eq!(unfit, [], "it says nothing about the node");
}

#[test]
fn what_the_watch_shows_of_a_time_before_the_write_ends_nothing() {
    let (mut desk, _, sends) = Desk::with(&["a"], provision);
    desk.see(&late("a", None));
    desk.see(&late("a", Some("old")));
    desk.answer(&sends[0], &code(200));
    desk.see(&late("a", None));
    desk.see(&late("a", Some("old")));
    assert_eq!(desk.news(), []);
}

#[test]
fn a_driver_that_gives_a_claim_back_ends_the_plan_and_its_node_is_named() {
    let mut desk = Desk::new();
    let binds = ["a", "b", "c"].map(|pod| bind(pod, vec![provision(pod)])).to_vec();
    let mut binds = binds;
    binds[2].node = "m".to_owned();
    desk.plan("g", binds);
    let sends = desk.send();
    desk.answer_all(&sends, &code(200));
    desk.see(&late("a", Some("n")));
    desk.see(&late("a", None));
    let (why, unfit) = desk.failure();
    assert!(why.contains("claim d/a cannot be provisioned on node n"), "{why}");
    let on_n = ["uid-a", "uid-b"].map(|pod| (pod.to_owned(), "n".to_owned()));
    assert_eq!(unfit, on_n);
}

#[test]
fn a_node_that_was_set_and_is_not_seen_is_set_again() {
    let (mut desk, _, sends) = Desk::with(&["a"], provision);
    desk.answer(&sends[0], &code(200));
    let again = desk.next();
    assert_eq!(said(&again), ("a", "set", "n"));
    assert_eq!(desk.now.ms(), 10_000);
}

#[test]
fn claims_that_are_not_bound_in_time_end_the_plan() {
    let (mut desk, plan, sends) = Desk::with(&["a", "b"], provision);
    desk.answer_all(&sends, &code(200));
    desk.see(&late("a", Some("n")));
    desk.see(&bound("b"));
    desk.pass(Span::from_secs(10));
    assert_eq!(desk.news(), [VolumeNews::Waits(plan, vec!["d/a".to_owned()])]);
    assert!(desk.volumes.is_late(&gang("g")));
    desk.pass(Span::from_secs(589));
    assert_eq!(desk.news(), []);
    desk.pass(Span::from_secs(1));
    let (why, unfit) = desk.failure();
    assert!(why.contains("within 10m") && why.ends_with("claims d/a"), "{why}");
    assert_eq!(unfit, [("uid-a".to_owned(), "n".to_owned())]);
}

#[test]
fn a_claim_that_goes_or_is_another_ends_the_plan() {
    let (mut desk, ..) = Desk::with(&["a"], provision);
    desk.volumes.gone("d/a", &mut desk.lanes, desk.now);
    assert!(desk.failure().0.contains("claim d/a is gone"));
    let (mut desk, ..) = Desk::with(&["a"], provision);
    desk.see(&ClaimSpec { uid: "other".to_owned(), ..bound("a") });
    assert!(desk.failure().0.contains("made anew"));
}

#[test]
fn a_claim_that_cannot_be_used_ends_the_plan_unless_it_is_only_for_a_moment() {
    let (mut desk, plan, sends) = Desk::with(&["a"], provision);
    desk.answer(&sends[0], &code(200));
    desk.see(&unready("a", "is lost"));
    desk.pass(Span::from_secs(9));
    desk.see(&bound("a"));
    assert_eq!(desk.news(), [VolumeNews::Ready(plan)]);
    let (mut desk, ..) = Desk::with(&["a"], provision);
    desk.see(&unready("a", "is lost"));
    desk.pass(Span::from_secs(10));
    let news = desk.news();
    let is_lost = |it: &VolumeNews| matches!(it, VolumeNews::Failed { why, .. } if why == "claim d/a is lost");
    assert!(news.iter().any(is_lost), "{news:?}");
}

#[test]
fn a_volume_is_taken_in_the_version_it_was_decided_on() {
    let (mut desk, plan, sends) = Desk::with(&["a"], take);
    let Call::TakeVolume { volume, version, claim, .. } = &sends[0].call else {
        panic!("it is taken");
    };
    assert_eq!((&volume[..], &version[..], &claim.uid[..]), ("v", "7", "claim-a"));
    desk.answer(&sends[0], &code(200));
    desk.see(&late("a", None));
    desk.see(&bound("a"));
    assert_eq!(desk.news(), [VolumeNews::Ready(plan)]);
}

#[test]
fn a_volume_that_was_kept_for_its_claim_is_taken_as_such() {
    let kept = |name: &str| match take(name) {
        VolumeStep::Take { claim, uid, volume, version, .. } => {
            VolumeStep::Take { claim, uid, volume, version, is_kept: true }
        }
        step => step,
    };
    let is_kept = |sends: &[Send]| matches!(sends[0].call, Call::TakeVolume { is_kept: true, .. });
    assert!(is_kept(&Desk::with(&["a"], kept).2));
    assert!(!is_kept(&Desk::with(&["a"], take).2));
}

#[test]
fn a_volume_that_changed_is_not_taken() {
    let (mut desk, _, sends) = Desk::with(&["a"], take);
    desk.answer(&sends[0], &code(409));
    assert!(desk.failure().0.contains("cannot take volume v"));
}

#[test]
fn a_conflict_after_a_lost_take_may_be_our_own_and_the_claim_is_awaited() {
    let (mut desk, plan, sends) = Desk::with(&["a"], take);
    desk.answer(&sends[0], &lost());
    let again = desk.next();
    desk.answer(&again, &code(409));
    assert_eq!(desk.news(), []);
    desk.see(&bound("a"));
    assert_eq!(desk.news(), [VolumeNews::Ready(plan)]);
}

#[test]
fn a_conflict_after_a_lost_take_that_was_not_ours_ends_the_plan_soon() {
    let (mut desk, _, sends) = Desk::with(&["a"], take);
    desk.answer(&sends[0], &lost());
    let again = desk.next();
    desk.answer(&again, &code(409));
    desk.pass(Span::from_secs(10));
    let news = desk.news();
    assert!(matches!(news.last(), Some(VolumeNews::Failed { .. })), "{news:?}");
}

#[test]
fn a_claim_is_prepared_for_one_gang_at_a_time() {
    let (mut desk, first, _) = Desk::with(&["a"], provision);
    desk.plan("h", vec![bind("z", vec![provision("a")])]);
    assert!(desk.failure().0.contains("being prepared for gang d/g"));
    desk.see(&bound("a"));
    assert_eq!(desk.news(), [VolumeNews::Ready(first)]);
}

#[test]
fn changes_of_members_and_nodes_name_the_plans_to_look_at() {
    let (mut desk, plan, _) = Desk::with(&["a"], provision);
    desk.volumes.doubt_pod("uid-z");
    desk.volumes.doubt_node("m");
    assert!(desk.volumes.take_suspects().is_empty());
    desk.volumes.doubt_pod("uid-a");
    assert_eq!(desk.volumes.take_suspects().into_iter().collect::<Vec<_>>(), [plan]);
    desk.volumes.doubt_node("n");
    assert_eq!(desk.volumes.take_suspects().into_iter().collect::<Vec<_>>(), [plan]);
}
