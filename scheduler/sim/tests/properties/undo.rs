//! Undo is exact: whatever a `Txn` did, rolling it back leaves an equal snapshot, bit for bit.

use crate::seeds::{Verdict, on_worlds};
use crate::trial::Trial;
use scheduler_core::txn::Txn;
use scheduler_model::ids::{ClassId, GangId, NodeId, PodId, QueueId};
use scheduler_model::op::{Kept, Op, Room};
use scheduler_model::snapshot::Snapshot;
use scheduler_sim::worlds::{Dice, Size};
use std::sync::Arc;

#[test]
fn ops_rolled_back_to_a_mark_leave_no_trace() {
    on_worlds(300, Size::SMALL, |world, dice| {
        let mut trial = Trial::of(world);
        trial.cycle();
        let mut snap = trial.engine.snapshot().clone();
        let start = snap.clone();
        let mut txn = Txn::new(&mut snap);
        nest(&mut txn, 4, dice)?;
        drop(txn);
        is_equal(&snap, &start)
    });
}

/// Does and undoes things between marks, and leaves some things done.
fn nest(txn: &mut Txn<'_>, depth: u64, dice: &mut Dice) -> Verdict {
    for _ in 0..dice.between(1, 5) {
        if let Some(op) = draw(txn.view(), dice) {
            txn.apply(op);
        }
        if depth > 0 && dice.chance(40) {
            let (mark, before) = (txn.mark(), txn.view().clone());
            nest(txn, depth - 1, dice)?;
            txn.rollback(mark);
            is_equal(txn.view(), &before)?;
        }
    }
    Ok(())
}

fn is_equal(snap: &Snapshot, before: &Snapshot) -> Verdict {
    if snap == before {
        return Ok(());
    }
    crate::rebuilt::same_lines(&before.describe(), &snap.describe())?;
    Err(format!("they differ in no line, but:\n{before:?}\n{snap:?}"))
}

/// An op that makes sense now.
fn draw(snap: &Snapshot, dice: &mut Dice) -> Option<Op> {
    let nodes: Vec<NodeId> = snap.nodes().live().iter().collect();
    match dice.between(0, 6) {
        0 => Some(Op::Place(room(snap, &nodes, dice)?)),
        1 => Some(Op::Reserve(room(snap, &nodes, dice)?)),
        2 => {
            let Room { class, node, count, queue, gang } = room(snap, &nodes, dice)?;
            let request = Arc::new(snap.classes().get(class).request.clone());
            Some(Op::Hold(Kept { node, request, count, queue, gang }))
        }
        3 => one_of(&evictable(snap), dice).map(Op::Evict),
        4 | 5 => {
            let gangs = snap.gangs().iter().filter(|(_, gang)| !gang.is_finished);
            let gangs: Vec<GangId> = gangs.map(|(id, _)| id).collect();
            one_of(&gangs, dice).map(Op::Finish)
        }
        _ => {
            let node = one_of(&nodes, dice)?;
            let is_closed = snap.nodes().closed().contains(node);
            Some(if is_closed { Op::Open(node) } else { Op::Close(node) })
        }
    }
}

fn room(snap: &Snapshot, nodes: &[NodeId], dice: &mut Dice) -> Option<Room> {
    let classes: Vec<ClassId> = snap.classes().iter().map(|(id, _)| id).collect();
    let queues: Vec<QueueId> = snap.queues().iter().map(|(id, _)| id).collect();
    let gangs: Vec<GangId> = snap.gangs().iter().map(|(id, _)| id).collect();
    Some(Room {
        class: one_of(&classes, dice)?,
        node: one_of(nodes, dice)?,
        queue: one_of(&queues, dice).filter(|_| dice.chance(70)),
        gang: one_of(&gangs, dice).filter(|_| dice.chance(70)),
        count: u32::try_from(dice.between(1, 3)).expect("small"),
    })
}

fn evictable(snap: &Snapshot) -> Vec<PodId> {
    let holds_room = |gang: Option<GangId>| gang.is_none_or(|id| !snap.gangs().get(id).is_finished);
    let pods = snap.pods().iter().filter(|(_, pod)| {
        pod.place.node().is_some() && !pod.is_releasing() && holds_room(pod.gang)
    });
    pods.map(|(id, _)| id).collect()
}

fn one_of<T: Copy>(choices: &[T], dice: &mut Dice) -> Option<T> {
    if choices.is_empty() { None } else { Some(*dice.pick(choices)) }
}
