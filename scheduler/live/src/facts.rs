//! From what the engine sees of a gang to what the machines need to know.

use scheduler_core::view::{GangView, MemberView, Standing};
use scheduler_protocol::call::{GroupRef, PodRef};
use scheduler_protocol::facts::{GangFacts, MemberFacts};
use scheduler_protocol::status::{Counts, Phase};

/// The facts of one gang.
pub(crate) fn of(view: GangView) -> GangFacts {
    let phase = phase(&view);
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
        queue: view.queue,
        phase,
        min: view.min,
        counts,
        has_started: view.has_started,
        explanation: view.explanation,
        ledger: view.ledger,
    }
}

/// A gang runs once its minimum is bound, not when that was decided.
fn phase(view: &GangView) -> Phase {
    let is_admitted = view.barred_by.is_none();
    let waiting = if is_admitted { Phase::Admitted } else { Phase::Pending };
    match view.standing {
        Standing::Done => Phase::Done,
        Standing::Broken if view.counts.placed > 0 => Phase::Broken,
        Standing::Partial | Standing::Running if view.has_started => Phase::Running,
        _ => waiting,
    }
}

fn member(view: MemberView, namespace: &str) -> MemberFacts {
    let (node, assumed) = if view.is_assumed { (None, view.node) } else { (view.node, None) };
    MemberFacts {
        pod: PodRef { namespace: namespace.to_owned(), name: view.name, uid: view.uid },
        node,
        assumed,
        has_controller: view.has_controller,
        is_lost: view.is_lost,
        is_gated: view.is_gated,
        is_marked: view.is_marked,
        told: view.told,
        ledger: view.ledger,
    }
}
