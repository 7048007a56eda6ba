//! What volume claims have against a pod on a node.
//!
//! Sources: "Persistent Volumes", "Storage Classes", "Node-specific Volume Limits" and "Storage
//! Capacity" of the Kubernetes docs. Which volume a claim gets is not told here, so a placement
//! is allowed if there is any way to serve all late claims of pods that have a place: a claim
//! for which a volume can be made needs none of those that exist.

use super::Cluster;
use super::selector::{selects, term_holds};
use scheduler_model::explain::NodeReason;
use scheduler_model::spec::{
    Attach, ClaimSpec, ClaimState, LateClaim, NodeSpec, PodSpec, Reach, VolumeSpec,
};
use std::collections::{BTreeMap, BTreeSet};

fn keys(pod: &PodSpec) -> Vec<String> {
    pod.claims.iter().map(|claim| format!("{}/{}", pod.namespace, claim.name)).collect()
}

/// Why the pod cannot use one of its claims, wherever it is.
pub(crate) fn unusable_claim(cluster: &Cluster, pod: &PodSpec) -> Option<String> {
    for (wish, key) in pod.claims.iter().zip(keys(pod)) {
        let Some(claim) = cluster.claims.get(&key) else {
            return Some(format!("the claim {key:?} is not there"));
        };
        if wish.is_own && claim.owner.as_ref() != Some(&pod.uid) {
            return Some(format!("the claim {key:?} is of another pod"));
        }
        if let ClaimState::Unready(why) = &claim.state {
            return Some(format!("the claim {key:?} {why}"));
        }
        let holds =
            |(other, _): &(&PodSpec, &str)| other.uid != pod.uid && keys(other).contains(&key);
        if claim.is_once_pod && cluster.holding().any(|other| holds(&other)) {
            return Some(format!("the claim {key:?} is in use"));
        }
    }
    None
}

/// What speaks against the pod on the node.
pub(super) fn claims_against(cluster: &Cluster, pod: &PodSpec, node: &NodeSpec) -> Vec<NodeReason> {
    let claims = keys(pod).into_iter().filter_map(|key| cluster.claims.get(&key));
    let claims: Vec<&ClaimSpec> = claims.collect();
    let mut against = Vec::new();
    for claim in &claims {
        if let ClaimState::Bound(volume) = &claim.state
            && !is_within(&volume.reach, node)
        {
            against.push(NodeReason::VolumeReach);
        }
    }
    against.extend(unserved(cluster, pod, node));
    against.extend(too_many(cluster, pod, node));
    against
}

fn is_within(reach: &Reach, node: &NodeSpec) -> bool {
    reach.as_ref().is_none_or(|terms| terms.iter().any(|term| term_holds(term, node)))
}

/// A late claim, and the nodes of the pods that use it.
struct Open<'a> {
    key: &'a str,
    late: &'a LateClaim,
    nodes: Vec<&'a NodeSpec>,
}

/// A class of which some claim is not served, if this pod has late claims at all.
fn unserved(cluster: &Cluster, pod: &PodSpec, node: &NodeSpec) -> Option<NodeReason> {
    let own = keys(pod);
    let late = |key: &String| match &cluster.claims.get(key)?.state {
        ClaimState::Late(late) => Some((cluster.claims.get_key_value(key)?.0, late)),
        _ => None,
    };
    let mut open: BTreeMap<&str, Open<'_>> = BTreeMap::new();
    for (key, late) in own.iter().filter_map(late) {
        open.insert(key, Open { key, late, nodes: vec![node] });
    }
    let mine: BTreeSet<&str> = open.keys().copied().collect();
    if mine.is_empty() {
        return None;
    }
    for (other, on) in cluster.holding().filter(|(other, _)| other.uid != pod.uid && other.ours) {
        let Some(on) = cluster.nodes.get(on) else { continue };
        for (key, late) in keys(other).iter().filter_map(late) {
            let fresh = || Open { key, late, nodes: Vec::new() };
            open.entry(key).or_insert_with(fresh).nodes.push(on);
        }
    }
    let needy: Vec<&Open<'_>> = open.values().filter(|one| !can_be_made(cluster, one)).collect();
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    for at in 0..needy.len() {
        if !serve(cluster, &needy, at, &mut BTreeSet::new(), &mut taken) {
            let class = needy[at].late.class.clone();
            return Some(NodeReason::NoVolume(class));
        }
    }
    None
}

fn can_be_made(cluster: &Cluster, one: &Open<'_>) -> bool {
    let Some(provision) = &one.late.provision else { return false };
    let has_room = |node: &NodeSpec| {
        !provision.counts_room
            || cluster.pools.values().any(|pool| {
                pool.class == one.late.class
                    && pool.largest >= one.late.bytes
                    && is_within(&pool.reach, node)
            })
    };
    // Where it is made for one of them, the others need no room of their own.
    one.nodes.iter().all(|node| is_within(&provision.reach, node))
        && one.nodes.iter().any(|node| has_room(node))
}

/// Gives the claim a volume, moving others to other volumes if need be.
fn serve<'a>(
    cluster: &'a Cluster,
    needy: &[&Open<'_>],
    at: usize,
    tried: &mut BTreeSet<&'a str>,
    taken: &mut BTreeMap<&'a str, usize>,
) -> bool {
    for volume in cluster.volumes.values().filter(|volume| suits(volume, needy[at])) {
        if !tried.insert(&volume.name) {
            continue;
        }
        let holder = taken.get(volume.name.as_str()).copied();
        if holder.is_none_or(|holder| serve(cluster, needy, holder, tried, taken)) {
            taken.insert(&volume.name, at);
            return true;
        }
    }
    false
}

fn suits(volume: &VolumeSpec, one: &Open<'_>) -> bool {
    let late = one.late;
    volume.class == late.class
        && volume.bytes >= late.bytes
        && volume.is_block == late.is_block
        && late.modes.iter().all(|mode| volume.modes.contains(mode))
        && volume.kept_for.as_deref().is_none_or(|claim| claim == one.key)
        && late.selector.as_ref().is_none_or(|selector| selects(selector, &volume.labels))
        && one.nodes.iter().all(|node| is_within(&volume.reach, node))
}

/// A driver that would have to attach more than it can. Of late claims only those count for
/// which a volume has to be made.
fn too_many(cluster: &Cluster, pod: &PodSpec, node: &NodeSpec) -> Option<NodeReason> {
    if pod.claims.is_empty() {
        return None;
    }
    let others = cluster.holding_on(&node.name).filter(|other| other.uid != pod.uid);
    let there: BTreeSet<Attach> = others.flat_map(|other| attached(cluster, other)).collect();
    let own = attached(cluster, pod);
    node.attach_limits.iter().find_map(|(driver, limit)| {
        let of = |attach: &&Attach| attach.driver == *driver;
        let fresh = own.iter().filter(of).filter(|attach| !there.contains(attach)).count();
        let all = there.iter().filter(of).count() + fresh;
        let is_over = fresh > 0 && u32::try_from(all).is_ok_and(|all| all > *limit);
        is_over.then(|| NodeReason::AttachLimit(driver.clone()))
    })
}

fn attached(cluster: &Cluster, pod: &PodSpec) -> BTreeSet<Attach> {
    let attach = |key: String| match &cluster.claims.get(&key)?.state {
        ClaimState::Bound(volume) => volume.attach.clone(),
        ClaimState::Late(late) if pod.ours => {
            let is_made = cluster.volumes.values().all(|volume| volume.class != late.class);
            let driver = late.provision.as_ref().filter(|_| is_made)?.driver.clone();
            Some(Attach { driver, handle: key })
        }
        _ => None,
    };
    keys(pod).into_iter().filter_map(attach).collect()
}
