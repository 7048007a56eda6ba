//! Capacity, all or nothing, fit, together, limits: every step of every plan is judged on the
//! state just before it, and every state that a cycle leaves is judged as a whole.

use crate::seeds::{Verdict, on_worlds, seeds};
use crate::trial::{Trial, plans};
use crate::{change, seeds::shuffled};
use scheduler_model::world::World;
use scheduler_sim::worlds::{Dice, Feature, Size, random_without};

#[test]
fn a_first_cycle_breaks_nothing() {
    on_worlds(600, Size::SMALL, |world, _| Trial::of(world).judged_cycle().map(drop));
}

#[test]
fn cycles_between_changes_break_nothing() {
    on_worlds(200, Size::SMALL, live);
}

/// Many rounds of news, decisions and answers, the answers often late.
fn live(world: &World, dice: &mut Dice) -> Verdict {
    let mut trial = Trial::of(world);
    for _ in 0..12 {
        trial.judged_cycle()?;
        trial.pass(i64::try_from(dice.between(0, 400)).expect("small"));
        let late = usize::try_from(dice.between(0, 2)).expect("small");
        while trial.in_flight() > late {
            trial.confirm();
        }
        for _ in 0..dice.between(1, 3) {
            if let Some(event) = change::draw(&trial.objects, trial.now, dice) {
                trial.tell(event);
            }
        }
    }
    Ok(())
}

#[test]
fn a_large_crowd_of_gangs_breaks_nothing() {
    let size = Size { nodes: 30, gangs: 25, queues: 6, pods: 12 };
    on_worlds(25, size, |world, dice| {
        let mut trial = Trial::of(world);
        trial.judged_cycle()?;
        trial.confirm_all();
        for event in shuffled(world.events.clone(), dice).into_iter().take(20) {
            trial.tell(event);
        }
        trial.judged_cycle().map(drop)
    });
}

#[test]
fn many_worlds_have_gangs_that_run_and_gangs_that_wait() {
    let (mut run, mut wait, mut elastic) = (0, 0, 0);
    for seed in seeds(300) {
        let report = Trial::of(&random_without(seed, Size::SMALL, Feature::Volumes)).cycle();
        run += u64::from(plans(&report).any(|plan| plan.steps.len() > 1));
        wait += u64::from(plans(&report).count() < report.decisions.len());
        elastic += u64::from(plans(&report).any(|plan| !plan.is_minimum));
    }
    let tried = seeds(300).count();
    if tried >= 300 {
        assert!(run >= 75 && wait >= 150 && elastic >= 30, "{run} run, {wait} wait, {elastic}");
    }
}
