//! Streams of objects: YAML, JSON, compressed or none of these.
//!
//! Holds: the innocent objects of another source are always read; every problem says where,
//! what and what to do, and repeats no endless text; the world can be fed to a snapshot, and
//! dumped and read back.

use super::scenario;
use regex::bytes::{Captures, Regex};
use scheduler_kube::read::{Reading, Source, read};
use scheduler_kube::translate::Context;
use scheduler_model::event::Event;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::time::Time;
use std::io::Cursor;
use std::sync::LazyLock;

const INNOCENT: &str = "\
apiVersion: v1
kind: Node
metadata: {name: innocent}
status:
  allocatable: {cpu: 7, pods: 9}
  conditions: [{type: Ready, status: 'True'}]
---
apiVersion: v1
kind: Pod
metadata: {name: innocent, namespace: innocent, uid: innocent}
spec: {schedulerName: muster, containers: [{name: c, resources: {requests: {cpu: 3}}}]}
";

/// Numbers of pods, which are read however large, but a hundred thousand played pods teach
/// nothing that ninety-nine do not.
static COUNT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?-u)((?:replicas|parallelism|completions|size)["']?\s*:[^\n0-9]{0,9})[0-9]+"#)
        .expect("a regular language")
});

pub(crate) fn trial(data: &[u8]) {
    let tame = COUNT.replace_all(data, |found: &Captures<'_>| {
        let digits = &found[0][found[1].len()..];
        [&found[1], &digits[..digits.len().min(2)]].concat()
    });
    stream(&tame);
}

/// Reads `data` beside an innocent source.
pub(crate) fn stream(data: &[u8]) {
    let reading = beside_the_innocent(data);
    assert!(reading == beside_the_innocent(data), "read differently the second time");
    for located in &reading.problems {
        let said = located.to_string();
        let problem = &located.problem;
        assert!(!problem.object.is_empty() && !problem.message.is_empty(), "{said}");
        assert!(!problem.remedy.is_empty(), "no remedy: {said}");
        assert!(!located.file.is_empty(), "no file: {said}");
    }
    innocents_are_there(&reading);
    for story in &reading.stories {
        scenario::story(&story.text);
    }
    feed(&reading);
    scenario::through_a_dump(&reading.world, "What was read", Time::ZERO);
}

fn beside_the_innocent(data: &[u8]) -> Reading {
    let source = |name: &str, bytes: &[u8]| Source {
        name: name.to_owned(),
        reader: Box::new(Cursor::new(bytes.to_vec())),
    };
    let sources = vec![source("in", data), source("beside", INNOCENT.as_bytes())];
    read(sources, &Context::default())
}

fn innocents_are_there(reading: &Reading) {
    let is_node = |event: &Event| match event {
        Event::Node(node) if node.name == "innocent" => {
            assert!(node.ready && !node.unschedulable && node.taints.is_empty(), "{node:?}");
            assert_eq!(node.allocatable["cpu"].units(), 7000);
            true
        }
        _ => false,
    };
    let is_pod = |event: &Event| match event {
        Event::Pod(pod) if (&pod.namespace[..], &pod.name[..]) == ("innocent", "innocent") => {
            assert_eq!(pod.shape.requests["cpu"].units(), 3000);
            assert!(pod.ours && pod.unsupported.is_empty() && pod.gates.is_empty(), "{pod:?}");
            true
        }
        _ => false,
    };
    assert!(reading.world.events.iter().any(is_node), "the innocent node is missing");
    assert!(reading.world.events.iter().any(is_pod), "the innocent pod is missing");
}

/// What is read must be fit for the tables of the engine.
fn feed(reading: &Reading) {
    let mut snapshot = Snapshot::default();
    for event in &reading.world.events {
        snapshot.ingest(event.clone(), Time::ZERO);
    }
    let played = reading.world.workloads.iter().flat_map(|workload| &workload.pods);
    for pod in played {
        snapshot.ingest(Event::Pod(Box::new(pod.clone())), Time::ZERO);
    }
    snapshot.settle();
}
