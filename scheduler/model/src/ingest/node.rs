//! Nodes into columns. A node that goes leaves its pods adrift; one that comes takes the pods
//! bound (or about to be bound) to its name.

use crate::ids::{Id, NodeId, PodId};
use crate::pod::Place;
use crate::problem::Problem;
use crate::relation::Sign;
use crate::resource::RESOURCES_MAX;
use crate::snapshot::Snapshot;
use crate::spec::NodeSpec;

impl Snapshot {
    pub(crate) fn upsert_node(&mut self, spec: NodeSpec) {
        let name = spec.name.clone();
        match self.nodes.find(&name) {
            Some(node) if *self.nodes.spec(node) == spec => {}
            Some(node) => {
                let pods: Vec<PodId> = self.pods.on_node(node).collect();
                let is_moved = self.nodes.spec(node).flavour != spec.flavour;
                if is_moved {
                    self.recharge(&pods, Sign::Minus);
                }
                self.nodes.replace(node, spec);
                self.describe_node(node);
                if is_moved {
                    self.recharge(&pods, Sign::Plus);
                }
            }
            None => {
                let node = self.nodes.insert(spec);
                self.describe_node(node);
                for pod in self.pods.adrift.remove(&name).unwrap_or_default() {
                    match self.pods.get(pod).spec.node {
                        Some(_) => self.place_bound(pod, &name),
                        None => self.place(pod, Place::Assumed(node)),
                    }
                }
            }
        }
    }

    pub(crate) fn remove_node(&mut self, name: &str) {
        let Some(node) = self.nodes.find(name) else { return };
        let pods: Vec<PodId> = self.pods.on_node(node).collect();
        for pod in pods {
            // A bind that is under way may still happen: the API takes binds to any node.
            self.unplace(pod);
            self.set_adrift(pod, name);
        }
        for resource in self.nodes.resources() {
            self.nodes.set_allocatable(node, resource, 0);
        }
        self.labels.set_node(node, None);
        self.topology.remove_node(node);
        self.nodes.remove(node);
        self.problems.remove(&format!("node:{name}"));
        self.problems.remove(&format!("crowd:{name}"));
        self.touch(node);
    }

    fn recharge(&mut self, pods: &[PodId], sign: Sign) {
        for pod in pods {
            if let Some(charge) = self.charge_of(*pod) {
                self.charge(charge, sign);
            }
        }
    }

    /// Fills a node's row in every column from its spec.
    fn describe_node(&mut self, node: NodeId) {
        let spec = self.nodes.spec(node).clone();
        self.nodes.set_flavour(node, &spec.flavour);
        let mut refused = Vec::new();
        for name in spec.allocatable.keys() {
            if self.resources.intern(name).is_none() {
                refused.push(name.clone());
            }
        }
        for resource in self.resources.ids() {
            let amount = spec.allocatable.get(self.resources.name(resource));
            let units = amount.map_or(0, |amount| amount.units());
            self.nodes.set_allocatable(node, resource, units);
        }
        self.labels.set_node(node, Some(&spec.labels));
        self.topology.set_node(node, &self.labels);
        let key = format!("node:{}", spec.name);
        if refused.is_empty() {
            self.problems.remove(&key);
        } else {
            self.problems.insert(key, too_many_resources(&spec.name, &refused));
        }
        self.touch(node);
    }

    fn touch(&mut self, node: NodeId) {
        debug_assert!(node.index() < self.nodes.bound());
        self.nodes.described.touch(node);
        self.nodes.charged.touch(node);
    }
}

fn too_many_resources(node: &str, refused: &[String]) -> Problem {
    Problem::new(
        format!("Node {node}"),
        "status.allocatable",
        format!(
            "the cluster has more than {RESOURCES_MAX} distinct resources; ignored here: {}",
            refused.join(", ")
        ),
        "remove device plugins that advertise a resource per device",
    )
}
