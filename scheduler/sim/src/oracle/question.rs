//! What the oracle is asked about one gang, as plain data.

use super::contradiction::contradiction;
use crate::checker::{
    Level, Objects, gang_of, level_of, members_by_gang, path, pod_refusals, queue_of, tally,
    unusable_claim, usage, used_of,
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
    let view = View { usage: usage(&objects.cluster, &gangs, &queues), queues, objects };
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
        let room = self.room(&queue)?;
        let topologies: Vec<&TopologySpec> = self.objects.topologies.values().collect();
        let level = match level_of(gang, &topologies) {
            Level::Free => None,
            Level::Keys(keys) => Some(keys),
            Level::Missing(name) => return Err(WaitReason::LevelMissing(name)),
        };
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

    fn names_other_scheduler(&self, key: &GangKey) -> bool {
        let pods = self.objects.cluster.pods.values();
        pods.filter(|pod| !pod.ours && !pod.phase.is_finished()).any(|pod| gang_of(pod) == *key)
    }

    /// What all limits from `queue` upwards leave. Without any queue object of that name there
    /// is nobody to limit the gang, but only the queue `default` may be missing.
    fn room(&self, queue: &str) -> Result<Vec<QueueRoom>, WaitReason> {
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
