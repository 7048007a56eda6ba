//! How far the engine is from the optimum on tiny worlds, by an exact oracle. The engine is
//! greedy by design, so these are ceilings, a little above what was measured; the numbers are
//! printed (`cargo test -p scheduler-sim --test properties gap -- --nocapture`).

use crate::explained::{BUDGET, question};
use crate::seeds::seeds;
use crate::trial::{Trial, plans};
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::explain::WaitReason;
use scheduler_model::spec::GangKey;
use scheduler_model::world::World;
use scheduler_sim::oracle::{Answer, best_count, best_total, feasible, questions};
use scheduler_sim::worlds::{Feature, Size, random, random_but, random_without};
use std::collections::BTreeSet;

/// How often something was so, of how many.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    met: u64,
    of: u64,
}

impl Share {
    fn add(&mut self, met: u64, of: u64) {
        (self.met, self.of) = (self.met + met, self.of + of);
    }

    /// Prints it, and fails above `ceiling` in a thousand, or if too few were looked at.
    #[allow(clippy::print_stderr, reason = "a measurement is for people to read")]
    fn stays_below(self, ceiling: u64, what: &str) {
        let Self { met, of } = self;
        eprintln!("gap: {what}: {met} of {of}");
        // Few chosen seeds say nothing about shares.
        if seeds(1000).count() >= 1000 {
            assert!(of >= 100, "{what}: only {of} were looked at");
            assert!(met * 1000 <= ceiling * of, "{what}: {met} of {of}");
        }
    }
}

#[test]
fn hardly_a_gang_waits_for_room_that_it_could_have() {
    let (mut minimum, mut extras, mut unknown) = (Share::default(), Share::default(), 0);
    for seed in seeds(3000) {
        let waits = Trial::of(&random(seed, Size::TINY)).judged_waits(|objects, why| {
            let Some(Ok(asked)) = question(objects, why) else { return Ok(()) };
            match &why.reason {
                WaitReason::Room => match feasible(&objects.cluster, &asked, BUDGET) {
                    Answer::Yes(binds) => {
                        minimum.add(1, 1);
                        eprintln!("gap: seed {seed}: {why}; the oracle: {binds:?}");
                    }
                    Answer::No => minimum.add(0, 1),
                    Answer::TooLarge => unknown += 1,
                },
                WaitReason::Elastic => match best_count(&objects.cluster, &asked, BUDGET) {
                    Some(best) => extras.add(u64::from(best > 0), 1),
                    None => unknown += 1,
                },
                _ => {}
            }
            Ok(())
        });
        assert_eq!(waits, Ok(()), "seed {seed}");
    }
    minimum.stays_below(4, "gangs that wait for room although there is a way");
    extras.stays_below(10, "gangs whose extras wait although one more would fit");
    assert!(unknown * 50 <= minimum.of, "{unknown} questions were too large");
}

#[test]
fn one_gang_alone_gets_almost_all_the_places_there_are() {
    let size = Size { gangs: 1, ..Size::TINY };
    let (mut lost, mut unknown) = (Share::default(), 0);
    for seed in seeds(2000) {
        let mut trial = Trial::of(&random(seed, size));
        let asked = questions(&trial.objects);
        let cluster = trial.objects.cluster.clone();
        let report = trial.cycle();
        let placed: usize = plans(&report).map(|plan| plan.steps.len()).sum();
        // A gang that gets nothing at all is the other test's business.
        let [(_, Ok(asked))] = &asked[..] else { continue };
        if placed == 0 {
            continue;
        }
        match best_count(&cluster, asked, BUDGET) {
            Some(best) => {
                let missed = u64::from(best) - u64::try_from(placed).expect("few pods");
                lost.add(missed, u64::from(best));
            }
            None => unknown += 1,
        }
    }
    lost.stays_below(5, "places that a gang alone missed");
    assert!(unknown * 50 <= lost.of, "{unknown} questions were too large");
}

#[test]
fn serving_gangs_in_order_costs_few_of_them_their_start() {
    let size = Size { gangs: 4, ..Size::TINY };
    let without = |seed| random_without(seed, size, Feature::Volumes);
    missed_starts(without).stays_below(40, "gangs that could have started in a better order");
    // Volumes are served in order too.
    let with = |seed| uncounted(random_but(seed, size, &[Feature::Guests, Feature::Partitions]));
    missed_starts(with).stays_below(50, "the same, a third of the worlds with volumes");
    // Whoever may go anywhere takes places that others need.
    let with = |seed| uncounted(random(seed, size));
    missed_starts(with).stays_below(70, "the same, a third with queues of few nodes too");
}

/// The same world, but for how many gangs may run: that is no room the oracle could share out.
fn uncounted(mut world: World) -> World {
    for event in &mut world.events {
        if let Event::Queue(queue) = event {
            queue.max_running = None;
            queue.users.iter_mut().for_each(|users| users.max_running = None);
        }
    }
    world
}

fn missed_starts(world: impl Fn(u64) -> World) -> Share {
    let (mut lost, mut unknown) = (Share::default(), 0);
    for seed in seeds(1000) {
        let mut trial = Trial::of(&world(seed));
        let asked: Vec<_> =
            questions(&trial.objects).into_iter().filter_map(|(_, asked)| asked.ok()).collect();
        let asked: Vec<_> = asked.into_iter().filter(|it| !it.has_minimum()).collect();
        let cluster = trial.objects.cluster.clone();
        let report = trial.cycle();
        let started = plans(&report).filter(|plan| plan.is_minimum).count();
        match best_total(&cluster, &asked, BUDGET) {
            Some(best) => {
                let started = u64::try_from(started).expect("few gangs");
                lost.add(u64::from(best).saturating_sub(started), u64::from(best));
            }
            None => unknown += 1,
        }
    }
    assert!(unknown * 10 <= lost.of, "{unknown} questions were too large");
    lost
}

#[test]
fn an_empty_node_more_keeps_hardly_a_gang_from_starting() {
    let mut lost = Share::default();
    for seed in seeds(1000) {
        let world = random(seed, Size::SMALL);
        let before = started(&world);
        let after = started(&with_one_more_node(&world));
        let worse = before.difference(&after).count();
        lost.add(u64::try_from(worse).expect("few"), u64::try_from(before.len()).expect("few"));
    }
    lost.stays_below(20, "gangs that an empty node more keeps from starting");
}

/// Gangs that get their minimum in the first cycle.
fn started(world: &World) -> BTreeSet<GangKey> {
    let report = Trial::of(world).cycle();
    plans(&report).filter(|plan| plan.is_minimum).map(|plan| plan.gang.clone()).collect()
}

/// One more node like the first, but twice as large and under a name of its own.
fn with_one_more_node(world: &World) -> World {
    let mut world = world.clone();
    let first = world.events.iter().find_map(|event| match event {
        Event::Node(node) => Some(node.as_ref().clone()),
        _ => None,
    });
    let mut node = first.expect("every world has a node");
    node.name = "z".to_owned();
    node.labels.insert("kubernetes.io/hostname".to_owned(), "z".to_owned());
    for amount in node.allocatable.values_mut() {
        *amount = Amount::new(amount.units() * 2);
    }
    world.events.push(Event::Node(Box::new(node)));
    world
}
