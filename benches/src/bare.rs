//! Placing alone: a gang's roster onto a snapshot in a `Txn`, and back. No line, no effects,
//! no names: what the rest of a cycle costs is the difference to [`crate::stage`].

use crate::stage::Stage;
use scheduler_core::fuel::Fuel;
use scheduler_core::mask::Masks;
use scheduler_core::place::region::Goal;
use scheduler_core::place::{Placer, Scratch};
use scheduler_core::roster::Roster;
use scheduler_core::txn::Txn;
use scheduler_framework::profile::Profile;
use scheduler_model::op::{Op, Room};
use scheduler_model::pod::Pod;
use scheduler_model::snapshot::Snapshot;
use std::collections::BTreeSet;

/// Gangs that wait on a snapshot of their own.
#[derive(Debug)]
pub struct Bare {
    snapshot: Snapshot,
    profile: Profile,
    masks: Masks,
    scratch: Scratch,
    rosters: Vec<Roster>,
}

impl Bare {
    /// The gangs that wait on the stage, on a copy of its snapshot.
    #[must_use]
    pub fn of(stage: &Stage) -> Self {
        let snapshot = stage.engine().snapshot().clone();
        let pending = snapshot.pods().iter().filter(|(_, pod)| Pod::is_pending(pod));
        let gangs: BTreeSet<_> = pending.filter_map(|(_, pod)| pod.gang).collect();
        let rosters = gangs.iter().map(|gang| Roster::of(&snapshot, *gang, None)).collect();
        let profile = stage.engine().profile().clone();
        let (masks, scratch) = (Masks::default(), Scratch::default());
        Self { snapshot, profile, masks, scratch, rosters }
    }

    /// Places all gangs one after the other and takes all of it back; answers how many
    /// members were placed.
    pub fn place_and_undo(&mut self) -> u32 {
        let mut fuel = Fuel::new(u64::MAX);
        let mut txn = Txn::new(&mut self.snapshot);
        let mut placer = Placer {
            profile: &self.profile,
            masks: &mut self.masks,
            fuel: &mut fuel,
            scratch: &mut self.scratch,
        };
        let mut count = 0;
        for roster in &self.rosters {
            let queue = txn.view().gangs().get(roster.gang).queue;
            let attempt = placer.place(&mut txn, roster, &Goal::minimum(roster), queue);
            count += attempt.count();
        }
        count
    }

    /// One op for each waiting pod of the first gang, spread over the nodes.
    #[must_use]
    pub fn ops(&self) -> Vec<Op> {
        let roster = self.rosters.first().expect("a gang waits");
        let queue = self.snapshot.gangs().get(roster.gang).queue;
        let classes = roster.sets.iter().flat_map(|set| set.pods.iter().map(|_| set.class));
        let nodes: Vec<_> = self.snapshot.nodes().live().iter().collect();
        classes
            .zip(nodes.iter().cycle())
            .map(|(class, node)| {
                Op::Place(Room { class, node: *node, queue, gang: None, count: 1 })
            })
            .collect()
    }

    /// Carries these ops out in a `Txn` and takes them back.
    pub fn apply_and_undo(&mut self, ops: &[Op]) {
        let mut txn = Txn::new(&mut self.snapshot);
        for op in ops {
            txn.apply(op.clone());
        }
    }
}
