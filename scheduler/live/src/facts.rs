//! From what the engine sees of a gang to what the machines need to know.

use scheduler_core::view::{GangView, MemberView, Standing};
use scheduler_model::explain::{Cure, Explanation, WaitReason};
use scheduler_protocol::call::{GroupRef, PodRef};
use scheduler_protocol::facts::{GangFacts, MemberFacts};
use scheduler_protocol::status::{Counts, Phase};

/// The facts of one gang.
pub(crate) fn of(view: GangView) -> GangFacts {
    let phase = phase(&view);
    let explanation = view.explanation.clone().or_else(|| barred(&view));
    let counts = Counts {
        exist: view.counts.exist,
        placed: view.counts.placed,
        running: view.counts.running,
        succeeded: view.counts.succeeded,
        failed: view.counts.failed,
    };
    let namespace = view.key.namespace.clone();
    GangFacts {
        members: view.members.into_iter().map(|it| member(it, &namespace)).collect(),
        group: GroupRef { key: view.key, uid: view.uid },
        has_object: view.has_object,
        generation: view.generation,
        queue: view.queue,
        phase,
        min: view.min,
        counts,
        has_started: view.has_started,
        explanation,
        ledger: view.ledger,
        has_lost_room: view.has_lost_room,
    }
}

/// A gang runs once its minimum is bound, not when that was decided.
fn phase(view: &GangView) -> Phase {
    let is_admitted = view.barred_by.is_none();
    let waiting = if is_admitted { Phase::Admitted } else { Phase::Pending };
    match view.standing {
        Standing::Done => Phase::Done,
        // Evicted for others it is not repaired: it waits for its pods to be made anew.
        Standing::Broken if view.is_evicted => waiting,
        Standing::Broken if view.counts.placed > 0 => Phase::Broken,
        Standing::Partial | Standing::Running if view.has_started => Phase::Running,
        _ => waiting,
    }
}

/// Why a group without pods waits: what it hears from its queue, since whoever makes its pods
/// waits for that.
fn barred(view: &GangView) -> Option<Explanation> {
    let reason = view.barred_by.clone()?;
    let queue = &view.queue;
    let next_step = match &reason {
        WaitReason::Limit { queue, .. } => {
            format!("ask for less, or have the limit of queue {queue:?} raised")
        }
        WaitReason::QueueMissing(_) => {
            format!("create the queue {queue:?}, or name one that exists")
        }
        WaitReason::QueueClosed(_) => format!("open the queue {queue:?}, or name another"),
        WaitReason::QueueContradictory(clash) => clash.remedy(),
        WaitReason::QueueForbidden { queue, namespace } => {
            format!("have queue {queue:?} opened to namespace {namespace:?}, or name another queue")
        }
        _ => format!("mend the parents of the queue {queue:?}"),
    };
    Some(Explanation {
        gang: view.key.clone(),
        reason,
        placeable: 0,
        needed: view.min,
        sets: Vec::new(),
        nearest: None,
        cure: Cure::Queue,
        next_step,
    })
}

fn member(view: MemberView, namespace: &str) -> MemberFacts {
    let (node, assumed) = if view.is_assumed { (None, view.node) } else { (view.node, None) };
    MemberFacts {
        pod: PodRef { namespace: namespace.to_owned(), name: view.name, uid: view.uid },
        node,
        assumed,
        reserved: view.reserved,
        has_controller: view.has_controller,
        is_lost: view.is_lost,
        is_gated: view.is_gated,
        is_marked: view.is_marked,
        told: view.told,
        ledger: view.ledger,
    }
}
