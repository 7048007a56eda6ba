//! Carries out one change of a story on the stage, with names resolved as things stand now.

use crate::checker::gang_of;
use crate::stage::{Stage, ended};
use scheduler_model::event::Event;
use scheduler_model::spec::{GangKey, NodeSpec, PodPhase, PodSpec, QueueSpec};
use scheduler_scenario::{Change, PodName};

/// Carries `change` out, or says which name means nothing by now.
pub(super) fn apply(stage: &mut Stage, change: &Change) -> Result<(), String> {
    match change {
        Change::Event(event) => stage.tell(event.clone()),
        Change::GangFinishes(gang) => end_gang(stage, gang, PodPhase::Succeeded),
        Change::GangFails(gang) => end_gang(stage, gang, PodPhase::Failed),
        Change::GangDeleted(gang) => stage.delete_gang(gang),
        Change::PodSucceeds(name) => end_pod(stage, name, PodPhase::Succeeded)?,
        Change::PodFails(name) => end_pod(stage, name, PodPhase::Failed)?,
        Change::PodRejected(name) => {
            let pod = find(stage, name)?.clone();
            let rejected = PodSpec { rejected: Some("OutOfcpu".to_owned()), ..pod };
            let event = ended(&rejected, PodPhase::Failed, stage.now());
            stage.tell(event);
        }
        Change::PodRefused(name) => {
            let uid = find(stage, name)?.uid.clone();
            stage.refusing.insert(uid);
        }
        Change::PodAccepted(name) => {
            let uid = find(stage, name)?.uid.clone();
            stage.refusing.remove(&uid);
        }
        Change::PodDeleted(name) => {
            let uid = find(stage, name)?.uid.clone();
            stage.tell(Event::PodGone(uid));
        }
        Change::PodTerminates(name) => {
            let pod = PodSpec { terminating: true, ..find(stage, name)?.clone() };
            stage.tell(Event::Pod(Box::new(pod)));
        }
        Change::NodeFails(name) => {
            let now = stage.now();
            change_node(stage, name, |node| {
                node.not_ready_since.get_or_insert(now);
                node.ready = false;
            })?;
        }
        Change::NodeReturns(name) => change_node(stage, name, |node| {
            (node.ready, node.not_ready_since) = (true, None);
        })?,
        Change::NodeCordoned(name) => change_node(stage, name, |node| node.unschedulable = true)?,
        Change::NodeUncordoned(name) => {
            change_node(stage, name, |node| node.unschedulable = false)?;
        }
        Change::GateOpens { gate, gang } => open_gate(stage, gate, gang.as_ref())?,
        Change::QueueCloses(name) => change_queue(stage, name, |queue| queue.open = false)?,
        Change::QueueOpens(name) => change_queue(stage, name, |queue| queue.open = true)?,
        Change::Add(world) => stage.add(world.clone()),
    }
    Ok(())
}

fn end_gang(stage: &mut Stage, gang: &GangKey, phase: PodPhase) {
    let runs =
        |pod: &&PodSpec| gang_of(pod) == *gang && pod.node.is_some() && !pod.phase.is_finished();
    let members = stage.objects().pods.values().filter(runs);
    let news: Vec<Event> = members.map(|pod| ended(pod, phase, stage.now())).collect();
    news.into_iter().for_each(|event| stage.tell(event));
}

fn end_pod(stage: &mut Stage, name: &PodName, phase: PodPhase) -> Result<(), String> {
    let event = ended(find(stage, name)?, phase, stage.now());
    stage.tell(event);
    Ok(())
}

fn find<'a>(stage: &'a Stage, name: &PodName) -> Result<&'a PodSpec, String> {
    let is_meant = |pod: &&PodSpec| pod.namespace == name.namespace && pod.name == name.name;
    let found = stage.objects().pods.values().find(is_meant);
    found.ok_or_else(|| format!("pod {name} does not exist at this moment"))
}

fn change_node(
    stage: &mut Stage,
    name: &str,
    change: impl Fn(&mut NodeSpec),
) -> Result<(), String> {
    let node = stage.objects().nodes.get(name);
    let mut node = node.ok_or_else(|| format!("node {name:?} does not exist by now"))?.clone();
    change(&mut node);
    stage.tell(Event::Node(Box::new(node)));
    Ok(())
}

fn change_queue(
    stage: &mut Stage,
    name: &str,
    change: impl Fn(&mut QueueSpec),
) -> Result<(), String> {
    let queue = stage.objects().queues.get(name);
    let mut queue = queue.ok_or_else(|| format!("queue {name:?} does not exist by now"))?.clone();
    change(&mut queue);
    stage.tell(Event::Queue(queue));
    Ok(())
}

fn open_gate(stage: &mut Stage, gate: &str, gang: Option<&GangKey>) -> Result<(), String> {
    let is_closed = |pod: &&PodSpec| {
        pod.gates.iter().any(|one| one == gate) && gang.is_none_or(|gang| gang_of(pod) == *gang)
    };
    let pods: Vec<PodSpec> = stage.objects().pods.values().filter(is_closed).cloned().collect();
    if pods.is_empty() {
        return Err(format!("gate {gate:?} is closed on no pod at this moment"));
    }
    for mut pod in pods {
        pod.gates.retain(|one| one != gate);
        stage.tell(Event::Pod(Box::new(pod)));
    }
    Ok(())
}
