//! Worlds in and out of the stage.
//!
//! Invariant: [`Stage::world`] fed into a new stage that starts at the same moment plays on in
//! the same way, but for what the engine remembers beyond the objects (how long a gang has
//! been blocked, when gates opened, members that succeeded and were deleted).

use super::agenda::Arrival;
use super::{Stage, objects};
use crate::checker::gang_of;
use scheduler_model::event::Event;
use scheduler_model::spec::{GangKey, PodSpec};
use scheduler_model::time::{Span, Time};
use scheduler_model::world::{SimHints, Workload, World};

/// The latest moment that an object of `world` mentions, and not before 0. Pods that arrive
/// later do not count.
pub(super) fn start_of(world: &World) -> Time {
    let is_there = |event: &&Event| match event {
        Event::Pod(pod) => world.pod_hints.get(&pod.uid).is_none_or(|it| it.arrival.is_none()),
        _ => true,
    };
    objects::latest(world.events.iter().filter(is_there)).unwrap_or(Time::ZERO).max(Time::ZERO)
}

impl Stage {
    /// Puts the objects and controllers of `world` beside those that are there; an object
    /// takes the place of the one of its name. Arrivals count from the start of the stage.
    ///
    /// Unbound pods without a creation time are created now: they come from a file that
    /// somebody is about to submit.
    pub fn add(&mut self, world: World) {
        self.pod_hints.extend(world.pod_hints);
        self.gang_hints.extend(world.gang_hints);
        for event in world.events {
            match event {
                Event::Pod(pod) => self.add_pod(pod),
                other => self.tell(other),
            }
        }
        for workload in world.workloads {
            let own = workload.hints.arrival;
            let at = own.or_else(|| self.gang_hints.get(&workload.gang)?.arrival);
            match at.map(|at| self.moment(at)).filter(|at| *at > self.now) {
                Some(at) => self.agenda.arrive(at, Arrival::Workload(Box::new(workload))),
                None => self.controllers.start(workload, &self.objects.pods),
            }
        }
    }

    fn add_pod(&mut self, mut pod: Box<PodSpec>) {
        let is_waiting = pod.node.is_none() && !pod.phase.is_finished();
        match self.arrival_of(&pod).filter(|at| is_waiting && *at > self.now) {
            Some(at) => self.agenda.arrive(at, Arrival::Pod(pod)),
            None => {
                if is_waiting && pod.created_at == Time::ZERO {
                    pod.created_at = self.now;
                }
                self.tell(Event::Pod(pod));
            }
        }
    }

    fn arrival_of(&self, pod: &PodSpec) -> Option<Time> {
        let own = self.pod_hints.get(&pod.uid).and_then(|hints| hints.arrival);
        let arrival = own.or_else(|| self.gang_hints.get(&gang_of(pod))?.arrival);
        arrival.map(|at| self.moment(at))
    }

    /// The moment that lies so long after the start.
    fn moment(&self, arrival: Time) -> Time {
        self.start.after(arrival.since(Time::ZERO))
    }

    /// Deletes a gang: group object, pods, controllers, and what was still to arrive.
    pub fn delete_gang(&mut self, key: &GangKey) {
        self.controllers.stop(key);
        self.agenda.cancel(|arrival| match arrival {
            Arrival::Pod(pod) => gang_of(pod) == *key,
            Arrival::Workload(workload) => workload.gang == *key,
        });
        let members = self.objects.pods.values().filter(|pod| gang_of(pod) == *key);
        let gone: Vec<Event> = members.map(|pod| Event::PodGone(pod.uid.clone())).collect();
        gone.into_iter().for_each(|event| self.tell(event));
        if self.objects.gangs.contains_key(key) {
            self.tell(Event::GangGone(key.clone()));
        }
    }

    /// The objects as they are now, and what is still to come. Arrivals count from now.
    #[must_use]
    pub fn world(&self) -> World {
        let arrived = |hints: &SimHints| SimHints { arrival: None, ..*hints };
        let mut world = World {
            events: self.objects.events(),
            workloads: self.controllers.workloads(&self.objects.pods),
            pod_hints: self.pod_hints.iter().map(|(uid, it)| (uid.clone(), arrived(it))).collect(),
            gang_hints: self
                .gang_hints
                .iter()
                .map(|(key, it)| (key.clone(), arrived(it)))
                .collect(),
        };
        for (at, arrival) in self.agenda.arrivals() {
            let arrival_left = Some(Time::ZERO.after(at.since(self.now)));
            match arrival {
                Arrival::Pod(pod) => {
                    let hints = world.pod_hints.entry(pod.uid.clone()).or_default();
                    hints.arrival = arrival_left;
                    world.events.push(Event::Pod(pod.clone()));
                }
                Arrival::Workload(workload) => {
                    let hints = SimHints { arrival: arrival_left, ..workload.hints };
                    world.workloads.push(Workload { hints, ..workload.as_ref().clone() });
                }
            }
        }
        world.pod_hints.retain(|_, hints| *hints != SimHints::default());
        world.gang_hints.retain(|_, hints| *hints != SimHints::default());
        world
    }

    /// When a bound pod ends, as far as anybody knows.
    pub(super) fn end_of(&self, pod: &PodSpec) -> Option<Time> {
        let began = pod.started_at.or(pod.scheduled_at).unwrap_or(self.start);
        if let Some(runtime) = self.runtime_of(pod) {
            return Some(began.after(runtime));
        }
        let group = self.objects.gangs.get(&gang_of(pod));
        let end = began.after(group.and_then(|group| group.walltime).or(pod.walltime)?);
        // It has outrun its walltime, so that says nothing about its end.
        let is_overdue = began < self.start && end <= self.start;
        (!is_overdue).then_some(end)
    }

    fn runtime_of(&self, pod: &PodSpec) -> Option<Span> {
        let own = self.pod_hints.get(&pod.uid).and_then(|hints| hints.runtime);
        own.or_else(|| self.controllers.hints_of(&pod.uid)?.runtime)
            .or_else(|| self.gang_hints.get(&gang_of(pod))?.runtime)
    }
}
