//! Fuel bounds every cycle, whatever the input; what is decided is still whole, and the
//! engine comes to an end.

use crate::seeds::{Verdict, on_worlds};
use crate::trial::Trial;
use scheduler_core::engine::Config;
use scheduler_model::world::World;
use scheduler_sim::oracle::questions;
use scheduler_sim::worlds::Size;

const BUDGETS: [u64; 6] = [1, 3, 10, 30, 100, 1000];

#[test]
fn a_cycle_spends_no_more_than_its_fuel_and_leaves_nothing_half_done() {
    on_worlds(100, Size::SMALL, |world, _| {
        BUDGETS.iter().try_for_each(|fuel| spend(world, *fuel).map(drop))
    });
}

/// Cycles until the engine rests; answers the engine at rest.
fn spend(world: &World, fuel: u64) -> Result<Trial, String> {
    let mut trial = Trial::with(Config { fuel, ..Config::default() }, &world.events);
    for _ in 0..100 {
        let report = trial.judged_cycle()?;
        if report.steps > fuel {
            return Err(format!("{} steps of {fuel}", report.steps));
        }
        if trial.engine.wake_at(trial.now).is_none_or(|time| time > trial.now) {
            return Ok(trial);
        }
    }
    Err(format!("with fuel {fuel} it goes on for ever"))
}

#[test]
fn little_fuel_in_many_cycles_lets_no_gang_wait_in_silence() {
    on_worlds(100, Size::SMALL, |world, _| -> Verdict {
        for fuel in BUDGETS {
            let trial = spend(world, fuel)?;
            for (key, _) in questions(&trial.objects) {
                crate::explained::said(&trial, &key).map_err(|it| format!("fuel {fuel}: {it}"))?;
            }
        }
        Ok(())
    });
}
