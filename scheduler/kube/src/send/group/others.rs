//! The words of other dialects: what their controllers and users look for in a status.

use super::{camel, condition, lacks_nodes, sentence};
use crate::send::when;
use scheduler_model::explain::WaitReason;
use scheduler_protocol::call::GroupRef;
use scheduler_protocol::status::{GroupStatus, Phase};
use serde_json::{Value, json};

/// `PodGroupInitiallyScheduled`: true once the group had its minimum in place, and for ever.
/// Nothing is said of a group that neither started nor waits for a known reason.
pub(super) fn initially_scheduled(status: &GroupStatus) -> Option<Value> {
    const KIND: &str = "PodGroupInitiallyScheduled";
    if status.has_started {
        return Some(condition(KIND, true, "Scheduled", status));
    }
    let why = &status.explanation.as_ref()?.reason;
    // Autoscalers may act on this word, so it stands only where nodes are missing.
    let reason = if lacks_nodes(why) { "Unschedulable".to_owned() } else { camel(why.word()) };
    Some(condition(KIND, false, &reason, status))
}

/// Phase, counts and conditions of a Volcano PodGroup.
pub(super) fn volcano(group: &GroupRef, status: &GroupStatus) -> Value {
    let phase = match status.phase {
        Phase::Pending => "Pending",
        Phase::Admitted => "Inqueue",
        Phase::Running => "Running",
        Phase::Broken => "Unknown",
        Phase::Done => "Completed",
    };
    let condition = |kind: &str, reason: &str, message: &str| {
        json!({
            "type": kind,
            "status": "True",
            "reason": reason,
            "message": message,
            // Names the decision, as the uid of a scheduling pass does there.
            "transitionID": format!("{}-{:x}", group.uid, status.since.ms()),
            "lastTransitionTime": when::seconds(status.since),
        })
    };
    let has_minimum = matches!(status.phase, Phase::Running | Phase::Done);
    let conditions = match &status.explanation {
        _ if has_minimum => vec![condition("Scheduled", "Scheduled", "pod group is ready")],
        Some(why) => {
            let reason = match &why.reason {
                WaitReason::Members { role: None, .. } => "NotEnoughTasks".to_owned(),
                WaitReason::Members { role: Some(_), .. } => "NotEnoughPodsOfTask".to_owned(),
                reason if lacks_nodes(reason) => "NotEnoughResources".to_owned(),
                reason => camel(reason.word()),
            };
            vec![condition("Unschedulable", &reason, &sentence(status))]
        }
        None if status.phase == Phase::Broken => {
            vec![condition("Unschedulable", "PodDeleted", &sentence(status))]
        }
        None => Vec::new(),
    };
    json!({
        "phase": phase,
        "running": status.counts.running,
        "succeeded": status.counts.succeeded,
        "failed": status.counts.failed,
        "conditions": conditions,
    })
}

/// Phase and counts of a coscheduling PodGroup, in the words that all its versions share.
pub(super) fn coscheduling(status: &GroupStatus) -> Value {
    let counts = &status.counts;
    let phase = match status.phase {
        Phase::Pending | Phase::Admitted if counts.exist < status.min => "Pending",
        Phase::Pending | Phase::Admitted => "Scheduling",
        Phase::Running if counts.running.saturating_add(counts.succeeded) < status.min => {
            "Scheduling"
        }
        Phase::Running => "Running",
        Phase::Broken => "Unknown",
        Phase::Done if counts.failed > 0 => "Failed",
        Phase::Done => "Finished",
    };
    json!({
        "phase": phase,
        "running": counts.running,
        "succeeded": counts.succeeded,
        "failed": counts.failed,
    })
}
