//! Nodes that turned pods away: pods of that shape keep off them for a while.
//!
//! The API server takes every bind; it is the kubelet that fails a pod for which it sees no room
//! (`OutOfcpu`) or no device (`UnexpectedAdmissionError`). It knows something that we do not, so
//! the same try at once would end the same. So does a driver that cannot make a volume for a
//! node. The time doubles with each try that fails again, and
//! is forgotten once such a pod runs there, or after an hour.

use crate::engine::Engine;
use crate::report::Rejection;
use crate::rest::doubled;
use scheduler_framework::EventMask;
use scheduler_model::event::Event;
use scheduler_model::ids::NodeId;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{PodPhase, PodShape, PodSpec};
use scheduler_model::time::{Span, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How long the first rejection keeps pods away; each further one doubles it.
const FIRST: Span = Span::from_secs(10);
/// The longest time.
const LONGEST: Span = Span::from_secs(600);
/// Rejections longer ago than this do not count any more.
const FORGOTTEN_AFTER: Span = Span::from_secs(3600);

/// Rejections of one shape by one node.
#[derive(Clone, Debug)]
struct Refusals {
    count: u32,
    last: Time,
    until: Time,
    word: String,
    is_over: bool,
}

/// Rejections by node and shape. Names and shapes, because rows come and go.
#[derive(Clone, Debug, Default)]
pub(crate) struct Avoided {
    rows: BTreeMap<(String, Arc<PodShape>), Refusals>,
}

/// Which nodes pods of a shape keep off now, and the kubelet's word for why.
pub type Rejected = BTreeMap<Arc<PodShape>, BTreeMap<NodeId, String>>;

impl Avoided {
    /// When pods may try one of the nodes again.
    pub(crate) fn next(&self) -> Option<Time> {
        self.rows.values().filter(|row| !row.is_over).map(|row| row.until).min()
    }

    fn add(&mut self, key: (String, Arc<PodShape>), word: &str, now: Time) {
        let row = self.rows.entry(key).or_insert_with(|| Refusals {
            count: 0,
            last: now,
            until: now,
            word: word.to_owned(),
            is_over: false,
        });
        // Others of the same try were on their way already: they tell nothing new.
        if row.count == 0 || row.until <= now {
            row.count = row.count.saturating_add(1);
            row.until = now.after(doubled(FIRST, row.count - 1, LONGEST));
        }
        (row.last, row.is_over) = (now, false);
        word.clone_into(&mut row.word);
    }

    /// What is in force now, with ids.
    fn in_force(&self, snap: &Snapshot) -> Rejected {
        let mut rejected = Rejected::new();
        for ((name, shape), row) in self.rows.iter().filter(|(_, row)| !row.is_over) {
            if let Some(node) = snap.nodes().find(name) {
                let nodes = rejected.entry(Arc::clone(shape)).or_default();
                nodes.insert(node, row.word.clone());
            }
        }
        rejected
    }
}

impl Engine {
    /// Hears of a pod before it is taken into the snapshot: a kubelet may have turned it away,
    /// or taken one of its kind.
    pub(crate) fn hear_of_pod(&mut self, event: &Event, now: Time) {
        let Event::Pod(spec) = event else { return };
        let Some(node) = spec.node.as_ref().filter(|_| spec.ours) else { return };
        if let Some(word) = spec.rejected.as_ref().filter(|_| spec.phase == PodPhase::Failed) {
            self.note_rejection(spec, node, word, now);
        } else if spec.phase == PodPhase::Running && !self.avoided.rows.is_empty() {
            self.avoided.rows.remove(&(node.clone(), Arc::clone(&spec.shape)));
        }
    }

    fn note_rejection(&mut self, spec: &PodSpec, node: &str, word: &str, now: Time) {
        let known = self.snapshot.pods().find(&spec.uid).map(|pod| self.snapshot.pods().get(pod));
        if known.is_some_and(|pod| pod.spec.rejected.is_some()) {
            return;
        }
        let at = spec.finished_at.unwrap_or(now);
        let is_old = known.is_none() && at.max(spec.created_at).after(FORGOTTEN_AFTER) <= now;
        if is_old {
            return;
        }
        if let Some(gang) = known.and_then(|pod| pod.gang) {
            let gang = self.snapshot.gangs().get(gang).key.clone();
            let (pod, node) = (spec.uid.clone(), node.to_owned());
            self.rejections.push(Rejection { gang, pod, node, word: word.to_owned() });
        }
        self.avoided.add((node.to_owned(), Arc::clone(&spec.shape)), word, now);
    }

    /// The same try of this pod on this node would end the same for now; in one word why.
    pub fn avoid(&mut self, uid: &str, node: &str, word: &str, now: Time) {
        let Some(pod) = self.snapshot.pods().find(uid) else { return };
        let shape = Arc::clone(&self.snapshot.pods().get(pod).spec.shape);
        self.avoided.add((node.to_owned(), shape), word, now);
    }

    /// Ends what is over, and brings the masks up to date.
    pub(crate) fn end_avoidance(&mut self, now: Time) {
        for row in self.avoided.rows.values_mut() {
            row.is_over |= row.until <= now;
        }
        self.avoided.rows.retain(|_, row| now < row.last.after(FORGOTTEN_AFTER));
        let rejected = self.avoided.in_force(&self.snapshot);
        let before = self.masks.reject(rejected);
        let after = self.masks.rejected();
        let nodes = |of: &Rejected| -> Vec<NodeId> {
            of.values().flat_map(|nodes| nodes.keys().copied()).collect()
        };
        if before == *after {
            return;
        }
        let touched: Vec<NodeId> = nodes(&before).into_iter().chain(nodes(after)).collect();
        let is_less = before.iter().any(|(shape, nodes)| {
            let still = after.get(shape);
            nodes.keys().any(|node| still.is_none_or(|still| !still.contains_key(node)))
        });
        for node in touched {
            if self.snapshot.nodes().live().contains(node) {
                self.snapshot.touch_room(node);
            }
        }
        if is_less {
            self.woken |= EventMask::ROOM_FREED;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_avoided_for_twice_as_long_each_time_it_is_tried_in_vain() {
        let mut avoided = Avoided::default();
        let key = || ("a1".to_owned(), Arc::<PodShape>::default());
        let at = |secs: i64| Time::from_ms(secs * 1000);
        for (now, until) in [(0, 10), (4, 10), (10, 30), (40, 80)] {
            avoided.add(key(), "OutOfcpu", at(now));
            assert_eq!(avoided.next(), Some(at(until)), "rejected after {now} s");
        }
        for _ in 0..20 {
            let now = avoided.next().expect("it is avoided");
            avoided.add(key(), "OutOfcpu", now);
            assert!(avoided.next() <= Some(now.after(LONGEST)));
        }
    }
}
