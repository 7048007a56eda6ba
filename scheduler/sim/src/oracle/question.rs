//! What the oracle is asked about one gang, as plain data.

use super::contradiction::contradiction;
use crate::checker::{
    Level, Objects, Turnout, gang_of, holds, in_scope, level_of, members_by_gang, path,
    pod_refusals, queue_of, tally, unusable_claim, usage, used_of, user_of,
};
use scheduler_model::amount::Amount;
use scheduler_model::explain::WaitReason;
use scheduler_model::spec::{GangKey, GangSpec, PodSpec, QueueSpec, RoleSpec, TopologySpec};
use std::collections::{BTreeMap, BTreeSet};

/// One gang that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GangQuestion {
    /// Which gang.
    pub gang: GangKey,
    /// Pods that may be placed.
    pub pending: Vec<PodSpec>,
    /// Least number of members that must run in the end.
    pub min: u32,
    /// The same per role.
    pub roles: Vec<RoleSpec>,
    /// Members that run or have succeeded, in total.
    pub counted: u32,
    /// The same per role.
    pub counted_by_role: BTreeMap<String, u32>,
    /// Node label keys, widest first, at which all members must share the values.
    pub level: Option<Vec<String>>,
    /// Nodes of the members that run; they fix the domain.
    pub anchors: Vec<String>,
    /// What the limits of its queue and all queues above leave.
    pub room: Vec<QueueRoom>,
}

/// What one limit leaves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueueRoom {
    /// Queue whose limit it is; gangs that share the queue share the room.
    pub queue: String,
    /// Flavour, if the limit is on one.
    pub flavour: Option<String>,
    /// Resource.
    pub resource: String,
    /// Limit minus use.
    pub left: Amount,
}

impl QueueRoom {
    /// The name of the room that a user has in a queue.
    #[must_use]
    pub fn of_user(queue: &str, user: &str) -> String {
        format!("user {user:?} of {queue}")
    }
}

impl GangQuestion {
    /// True if enough members run or have succeeded already.
    #[must_use]
    pub fn has_minimum(&self) -> bool {
        super::target::Need::of(self).total == 0
    }
}

/// One question per gang that has pods which wait; or, in its place, why it may not be placed
/// whatever the nodes say.
#[must_use]
pub fn questions(objects: &Objects) -> Vec<(GangKey, Result<GangQuestion, WaitReason>)> {
    let gangs = objects.all_gangs();
    let gangs: BTreeMap<&GangKey, &GangSpec> = gangs.iter().map(|gang| (&gang.key, gang)).collect();
    let queues: Vec<&QueueSpec> = objects.queues.values().collect();
    let turnout = Turnout::of(&objects.cluster, &gangs, &queues);
    let usage = usage(&objects.cluster, &gangs, &queues);
    let view = View { usage, turnout, queues, objects };
    let mut answers = Vec::new();
    for (key, members) in members_by_gang(&objects.cluster) {
        let waits =
            |pod: &&PodSpec| pod.node.is_none() && !pod.terminating && !pod.phase.is_finished();
        if !members.iter().any(waits) {
            continue;
        }
        let question = match gangs.get(&key) {
            Some(gang) => view.ask(gang, &members),
            None => Err(WaitReason::NoGroup),
        };
        answers.push((key, question));
    }
    answers
}

struct View<'a> {
    objects: &'a Objects,
    queues: Vec<&'a QueueSpec>,
    usage: BTreeMap<(String, String), scheduler_model::spec::Resources>,
    turnout: Turnout,
}

impl View<'_> {
    fn ask(&self, gang: &GangSpec, members: &[&PodSpec]) -> Result<GangQuestion, WaitReason> {
        if !gang.unsupported.is_empty() {
            return Err(WaitReason::Unsupported(gang.unsupported.clone()));
        }
        if self.names_other_scheduler(&gang.key) {
            return Err(WaitReason::Schedulers);
        }
        let queue = queue_of(&self.objects.cluster, &gang.key, Some(gang), members);
        let mut room = self.room(&queue, &gang.key.namespace)?;
        let topologies: Vec<&TopologySpec> = self.objects.topologies.values().collect();
        let level = match level_of(gang, &topologies) {
            Level::Free => None,
            Level::Keys(keys) => Some(keys),
            Level::Missing(name) => return Err(WaitReason::LevelMissing(name)),
        };
        if !members.iter().any(|pod| holds(&self.objects.cluster, pod)) {
            self.crowded(&queue, gang)?;
        }
        room.extend(self.user_room(&queue, gang));
        let tally = tally(&self.objects.cluster, gang, members);
        let cluster = &self.objects.cluster;
        let free = members
            .iter()
            .filter(|pod| pod_refusals(pod).is_empty() && unusable_claim(cluster, pod).is_none());
        Ok(GangQuestion {
            gang: gang.key.clone(),
            pending: free.map(|pod| PodSpec::clone(pod)).collect(),
            min: gang.min,
            roles: gang.roles.clone(),
            counted: tally.total,
            counted_by_role: tally.by_role,
            level,
            anchors: tally.nodes,
            room,
        })
    }

    /// An error if a queue on the way up runs as many gangs as it may.
    fn crowded(&self, queue: &str, gang: &GangSpec) -> Result<(), WaitReason> {
        for level in path(&self.queues, queue) {
            let check = |user: Option<String>, running: u32, most: Option<u32>| match most {
                Some(most) if running >= most => {
                    Err(WaitReason::Running { queue: level.name.clone(), user, running, most })
                }
                _ => Ok(()),
            };
            let running = self.turnout.gangs.get(&level.name).copied().unwrap_or(0);
            check(None, running, level.max_running)?;
            let Some(rule) = &level.users else { continue };
            let user = user_of(&self.objects.cluster, &gang.key, Some(gang), &rule.by);
            let has = self.turnout.users.get(&(level.name.clone(), user.clone()));
            check(Some(user), has.map_or(0, |(running, _)| *running), rule.max_running)?;
        }
        Ok(())
    }

    /// What the limits of its users leave a gang. Each user's is a room of its own.
    fn user_room(&self, queue: &str, gang: &GangSpec) -> Vec<QueueRoom> {
        let mut rooms = Vec::new();
        for level in path(&self.queues, queue) {
            let Some(rule) = &level.users else { continue };
            let user = user_of(&self.objects.cluster, &gang.key, Some(gang), &rule.by);
            let has = self.turnout.users.get(&(level.name.clone(), user.clone()));
            for (resource, limit) in &rule.limit {
                let used = has.and_then(|(_, used)| used.get(resource)).copied();
                rooms.push(QueueRoom {
                    queue: QueueRoom::of_user(&level.name, &user),
                    flavour: None,
                    resource: resource.clone(),
                    left: limit.minus(used.unwrap_or_default()),
                });
            }
        }
        rooms
    }

    fn names_other_scheduler(&self, key: &GangKey) -> bool {
        let pods = self.objects.cluster.pods.values();
        pods.filter(|pod| !pod.ours && !pod.phase.is_finished()).any(|pod| gang_of(pod) == *key)
    }

    /// What all limits from `queue` upwards leave. Without any queue object of that name there
    /// is nobody to limit the gang, but only the queue `default` may be missing.
    fn room(&self, queue: &str, namespace: &str) -> Result<Vec<QueueRoom>, WaitReason> {
        let path = path(&self.queues, queue);
        let broken = || Err(WaitReason::QueueBroken(queue.to_owned()));
        match path.last() {
            None if queue == "default" => return Ok(Vec::new()),
            None => return Err(WaitReason::QueueMissing(queue.to_owned())),
            Some(top) if top.parent.is_some() => return broken(),
            Some(_) => {}
        }
        if let Some(closed) = path.iter().find(|queue| !queue.open) {
            return Err(WaitReason::QueueClosed(closed.name.clone()));
        }
        if let Some(clash) = contradiction(&path) {
            return Err(WaitReason::QueueContradictory(clash));
        }
        let bars = |queue: &&&QueueSpec| {
            let scope = queue.namespaces.as_ref();
            scope.is_some_and(|scope| !in_scope(&self.objects.cluster, scope, namespace))
        };
        if let Some(queue) = path.iter().find(bars) {
            let (queue, namespace) = (queue.name.clone(), namespace.to_owned());
            return Err(WaitReason::QueueForbidden { queue, namespace });
        }
        let mut room = BTreeSet::new();
        for queue in path {
            for quota in &queue.quotas {
                let Some(limit) = quota.quota.limit else { continue };
                room.insert(QueueRoom {
                    queue: queue.name.clone(),
                    flavour: quota.flavour.clone(),
                    resource: quota.resource.clone(),
                    left: limit.minus(used_of(&self.usage, &queue.name, quota)),
                });
            }
        }
        Ok(room.into_iter().collect())
    }
}
