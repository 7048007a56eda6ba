//! Promises about volume claims: no pod is bound, and no gang begun, before its claims are.

use super::server::ApiServer;
use super::tally::{Tally, group_of};
use scheduler_model::reach::reaches;
use scheduler_model::spec::{ClaimState, GangSpec};

/// A claim of a pod that is not bound to a volume which its node can use. No claim ever goes
/// back, so no view of the world was ever better.
pub(super) fn unserved(server: &ApiServer, uid: &str, node: &str) -> Option<String> {
    let (pod, node) = (server.pod(uid)?, server.nodes.get(node)?);
    pod.claims.iter().find_map(|claim| {
        let key = format!("{}/{}", pod.namespace, claim.name);
        match &server.store.claims.get(&key)?.state {
            ClaimState::Bound(volume) if reaches(&volume.reach, node) => None,
            ClaimState::Bound(_) => Some(format!("{uid} was bound away from its volume of {key}")),
            _ => Some(format!("{uid} was bound before its claim {key}")),
        }
    })
}

/// A gang that is begun while fewer members than its minimum have all their claims bound.
/// Members that went since do not count against it, and those that succeeded need none.
pub(super) fn begun_early(server: &ApiServer, gang: &GangSpec, tally: &Tally) -> Option<String> {
    let peers = server.pods.values().filter(|pod| group_of(pod) == Some(&gang.key));
    let (served, others): (Vec<_>, Vec<_>) = peers.partition(|pod| {
        let keys = pod.claims.iter().map(|claim| format!("{}/{}", pod.namespace, claim.name));
        let mut claims = keys.filter_map(|key| server.store.claims.get(&key));
        claims.all(|claim| matches!(claim.state, ClaimState::Bound(_)))
    });
    let min = gang.min.saturating_sub(tally.succeeded.values().sum());
    let min = usize::try_from(min).unwrap_or(usize::MAX);
    let is_early = served.len() < min && served.len() + others.len() >= min;
    is_early.then(|| format!("{} was begun with {} members served", gang.key, served.len()))
}
