//! Gives claims that are bound late a volume, and each driver no more volumes than it attaches.
//!
//! A late claim is served by a volume that exists and that nobody took: the smallest that is
//! large enough, then the first by name. Else by one that can be made there, with room for it
//! where the driver counts. A volume that several pods of one node use is attached once.
//!
//! Whether a pod can use its claims at all (a claim that is missing, not ready, or in use where
//! only one pod may use it) is no question of nodes: the engine asks before.

use scheduler_framework::profile::Profile;
use scheduler_framework::{Cadence, EventMask, Filter, Plugin, Verdict};
use scheduler_model::ids::{ClassId, NodeId};
use scheduler_model::snapshot::Snapshot;
use std::sync::Arc;

#[derive(Debug)]
struct Volumes;

pub(crate) fn install(profile: &mut Profile) {
    profile.filter(Arc::new(Volumes));
}

impl Plugin for Volumes {
    fn name(&self) -> &'static str {
        "volumes"
    }

    fn wakes_on(&self) -> EventMask {
        EventMask::NODE_ADDED
            | EventMask::NODE_CHANGED
            | EventMask::ROOM_FREED
            | EventMask::VOLUME_CHANGED
    }
}

impl Filter for Volumes {
    fn cadence(&self) -> Cadence {
        Cadence::PerPlacement
    }

    fn concerns(&self, snap: &Snapshot, class: ClassId) -> bool {
        snap.counts_volumes(class)
    }

    fn is_local(&self, snap: &Snapshot, class: ClassId) -> bool {
        snap.serves_node_by_node(class)
    }

    fn accepts(&self, snap: &Snapshot, class: ClassId, node: NodeId) -> Verdict {
        match snap.serve(class, node) {
            Ok(_) => Verdict::Fit,
            Err(reason) if reason.is_cured_by_room() => Verdict::Unfit(reason),
            Err(reason) => Verdict::Never(reason),
        }
    }
}

#[cfg(test)]
mod tests;
