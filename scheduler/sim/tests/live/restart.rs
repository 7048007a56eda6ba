//! What a process finds again of what the one before it knew, and what it writes for that.

use crate::alone::{Alone, START, group, member};
use scheduler_model::event::Event;
use scheduler_model::spec::{Dialect, GangKey, GangSpec, Ledger};
use scheduler_model::time::Span;

const MINUTE: Span = Span::from_secs(60);

/// A gang of so many members, on a cluster with one node too few for it.
fn waits(size: usize) -> (Alone, GangKey) {
    let mut alone = Alone::new(size - 1);
    let min = u32::try_from(size).expect("it is small");
    let spec = group(Dialect::Muster, "g", min);
    let key = spec.key.clone();
    alone.change(Event::Gang(Box::new(spec)));
    for index in 0..size {
        come(&mut alone, &key, index);
    }
    alone.pass(MINUTE);
    (alone, key)
}

fn come(alone: &mut Alone, key: &GangKey, index: usize) {
    let pod = member(key, &format!("p{index}"), alone.now);
    alone.change(Event::Pod(Box::new(pod)));
}

/// A member goes, and one that is younger than all comes.
fn replace(alone: &mut Alone, key: &GangKey, (old, new): (usize, usize)) {
    let pod = member(key, &format!("p{old}"), alone.now);
    alone.change(Event::PodGone(pod.uid));
    come(alone, key, new);
}

#[test]
fn a_gang_keeps_its_age_over_a_restart_after_all_its_first_members_were_replaced() {
    let (mut alone, key) = waits(3);
    for index in 0..2 {
        replace(&mut alone, &key, (index, 3 + index));
        alone.pass(MINUTE);
    }
    // The last of the first ones goes while nobody looks.
    replace(&mut alone, &key, (2, 5));
    alone.restart();
    alone.pass(MINUTE);
    assert_eq!(alone.believed(&key).age, Some(START));
    assert_eq!(alone.ledger(&key).run, Some(START));
}

#[test]
fn members_that_all_came_after_the_last_word_on_the_gang_are_a_new_run() {
    let (mut alone, key) = waits(3);
    let before = alone.now;
    for index in 0..3 {
        replace(&mut alone, &key, (index, 3 + index));
    }
    alone.restart();
    alone.pass(MINUTE);
    assert_eq!(alone.believed(&key).age, Some(before));
}

#[test]
fn members_that_are_replaced_one_by_one_cost_a_write_per_half_a_gang() {
    let (mut alone, key) = waits(12);
    let before = alone.writes_of(&key);
    for index in 0..12 {
        replace(&mut alone, &key, (index, 12 + index));
        alone.pass(MINUTE);
    }
    assert_eq!(alone.writes_of(&key) - before, 1);
    assert_ne!(alone.ledger(&key), Ledger::default());
}

#[test]
fn a_restart_among_gangs_that_wait_and_run_writes_nothing() {
    let mut alone = Alone::new(100);
    let mut keys = Vec::new();
    for index in 0..1_000 {
        let spec = group(Dialect::Muster, &format!("g{index}"), 2);
        for member_of in 0..2 {
            let pod = member(&spec.key, &format!("p{index}-{member_of}"), alone.now);
            alone.change(Event::Pod(Box::new(pod)));
        }
        keys.push(spec.key.clone());
        alone.change(Event::Gang(Box::new(spec)));
    }
    alone.pass(MINUTE);
    let (before, told) = (alone.server.writes.len(), alone.writes_of(&keys[999]));
    assert_eq!(told, 1, "it was told that it waits");
    alone.restart();
    alone.pass(MINUTE);
    let new = &alone.server.writes[before..];
    assert!(new.is_empty(), "{} writes, the first: {:?}", new.len(), new[0]);
}

#[test]
fn a_restart_writes_what_changed_meanwhile_and_only_that() {
    let (mut alone, key) = waits(2);
    let other = group(Dialect::Muster, "other", 2);
    alone.change(Event::Gang(Box::new(other.clone())));
    for index in [7, 8] {
        come(&mut alone, &other.key, index);
    }
    alone.pass(MINUTE);
    let written = |alone: &Alone| [alone.writes_of(&key), alone.writes_of(&other.key)];
    let before = written(&alone);
    alone.change(Event::Gang(Box::new(GangSpec {
        generation: 1,
        ..alone.server.gangs[&other.key].clone()
    })));
    alone.restart();
    alone.pass(MINUTE);
    assert_eq!(written(&alone), [before[0], before[1] + 1]);
}
