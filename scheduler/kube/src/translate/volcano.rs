//! Volcano's PodGroup, Queue and Job. Its HyperNodes stand in [`super::hypernode`].
//!
//! Volcano's controller makes one PodGroup of each Job; where an input has only the Job, the
//! same group is made here, under the name the controller would give it.

use super::hypernode;
use super::quota::{Part, Place, Quotas};
use super::{Problems, Translated, access, amounts, count, group, order, queue};
use crate::quantity::{Rounding, parse_of};
use crate::wire::volcano::{
    NetworkTopology, SubGroupPolicy, Task, VolcanoCondition, VolcanoGroup, VolcanoJob,
    VolcanoQueue, VolcanoQueueStatus,
};
use crate::wire::{Meta, Number, Quantity, ResourceList};
use scheduler_model::spec::{
    CreatesAtOnce, Dialect, GangKey, GangSpec, Grants, QueueSpec, RoleSpec, TopologyWish,
};
use scheduler_protocol::status::GroupsByPhase;
use scheduler_protocol::tell::queue_digest;

/// Stands above all queues, whether there is an object of that name or not.
const ROOT: &str = "root";

/// A `scheduling.volcano.sh/v1beta1` PodGroup.
#[must_use]
pub fn pod_group(object: &VolcanoGroup) -> Translated<GangSpec> {
    let (meta, spec) = (&object.metadata, &object.spec);
    let mut problems = Problems::of("PodGroup", meta);
    let mut gang = group::gang(group::key(meta, Dialect::Volcano), meta, &mut problems);
    let number = spec.min_member.as_ref();
    let min = count::minimum(number, "spec.minMember", &mut problems, &mut gang.unsupported);
    gang.min = min.unwrap_or(1);
    let mut roles = Vec::new();
    for (name, number) in &spec.min_task_member {
        let field = format!("spec.minTaskMember.{name}");
        let min =
            count::role_minimum(number.as_ref(), &field, &mut problems, &mut gang.unsupported);
        roles.push(RoleSpec { name: name.clone(), min: min.unwrap_or(1) });
    }
    gang.roles = enforced(gang.min, roles);
    gang.queue = group::filled(&spec.queue).or(gang.queue);
    gang.priority_class.clone_from(&spec.priority_class_name);
    let field = format_args!("spec.minResources");
    let mut unreadable = Vec::new();
    // An amount that cannot be read fits no limit; the problem says so.
    gang.min_resources =
        amounts::requests(&wanted(&spec.min_resources), field, &mut problems, &mut unreadable);
    network(spec.network_topology.as_ref(), &mut gang.topology, &mut problems);
    if spec.sub_group_policy.iter().any(asks_for_something) {
        gang.unsupported.push("subGroupPolicy".to_owned());
    }
    gang.is_contested = object.status.conditions.iter().any(|it| is_foreign(meta, it));
    problems.with(gang)
}

/// True if another scheduler wrote the condition: muster names its decisions after the group,
/// Volcano's scheduler after its own passes.
fn is_foreign(meta: &Meta, condition: &VolcanoCondition) -> bool {
    let id = condition.transition_id.as_str();
    let own = id.strip_prefix(meta.uid.as_str()).is_some_and(|rest| rest.starts_with('-'));
    !id.is_empty() && !meta.uid.is_empty() && !own
}

/// The amounts that a gang takes of nodes. Volcano's controller writes beside each of them what a
/// ResourceQuota would count: limits, the number of objects, and the same request once more.
fn wanted(resources: &ResourceList) -> ResourceList {
    let is_of_quota = |name: &str| {
        ["requests.", "limits.", "count/"].iter().any(|prefix| name.starts_with(prefix))
    };
    let wanted = resources.iter().filter(|(name, _)| !is_of_quota(name));
    wanted.map(|(name, amount)| (name.clone(), amount.clone())).collect()
}

/// Minimums per task count only where the total covers them: with fewer members in total,
/// Volcano starts a gang without looking at its tasks.
fn enforced(min: u32, roles: Vec<RoleSpec>) -> Vec<RoleSpec> {
    let sum = roles.iter().fold(0_u32, |sum, role| sum.saturating_add(role.min));
    if min >= sum { roles } else { Vec::new() }
}

/// A policy of single pods with no minimum and no place asks for nothing.
fn asks_for_something(policy: &SubGroupPolicy) -> bool {
    let is = |number: &Option<Number>, value| match number {
        Some(number) => *number == Number::Whole(value),
        None => true,
    };
    let is_trivial = policy.network_topology.is_none()
        && is(&policy.sub_group_size, 1)
        && is(&policy.min_sub_groups, 0);
    !is_trivial
}

/// Where the members must (`hard`, also where no mode is given) or should (`soft`) be together.
fn network(wish: Option<&NetworkTopology>, topology: &mut TopologyWish, problems: &mut Problems) {
    let Some(wish) = wish else { return };
    let level = level(wish, problems);
    match wish.mode.as_str() {
        "soft" => topology.preferred = Some(level.unwrap_or_else(|| hypernode::level(1))),
        "hard" | "" if level.is_some() => topology.required = level,
        "hard" | "" => {
            problems.add(
                "spec.networkTopology",
                "it allows every tier, so members need not be together",
                "write highestTierAllowed or highestTierName",
            );
            return;
        }
        other => {
            problems.add(
                "spec.networkTopology.mode",
                format!("`{}` is no mode; taken as hard", super::shorten(other)),
                "write hard or soft",
            );
            topology.required = level;
        }
    }
    topology.topology = Some(hypernode::TOPOLOGY.to_owned());
}

fn level(wish: &NetworkTopology, problems: &mut Problems) -> Option<String> {
    let field = "spec.networkTopology.highestTierAllowed";
    let tier = count::count(wish.highest_tier_allowed.as_ref(), field, problems);
    let name = group::filled(&wish.highest_tier_name);
    if tier.is_some() && name.is_some() {
        problems.add(field, "a name is given as well; the number counts", "keep one of the two");
    }
    tier.map(hypernode::level).or(name)
}

/// A `scheduling.volcano.sh/v1beta1` Queue.
#[must_use]
pub fn volcano_queue(object: &VolcanoQueue) -> Translated<QueueSpec> {
    let (meta, spec) = (&object.metadata, &object.spec);
    let mut problems = Problems::of("Queue", meta);
    let mut queue = queue::named(&meta.name, meta, &mut problems);
    queue.parent = group::filled(&spec.parent).filter(|parent| parent != ROOT);
    queue.weight = count::weight(spec.weight.as_ref(), "spec.weight", &mut problems);
    queue.priority =
        count::priority(spec.priority.as_ref(), "spec.priority", &mut problems).unwrap_or(0);
    queue.dialect = Some(Dialect::Volcano);
    queue.digest = object.status.as_ref().map(digest);
    let state = object.status.as_ref().map_or("", |status| status.state.as_str());
    queue.open = !matches!(state, "Closed" | "Closing");
    queue.reclaimable = spec.reclaimable.unwrap_or(true);
    queue.order = order::dequeued(&spec.dequeue_strategy, &mut problems);
    queue.node_selector = access::node_groups(&spec.affinity, &mut problems);
    // Volcano's scheduler grants whatever its users wish.
    queue.grants = Grants::FREE;
    let lists = [
        (Part::Dedicated, "spec.guarantee.resource", &spec.guarantee.resource),
        (Part::Deserved, "spec.deserved", &spec.deserved),
        (Part::Limit, "spec.capability", &spec.capability),
    ];
    let mut quotas = Quotas::default();
    for (part, field, list) in lists {
        if meta.name != ROOT {
            quotas.list(list, Place { part, flavour: None, field }, &mut problems);
        } else if !list.is_empty() {
            problems.add(
                field,
                format!("{ROOT:?} stands for the whole cluster, so its amounts are not read"),
                "write them into the queues below it",
            );
        }
    }
    queue.quotas = quotas.finish(&mut problems);
    problems.with(queue)
}

/// What a queue's status counts, as [`queue_digest`] has it where it is written.
fn digest(status: &VolcanoQueueStatus) -> u64 {
    let amount = |(name, text): (&String, &Quantity)| {
        let reading = parse_of(name, &text.0, Rounding::Up).ok()?;
        Some((name.clone(), reading.amount))
    };
    let number = |number: &Option<Number>| match number {
        Some(Number::Whole(value)) => u32::try_from(*value).unwrap_or(0),
        _ => 0,
    };
    let groups = GroupsByPhase {
        pending: number(&status.pending),
        admitted: number(&status.inqueue),
        running: number(&status.running),
        broken: number(&status.unknown),
        done: 0,
    };
    queue_digest(&status.allocated.iter().filter_map(amount).collect(), &groups)
}

/// The group that Volcano's controller makes of a `batch.volcano.sh/v1alpha1` Job.
#[must_use]
pub fn job(object: &VolcanoJob) -> Translated<GangSpec> {
    let (meta, spec) = (&object.metadata, &object.spec);
    let mut problems = Problems::of("Job", meta);
    let mut gang = group::gang(job_key(meta), meta, &mut problems);
    let tasks = task_minimums(&spec.tasks, &mut problems, &mut gang.unsupported);
    let sum = tasks.iter().fold(0_u32, |sum, task| sum.saturating_add(task.min));
    let number = spec.min_available.as_ref();
    let min = count::minimum(number, "spec.minAvailable", &mut problems, &mut gang.unsupported);
    gang.min = min.unwrap_or(sum).max(1);
    gang.roles = enforced(gang.min, tasks);
    gang.queue = group::filled(&spec.queue).or(gang.queue);
    gang.priority_class.clone_from(&spec.priority_class_name);
    network(spec.network_topology.as_ref(), &mut gang.topology, &mut problems);
    let estimate = spec.running_estimate.as_deref();
    gang.walltime =
        group::walltime(estimate, "spec.runningEstimate", &mut problems).or(gang.walltime);
    gang.scheduler.clone_from(&spec.scheduler_name);
    let succeeded = object.status.succeeded.as_ref();
    gang.succeeded = count::count(succeeded, "status.succeeded", &mut problems).unwrap_or(0);
    creates_at_once(object, &mut gang, &mut problems);
    problems.with(gang)
}

/// The key of the group of a Job: `<job>-<uid>` as the controller names it, or the Job's own
/// name where a file gives no uid.
#[must_use]
pub fn job_key(meta: &Meta) -> GangKey {
    let mut key = group::key(meta, Dialect::Volcano);
    if !meta.uid.is_empty() {
        key.name = format!("{}-{}", meta.name, meta.uid);
    }
    key
}

/// The name of the task at `index`, as the webhook fills it in.
pub(crate) fn task_name(task: &Task, index: usize) -> String {
    if task.name.is_empty() { format!("default{index}") } else { task.name.clone() }
}

fn task_minimums(
    tasks: &[Task],
    problems: &mut Problems,
    unsupported: &mut Vec<String>,
) -> Vec<RoleSpec> {
    let mut roles = Vec::new();
    for (index, task) in tasks.iter().enumerate() {
        let field = format!("spec.tasks[{index}].minAvailable");
        let min = count::role_minimum(task.min_available.as_ref(), &field, problems, unsupported);
        let name = task_name(task, index);
        let min = min.unwrap_or_else(|| replicas(task));
        if roles.iter().any(|role: &RoleSpec| role.name == name) {
            problems.add(
                format!("spec.tasks[{index}].name"),
                format!("task {name:?} is there already; its minimum is left out"),
                "give each task its own name",
            );
        } else {
            roles.push(RoleSpec { name, min });
        }
        if task.partition_policy.is_some() {
            unsupported.push(format!("partitionPolicy of task {:?}", task_name(task, index)));
        }
    }
    roles.sort();
    roles
}

/// Pods of a task; what cannot be read is said where the pods are made.
pub(crate) fn replicas(task: &Task) -> u32 {
    match task.replicas {
        Some(Number::Whole(value)) => u32::try_from(value.max(0)).unwrap_or(u32::MAX),
        _ => 0,
    }
}

/// Tasks that wait for others are not created before those run, so they cannot be part of what
/// must start together.
fn creates_at_once(object: &VolcanoJob, gang: &mut GangSpec, problems: &mut Problems) {
    let tasks = &object.spec.tasks;
    let waits = |task: &Task| task.depends_on.as_ref().is_some_and(|on| !on.name.is_empty());
    let Some(index) = tasks.iter().position(waits) else { return };
    let first = tasks.iter().filter(|task| !waits(task));
    let pods = first.fold(0_u32, |sum, task| sum.saturating_add(replicas(task)));
    let setting = format!("tasks[{index}].dependsOn: null");
    if gang.min > pods {
        problems.add(
            "spec.minAvailable",
            format!(
                "{} pods must start together, but only {pods} are created before the first runs; \
                 the gang waits for ever",
                gang.min
            ),
            format!("write a minAvailable of at most {pods}, or set {setting}"),
        );
    }
    gang.creates_at_once = Some(CreatesAtOnce { pods, setting });
}
