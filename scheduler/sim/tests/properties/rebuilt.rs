//! Whatever is told in whatever order, the engine's tables are those that the final objects
//! alone would make.

use crate::change;
use crate::seeds::{Verdict, on_worlds, shuffled};
use crate::trial::Trial;
use plugins::default_profile;
use scheduler_core::engine::{Config, Engine};
use scheduler_model::event::{Event, Kind};
use scheduler_model::time::Time;
use scheduler_model::world::World;
use scheduler_sim::checker::Objects;
use scheduler_sim::worlds::{Dice, Size};
use std::collections::BTreeMap;

#[test]
fn the_tables_equal_a_rebuild_after_any_news_and_decisions() {
    on_worlds(250, Size::SMALL, |world, dice| {
        let mut trial = Trial::with(Config::default(), &[]);
        let mut events = shuffled(world.events.clone(), dice);
        events.extend(shuffled(world.events.clone(), dice).into_iter().take(3));
        for event in events {
            trial.tell(event);
        }
        trial.audit()?;
        for _ in 0..15 {
            let did = step(&mut trial, dice);
            trial.audit().map_err(|lines| format!("after {did}:\n{lines}"))?;
        }
        Ok(())
    });
}

/// Something that can happen to an engine at work; says what.
fn step(trial: &mut Trial, dice: &mut Dice) -> String {
    trial.pass(i64::try_from(dice.between(0, 100)).expect("small"));
    match dice.between(0, 9) {
        0 | 1 => {
            trial.cycle();
            "a cycle".to_owned()
        }
        2 if trial.in_flight() > 0 => {
            trial.confirm();
            "a bind that was done".to_owned()
        }
        3 if trial.in_flight() > 0 => {
            trial.refuse();
            "a bind that was refused".to_owned()
        }
        4 if trial.in_flight() > 0 => {
            trial.lose();
            "a bind of unknown end".to_owned()
        }
        5 => relist(trial, dice),
        _ => match change::draw(&trial.objects, trial.now, dice) {
            Some(event) => {
                let did = format!("{event:?}");
                trial.tell(event);
                did
            }
            None => "nothing".to_owned(),
        },
    }
}

/// Lists a kind afresh after a while in which nobody watched.
fn relist(trial: &mut Trial, dice: &mut Dice) -> String {
    let kinds = [
        Kind::Node,
        Kind::Pod,
        Kind::Gang,
        Kind::Queue,
        Kind::Topology,
        Kind::Namespace,
        Kind::Claim,
        Kind::Volume,
        Kind::Pool,
    ];
    let kind = *dice.pick(&kinds);
    let mut listed = all_of(kind, &trial.objects);
    listed.retain(|_| dice.chance(90));
    trial.tell(Event::ListStart(kind));
    for event in shuffled(listed, dice) {
        trial.tell(event);
    }
    trial.tell(Event::ListEnd(kind));
    format!("a fresh list of {kind:?}")
}

fn all_of(kind: Kind, objects: &Objects) -> Vec<Event> {
    let cluster = &objects.cluster;
    match kind {
        Kind::Node => cluster.nodes.values().cloned().map(Box::new).map(Event::Node).collect(),
        Kind::Pod => cluster.pods.values().cloned().map(Box::new).map(Event::Pod).collect(),
        Kind::Gang => objects.gangs.values().cloned().map(Box::new).map(Event::Gang).collect(),
        Kind::Queue => objects.queues.values().cloned().map(Event::Queue).collect(),
        Kind::Topology => objects.topologies.values().cloned().map(Event::Topology).collect(),
        Kind::Namespace => cluster.namespaces.values().cloned().map(Event::Namespace).collect(),
        Kind::Claim => cluster.claims.values().cloned().map(Box::new).map(Event::Claim).collect(),
        Kind::Volume => {
            cluster.volumes.values().cloned().map(Box::new).map(Event::Volume).collect()
        }
        Kind::Pool => cluster.pools.values().cloned().map(Box::new).map(Event::Pool).collect(),
        Kind::PriorityClass | Kind::Daemon | Kind::Budget => Vec::new(),
    }
}

#[test]
fn the_order_of_news_about_different_objects_leaves_no_trace() {
    on_worlds(250, Size::SMALL, |world, dice| {
        let (histories, last) = histories(world, dice);
        let one = described(&interleaved(&histories, dice));
        same_lines(&one, &described(&interleaved(&histories, dice)))?;
        same_lines(&one, &described(&shuffled(last, dice)))
    });
}

/// What happens to each object in turn, and the news that is left in the end.
fn histories(world: &World, dice: &mut Dice) -> (Vec<Vec<Event>>, Vec<Event>) {
    let mut objects = Objects::from_world(world);
    let mut events = world.events.clone();
    for _ in 0..12 {
        let Some(event) = change::draw(&objects, Time::from_ms(1_000_000), dice) else { continue };
        // A gang remembers that members lived between others, so that its run goes on.
        let is_told = change::is_told_by_objects(&event, &objects);
        if is_told && !matches!(event, Event::PodGone(_)) {
            objects.observe(&event);
            events.push(event);
        }
    }
    let mut histories: BTreeMap<String, Vec<Event>> = BTreeMap::new();
    for event in events {
        histories.entry(change::subject(&event)).or_default().push(event);
    }
    let histories: Vec<Vec<Event>> = histories.into_values().collect();
    let last = histories.iter().filter_map(|history| history.last().cloned()).collect();
    (histories, last)
}

/// All histories at once, each in its own order.
fn interleaved(histories: &[Vec<Event>], dice: &mut Dice) -> Vec<Event> {
    let turns = histories.iter().enumerate().flat_map(|(at, events)| vec![at; events.len()]);
    let mut left: Vec<_> = histories.iter().map(|events| events.iter()).collect();
    let turns = shuffled(turns.collect(), dice);
    turns.into_iter().filter_map(|at| left[at].next().cloned()).collect()
}

fn described(events: &[Event]) -> Vec<String> {
    let mut engine = Engine::new(default_profile(), Config::default());
    for event in events {
        engine.observe(event.clone(), Time::ZERO);
    }
    engine.snapshot().describe()
}

pub(crate) fn same_lines(one: &[String], other: &[String]) -> Verdict {
    let missing = one.iter().filter(|line| !other.contains(line)).map(|line| format!("- {line}"));
    let extra = other.iter().filter(|line| !one.contains(line)).map(|line| format!("+ {line}"));
    let lines: Vec<String> = missing.chain(extra).collect();
    if lines.is_empty() { Ok(()) } else { Err(lines.join("\n")) }
}
