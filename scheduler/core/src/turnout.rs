//! How many gangs of a queue may run at once, in all and of each user.
//!
//! A gang that runs is never stopped by it, whether it grows or is repaired. One that does not
//! waits while as many as may run do, and among those count gangs that keep room for themselves:
//! nobody may take the place of a gang for which others were evicted, or whose turn it is.
//!
//! Invariant: in a cycle, whoever keeps room for a plan or its turn is promised a start in the
//! snapshot before the next gang is considered.

use crate::admit::Refusal;
use crate::engine::Engine;
use crate::hold::Purpose;
use crate::roster::Roster;
use scheduler_framework::EventMask;
use scheduler_model::explain::{Cure, WaitReason};
use scheduler_model::ids::GangId;
use scheduler_model::queue::Crowd;
use scheduler_model::snapshot::Snapshot;
use std::collections::BTreeSet;

/// The refusal of a gang whose queue, or one above it, runs as many as it may.
pub(crate) fn refusal(snap: &Snapshot, roster: &Roster) -> Option<Refusal> {
    let gang = snap.gangs().get(roster.gang);
    if gang.holding > 0 {
        return None;
    }
    let own = u32::from(gang.is_promised);
    let Crowd { queue, user, running, most } =
        snap.queues().crowd(gang.queue?, &gang.accounts, own)?;
    let queue = snap.queues().get(queue).spec.name.clone();
    let next_step = match &user {
        None => format!("wait for gangs of queue {queue:?} to end, or raise its maxRunning"),
        Some(user) => format!(
            "wait for gangs of user {user:?} to end, or raise users.maxRunning of queue {queue:?}"
        ),
    };
    let wakes_on = EventMask::QUEUE_CHANGED | EventMask::GANG_CHANGED | EventMask::POLICY_CHANGED;
    let reason = WaitReason::Running { queue, user, running, most };
    Some(Refusal { reason, cure: Cure::Queue, next_step, wakes_on })
}

impl Engine {
    /// Promises a start to all that keep room for a plan or for their turn, and to nobody else.
    pub(crate) fn keep_promises(&mut self) {
        let keeps = self.holds.iter().filter(|hold| hold.purpose != Purpose::Repair);
        // A plan that needs another hold keeps its place meanwhile: its victims are on their way.
        let keeps: BTreeSet<GangId> =
            keeps.map(|hold| hold.gang).chain(self.planned_gangs()).collect();
        let before = std::mem::replace(&mut self.promised, keeps);
        for gang in before.difference(&self.promised) {
            if self.snapshot.end_promise(*gang) {
                // Its place may be free.
                self.woken |= EventMask::QUEUE_CHANGED;
            }
        }
        for gang in &self.promised {
            self.snapshot.promise_start(*gang);
        }
    }

    /// Gangs that wait for something else in queues that run as many as they may by now: they are
    /// to hear of it, and want no share until that changes.
    pub(crate) fn shut_out(&mut self) -> Vec<GangId> {
        let filled = self.snapshot.take_filled_queues();
        if filled.is_empty() {
            return Vec::new();
        }
        let (snap, memory) = (&self.snapshot, &self.memory);
        let is_out = |gang: &&GangId| {
            let row = snap.gangs().get(**gang);
            let Some(queue) = row.queue.filter(|_| row.holding == 0) else { return false };
            // Whoever waits for itself would not start anyway.
            let was_tried = memory[*gang].explanation.as_ref().is_some_and(|why| {
                use WaitReason::{Behind, Evicting, Fuel, Held, Limit, Room, UserLimit};
                matches!(why.reason, Room | Fuel | Held { .. } | Behind { .. } | Evicting { .. })
                    || matches!(why.reason, Limit { .. } | UserLimit { .. })
            });
            let own = u32::from(row.is_promised);
            was_tried
                && snap.queues().ids_up(queue).any(|id| filled.contains(&id))
                && snap.queues().crowd(queue, &row.accounts, own).is_some()
        };
        self.waiting.iter().filter(is_out).copied().collect()
    }
}
