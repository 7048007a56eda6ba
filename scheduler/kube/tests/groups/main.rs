//! Groups, queues, topologies and controllers of every dialect, and what they are read as.

mod access;
mod golden;
mod hypernodes;
mod kueue;
mod order;
mod played;
mod quotas;
mod robust;
mod volcano;
mod wishes;

use scheduler_kube::controllers;
use scheduler_kube::translate::kueue::Cohorts;
use scheduler_kube::translate::{
    Context, coscheduling, hypernode, kueue as kueue_queues, muster, native, plain, queue,
    topology, volcano as volcano_groups,
};
use scheduler_kube::wire::{kueue as kueue_wire, volcano as volcano_wire, workloads};
use scheduler_model::spec::NodeSpec;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::Debug;

/// The documents of a file, as values.
fn documents(text: &str) -> Vec<Value> {
    text.split("\n---\n").map(|part| serde_saphyr::from_str(part).expect("valid YAML")).collect()
}

/// An object of its wire type.
fn object<T: DeserializeOwned>(yaml: &str) -> T {
    serde_saphyr::from_str(yaml).expect("the test's object fits its type")
}

/// Cohorts of these names, without quotas and members.
fn cohorts(names: &[&str]) -> Cohorts {
    let named = |name: &&str| object(&format!("metadata: {{name: {name}}}"));
    let cohorts: Vec<kueue_wire::Cohort> = names.iter().map(named).collect();
    Cohorts::of(cohorts.iter(), std::iter::empty())
}

/// What was wrong, one sentence each.
fn said<T>(read: &scheduler_kube::translate::Translated<T>) -> Vec<String> {
    read.problems.iter().map(ToString::to_string).collect()
}

/// Everything that is read from an object, by its kind; an error if it does not fit its type.
fn read(object: &Value) -> Result<String, serde_json::Error> {
    fn with<T: DeserializeOwned, U: Debug>(
        object: &Value,
        translate: impl Fn(&T) -> U,
    ) -> Result<String, serde_json::Error> {
        let object = serde_json::from_value(object.clone())?;
        Ok(format!("{:#?}", translate(&object)))
    }
    let context = Context::default();
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let group = text("apiVersion").split('/').next().unwrap_or_default();
    match (group, text("kind")) {
        ("muster.sh", "PodGroup") => with(object, muster::pod_group),
        ("muster.sh", "Queue") => with(object, queue::queue),
        ("muster.sh" | "kueue.x-k8s.io", "Topology") => with(object, topology::topology),
        ("scheduling.k8s.io", "PodGroup") => with(object, native::pod_group),
        ("scheduling.k8s.io", "Workload") => with(object, native::workload),
        ("scheduling.x-k8s.io", "PodGroup") => with(object, coscheduling::pod_group),
        ("scheduling.volcano.sh", "PodGroup") => with(object, volcano_groups::pod_group),
        ("scheduling.volcano.sh", "Queue") => with(object, volcano_groups::volcano_queue),
        ("batch.volcano.sh", "Job") => with(object, |job: &volcano_wire::VolcanoJob| {
            (volcano_groups::job(job), controllers::volcano_job(job, &context).value.workloads)
        }),
        ("topology.volcano.sh", "HyperNode") => with(object, |tree: &volcano_wire::HyperNode| {
            let mut nodes =
                ["a1", "b1"].map(|name| NodeSpec { name: name.to_owned(), ..NodeSpec::default() });
            let read = hypernode::resolve(std::slice::from_ref(tree), &mut nodes);
            (read, nodes.map(|node| node.labels))
        }),
        ("kueue.x-k8s.io", "LocalQueue") => with(object, kueue_queues::local_queue),
        ("kueue.x-k8s.io", "ClusterQueue") => with(object, |queue: &kueue_wire::ClusterQueue| {
            kueue_queues::cluster_queue(queue, &cohorts(&["all"]))
        }),
        ("kueue.x-k8s.io", "Cohort") => with(object, |cohort: &kueue_wire::Cohort| {
            kueue_queues::cohort(cohort, &cohorts(&["company"]))
        }),
        ("kueue.x-k8s.io", "ResourceFlavor") => {
            with(object, |flavour: &kueue_wire::ResourceFlavor| {
                let mut node = NodeSpec::default();
                node.labels.insert("gpu".to_owned(), "a100".to_owned());
                let nodes = std::slice::from_mut(&mut node);
                (kueue_queues::flavours(std::slice::from_ref(flavour), nodes), node.flavour)
            })
        }
        ("batch", "Job") => with(object, |job: &workloads::Job| {
            (plain::job(job), controllers::job(job, &context).value.workloads.len())
        }),
        ("apps", "StatefulSet") => with(object, |set: &workloads::StatefulSet| {
            (plain::stateful_set(set), controllers::stateful_set(set, &context).problems)
        }),
        ("apps", "ReplicaSet") => with(object, |set: &workloads::Replicas| {
            (plain::replica_set(set), controllers::replica_set(set, &context).problems)
        }),
        ("apps", "Deployment") => with(object, |set: &workloads::Replicas| {
            let played = controllers::deployment(set, &context);
            (played.value.gangs, played.problems)
        }),
        ("leaderworkerset.x-k8s.io", "LeaderWorkerSet") => {
            with(object, |set: &workloads::LeaderWorkerSet| {
                let played = controllers::leader_worker_set(set, &context);
                (plain::leader_worker_set(set), played.problems)
            })
        }
        ("jobset.x-k8s.io", "JobSet") => with(object, |set: &workloads::JobSet| {
            let played = controllers::job_set(set, &context);
            (played.value.gangs, played.problems)
        }),
        (group, kind) => panic!("the test knows no {group} {kind}"),
    }
}

#[test]
fn a_group_object_beyond_its_type_is_an_error_and_not_a_panic() {
    let odd = serde_json::json!({"apiVersion": "muster.sh/v1alpha1", "kind": "Queue", "spec": 5});
    assert!(read(&odd).is_err());
}
