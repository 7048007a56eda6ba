//! Keeps pods where the volumes of their bound claims can be used.
//!
//! A volume says by node affinity (or the zone labels of older drivers) which nodes can use it.
//! The answer depends on the node's labels and name alone.

use scheduler_framework::profile::Profile;
use scheduler_framework::{Cadence, EventMask, Filter, Plugin, Verdict};
use scheduler_model::explain::NodeReason;
use scheduler_model::ids::{ClassId, NodeId};
use scheduler_model::snapshot::Snapshot;
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct VolumeReach;

pub(crate) fn install(profile: &mut Profile) {
    profile.filter(Arc::new(VolumeReach));
}

impl Plugin for VolumeReach {
    fn name(&self) -> &'static str {
        "volume_reach"
    }

    fn wakes_on(&self) -> EventMask {
        EventMask::NODE_ADDED | EventMask::NODE_CHANGED
    }
}

impl Filter for VolumeReach {
    fn cadence(&self) -> Cadence {
        Cadence::PerConstraint
    }

    fn concerns(&self, snap: &Snapshot, class: ClassId) -> bool {
        let constraint = snap.classes().get(class).constraint;
        snap.constraints().get(constraint).is_bound_to_places()
    }

    fn accepts(&self, snap: &Snapshot, class: ClassId, node: NodeId) -> Verdict {
        let constraint = snap.constraints().get(snap.classes().get(class).constraint);
        let name = &snap.nodes().spec(node).name;
        if constraint.reaches(snap.labels(), node, name) {
            Verdict::Fit
        } else {
            Verdict::Never(NodeReason::VolumeReach)
        }
    }
}
