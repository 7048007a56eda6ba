//! One cycle: it is run, judged, written down, and its effects are carried out.
//!
//! Invariant: a bind is carried out at once or refused at once; the engine hears of both, and
//! sees the bound pod as the watch would show it.

use super::{Happening, Stage};
use scheduler_core::report::{CycleReport, Decision};
use scheduler_model::effect::{Bind, Effect, EffectId, Evict, Outcome};
use scheduler_model::event::Event;
use scheduler_model::spec::{PodPhase, PodSpec};

impl Stage {
    pub(super) fn cycle(&mut self) -> CycleReport {
        if let Some(judge) = &mut self.judge {
            judge.tick(self.now);
        }
        let before = self.judge.as_ref().map(|judge| judge.audit());
        let report = self.engine.cycle(self.now);
        self.cycles += 1;
        self.record(&report);
        if let Some(judge) = &self.judge {
            let said = judge.replay(&report);
            self.blame(said);
            self.audit_engine();
            let said = self.engine.audit_shares().into_iter();
            self.blame(said.map(|line| format!("audit of the shares: {line}")).collect());
        }
        self.carry_out(&report);
        if let (Some(judge), Some(before)) = (&self.judge, before) {
            let new = judge.audit().into_iter().filter(|violation| !before.contains(violation));
            let said = new.map(|violation| violation.to_string()).collect();
            self.blame(said);
            self.audit_engine();
        }
        report
    }

    fn audit_engine(&mut self) {
        let said = self.engine.audit();
        self.blame(said.into_iter().map(|line| format!("audit of the snapshot: {line}")).collect());
    }

    pub(super) fn blame(&mut self, said: Vec<String>) {
        let after = self.now.since(self.start);
        self.violations.extend(said.into_iter().map(|line| format!("after {after}: {line}")));
    }

    fn record(&mut self, report: &CycleReport) {
        for decision in &report.decisions {
            let happening = match decision {
                Decision::Wait(explanation) => Happening::Waits(explanation.clone()),
                Decision::Evict(eviction) => Happening::Evicts(eviction.clone()),
                Decision::Run(plan) => {
                    let (gang, steps) = (plan.gang.clone(), plan.steps.clone());
                    if self.running.insert(gang.clone()) {
                        Happening::Started { gang, steps }
                    } else {
                        Happening::Grew { gang, steps }
                    }
                }
            };
            self.timeline.push((self.now, happening));
        }
    }

    fn carry_out(&mut self, report: &CycleReport) {
        for (id, evict) in &report.evictions {
            self.begin_eviction(*id, evict);
        }
        for (id, Effect::Bind(bind)) in &report.effects {
            match self.bound(bind) {
                Ok(pod) => {
                    self.engine.settle(*id, &Outcome::Done, self.now);
                    self.serve_claims(bind);
                    self.tell(Event::Pod(Box::new(pod)));
                }
                Err(why) if self.refusing.contains(&bind.uid) => {
                    self.engine.settle(*id, &Outcome::Refused(why), self.now);
                }
                Err(why) => {
                    self.blame(vec![format!("bind of pod {:?} was refused: {why}", bind.uid)]);
                    self.engine.settle(*id, &Outcome::Refused(why), self.now);
                }
            }
        }
    }

    /// The pod is marked and told to go; it is gone after its grace.
    fn begin_eviction(&mut self, id: EffectId, evict: &Evict) {
        let pod = self.objects.pods.get(&evict.uid).cloned();
        let Some(pod) = pod.filter(|pod| !pod.terminating && !pod.phase.is_finished()) else {
            self.blame(vec![format!("pod {:?} is evicted, and is not there", evict.uid)]);
            return;
        };
        if self.refusing.contains(&evict.uid) {
            let why = "the story refuses it".to_owned();
            self.engine.settle(id, &Outcome::Refused(why), self.now);
            return;
        }
        self.engine.settle(id, &Outcome::Done, self.now);
        let going = PodSpec {
            terminating: true,
            gone_by: Some(self.now.after(self.grace)),
            evicted: true,
            evicted_for: Some(evict.plan),
            ..pod
        };
        self.tell(Event::Pod(Box::new(going)));
        self.agenda.go(self.now.after(self.grace), &evict.uid);
    }

    /// An evicted pod is gone; its controller, if it has one, makes it anew.
    pub(super) fn finish_eviction(&mut self, uid: &str) {
        let Some(pod) = self.objects.pods.get(uid).cloned() else { return };
        self.tell(Event::PodGone(uid.to_owned()));
        if pod.has_controller {
            let anew = PodSpec {
                uid: format!("{uid}'"),
                node: None,
                phase: PodPhase::Pending,
                terminating: false,
                gone_by: None,
                evicted: false,
                evicted_for: None,
                created_at: self.now,
                scheduled_at: None,
                started_at: None,
                ..pod
            };
            self.tell(Event::Pod(Box::new(anew)));
        }
    }

    /// The pod as the bind leaves it, or why the cluster refuses the bind.
    fn bound(&self, bind: &Bind) -> Result<PodSpec, String> {
        let pod = self.objects.pods.get(&bind.uid).ok_or("there is no such pod")?;
        if self.refusing.contains(&bind.uid) {
            return Err("the story refuses it".to_owned());
        }
        if let Some(node) = &pod.node {
            return Err(format!("it is bound to {node:?}"));
        }
        if pod.terminating || pod.phase.is_finished() {
            return Err("it is ending".to_owned());
        }
        self.check_claims(bind)?;
        Ok(PodSpec {
            node: Some(bind.node.clone()),
            phase: PodPhase::Running,
            scheduled_at: Some(self.now),
            started_at: Some(self.now),
            ..pod.clone()
        })
    }
}
