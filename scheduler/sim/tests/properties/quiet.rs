//! Quiet stays quiet: without news nothing new is decided, and the engine asks to be woken
//! only for moments that change something.

use crate::rebuilt::same_lines;
use crate::seeds::{Verdict, on_worlds};
use crate::trial::Trial;
use scheduler_sim::worlds::Size;

#[test]
fn a_second_cycle_decides_nothing_new() {
    on_worlds(300, Size::SMALL, |world, _| {
        let mut trial = Trial::of(world);
        trial.cycle();
        let before = trial.engine.snapshot().describe();
        says_nothing(&mut trial)?;
        same_lines(&before, &trial.engine.snapshot().describe())
    });
}

#[test]
fn hearing_the_same_again_decides_nothing_new() {
    on_worlds(300, Size::SMALL, |world, _| {
        let mut trial = Trial::of(world);
        trial.cycle();
        trial.confirm_all();
        trial.cycle();
        for pod in trial.objects.cluster.pods.clone().into_values() {
            trial.tell(scheduler_model::event::Event::Pod(Box::new(pod)));
        }
        for event in world.events.iter().filter(|event| !crate::change::is_pod(event)) {
            trial.tell(event.clone());
        }
        says_nothing(&mut trial)
    });
}

#[test]
fn an_engine_that_is_left_alone_falls_asleep() {
    on_worlds(300, Size::SMALL, |world, _| {
        let mut trial = Trial::of(world);
        trial.cycle();
        for _ in 0..20 {
            let Some(time) = trial.engine.wake_at(trial.now) else { return Ok(()) };
            if time <= trial.now {
                return Err(format!("it wants to be woken at {time:?}, it is {:?}", trial.now));
            }
            trial.now = time;
            let report = trial.cycle();
            if !report.effects.is_empty() {
                return Err(format!("time alone made it decide: {report:#?}"));
            }
        }
        Err("it never falls asleep".to_owned())
    });
}

fn says_nothing(trial: &mut Trial) -> Verdict {
    let report = trial.cycle();
    if report.decisions.is_empty() && report.effects.is_empty() {
        return Ok(());
    }
    Err(format!("without news: {:#?}", report.decisions))
}
