//! What is going to happen by itself: pods and controllers that arrive, pods that end.
//!
//! Invariant: entries of one moment come out in the order of uid (ends) or of input (arrivals).

use scheduler_model::spec::PodSpec;
use scheduler_model::time::Time;
use scheduler_model::world::Workload;
use std::collections::{BTreeMap, BTreeSet};

/// Something that appears in the virtual cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// A pod by itself.
    Pod(Box<PodSpec>),
    /// A controller, which then creates its pods.
    Workload(Box<Workload>),
}

/// What is due when.
#[derive(Clone, Debug, Default)]
pub(super) struct Agenda {
    arrivals: BTreeMap<Time, Vec<Arrival>>,
    ends: BTreeSet<(Time, String)>,
    /// Pods that were evicted, and when they are gone.
    goes: BTreeSet<(Time, String)>,
}

impl Agenda {
    pub(super) fn arrive(&mut self, at: Time, arrival: Arrival) {
        self.arrivals.entry(at).or_default().push(arrival);
    }

    /// The pod of this uid ends at `at`; never if that is no moment at all.
    pub(super) fn end(&mut self, at: Time, uid: &str) {
        if at < Time::NEVER {
            self.ends.insert((at, uid.to_owned()));
        }
    }

    /// The pod of this uid is gone at `at`.
    pub(super) fn go(&mut self, at: Time, uid: &str) {
        self.goes.insert((at, uid.to_owned()));
    }

    /// The next pod that is gone by `now`.
    pub(super) fn pop_gone(&mut self, now: Time) -> Option<String> {
        if self.goes.first()?.0 > now {
            return None;
        }
        self.goes.pop_first().map(|(_, uid)| uid)
    }

    /// The next moment at which something is due.
    pub(super) fn next(&self) -> Option<Time> {
        let arrival = self.arrivals.keys().next().copied();
        let end = self.ends.first().map(|(at, _)| *at);
        let gone = self.goes.first().map(|(at, _)| *at);
        arrival.into_iter().chain(end).chain(gone).min()
    }

    /// The next pod that is to end by `now`.
    pub(super) fn pop_end(&mut self, now: Time) -> Option<String> {
        if self.ends.first()?.0 > now {
            return None;
        }
        self.ends.pop_first().map(|(_, uid)| uid)
    }

    /// What arrives by `now`.
    pub(super) fn pop_arrivals(&mut self, now: Time) -> Vec<Arrival> {
        let mut due = Vec::new();
        while let Some(entry) = self.arrivals.first_entry().filter(|entry| *entry.key() <= now) {
            due.append(&mut entry.remove());
        }
        due
    }

    /// Forgets arrivals that `is_gone` says will never come.
    pub(super) fn cancel(&mut self, is_gone: impl Fn(&Arrival) -> bool) {
        for due in self.arrivals.values_mut() {
            due.retain(|arrival| !is_gone(arrival));
        }
        self.arrivals.retain(|_, due| !due.is_empty());
    }

    /// All that has not arrived yet.
    pub(super) fn arrivals(&self) -> impl Iterator<Item = (Time, &Arrival)> {
        self.arrivals.iter().flat_map(|(at, due)| due.iter().map(|arrival| (*at, arrival)))
    }
}
