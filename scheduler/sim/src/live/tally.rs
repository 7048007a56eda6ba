//! Members of gangs as the server has them, counted without a look at the engine.

use super::server::ApiServer;
use scheduler_model::spec::{GangKey, GangSpec, Membership, PodPhase, PodSpec};
use scheduler_model::time::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers of members by role.
type Roles = BTreeMap<String, u32>;

/// Members of one gang.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// Members that exist, have open gates and stay, by role; those that succeeded too.
    pub(super) exist: Roles,
    /// Members with a place, by role.
    pub(super) placed: Roles,
    /// Members that succeeded, by role.
    pub(super) succeeded: Roles,
    /// Members that are neither finished nor about to go.
    pub(super) unfinished: u32,
    /// A member in place has no controller: such gangs are kept as they are.
    pub(super) is_kept: bool,
    /// The node of a member is silent.
    pub(super) is_shaky: bool,
    /// Members with a place on a node that speaks.
    pub(super) firm: u32,
}

/// Members whose objects say too little.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    /// Members of the present run that succeeded and whose objects are gone: uid and role.
    pub(super) gone: BTreeMap<GangKey, BTreeMap<String, String>>,
    /// Members that succeeded in runs that are over.
    pub(super) over: BTreeSet<String>,
    /// When a member last went without an end: whoever comes soon takes its place.
    pub(super) vanished: BTreeMap<GangKey, Time>,
}

/// A run whose last member went without an end goes on if another comes within this time.
const BRIDGE: Span = Span::from_secs(5);

impl Past {
    /// Runs end once nobody is left: what succeeded in them does not count in the next.
    pub(super) fn turn(&mut self, server: &ApiServer, now: Time) {
        self.vanished.retain(|_, at| now.since(*at) < BRIDGE);
        let unfinished = server.pods.values().filter(|pod| !pod.phase.is_finished());
        let left: BTreeSet<&GangKey> =
            unfinished.filter_map(group_of).chain(self.vanished.keys()).collect();
        self.gone.retain(|key, _| left.contains(key));
        let finished = server.pods.values().filter(|pod| pod.phase.is_finished());
        let ended = finished.filter(|pod| group_of(pod).is_some_and(|key| !left.contains(key)));
        self.over.extend(ended.map(|pod| pod.uid.clone()));
    }
}

/// The gangs of all pods.
pub(super) fn all(server: &ApiServer, past: &Past) -> BTreeMap<GangKey, Tally> {
    let mut tallies: BTreeMap<GangKey, Tally> = BTreeMap::new();
    for pod in server.pods.values().filter(|pod| !past.over.contains(&pod.uid)) {
        if let Some(key) = group_of(pod) {
            tallies.entry(key.clone()).or_default().add(server, pod);
        }
    }
    for (key, members) in &past.gone {
        if let Some(tally) = tallies.get_mut(key) {
            for role in members.values() {
                tally.succeed(role);
            }
        }
    }
    tallies
}

impl Tally {
    fn add(&mut self, server: &ApiServer, pod: &PodSpec) {
        match pod.phase {
            PodPhase::Succeeded if !pod.evicted => self.succeed(&pod.role),
            PodPhase::Succeeded | PodPhase::Failed => {}
            _ if pod.terminating => {}
            _ => {
                self.unfinished += 1;
                let node = pod.node.as_ref().and_then(|node| server.nodes.get(node));
                let is_placed = node.is_some();
                self.is_shaky |= node.is_some_and(|node| !node.ready);
                self.firm += u32::from(node.is_some_and(|node| node.ready));
                self.is_kept |= is_placed && !pod.has_controller;
                if pod.gates.is_empty() {
                    *self.exist.entry(pod.role.clone()).or_insert(0) += 1;
                }
                if is_placed {
                    *self.placed.entry(pod.role.clone()).or_insert(0) += 1;
                }
            }
        }
    }

    fn succeed(&mut self, role: &str) {
        *self.succeeded.entry(role.to_owned()).or_insert(0) += 1;
        *self.exist.entry(role.to_owned()).or_insert(0) += 1;
    }

    /// Members in place now.
    pub(super) fn in_place(&self) -> u32 {
        self.placed.values().sum()
    }

    /// True if some members have places, and they and those that succeeded are too few.
    pub(super) fn is_partial(&self, gang: &GangSpec) -> bool {
        let has = |role: &str| {
            let of = |roles: &Roles| roles.get(role).copied().unwrap_or(0);
            of(&self.placed) + of(&self.succeeded)
        };
        let total = self.in_place() + self.succeeded.values().sum::<u32>();
        let is_short = total < gang.min || gang.roles.iter().any(|role| has(&role.name) < role.min);
        self.in_place() > 0 && is_short
    }
}

/// True if these members, by role, are the gang's minimum.
pub(super) fn is_minimum(gang: &GangSpec, exist: &Roles) -> bool {
    let has = |role: &str| exist.get(role).copied().unwrap_or(0);
    exist.values().sum::<u32>() >= gang.min
        && gang.roles.iter().all(|role| has(&role.name) >= role.min)
}

/// The gang that a pod names.
pub(super) fn group_of(pod: &PodSpec) -> Option<&GangKey> {
    match &pod.membership {
        Membership::Group(key) | Membership::Owner(key) => Some(key),
        Membership::Alone => None,
    }
}

/// A resource of which the pods on a node ask for more than it has.
pub(super) fn overfull(server: &ApiServer, node: &str) -> Option<String> {
    let spec = server.nodes.get(node)?;
    let on_it = |pod: &&PodSpec| pod.node.as_deref() == Some(node) && !pod.phase.is_finished();
    let pods: Vec<&PodSpec> = server.pods.values().filter(on_it).collect();
    let is_over = |resource: &&String| asks(&pods, resource) > spec.allocatable[*resource].units();
    spec.allocatable.keys().find(is_over).cloned()
}

/// GPUs that the pods of a queue use: where a node is gone, nothing is used.
pub(super) fn used(server: &ApiServer, queue: &str) -> i64 {
    let is_in = |pod: &&PodSpec| {
        pod.ours
            && pod.node.as_ref().is_some_and(|node| server.nodes.contains_key(node))
            && !pod.phase.is_finished()
            && pod.queue.as_deref() == Some(queue)
    };
    asks(&server.pods.values().filter(is_in).collect::<Vec<_>>(), "gpu")
}

fn asks(pods: &[&PodSpec], resource: &str) -> i64 {
    let asked = pods.iter().filter_map(|pod| pod.shape.requests.get(resource));
    asked.map(|amount| amount.units()).sum()
}

/// What a gang's members were at some moment.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    moments: BTreeMap<GangKey, Vec<(Time, Roles)>>,
}

impl History {
    /// Takes in what is now.
    pub(super) fn note(&mut self, key: &GangKey, exist: &Roles, now: Time) {
        let moments = self.moments.entry(key.clone()).or_default();
        if moments.last().is_none_or(|(_, last)| last != exist) {
            moments.push((now, exist.clone()));
        }
    }

    /// True if the minimum existed at some moment not longer than `span` before `at`.
    pub(super) fn was_complete(&self, gang: &GangSpec, at: Time, span: Span) -> bool {
        let Some(moments) = self.moments.get(&gang.key) else { return gang.min == 0 };
        for (since, exist) in moments.iter().rev() {
            if is_minimum(gang, exist) {
                return true;
            }
            if at.since(*since) > span {
                break;
            }
        }
        false
    }
}
