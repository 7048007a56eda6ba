//! Keeps pods off nodes that take none: cordoned by a person, or not ready.
//!
//! A cordon counts as the taint `node.kubernetes.io/unschedulable:NoSchedule`, so a pod that
//! tolerates that taint may pass. Nothing lets a pod onto a node that is not ready.

use scheduler_framework::profile::Profile;
use scheduler_framework::{Cadence, EventMask, Filter, Plugin, Verdict};
use scheduler_model::explain::NodeReason;
use scheduler_model::ids::{ClassId, NodeId};
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{Taint, TaintEffect};
use std::sync::Arc;

#[derive(Debug)]
struct Unschedulable;

pub(crate) fn install(profile: &mut Profile) {
    profile.filter(Arc::new(Unschedulable));
}

impl Plugin for Unschedulable {
    fn name(&self) -> &'static str {
        "unschedulable"
    }

    fn wakes_on(&self) -> EventMask {
        EventMask::NODE_ADDED | EventMask::NODE_CHANGED
    }
}

impl Filter for Unschedulable {
    fn cadence(&self) -> Cadence {
        Cadence::PerConstraint
    }

    fn accepts(&self, snap: &Snapshot, class: ClassId, node: NodeId) -> Verdict {
        let spec = snap.nodes().spec(node);
        let constraint = snap.constraints().get(snap.classes().get(class).constraint);
        if spec.unschedulable && !constraint.tolerates(&cordon()) {
            return Verdict::Never(NodeReason::Cordoned);
        }
        if !spec.ready {
            return Verdict::Never(NodeReason::NotReady);
        }
        Verdict::Fit
    }
}

/// The taint that stands for a cordon.
fn cordon() -> Taint {
    Taint {
        key: "node.kubernetes.io/unschedulable".to_owned(),
        value: String::new(),
        effect: TaintEffect::NoSchedule,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{build, node, pod, refusal};
    use scheduler_model::spec::{NodeSpec, PodShape, Toleration, TolerationOperator};

    fn toleration(effect: Option<TaintEffect>) -> PodShape {
        let key = "node.kubernetes.io/unschedulable".to_owned();
        let operator = TolerationOperator::Exists;
        let tolerations = vec![Toleration { key, operator, value: String::new(), effect }];
        PodShape { tolerations, ..PodShape::default() }
    }

    fn says(spec: NodeSpec, shape: PodShape) -> Option<NodeReason> {
        let snap = build(vec![spec], vec![pod("p", &[], shape)]);
        refusal(&Unschedulable, &snap, "p", "a")
    }

    #[test]
    fn a_cordoned_node_takes_only_pods_that_tolerate_the_cordon() {
        let cordoned = || NodeSpec { unschedulable: true, ..node("a") };
        let wrong = Some(TaintEffect::NoExecute);
        assert_eq!(says(cordoned(), PodShape::default()), Some(NodeReason::Cordoned));
        assert_eq!(says(cordoned(), toleration(wrong)), Some(NodeReason::Cordoned));
        assert_eq!(says(cordoned(), toleration(Some(TaintEffect::NoSchedule))), None);
        assert_eq!(says(cordoned(), toleration(None)), None);
    }

    #[test]
    fn a_node_that_is_not_ready_takes_no_pod() {
        let unready = NodeSpec { ready: false, ..node("a") };
        assert_eq!(says(unready, toleration(None)), Some(NodeReason::NotReady));
    }

    #[test]
    fn an_open_and_ready_node_takes_any_pod() {
        assert_eq!(says(node("a"), PodShape::default()), None);
    }
}
