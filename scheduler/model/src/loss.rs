//! What the engine itself knows of pods and nodes, beside what objects say: nodes given up for
//! lost, pods that rest, runs taken over from what was written down.
//!
//! Invariant: none of it moves room. What a lost pod holds stays charged until its object says
//! otherwise.

use crate::gang::Ghost;
use crate::ids::{ClassId, GangId, NodeId, PodId};
use crate::pod::Place;
use crate::snapshot::Snapshot;
use crate::spec::{PodSpec, RoleTally};
use crate::time::Time;

impl Snapshot {
    /// Gives a node's pods up for lost.
    pub fn give_up(&mut self, node: NodeId) {
        self.nodes.give_up(node);
    }

    /// Takes a [`Snapshot::give_up`] back.
    pub fn take_back(&mut self, node: NodeId) {
        self.nodes.take_back(node);
    }

    /// True if a pod has a place but will not do its work there any more: it goes, or its node
    /// is gone or given up.
    #[must_use]
    pub fn is_lost(&self, id: PodId) -> bool {
        let pod = self.pods.get(id);
        match pod.place {
            Place::Nowhere => false,
            Place::Assumed(node) | Place::Bound(node) => {
                pod.is_releasing() || self.nodes.lost().contains(node)
            }
            // Only a crowded node is there although the pod is adrift. A bind that is under way
            // to a node that is gone leads nowhere.
            Place::Adrift => {
                let is_gone = |name: &String| self.nodes.find(name).is_none();
                pod.is_releasing() || pod.spec.node.as_ref().is_none_or(is_gone)
            }
        }
    }

    /// Lets a pod rest because a bind of it was refused (or ends its rest): it waits, but is not
    /// to be placed.
    pub fn set_refused(&mut self, id: PodId, why: Option<Box<str>>) {
        self.pods.rows[id].refused = why;
    }

    /// Says that a node may take other pods than before, for reasons of the engine's own.
    pub fn touch_room(&mut self, node: NodeId) {
        self.nodes.charged.touch(node);
    }

    /// The class that a pod which is gone would have; live until it is given back.
    pub fn borrow_class(&mut self, spec: &PodSpec, gang: GangId) -> ClassId {
        self.hold_class(spec, Some(gang))
    }

    /// Gives a borrowed class back.
    pub fn return_class(&mut self, class: ClassId) {
        self.drop_class(class);
    }

    /// Takes over what was written down of a gang's current run: that it began at `start`, and
    /// how many of its members had succeeded, as far as their objects are gone by now.
    pub fn recall(&mut self, gang: GangId, start: Time, succeeded: &[RoleTally]) {
        let Some(first) = self.gangs.get(gang).run_start(&self.pods) else { return };
        if start < first {
            self.gangs.rows[gang].bridge = Some((start, first));
        }
        // With the bridge: members that it takes into the run are seen in it.
        let run = self.gangs.get(gang).run(&self.pods);
        let end = first.max(start);
        let gone = succeeded.iter().filter_map(|tally| {
            let seen = run.succeeded.get(&tally.role).copied().unwrap_or(0);
            let count = tally.count.checked_sub(seen).filter(|count| *count > 0)?;
            Some(Ghost { created_at: start, finished_at: end, role: tally.role.clone(), count })
        });
        let gone: Vec<Ghost> = gone.collect();
        self.gangs.rows[gang].ghosts.extend(gone);
    }
}
