//! Claims that are for one pod at a time, where several members of one gang use them.

use crate::roster::{Roster, rank_order};
use scheduler_model::ids::PodId;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::volume::claims_of;
use std::collections::{BTreeMap, BTreeSet};

/// Of pending members that share such a claim only the first in rank order may be placed.
pub(crate) fn keep_one_each(roster: &mut Roster, snap: &Snapshot) {
    if snap.volumes().is_unused() {
        return;
    }
    let is_once =
        |claim: &String| snap.volumes().claims().get(claim).is_some_and(|claim| claim.is_once_pod);
    let mut users: Vec<(PodId, Vec<String>)> = Vec::new();
    for pod in roster.sets.iter().flat_map(|set| &set.pods) {
        let spec = &snap.pods().get(*pod).spec;
        if !spec.claims.is_empty() {
            let claims: Vec<String> = claims_of(spec).filter(is_once).collect();
            users.extend((!claims.is_empty()).then_some((*pod, claims)));
        }
    }
    users.sort_by(|(a, _), (b, _)| rank_order(snap, *a, *b));
    let mut owners: BTreeMap<String, PodId> = BTreeMap::new();
    let mut late = BTreeSet::new();
    for (pod, claims) in users {
        if let Some((claim, owner)) =
            claims.iter().find_map(|claim| Some((claim, owners.get(claim)?)))
        {
            let owner = &snap.pods().get(*owner).spec.name;
            let why = format!("may be used by one pod at a time, and {owner:?} is to use it");
            roster.unready.insert((claim.clone(), why));
            late.insert(pod);
            continue;
        }
        owners.extend(claims.into_iter().map(|claim| (claim, pod)));
    }
    for pod in &late {
        roster.total.unclaimed += 1;
        if let Some(role) = roster.roles.get_mut(&snap.pods().get(*pod).spec.role) {
            role.unclaimed += 1;
        }
    }
    if !late.is_empty() {
        for set in &mut roster.sets {
            set.pods.retain(|pod| !late.contains(pod));
        }
        roster.sets.retain(|set| set.count() > 0);
    }
}
