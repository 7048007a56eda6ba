//! What a driver reads off the engine: what changed, and the whole in numbers.

use crate::change;
use crate::rebuilt::same_lines;
use crate::seeds::{Verdict, on_worlds};
use crate::trial::Trial;
use scheduler_core::view::{GangView, Standing};
use scheduler_model::event::Event;
use scheduler_model::spec::{
    GangKey, GangSpec, Membership, NodeSpec, PodPhase, PodSpec, QueueSpec, QuotaSpec,
};
use scheduler_model::world::World;
use scheduler_model::{amount::Amount, spec::Dialect};
use scheduler_sim::worlds::{Dice, Size};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn a_gang_that_is_not_among_the_touched_looks_as_before() {
    on_worlds(150, Size::SMALL, follow);
}

fn follow(world: &World, dice: &mut Dice) -> Verdict {
    let mut trial = Trial::of(world);
    let mut seen: BTreeMap<GangKey, String> = BTreeMap::new();
    for _ in 0..12 {
        match dice.between(0, 3) {
            0 => trial.confirm_all(),
            1 if trial.in_flight() > 0 => trial.refuse(),
            2 => trial.pass(i64::try_from(dice.between(1, 70)).expect("small")),
            _ => {
                if let Some(event) = change::draw(&trial.objects, trial.now, dice) {
                    trial.tell(event);
                }
            }
        }
        trial.cycle();
        let touched: BTreeSet<GangKey> = trial.engine.take_touched().into_iter().collect();
        let now = looks(&trial);
        let untouched = |views: &BTreeMap<GangKey, String>| -> Vec<String> {
            let left = views.iter().filter(|(key, _)| !touched.contains(*key));
            left.map(|(_, look)| look.clone()).collect()
        };
        same_lines(&untouched(&seen), &untouched(&now))?;
        seen = now;
    }
    Ok(())
}

/// All that is written down or told of each gang. Its priority is not.
fn looks(trial: &Trial) -> BTreeMap<GangKey, String> {
    let views = trial.engine.gangs().into_iter();
    views
        .map(|view| (view.key.clone(), format!("{:?}", GangView { priority: 0, ..view })))
        .collect()
}

#[test]
fn the_census_counts_the_gangs_that_wait_and_the_room_there_is() {
    on_worlds(100, Size::SMALL, |world, _| {
        let mut trial = Trial::of(world);
        trial.cycle();
        trial.confirm_all();
        trial.cycle();
        let census = trial.engine.census(trial.now);
        let waits = |view: &GangView| {
            let is_short = matches!(view.standing, Standing::Waiting | Standing::Broken);
            let min = view.counts.placed + view.counts.succeeded < view.min;
            is_short && min && view.explanation.is_some()
        };
        let waiting = trial.engine.gangs().iter().filter(|view| waits(view)).count();
        let counted: u32 = census.pending.values().sum();
        if usize::try_from(counted).is_ok_and(|counted| counted < waiting) {
            return Err(format!("{waiting} gangs wait, {census:?}"));
        }
        for (name, nodes) in &census.nodes {
            let sum = world.events.iter().filter_map(|event| match event {
                Event::Node(node) => node.allocatable.get(name),
                _ => None,
            });
            let sum: i64 = sum.map(|amount| amount.units()).sum();
            if nodes.capacity != Amount::new(sum) || nodes.free > nodes.capacity {
                return Err(format!("{name}: {nodes:?}, but nodes offer {sum}"));
            }
        }
        Ok(())
    });
}

#[test]
fn a_release_is_counted_and_the_next_run_goes_on_with_its_age() {
    let (key, mut trial) = pair();
    trial.cycle();
    trial.confirm_all();
    trial.cycle();
    let before = trial.engine.gang(&key).expect("it runs");
    assert!(before.has_started);
    trial.engine.released(&key, 1);
    for name in ["p0", "p1"] {
        trial.tell(Event::PodGone(member(&key, name, 0).uid));
    }
    trial.cycle();
    trial.pass(5);
    let later = trial.now.ms();
    for name in ["q0", "q1"] {
        trial.tell(Event::Pod(Box::new(member(&key, name, later))));
    }
    trial.cycle();
    let after = trial.engine.gang(&key).expect("its pods are back");
    assert_eq!((after.age, after.ledger.releases), (before.age, 1));
    assert_eq!(after.members.iter().filter(|member| member.is_assumed).count(), 2);
}

#[test]
fn a_plain_gang_goes_on_with_its_age_although_all_its_pods_were_gone_for_a_moment() {
    let key = GangKey {
        namespace: "blue".to_owned(),
        name: "job/train".to_owned(),
        dialect: Dialect::Plain,
    };
    let mut trial = Trial::with(Default::default(), &[Event::Node(Box::new(node()))]);
    trial.tell(Event::Pod(Box::new(member(&key, "p0", 1000))));
    trial.cycle();
    trial.engine.released(&key, 1);
    trial.tell(Event::PodGone(member(&key, "p0", 0).uid));
    trial.cycle();
    assert_eq!(trial.engine.gang(&key), None);
    trial.pass(5);
    trial.tell(Event::Pod(Box::new(member(&key, "p1", trial.now.ms()))));
    trial.cycle();
    let after = trial.engine.gang(&key).expect("its pod is back");
    assert_eq!((after.age.map(|age| age.ms()), after.ledger.releases), (Some(1000), 1));
}

#[test]
fn a_group_without_pods_is_barred_by_its_queue_and_taken_for_good_once_it_has_pods() {
    let (key, mut trial) = pair();
    let barred = |trial: &Trial| trial.engine.gang(&key).expect("it exists").barred_by;
    let gang = |wants| GangSpec {
        min_resources: [("cpu".to_owned(), Amount::new(wants))].into(),
        queue: Some("q".to_owned()),
        ..GangSpec::plain(key.clone())
    };
    let word = |trial: &Trial| barred(trial).map(|why| why.word());
    for name in ["p0", "p1"] {
        trial.tell(Event::PodGone(member(&key, name, 0).uid));
    }
    trial.tell(Event::Gang(Box::new(gang(4000))));
    assert_eq!(word(&trial), Some("queue-missing"));
    let limit = |amount| QuotaSpec::limit(None, "cpu", Amount::new(amount));
    let queue = QueueSpec { quotas: vec![limit(3000)], ..QueueSpec::named("q") };
    trial.tell(Event::Queue(queue.clone()));
    assert_eq!(word(&trial), Some("limit"));
    trial.tell(Event::Gang(Box::new(gang(3000))));
    assert_eq!(word(&trial), None);
    trial.tell(Event::Queue(QueueSpec { open: false, ..queue }));
    assert_eq!(word(&trial), Some("queue-closed"));
    trial.tell(Event::Pod(Box::new(member(&key, "p2", 2000))));
    assert_eq!(word(&trial), None);
}

fn node() -> NodeSpec {
    NodeSpec {
        name: "n1".to_owned(),
        ready: true,
        allocatable: [("pods".to_owned(), Amount::new(10))].into(),
        ..NodeSpec::default()
    }
}

/// A gang of two, and a node that has room for it.
fn pair() -> (GangKey, Trial) {
    let (namespace, name) = ("blue".to_owned(), "pair".to_owned());
    let key = GangKey { namespace, name, dialect: Dialect::Muster };
    let gang = GangSpec { min: 2, ..GangSpec::plain(key.clone()) };
    let mut events = vec![Event::Node(Box::new(node())), Event::Gang(Box::new(gang))];
    for name in ["p0", "p1"] {
        events.push(Event::Pod(Box::new(member(&key, name, 1000))));
    }
    let trial = Trial::with(Default::default(), &events);
    (key, trial)
}

fn member(gang: &GangKey, name: &str, created_ms: i64) -> PodSpec {
    let membership = match gang.dialect {
        Dialect::Plain => Membership::Owner(gang.clone()),
        _ => Membership::Group(gang.clone()),
    };
    PodSpec {
        membership,
        phase: PodPhase::Pending,
        created_at: scheduler_model::time::Time::from_ms(created_ms),
        ..PodSpec::new(&gang.namespace, name)
    }
}
