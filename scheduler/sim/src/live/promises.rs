//! What must hold in every run, whatever goes wrong.
//!
//! 1. Only whoever holds the lease puts writes on the wire.
//! 2. No bind of ours over-fills a node.
//! 3. The first bind of a gang leaves only once its minimum of members exists.
//! 4. A gang with fewer members in place than its minimum does not stay so.
//! 5. Only members that a controller replaces are deleted, each of them marked first, and a
//!    gang is released a few times at most.
//!
//! What must hold once all has come to rest stands in `rest.rs`.

use super::server::{ApiServer, Done, Write};
use super::story::{START, Story};
use scheduler_model::spec::{GangKey, Membership, PodPhase, PodSpec};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::call::PodRef;
use std::collections::{BTreeMap, BTreeSet};

/// A gang may have too few members in place for this long after the last disturbance.
const PARTIAL_MAX: Span = Span::from_secs(150);
/// What a bind is based on may be this old by the time the server takes it.
const STALE_MAX: Span = Span::from_secs(60);
/// Releases of one gang in one run.
const RELEASES_MAX: usize = 3;

/// The checkers, and what they need to remember.
#[derive(Clone, Debug, Default)]
pub struct Promises {
    violations: Vec<String>,
    /// Writes that were looked at.
    seen: usize,
    disturbed_at: Time,
    /// Per gang: since when it has too few members in place, and whether that was told.
    partial: BTreeMap<GangKey, (Time, bool)>,
    /// Per gang: how many members existed, from when on.
    existed: BTreeMap<GangKey, Vec<(Time, u32)>>,
    marked: BTreeSet<String>,
    /// Per gang: moments at which members were deleted by muster.
    deleted: BTreeMap<GangKey, Vec<Time>>,
    /// Pods as last seen.
    pods: BTreeMap<String, PodSpec>,
}

impl Promises {
    /// Nothing broken yet.
    #[must_use]
    pub fn new() -> Self {
        Self { disturbed_at: START, ..Self::default() }
    }

    /// Notes a broken promise.
    pub fn broken(&mut self, at: Time, what: &str) {
        self.violations.push(format!("after {}: {what}", at.since(START)));
    }

    /// Something went wrong on purpose.
    pub fn disturbed(&mut self, now: Time) {
        self.disturbed_at = now;
    }

    /// What was broken.
    pub fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.violations)
    }

    /// Looks at what happened since the last call.
    pub fn look(&mut self, server: &ApiServer, story: &Story, now: Time) {
        for pod in server.pods.values().filter(|pod| pod.ours) {
            self.pods.insert(pod.uid.clone(), pod.clone());
        }
        let writes: Vec<Write> = server.writes[self.seen..].to_vec();
        self.seen = server.writes.len();
        for write in writes {
            match &write.what {
                Done::Bound(pod, node) => self.bound(server, story, (pod, node), write.at),
                Done::Marked(pod) => {
                    self.marked.insert(pod.uid.clone());
                }
                Done::Deleted(pod) => self.deleted(pod, write.at),
                _ => {}
            }
        }
        self.count(server, now);
    }

    fn bound(&mut self, server: &ApiServer, story: &Story, (pod, node): (&PodRef, &str), at: Time) {
        if let Some(resource) = overfull(server, node)
            && !story.has_strangers
        {
            self.broken(at, &format!("{} was bound to {node}: too much {resource}", pod.uid));
        }
        let Some(key) = self.pods.get(&pod.uid).and_then(group_of).cloned() else { return };
        let Some(min) = server.gangs.get(&key).map(|gang| gang.min) else { return };
        let others = server.pods.values().filter(|other| group_of(other) == Some(&key));
        let has_begun = others
            .filter(|other| other.uid != pod.uid)
            .any(|other| other.node.is_some() || other.phase.is_finished());
        if has_begun {
            return;
        }
        let most = self.existed.get(&key).map_or(0, |history| most_since(history, at));
        if most < min {
            self.broken(at, &format!("{key} was begun with {most} of {min} members there"));
        }
    }

    fn deleted(&mut self, pod: &PodRef, at: Time) {
        let Some(known) = self.pods.get(&pod.uid) else { return };
        let (has_controller, key) = (known.has_controller, group_of(known).cloned());
        if !has_controller {
            self.broken(at, &format!("{} was deleted, and nobody makes it anew", pod.uid));
        }
        if !self.marked.contains(&pod.uid) {
            self.broken(at, &format!("{} was deleted without a mark", pod.uid));
        }
        let Some(key) = key else { return };
        let moments = self.deleted.entry(key.clone()).or_default();
        moments.push(at);
        // Deletions of one release come close together.
        let releases = moments.windows(2).filter(|it| it[1].since(it[0]) > STALE_MAX).count() + 1;
        if releases > RELEASES_MAX {
            self.broken(at, &format!("{key} was released {releases} times"));
        }
    }

    /// How many members of each gang exist and have places now.
    fn count(&mut self, server: &ApiServer, now: Time) {
        let mut tallies: BTreeMap<&GangKey, Tally> = BTreeMap::new();
        for pod in server.pods.values() {
            if let Some(key) = group_of(pod) {
                tallies.entry(key).or_default().add(server, pod);
            }
        }
        for (key, gang) in &server.gangs {
            let tally = tallies.remove(key).unwrap_or_default();
            let history = self.existed.entry(key.clone()).or_default();
            let exist = tally.exist + tally.succeeded;
            if history.last().is_none_or(|(_, count)| *count != exist) {
                history.push((now, exist));
            }
            let is_partial = tally.placed > 0 && tally.placed + tally.succeeded < gang.min;
            if !is_partial || tally.is_kept {
                self.partial.remove(key);
                continue;
            }
            let (since, is_told) = *self.partial.entry(key.clone()).or_insert((now, false));
            let quiet_since = since.max(self.disturbed_at);
            if !is_told && now.since(quiet_since) > PARTIAL_MAX {
                self.partial.insert(key.clone(), (since, true));
                let words = format!("{key} has {} of {} members in place", tally.placed, gang.min);
                self.broken(now, &words);
            }
        }
    }
}

/// Members of one gang.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    exist: u32,
    succeeded: u32,
    placed: u32,
    /// A member in place has no controller: such gangs are kept as they are.
    is_kept: bool,
}

impl Tally {
    fn add(&mut self, server: &ApiServer, pod: &PodSpec) {
        match pod.phase {
            PodPhase::Succeeded => self.succeeded += u32::from(!pod.evicted),
            PodPhase::Failed => {}
            _ if pod.terminating => {}
            _ => {
                self.exist += 1;
                let is_placed =
                    pod.node.as_ref().is_some_and(|node| server.nodes.contains_key(node));
                self.placed += u32::from(is_placed);
                self.is_kept |= is_placed && !pod.has_controller;
            }
        }
    }
}

/// The group that a pod names.
pub(super) fn group_of(pod: &PodSpec) -> Option<&GangKey> {
    match &pod.membership {
        Membership::Group(key) => Some(key),
        _ => None,
    }
}

/// The most members that existed at any moment not too long before `at`.
fn most_since(history: &[(Time, u32)], at: Time) -> u32 {
    let mut most = 0;
    for (time, count) in history.iter().rev() {
        most = most.max(*count);
        if at.since(*time) > STALE_MAX {
            break;
        }
    }
    most
}

/// A resource of which the pods on a node ask for more than it has.
fn overfull(server: &ApiServer, node: &str) -> Option<String> {
    let spec = server.nodes.get(node)?;
    let on_it = |pod: &&PodSpec| pod.node.as_deref() == Some(node) && !pod.phase.is_finished();
    let pods: Vec<&PodSpec> = server.pods.values().filter(on_it).collect();
    let is_over = |resource: &&String| {
        let asked = pods.iter().filter_map(|pod| pod.shape.requests.get(*resource));
        let asked: i64 = asked.map(|amount| amount.units()).sum();
        asked > spec.allocatable[*resource].units()
    };
    spec.allocatable.keys().find(is_over).cloned()
}
