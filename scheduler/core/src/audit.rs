//! A full check of the snapshot against a rebuild from the objects it was told.

use crate::admit;
use crate::engine::Engine;
use crate::shares::Shares;
use scheduler_model::queue::Branch;
use scheduler_model::snapshot::Snapshot;

/// Lines in which the snapshot differs from a rebuild: `-` is missing, `+` is too much. Empty
/// if all is well. Cost: a rebuild, so for tests, the simulator and a debug endpoint only.
#[must_use]
pub fn audit(snap: &Snapshot) -> Vec<String> {
    let (ours, fresh) = (snap.describe(), snap.rebuilt().describe());
    let lacks = |lines: &[String], line: &String| lines.binary_search(line).is_err();
    let missing = fresh.iter().filter(|line| lacks(&ours, line)).map(|line| format!("- {line}"));
    let extra = ours.iter().filter(|line| lacks(&fresh, line)).map(|line| format!("+ {line}"));
    missing.chain(extra).collect()
}

impl Engine {
    /// Queues whose shares differ from those of a division from nothing, right after a cycle that
    /// came to its end. Cost: every gang, so for tests and the simulator only.
    #[must_use]
    pub fn audit_shares(&self) -> Vec<String> {
        if self.is_unfinished {
            return Vec::new();
        }
        let (mut snap, mut masks) = (self.snapshot.clone(), self.masks.clone());
        let mut fresh = Shares::default();
        for (gang, _) in self.snapshot.gangs().iter() {
            let roster = self.roster(gang);
            if admit::refusal(&self.snapshot, &roster).is_none() {
                let nodes = |class| masks.get(&self.snapshot, &self.profile, class).clone();
                fresh.note(&self.snapshot, &roster, nodes);
            }
        }
        self.plans.tell_awaited(&mut fresh.demand);
        fresh.refresh(&mut snap);
        let (ours, anew) = (self.snapshot.queues(), snap.queues());
        let mut lines = Vec::new();
        if ours.division() != anew.division() {
            lines.push(format!("{:?} is divided as {:?}", anew.division(), ours.division()));
        }
        for (id, row) in ours.iter() {
            for branch in [Branch::Queue(id), Branch::Own(id)] {
                let (ours, anew) = (ours.shares(branch), anew.shares(branch));
                let differs = ours.zip(anew).find(|(ours, anew)| ours != anew);
                let name = &row.spec.name;
                lines
                    .extend(differs.map(|(ours, anew)| format!("queue {name}: {ours:?} {anew:?}")));
            }
        }
        lines
    }
}
