//! What vanishes at the worst moment: nodes with binds under way, queues whose gangs hold room.

use crate::seeds::{on_worlds, shuffled};
use crate::trial::Trial;
use scheduler_model::effect::Effect;
use scheduler_model::event::Event;
use scheduler_sim::worlds::Size;
use std::collections::BTreeSet;

#[test]
fn a_bind_under_way_is_not_decided_again_when_its_node_goes() {
    on_worlds(150, Size::SMALL, |world, _| {
        let mut trial = Trial::of(world);
        let report = trial.judged_cycle()?;
        let binds = report.effects.iter().map(|(_, Effect::Bind(bind))| bind.node.clone());
        let nodes: BTreeSet<String> = binds.collect();
        for name in &nodes {
            trial.tell(Event::NodeGone(name.clone()));
        }
        trial.judged_cycle()?;
        trial.audit()?;
        for event in &world.events {
            if matches!(event, Event::Node(node) if nodes.contains(&node.name)) {
                trial.tell(event.clone());
            }
        }
        trial.judged_cycle()?;
        trial.confirm_all();
        trial.audit()
    });
}

#[test]
fn a_queue_may_go_while_its_gangs_hold_room() {
    on_worlds(200, Size::SMALL, |world, dice| {
        let mut trial = Trial::of(world);
        trial.judged_cycle()?;
        trial.confirm_all();
        // Long enough for the first of each queue to hold room.
        trial.pass(400);
        trial.judged_cycle()?;
        let queues: Vec<String> = trial.objects.queues.keys().cloned().collect();
        for name in shuffled(queues, dice) {
            trial.tell(Event::QueueGone(name));
            trial.judged_cycle()?;
        }
        world.events.iter().for_each(|event| trial.tell(event.clone()));
        trial.judged_cycle()?;
        trial.audit()
    });
}
