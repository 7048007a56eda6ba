//! Random worlds, played to their end with every check on.

use super::make::checked;
use scheduler_sim::stage::Stage;
use scheduler_sim::worlds::{Size, random};

#[test]
fn no_cycle_in_any_random_world_breaks_a_rule() {
    for seed in 0..300 {
        let mut stage = Stage::new(random(seed, Size::SMALL), checked());
        stage.run().unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
        assert!(stage.violations().is_empty(), "seed {seed}: {:#?}", stage.violations());
    }
}
