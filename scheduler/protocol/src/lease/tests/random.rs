//! Several candidates, each with its own clock, against one server: answers are slow, late or
//! lost, candidates stop and go on, leave, and come again under a new name.

use super::super::*;
use super::{config, reply};
use crate::lanes::Windows;
use proptest::prelude::*;

/// Length of a step of true time.
const STEP_MS: i64 = 50;

/// What happens to one request: when it reaches the server, and when its answer is back; both
/// counted from when it left. `None` for never.
type Trip = (Option<i64>, Option<i64>);

#[derive(Clone, Debug)]
struct Script {
    /// What each clock is ahead of the true time.
    skews: Vec<i64>,
    /// Candidate, from, to: it does not run then.
    pauses: Vec<(usize, i64, i64)>,
    /// Candidate and when it leaves; a new one takes its place at once.
    exits: Vec<(usize, i64)>,
    trips: Vec<Trip>,
}

#[derive(Debug, Default)]
struct Server {
    record: Option<LeaseRecord>,
    version: u64,
}

impl Server {
    fn apply(&mut self, call: &Call) -> Answer {
        match call {
            Call::ReadLease(_) => match &self.record {
                Some(record) => reply(200, Body::Lease(record.clone())),
                None => Answer::Reply(Reply::code(404)),
            },
            Call::CreateLease(_, record) if self.record.is_none() => self.store(record, 201),
            Call::ReplaceLease(_, record) => match &self.record {
                Some(now) if now.version == record.version => self.store(record, 200),
                Some(_) => Answer::Reply(Reply::code(409)),
                None => Answer::Reply(Reply::code(404)),
            },
            _ => Answer::Reply(Reply::code(409)),
        }
    }

    fn store(&mut self, record: &LeaseRecord, code: u16) -> Answer {
        self.version += 1;
        let record = LeaseRecord { version: self.version.to_string(), ..record.clone() };
        self.record = Some(record.clone());
        reply(code, Body::Lease(record))
    }
}

struct OnWire {
    candidate: usize,
    call: crate::call::Send,
    sent: i64,
    trip: Trip,
    answer: Option<Answer>,
    is_answered: bool,
}

struct Candidate {
    lease: Lease,
    lanes: Lanes,
    skew: i64,
}

impl Candidate {
    fn new(name: &str, skew: i64) -> Self {
        let config = LeaseConfig { identity: name.to_owned(), ..config() };
        Self { lease: Lease::new(config), lanes: Lanes::new(Windows::default()), skew }
    }

    fn clock(&self, true_ms: i64) -> Time {
        Time::from_ms(true_ms + self.skew)
    }

    /// One that is stopped may still have something on its way to the socket, so whether it
    /// runs is not asked.
    fn may_write(&self, true_ms: i64) -> bool {
        let now = self.clock(true_ms);
        now < self.lease.may_write_until(now)
    }
}

/// Everything at one moment of true time.
struct Play {
    script: Script,
    server: Server,
    candidates: Vec<Candidate>,
    wire: Vec<OnWire>,
    sent: usize,
    born: usize,
}

impl Play {
    fn new(script: Script) -> Self {
        let candidates: Vec<Candidate> = (0..script.skews.len())
            .map(|index| Candidate::new(&format!("c{index}"), script.skews[index]))
            .collect();
        let born = candidates.len();
        let server = Server::default();
        Self { script, server, candidates, wire: Vec::new(), sent: 0, born }
    }

    fn is_paused(&self, candidate: usize, now: i64) -> bool {
        let mut pauses = self.script.pauses.iter();
        pauses.any(|(who, from, to)| *who == candidate && (*from..*to).contains(&now))
    }

    fn step(&mut self, now: i64) {
        for flight in &mut self.wire {
            let is_there = flight.trip.0.is_some_and(|ms| flight.sent + ms <= now);
            if flight.answer.is_none() && is_there {
                flight.answer = Some(self.server.apply(&flight.call.call));
            }
        }
        for index in 0..self.candidates.len() {
            if !self.is_paused(index, now) {
                self.run(index, now);
            }
        }
        self.wire.retain(|flight| !(flight.is_answered && flight.answer.is_some()));
    }

    fn run(&mut self, index: usize, now: i64) {
        let candidate = &mut self.candidates[index];
        let clock = candidate.clock(now);
        let own = self.wire.iter_mut().filter(|it| it.candidate == index && !it.is_answered);
        for flight in own {
            let is_back = flight.trip.1.is_some_and(|ms| flight.sent + ms <= now);
            let is_late = flight.sent + flight.call.timeout.ms() <= now;
            let answer = match &flight.answer {
                Some(answer) if is_back => answer.clone(),
                _ if is_late => Answer::Lost("time-out".to_owned()),
                _ => continue,
            };
            flight.is_answered = true;
            candidate.lanes.landed(flight.call.id);
            candidate.lease.answered(flight.call.id, &answer, clock);
        }
        if self.script.exits.iter().any(|(who, at)| *who == index && *at == now) {
            candidate.lease.release(clock);
        }
        if matches!(candidate.lease.standing(clock), Standing::Lost | Standing::Released) {
            *candidate = Candidate::new(&format!("c{}", self.born), candidate.skew);
            self.born += 1;
        }
        candidate.lease.turn(clock, &mut candidate.lanes);
        let until = candidate.lease.may_write_until(clock);
        for call in candidate.lanes.hand_out(clock, until) {
            let trip = self.script.trips[self.sent % self.script.trips.len()];
            self.sent += 1;
            let (answer, is_answered) = (None, false);
            self.wire.push(OnWire { candidate: index, call, sent: now, trip, answer, is_answered });
        }
    }

    fn writers(&self, now: i64) -> Vec<usize> {
        let all = self.candidates.iter().enumerate();
        all.filter(|(_, it)| it.may_write(now)).map(|(index, _)| index).collect()
    }
}

fn trip() -> impl Strategy<Value = Trip> {
    prop_oneof![
        8 => (0..200_i64, 0..200_i64).prop_map(|(there, back)| (Some(there), Some(there + back))),
        2 => (0..6_000_i64, 0..6_000_i64).prop_map(|(it, back)| (Some(it), Some(it + back))),
        1 => (0..9_000_i64).prop_map(|there| (Some(there), None)),
        1 => Just((None, None)),
    ]
}

fn script() -> impl Strategy<Value = Script> {
    let moment = || (0..1_600_i64).prop_map(|step| step * STEP_MS);
    let pause = (0..3_usize, moment(), 0..40_000_i64);
    let pauses = pause.prop_map(|(who, from, length)| (who, from, from + length));
    (
        proptest::collection::vec(0..10_000_000_i64, 3),
        proptest::collection::vec(pauses, 0..6),
        proptest::collection::vec((0..3_usize, moment()), 0..4),
        proptest::collection::vec(trip(), 1..60),
    )
        .prop_map(|(skews, pauses, exits, trips)| Script { skews, pauses, exits, trips })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn two_never_may_write_at_one_time(script in script()) {
        let mut play = Play::new(script);
        for step in 0..2_400 {
            let now = step * STEP_MS;
            play.step(now);
            let writers = play.writers(now);
            prop_assert!(writers.len() <= 1, "{writers:?} at {now}");
        }
    }

    /// Once answers come and nobody stops, somebody leads: after a duration, the fence, and
    /// what may still be on the wire.
    #[test]
    fn somebody_leads_soon_after_the_trouble_ends(script in script(), quick in 0..200_i64) {
        let mut play = Play::new(script);
        let end = 80_000;
        for step in 0..end / STEP_MS {
            play.step(step * STEP_MS);
        }
        play.script.pauses.clear();
        play.script.exits.clear();
        play.script.trips = vec![(Some(quick), Some(quick * 2))];
        let times = config();
        let late = times.timeout.ms() + times.retry_period.ms() + 4 * STEP_MS + 10 * quick;
        let wait = times.duration.ms() + times.fence.ms() + times.watch_period.ms() + late;
        // A late write of the troubled times may start the wait anew once.
        let mut is_led = false;
        for step in end / STEP_MS..(end + 9_000 + wait) / STEP_MS {
            play.step(step * STEP_MS);
            is_led = !play.writers(step * STEP_MS).is_empty();
        }
        prop_assert!(is_led);
    }
}

#[test]
fn a_leader_that_vanishes_is_followed_in_time() {
    for vanishes in (20_000..24_000).step_by(50) {
        let pauses = vec![(0, vanishes, i64::MAX)];
        let trips = vec![(Some(20), Some(50))];
        let exits = Vec::new();
        let mut play = Play::new(Script { skews: vec![0, 77_000], pauses, exits, trips });
        let mut now = 0;
        while !(now > vanishes && play.writers(now) == [1]) {
            play.step(now);
            assert!(now < vanishes || now - vanishes <= 18_000, "nobody after {vanishes}");
            now += STEP_MS;
        }
    }
}

#[test]
fn a_leader_that_leaves_is_followed_within_a_second() {
    let (exits, pauses, trips) = (vec![(0, 20_000)], Vec::new(), vec![(Some(20), Some(50))]);
    let mut play = Play::new(Script { skews: vec![0, 0], pauses, exits, trips });
    for step in 0..=420 {
        play.step(step * STEP_MS);
    }
    assert_eq!(play.writers(21_000).len(), 1);
}
