//! Random worlds, played to their end with every check on.

use super::make::checked;
use scheduler_core::engine::Config;
use scheduler_model::time::Span;
use scheduler_sim::stage::{Options, Stage};
use scheduler_sim::worlds::{Size, random};

fn play(seed: u64, size: Size, options: Options) {
    let mut stage = Stage::new(random(seed, size), options);
    stage.run().unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
    assert!(stage.violations().is_empty(), "seed {seed}: {:#?}", stage.violations());
}

#[test]
fn no_cycle_in_any_random_world_breaks_a_rule() {
    for seed in 0..300 {
        play(seed, Size::SMALL, checked());
    }
}

#[test]
fn no_cycle_breaks_a_rule_where_many_gangs_hold_room() {
    let crowded = Size { nodes: 20, gangs: 16, queues: 5, pods: 8 };
    for secs in [0, 60] {
        let config = Config { hold_after: Span::from_secs(secs), ..Config::default() };
        // Among them 100378, where members above a minimum used to hold room.
        for seed in 100_360..100_385 {
            play(seed, crowded, Options { config: config.clone(), ..checked() });
        }
    }
}
