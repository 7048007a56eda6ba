//! Nodes that stay silent: when the members on them are given up for lost.
//!
//! A node that is not ready comes back more often than not, so its pods keep their places for
//! [`crate::engine::Config::node_lost_after`]. After that they do not count for their gangs any
//! more; a node that comes back takes all of that back. Their room is never free before.

use crate::engine::Engine;
use scheduler_model::event::Event;
use scheduler_model::ids::{GangId, NodeId};
use scheduler_model::time::Time;
use std::collections::BTreeMap;

/// Nodes that are not ready and not given up yet, with when they will be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Silent {
    due: BTreeMap<NodeId, Time>,
}

impl Silent {
    /// When the next node is given up.
    pub(crate) fn next(&self) -> Option<Time> {
        self.due.values().min().copied()
    }
}

/// The node that a piece of news is about.
pub(crate) fn subject(event: &Event) -> Option<String> {
    match event {
        Event::Node(spec) => Some(spec.name.clone()),
        _ => None,
    }
}

impl Engine {
    /// Follows the readiness of a node about which there was news.
    pub(crate) fn hear_of_node(&mut self, name: &str) {
        let Some(node) = self.snapshot.nodes().find(name) else { return };
        let spec = self.snapshot.nodes().spec(node);
        let since = spec.not_ready_since.filter(|_| !spec.ready);
        match since {
            // Once given up, only a node that is ready again is taken back.
            Some(_) if self.snapshot.nodes().lost().contains(node) => {}
            Some(since) => {
                self.silent.due.insert(node, since.after(self.config.node_lost_after));
            }
            None => {
                self.silent.due.remove(&node);
                if self.snapshot.nodes().lost().contains(node) {
                    self.snapshot.take_back(node);
                    self.stir_members_on(node);
                }
            }
        }
    }

    /// Gives up nodes that have been silent for too long.
    pub(crate) fn give_up_nodes(&mut self, now: Time) {
        let due: Vec<NodeId> =
            self.silent.due.iter().filter(|(_, at)| **at <= now).map(|(node, _)| *node).collect();
        for node in due {
            self.silent.due.remove(&node);
            // The row may have a new tenant by now.
            let is_it = self.snapshot.nodes().live().contains(node) && {
                let spec = self.snapshot.nodes().spec(node);
                let is_due = |since: Time| since.after(self.config.node_lost_after) <= now;
                !spec.ready && spec.not_ready_since.is_some_and(is_due)
            };
            if is_it {
                self.snapshot.give_up(node);
                self.stir_members_on(node);
            }
        }
    }

    /// The gangs of all pods on a node have changed.
    fn stir_members_on(&mut self, node: NodeId) {
        let pods = self.snapshot.pods();
        let gangs: Vec<GangId> = pods.on_node(node).filter_map(|pod| pods.get(pod).gang).collect();
        self.touched.extend(&gangs);
        self.changed.extend(gangs);
    }
}
