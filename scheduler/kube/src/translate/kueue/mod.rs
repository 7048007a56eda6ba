//! Kueue's queues, read as queues where Kueue itself does not run. Gates stand with the pods.
//!
//! A nominal quota is what a queue deserves. It is a ceiling as well only where nothing can be
//! borrowed: without a cohort, and for a cohort that stands at the top. Next: [`Cohorts`] adds up
//! what a cohort has by its members.

mod cohorts;

pub use cohorts::Cohorts;

use super::quota::{Part, Place, Quotas};
use super::{Problems, Translated, access, group, order, queue};
use crate::quantity::{self, Rounding};
use crate::wire::kueue::{
    ClusterQueue, ClusterQueueSpec, Cohort, CohortSpec, FairSharing, LocalQueue, ResourceFlavor,
    ResourceGroup,
};
use crate::wire::{Meta, Quantity};
use scheduler_model::amount::Unit;
use scheduler_model::problem::Problem;
use scheduler_model::spec::{NamespaceScope, NodeSpec, QueueSpec, QuotaSpec};

/// A `kueue.x-k8s.io` LocalQueue: `<namespace>/<name>` below its ClusterQueue.
#[must_use]
pub fn local_queue(object: &LocalQueue) -> Translated<QueueSpec> {
    let (meta, spec) = (&object.metadata, &object.spec);
    let mut problems = Problems::of("LocalQueue", meta);
    let name = format!("{}/{}", meta.namespace_or_default(), meta.name);
    let mut queue = shared(&name, meta, &spec.fair_sharing, &mut problems);
    queue.parent = group::filled(&spec.cluster_queue);
    queue.open = is_open(&spec.stop_policy);
    let names = vec![meta.namespace_or_default().to_owned()];
    queue.namespaces = Some(NamespaceScope { names, selector: None });
    if queue.parent.is_none() {
        problems.add(
            "spec.clusterQueue",
            "it is empty, so the queue stands at the top without limits",
            "name the ClusterQueue",
        );
    }
    problems.with(queue)
}

/// A `kueue.x-k8s.io` ClusterQueue. A cohort that is only named by its members is no queue of its
/// own.
#[must_use]
pub fn cluster_queue(object: &ClusterQueue, cohorts: &Cohorts) -> Translated<QueueSpec> {
    let (meta, spec) = (&object.metadata, &object.spec);
    let mut problems = Problems::of("ClusterQueue", meta);
    let mut queue = shared(&meta.name, meta, &spec.fair_sharing, &mut problems);
    let cohort = cohort_of(spec);
    queue.parent = cohort.filter(|name| cohorts.has(name)).map(key);
    queue.open = is_open(&spec.stop_policy);
    let selector = spec.namespace_selector.as_ref();
    queue.namespaces = Some(access::selected(selector, &mut problems));
    queue.order = order::strategy(&spec.queueing_strategy, &mut problems);
    queue.quotas = quotas(&spec.resource_groups, cohort.is_some(), &mut problems);
    if cohort.is_none() {
        end_borrowing(&mut queue);
    }
    problems.with(queue)
}

/// A `kueue.x-k8s.io` Cohort: a queue above its members, which deserves what they deserve and its
/// own quotas on top.
#[must_use]
pub fn cohort(object: &Cohort, cohorts: &Cohorts) -> Translated<QueueSpec> {
    let (meta, spec) = (&object.metadata, &object.spec);
    let mut problems = Problems::of("Cohort", meta);
    let mut queue = shared(&key(&meta.name), meta, &spec.fair_sharing, &mut problems);
    let parent = parent_of(spec);
    queue.parent = parent.filter(|name| cohorts.has(name)).map(key);
    queue.quotas = quotas(&spec.resource_groups, parent.is_some(), &mut problems);
    for ((flavour, resource), amount) in cohorts.members(&meta.name) {
        let quota = queue.quota_mut(Some(flavour), resource);
        quota.deserved = Some(quota.deserved.unwrap_or_default().plus(*amount));
    }
    if parent.is_none() {
        end_borrowing(&mut queue);
    }
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

/// The cohort of a ClusterQueue.
fn cohort_of(spec: &ClusterQueueSpec) -> Option<&str> {
    [&spec.cohort_name, &spec.cohort].into_iter().find(|name| !name.is_empty()).map(String::as_str)
}

/// The cohort above a Cohort.
fn parent_of(spec: &CohortSpec) -> Option<&str> {
    [&spec.parent_name, &spec.parent].into_iter().find(|name| !name.is_empty()).map(String::as_str)
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

/// Nobody is there to borrow from.
fn end_borrowing(queue: &mut QueueSpec) {
    for QuotaSpec { quota, .. } in &mut queue.quotas {
        quota.limit = quota.deserved;
    }
}

fn quotas(groups: &[ResourceGroup], can_borrow: bool, problems: &mut Problems) -> Vec<QuotaSpec> {
    let mut read = Quotas::default();
    for (group, flavors) in groups.iter().enumerate() {
        for (flavor, resources) in flavors.flavors.iter().enumerate() {
            for (index, quota) in resources.resources.iter().enumerate() {
                let place =
                    format!("spec.resourceGroups[{group}].flavors[{flavor}].resources[{index}]");
                let borrowing = quota.borrowing_limit.as_ref();
                if borrowing.is_some() && !can_borrow {
                    problems.add(
                        format!("{place}.borrowingLimit"),
                        "without a cohort above there is nobody to borrow from; it is not read",
                        "name the cohort, or leave this out",
                    );
                }
                let nominal = quota.nominal_quota.clone().unwrap_or_default();
                for (part, name, text) in [
                    (Part::Deserved, "nominalQuota", Some(&nominal)),
                    (Part::BorrowingLimit, "borrowingLimit", borrowing.filter(|_| can_borrow)),
                    (Part::LendingLimit, "lendingLimit", quota.lending_limit.as_ref()),
                ] {
                    let Some(text) = text else { continue };
                    let field = &format!("{place}.{name}");
                    let place = Place { part, flavour: Some(&resources.name), field };
                    read.one(&quota.name, text, place, problems);
                }
            }
        }
    }
    read.finish(problems)
}
