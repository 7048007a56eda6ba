//! Files, folders and streams, and the world they are read into.

mod any;
mod bad;
mod format;
mod large;
mod owners;
mod sources;

use scheduler_kube::read::{Reading, Source, read};
use scheduler_kube::translate::Context;
use scheduler_model::event::Event;
use scheduler_model::spec::GangSpec;

fn source(name: &str, bytes: &[u8]) -> Source {
    Source { name: name.to_owned(), reader: Box::new(std::io::Cursor::new(bytes.to_vec())) }
}

/// What comes of one text, called `in.yaml`.
fn reading(text: &str) -> Reading {
    read(vec![source("in.yaml", text.as_bytes())], &Context::default())
}

/// What comes of several texts, called `1`, `2` and so on.
fn readings(texts: &[&str]) -> Reading {
    let named = (1..).zip(texts).map(|(at, text)| source(&at.to_string(), text.as_bytes()));
    read(named.collect(), &Context::default())
}

/// Names of all namespaces, nodes and pods, in the order of the world.
fn names(reading: &Reading) -> Vec<String> {
    let name = |event: &Event| match event {
        Event::Namespace(namespace) => Some(namespace.name.clone()),
        Event::Node(node) => Some(node.name.clone()),
        Event::Pod(pod) => Some(format!("{}/{}", pod.namespace, pod.name)),
        _ => None,
    };
    reading.world.events.iter().filter_map(name).collect()
}

fn gangs(reading: &Reading) -> Vec<&GangSpec> {
    let events = reading.world.events.iter();
    events
        .filter_map(|event| match event {
            Event::Gang(gang) => Some(&**gang),
            _ => None,
        })
        .collect()
}

/// All problems, as people see them.
fn said(reading: &Reading) -> Vec<String> {
    reading.problems.iter().map(ToString::to_string).collect()
}

/// A namespace as an API server would list it.
fn object(name: &str) -> String {
    format!(r#"{{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{name}"}}}}"#)
}
