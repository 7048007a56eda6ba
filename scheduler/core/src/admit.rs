//! What can keep a gang from being placed at all, before any node is asked.

use crate::roster::Roster;
use crate::turnout;
use scheduler_framework::EventMask;
use scheduler_model::amount::Amount;
use scheduler_model::explain::{Cure, WaitReason};
use scheduler_model::gang::Origin;
use scheduler_model::ids::GangId;
use scheduler_model::queue::{Ceiling, QueueState};
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::Dialect;

/// A gang that is not tried on nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub reason: WaitReason,
    /// Who can change it.
    pub cure: Cure,
    /// What to do.
    pub next_step: String,
    /// Changes after which it deserves another look.
    pub wakes_on: EventMask,
}

/// The first obstacle, in the order people should hear of them.
#[must_use]
pub fn refusal(snap: &Snapshot, roster: &Roster) -> Option<Refusal> {
    no_group(snap, roster)
        .or_else(|| mixed(snap, roster))
        .or_else(|| unsupported(roster))
        .or_else(|| members(snap, roster))
        .or_else(|| gated(roster))
        .or_else(|| resting(roster))
        .or_else(|| volumes(roster))
        .or_else(|| queue(snap, roster))
        .or_else(|| level(snap, roster))
        .or_else(|| turnout::refusal(snap, roster))
}

fn by_author(reason: WaitReason, next_step: String) -> Refusal {
    let wakes_on = EventMask::GANG_CHANGED | EventMask::POLICY_CHANGED;
    Refusal { reason, cure: Cure::Author, next_step, wakes_on }
}

fn no_group(snap: &Snapshot, roster: &Roster) -> Option<Refusal> {
    let gang = snap.gangs().get(roster.gang);
    // Members that run stay a gang without their group; those that do not must wait for it.
    let lives_on = gang.spec.is_some() && roster.total.placed > 0;
    let is_missing = gang.origin == Origin::Group && !gang.exists && !lives_on;
    is_missing.then(|| {
        let step = format!("create the {} PodGroup {}", gang.key.dialect.name(), gang.key);
        by_author(WaitReason::NoGroup, step)
    })
}

fn mixed(snap: &Snapshot, roster: &Roster) -> Option<Refusal> {
    // Only Kubernetes' own groups promise that one scheduler handles all members (KEP-4671).
    let is_native = snap.gangs().get(roster.gang).key.dialect == Dialect::Kubernetes;
    (roster.is_mixed && is_native).then(|| {
        let step = "give all pods of the group the same schedulerName".to_owned();
        by_author(WaitReason::Schedulers, step)
    })
}

fn unsupported(roster: &Roster) -> Option<Refusal> {
    if roster.unsupported.is_empty() {
        return None;
    }
    let parts = roster.unsupported.iter().cloned().collect();
    let step = "remove these parts, or leave the gang to another scheduler".to_owned();
    Some(by_author(WaitReason::Unsupported(parts), step))
}

fn members(snap: &Snapshot, roster: &Roster) -> Option<Refusal> {
    let spec = snap.gangs().get(roster.gang).spec.as_ref();
    let at_once = spec.and_then(|spec| spec.creates_at_once.as_ref());
    let lacking = |role: Option<&String>, exist: u32, min: u32| {
        let blocked = at_once.filter(|at_once| at_once.pods < min);
        let setting = blocked.map(|at_once| at_once.setting.clone());
        let step = match &setting {
            Some(setting) => format!("set {setting}, or lower the minimum"),
            None => format!("wait for the controller, or lower the minimum to {exist}"),
        };
        let cure = if setting.is_some() { Cure::Author } else { Cure::Wait };
        let reason = WaitReason::Members { role: role.cloned(), exist, min, setting };
        Refusal { cure, ..by_author(reason, step) }
    };
    let total = &roster.total;
    if total.present() < total.min {
        return Some(lacking(None, total.present(), total.min));
    }
    roster
        .roles
        .iter()
        .find(|(_, role)| role.present() < role.min)
        .map(|(name, role)| lacking(Some(name), role.present(), role.min))
}

fn gated(roster: &Roster) -> Option<Refusal> {
    let open = |count: &crate::roster::RoleCount| count.present().saturating_sub(count.gated);
    let is_short = open(&roster.total) < roster.total.min
        || roster.roles.values().any(|role| open(role) < role.min);
    // Without a pending member at all, the gates are all there is to say.
    (is_short || (roster.sets.is_empty() && roster.total.gated > 0)).then(|| {
        let gates: Vec<String> = roster.gates.iter().cloned().collect();
        let step = format!("wait for the owner of {} to open them", gates.join(", "));
        let reason = WaitReason::Gated { gated: roster.total.gated, gates };
        Refusal { cure: Cure::Wait, ..by_author(reason, step) }
    })
}

/// Members whose binds were refused again and again rest, and the others do not suffice.
fn resting(roster: &Roster) -> Option<Refusal> {
    let why = roster.refused.first()?.clone();
    let ready = |count: &crate::roster::RoleCount| {
        count.present().saturating_sub(count.gated.saturating_add(count.resting))
    };
    let is_short = ready(&roster.total) < roster.total.min
        || roster.roles.values().any(|role| ready(role) < role.min);
    is_short.then(|| {
        let reason = WaitReason::BindRefused { pods: roster.total.resting, why };
        let step = "nothing: they are tried again; see what the API server objects to".to_owned();
        Refusal { cure: Cure::Wait, ..by_author(reason, step) }
    })
}

/// Members that cannot use their volume claims are placed nowhere, and the others do not suffice.
fn volumes(roster: &Roster) -> Option<Refusal> {
    let (claim, why) = roster.unready.first()?.clone();
    let ready = |count: &crate::roster::RoleCount| {
        let off = count.gated.saturating_add(count.resting).saturating_add(count.unclaimed);
        count.present().saturating_sub(off)
    };
    let is_short = ready(&roster.total) < roster.total.min
        || roster.roles.values().any(|role| ready(role) < role.min);
    // Without a member that could be placed, the claims are all there is to say.
    (is_short || roster.sets.is_empty()).then(|| {
        let pods = roster.total.unclaimed;
        let is_missing = why == "is not found";
        let step = match is_missing {
            true => format!("create the claim {claim:?}, or let the pods name another"),
            false => format!("see to the claim {claim:?}: kubectl describe shows its events"),
        };
        let cure = if is_missing { Cure::Author } else { Cure::Wait };
        let reason = WaitReason::Volume { pods, claim, why };
        Refusal { cure, ..by_author(reason, step) }
    })
}

fn queue(snap: &Snapshot, roster: &Roster) -> Option<Refusal> {
    let gang = snap.gangs().get(roster.gang);
    let name = gang.queue_name.clone();
    let state = gang.queue.map(|queue| snap.queues().get(queue).state);
    let (reason, next_step) = match state {
        Some(QueueState::Open) => {
            let reason = forbidden(snap, roster.gang)?;
            let step = "add its namespace to those of the queue, or name another queue".to_owned();
            (reason, step)
        }
        None => {
            let step = format!("create the queue {name:?}, or name one that exists");
            (WaitReason::QueueMissing(name), step)
        }
        Some(QueueState::Closed) => {
            let step = format!("open the queue {name:?}, or name another");
            (WaitReason::QueueClosed(name), step)
        }
        Some(QueueState::Broken) => {
            let step = format!("mend the parents of the queue {name:?}");
            (WaitReason::QueueBroken(name), step)
        }
        Some(QueueState::Contradictory) => {
            let clash = gang.queue.and_then(|queue| snap.clash(queue))?;
            let step = clash.remedy();
            (WaitReason::QueueContradictory(clash), step)
        }
    };
    let wakes_on = EventMask::QUEUE_CHANGED | EventMask::GANG_CHANGED | EventMask::POLICY_CHANGED;
    Some(Refusal { reason, cure: Cure::Queue, next_step, wakes_on })
}

/// The first queue on a gang's way up that is not for its namespace.
fn forbidden(snap: &Snapshot, id: GangId) -> Option<WaitReason> {
    let gang = snap.gangs().get(id);
    let queue = snap.queue_that_bars(gang)?;
    let queue = snap.queues().get(queue).spec.name.clone();
    Some(WaitReason::QueueForbidden { queue, namespace: gang.key.namespace.clone() })
}

fn level(snap: &Snapshot, roster: &Roster) -> Option<Refusal> {
    let spec = snap.gangs().get(roster.gang).spec.as_ref()?;
    let topology = spec.topology.topology.as_deref();
    let wish = spec.topology.required.as_ref()?;
    let level = snap.find_level(topology, wish).map(|level| snap.topology().level(level));
    let is_used =
        level.is_some_and(|level| level.ids().any(|domain| !level.members(domain).is_empty()));
    let keys = snap.topology().resolve(topology, wish);
    // A plain label key that no node carries is most likely a misspelt one.
    let is_named = keys.is_some_and(|keys| keys != [wish.clone()])
        || snap
            .topology()
            .specs()
            .values()
            .any(|spec| spec.levels.iter().any(|level| level.key == *wish));
    let is_known = level.is_some() && (is_used || is_named);
    (!is_known).then(|| {
        let step = format!("create a Topology with the level {wish:?}, or label nodes with it");
        let refusal = by_author(WaitReason::LevelMissing(wish.clone()), step);
        let nodes = EventMask::NODE_ADDED | EventMask::NODE_CHANGED;
        // An obstacle of its queue would be told first.
        let wakes_on = refusal.wakes_on | nodes | EventMask::QUEUE_CHANGED;
        Refusal { wakes_on, ..refusal }
    })
}

/// What keeps a gang's queue from taking it before it has pods: whoever makes its pods may wait
/// for that. Free room is no matter here, and nothing is taken back once there are pods.
#[must_use]
pub fn barred_by(snap: &Snapshot, id: GangId) -> Option<WaitReason> {
    let gang = snap.gangs().get(id);
    if !gang.members.is_empty() {
        return None;
    }
    let Some(queue) = gang.queue else {
        return Some(WaitReason::QueueMissing(gang.queue_name.clone()));
    };
    match snap.queues().get(queue).state {
        QueueState::Open => {}
        QueueState::Closed => return Some(WaitReason::QueueClosed(gang.queue_name.clone())),
        QueueState::Broken => return Some(WaitReason::QueueBroken(gang.queue_name.clone())),
        QueueState::Contradictory => {
            return snap.clash(queue).map(WaitReason::QueueContradictory);
        }
    }
    if let Some(reason) = forbidden(snap, id) {
        return Some(reason);
    }
    let wants = &gang.spec.as_ref()?.min_resources;
    let all = snap.queues().path(queue).flat_map(|row| row.quotas.iter().map(move |it| (row, it)));
    // Which flavour it will run on is not known yet.
    all.filter(|(_, (measure, _))| measure.flavour.is_none()).find_map(|(row, (measure, quota))| {
        let resource = snap.resources().name(measure.resource);
        let (wants, limit) = (*wants.get(resource)?, quota.limit?);
        (wants > limit).then(|| WaitReason::Limit {
            ceiling: Ceiling::Limit,
            queue: row.spec.name.clone(),
            flavour: None,
            resource: resource.to_owned(),
            used: Amount::ZERO,
            wants,
            limit,
        })
    })
}
