//! Random faults, and the promises that hold whatever happens.

use crate::server::{Dice, Server};
use crate::{Desk, bind, gang};
use proptest::prelude::*;
use scheduler_model::effect::{EffectId, Outcome};
use scheduler_model::time::Span;
use scheduler_protocol::answer::PodFacts;
use scheduler_protocol::bind::Settled;
use scheduler_protocol::call::{Call, Send};
use scheduler_protocol::meaning::{CallKind, Meaning, meaning};
use std::collections::BTreeMap;

/// What a plan asked for, and how it ended.
struct Asked {
    uid: String,
    node: String,
    outcome: Option<Outcome>,
    sent: u32,
    is_withdrawn: bool,
}

struct World {
    desk: Desk,
    server: Server,
    dice: Dice,
    asked: BTreeMap<EffectId, Asked>,
    air: Vec<Send>,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let desk = Desk::new(usize::try_from(dice.roll(4) + 1).expect("small"));
        let (server, asked) = (Server::default(), BTreeMap::new());
        let mut world = Self { desk, server, dice, asked, air: Vec::new() };
        for pod in ["a", "b", "c", "d", "e"] {
            let uid = format!("uid-{pod}");
            world.server.pods.insert(uid.clone(), PodFacts { uid, ..PodFacts::default() });
        }
        world
    }

    /// Plans pods that wait and have no bind under way, as the engine does.
    fn plan(&mut self) {
        let mut binds = Vec::new();
        for (uid, facts) in &self.server.pods {
            let is_busy = self.asked.values().any(|it| it.uid == *uid && it.outcome.is_none());
            if is_busy || !facts.node.is_empty() || facts.is_terminating || self.dice.one_in(2) {
                continue;
            }
            let id = EffectId(u64::try_from(self.asked.len()).expect("few"));
            let node = format!("n{}", self.dice.roll(3));
            binds.push((id, bind(&uid["uid-".len()..], &node)));
            let (outcome, sent, is_withdrawn) = (None, 0, false);
            let asked = Asked { uid: uid.clone(), node, outcome, sent, is_withdrawn };
            self.asked.insert(id, asked);
        }
        let settled = self.desk.binder.take(&gang(), binds, self.desk.now);
        assert_eq!(settled, [], "no pod is planned twice");
    }

    fn begin_or_withdraw(&mut self) {
        while let Some(plan) = self.desk.binder.next_plan(&self.desk.lanes, self.desk.now) {
            if self.dice.one_in(5) {
                let now = self.desk.now;
                let settled = self.desk.binder.withdraw(plan, &mut self.desk.lanes, "no", now);
                for (effect, outcome) in settled {
                    self.settle((effect, outcome));
                    self.asked.get_mut(&effect).expect("asked").is_withdrawn = true;
                }
            } else {
                self.desk.binder.begin(plan, &mut self.desk.lanes, self.desk.now);
            }
        }
    }

    fn send(&mut self) {
        for send in self.desk.send() {
            if let Call::Bind { pod, node, .. } = &send.call {
                let rival = |other: &Send| match &other.call {
                    Call::Bind { pod: it, node: there, .. } => it.uid == pod.uid && there != node,
                    _ => false,
                };
                assert!(!self.air.iter().any(rival), "two nodes at once for {}", pod.uid);
                assert!(!self.server.has_rival(&pod.uid, node), "an earlier one may come late");
                let asked = self.asked.values_mut();
                let asked = asked.filter(|it| it.uid == pod.uid && it.node == *node);
                asked.for_each(|it| it.sent += u32::from(it.outcome.is_none()));
            }
            self.air.push(send);
        }
    }

    fn answer(&mut self, is_calm: bool) {
        if self.air.is_empty() {
            return;
        }
        let count = u64::try_from(self.air.len()).expect("few");
        let index = usize::try_from(self.dice.roll(count)).expect("small");
        let send = self.air.remove(index);
        let answer = if is_calm {
            self.server.truth(&send.call)
        } else {
            self.server.serve(&send, self.desk.now, &mut self.dice)
        };
        self.desk.lanes.landed(send.id);
        if let (Call::Bind { pod, .. }, Meaning::Again { .. }) =
            (&send.call, meaning(CallKind::Bind, &answer))
        {
            let asked = self.asked.values_mut().filter(|it| it.uid == pod.uid);
            asked.filter(|it| it.outcome.is_none()).for_each(|it| it.sent -= 1);
        }
        let now = self.desk.now;
        let settled = self.desk.binder.answered(send.id, &answer, &mut self.desk.lanes, now);
        settled.into_iter().for_each(|it| self.settle(it));
    }

    /// Others bind, delete, or the watch tells.
    fn meddle(&mut self) {
        let uid = format!(
            "uid-{}",
            ["a", "b", "c", "d", "e"][usize::try_from(self.dice.roll(5)).expect("small")]
        );
        match self.dice.roll(12) {
            0 => {
                self.server.assign(&uid, "other");
            }
            1 => {
                self.server.pods.remove(&uid);
            }
            2 => {
                let pod = self.server.pods.get_mut(&uid);
                pod.into_iter().for_each(|pod| pod.is_terminating = true);
            }
            3..=5 => {
                let (now, lanes) = (self.desk.now, &mut self.desk.lanes);
                let settled = match self.server.pods.get(&uid) {
                    Some(facts) => self.desk.binder.seen(facts, lanes, now),
                    None => self.desk.binder.gone(&uid, lanes, now),
                };
                settled.into_iter().for_each(|it| self.settle(it));
            }
            _ => {}
        }
    }

    fn settle(&mut self, (effect, outcome): Settled) {
        let asked = self.asked.get_mut(&effect).expect("it was asked for");
        assert_eq!(asked.outcome, None, "settled twice");
        if outcome == Outcome::Done {
            let node = self.server.pods.get(&asked.uid).map(|pod| pod.node.as_str());
            assert!(node.is_none_or(|node| node == asked.node), "said to be done, and is not");
        }
        asked.outcome = Some(outcome);
    }

    fn step(&mut self, is_calm: bool) {
        self.begin_or_withdraw();
        self.send();
        self.answer(is_calm);
        if !is_calm {
            self.meddle();
        }
        self.server.haunt(self.desk.now, &mut self.dice);
        let ms = i64::try_from(self.dice.roll(400)).expect("small");
        self.desk.pass(Span::from_ms(ms));
    }

    /// A healthy server until all is settled and nothing comes late.
    fn calm_down(&mut self) {
        let mut steps = 0;
        while !self.desk.binder.is_empty() || self.server.has_ghosts() {
            self.step(true);
            steps += 1;
            assert!(steps < 3_000, "{} binds never end", self.desk.binder.len());
        }
    }

    fn check(&self) {
        for asked in self.asked.values() {
            let outcome = asked.outcome.as_ref().expect("each is settled");
            let is_there = self.server.pods.get(&asked.uid).is_some_and(|it| it.node == asked.node);
            assert!(!asked.is_withdrawn || asked.sent == 0, "withdrawn, and yet sent");
            let others = self.asked.values().filter(|it| it.uid == asked.uid);
            let is_done = others.filter(|it| it.node == asked.node);
            let mut is_done = is_done.filter(|it| !matches!(it.outcome, Some(Outcome::Refused(_))));
            assert!(!is_there || is_done.next().is_some(), "refused, and yet bound: {outcome:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn whatever_is_answered_each_bind_ends_once_and_as_it_says(seed in any::<u64>()) {
        let mut world = World::new(seed);
        for round in 0..60 {
            if round % 6 == 0 {
                world.plan();
            }
            world.step(false);
        }
        world.calm_down();
        world.check();
    }

    #[test]
    fn losing_the_right_to_write_leaves_no_bind_that_nobody_knows_of(seed in any::<u64>()) {
        let mut world = World::new(seed);
        world.plan();
        for _ in 0..world.dice.roll(20) {
            world.step(false);
        }
        for settled in world.desk.binder.forget_all(&mut world.desk.lanes) {
            world.settle(settled);
        }
        let air = world.air.len();
        world.desk.pass(Span::from_secs(1_000));
        world.send();
        prop_assert_eq!(world.air.len(), air, "something left after the right was lost");
        while !world.air.is_empty() || world.server.has_ghosts() {
            world.step(false);
        }
        world.check();
    }
}
