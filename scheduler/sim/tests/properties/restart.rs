//! A restart changes nothing: an engine that knows only the objects as they are now decides
//! and says what the one says that lived through it all. So whoever could be helped by any
//! news was woken by it.

use crate::change;
use crate::explained::said;
use crate::rebuilt::same_lines;
use crate::seeds::{Verdict, on_worlds, seeds};
use crate::trial::{Trial, told};
use scheduler_core::engine::Config;
use scheduler_model::event::Event;
use scheduler_model::explain::{Explanation, WaitReason};
use scheduler_model::world::World;
use scheduler_sim::oracle::questions;
use scheduler_sim::worlds::{Dice, Size};
use std::cell::RefCell;

#[test]
fn after_a_restart_the_engine_does_and_says_the_same() {
    let late = RefCell::new(Vec::new());
    on_worlds(250, Size::SMALL, |world, dice| restart(world, dice, &mut late.borrow_mut()));
    // Asked again, a greedy search that failed may find another way, but hardly ever. A gang
    // that nobody woke is late far more often.
    let late = late.into_inner();
    assert!(late.len() <= 1 + seeds(250).count() / 500, "{}", late.join("\n"));
}

fn restart(world: &World, dice: &mut Dice, late: &mut Vec<String>) -> Verdict {
    let mut trial = Trial::of(world);
    settle(&mut trial);
    for _ in 0..6 {
        let event = change::draw(&trial.objects, trial.now, dice)
            .filter(|event| change::is_told_by_objects(event, &trial.objects));
        let Some(event) = event else { continue };
        let did = change::subject(&event);
        trial.tell(event.clone());
        settle(&mut trial);
        let mut fresh = Trial::with(Config::default(), &as_they_are(&trial));
        let starts = fresh.cycle();
        if !starts.effects.is_empty() {
            late.push(format!("{did} woke too few: {:?}\n{event:?}", told(&starts)));
            return Ok(());
        }
        same_lines(&reasons(&trial)?, &reasons(&fresh)?)
            .map_err(|lines| format!("after news about {did}:\n{lines}\n{event:?}"))?;
    }
    Ok(())
}

/// Cycles until nothing is in flight.
fn settle(trial: &mut Trial) {
    trial.cycle();
    while trial.in_flight() > 0 {
        trial.confirm_all();
        trial.cycle();
    }
}

fn as_they_are(trial: &Trial) -> Vec<Event> {
    let objects = &trial.objects;
    let cluster = &objects.cluster;
    let mut events: Vec<Event> = Vec::new();
    events.extend(cluster.namespaces.values().cloned().map(Event::Namespace));
    events.extend(objects.topologies.values().cloned().map(Event::Topology));
    events.extend(objects.queues.values().cloned().map(Event::Queue));
    events.extend(
        trial.engine.snapshot().daemons().values().map(|it| Event::Daemon(it.spec.clone())),
    );
    let classes = trial.engine.snapshot().priority_classes();
    events.extend(classes.values().cloned().map(Event::PriorityClass));
    events.extend(cluster.nodes.values().cloned().map(|it| Event::Node(Box::new(it))));
    events.extend(objects.gangs.values().cloned().map(|it| Event::Gang(Box::new(it))));
    events.extend(cluster.pods.values().cloned().map(|it| Event::Pod(Box::new(it))));
    events
}

/// What keeps each waiting gang, without the numbers of the moment it was asked. Whether a
/// limit or the nodes are to blame is such a number: later gangs take room and use limits up.
fn reasons(trial: &Trial) -> Result<Vec<String>, String> {
    let line = |(key, _)| said(trial, &key).map(|why| format!("{key}: {}", word(why)));
    questions(&trial.objects).into_iter().map(line).collect()
}

fn word(why: &Explanation) -> String {
    if matches!(why.reason, WaitReason::Limit { .. }) {
        return word_of(&WaitReason::Room);
    }
    word_of(&why.reason)
}

fn word_of(reason: &WaitReason) -> String {
    let reason = format!("{reason:?}");
    reason.split([' ', '(']).next().unwrap_or_default().to_owned()
}
