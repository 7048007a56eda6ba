//! Which worlds are tried, and how a world that fails becomes a small story.

use scheduler_model::world::World;
use scheduler_sim::worlds::{Dice, Size, random};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a property finds wrong, in words.
pub(crate) type Verdict = Result<(), String>;

/// The seeds to try: `default` many, or what `MUSTER_SEEDS` says (`5000` or `17..18`).
pub(crate) fn seeds(default: u64) -> Range<u64> {
    let Ok(text) = std::env::var("MUSTER_SEEDS") else { return 0..default };
    let number = |text: &str| text.parse().expect("MUSTER_SEEDS is `5000` or `17..18`");
    match text.split_once("..") {
        Some((from, to)) => number(from)..number(to),
        None => 0..number(&text),
    }
}

/// Tries `check` on the worlds of many seeds; the dice of a seed are the same in every try.
pub(crate) fn on_worlds(default: u64, size: Size, check: impl Fn(&World, &mut Dice) -> Verdict) {
    for seed in seeds(default) {
        on_world(seed, random(seed, size), &check);
    }
}

/// Tries `check` on one world; one that fails is made as small as it still fails.
pub(crate) fn on_world(seed: u64, world: World, check: &impl Fn(&World, &mut Dice) -> Verdict) {
    let Err(fault) = attempt(check, &world, seed) else { return };
    let (world, fault) = shrink(check, world, seed, fault);
    let story = scheduler_scenario::dump(&world, "A world that fails");
    panic!("seed {seed}: {fault}\n\n{story}");
}

fn attempt(check: &impl Fn(&World, &mut Dice) -> Verdict, world: &World, seed: u64) -> Verdict {
    // Not the stream that drew the world, or every change would follow from its nodes.
    let mut dice = Dice::new(seed ^ 0x5EED_5EED);
    catch_unwind(AssertUnwindSafe(|| check(world, &mut dice))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panic: {}", text.unwrap_or("without words")))
    })
}

/// Leaves out object after object while the world still fails.
fn shrink(
    check: &impl Fn(&World, &mut Dice) -> Verdict,
    mut world: World,
    seed: u64,
    mut fault: String,
) -> (World, String) {
    let mut is_smaller = true;
    while is_smaller {
        is_smaller = false;
        for at in (0..world.events.len()).rev() {
            let mut less = world.clone();
            less.events.remove(at);
            if let Err(same) = attempt(check, &less, seed) {
                (world, fault, is_smaller) = (less, same, true);
            }
        }
    }
    (world, fault)
}

/// The events in another order.
pub(crate) fn shuffled<T>(mut items: Vec<T>, dice: &mut Dice) -> Vec<T> {
    for at in (1..items.len()).rev() {
        let last = u64::try_from(at).expect("few events");
        items.swap(at, usize::try_from(dice.between(0, last)).expect("few events"));
    }
    items
}
