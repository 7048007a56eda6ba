//! Room kept for a large gang that waited long enough at the head of its line.
//!
//! A gang that could run once enough of what runs now has ended, and that has waited for
//! `holdAfter`, keeps the nodes on which it could run soonest: gangs behind it may not use that
//! room, disjoint work passes. A gang that can never fit holds nothing.
//!
//! The plan finishes running gangs one after the other in a `Txn`, those with the earliest
//! known end first, and takes the shortest prefix after which the gang fits: cost is the
//! logarithm of the number of running gangs times one placement.

use crate::place::Placer;
use crate::place::region::Goal;
use crate::roster::Roster;
use crate::txn::Txn;
use scheduler_model::ids::{ClassId, GangId};
use scheduler_model::op::{Kept, Op};
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::GangKey;
use scheduler_model::time::Time;
use std::sync::Arc;

/// Room kept for one gang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// For whom.
    pub gang: GangId,
    /// Which room.
    pub rooms: Vec<Kept>,
    /// For pods of which classes.
    pub classes: Vec<ClassId>,
    /// What for.
    pub purpose: Purpose,
}

/// What room is kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Its turn: it waited long enough at the head of its line.
    Turn,
    /// Members that a gang lost: others leave it alone wherever they stand in line.
    Repair,
    /// A gang for which others were evicted: others leave it alone in the same way.
    Eviction,
}

/// Gangs that hold room now, those that end first in front.
#[must_use]
pub fn running(snap: &Snapshot) -> Vec<GangId> {
    let mut gangs: Vec<(Time, Time, &GangKey, GangId)> = snap
        .gangs()
        .iter()
        .filter(|(_, gang)| {
            gang.members.iter().any(|pod| snap.pods().get(*pod).place.node().is_some())
        })
        .map(|(id, gang)| {
            let end = snap.expected_end(id).unwrap_or(Time::NEVER);
            let start = snap.started_at(id).unwrap_or(Time::NEVER);
            (end, start, &gang.key, id)
        })
        .collect();
    gangs.sort_unstable();
    gangs.into_iter().map(|(_, _, _, id)| id).collect()
}

impl Placer<'_> {
    /// The room on which the gang could run soonest; `None` if it could not even run once
    /// everything that runs now has ended.
    pub fn plan_hold(
        &mut self,
        txn: &mut Txn<'_>,
        roster: &Roster,
        goal: &Goal,
    ) -> Option<Vec<(ClassId, Kept)>> {
        let own = roster.gang;
        let running: Vec<GangId> =
            running(txn.view()).into_iter().filter(|gang| *gang != own).collect();
        let mut best = self.try_after(txn, roster, goal, &running)?;
        let (mut low, mut high) = (0, running.len());
        while low < high && !self.fuel.is_empty() {
            let middle = low.midpoint(high);
            match self.try_after(txn, roster, goal, &running[..middle]) {
                Some(rooms) => (best, high) = (rooms, middle),
                None => low = middle + 1,
            }
        }
        Some(best)
    }

    /// True if the gang would fit once everything that runs now had ended.
    pub fn could_run(&mut self, txn: &mut Txn<'_>, roster: &Roster, goal: &Goal) -> bool {
        let mut others = running(txn.view());
        others.retain(|gang| *gang != roster.gang);
        self.try_after(txn, roster, goal, &others).is_some()
    }

    fn try_after(
        &mut self,
        txn: &mut Txn<'_>,
        roster: &Roster,
        goal: &Goal,
        ended: &[GangId],
    ) -> Option<Vec<(ClassId, Kept)>> {
        let mark = txn.mark();
        for gang in ended {
            txn.apply(Op::Finish(*gang));
        }
        let rooms = self.try_now(txn, roster, goal);
        txn.rollback(mark);
        rooms
    }

    /// The room on which the gang could run as things stand.
    pub fn try_now(
        &mut self,
        txn: &mut Txn<'_>,
        roster: &Roster,
        goal: &Goal,
    ) -> Option<Vec<(ClassId, Kept)>> {
        let mark = txn.mark();
        let queue = txn.view().gangs().get(roster.gang).queue;
        let attempt = self.place(txn, roster, goal, queue);
        txn.rollback(mark);
        let classes = txn.view().classes();
        let room = |placed: &crate::place::Placed| {
            let class = roster.sets[placed.set].class;
            let request = Arc::new(classes.get(class).request.clone());
            let (node, count) = (placed.node, placed.count);
            (class, Kept { node, request, count, queue: None, gang: None })
        };
        attempt.is_whole.then(|| attempt.placed.iter().map(room).collect())
    }
}
