//! The only ways the snapshot changes inside a cycle, each with its exact reverse.
//!
//! Invariant: `apply` then `revert` in reverse order gives an equal snapshot, bit for bit, in
//! every derived index. An `Op` carries all it takes to undo itself.

use crate::ids::{ClassId, GangId, NodeId, PodId, QueueId};
use crate::relation::Sign;
use crate::resource::Request;
use crate::snapshot::{Charge, Snapshot};
use crate::volume::Service;
use std::sync::Arc;

/// One hypothetical or real change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Takes free room for `count` pods of a class.
    Place(Room),
    /// Takes room that is free or on its way out; bound only once it is really free.
    Reserve(Room),
    /// Keeps room for a gang that waits: nobody else may use it, but nothing is there yet, so
    /// no other index moves. Room that is not free yet may be kept too.
    Hold(Kept),
    /// Gives one placed pod of a class what serves its late claims.
    Serve(Service),
    /// Marks one placed pod's room as on its way out.
    Evict(PodId),
    /// Takes one placed pod away as if it had gone.
    Leave(PodId),
    /// Ends a gang: its members hold no room any more.
    Finish(GangId),
    /// Makes a closed node take pods again.
    Open(NodeId),
    /// Keeps new pods off a node.
    Close(NodeId),
}

/// Room for pods of one class on one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Room {
    /// What they are.
    pub class: ClassId,
    /// Where they go.
    pub node: NodeId,
    /// Whose use it counts as.
    pub queue: Option<QueueId>,
    /// The gang in that queue that they belong to; `None` for no gang's.
    pub gang: Option<GangId>,
    /// How many.
    pub count: u32,
}

/// Room kept for pods that are not there, and may not even exist: their class may be gone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kept {
    /// Where.
    pub node: NodeId,
    /// What each of them wants.
    pub request: Arc<Request>,
    /// How many.
    pub count: u32,
    /// The queue that is to use it, if it counts as that queue's already.
    pub queue: Option<QueueId>,
    /// The gang of it that is to use it, if it counts as its users' already.
    pub gang: Option<GangId>,
}

impl Snapshot {
    /// Carries out `op`. Panics if it makes no sense (evicting twice, opening an open node):
    /// that is a broken promise of the caller.
    pub fn apply(&mut self, op: Op) {
        self.carry_out(op, Sign::Plus);
    }

    /// Takes `op` back; it must be the latest one not yet taken back.
    pub fn revert(&mut self, op: Op) {
        self.carry_out(op, Sign::Minus);
    }

    fn carry_out(&mut self, op: Op, sign: Sign) {
        match op {
            Op::Place(room) | Op::Reserve(room) => self.charge_room(room, sign),
            Op::Hold(kept) => {
                self.keep_free(&kept.request, kept.node, kept.count, sign);
                if let Some(queue) = kept.queue {
                    let flavour = self.nodes.flavour(kept.node);
                    let room = (flavour, &*kept.request, kept.count);
                    self.queues.promise(queue, room, sign);
                    if let Some(row) = kept.gang.and_then(|gang| self.gangs.rows.get(gang)) {
                        self.queues.charge_users(&row.accounts, room, sign);
                    }
                }
            }
            Op::Serve(service) => self.open_service(service, sign),
            Op::Evict(pod) => self.evict(pod, sign),
            Op::Leave(pod) => self.leave(pod, sign),
            Op::Finish(gang) => self.finish(gang, sign),
            Op::Open(node) if sign == Sign::Plus => self.nodes.open(node),
            Op::Close(node) if sign == Sign::Minus => self.nodes.open(node),
            Op::Open(node) | Op::Close(node) => self.nodes.close(node),
        }
    }

    fn charge_room(&mut self, room: Room, sign: Sign) {
        let Room { class, node, queue, gang, count } = room;
        self.charge(Charge { class, node, queue, gang, count, is_releasing: false }, sign);
    }

    fn evict(&mut self, pod: PodId, sign: Sign) {
        let row = self.pods.get(pod);
        assert!(!row.spec.terminating, "a pod that already goes is not evicted");
        assert!(row.is_evicted == (sign == Sign::Minus), "evicting and sparing alternate");
        let charge = self.charge_of(pod);
        assert!(charge.is_some() || sign == Sign::Minus, "only a placed pod is evicted");
        self.pods.rows[pod].is_evicted = sign == Sign::Plus;
        // Its node may have gone meanwhile.
        if let Some(charge) = charge {
            self.charge(charge, Sign::Minus);
            let is_releasing = sign == Sign::Plus;
            self.charge(Charge { is_releasing, ..charge }, Sign::Plus);
        }
        match sign {
            Sign::Plus => self.pods.releasing.insert(pod),
            Sign::Minus => self.pods.releasing.remove(&pod),
        };
    }

    fn leave(&mut self, pod: PodId, sign: Sign) {
        let has_left = self.pods.get(pod).has_left;
        assert!(has_left == (sign == Sign::Minus), "leaving and coming back alternate");
        // `charge_of` answers nothing for a pod that has left.
        self.pods.rows[pod].has_left = false;
        let charge = self.charge_of(pod).expect("only a placed pod leaves");
        self.charge(charge, sign.opposite());
        self.give_served(pod, sign.opposite());
        self.pods.rows[pod].has_left = sign == Sign::Plus;
    }

    fn finish(&mut self, gang: GangId, sign: Sign) {
        let row = self.gangs.get(gang);
        assert!(row.is_finished == (sign == Sign::Minus), "finishing and resuming alternate");
        let members: Vec<PodId> = row.members.iter().copied().collect();
        // `charge_of` answers nothing for members of a finished gang.
        self.gangs.rows[gang].is_finished = false;
        for pod in members {
            if let Some(charge) = self.charge_of(pod) {
                self.charge(charge, sign.opposite());
                self.give_served(pod, sign.opposite());
            }
        }
        self.gangs.rows[gang].is_finished = sign == Sign::Plus;
    }
}
