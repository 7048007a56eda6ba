//! A restart changes nothing: an engine that knows only the objects as they are now, with what
//! was written down on them, decides and says what the one says that lived through it all. So
//! whoever could be helped by any news was woken by it.

use crate::change;
use crate::explained::said;
use crate::rebuilt::same_lines;
use crate::seeds::{Verdict, on_worlds, seeds};
use crate::trial::{Trial, told};
use scheduler_core::engine::Config;
use scheduler_core::view::GangView;
use scheduler_model::event::Event;
use scheduler_model::explain::{Explanation, WaitReason};
use scheduler_model::spec::{GangKey, Ledger, Membership, PodPhase, PodSpec};
use scheduler_model::world::World;
use scheduler_sim::checker::gang_of;
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
        if dice.chance(30) {
            // Nodes may be given up for lost, and repairs may end.
            trial.pass(i64::try_from(dice.between(10, 200)).expect("small"));
        }
        settle(&mut trial);
        let mut fresh = Trial::with_time(Config::default(), &written_down(&trial), trial.now);
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

#[test]
fn what_was_written_down_comes_back_after_a_restart() {
    on_worlds(250, Size::SMALL, |world, dice| {
        let mut trial = Trial::of(world);
        settle(&mut trial);
        for _ in 0..6 {
            // Members that succeeded may go: that is written down. A deleted group is not.
            let event = change::draw(&trial.objects, trial.now, dice)
                .filter(|event| !matches!(event, Event::GangGone(_)));
            if let Some(event) = event {
                trial.tell(event);
            }
            trial.pass(i64::try_from(dice.between(1, 90)).expect("small"));
            if let Some(event) = wear(&trial, dice) {
                trial.tell(event);
            }
            settle(&mut trial);
            let mut fresh = Trial::with_time(Config::default(), &written_down(&trial), trial.now);
            fresh.cycle();
            let (old, new) = remembered(&trial, &fresh);
            same_lines(&old, &new)?;
        }
        Ok(())
    });
}

/// A member succeeds, or the object of one that has is gone.
fn wear(trial: &Trial, dice: &mut Dice) -> Option<Event> {
    let pods = trial.objects.cluster.pods.values();
    let placed: Vec<&PodSpec> = pods.filter(|pod| pod.ours && pod.node.is_some()).collect();
    let pod = *dice.pick(Some(&placed[..]).filter(|placed| !placed.is_empty())?);
    if pod.phase == PodPhase::Succeeded {
        return Some(Event::PodGone(pod.uid.clone()));
    }
    let finished_at = Some(trial.now);
    let ended = PodSpec { phase: PodPhase::Succeeded, finished_at, ..pod.clone() };
    (!pod.phase.is_finished()).then(|| Event::Pod(Box::new(ended)))
}

/// The objects as they are, with what must survive a restart written onto groups, and onto the
/// pods of gangs without one.
fn written_down(trial: &Trial) -> Vec<Event> {
    let view = |key: &GangKey| trial.engine.gang(key);
    let mut events = as_they_are(trial);
    for event in &mut events {
        match event {
            Event::Gang(spec) => {
                spec.ledger = view(&spec.key).map(|view| view.ledger).unwrap_or_default();
            }
            Event::Pod(pod) if pod.ours && !matches!(pod.membership, Membership::Group(_)) => {
                pod.ledger = view(&gang_of(pod)).map(|view| Box::new(view.ledger));
            }
            _ => {}
        }
    }
    events
}

/// What the two know of each gang whose ledger `fresh` could take over. Nothing depends on
/// that of a gang without unfinished members, and where the first member is gone, nothing may
/// tell of those left that they were there with it.
fn remembered(trial: &Trial, fresh: &Trial) -> (Vec<String>, Vec<String>) {
    let mut lines = (Vec::new(), Vec::new());
    for new in fresh.engine.gangs() {
        let Some(old) = trial.engine.gang(&new.key) else { continue };
        let is_void = old.has_object && old.ledger.run < new.ledger.run;
        if new.counts.exist > 0 && old.ledger.age.is_some() && !is_void {
            lines.0.push(line(old));
            lines.1.push(line(new));
        }
    }
    lines
}

fn line(gang: GangView) -> String {
    // Whether it lacks room is found anew.
    let ledger = Ledger { blocked_since: None, ..gang.ledger };
    format!("{}: {ledger:?} {:?}", gang.key, gang.counts)
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
    events
        .extend(trial.engine.snapshot().budgets().iter().map(|it| Event::Budget(it.spec.clone())));
    let classes = trial.engine.snapshot().priority_classes();
    events.extend(classes.values().cloned().map(Event::PriorityClass));
    events.extend(cluster.nodes.values().cloned().map(|it| Event::Node(Box::new(it))));
    let claims = cluster.claims.values().cloned();
    events.extend(claims.map(|it| Event::Claim(Box::new(it))));
    let volumes = cluster.volumes.values().cloned();
    events.extend(volumes.map(|it| Event::Volume(Box::new(it))));
    events.extend(cluster.pools.values().cloned().map(|it| Event::Pool(Box::new(it))));
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
    if matches!(why.reason, WaitReason::Limit { .. } | WaitReason::UserLimit { .. }) {
        return word_of(&WaitReason::Room);
    }
    word_of(&why.reason)
}

fn word_of(reason: &WaitReason) -> String {
    let reason = format!("{reason:?}");
    reason.split([' ', '(']).next().unwrap_or_default().to_owned()
}
