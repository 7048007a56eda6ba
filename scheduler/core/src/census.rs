//! Numbers about the whole, for metrics.
//!
//! Cost: the gangs that wait, the queues, and one addition per node and resource. Gangs and pods
//! that run are not looked at.

use crate::engine::Engine;
use crate::queues::{QueueAmounts, QueueView};
use crate::vacancy::ByQueue;
use scheduler_model::amount::Amount;
use scheduler_model::ids::ResourceId;
use scheduler_model::time::{Span, Time};
use std::collections::BTreeMap;

/// Everything counted at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Gangs that lack their minimum, by queue and by the word of the reason
    /// ([`scheduler_model::explain::WaitReason::word`]), or `broken` while they hold room below it.
    pub pending: BTreeMap<(String, &'static str), u32>,
    /// How long the gang has waited that waits longest, by queue: since it had its minimum of
    /// pods, or since its first pod if it never had.
    pub oldest: BTreeMap<String, Span>,
    /// What queues have, all flavours together.
    pub queues: BTreeMap<String, QueueCensus>,
    /// Device-milliseconds for which devices stood free so far because room was held for a
    /// gang's turn, by queue and resource.
    pub vacancy: ByQueue,
    /// Totals over all nodes, by resource.
    pub nodes: BTreeMap<String, NodeCensus>,
}

/// What a queue has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueCensus {
    /// Weight among the queues with the same parent.
    pub weight: u32,
    /// Of each resource, with all that is below it.
    pub amounts: BTreeMap<String, QueueAmounts>,
}

/// One resource over all nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeCensus {
    /// What all nodes offer.
    pub capacity: Amount,
    /// What pods hold of it.
    pub used: Amount,
    /// What new pods may take: on nodes that are ready and not cordoned.
    pub free: Amount,
}

impl Engine {
    /// Counts.
    #[must_use]
    pub fn census(&self, now: Time) -> Census {
        let mut census = Census::default();
        self.count_waiting(now, &mut census);
        census.vacancy = self.vacancy.until(now);
        census.queues = self.queues().into_iter().map(in_all).collect();
        for resource in self.snapshot.resources().ids() {
            let name = self.snapshot.resources().name(resource).to_owned();
            census.nodes.insert(name, self.count_nodes(resource));
        }
        census
    }

    /// Gangs that lack their minimum, by queue, and nothing else.
    #[must_use]
    pub fn waiting(&self, now: Time) -> BTreeMap<String, u32> {
        let mut census = Census::default();
        self.count_waiting(now, &mut census);
        let mut waiting = BTreeMap::new();
        for ((queue, _), count) in census.pending {
            *waiting.entry(queue).or_insert(0) += count;
        }
        waiting
    }

    fn count_waiting(&self, now: Time, census: &mut Census) {
        // Whoever has a reason to wait listens for news, or is tried again at once.
        let gangs = self.waiting.iter().chain(self.active.difference(&self.waiting));
        for gang in gangs {
            let Some(memory) = self.memory.get(gang).filter(|memory| memory.is_short) else {
                continue;
            };
            // Whatever it waits for, holding room below its minimum is what matters.
            let word = match &memory.explanation {
                _ if memory.run.broken_since.is_some() => "broken",
                Some(explanation) => explanation.reason.word(),
                None => continue,
            };
            let queue = &self.snapshot.gangs().get(*gang).queue_name;
            *census.pending.entry((queue.clone(), word)).or_insert(0) += 1;
            let Some(since) = memory.run.age.or(memory.run.start) else { continue };
            let oldest = census.oldest.entry(queue.clone()).or_default();
            *oldest = now.since(since).max(*oldest);
        }
    }

    fn count_nodes(&self, resource: ResourceId) -> NodeCensus {
        let nodes = self.snapshot.nodes();
        let (mut used, mut free) = (0_i128, 0_i128);
        for node in nodes.live().iter() {
            let left = nodes.free(node, resource).units();
            used += i128::from(nodes.allocatable(node, resource).units()) - i128::from(left);
            if nodes.spec(node).is_open() {
                free += i128::from(left.max(0));
            }
        }
        let capacity = Amount::saturating(nodes.total(resource));
        NodeCensus { capacity, used: Amount::saturating(used), free: Amount::saturating(free) }
    }
}

/// A queue without a look at flavours.
fn in_all(view: QueueView) -> (String, QueueCensus) {
    let all = view.amounts.into_iter().filter(|((flavour, _), _)| flavour.is_none());
    let amounts = all.map(|((_, resource), amounts)| (resource, amounts)).collect();
    (view.name, QueueCensus { weight: view.weight, amounts })
}
