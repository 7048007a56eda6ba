//! Everything that speaks against one pod on one node, now.
//!
//! Next: `standing.rs` (the node itself), `partner.rs` and `spread.rs` (other pods).

use super::Cluster;
use super::claims::{claims_against, unusable_claim};
use super::cluster::{add, taken_by};
use super::partner::partners_against;
use super::spread::spread_against;
use super::standing::all_against;
use scheduler_model::amount::Amount;
use scheduler_model::explain::NodeReason;
use scheduler_model::spec::{HostPort, NodeSpec, PodSpec, Resources, Unsupported};
use std::fmt;

/// One thing that speaks against a placement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// There is no node of that name.
    NoNode,
    /// The pod names another scheduler.
    NotOurs,
    /// The pod runs on this node already.
    Bound(String),
    /// The pod is finished or terminating.
    Ending,
    /// These scheduling gates are closed.
    Gated(Vec<String>),
    /// The pod uses something that must not be placed yet.
    Unsupported(Unsupported),
    /// The pod cannot use one of its volume claims.
    Claim(String),
    /// What the node says, never [`NodeReason::Fits`].
    Node(NodeReason),
}

/// Everything that speaks against `pod` on `node` in the present state of `cluster`; empty
/// if the placement is allowed. The pod itself never counts among those already there.
#[must_use]
pub fn refusals(cluster: &Cluster, pod: &PodSpec, node: &str) -> Vec<Refusal> {
    let mut refusals = pod_refusals(pod);
    refusals.extend(unusable_claim(cluster, pod).map(Refusal::Claim));
    let Some(spec) = cluster.nodes.get(node) else {
        refusals.push(Refusal::NoNode);
        return refusals;
    };
    let mut reasons: Vec<NodeReason> = cluster
        .queue_against(pod, spec)
        .map(|queue| NodeReason::QueueNodes(queue.to_owned()))
        .into_iter()
        .collect();
    reasons.extend(all_against(&pod.shape, spec));
    reasons.extend(lacks_room(cluster, pod, spec));
    reasons.extend(claims_against(cluster, pod, spec));
    reasons.extend(ports_taken(cluster, pod, node));
    reasons.extend(partners_against(cluster, pod, node));
    reasons.extend(spread_against(cluster, pod, spec));
    refusals.extend(reasons.into_iter().map(Refusal::Node));
    refusals
}

/// What speaks against the pod on any node.
pub(crate) fn pod_refusals(pod: &PodSpec) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    if !pod.ours {
        refusals.push(Refusal::NotOurs);
    }
    if let Some(node) = &pod.node {
        refusals.push(Refusal::Bound(node.clone()));
    }
    if pod.terminating || pod.phase.is_finished() {
        refusals.push(Refusal::Ending);
    }
    if !pod.gates.is_empty() {
        refusals.push(Refusal::Gated(pod.gates.clone()));
    }
    refusals.extend(pod.unsupported.iter().cloned().map(Refusal::Unsupported));
    refusals
}

/// Resources of which too little is free. A resource that the node does not have is zero.
fn lacks_room(cluster: &Cluster, pod: &PodSpec, node: &NodeSpec) -> Vec<NodeReason> {
    let mut used = Resources::new();
    for other in cluster.holding_on(&node.name).filter(|other| other.uid != pod.uid) {
        add(&mut used, &taken_by(other));
    }
    let mut against = Vec::new();
    for (resource, wanted) in taken_by(pod) {
        let whole = node.allocatable.get(&resource).copied().unwrap_or_default();
        let free = whole.minus(used.get(&resource).copied().unwrap_or_default());
        if wanted <= Amount::ZERO || wanted <= free {
            continue;
        }
        against.push(if wanted > whole {
            NodeReason::TooSmall(resource)
        } else {
            NodeReason::Insufficient(resource)
        });
    }
    against
}

fn ports_taken(cluster: &Cluster, pod: &PodSpec, node: &str) -> Vec<NodeReason> {
    if pod.shape.host_ports.is_empty() {
        return Vec::new();
    }
    let taken: Vec<&HostPort> = cluster
        .holding_on(node)
        .filter(|other| other.uid != pod.uid)
        .flat_map(|other| &other.shape.host_ports)
        .collect();
    pod.shape
        .host_ports
        .iter()
        .filter(|port| taken.iter().any(|other| ports_collide(port, other)))
        .map(|port| NodeReason::HostPort(port.port.to_string()))
        .collect()
}

/// Same port and protocol, and the same address or a wildcard on either side.
fn ports_collide(one: &HostPort, other: &HostPort) -> bool {
    let wildcard = |port: &HostPort| port.ip.is_empty() || port.ip == "0.0.0.0";
    one.port == other.port
        && one.protocol == other.protocol
        && (wildcard(one) || wildcard(other) || one.ip == other.ip)
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNode => write!(f, "there is no such node"),
            Self::NotOurs => write!(f, "the pod names another scheduler"),
            Self::Bound(node) => write!(f, "the pod is bound to {node:?} already"),
            Self::Ending => write!(f, "the pod is finished or terminating"),
            Self::Gated(gates) => write!(f, "closed scheduling gates: {}", gates.join(", ")),
            Self::Unsupported(Unsupported::ResourceClaim(name)) => {
                write!(f, "the pod needs the resource claim {name:?}")
            }
            Self::Unsupported(Unsupported::Other(what)) => write!(f, "the pod uses {what}"),
            Self::Claim(what) => write!(f, "{what}"),
            Self::Node(reason) => write!(f, "such nodes {reason}"),
        }
    }
}
