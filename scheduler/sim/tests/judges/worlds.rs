//! Random worlds: the same for ever, clean at the start, and worth judging.

use scheduler_model::spec::GangKey;
use scheduler_sim::checker::{Objects, Violation};
use scheduler_sim::oracle::{Answer, Ground, questions};
use scheduler_sim::worlds::{Feature, Size, random, random_of};
use std::collections::BTreeSet;

#[test]
fn one_seed_gives_one_world() {
    for seed in 0..50 {
        assert_eq!(random(seed, Size::SMALL), random(seed, Size::SMALL));
    }
    assert_ne!(random(1, Size::SMALL), random(2, Size::SMALL));
}

#[test]
fn a_world_starts_with_nothing_broken_but_lost_members() {
    for seed in 0..300 {
        let found = Objects::from_world(&random(seed, Size::SMALL)).audit(&BTreeSet::new());
        let lost = |violation: &Violation| matches!(violation, Violation::BelowMin { .. });
        assert!(found.iter().all(lost), "seed {seed}: {found:?}");
    }
}

#[test]
fn every_feature_changes_some_world() {
    let all: Vec<Feature> = Feature::ALL.to_vec();
    for feature in Feature::ALL {
        let rest: Vec<Feature> = all.iter().copied().filter(|other| *other != feature).collect();
        let differs =
            |seed| random_of(seed, Size::SMALL, &all) != random_of(seed, Size::SMALL, &rest);
        assert!((0..50).any(differs), "{feature:?} never occurs");
    }
}

#[test]
fn sizes_are_kept() {
    for seed in 0..100 {
        let objects = Objects::from_world(&random(seed, Size::TINY));
        assert!(objects.cluster.nodes.len() <= 3);
        assert!(objects.queues.len() <= 2);
        let gangs: BTreeSet<GangKey> =
            objects.all_gangs().into_iter().map(|gang| gang.key).collect();
        assert!(gangs.len() <= 2);
    }
}

#[test]
fn a_third_of_all_worlds_has_a_gang_that_fits_and_a_third_one_that_does_not() {
    let (mut fits, mut waits, mut unknown) = (0, 0, 0);
    for seed in 0..500 {
        let objects = Objects::from_world(&random(seed, Size::SMALL));
        let ground = Ground::new(&objects.cluster);
        let mut answers = Vec::new();
        for (_, question) in questions(&objects) {
            // What the nodes need not be asked about waits for certain.
            answers.push(question.map_or(Answer::No, |question| ground.feasible(&question, 300)));
        }
        fits += usize::from(answers.iter().any(|answer| matches!(answer, Answer::Yes(_))));
        waits += usize::from(answers.contains(&Answer::No));
        unknown += usize::from(answers.contains(&Answer::TooLarge));
    }
    assert!(fits >= 150 && waits >= 150, "{fits} fit, {waits} wait, {unknown} too large");
    assert!(unknown < 100, "{fits} fit, {waits} wait, {unknown} too large");
}
