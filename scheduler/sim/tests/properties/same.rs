//! Same in, same out: two runs decide the same, and so does one that is told the same objects
//! in another order, because names end every tie.

use crate::change;
use crate::rebuilt::same_lines;
use crate::seeds::{Verdict, on_worlds, shuffled};
use crate::trial::{Trial, told};
use scheduler_core::report::CycleReport;
use scheduler_model::event::Event;
use scheduler_model::world::World;
use scheduler_sim::checker::{Objects, gang_of};
use scheduler_sim::worlds::{Dice, Size};

#[test]
fn two_runs_are_identical() {
    on_worlds(100, Size::SMALL, |world, dice| {
        let seed = dice.roll();
        let (one, two) = (live(world, Dice::new(seed)), live(world, Dice::new(seed)));
        if one.0 != two.0 {
            return Err(format!("two runs differ:\n{:#?}\n{:#?}", one.0, two.0));
        }
        same_lines(&one.1, &two.1)
    });
}

/// What a run decided, and the state it left.
fn live(world: &World, mut dice: Dice) -> (Vec<CycleReport>, Vec<String>) {
    let mut trial = Trial::of(world);
    let mut reports = Vec::new();
    for _ in 0..8 {
        reports.push(trial.cycle());
        trial.pass(100);
        trial.confirm_all();
        for _ in 0..3 {
            if let Some(event) = change::draw(&trial.objects, trial.now, &mut dice) {
                trial.tell(event);
            }
        }
    }
    (reports, trial.engine.snapshot().describe())
}

#[test]
fn the_order_in_which_objects_are_told_changes_no_decision() {
    on_worlds(400, Size::SMALL, order_is_nothing);
}

#[test]
fn the_order_in_which_a_crowd_is_told_changes_no_decision() {
    on_worlds(20, Size { nodes: 30, gangs: 25, queues: 6, pods: 12 }, order_is_nothing);
}

/// The object that an event is about, or the gang.
fn subject(event: &Event, objects: &Objects) -> String {
    let gang = match event {
        Event::Pod(pod) => Some(gang_of(pod)),
        Event::PodGone(uid) => objects.cluster.pods.get(uid).map(gang_of),
        Event::Gang(gang) => Some(gang.key.clone()),
        _ => None,
    };
    gang.map_or_else(|| change::subject(event), |key| format!("{} {key}", key.dialect.name()))
}

fn order_is_nothing(world: &World, dice: &mut Dice) -> Verdict {
    let mut one = Trial::of(world);
    let other = World { events: shuffled(world.events.clone(), dice), ..world.clone() };
    let mut other = Trial::of(&other);
    for round in 0..3 {
        let (here, there) = (one.cycle(), other.cycle());
        // Who was woken for nothing may differ: room that a pod gives up while its node goes is
        // seen in one order only. Nothing comes of it.
        same_lines(&told(&here), &told(&there)).map_err(|it| format!("round {round}:\n{it}"))?;
        if (here.effects, here.decisions) != (there.effects, there.decisions) {
            return Err(format!("round {round}: the same lines, but not the same decisions"));
        }
        let mut news: Vec<Event> = Vec::new();
        for _ in 0..4 {
            let drawn = change::draw(&one.objects, one.now, dice);
            // Two changes of one object in two orders are two different stories, and so are two
            // of one gang: a member that goes is missed only if the minimum needed it.
            let is_new = |event: &Event| {
                let about = |event: &Event| subject(event, &one.objects);
                news.iter().all(|other| about(other) != about(event))
            };
            news.extend(
                drawn.filter(|event| {
                    is_new(event) && change::is_told_by_objects(event, &one.objects)
                }),
            );
        }
        for trial in [&mut one, &mut other] {
            trial.pass(100);
            trial.confirm_all();
            news.iter().for_each(|event| trial.tell(event.clone()));
            news = shuffled(news, dice);
        }
    }
    Ok(())
}
