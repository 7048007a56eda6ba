//! The teller, with facts and answers given by hand.

mod alone;
mod make;
mod random;

use super::*;
use crate::answer::Reply;
use crate::facts::MemberFacts;
use crate::lanes::Windows;
use crate::status::{About, EventReason, Phase};
use make::{Make, asks, conditions, events, ledgers, statuses, waits};
use scheduler_model::explain::WaitReason;
use scheduler_model::spec::{Ledger, Told};

/// A teller with its lanes at one moment.
pub(super) struct Bench {
    teller: Teller,
    lanes: Lanes,
    now: Time,
}

impl Bench {
    fn new() -> Self {
        Self::with(TellConfig::default())
    }

    fn with(config: TellConfig) -> Self {
        let lanes = Lanes::new(Windows::default());
        Self { teller: Teller::new(config), lanes, now: Time::from_ms(1_000_000) }
    }

    fn tell(&mut self, facts: &GangFacts) {
        self.teller.gang(facts, self.now);
    }

    /// Lets time pass with these facts, every call answered at once with `code`; answers what
    /// was sent.
    fn pass(&mut self, ms: i64, facts: &GangFacts, code: u16) -> Vec<Call> {
        let end = self.now.after(Span::from_ms(ms));
        let mut calls = Vec::new();
        while self.now <= end {
            for key in self.teller.looks(self.now) {
                assert_eq!(key, facts.group.key);
                self.teller.gang(facts, self.now);
            }
            self.teller.turn(self.now, &mut self.lanes);
            let sends = self.lanes.hand_out(self.now, Time::NEVER);
            let is_still = sends.is_empty();
            for send in sends {
                self.lanes.landed(send.id);
                self.teller.answered(send.id, &Answer::Reply(Reply::code(code)), self.now);
                calls.push(send.call);
            }
            if is_still {
                let wake = self.teller.wake_at(self.now).unwrap_or(Time::NEVER);
                assert!(wake > self.now, "it has nothing to do now");
                self.now = wake.min(end.after(Span::from_ms(1)));
            }
        }
        self.now = end;
        calls
    }

    fn settle(&mut self, facts: &GangFacts) -> Vec<Call> {
        self.tell(facts);
        self.pass(120_000, facts, 200)
    }
}

#[test]
fn a_gang_that_has_its_nodes_within_a_second_gets_no_word_of_waiting() {
    let mut bench = Bench::new();
    let waiting = Make::group(4).waits(WaitReason::Room).facts();
    bench.tell(&waiting);
    let mut calls = bench.pass(900, &waiting, 200);
    let placed = Make::group(4).assumed().facts();
    bench.tell(&placed);
    calls.extend(bench.pass(100, &placed, 200));
    calls.extend(bench.settle(&Make::group(4).running().facts()));
    assert_eq!(conditions(&calls), Vec::<String>::new());
    assert!(statuses(&calls).iter().all(|status| status.phase == Phase::Running), "{calls:?}");
    assert_eq!(events(&calls), [EventReason::Scheduled]);
}

#[test]
fn a_quick_gang_costs_at_most_four_writes_beside_its_binds() {
    let mut bench = Bench::new();
    let mut calls = Vec::new();
    for placed in 0..=64 {
        let facts = Make::group(64).assumed().bound(placed).facts();
        bench.tell(&facts);
        calls.extend(bench.pass(20, &facts, 200));
    }
    for running in 0..=64 {
        let facts = Make::group(64).bound(64).running_count(running).facts();
        bench.tell(&facts);
        calls.extend(bench.pass(20, &facts, 200));
    }
    calls.extend(bench.settle(&Make::group(64).running().facts()));
    assert!(calls.len() <= 4, "{} writes: {calls:?}", calls.len());
}

#[test]
fn a_large_gang_that_is_still_being_made_is_not_told_that_it_lacks_members() {
    let mut bench = Bench::new();
    let mut calls = Vec::new();
    for exist in 1..100 {
        let reason = WaitReason::Members { role: None, exist, min: 100, setting: None };
        let facts = Make::group(exist).waits(reason).facts();
        bench.tell(&facts);
        calls.extend(bench.pass(500, &facts, 200));
    }
    assert_eq!(calls, []);
}

#[test]
fn equal_facts_cause_no_write() {
    let mut bench = Bench::new();
    let facts = Make::group(3).waits(WaitReason::Room).facts();
    assert!(!bench.settle(&facts).is_empty());
    for _ in 0..10 {
        assert_eq!(bench.settle(&facts), []);
    }
}

#[test]
fn a_group_that_asks_for_something_else_is_told_so_although_its_reason_is_the_same() {
    let mut bench = Bench::new();
    let facts = Make::group(3).waits(WaitReason::Room).facts();
    let generations = |calls: &[Call]| -> Vec<i64> {
        statuses(calls).iter().map(|status| status.generation).collect()
    };
    assert_eq!(generations(&bench.settle(&facts)), [1]);
    let changed = GangFacts { generation: 2, ..facts };
    bench.tell(&changed);
    assert_eq!(generations(&bench.pass(5_000, &changed, 200)), [2], "soon");
}

#[test]
fn members_are_written_once_per_class_with_a_constant_sentence() {
    let mut bench = Bench::new();
    let mut calls = Vec::new();
    for placeable in 0..50 {
        let facts = Make::group(3).waits(WaitReason::Room).placeable(placeable).facts();
        bench.tell(&facts);
        calls.extend(bench.pass(1_000, &facts, 200));
    }
    assert_eq!(conditions(&calls), ["Unschedulable"; 3]);
    assert!(statuses(&calls).len() <= 3, "numbers alone are written every 30 s");
    let limited = Make::group(3).waits(make::limit()).facts();
    assert_eq!(conditions(&bench.settle(&limited)), ["QueueLimit"; 3]);
}

#[test]
fn a_search_that_ran_out_of_steps_takes_no_other_reasons_place() {
    let mut bench = Bench::new();
    bench.settle(&Make::group(2).waits(WaitReason::Room).facts());
    let calls = bench.settle(&Make::group(2).waits(WaitReason::Fuel).facts());
    assert_eq!(conditions(&calls), Vec::<String>::new());
    assert_eq!(events(&calls), []);
}

#[test]
fn gated_members_are_left_alone() {
    let mut bench = Bench::new();
    let gated = WaitReason::Gated { gated: 1, gates: vec!["example.com/wait".to_owned()] };
    let mut facts = Make::group(2).waits(gated).facts();
    facts.members[0].is_gated = true;
    assert_eq!(conditions(&bench.settle(&facts)), ["WaitingForGates"]);
}

#[test]
fn after_a_restart_what_stands_there_is_not_written_again() {
    let mut bench = Bench::new();
    let mut facts = Make::group(2).waits(WaitReason::Room).facts();
    for member in &mut facts.members {
        member.told = Some(Told { reason: "Unschedulable".to_owned(), ..Told::default() });
    }
    let mut other = Bench::new();
    let statuses = statuses(&other.settle(&facts));
    let print = digest(Dialect::Muster, &statuses[0]);
    bench.teller.stands(&facts.group.key, &facts.group.uid, print);
    assert_eq!(bench.settle(&facts), []);
}

#[test]
fn a_status_that_somebody_wrote_over_is_written_again_once() {
    let mut bench = Bench::new();
    let facts = Make::group(2).running().facts();
    bench.settle(&facts);
    let (key, uid) = (&facts.group.key, &facts.group.uid);
    assert!(bench.teller.stands(key, uid, Some(7)), "that is to be looked at");
    let mut calls = Vec::new();
    for _ in 0..60 {
        let shown = Shown { ledger: facts.ledger.clone(), is_contested: false };
        bench.teller.shown(key, &shown, bench.now);
        bench.tell(&facts);
        calls.extend(bench.pass(1_000, &facts, 200));
    }
    assert_eq!(statuses(&calls).len(), 1);
}

#[test]
fn a_status_of_another_object_of_that_name_does_not_count() {
    let mut bench = Bench::new();
    let facts = Make::group(2).running().facts();
    let print = digest(Dialect::Muster, &statuses(&bench.settle(&facts))[0]);
    let mut bench = Bench::new();
    bench.teller.stands(&facts.group.key, "an older one", print);
    assert_eq!(statuses(&bench.settle(&facts)).len(), 1);
}

#[test]
fn a_group_made_anew_is_written_anew_and_its_pods_are_not() {
    let mut bench = Bench::new();
    let mut facts = Make::group(2).waits(WaitReason::Room).facts();
    bench.settle(&facts);
    facts.group.uid = "another".to_owned();
    let calls = bench.settle(&facts);
    let groups: Vec<&str> = calls
        .iter()
        .filter_map(|call| match call {
            Call::GroupStatus { group, .. } => Some(group.uid.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!((groups, waits(&calls)), (vec!["another"], 0));
}

#[test]
fn a_plain_gang_stays_itself_when_its_first_member_goes() {
    let mut bench = Bench::new();
    let mut facts = Make::plain(3).min(1).waits(WaitReason::Room).facts();
    bench.settle(&facts);
    facts.members.remove(0);
    facts.group.uid = "u1".to_owned();
    let calls = bench.settle(&facts);
    assert_eq!((waits(&calls), events(&calls).len()), (0, 0));
}

#[test]
fn a_gang_that_ran_before_this_process_is_not_announced() {
    let mut bench = Bench::new();
    let calls = bench.settle(&Make::group(2).running().facts());
    assert_eq!(events(&calls), []);
}

#[test]
fn a_volcano_group_without_pods_is_admitted_at_once() {
    let mut bench = Bench::new();
    let facts = Make::group(0).dialect(Dialect::Volcano).phase(Phase::Admitted).facts();
    bench.tell(&facts);
    let calls = bench.pass(0, &facts, 200);
    assert_eq!(statuses(&calls).len(), 1);
}

#[test]
fn a_group_without_pods_in_other_words_is_left_alone() {
    let mut bench = Bench::new();
    let facts = Make::group(0).phase(Phase::Admitted).facts();
    assert_eq!(bench.settle(&facts), []);
}

#[test]
fn what_was_admitted_never_goes_back() {
    let mut bench = Bench::new();
    let make = || Make::group(0).dialect(Dialect::Volcano);
    bench.settle(&make().phase(Phase::Admitted).facts());
    let closed = make().phase(Phase::Pending).waits(make::limit()).facts();
    let last = statuses(&bench.settle(&closed)).pop().expect("the reason is written");
    assert_eq!(last.phase, Phase::Admitted);
}

#[test]
fn what_started_stays_started_within_its_run() {
    let mut bench = Bench::new();
    bench.settle(&Make::group(4).running().facts());
    let mut broken = Make::group(4).bound(2).phase(Phase::Broken).facts();
    broken.has_started = false;
    assert!(statuses(&bench.settle(&broken))[0].has_started);
    let mut next = Make::group(4).waits(WaitReason::Room).facts();
    next.ledger.run = Some(Time::from_ms(77));
    assert!(!statuses(&bench.settle(&next))[0].has_started);
}

#[test]
fn a_plain_gang_is_remembered_by_two_members_and_passed_on_when_one_goes() {
    let mut bench = Bench::new();
    let facts = Make::plain(4).min(3).waits(WaitReason::Room).facts();
    assert_eq!(ledgers(&bench.settle(&facts)), [("p0", true), ("p1", true)].map(make::own));
    let mut facts = facts;
    let ledger = facts.ledger.clone();
    let show = |member: &mut MemberFacts| member.ledger = Some(ledger.clone());
    facts.members[..2].iter_mut().for_each(show);
    facts.members.remove(0);
    assert_eq!(ledgers(&bench.settle(&facts)), [("p2", true)].map(make::own));
    facts.members[..2].iter_mut().for_each(show);
    let mut early = Make::plain(1).facts().members;
    early.append(&mut facts.members);
    facts.members = early;
    assert_eq!(ledgers(&bench.settle(&facts)), [], "a new first member changes nothing");
}

#[test]
fn a_plain_gang_of_one_that_runs_needs_no_ledger() {
    let mut bench = Bench::new();
    let calls = bench.settle(&Make::plain(1).running().facts());
    assert_eq!(ledgers(&calls), []);
}

#[test]
fn a_ledger_on_too_many_members_is_taken_away() {
    let mut bench = Bench::new();
    let mut facts = Make::plain(3).min(3).waits(WaitReason::Room).facts();
    for member in &mut facts.members {
        member.ledger = Some(facts.ledger.clone());
    }
    assert_eq!(ledgers(&bench.settle(&facts)), [("p2", false)].map(make::own));
}

#[test]
fn a_word_of_waiting_is_taken_back_when_the_pod_is_given_a_node() {
    let mut bench = Bench::new();
    let facts = Make::group(1).waits(WaitReason::Room).facts();
    bench.tell(&facts);
    bench.now = bench.now.after(Span::from_secs(1));
    for key in bench.teller.looks(bench.now) {
        assert_eq!(key, facts.group.key);
        bench.teller.gang(&facts, bench.now);
    }
    bench.teller.turn(bench.now, &mut bench.lanes);
    assert!(bench.lanes.waiting(Lane::Status) >= 1);
    bench.tell(&Make::group(1).assumed().facts());
    bench.teller.turn(bench.now, &mut bench.lanes);
    let calls: Vec<Call> =
        bench.lanes.hand_out(bench.now, Time::NEVER).into_iter().map(|it| it.call).collect();
    assert_eq!(conditions(&calls), Vec::<String>::new());
}

#[test]
fn a_word_of_waiting_that_came_after_the_bind_is_put_right() {
    let mut bench = Bench::new();
    let mut facts = Make::group(1).running().facts();
    facts.members[0].told = Some(Told { reason: "Unschedulable".to_owned(), ..Told::default() });
    bench.tell(&facts);
    let calls = bench.pass(100, &facts, 200);
    let is_right =
        |call: &Call| matches!(call, Call::PodStatus { condition: Some(it), .. } if it.is_true);
    assert_eq!(calls.iter().filter(|call| is_right(call)).count(), 1);
    facts.members[0].told = None;
    assert_eq!(waits(&bench.settle(&facts)), 0);
}

#[test]
fn a_bind_that_takes_long_has_its_node_nominated_and_taken_back() {
    let mut bench = Bench::new();
    let facts = Make::group(1).assumed().facts();
    bench.tell(&facts);
    let nominated = |calls: &[Call]| -> Vec<String> {
        let node = |call: &Call| match call {
            Call::PodStatus { nominated, .. } => nominated.clone(),
            _ => None,
        };
        calls.iter().filter_map(node).collect()
    };
    assert_eq!(nominated(&bench.pass(29_000, &facts, 200)), Vec::<String>::new());
    assert_eq!(nominated(&bench.pass(2_000, &facts, 200)), ["n0"]);
    let back = Make::group(1).waits(WaitReason::Room).facts();
    assert_eq!(nominated(&bench.settle(&back)), [""]);
}

#[test]
fn an_object_that_is_gone_is_not_written_again() {
    let mut bench = Bench::new();
    let facts = Make::plain(1).waits(WaitReason::Room).facts();
    bench.tell(&facts);
    let calls = bench.pass(600_000, &facts, 404);
    assert_eq!(waits(&calls), 1);
    let calls = bench.settle(&Make::plain(1).waits(make::limit()).facts());
    assert_eq!(waits(&calls), 0);
}

#[test]
fn what_is_refused_for_want_of_rights_is_not_tried_without_end() {
    let mut bench = Bench::new();
    let facts = Make::group(1).waits(WaitReason::Room).facts();
    bench.tell(&facts);
    let calls = bench.pass(600_000, &facts, 403);
    assert_eq!(asks(&calls), 2, "one condition, one status");
    assert_eq!(bench.teller.untold().writes, 2);
    assert_eq!(bench.teller.untold().last_refusal, "the API server answered 403");
}

#[test]
fn a_full_server_is_asked_again() {
    let mut bench = Bench::new();
    let facts = Make::group(1).waits(WaitReason::Room).facts();
    bench.tell(&facts);
    bench.pass(3_000, &facts, 429);
    assert_eq!(conditions(&bench.pass(60_000, &facts, 200)), ["Unschedulable"]);
}

#[test]
fn a_gang_that_is_gone_is_forgotten() {
    let mut bench = Bench::new();
    let facts = Make::group(2).waits(WaitReason::Room).facts();
    bench.tell(&facts);
    bench.teller.gone(&facts.group.key);
    assert_eq!(bench.teller.wake_at(bench.now), None);
}

#[test]
fn without_the_right_to_write_everything_is_forgotten() {
    let mut bench = Bench::new();
    bench.tell(&Make::group(2).waits(WaitReason::Room).facts());
    bench.teller.clear();
    assert_eq!(bench.teller.wake_at(bench.now), None);
}

#[test]
fn long_texts_end_at_a_character() {
    let mut bench = Bench::new();
    let about = About::Pod("ns".to_owned(), "p".to_owned(), "u".to_owned());
    let note = format!("x{}", "ä".repeat(600));
    let reason = EventReason::BindRefused;
    bench.teller.note(EventNote { about, reason, note, at: bench.now }, bench.now);
    let calls = bench.pass(0, &Make::group(0).facts(), 200);
    let Call::Event(sent) = &calls[0] else { panic!("it is an event") };
    assert_eq!(sent.note.len(), 999);
}

#[test]
fn a_storm_of_events_about_one_object_is_cut_short_and_counted() {
    let mut bench = Bench::new();
    let facts = Make::group(0).facts();
    let mut sent = 0;
    for _ in 0..100 {
        let about = About::Pod("ns".to_owned(), "p".to_owned(), "u".to_owned());
        let (reason, note) = (EventReason::BindRefused, "again".to_owned());
        bench.teller.note(EventNote { about, reason, note, at: bench.now }, bench.now);
        sent += bench.pass(10, &facts, 200).len();
    }
    assert_eq!((sent, bench.teller.untold().events), (5, 95));
}

#[test]
fn pods_get_events_of_their_own_only_where_asked_for() {
    let config = TellConfig { pod_events: PodEvents::On, ..TellConfig::default() };
    let mut bench = Bench::with(config);
    bench.tell(&Make::group(2).assumed().facts());
    let calls = bench.settle(&Make::group(2).running().facts());
    assert_eq!(events(&calls).len(), 3);
}

#[test]
fn what_must_survive_is_written_with_the_group() {
    let mut bench = Bench::new();
    let mut facts = Make::group(2).waits(WaitReason::Room).facts();
    bench.settle(&facts);
    facts.ledger = Ledger { releases: 2, ..facts.ledger };
    assert_eq!(statuses(&bench.settle(&facts))[0].ledger.releases, 2);
}

#[test]
fn another_scheduler_that_writes_into_a_group_is_told_of_once_and_never_answered() {
    let mut bench = Bench::new();
    let facts = Make::group(2).dialect(Dialect::Volcano).waits(WaitReason::Room).facts();
    bench.settle(&facts);
    let (mut told, mut writes) = (0, 0);
    for second in 0..120 {
        let shown = Shown { ledger: facts.ledger.clone(), is_contested: second % 40 > 2 };
        told += u32::from(bench.teller.shown(&facts.group.key, &shown, bench.now));
        bench.tell(&facts);
        writes += statuses(&bench.pass(1_000, &facts, 200)).len();
    }
    assert_eq!((told, writes), (1, 0));
}
