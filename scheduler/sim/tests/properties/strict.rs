//! Queues that are served strictly in order, by the word of the oracle: nobody passes a gang that
//! could run once others had ended, and nobody waits behind one that never could.

use crate::explained::BUDGET;
use crate::seeds::{Verdict, on_worlds, seeds};
use crate::trial::{Trial, plans};
use scheduler_core::view::{GangView, Standing};
use scheduler_model::event::Event;
use scheduler_model::explain::WaitReason;
use scheduler_model::spec::{GangKey, Order};
use scheduler_model::world::World;
use scheduler_sim::checker::{Objects, gang_of};
use scheduler_sim::oracle::{Answer, feasible, questions};
use scheduler_sim::worlds::{Size, random};
use std::collections::BTreeSet;

/// A world all of whose queues are strict.
fn strict(world: &World) -> World {
    let mut world = world.clone();
    for event in &mut world.events {
        if let Event::Queue(queue) = event {
            queue.order = Some(Order::Fifo);
        }
    }
    world
}

/// Could a gang run if everything else had ended that is ours?
fn could_run(objects: &Objects, gang: &GangKey) -> Answer {
    let mut emptied = objects.clone();
    emptied.cluster.pods.retain(|_, pod| {
        let runs = pod.ours && pod.node.is_some() && !pod.phase.is_finished();
        !runs || gang_of(pod) == *gang
    });
    match questions(&emptied).into_iter().find(|(key, _)| key == gang) {
        Some((_, Ok(question))) => feasible(&emptied.cluster, &question, BUDGET),
        _ => Answer::TooLarge,
    }
}

/// Which of two gangs of one queue goes first.
fn goes_before(one: &GangView, other: &GangView) -> bool {
    (-one.priority, one.age) < (-other.priority, other.age)
}

#[test]
fn whoever_waits_behind_a_gang_waits_behind_one_of_its_queue_that_could_run() {
    on_worlds(1500, Size::TINY, |world, _| {
        let mut trial = Trial::of(&strict(world));
        trial.cycle();
        let gangs = trial.engine.gangs();
        for gang in &gangs {
            let Some(WaitReason::Behind { head }) = gang.explanation.as_ref().map(|it| &it.reason)
            else {
                continue;
            };
            judge(&trial.objects, &gangs, gang, head)
                .map_err(|what| format!("{} behind {head}: {what}", gang.key))?;
        }
        Ok(())
    });
}

fn judge(objects: &Objects, gangs: &[GangView], gang: &GangView, head: &GangKey) -> Verdict {
    let head = gangs.iter().find(|it| it.key == *head).ok_or("there is no such gang")?;
    let is = |truth: bool, otherwise: &str| if truth { Ok(()) } else { Err(otherwise.to_owned()) };
    is(head.queue == gang.queue, "it is in another queue")?;
    is(head.standing == Standing::Waiting, "it does not wait")?;
    let is_behind = |it: &GangView| {
        matches!(it.explanation.as_ref().map(|it| &it.reason), Some(WaitReason::Behind { .. }))
    };
    is(!is_behind(head), "it waits behind another itself")?;
    let is_extra = gang.standing != Standing::Waiting;
    is(is_extra || !goes_before(gang, head), "it comes later")?;
    is(could_run(objects, &head.key) != Answer::No, "it could never run")
}

#[test]
fn hardly_a_gang_passes_one_that_could_run() {
    let (mut passed, mut kept) = (0_u32, 0_u32);
    for seed in seeds(1500) {
        let mut trial = Trial::of(&strict(&random(seed, Size::SMALL)));
        let pods = trial.objects.cluster.pods.values();
        let begun: BTreeSet<GangKey> =
            pods.filter(|pod| pod.ours && pod.node.is_some()).map(gang_of).collect();
        let report = trial.cycle();
        let fresh = plans(&report).filter(|plan| plan.is_minimum && !begun.contains(&plan.gang));
        let started: BTreeSet<GangKey> = fresh.map(|plan| plan.gang.clone()).collect();
        let gangs = trial.engine.gangs();
        for head in &gangs {
            let lacks_room = head.explanation.as_ref().is_some_and(|why| {
                matches!(why.reason, WaitReason::Room | WaitReason::Limit { .. })
            });
            if !lacks_room || head.standing != Standing::Waiting {
                continue;
            }
            let behind = gangs.iter().filter(|it| it.queue == head.queue && goes_before(head, it));
            let past = behind.filter(|it| started.contains(&it.key)).count();
            let is_able = matches!(could_run(&trial.objects, &head.key), Answer::Yes(_));
            match (is_able, past) {
                (true, 0) => kept += 1,
                (true, _) => {
                    passed += 1;
                    eprintln!("seed {seed}: {past} passed {}", head.key);
                }
                (false, _) => {}
            }
        }
    }
    if seeds(1500).count() >= 1500 {
        assert!(kept >= 100, "only {kept} gangs stood in front");
        // Both answers may be wrong where a search by hand would find a way: see `gap`.
        assert!(passed * 33 <= kept, "{passed} of {kept} were passed");
    }
}
