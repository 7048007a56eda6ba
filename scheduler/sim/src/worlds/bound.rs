//! Binds what runs from the start: whole gangs, pods of other schedulers.
//!
//! Invariant: no node is overfilled and no required domain is left. Taints, affinity and the
//! like may be broken, as they are in real clusters when labels change under running pods.

use super::gang::{created_at, pod};
use super::shape;
use super::{Draft, Feature};
use crate::checker::gang_of;
use scheduler_model::amount::Amount;
use scheduler_model::spec::{
    Dialect, GangKey, GangSpec, Membership, PodPhase, PodShape, PodSpec, Resources,
};
use scheduler_model::time::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

type Free = BTreeMap<String, Resources>;

pub(super) fn draw(draft: &mut Draft) {
    let mut free: Free =
        draft.nodes.iter().map(|node| (node.name.clone(), node.allocatable.clone())).collect();
    draw_foreign(draft, &mut free);
    let keys: BTreeSet<GangKey> = draft.pods.iter().filter(|pod| pod.ours).map(gang_of).collect();
    for key in keys {
        if draft.draws(Feature::Running, 40) {
            draw_running(draft, &mut free, &key);
        }
    }
}

fn draw_foreign(draft: &mut Draft, free: &mut Free) {
    let key = GangKey { namespace: "blue".to_owned(), name: "x".to_owned(), dialect: Dialect::Pod };
    for index in 0..4 {
        if !draft.draws(Feature::Foreign, 60) {
            continue;
        }
        let requests = shape::requests(&mut draft.dice);
        let shape = Arc::new(PodShape { requests, ..shape::draw(draft, "blue", "a") });
        let node = draft.dice.pick(&draft.nodes).name.clone();
        let mut pod = pod(1000, index, &key, "a", &shape);
        pod.ours = false;
        pod.membership = Membership::Alone;
        if take(free, &node, &shape.requests) {
            bind(&mut pod, &node);
            pod.terminating = draft.draws(Feature::Terminating, 40);
            draft.pods.push(pod);
        }
    }
}

/// Binds the gang whole or leaves it waiting.
fn draw_running(draft: &mut Draft, free: &mut Free, key: &GangKey) {
    let gang = draft.gangs.iter().find(|gang| gang.key == *key).cloned();
    let mut members: Vec<usize> =
        (0..draft.pods.len()).filter(|at| is_member(&draft.pods[*at], key)).collect();
    let min = gang.as_ref().map_or(1, |gang| gang.min);
    let has_roles = gang.as_ref().is_some_and(|gang| !gang.roles.is_empty());
    if members.len() < usize::try_from(min).unwrap_or(usize::MAX) {
        return;
    }
    if !has_roles && draft.dice.chance(40) {
        // The rest waits as members above the minimum.
        members.truncate(usize::try_from(min).unwrap_or(usize::MAX));
    }
    let nodes = nodes_of_one_domain(draft, gang.as_ref());
    let mut after = free.clone();
    let mut places = Vec::new();
    for at in members {
        let requests = &draft.pods[at].shape.requests;
        let Some(node) = nodes.iter().find(|node| take(&mut after, node, requests)) else {
            return;
        };
        places.push((at, node.clone()));
    }
    *free = after;
    let terminating = draft.draws(Feature::Terminating, 30);
    for (at, node) in &places {
        let pod = &mut draft.pods[*at];
        bind(pod, node);
        pod.gates.clear();
        pod.unsupported.clear();
        pod.terminating = terminating;
    }
    if !terminating {
        draw_fate(draft, &places);
    }
}

/// One member may have succeeded or been lost.
fn draw_fate(draft: &mut Draft, places: &[(usize, String)]) {
    let Some((at, _)) = places.last().filter(|_| places.len() > 1) else { return };
    if draft.draws(Feature::Succeeded, 50) {
        draft.pods[*at].phase = PodPhase::Succeeded;
        draft.pods[*at].finished_at = Some(Time::from_ms(20_000));
    } else if draft.draws(Feature::Lost, 50) {
        let pod = &mut draft.pods[*at];
        pod.node = None;
        pod.phase = PodPhase::Pending;
        (pod.scheduled_at, pod.started_at) = (None, None);
        pod.created_at = Time::from_ms(20_000);
    }
}

fn is_member(pod: &PodSpec, key: &GangKey) -> bool {
    pod.ours && gang_of(pod) == *key
}

/// Nodes the gang may use: all, or those that share values with a random one at the level.
fn nodes_of_one_domain(draft: &mut Draft, gang: Option<&GangSpec>) -> Vec<String> {
    let keys: &[&str] = match gang.and_then(|gang| gang.topology.required.as_deref()) {
        None => &[],
        Some("zone-level") => &["zone"],
        Some(_) => &["zone", "rack"],
    };
    let first = draft.dice.pick(&draft.nodes).clone();
    let shares = |key: &&str, labels: &scheduler_model::spec::Labels| {
        labels.contains_key(*key) && labels.get(*key) == first.labels.get(*key)
    };
    let inside = draft.nodes.iter().filter(|node| keys.iter().all(|key| shares(key, &node.labels)));
    inside.map(|node| node.name.clone()).collect()
}

/// Takes room for one pod, if there is enough.
fn take(free: &mut Free, node: &str, requests: &Resources) -> bool {
    let Some(free) = free.get_mut(node) else { return false };
    let mut wanted = requests.clone();
    wanted.insert("pods".to_owned(), Amount::new(1));
    let has = |name: &String| free.get(name).copied().unwrap_or_default();
    if wanted.iter().any(|(name, want)| *want > has(name)) {
        return false;
    }
    for (name, want) in wanted {
        let left = has_left(free, &name).minus(want);
        free.insert(name, left);
    }
    true
}

fn has_left(free: &Resources, name: &str) -> Amount {
    free.get(name).copied().unwrap_or_default()
}

fn bind(pod: &mut PodSpec, node: &str) {
    pod.node = Some(node.to_owned());
    pod.phase = PodPhase::Running;
    pod.scheduled_at = Some(created_at(10));
    pod.started_at = Some(created_at(11));
}
