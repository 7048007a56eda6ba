//! `Pod` to [`PodSpec`]: identity, gang, life so far; where it may go is [`shape`]'s part.

use super::shape::Own;
use super::{
    Context, Problems, Translated, count, created_at, membership, priority, rank, shape, shorten,
    time, wishes,
};
use crate::names;
use crate::wire::{ContainerStatus, Meta, Number, Pod, PodStatus, condition, ledger};
use scheduler_model::spec::{Ledger, PodPhase, PodSpec, Told, Wishes};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::evict::{PREEMPTED, plan_of};
use std::sync::Arc;

/// The scheduler of pods that name none.
const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// A pod in our words. Total: a pod that cannot be read in full waits with the reason.
#[must_use]
pub fn translate(pod: &Pod, context: &Context) -> Translated<PodSpec> {
    let meta = &pod.metadata;
    let mut problems = Problems::of("Pod", meta);
    let name = name(meta, &mut problems);
    let namespace = meta.namespace_or_default().to_owned();
    let own = Own { name: &name, namespace: &namespace, labels: &meta.labels };
    let mut shaped = shape::of(&pod.spec, &pod.status, own, &mut problems);
    let profile = context.profiles.get(&pod.spec.scheduler_name);
    shaped.shape.profile = profile.copied().unwrap_or_default();
    let phase = phase(&pod.status, &mut problems);
    let mut gates: Vec<String> = pod.spec.scheduling_gates.iter().map(|g| g.name.clone()).collect();
    gates.sort();
    gates.dedup();
    let spec = PodSpec {
        uid: uid(meta, &namespace, &name),
        ours: is_ours(&pod.spec.scheduler_name, context),
        labels: meta.labels.clone(),
        shape: Arc::new(shaped.shape),
        node: Some(pod.spec.node_name.clone()).filter(|node| !node.is_empty()),
        phase,
        terminating: meta.deletion_timestamp.is_some(),
        gates,
        priority: count::priority(pod.spec.priority.as_ref(), "spec.priority", &mut problems),
        priority_class: pod.spec.priority_class_name.clone(),
        preempts: priority::preempts(
            &pod.spec.preemption_policy,
            "spec.preemptionPolicy",
            &mut problems,
        ),
        wishes: wishes(meta, &mut problems),
        membership: membership::of(pod, &mut problems),
        role: membership::role(meta),
        rank: rank::of(meta),
        queue: membership::queue(meta),
        created_at: created_at(meta, &mut problems),
        scheduled_at: scheduled_at(&pod.status, &mut problems),
        started_at: time(pod.status.start_time.as_deref(), "status.startTime", &mut problems),
        finished_at: finished_at(&pod.status, phase, &mut problems),
        walltime: walltime(pod.spec.active_deadline_seconds.as_ref(), &mut problems),
        gone_by: time(
            meta.deletion_timestamp.as_deref(),
            "metadata.deletionTimestamp",
            &mut problems,
        ),
        evicted: is_evicted(&pod.status, phase),
        evicted_for: evicted_for(&pod.status),
        rejected: rejected(&pod.status, phase),
        has_controller: meta.controller().is_some(),
        told: told(&pod.status),
        ledger: ledger(meta, &mut problems),
        daemon: membership::daemon(meta, &namespace),
        claims: shape::claims(&pod.spec, &name),
        unsupported: shaped.unsupported,
        namespace,
        name,
    };
    problems.with(spec)
}

/// What was written down about its plain gang.
fn ledger(meta: &Meta, problems: &mut Problems) -> Option<Box<Ledger>> {
    let read = ledger::read(meta.annotation(names::STATE)?, problems);
    (!read.is_empty()).then(|| Box::new(read))
}

/// What it wishes for itself where others want its room.
fn wishes(meta: &Meta, problems: &mut Problems) -> Option<Box<Wishes>> {
    let wishes = wishes::of(meta, problems);
    (wishes != Wishes::default()).then(|| Box::new(wishes))
}

/// True if this scheduler name is one of ours.
#[must_use]
pub fn is_ours(scheduler_name: &str, context: &Context) -> bool {
    let name = if scheduler_name.is_empty() { DEFAULT_SCHEDULER } else { scheduler_name };
    context.scheduler_names.iter().any(|ours| ours == name)
}

/// The uid of the object, made up from its names where it has none.
fn uid(meta: &Meta, namespace: &str, name: &str) -> String {
    if meta.uid.is_empty() { format!("pod:{namespace}/{name}") } else { meta.uid.clone() }
}

fn name(meta: &Meta, problems: &mut Problems) -> String {
    if !meta.name.is_empty() {
        return meta.name.clone();
    }
    let prefix = meta.generate_name.trim_end_matches('-');
    if prefix.is_empty() {
        problems.add("metadata.name", "it has no name", "give it one");
    }
    prefix.to_owned()
}

/// A phase that is not known holds its room, as an unreachable pod does.
fn phase(status: &PodStatus, problems: &mut Problems) -> PodPhase {
    match status.phase.as_str() {
        "" | "Pending" => PodPhase::Pending,
        "Running" | "Unknown" => PodPhase::Running,
        "Succeeded" => PodPhase::Succeeded,
        "Failed" => PodPhase::Failed,
        other => {
            problems.add(
                "status.phase",
                format!("`{}` is no phase; taken as Running", shorten(other)),
                "use Pending, Running, Succeeded, Failed or Unknown",
            );
            PodPhase::Running
        }
    }
}

fn scheduled_at(status: &PodStatus, problems: &mut Problems) -> Option<Time> {
    let scheduled = condition(&status.conditions, "PodScheduled")?;
    if scheduled.status != "True" {
        return None;
    }
    time(scheduled.last_transition_time.as_deref(), "status.conditions[PodScheduled]", problems)
}

/// When the last container ended; else when the pod stopped being ready.
fn finished_at(status: &PodStatus, phase: PodPhase, problems: &mut Problems) -> Option<Time> {
    if !phase.is_finished() {
        return None;
    }
    let mut end = |container: &ContainerStatus| {
        let text = container.state.terminated.finished_at.as_deref();
        time(text, "status.containerStatuses", problems)
    };
    let last = status.container_statuses.iter().filter_map(&mut end).max();
    last.or_else(|| {
        let ready =
            condition(&status.conditions, "Ready").filter(|ready| ready.status == "False")?;
        time(ready.last_transition_time.as_deref(), "status.conditions[Ready]", problems)
    })
}

fn walltime(seconds: Option<&Number>, problems: &mut Problems) -> Option<Span> {
    match seconds? {
        Number::Whole(seconds) if *seconds > 0 => Some(Span::from_secs(*seconds)),
        other => {
            problems.add(
                "spec.activeDeadlineSeconds",
                format!("`{}` is no number of seconds; ignored", shorten(&other.to_string())),
                "use a whole number of at least 1, or leave it out",
            );
            None
        }
    }
}

/// Why the kubelet did not admit it: the reasons of its admission checks and of the device,
/// CPU and topology managers (kubelet `lifecycle` and `cm` packages).
fn rejected(status: &PodStatus, phase: PodPhase) -> Option<String> {
    let reason = status.reason.as_str();
    let is_refusal = reason.starts_with("OutOf")
        || ["UnexpectedAdmissionError", "NodeAffinity", "TopologyAffinityError"].contains(&reason);
    (phase == PodPhase::Failed && is_refusal).then(|| reason.to_owned())
}

/// What the object itself says about its scheduling.
fn told(status: &PodStatus) -> Option<Box<Told>> {
    let scheduled = condition(&status.conditions, "PodScheduled");
    let reason = scheduled.filter(|one| one.status == "False").map(|one| one.reason.clone());
    let told =
        Told { reason: reason.unwrap_or_default(), nominated: status.nominated_node_name.clone() };
    (told != Told::default()).then(|| Box::new(told))
}

/// The plan of ours that it was marked for.
fn evicted_for(status: &PodStatus) -> Option<Time> {
    let mark = condition(&status.conditions, "DisruptionTarget")?;
    let is_ours = mark.status == "True" && mark.reason == PREEMPTED;
    plan_of(&mark.message).filter(|_| is_ours)
}

/// Marked by whoever evicted it, or failed because it lost its place on the node.
fn is_evicted(status: &PodStatus, phase: PodPhase) -> bool {
    let is_marked =
        condition(&status.conditions, "DisruptionTarget").is_some_and(|mark| mark.status == "True");
    let lost_place = ["Evicted", "Preempting", "NodeLost", "UnexpectedAdmissionError"];
    let reason = status.reason.as_str();
    let is_lost = lost_place.contains(&reason) || reason.starts_with("OutOf");
    is_marked || (phase == PodPhase::Failed && is_lost)
}
