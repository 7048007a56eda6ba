//! Random facts against a tiny server that loses answers, refuses and is slow: in the end there
//! stands what is to stand, and not one write more than the paces allow.

use super::super::*;
use super::make::{Make, limit};
use crate::answer::Reply;
use crate::lanes::Windows;
use crate::status::Phase;
use proptest::prelude::*;
use scheduler_model::explain::WaitReason;
use scheduler_model::spec::Told;

/// What the objects say, by name of the pod.
#[derive(Debug, Default)]
struct Server {
    status: Option<GroupStatus>,
    told: BTreeMap<String, Told>,
    ledgers: BTreeMap<String, scheduler_model::spec::Ledger>,
    writes: usize,
}

impl Server {
    fn apply(&mut self, call: &Call) {
        self.writes += 1;
        match call {
            Call::GroupStatus { status, .. } => self.status = Some((**status).clone()),
            Call::PodStatus { pod, condition, nominated } => {
                let told = self.told.entry(pod.name.clone()).or_default();
                if let Some(condition) = condition {
                    told.reason.clone_from(&condition.reason);
                }
                if let Some(node) = nominated {
                    told.nominated.clone_from(node);
                }
            }
            Call::PodLedger { pod, ledger } => {
                self.ledgers.insert(pod.name.clone(), (**ledger).clone());
            }
            _ => {}
        }
    }
}

/// How one call ends: how long it takes, whether it happens, and the code (0: no answer).
type Ending = (i64, bool, u16);

fn ending() -> impl Strategy<Value = Ending> {
    let delay = 0..3_000_i64;
    prop_oneof![
        6 => (0..50_i64).prop_map(|ms| (ms, true, 200)),
        1 => delay.clone().prop_map(|ms| (ms, true, 0)),
        1 => delay.clone().prop_map(|ms| (ms, false, 0)),
        1 => delay.clone().prop_map(|ms| (ms, false, 429)),
        1 => delay.prop_map(|ms| (ms, true, 500)),
    ]
}

/// One state a gang can be in, by number.
fn facts(kind: u8, size: u32, number: u32, make: fn(u32) -> Make) -> GangFacts {
    let make = make(size);
    let reason = WaitReason::Members { role: None, exist: size, min: 9, setting: None };
    match kind {
        0 => make.waits(WaitReason::Room).placeable(number),
        1 => make.waits(limit()),
        2 => make.waits(reason),
        3 => make.waits(WaitReason::Fuel),
        4 => make.assumed(),
        5 => make,
        _ => make.phase(Phase::Broken).waits(WaitReason::Room),
    }
    .facts()
}

struct Play {
    teller: Teller,
    lanes: Lanes,
    server: Server,
    endings: Vec<Ending>,
    /// Answers on their way, by time.
    wire: Vec<(i64, CallId, Answer)>,
    sent: usize,
}

impl Play {
    fn new(endings: Vec<Ending>) -> Self {
        let (teller, lanes) = (Teller::new(TellConfig::default()), Lanes::new(Windows::default()));
        Self { teller, lanes, server: Server::default(), endings, wire: Vec::new(), sent: 0 }
    }

    /// Plays from `from` up to `to` with these facts.
    fn run(&mut self, facts: &GangFacts, from: i64, to: i64) {
        self.teller.gang(facts, Time::from_ms(from));
        let mut ms = from;
        while ms < to {
            let now = Time::from_ms(ms);
            let (due, rest) = self.wire.drain(..).partition(|(at, ..)| *at <= ms);
            self.wire = rest;
            let due: Vec<(i64, CallId, Answer)> = due;
            for (_, id, answer) in due {
                self.lanes.landed(id);
                self.teller.answered(id, &answer, now);
            }
            for _ in self.teller.looks(now) {
                self.teller.gang(facts, now);
            }
            self.teller.turn(now, &mut self.lanes);
            for send in self.lanes.hand_out(now, Time::NEVER) {
                let (delay, happens, code) = self.endings[self.sent % self.endings.len()];
                self.sent += 1;
                if happens {
                    self.server.apply(&send.call);
                }
                let answer = match code {
                    0 => Answer::Lost("time-out".to_owned()),
                    code => Answer::Reply(Reply::code(code)),
                };
                self.wire.push((ms + delay, send.id, answer));
            }
            let wire = self.wire.iter().map(|(at, ..)| *at).min().unwrap_or(to);
            let wake = self.teller.wake_at(now).map_or(to, Time::ms);
            ms = wire.min(wake).max(ms + 1);
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<(u8, u32, i64)>> {
    proptest::collection::vec((0..7_u8, 0..4_u32, 1..20_000_i64), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn in_the_end_there_stands_what_is_to_stand(
        steps in steps(),
        endings in proptest::collection::vec(ending(), 1..20),
        size in 1..5_u32,
        is_plain in any::<bool>(),
    ) {
        let make = if is_plain { Make::plain } else { Make::group };
        let mut play = Play::new(endings);
        let mut now = 0;
        let last = steps[steps.len() - 1];
        for (kind, number, length) in steps {
            play.run(&facts(kind, size, number, make), now, now + length);
            now += length;
        }
        play.endings = vec![(10, true, 200)];
        let facts = facts(last.0, size, last.1, make);
        play.run(&facts, now, now + 400_000);
        let page = play.teller.gangs[&facts.group.key].status.clone();
        prop_assert!(page.is_still());
        if let Some(status) = &play.server.status {
            prop_assert_eq!(&status.explanation, &facts.explanation);
            prop_assert_eq!(status.counts, facts.counts);
            prop_assert_eq!(&status.ledger, &facts.ledger);
        }
        prop_assert_eq!(play.server.status.is_some() && is_plain, false);
        let class = facts.explanation.as_ref().map(|why| class::Class::of(&why.reason));
        for member in &facts.members {
            let told = play.server.told.get(&member.pod.name).cloned().unwrap_or_default();
            let has_place = member.node.is_some() || member.assumed.is_some();
            if let Some(class) = class.filter(|class| !class.is_mute() && !has_place) {
                prop_assert_eq!(told.reason.as_str(), class.reason());
            }
            let nominated = member.assumed.clone().unwrap_or_default();
            prop_assert!(told.nominated == nominated || member.node.is_some(), "{:?}", told);
        }
        let full = play.server.ledgers.values().filter(|ledger| !ledger.is_empty());
        let carriers = if is_plain { size.min(2) } else { 0 };
        let wanted = vec![&facts.ledger; usize::try_from(carriers).expect("small")];
        prop_assert_eq!(full.collect::<Vec<_>>(), wanted);
    }

    /// A bind says so in the condition; a word of waiting that lands later is put right.
    #[test]
    fn no_bound_pod_says_that_it_waits(
        steps in steps(),
        endings in proptest::collection::vec(ending(), 1..20),
        size in 1..5_u32,
    ) {
        let mut play = Play::new(endings);
        let mut now = 0;
        for (kind, number, length) in steps {
            play.run(&facts(kind, size, number, Make::group), now, now + length);
            now += length;
        }
        play.server.told.values_mut().for_each(|told| told.reason.clear());
        let mut facts = Make::group(size).running().facts();
        for _ in 0..40 {
            for member in &mut facts.members {
                member.told = play.server.told.get(&member.pod.name).cloned();
            }
            play.run(&facts, now, now + 2_000);
            now += 2_000;
            play.endings = vec![(10, true, 200)];
        }
        prop_assert!(play.server.told.values().all(|told| told.reason.is_empty()));
        prop_assert!(play.teller.pods.is_empty(), "nothing need be remembered");
    }

    /// However fast facts change, an object is not written more often than its pace.
    #[test]
    fn storms_are_written_at_the_pace_of_their_objects(
        kinds in proptest::collection::vec((0..2_u8, 0..4_u32), 200..400),
    ) {
        let mut play = Play::new(vec![(5, true, 200)]);
        let mut now = 0;
        for (kind, number) in &kinds {
            play.run(&facts(*kind, 3, *number, Make::group), now, now + 100);
            now += 100;
        }
        let seconds = usize::try_from(now / 1_000 + 1).expect("positive");
        let members = 3 * (seconds / 10 + 1);
        let events = 2 * 6;
        prop_assert!(play.server.writes <= seconds + members + events);
    }
}
