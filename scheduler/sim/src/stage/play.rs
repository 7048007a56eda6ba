//! One moment after the other: what is due happens, cycles run, effects are carried out.
//!
//! Invariant: the clock moves only once a moment has settled: no cycle decides anything more
//! and the engine asks for none. An engine that asks for ever is stopped as a [`Fault`]. Next:
//! `act.rs` (one cycle and its effects).

use super::agenda::Arrival;
use super::{Fault, Happening, Stage};
use crate::checker::gang_of;
use scheduler_core::report::CycleReport;
use scheduler_model::event::Event;
use scheduler_model::spec::{PodPhase, PodSpec};
use scheduler_model::time::Time;

/// Cycles in a row, at one moment, that may change explanations and place nobody.
const IDLE_CYCLES_MAX: u32 = 100;

impl Stage {
    /// Plays to the end: until nothing is left to happen, or until the time is up.
    ///
    /// # Errors
    ///
    /// A fault of the engine, at which the clock stands still.
    pub fn run(&mut self) -> Result<(), Fault> {
        while self.step()? {}
        Ok(())
    }

    /// Plays the next moment; false if there is none.
    ///
    /// # Errors
    ///
    /// As [`Stage::run`].
    pub fn step(&mut self) -> Result<bool, Fault> {
        if !self.is_settled {
            self.settle()?;
            return Ok(true);
        }
        match (self.next(), self.until) {
            (Some(next), Some(until)) if next > until => {
                self.now = until.max(self.now);
                Ok(false)
            }
            (Some(next), _) => {
                self.now = next;
                self.settle()?;
                Ok(true)
            }
            (None, _) => Ok(false),
        }
    }

    /// Plays all that comes before `to`, and lets happen what is due then, but no cycle yet:
    /// the caller may tell more before [`Stage::settle`].
    ///
    /// # Errors
    ///
    /// As [`Stage::run`].
    pub fn advance(&mut self, to: Time) -> Result<(), Fault> {
        while !self.is_settled || self.next().is_some_and(|next| next < to) {
            self.step()?;
        }
        self.now = self.now.max(to);
        self.is_settled = false;
        self.deliver();
        Ok(())
    }

    /// When something happens next, by itself or because the engine asks for a cycle.
    #[must_use]
    pub fn next(&self) -> Option<Time> {
        let wake = self.engine.wake_at(self.now).filter(|time| *time < Time::NEVER);
        self.agenda.next().into_iter().chain(wake).min().map(|next| next.max(self.now))
    }

    /// Runs cycles at the present moment until nothing moves any more.
    ///
    /// # Errors
    ///
    /// As [`Stage::run`].
    pub fn settle(&mut self) -> Result<(), Fault> {
        let mut idle = 0;
        loop {
            self.deliver();
            let report = self.cycle();
            idle =
                if report.effects.is_empty() && report.evictions.is_empty() { idle + 1 } else { 0 };
            if self.next() == Some(self.now) {
                self.check_progress(&report, idle)?;
                continue;
            }
            if self.judge.is_none() {
                break;
            }
            let second = self.cycle();
            if second.decisions.is_empty() {
                break;
            }
            self.blame(vec![format!("a cycle without news decided {:?}", second.decisions)]);
            idle += 1;
            self.check_progress(&second, idle)?;
        }
        self.is_settled = true;
        Ok(())
    }

    /// An engine that wants another cycle at once must have done something in this one, or
    /// have run out of steps.
    fn check_progress(&self, report: &CycleReport, idle: u32) -> Result<(), Fault> {
        let is_due = self.agenda.next().is_some_and(|next| next <= self.now);
        let is_out_of_steps = report.steps >= self.fuel;
        let message = if report.decisions.is_empty() && !is_due && !is_out_of_steps {
            "it decided nothing and asks for another cycle at the same moment".to_owned()
        } else if idle > IDLE_CYCLES_MAX {
            format!("{idle} cycles at one moment placed nobody, and it asks for another")
        } else {
            return Ok(());
        };
        Err(Fault { at: self.now, message })
    }

    /// Lets happen what is due: pods end, others arrive, controllers create.
    fn deliver(&mut self) {
        for uid in std::mem::take(&mut self.fresh) {
            let end = self.objects.pods.get(&uid).filter(|pod| is_running(pod));
            if let Some(end) = end.and_then(|pod| self.end_of(pod)) {
                self.agenda.end(end, &uid);
            }
        }
        while let Some(uid) = self.agenda.pop_gone(self.now) {
            self.finish_eviction(&uid);
        }
        while let Some(uid) = self.agenda.pop_end(self.now) {
            let pod = self.objects.pods.get(&uid).filter(|pod| is_running(pod));
            // The pod may have another life by now.
            if let Some(pod) = pod.filter(|pod| self.end_of(pod).is_some_and(|it| it <= self.now)) {
                let ended = ended(pod, PodPhase::Succeeded, self.now);
                self.tell(ended);
            }
        }
        for arrival in self.agenda.pop_arrivals(self.now) {
            match arrival {
                Arrival::Pod(pod) => self.create(*pod),
                Arrival::Workload(workload) => {
                    self.controllers.start(*workload, &self.objects.pods);
                }
            }
        }
        loop {
            let pods = self.controllers.next(&self.objects.pods);
            if pods.is_empty() {
                break;
            }
            pods.into_iter().for_each(|pod| self.create(pod));
        }
        for gang in std::mem::take(&mut self.fallen) {
            if !self.unfinished.contains_key(&gang) && self.running.remove(&gang) {
                self.timeline.push((self.now, Happening::Ended { gang }));
            }
        }
    }

    /// Creates a pod now. A creation time within the run was meant and stays: stories tell
    /// pods of one moment apart by it.
    fn create(&mut self, mut pod: PodSpec) {
        let given = pod.created_at;
        let is_meant = given != Time::ZERO
            && given <= self.now
            && (given > self.start || self.now == self.start);
        if !is_meant {
            pod.created_at = self.now;
        }
        self.tell(Event::Pod(Box::new(pod)));
    }

    /// Makes one piece of news true in the virtual cluster, and tells the engine.
    pub fn tell(&mut self, event: Event) {
        for gone in self.objects.missing(&event) {
            self.take(&gone);
        }
        self.take(&event);
        if let Some(judge) = &mut self.judge {
            judge.observe(&event);
        }
        self.engine.observe(event, self.now);
        self.is_settled = false;
    }

    fn take(&mut self, event: &Event) {
        match event {
            Event::Pod(spec) => self.note(&spec.uid, Some(spec.as_ref())),
            Event::PodGone(uid) => self.note(uid, None),
            _ => {}
        }
        self.objects.take(event);
    }

    /// Keeps everything that depends on pods right while one changes, comes or goes.
    fn note(&mut self, uid: &str, after: Option<&PodSpec>) {
        let before = self.objects.pods.get(uid);
        if before == after {
            return;
        }
        self.controllers.note(uid, before, after);
        let lives = |pod: &&PodSpec| pod.ours && !pod.phase.is_finished();
        if let Some(pod) = before {
            self.touched.insert(gang_of(pod));
        }
        if let Some(pod) = before.filter(lives) {
            let gang = gang_of(pod);
            let left = self.unfinished.remove(&gang).unwrap_or(0).saturating_sub(1);
            if left > 0 {
                self.unfinished.insert(gang.clone(), left);
            }
            self.fallen.insert(gang);
        }
        if let Some(pod) = after {
            self.touched.insert(gang_of(pod));
        }
        if let Some(pod) = after.filter(lives) {
            *self.unfinished.entry(gang_of(pod)).or_insert(0) += 1;
            if pod.node.is_some() {
                self.running.insert(gang_of(pod));
            }
        }
        if after.is_some_and(is_running) && !before.is_some_and(is_running) {
            self.fresh.insert(uid.to_owned());
        }
    }
}

fn is_running(pod: &PodSpec) -> bool {
    pod.node.is_some() && !pod.phase.is_finished()
}

/// The news that a pod has ended.
pub(crate) fn ended(pod: &PodSpec, phase: PodPhase, now: Time) -> Event {
    Event::Pod(Box::new(PodSpec { phase, finished_at: Some(now), ..pod.clone() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::Options;
    use scheduler_model::world::World;

    #[test]
    fn an_engine_that_asks_again_without_having_done_anything_is_stopped() {
        let stage = Stage::new(World::default(), Options::default());
        let fault = stage.check_progress(&CycleReport::default(), 1).expect_err("nothing was done");
        assert!(fault.to_string().contains("decided nothing"), "{fault}");
    }

    #[test]
    fn a_cycle_that_ran_out_of_steps_may_ask_again_but_not_for_ever() {
        let stage = Stage::new(World::default(), Options::default());
        let spent = CycleReport { steps: stage.fuel, ..CycleReport::default() };
        assert_eq!(stage.check_progress(&spent, 1), Ok(()));
        assert!(stage.check_progress(&spent, IDLE_CYCLES_MAX + 1).is_err());
    }
}
