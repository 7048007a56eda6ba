//! Kueue's queues, read as queues where Kueue itself does not run. Gates stand with the pods.
//!
//! A nominal quota is a share, not a ceiling, wherever more can be borrowed; it becomes a limit
//! only as far as nothing more can be.

use super::{Problems, Translated, group, queue};
use crate::quantity::{self, Rounding};
use crate::wire::kueue::{ClusterQueue, Cohort, FairSharing, LocalQueue, ResourceFlavor};
use crate::wire::{Meta, Quantity, ResourceList};
use scheduler_model::amount::Unit;
use scheduler_model::problem::Problem;
use scheduler_model::spec::{LimitSpec, NodeSpec, QueueSpec};
use std::collections::BTreeSet;

/// A `kueue.x-k8s.io` LocalQueue: `<namespace>/<name>` below its ClusterQueue.
#[must_use]
pub fn local_queue(object: &LocalQueue) -> Translated<QueueSpec> {
    let (meta, spec) = (&object.metadata, &object.spec);
    let mut problems = Problems::of("LocalQueue", meta);
    let name = format!("{}/{}", meta.namespace_or_default(), meta.name);
    let mut queue = shared(&name, meta, &spec.fair_sharing, &mut problems);
    queue.parent = group::filled(&spec.cluster_queue);
    queue.open = is_open(&spec.stop_policy);
    if queue.parent.is_none() {
        problems.add(
            "spec.clusterQueue",
            "it is empty, so the queue stands at the top without limits",
            "name the ClusterQueue",
        );
    }
    problems.with(queue)
}

/// A `kueue.x-k8s.io` ClusterQueue. `cohorts` are the names of the Cohort objects there are: a
/// cohort that is only named by its members is no queue of its own.
#[must_use]
pub fn cluster_queue(object: &ClusterQueue, cohorts: &BTreeSet<String>) -> Translated<QueueSpec> {
    let (meta, spec) = (&object.metadata, &object.spec);
    let mut problems = Problems::of("ClusterQueue", meta);
    let mut queue = shared(&meta.name, meta, &spec.fair_sharing, &mut problems);
    let cohort = group::filled(&spec.cohort_name).or_else(|| group::filled(&spec.cohort));
    queue.parent = cohort.clone().filter(|name| cohorts.contains(name)).map(|name| key(&name));
    queue.open = is_open(&spec.stop_policy);
    queue.limits = limits(object, cohort.is_some(), &mut problems);
    problems.with(queue)
}

/// A `kueue.x-k8s.io` Cohort: a queue above its members.
#[must_use]
pub fn cohort(object: &Cohort, cohorts: &BTreeSet<String>) -> Translated<QueueSpec> {
    let (meta, spec) = (&object.metadata, &object.spec);
    let mut problems = Problems::of("Cohort", meta);
    let mut queue = shared(&key(&meta.name), meta, &spec.fair_sharing, &mut problems);
    let parent = group::filled(&spec.parent_name).or_else(|| group::filled(&spec.parent));
    queue.parent = parent.filter(|name| cohorts.contains(name)).map(|name| key(&name));
    problems.with(queue)
}

/// Gives each node the flavour whose labels it carries: the one with most labels, then the
/// first by name.
#[must_use]
pub fn flavours(objects: &[ResourceFlavor], nodes: &mut [NodeSpec]) -> Vec<Problem> {
    let mut order: Vec<&ResourceFlavor> = objects.iter().collect();
    let count = |flavour: &ResourceFlavor| flavour.spec.node_labels.len();
    order.sort_by(|a, b| count(b).cmp(&count(a)).then(a.metadata.name.cmp(&b.metadata.name)));
    for node in nodes {
        let fits = |flavour: &&&ResourceFlavor| {
            flavour.spec.node_labels.iter().all(|(key, value)| node.labels.get(key) == Some(value))
        };
        if let Some(flavour) = order.iter().find(fits) {
            node.flavour.clone_from(&flavour.metadata.name);
        }
    }
    order
        .iter()
        .filter(|flavour| flavour.metadata.name.is_empty())
        .flat_map(|flavour| {
            let mut problems = Problems::of("ResourceFlavor", &flavour.metadata);
            problems.add("metadata.name", "it is empty", "name the flavor");
            problems.with(()).problems
        })
        .collect()
}

/// Cohorts and ClusterQueues may share names, queues may not.
fn key(cohort: &str) -> String {
    format!("cohort/{cohort}")
}

fn is_open(stop_policy: &str) -> bool {
    !matches!(stop_policy, "Hold" | "HoldAndDrain")
}

fn shared(name: &str, meta: &Meta, share: &FairSharing, problems: &mut Problems) -> QueueSpec {
    let mut queue = queue::named(name, meta, problems);
    if let Some(text) = &share.weight {
        queue.weight = weight(text, problems);
    }
    queue
}

/// Weights are quantities; below whole numbers they are rounded up, so that none becomes 0.
fn weight(text: &Quantity, problems: &mut Problems) -> u32 {
    let field = "spec.fairSharing.weight";
    let remedy = "write a whole number from 1 on";
    let read = match quantity::parse(&text.0, Unit::Count, Rounding::Up) {
        Ok(read) => u32::try_from(read.amount.units()).unwrap_or(u32::MAX),
        Err(_) => {
            let text = super::shorten(&text.0);
            problems.add(field, format!("`{text}` is read as 0: treated as last"), remedy);
            return 0;
        }
    };
    if read == 0 {
        problems.add(field, "0 means that the queue is treated as last", remedy);
    } else if text.0 != read.to_string() {
        problems.add(field, format!("`{}` is read as {read}", super::shorten(&text.0)), remedy);
    }
    read
}

fn limits(object: &ClusterQueue, has_cohort: bool, problems: &mut Problems) -> Vec<LimitSpec> {
    let mut limits = Vec::new();
    for (group, quotas) in object.spec.resource_groups.iter().enumerate() {
        for (flavor, quotas) in quotas.flavors.iter().enumerate() {
            let field = format!("spec.resourceGroups[{group}].flavors[{flavor}]");
            for quota in &quotas.resources {
                if has_cohort && quota.borrowing_limit.is_none() {
                    continue;
                }
                let mut both = Vec::new();
                let parts = [
                    ("nominalQuota", &quota.nominal_quota),
                    ("borrowingLimit", &quota.borrowing_limit),
                ];
                for (name, text) in parts {
                    let text = text.clone().unwrap_or_default();
                    let list = ResourceList::from([(quota.name.clone(), text)]);
                    let field = format!("{field}.{name}");
                    queue::limits(&list, Some(&quotas.name), &field, problems, &mut both);
                }
                let sum = both
                    .into_iter()
                    .reduce(|sum, more| LimitSpec { amount: sum.amount.plus(more.amount), ..sum });
                limits.extend(sum);
            }
        }
    }
    limits.sort();
    limits
}
