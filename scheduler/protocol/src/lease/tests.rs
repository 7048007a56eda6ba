//! The lease against a tiny server: step by step, and at random with several candidates.

mod random;

use super::*;
use crate::lanes::Windows;

/// One candidate with its lanes, and the answers given to it by hand.
struct Bench {
    lease: Lease,
    lanes: Lanes,
    now: Time,
}

fn config() -> LeaseConfig {
    let lease = LeaseRef { namespace: "muster".to_owned(), name: "muster".to_owned() };
    LeaseConfig::new(lease, "me".to_owned())
}

fn reply(code: u16, body: Body) -> Answer {
    Answer::Reply(Reply { body, ..Reply::code(code) })
}

fn held_by(holder: &str, version: &str) -> LeaseRecord {
    let (holder, version) = (holder.to_owned(), version.to_owned());
    LeaseRecord { holder, version, duration: Span::from_secs(15), ..LeaseRecord::default() }
}

impl Bench {
    fn new() -> Self {
        let lanes = Lanes::new(Windows::default());
        Self { lease: Lease::new(config()), lanes, now: Time::from_ms(1_000_000) }
    }

    /// One that leads since just now.
    fn leading() -> Self {
        let mut bench = Self::new();
        bench.ask();
        bench.answer(&Answer::Reply(Reply::code(404)));
        bench.ask();
        bench.answer(&reply(201, Body::Lease(held_by("me", "1"))));
        assert_eq!(bench.standing(), Standing::Leading);
        bench
    }

    fn pass(&mut self, ms: i64) {
        self.now = self.now.after(Span::from_ms(ms));
    }

    fn standing(&self) -> Standing {
        self.lease.standing(self.now)
    }

    fn may_write(&self) -> bool {
        self.now < self.lease.may_write_until(self.now)
    }

    /// The next request, at the time it is due.
    fn ask(&mut self) -> Call {
        self.now = self.now.max(self.lease.due);
        self.lease.turn(self.now, &mut self.lanes);
        let until = self.lease.may_write_until(self.now);
        let mut calls = self.lanes.hand_out(self.now, until);
        calls.pop().expect("something is due").call
    }

    fn answer(&mut self, answer: &Answer) {
        let id = self.lease.flight.as_ref().expect("something is in flight").id;
        self.lanes.landed(id);
        self.lease.answered(id, answer, self.now);
    }

    /// Reads the record and takes the answer in.
    fn look(&mut self, record: LeaseRecord) {
        assert!(matches!(self.ask(), Call::ReadLease(_)));
        self.answer(&reply(200, Body::Lease(record)));
    }
}

#[test]
fn without_a_lease_one_may_always_write() {
    let lease = Lease::off();
    assert_eq!(lease.may_write_until(Time::ZERO), Time::NEVER);
    assert_eq!(lease.standing(Time::from_ms(1)), Standing::Leading);
    assert_eq!(lease.wake_at(Time::ZERO), None);
}

#[test]
fn the_usual_times_have_no_fault() {
    assert_eq!(config().fault(), None);
}

#[test]
fn times_that_would_let_two_lead_are_a_fault() {
    let late = LeaseConfig { renew_deadline: Span::from_secs(15), ..config() };
    assert!(late.fault().is_some());
    let slow = LeaseConfig { retry_period: Span::from_secs(10), ..config() };
    assert!(slow.fault().is_some());
    let restless = LeaseConfig { watch_period: Span::ZERO, ..config() };
    assert!(restless.fault().is_some());
    let nameless = LeaseConfig { identity: String::new(), ..config() };
    assert!(nameless.fault().is_some());
}

#[test]
fn a_lease_that_does_not_exist_is_made_and_led_at_once() {
    let bench = Bench::leading();
    assert!(bench.may_write());
    assert_eq!(bench.lease.leader(), Some("me"));
}

#[test]
fn the_right_to_write_counts_from_before_the_request() {
    let mut bench = Bench::leading();
    assert!(matches!(bench.ask(), Call::ReplaceLease(..)));
    let sent_at = bench.now;
    bench.pass(2_500);
    bench.answer(&reply(200, Body::Lease(held_by("me", "2"))));
    let until = bench.lease.may_write_until(bench.now);
    assert_eq!(until, sent_at.after(Span::from_secs(10)));
}

#[test]
fn a_lease_of_another_is_taken_once_it_stood_still_for_its_duration() {
    let mut bench = Bench::new();
    bench.look(held_by("other", "1"));
    let seen_at = bench.now;
    loop {
        let call = bench.ask();
        if let Call::ReplaceLease(_, record) = call {
            assert_eq!((record.holder.as_str(), record.version.as_str()), ("me", "1"));
            assert_eq!(record.transitions, 1);
            break;
        }
        bench.answer(&reply(200, Body::Lease(held_by("other", "1"))));
    }
    assert_eq!(bench.now, seen_at.after(Span::from_secs(15)));
    bench.answer(&reply(200, Body::Lease(held_by("me", "2"))));
    assert_eq!(bench.standing(), Standing::Entering);
    assert!(!bench.may_write());
    let entry = bench.lease.may_write_from();
    assert_eq!(entry, seen_at.after(Span::from_secs(17)));
    assert_eq!(bench.lease.wake_at(bench.now).map(|at| at <= entry), Some(true));
    bench.pass(2_000);
    assert!(bench.may_write());
}

#[test]
fn a_change_of_the_record_starts_the_wait_anew_whatever_its_clock_says() {
    let mut bench = Bench::new();
    bench.look(held_by("other", "1"));
    bench.pass(14_900);
    bench.look(held_by("other", "2"));
    bench.pass(14_000);
    bench.look(held_by("other", "2"));
    assert!(matches!(bench.ask(), Call::ReadLease(_)));
}

#[test]
fn a_lease_that_was_given_back_is_taken_at_once_and_without_a_wait() {
    let mut bench = Bench::new();
    bench.look(held_by("other", "1"));
    bench.look(held_by("", "2"));
    let before = bench.now;
    assert!(matches!(bench.ask(), Call::ReplaceLease(..)));
    bench.answer(&reply(200, Body::Lease(held_by("me", "3"))));
    assert_eq!(bench.now, before);
    assert!(bench.may_write());
}

#[test]
fn whoever_was_slower_follows() {
    let mut bench = Bench::new();
    bench.look(held_by("", "2"));
    assert!(matches!(bench.ask(), Call::ReplaceLease(..)));
    bench.answer(&Answer::Reply(Reply::code(409)));
    bench.look(held_by("other", "3"));
    assert_eq!(bench.standing(), Standing::Following);
    assert_eq!(bench.lease.leader(), Some("other"));
}

#[test]
fn a_lost_answer_to_taking_it_is_looked_for() {
    let mut bench = Bench::new();
    bench.look(held_by("", "2"));
    assert!(matches!(bench.ask(), Call::ReplaceLease(..)));
    bench.answer(&Answer::Lost("time-out".to_owned()));
    assert_eq!(bench.lease.trouble(), Some("no answer: time-out"));
    bench.look(held_by("me", "3"));
    assert!(!bench.may_write(), "nobody knows how old it is");
    assert!(matches!(bench.ask(), Call::ReplaceLease(..)));
    bench.answer(&reply(200, Body::Lease(held_by("me", "4"))));
    assert!(bench.may_write());
}

#[test]
fn a_leader_without_a_server_stops_writing_before_anybody_can_take_over() {
    let mut bench = Bench::leading();
    let led_at = bench.now;
    while bench.now < led_at.after(Span::from_secs(10)) {
        assert!(bench.may_write());
        bench.ask();
        bench.answer(&Answer::Unsent("connection refused".to_owned()));
    }
    assert_eq!(bench.standing(), Standing::Stale);
    assert!(!bench.may_write());
}

#[test]
fn a_stale_lease_that_nobody_took_comes_back() {
    let mut bench = Bench::leading();
    bench.pass(60_000);
    assert!(!bench.may_write());
    assert!(matches!(bench.ask(), Call::ReplaceLease(..)));
    bench.answer(&reply(200, Body::Lease(held_by("me", "2"))));
    assert!(bench.may_write());
}

#[test]
fn a_leader_that_slept_too_long_finds_another_and_has_lost() {
    let mut bench = Bench::leading();
    bench.pass(60_000);
    assert!(!bench.may_write());
    bench.ask();
    bench.answer(&Answer::Reply(Reply::code(409)));
    bench.look(held_by("other", "9"));
    assert_eq!(bench.standing(), Standing::Lost);
    assert_eq!(bench.lease.leader(), Some("other"));
    assert_eq!(bench.lease.wake_at(bench.now), None);
    bench.lease.turn(bench.now, &mut bench.lanes);
    assert!(bench.lanes.hand_out(bench.now, Time::NEVER).is_empty());
}

#[test]
fn a_lease_that_somebody_deletes_is_made_again() {
    let mut bench = Bench::leading();
    bench.ask();
    bench.answer(&Answer::Reply(Reply::code(404)));
    assert!(matches!(bench.ask(), Call::CreateLease(..)));
    bench.answer(&reply(201, Body::Lease(held_by("me", "7"))));
    assert_eq!(bench.standing(), Standing::Leading);
}

#[test]
fn a_deleted_lease_of_another_is_not_used_before_its_time() {
    let mut bench = Bench::new();
    bench.look(held_by("other", "1"));
    let seen_at = bench.now;
    bench.ask();
    bench.answer(&Answer::Reply(Reply::code(404)));
    bench.ask();
    bench.answer(&reply(201, Body::Lease(held_by("me", "2"))));
    assert_eq!(bench.standing(), Standing::Entering);
    assert_eq!(bench.lease.may_write_from(), seen_at.after(Span::from_secs(17)));
}

#[test]
fn a_leader_that_leaves_stops_writing_and_empties_the_holder() {
    let mut bench = Bench::leading();
    bench.lease.release(bench.now);
    assert!(!bench.may_write());
    bench.pass(250);
    let Call::ReplaceLease(_, record) = bench.ask() else { panic!("it is written") };
    assert_eq!((record.holder.as_str(), record.duration), ("", Span::from_secs(1)));
    bench.answer(&reply(200, Body::Lease(held_by("", "2"))));
    assert_eq!(bench.standing(), Standing::Released);
}

#[test]
fn leaving_waits_for_a_renewal_on_the_wire() {
    let mut bench = Bench::leading();
    bench.ask();
    bench.lease.release(bench.now);
    bench.answer(&reply(200, Body::Lease(held_by("me", "2"))));
    let Call::ReplaceLease(_, record) = bench.ask() else { panic!("it is written") };
    assert_eq!((record.holder.as_str(), record.version.as_str()), ("", "2"));
}

#[test]
fn a_follower_leaves_at_once() {
    let mut bench = Bench::new();
    bench.look(held_by("other", "1"));
    bench.lease.release(bench.now);
    assert_eq!(bench.standing(), Standing::Released);
}

#[test]
fn a_follower_that_may_just_have_taken_it_looks_before_it_leaves() {
    let mut bench = Bench::new();
    bench.look(held_by("", "1"));
    bench.ask();
    bench.lease.release(bench.now);
    bench.answer(&Answer::Lost("time-out".to_owned()));
    assert_ne!(bench.standing(), Standing::Released);
    bench.look(held_by("me", "2"));
    let Call::ReplaceLease(_, record) = bench.ask() else { panic!("it is written") };
    assert_eq!(record.holder, "");
}

#[test]
fn an_absurd_duration_in_the_record_keeps_nobody_waiting_for_ever() {
    let mut bench = Bench::new();
    let absurd = LeaseRecord { duration: Span::from_secs(i64::MAX), ..held_by("other", "1") };
    bench.look(absurd.clone());
    bench.pass(150_000);
    bench.look(absurd);
    assert!(matches!(bench.ask(), Call::ReplaceLease(..)));
}

#[test]
fn missing_rights_are_said() {
    let mut bench = Bench::new();
    bench.ask();
    bench.answer(&Answer::Reply(Reply::code(403)));
    assert_eq!(bench.lease.trouble(), Some("the API server answered 403"));
    assert_eq!(bench.standing(), Standing::Following);
}
