//! What is written reads back as the same.

use super::{node, pod, taints_of_controllers};
use crate::story::{Cluster, stories};
use scheduler_kube::translate::{self, Context};
use scheduler_model::spec::PodSpec;
use serde_json::Value;

fn read<T: serde::de::DeserializeOwned>(object: Value) -> T {
    serde_json::from_value(object).expect("it has the shape of its kind")
}

/// Stories with faults in them, which reading mends and reports.
const MENDED: &[&str] = &[
    "bad/a-node-with-less-than-nothing-takes-nothing",
    "bad/a-number-that-is-none-compares-with-nothing",
];

#[test]
fn what_is_written_reads_back_as_the_same() {
    let mut faults = Vec::new();
    for story in stories().into_iter().filter(|it| !MENDED.contains(&it.name.as_str())) {
        let mut cluster = Cluster::default();
        cluster.add(&story.scenario.world.events);
        let added = story.scenario.then.iter().flat_map(|step| &step.changes);
        for change in added {
            if let scheduler_scenario::Change::Add(world) = change {
                cluster.add(&world.events);
            }
        }
        for spec in cluster.nodes.values() {
            let mut seen = translate::node::translate(&read(node(spec))).value;
            seen.taints.retain(|taint| !taints_of_controllers(spec).contains(taint));
            (seen.created_at, seen.not_ready_since) = (spec.created_at, spec.not_ready_since);
            seen.flavour.clone_from(&spec.flavour);
            if seen != *spec {
                faults.push(format!("{}: {seen:?}\ninstead of {spec:?}", story.name));
            }
        }
        for spec in cluster.pods.values() {
            let seen = translate::pod::translate(&read(pod(spec)), &Context::default()).value;
            let (seen, want) = (of_predicates(seen), of_predicates(spec.clone()));
            if seen != want {
                faults.push(format!("{}: {seen:?}\ninstead of {want:?}", story.name));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The pod with what predicates look at, and nothing else.
fn of_predicates(pod: PodSpec) -> PodSpec {
    PodSpec {
        ours: pod.ours,
        labels: pod.labels,
        shape: pod.shape,
        node: pod.node,
        phase: pod.phase,
        terminating: pod.terminating,
        ..PodSpec::new(&pod.namespace, &pod.name)
    }
}
