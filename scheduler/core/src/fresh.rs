//! Room kept on fresh nodes for the DaemonSet pods that have not come yet.
//!
//! A node that just joined looks empty, but its DaemonSets are about to land on it; a gang
//! that took their room would keep them out for ever.

use scheduler_model::ids::{GangId, NodeId};
use scheduler_model::resource::Request;
use scheduler_model::snapshot::{Daemon, Snapshot};
use scheduler_model::time::{Span, Time};

/// What to keep free, per node. Nodes without a creation time are not fresh.
#[must_use]
pub fn kept(snap: &Snapshot, now: Time, fresh_for: Span) -> Vec<(NodeId, Request)> {
    if snap.daemons().is_empty() {
        return Vec::new();
    }
    let is_fresh = |node: &NodeId| {
        let created_at = snap.nodes().spec(*node).created_at;
        created_at > Time::ZERO && now < created_at.after(fresh_for)
    };
    let mut kept = Vec::new();
    for node in snap.nodes().live().iter().filter(is_fresh) {
        for (key, daemon) in snap.daemons() {
            if wants(snap, daemon, node) && !is_there(snap, key, node) {
                kept.push((node, daemon.request.clone()));
            }
        }
    }
    kept
}

/// True if the gang is a DaemonSet's pod: it goes first, and may use the room kept for it.
#[must_use]
pub fn is_daemon(snap: &Snapshot, gang: GangId) -> bool {
    let members = &snap.gangs().get(gang).members;
    let only = members.first().filter(|_| members.len() == 1);
    only.is_some_and(|pod| snap.pods().get(*pod).spec.daemon.is_some())
}

/// When the youngest fresh node stops being fresh; `None` without any.
#[must_use]
pub fn until(snap: &Snapshot, now: Time, fresh_for: Span) -> Option<Time> {
    if snap.daemons().is_empty() {
        return None;
    }
    let nodes = snap.nodes().live().iter().map(|node| snap.nodes().spec(node).created_at);
    nodes
        .filter(|created_at| *created_at > Time::ZERO)
        .map(|created_at| created_at.after(fresh_for))
        .filter(|end| now < *end)
        .min()
}

fn wants(snap: &Snapshot, daemon: &Daemon, node: NodeId) -> bool {
    let spec = snap.nodes().spec(node);
    let constraint = snap.constraints().get(daemon.constraint);
    constraint.selects(snap.labels(), node, &spec.name)
        && constraint.untolerated(&spec.taints).is_none()
}

/// True if the daemon's pod holds room on the node.
fn is_there(snap: &Snapshot, key: &str, node: NodeId) -> bool {
    snap.pods().on_node(node).any(|pod| snap.pods().get(pod).spec.daemon.as_deref() == Some(key))
}
