//! One engine, and the truth beside it as the judges read it.
//!
//! A bind counts as done in the truth from the moment it is decided; the engine hears of it
//! when the trial lets it.

use crate::seeds::Verdict;
use plugins::default_profile;
use scheduler_core::engine::{Config, Engine};
use scheduler_core::report::{CycleReport, Decision, Plan};
use scheduler_model::effect::{Bind, Effect, EffectId, Outcome};
use scheduler_model::event::Event;
use scheduler_model::explain::Explanation;
use scheduler_model::spec::{
    Attach, BoundVolume, ClaimSpec, ClaimState, PodPhase, PodSpec, VolumeStep,
};
use scheduler_model::time::{Span, Time};
use scheduler_model::world::World;
use scheduler_sim::checker::{Objects, Violation, replay};
use std::collections::BTreeSet;

/// One engine at work.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) engine: Engine,
    /// The objects as they really are, fresh binds included.
    pub(crate) objects: Objects,
    pub(crate) now: Time,
    /// Binds the engine has not heard of yet: effect and uid.
    in_flight: Vec<(EffectId, Bind)>,
}

impl Trial {
    pub(crate) fn with(config: Config, events: &[Event]) -> Self {
        // Later than anything that the random worlds mention.
        Self::with_time(config, events, Time::from_ms(1_000_000))
    }

    pub(crate) fn with_time(config: Config, events: &[Event], now: Time) -> Self {
        let mut trial = Self {
            engine: Engine::new(default_profile(), config),
            objects: Objects::default(),
            now,
            in_flight: Vec::new(),
        };
        trial.objects.cluster.now = now;
        events.iter().for_each(|event| trial.tell(event.clone()));
        trial
    }

    pub(crate) fn of(world: &World) -> Self {
        Self::with(Config::default(), &world.events)
    }

    /// Lets the truth and the engine know.
    pub(crate) fn tell(&mut self, event: Event) {
        self.objects.observe(&event);
        self.engine.observe(event, self.now);
    }

    pub(crate) fn pass(&mut self, seconds: i64) {
        self.now = self.now.after(Span::from_secs(seconds));
        self.objects.cluster.now = self.now;
    }

    /// One cycle, without a judge. Binds enter the truth.
    pub(crate) fn cycle(&mut self) -> CycleReport {
        let report = self.engine.cycle(self.now);
        for (id, Effect::Bind(bind)) in &report.effects {
            if let Some(pod) = self.objects.cluster.pods.get_mut(&bind.uid) {
                pod.node.get_or_insert_with(|| bind.node.clone());
            }
            self.in_flight.push((*id, bind.clone()));
        }
        report
    }

    /// One cycle, decision by decision: `check` is asked about each gang that waits, with the
    /// objects as they were when that was decided.
    pub(crate) fn judged_waits(
        &mut self,
        mut check: impl FnMut(&Objects, &Explanation) -> Verdict,
    ) -> Verdict {
        let mut objects = self.objects.clone();
        for decision in self.cycle().decisions {
            match decision {
                Decision::Run(plan) => {
                    for step in plan.steps {
                        let pod = objects.cluster.pods.get_mut(&step.uid);
                        pod.ok_or("a plan for nobody")?.node = Some(step.node);
                    }
                }
                Decision::Wait(why) => {
                    check(&objects, &why).map_err(|what| format!("{what}: {why}\n{why:#?}"))?;
                }
                Decision::Evict(_) => {}
            }
        }
        Ok(())
    }

    /// One cycle, every step of it judged on the state just before, and the state that is
    /// left judged as a whole: nothing may be broken that was not broken before.
    pub(crate) fn judged_cycle(&mut self) -> Result<CycleReport, String> {
        let none = BTreeSet::new();
        let before = self.objects.audit(&none);
        let mut cluster = self.objects.cluster.clone();
        let known: BTreeSet<_> = self.objects.all_gangs().into_iter().map(|g| g.key).collect();
        let report = self.cycle();
        let mut broken: Vec<Violation> = Vec::new();
        for plan in plans(&report) {
            if plan.steps.is_empty() {
                return Err(format!("an empty plan for {}", plan.gang));
            }
            if !known.contains(&plan.gang) {
                return Err(format!("{} was placed, but there is no such group", plan.gang));
            }
            let steps = plan.steps.iter().map(|step| (step.uid.clone(), step.node.clone()));
            broken.extend(replay(&mut cluster, &steps.collect::<Vec<_>>()));
        }
        if cluster != self.objects.cluster {
            return Err("the effects are not the steps of the plans".to_owned());
        }
        let after = self.objects.audit(&none);
        broken.extend(after.into_iter().filter(|violation| is_new(violation, &before)));
        let words: Vec<String> = broken.iter().map(ToString::to_string).collect();
        if words.is_empty() { Ok(report) } else { Err(words.join("\n")) }
    }

    /// Number of binds the engine has not heard of.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// The engine hears that its oldest bind was done: from the write, and from the watch.
    pub(crate) fn confirm(&mut self) {
        let (id, bind) = self.in_flight.remove(0);
        self.engine.settle(id, &Outcome::Done, self.now);
        self.serve_claims(&bind);
        let Some(pod) = self.objects.cluster.pods.get(&bind.uid) else { return };
        if pod.node.is_some() && !pod.phase.is_finished() {
            let bound = PodSpec {
                phase: PodPhase::Running,
                scheduled_at: Some(self.now),
                started_at: Some(self.now),
                ..pod.clone()
            };
            self.tell(Event::Pod(Box::new(bound)));
        }
    }

    /// What the bind asked about claims is done.
    fn serve_claims(&mut self, bind: &Bind) {
        for step in &bind.volumes {
            let (VolumeStep::Provision { claim, .. } | VolumeStep::Take { claim, .. }) = step;
            let Some(known) = self.objects.cluster.claims.get(claim).cloned() else { continue };
            let ClaimState::Late(late) = &known.state else { continue };
            let volume = match step {
                VolumeStep::Provision { .. } => late.provision.as_ref().map(|it| BoundVolume {
                    name: claim.clone(),
                    reach: it.reach.clone(),
                    attach: Some(Attach { driver: it.driver.clone(), handle: claim.clone() }),
                }),
                VolumeStep::Take { volume, .. } => {
                    let found = self.objects.cluster.volumes.get(volume).cloned();
                    self.tell(Event::VolumeGone(volume.clone()));
                    found.map(|it| BoundVolume {
                        name: it.name,
                        reach: it.reach,
                        attach: it.attach,
                    })
                }
            };
            let state = volume.map(ClaimState::Bound);
            if let Some(state) = state {
                self.tell(Event::Claim(Box::new(ClaimSpec { state, ..known })));
            }
        }
    }

    pub(crate) fn confirm_all(&mut self) {
        while self.in_flight() > 0 {
            self.confirm();
        }
    }

    /// The engine hears that its oldest bind was refused: the pod waits again.
    pub(crate) fn refuse(&mut self) {
        let (id, bind) = self.in_flight.remove(0);
        if let Some(pod) = self.objects.cluster.pods.get_mut(&bind.uid)
            && pod.phase == PodPhase::Pending
        {
            pod.node = None;
        }
        self.engine.settle(id, &Outcome::Refused("no such node".to_owned()), self.now);
    }

    /// The engine hears nothing about its oldest bind but that it may have happened.
    pub(crate) fn lose(&mut self) {
        let (id, _) = self.in_flight.remove(0);
        self.engine.settle(id, &Outcome::Unknown, self.now);
    }

    /// What the engine and its rebuild differ in.
    pub(crate) fn audit(&self) -> Result<(), String> {
        let lines = self.engine.audit();
        if lines.is_empty() { Ok(()) } else { Err(lines.join("\n")) }
    }
}

/// True if the violation is not there before, or was smaller. A pod that wants less than
/// nothing may make an overfull node less full.
fn is_new(violation: &Violation, before: &[Violation]) -> bool {
    let Violation::Overfull { node, resource, used, .. } = violation else {
        return !before.contains(violation);
    };
    !before.iter().any(|old| match old {
        Violation::Overfull { node: on, resource: of, used: once, .. } => {
            (on, of) == (node, resource) && used <= once
        }
        _ => false,
    })
}

pub(crate) fn plans(report: &CycleReport) -> impl Iterator<Item = &Plan> {
    report.decisions.iter().filter_map(|decision| match decision {
        Decision::Run(plan) => Some(plan),
        Decision::Wait(_) | Decision::Evict(_) => None,
    })
}

/// What a cycle decided, a line a decision.
pub(crate) fn told(report: &CycleReport) -> Vec<String> {
    let lines = report.decisions.iter().map(|decision| match decision {
        Decision::Run(plan) => {
            let steps = plan.steps.iter().map(|step| format!(" {} on {}", step.pod, step.node));
            format!("{} runs:{}", plan.gang, steps.collect::<String>())
        }
        Decision::Wait(why) => format!("{} waits: {why}; {}", why.gang, why.next_step),
        Decision::Evict(it) => format!("room is made for {}: {:?}", it.gang, it.victims),
    });
    lines.collect()
}
