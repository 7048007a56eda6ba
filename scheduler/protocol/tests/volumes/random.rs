//! Random faults, and the promises that hold whatever happens.

use crate::stage::{Claim, Dice, Server, Told, uid};
use crate::{Desk, bind};
use proptest::prelude::*;
use scheduler_model::spec::{ClaimSpec, ClaimState, VolumeStep};
use scheduler_model::time::Span;
use scheduler_protocol::bind::PlanId;
use scheduler_protocol::call::Send;
use scheduler_protocol::volumes::VolumeNews;
use std::collections::BTreeMap;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

struct World {
    desk: Desk,
    server: Server,
    dice: Dice,
    /// Claims by plan, in the life they were planned in.
    plans: BTreeMap<PlanId, Vec<(&'static str, u32)>>,
    air: Vec<Send>,
    /// Claims that wait, as the watch showed them: in which life.
    known: BTreeMap<&'static str, u32>,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut server = Server::default();
        server.claims = NAMES.map(|name| (name.to_owned(), Claim::default())).into();
        let (desk, dice, plans) = (Desk::new(), Dice(seed), BTreeMap::new());
        Self {
            desk,
            server,
            dice,
            plans,
            air: Vec::new(),
            known: NAMES.map(|name| (name, 0)).into(),
        }
    }

    /// Plans claims that wait and are in no plan, as the engine does.
    fn plan(&mut self) {
        let node = format!("n{}", self.dice.roll(2));
        let (mut binds, mut claims) = (Vec::new(), Vec::new());
        for name in NAMES {
            let is_busy = self.plans.values().flatten().any(|(it, _)| *it == name);
            let Some(life) = self.known.get(name).copied() else { continue };
            if is_busy || self.dice.one_in(2) {
                continue;
            }
            let uid = uid(name, life);
            let mut bind =
                bind(name, vec![VolumeStep::Provision { claim: format!("d/{name}"), uid }]);
            bind.node.clone_from(&node);
            binds.push(bind);
            claims.push((name, life));
        }
        if !binds.is_empty() {
            let plan = self.desk.plan("g", binds);
            self.plans.insert(plan, claims);
        }
    }

    fn step(&mut self, is_calm: bool) {
        let sends = self.desk.send();
        self.air.extend(sends);
        if !self.air.is_empty() {
            let count = u64::try_from(self.air.len()).expect("few");
            let send = self.air.remove(usize::try_from(self.dice.roll(count)).expect("small"));
            let answer = match is_calm {
                true => self.server.truth(&send.call),
                false => self.server.serve(&send, self.desk.now, &mut self.dice),
            };
            self.desk.answer(&send, &answer);
        }
        self.meddle(is_calm);
        for _ in 0..self.dice.roll(4) {
            match self.server.log.pop_front() {
                Some(Told::Claim(spec)) => {
                    self.desk.see(&spec);
                    self.know(&spec);
                }
                Some(Told::Gone(key)) => {
                    self.desk.volumes.gone(&key, &mut self.desk.lanes, self.desk.now);
                }
                None => {}
            }
            self.hear();
        }
        self.server.haunt(self.desk.now, &mut self.dice);
        let ms = i64::try_from(self.dice.roll(900)).expect("small");
        self.desk.pass(Span::from_ms(ms));
        self.hear();
    }

    fn know(&mut self, spec: &ClaimSpec) {
        let name = NAMES.into_iter().find(|name| spec.key == format!("d/{name}"));
        let name = name.expect("there are no others");
        self.known.remove(name);
        if matches!(spec.state, ClaimState::Late(_)) {
            let life = spec.uid.rsplit('-').next().and_then(|life| life.parse().ok());
            self.known.insert(name, life.expect("uids end with it"));
        }
    }

    fn meddle(&mut self, is_calm: bool) {
        let name = NAMES[usize::try_from(self.dice.roll(4)).expect("small")];
        let is_planned = self.plans.values().flatten().any(|(it, _)| *it == name);
        match self.dice.roll(30) {
            0..=5 if is_planned || !is_calm => self.server.drive(name, &mut self.dice),
            6 if !is_calm => self.server.renew(name),
            7 if !is_calm => {
                if let Some(plan) = self.plans.keys().next().copied() {
                    self.desk.volumes.withdrawn(plan, &mut self.desk.lanes, self.desk.now);
                    self.end(plan);
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, plan: PlanId) -> Vec<(&'static str, u32)> {
        self.desk.binder.withdraw(plan, &mut self.desk.lanes, "it ends", self.desk.now);
        self.plans.remove(&plan).expect("it ends once")
    }

    fn hear(&mut self) {
        for news in self.desk.news() {
            match news {
                VolumeNews::Ready(plan) => {
                    for (name, life) in self.end(plan) {
                        let claim = &self.server.claims[name];
                        assert!(claim.is_bound || claim.life != life, "ready, but {name} is not");
                    }
                }
                VolumeNews::Failed { plan, .. } => {
                    self.end(plan);
                }
                VolumeNews::Waits(plan, _) => assert!(self.plans.contains_key(&plan)),
                VolumeNews::Left(claim, why) => panic!("{claim} could have been undone: {why}"),
            }
        }
    }

    /// A healthy server until all is over and nothing comes late.
    fn calm_down(&mut self) {
        let mut steps = 0;
        let is_busy = |it: &Self| !it.plans.is_empty() || it.server.has_ghosts();
        while is_busy(self) || !self.server.log.is_empty() || !self.air.is_empty() || steps < 300 {
            self.step(true);
            steps += 1;
            assert!(steps < 9_000, "{} plans never end", self.plans.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn whatever_happens_each_plan_ends_once_and_leaves_no_node_on_a_claim(seed in any::<u64>()) {
        let mut world = World::new(seed);
        for round in 0..80 {
            if round % 8 == 0 {
                world.plan();
            }
            world.step(false);
        }
        world.calm_down();
        for (name, claim) in &world.server.claims {
            let is_left = !claim.is_bound && claim.chosen.is_some();
            prop_assert!(!is_left, "{name} is left with {:?}", claim.chosen);
        }
    }
}
