//! Every key of the short form, and what a person is told who gets one wrong.

#[path = "format/cluster.rs"]
mod cluster;
#[path = "format/complaint.rs"]
mod complaint;
#[path = "format/expect.rs"]
mod expect;
#[path = "format/gang.rs"]
mod gang;
#[path = "format/step.rs"]
mod step;

use scheduler_model::event::Event;
use scheduler_model::spec::{GangKey, GangSpec, NodeSpec, PodSpec, QueueSpec};
use scheduler_model::world::World;
use scheduler_scenario::{Scenario, parse};

/// The scenario with this text below its `story:`.
fn story(text: &str) -> Scenario {
    parse("case.yaml", &format!("story: A test\n{text}")).unwrap_or_else(|error| panic!("{error}"))
}

/// What a person is told about this text below `story:`; the text begins on line 2.
fn complaint(text: &str) -> String {
    parse("case.yaml", &format!("story: A test\n{text}"))
        .expect_err("the text is wrong on purpose")
        .to_string()
}

fn nodes(world: &World) -> Vec<&NodeSpec> {
    let mut nodes = Vec::new();
    for event in &world.events {
        if let Event::Node(node) = event {
            nodes.push(node.as_ref());
        }
    }
    nodes
}

fn pods(world: &World) -> Vec<&PodSpec> {
    let mut pods = Vec::new();
    for event in &world.events {
        if let Event::Pod(pod) = event {
            pods.push(pod.as_ref());
        }
    }
    pods
}

fn gangs(world: &World) -> Vec<&GangSpec> {
    let mut gangs = Vec::new();
    for event in &world.events {
        if let Event::Gang(gang) = event {
            gangs.push(gang.as_ref());
        }
    }
    gangs
}

fn queues(world: &World) -> Vec<&QueueSpec> {
    let mut queues = Vec::new();
    for event in &world.events {
        if let Event::Queue(queue) = event {
            queues.push(queue);
        }
    }
    queues
}

fn key(name: &str, dialect: scheduler_model::spec::Dialect) -> GangKey {
    GangKey { namespace: "default".to_owned(), name: name.to_owned(), dialect }
}
