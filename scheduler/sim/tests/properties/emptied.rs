//! Finishing every gang in a `Txn` gives the cluster that has nothing of ours on it, in every
//! index that is worked out from what runs.

use crate::rebuilt::same_lines;
use crate::seeds::on_worlds;
use crate::trial::Trial;
use scheduler_core::txn::Txn;
use scheduler_model::event::Event;
use scheduler_model::ids::GangId;
use scheduler_model::op::Op;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::PodSpec;
use scheduler_model::time::Time;
use scheduler_sim::worlds::Size;

#[test]
fn finishing_all_gangs_empties_every_index() {
    on_worlds(300, Size::SMALL, |world, _| {
        let mut trial = Trial::of(world);
        trial.cycle();
        let mut snap = trial.engine.snapshot().clone();
        let gangs: Vec<GangId> = snap.gangs().iter().map(|(id, _)| id).collect();
        let mut txn = Txn::new(&mut snap);
        gangs.into_iter().for_each(|gang| txn.apply(Op::Finish(gang)));
        let empty = never_placed(&world.events);
        same_lines(&derived(&empty), &derived(txn.view()))
    });
}

/// The same objects, but nothing of ours was ever bound.
fn never_placed(events: &[Event]) -> Snapshot {
    let mut snap = Snapshot::default();
    for event in events {
        let event = match event {
            Event::Pod(pod) if pod.ours => {
                Event::Pod(Box::new(PodSpec { node: None, ..pod.as_ref().clone() }))
            }
            other => other.clone(),
        };
        snap.ingest(event, Time::ZERO);
    }
    snap
}

/// All lines but those that repeat what was told: pods and where they are, gangs and that
/// they are finished.
fn derived(snap: &Snapshot) -> Vec<String> {
    let is_told = |line: &str| {
        line.starts_with("pod ")
            || line.starts_with("gang ")
            || (line.starts_with("node ") && line.contains(" pods: ["))
    };
    snap.describe().into_iter().filter(|line| !is_told(line)).collect()
}
