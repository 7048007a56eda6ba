//! Plays seeds and says which promises were broken.

use scheduler_framework::profile::Profile;
use scheduler_sim::live::play::{Played, play, play_without_mischief};
use std::panic::AssertUnwindSafe;
use std::time::{SystemTime, UNIX_EPOCH};

/// Seeds that once broke a promise, as they were told before there was mischief.
const ONCE_BROKEN: &[u64] = &[
    2156,
    407_898_678_800_639,
    52_338_149_430_500_307,
    52_338_149_430_500_878,
    70_000_000_454,
    70_000_005_881,
    70_000_009_816,
];

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A run that panics says so under its seed.
fn played(seed: u64, profile: &Profile) -> Played {
    let run = std::panic::catch_unwind(AssertUnwindSafe(|| play(seed, profile)));
    run.unwrap_or_else(|_| Played { violations: vec!["panicked".to_owned()], ..Played::default() })
}

fn report(seed: u64, played: &Played) -> String {
    format!("seed {seed}:\n  {}", played.violations.join("\n  "))
}

#[test]
fn no_promise_is_broken_whatever_goes_wrong() {
    let profile = plugins::default_profile();
    if let Some(seed) = number("MUSTER_LIVE_SEED") {
        let played = play(seed, &profile);
        assert!(
            played.violations.is_empty(),
            "{}\n{}",
            played.trace.join("\n"),
            report(seed, &played)
        );
        return;
    }
    let count = number("MUSTER_LIVE_SEEDS").unwrap_or(1_000);
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock runs").as_nanos();
    let base = u64::try_from(clock % 1_000_000_000_000).expect("it is small") * 100_000;
    let threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let threads = u64::try_from(threads).expect("there are few");
    let (mut broken, mut binds, mut evictions) = (Vec::new(), 0, 0);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|worker| {
                let profile = &profile;
                scope.spawn(move || {
                    let mine = (0..count).filter(move |index| index % threads == worker);
                    let seeds = mine.map(|index| base + index);
                    seeds.map(|seed| (seed, played(seed, profile))).collect::<Vec<_>>()
                })
            })
            .collect();
        for worker in workers {
            for (seed, played) in worker.join().expect("a run does not panic") {
                binds += played.binds;
                evictions += played.evictions;
                if !played.violations.is_empty() {
                    broken.push(report(seed, &played));
                }
            }
        }
    });
    println!("{count} seeds from {base}, {binds} binds, {evictions} evictions");
    assert!(binds > usize::try_from(count).expect("it fits"), "the stories are about nothing");
    let shown = broken.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(broken.is_empty(), "{} of {count} seeds:\n{shown}", broken.len());
}

#[test]
fn seeds_that_once_broke_a_promise_keep_it() {
    let profile = plugins::default_profile();
    for seed in ONCE_BROKEN {
        let played = play_without_mischief(*seed, &profile);
        assert!(played.violations.is_empty(), "{}", report(*seed, &played));
    }
}

#[test]
fn a_seed_gives_the_same_run_every_time() {
    let profile = plugins::default_profile();
    for seed in 0..20 {
        let (one, two) = (play(seed, &profile), play(seed, &profile));
        assert_eq!(one.trace, two.trace, "seed {seed}");
    }
}

#[test]
fn stories_are_also_about_volumes_that_are_made_taken_and_given_back() {
    let profile = plugins::default_profile();
    let traces: Vec<String> = (0..60)
        .flat_map(|seed| play(seed, &profile).trace)
        .filter(|it| it.contains("claim "))
        .collect();
    let has = |word: &str| traces.iter().filter(|line| line.contains(word)).count();
    let (made, taken) = (has("bound to made-for"), has("bound to disk"));
    let (asked, given_back) = (has("for Some"), has("for None"));
    assert!(made > 10 && taken > 5, "{made} made, {taken} taken");
    assert!(asked > made && given_back > 5, "{asked} asked for, {given_back} given back");
}
