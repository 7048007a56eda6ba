//! When all has come to rest one more gang arrives, while the leader dies, leaves, or stays.
//!
//! It is bound in time, whoever binds it, and no more is written about it than was promised.

use super::server::{ApiServer, Done, Write};
use super::story::{Finale, START};
use scheduler_model::spec::{GangKey, PodPhase};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::status::About;

/// What is remembered of the finale.
#[derive(Clone, Debug, Default)]
pub(super) struct Watcher {
    begun: Option<Begun>,
    writes: usize,
    bound: usize,
}

#[derive(Clone, Copy, Debug)]
struct Begun {
    at: Time,
    what: Finale,
    is_alone: bool,
    bound_at: Option<Time>,
}

impl Watcher {
    /// It begins.
    pub(super) fn begin(&mut self, what: Finale, is_alone: bool, at: Time) {
        self.begun = Some(Begun { at, what, is_alone, bound_at: None });
    }

    /// Looks at a write.
    pub(super) fn look(&mut self, write: &Write) {
        let Some(begun) = &mut self.begun else { return };
        let is_its = match &write.what {
            Done::Bound(pod, _) | Done::Marked(pod) | Done::Deleted(pod) | Done::Pod(pod) => {
                pod.name.starts_with("finale")
            }
            Done::Group(key, _) => is_finale(key),
            Done::Event(note) => match &note.about {
                About::Group(key, _) => is_finale(key),
                About::Pod(_, name, _) => name.starts_with("finale"),
            },
            Done::Lease(_) => false,
        };
        if is_its {
            self.writes += 1;
            if write.is_bind() {
                self.bound += 1;
                begun.bound_at = begun.bound_at.or(Some(write.at));
            }
        }
    }

    /// What was promised and not kept.
    pub(super) fn verdict(&self, server: &ApiServer) -> Vec<String> {
        let Some(begun) = &self.begun else { return vec!["there was no finale".to_owned()] };
        let mut faults = Vec::new();
        let within = begun.within();
        match begun.bound_at {
            None => faults.push("the gang of the finale was never bound".to_owned()),
            Some(at) if at.since(begun.at) > within => faults.push(format!(
                "the gang of the finale was bound {} after {:?} at {}; {within} was promised",
                at.since(begun.at),
                begun.what,
                begun.at.since(START)
            )),
            Some(_) => {}
        }
        let runs = |pod: &&scheduler_model::spec::PodSpec| {
            pod.name.starts_with("finale") && pod.phase == PodPhase::Running
        };
        let running = server.pods.values().filter(runs).count();
        if running != self.bound {
            faults.push(format!("{} of the finale were bound and {running} run", self.bound));
        }
        // At most 1 + 4 / size per bound pod. Whoever follows another may write once more.
        let more = if begun.what == Finale::Quiet { 4 } else { 8 };
        if self.writes > self.bound + more {
            faults.push(format!("{} writes for {} bound pods", self.writes, self.bound));
        }
        faults
    }
}

impl Begun {
    /// How soon the first bind follows. The gang arrives within 400 ms.
    fn within(&self) -> Span {
        Span::from_ms(match (self.what, self.is_alone) {
            (Finale::Quiet, _) => 1_000,
            // It starts again half a second later, and has three seconds.
            (Finale::Kill, true) => 3_500,
            // It stops within 2.5 s, starts again two seconds later, and has three seconds.
            (Finale::Retire, true) => 7_500,
            // The lease runs out, and three seconds.
            (Finale::Kill, false) => 18_000,
            (Finale::Retire, false) => 3_000,
        })
    }
}

fn is_finale(key: &GangKey) -> bool {
    key.name == "finale"
}
