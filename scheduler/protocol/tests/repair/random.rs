//! Random answers, recoveries and restarts, and the promises that hold whatever happens.

use crate::stage::{Desk, done_by};
use crate::{bare, code, facts, gang, lost, pending, placed};
use proptest::prelude::*;
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::Answer;
use scheduler_protocol::call::{Call, Send};
use scheduler_protocol::facts::{GangFacts, MemberFacts};
use scheduler_protocol::repair::RepairNews;
use scheduler_protocol::retry::splitmix64;
use scheduler_protocol::status::Phase;

const RELEASES_MAX: u32 = 3;

struct World {
    desk: Desk,
    seed: u64,
    /// The members as the API has them.
    members: Vec<MemberFacts>,
    made: u32,
    /// The count as it stands in the API, and in memory.
    written: u32,
    counted: u32,
    broken_since: Option<Time>,
    /// Calls in the air, and the answers that will come.
    air: Vec<(Send, Answer)>,
    /// Runs of deletes under one count.
    deleted_under: Vec<u32>,
}

impl World {
    fn new(seed: u64) -> Self {
        let (desk, members) = (Desk::new(), Vec::new());
        let (made, written, counted, broken_since) = (0, 0, 0, None);
        let (air, deleted_under) = (Vec::new(), Vec::new());
        let mut world =
            Self { desk, seed, members, made, written, counted, broken_since, air, deleted_under };
        world.refill();
        world
    }

    fn roll(&mut self, sides: u64) -> u64 {
        self.seed = self.seed.wrapping_add(1);
        splitmix64(self.seed) % sides
    }

    /// Controllers make up for what is missing.
    fn refill(&mut self) {
        while self.members.len() < 4 {
            self.made += 1;
            self.members.push(pending(&format!("p{}", self.made)));
        }
    }

    fn facts(&mut self) -> GangFacts {
        let placed = self.members.iter().filter(|it| it.node.is_some() && !it.is_lost).count();
        let phase = match placed {
            0 => Phase::Admitted,
            1 | 2 => Phase::Broken,
            _ => Phase::Running,
        };
        let is_broken = phase == Phase::Broken;
        self.broken_since =
            if is_broken { self.broken_since.or(Some(self.desk.now)) } else { None };
        let mut facts = facts(phase, self.members.clone());
        facts.ledger.broken_since = self.broken_since;
        facts.ledger.releases = self.counted;
        facts
    }

    fn look(&mut self) {
        let facts = self.facts();
        self.desk.look(&facts);
        self.news();
    }

    fn news(&mut self) {
        for news in std::mem::take(&mut self.desk.news) {
            if let RepairNews::Count(_, releases) = news {
                assert!(releases <= RELEASES_MAX, "released too often");
                self.counted = releases;
            }
        }
    }

    fn send(&mut self) {
        for send in self.desk.send() {
            if let Call::DeletePod(pod) = &send.call {
                assert!(self.written > 0, "deleted before it was counted");
                let member = self.members.iter().find(|it| it.pod == *pod);
                if let Some(member) = member {
                    assert!(member.has_controller, "nobody makes {} again", pod.name);
                    assert!(member.is_marked, "deleted without a mark");
                }
                self.deleted_under.push(self.written);
            }
            let answer = self.serve(&send.call);
            self.air.push((send, answer));
        }
    }

    /// What is sent takes effect at once or never; only the answer takes its time.
    fn serve(&mut self, call: &Call) -> Answer {
        match self.roll(6) {
            0 => lost(),
            1 => Answer::Unsent("no connection".to_owned()),
            2 => code(429),
            3 => {
                self.carry_out(call);
                code(504)
            }
            _ => self.carry_out(call),
        }
    }

    fn answer(&mut self) {
        if self.air.is_empty() {
            return;
        }
        let count = u64::try_from(self.air.len()).expect("few");
        let index = usize::try_from(self.roll(count)).expect("small");
        let (send, answer) = self.air.remove(index);
        self.desk.answer(&send, &answer);
        self.news();
    }

    fn carry_out(&mut self, call: &Call) -> Answer {
        let (Call::PodStatus { pod, .. } | Call::DeletePod(pod)) = call else {
            panic!("repair has nothing to do with {call:?}");
        };
        let Some(index) = self.members.iter().position(|it| it.pod == *pod) else {
            return code(404);
        };
        if let Call::PodStatus { condition: Some(condition), .. } = call {
            self.members[index].is_marked = condition.is_true;
        } else {
            self.members.remove(index);
            self.refill();
        }
        code(200)
    }

    fn meddle(&mut self) {
        let index = usize::try_from(self.roll(4)).expect("small");
        match self.roll(12) {
            // Placed, by hand or by the engine.
            0 | 1 => self.members[index].node = Some("n".to_owned()),
            2 => self.members[index].is_lost ^= true,
            3 => {
                self.members.remove(index);
                self.refill();
            }
            4 if self.roll(4) == 0 => {
                self.made += 1;
                self.members[index] = bare(&format!("bare{}", self.made));
            }
            5 if self.members[index].node.is_some() => {
                let name = self.members[index].pod.name.clone();
                let MemberFacts { has_controller, is_marked, .. } = self.members[index];
                self.members[index] = MemberFacts { has_controller, is_marked, ..placed(&name) };
            }
            // The ledger reaches the API.
            6..=8 => {
                self.written = self.counted;
                self.desk.record(self.written);
                self.news();
            }
            9 if self.roll(4) == 0 => self.restart(),
            _ => {}
        }
    }

    /// A new process: it knows what the API knows.
    fn restart(&mut self) {
        self.air.clear();
        let now = self.desk.now;
        self.desk = Desk::new();
        self.desk.now = now;
        self.counted = self.written;
    }

    fn step(&mut self) {
        self.meddle();
        self.look();
        self.send();
        self.answer();
        self.look();
        let secs = i64::try_from(self.roll(30)).expect("small");
        self.desk.pass(Span::from_secs(secs));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn whatever_happens_marks_come_before_counts_and_counts_before_deletes(seed in any::<u64>()) {
        let mut world = World::new(seed);
        for _ in 0..150 {
            world.step();
        }
        prop_assert!(world.counted <= RELEASES_MAX);
    }

    #[test]
    fn a_broken_gang_that_nobody_mends_is_released_or_says_why_it_is_not(seed in any::<u64>()) {
        let mut world = World::new(seed);
        for _ in 0..40 {
            world.step();
        }
        // From here on the cluster only answers, and the ledger is written.
        for _ in 0..300 {
            world.look();
            world.send();
            world.answer();
            world.written = world.counted;
            world.desk.record(world.written);
            world.desk.pass(Span::from_secs(5));
        }
        let is_broken = world.facts().phase == Phase::Broken;
        prop_assert!(!is_broken || world.desk.repair.kept(&gang()).is_some());
    }
}

#[test]
fn the_random_courses_do_release_gangs() {
    let mut released = 0;
    for seed in 0..50 {
        let mut world = World::new(seed * 1_000_003);
        for _ in 0..150 {
            world.step();
        }
        released += world.deleted_under.len();
    }
    assert!(released > 50, "only {released} deletes: the courses try nothing");
    assert_eq!(done_by(&[]).0, Vec::<&str>::new());
}
