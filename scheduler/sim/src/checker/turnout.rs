//! Gangs that run in queues and what users have of them, counted anew each time.
//!
//! Invariant: a gang runs while one of its pods holds room on a node that is there; it counts in
//! its queue and all queues above.

use super::Cluster;
use super::cluster::{add, taken_by};
use super::gang::{gang_of, members_by_gang};
use super::quota::{path, queue_of};
use super::violation::Violation;
use scheduler_model::amount::Amount;
use scheduler_model::spec::{GangKey, GangSpec, PodSpec, QueueSpec, Resources, UserBy};
use std::collections::BTreeMap;

/// What runs, by queue, and by queue and user.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turnout {
    /// Gangs.
    pub(crate) gangs: BTreeMap<String, u32>,
    /// Gangs of a user, and what they use.
    pub(crate) users: BTreeMap<(String, String), (u32, Resources)>,
}

impl Turnout {
    /// Counts.
    pub(crate) fn of(
        cluster: &Cluster,
        gangs: &BTreeMap<&GangKey, &GangSpec>,
        queues: &[&QueueSpec],
    ) -> Self {
        let mut turnout = Self::default();
        for (key, members) in members_by_gang(cluster) {
            let holding: Vec<&PodSpec> =
                members.iter().copied().filter(|pod| holds(cluster, pod)).collect();
            if holding.is_empty() {
                continue;
            }
            let gang = gangs.get(&key).copied();
            for level in path(queues, &queue_of(cluster, &key, gang, &members)) {
                *turnout.gangs.entry(level.name.clone()).or_default() += 1;
                let Some(rule) = &level.users else { continue };
                let user = user_of(cluster, &key, gang, &rule.by);
                let (count, used) = turnout.users.entry((level.name.clone(), user)).or_default();
                *count += 1;
                holding.iter().for_each(|pod| add(used, &taken_by(pod)));
            }
        }
        turnout
    }

    /// What is more than queues allow.
    pub(crate) fn excess(&self, queues: &[&QueueSpec]) -> Vec<Violation> {
        let mut violations = Vec::new();
        for queue in queues {
            let mut too_many = |user: Option<&String>, running: u32, most: Option<u32>| {
                let most = most.filter(|most| running > *most);
                violations.extend(most.map(|most| Violation::TooMany {
                    queue: queue.name.clone(),
                    user: user.cloned(),
                    running,
                    most,
                }));
            };
            let running = self.gangs.get(&queue.name).copied().unwrap_or(0);
            too_many(None, running, queue.max_running);
            let Some(rule) = &queue.users else { continue };
            for ((_, user), (running, _)) in self.users_of(queue) {
                too_many(Some(user), *running, rule.max_running);
            }
            for ((_, user), (_, used)) in self.users_of(queue) {
                for (resource, limit) in &rule.limit {
                    let used = used.get(resource).copied().unwrap_or_default();
                    if used > (*limit).max(Amount::ZERO) {
                        violations.push(Violation::UserOverLimit {
                            queue: queue.name.clone(),
                            user: user.clone(),
                            resource: resource.clone(),
                            used,
                            limit: *limit,
                        });
                    }
                }
            }
        }
        violations
    }

    fn users_of<'a>(
        &'a self,
        queue: &'a QueueSpec,
    ) -> impl Iterator<Item = (&'a (String, String), &'a (u32, Resources))> {
        self.users.iter().filter(|((name, _), _)| *name == queue.name)
    }
}

/// True if a pod holds room.
pub(crate) fn holds(cluster: &Cluster, pod: &PodSpec) -> bool {
    let is_there = pod.node.as_ref().is_some_and(|node| cluster.nodes.contains_key(node));
    is_there && !pod.phase.is_finished()
}

/// Who a gang's user is.
pub(crate) fn user_of(
    cluster: &Cluster,
    key: &GangKey,
    gang: Option<&GangSpec>,
    by: &UserBy,
) -> String {
    match by {
        UserBy::Namespace => key.namespace.clone(),
        UserBy::Label(label) => {
            let of_group = gang.and_then(|gang| gang.labels.get(label));
            let mut pods = cluster.pods.values().filter(|pod| pod.ours && gang_of(pod) == *key);
            let first = pods.next().and_then(|pod| pod.labels.get(label));
            of_group.or(first).cloned().unwrap_or_default()
        }
    }
}
