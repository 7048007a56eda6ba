//! Which parts of an object are created after which others.
//!
//! Invariant: a part that can never be created, since what it waits for is unknown or waits for
//! it in turn, is not played, and a problem says so.

use super::template::Owner;
use crate::translate::{Problems, volcano};
use crate::wire::Number;
use crate::wire::volcano::{Task, VolcanoJob};
use crate::wire::workloads::JobSet;
use scheduler_model::problem::Problem;
use scheduler_model::world::{After, Until, Workload};
use std::collections::{BTreeMap, BTreeSet};

/// The name of a part among all parts of all objects.
pub(super) fn part(owner: &Owner<'_>, name: &str) -> String {
    format!("{}: {name}", owner.object())
}

/// What each task waits for; `None`, with a problem, for those that would wait for ever.
pub(super) fn of_tasks(
    object: &VolcanoJob,
    owner: &Owner<'_>,
    problems: &mut Vec<Problem>,
) -> Vec<Option<Vec<After>>> {
    let tasks = &object.spec.tasks;
    let names: Vec<String> =
        tasks.iter().enumerate().map(|(index, task)| volcano::task_name(task, index)).collect();
    let awaited: Vec<BTreeSet<&str>> = tasks.iter().map(awaited).collect();
    let is_ordered = ordered(&names, &awaited);
    let mut pods: BTreeMap<&str, u32> = BTreeMap::new();
    for (name, task) in names.iter().zip(tasks) {
        let sum = pods.entry(name).or_default();
        *sum = sum.saturating_add(volcano::replicas(task));
    }
    let mut order = Vec::with_capacity(tasks.len());
    for (index, on) in awaited.iter().enumerate() {
        if is_ordered[index] {
            // A task without pods keeps nobody waiting.
            let on = on.iter().filter(|name| pods.get(**name).is_some_and(|pods| *pods > 0));
            order.push(Some(on.map(|name| starts(owner, name)).collect()));
            continue;
        }
        let why = match on.iter().find(|name| !pods.contains_key(**name)) {
            Some(name) => format!("there is no task {name:?}"),
            None => "the tasks it waits for never run, since they wait in turn".to_owned(),
        };
        problems.push(Problem::new(
            owner.object(),
            format!("spec.tasks[{index}].dependsOn"),
            format!("{why}; its pods are not played"),
            "name tasks of this Job that run without it",
        ));
        order.push(None);
    }
    order
}

fn awaited(task: &Task) -> BTreeSet<&str> {
    task.depends_on.iter().flat_map(|on| &on.name).map(String::as_str).collect()
}

fn starts(owner: &Owner<'_>, name: &str) -> After {
    After { part: part(owner, name), until: Until::Starts }
}

/// Whether each task's turn comes, if every task begins after all tasks of the names it awaits.
fn ordered(names: &[String], awaited: &[BTreeSet<&str>]) -> Vec<bool> {
    let mut waiting: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut of_name: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, name) in names.iter().enumerate() {
        *of_name.entry(name).or_default() += 1;
        for on in &awaited[index] {
            waiting.entry(on).or_default().push(index);
        }
    }
    let mut left: Vec<usize> = awaited.iter().map(BTreeSet::len).collect();
    let mut ready: Vec<usize> = (0..names.len()).filter(|index| left[*index] == 0).collect();
    let mut is_ordered = vec![false; names.len()];
    while let Some(index) = ready.pop() {
        is_ordered[index] = true;
        let name = names[index].as_str();
        let unordered = of_name.entry(name).or_default();
        *unordered -= 1;
        if *unordered > 0 {
            continue;
        }
        for next in waiting.remove(name).unwrap_or_default() {
            left[next] -= 1;
            if left[next] == 0 {
                ready.push(next);
            }
        }
    }
    is_ordered
}

/// What the Jobs of one entry of a JobSet wait for; `None`, with a problem, if they would wait
/// for ever.
pub(super) fn of_replicated_job(
    object: &JobSet,
    index: usize,
    owner: &Owner<'_>,
    problems: &mut Problems,
) -> Option<Vec<After>> {
    let jobs = &object.spec.replicated_jobs;
    let mut after = Vec::new();
    for (number, on) in jobs[index].depends_on.iter().enumerate() {
        let field = format!("spec.replicatedJobs[{index}].dependsOn[{number}]");
        let Some(before) = jobs[..index].iter().find(|job| job.name == on.name) else {
            problems.add(
                format!("{field}.name"),
                format!("no {:?} stands before it; its Jobs are not played", on.name),
                "name a replicated job that stands earlier in the list",
            );
            return None;
        };
        let until = match on.status.as_str() {
            "Ready" => Until::Starts,
            "Complete" => Until::Succeeds,
            other => {
                problems.add(
                    format!("{field}.status"),
                    format!("{other:?} is no status to wait for; its Jobs are not played"),
                    "write Ready or Complete",
                );
                return None;
            }
        };
        // Without Jobs it keeps nobody waiting.
        if before.replicas.as_ref().is_none_or(|number| *number != Number::Whole(0)) {
            after.push(After { part: part(owner, &on.name), until });
        }
    }
    Some(after)
}

/// Says which parts wait for pods that are not played, so that their own never come.
pub(super) fn say_unplayed(owner: &Owner<'_>, workloads: &[Workload], problems: &mut Vec<Problem>) {
    let parts: BTreeSet<&str> = workloads.iter().map(|workload| &*workload.part).collect();
    let awaited = workloads.iter().flat_map(|workload| &workload.after);
    let awaited: BTreeSet<&str> = awaited.map(|after| &*after.part).collect();
    for part in awaited.difference(&parts) {
        problems.push(Problem::new(
            owner.object(),
            "dependsOn",
            format!("no pods of {part:?} are played, so those that wait for them never come"),
            "remove dependsOn, or see why nothing is played of it",
        ));
    }
}
