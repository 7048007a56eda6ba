//! Draws the gangs and their pods, all of them waiting.

use super::shape::{self, APPS};
use super::{Draft, Feature};
use scheduler_model::spec::{
    Dialect, GangKey, GangSpec, Labels, Membership, PodShape, PodSpec, RoleSpec, Unsupported,
};
use scheduler_model::time::Time;
use std::sync::Arc;

pub(super) fn draw(draft: &mut Draft) {
    let count = draft.dice.between(1, draft.size.gangs);
    for at in 0..count {
        let namespace = *draft.dice.pick(&["blue", "red"]);
        let queue = draft.dice.pick(&draft.queues).name.clone();
        if draft.draws(Feature::Plain, 40) {
            draw_plain(draft, at, namespace, &queue);
        } else {
            draw_group(draft, at, namespace, &queue);
        }
    }
}

/// Pods without a group object: of one controller, or one alone.
fn draw_plain(draft: &mut Draft, at: u64, namespace: &str, queue: &str) {
    let app = *draft.dice.pick(&APPS);
    let shape = Arc::new(shape::draw(draft, namespace, app));
    let alone = draft.dice.chance(40);
    let name = format!("job/g{at}");
    let key = GangKey { namespace: namespace.to_owned(), name, dialect: Dialect::Plain };
    let count = if alone { 1 } else { draft.dice.between(1, draft.size.pods) };
    for index in 0..count {
        let mut pod = pod(at, index, &key, app, &shape);
        pod.queue = Some(queue.to_owned());
        pod.membership = if alone { Membership::Alone } else { Membership::Owner(key.clone()) };
        draft.pods.push(pod);
    }
}

fn draw_group(draft: &mut Draft, at: u64, namespace: &str, queue: &str) {
    let key = GangKey {
        namespace: namespace.to_owned(),
        name: format!("g{at}"),
        dialect: Dialect::Muster,
    };
    let app = *draft.dice.pick(&APPS);
    let count = draft.dice.between(1, draft.size.pods);
    let mut gang = GangSpec::plain(key.clone());
    gang.created_at = created_at(at);
    gang.queue = Some(queue.to_owned());
    gang.min =
        if draft.dice.chance(60) { small(count) } else { small(draft.dice.between(1, count)) };
    if draft.draws(Feature::Short, 30) {
        gang.min = small(count + 1);
    }
    if draft.draws(Feature::Priorities, 60) {
        gang.priority = Some(*draft.dice.pick(&[-5, 10, 1000]));
    }
    if draft.draws(Feature::Topology, 60) {
        gang.topology.required =
            Some((*draft.dice.pick(&["zone-level", "rack-level", "rack"])).to_owned());
        gang.topology.topology = draft.dice.chance(50).then(|| "net".to_owned());
    }
    let has_roles = draft.draws(Feature::Roles, 60);
    let mut current = Arc::new(shape::draw(draft, namespace, app));
    for index in 0..count {
        let leader = has_roles && index == 0;
        if index > 0 && (has_roles && index == 1 || draft.draws(Feature::Mixed, 50)) {
            current = Arc::new(shape::draw(draft, namespace, app));
        }
        let mut pod = pod(at, index, &key, app, &current);
        if has_roles {
            pod.role = if leader { "leader" } else { "worker" }.to_owned();
        }
        draw_hindrances(draft, &mut pod);
        draft.pods.push(pod);
    }
    if has_roles {
        let workers = draft.dice.between(0, count - 1);
        gang.roles = vec![role("leader", 1), role("worker", small(workers))];
        gang.min = gang.min.max(small(workers + 1));
    }
    draft.gangs.push(gang);
}

fn draw_hindrances(draft: &mut Draft, pod: &mut PodSpec) {
    if draft.draws(Feature::Gates, 20) {
        pod.gates = vec!["example.com/wait".to_owned()];
    }
    if draft.draws(Feature::Unsupported, 15) {
        pod.unsupported = vec![Unsupported::ResourceClaim("gpu".to_owned())];
    }
}

fn role(name: &str, min: u32) -> RoleSpec {
    RoleSpec { name: name.to_owned(), min }
}

/// A waiting pod of the gang `key`.
pub(super) fn pod(at: u64, index: u64, key: &GangKey, app: &str, shape: &Arc<PodShape>) -> PodSpec {
    PodSpec {
        uid: format!("g{at}-{index}"),
        labels: Labels::from([
            ("app".to_owned(), app.to_owned()),
            ("index".to_owned(), index.to_string()),
        ]),
        shape: Arc::clone(shape),
        membership: Membership::Group(key.clone()),
        rank: Some(index),
        created_at: created_at(at),
        ..PodSpec::new(&key.namespace, &format!("g{at}-{index}"))
    }
}

/// Gangs come a second apart.
pub(super) fn created_at(at: u64) -> Time {
    Time::from_ms(i64::try_from(at).unwrap_or(0).saturating_mul(1000))
}

fn small(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
