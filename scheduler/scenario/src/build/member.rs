//! The pods of one entry: names, places, ranks, and what a simulator knows about them.

use super::Builder;
use super::gang::Section;
use crate::error::Error;
use crate::file::{ConstraintsFile, GangFile, RoleFile};
use crate::full::Mirror;
use crate::read::Amounts;
use crate::story::PodName;
use scheduler_model::event::Event;
use scheduler_model::spec::{
    GangKey, Labels, Membership, PodPhase, PodShape, PodSpec, Unsupported,
};
use scheduler_model::time::{Span, Time};
use scheduler_model::world::{Pace, SimHints, Workload};
use std::sync::Arc;

/// As many pods as the short form makes from one file.
const PODS_MAX: usize = 1_000_000;

/// What all members of one entry have in common.
pub(super) struct Lot {
    pub(super) key: GangKey,
    pub(super) membership: Membership,
    pub(super) section: Section,
    pub(super) line: u64,
    pub(super) since: Time,
    pub(super) created_at: Time,
    pub(super) arrives: Option<Time>,
    pub(super) runtime: Option<Span>,
}

/// Members of one role within an entry.
struct Part<'a> {
    role: &'a str,
    count: u32,
    shape: Arc<PodShape>,
    labels: &'a Labels,
    gates: Vec<String>,
    on: &'a [String],
    runtime: Option<Span>,
}

impl Builder {
    /// Makes the pods of an entry.
    pub(super) fn members(&mut self, file: &GangFile, lot: &Lot) -> Result<(), Error> {
        let mut pods = Vec::new();
        for part in self.parts(file, lot) {
            self.check_places(&part, lot)?;
            let wanted = usize::try_from(part.count).unwrap_or(usize::MAX);
            if wanted > PODS_MAX.saturating_sub(self.pods.len()) {
                return Err(Error::at(
                    lot.line,
                    format!("{} more pods are too many", part.count),
                    format!("a file has at most {PODS_MAX}"),
                ));
            }
            for index in 0..part.count {
                let pod = self.member(file, lot, &part, index)?;
                // With a controller played, the arrival is the controller's.
                let arrival = lot.arrives.filter(|_| file.pace.is_none());
                let hints = SimHints { runtime: part.runtime, arrival };
                if hints != SimHints::default() {
                    self.world.pod_hints.insert(pod.uid.clone(), hints);
                }
                pods.push(pod);
            }
        }
        let Some(pace) = &file.pace else {
            self.world.events.extend(pods.into_iter().map(|pod| Event::Pod(Box::new(pod))));
            return Ok(());
        };
        let pace = read_pace(pace).map_err(|why| Error::at(lot.line, why, "correct pace"))?;
        self.world.workloads.push(Workload {
            object: object_name(&lot.key),
            gang: lot.key.clone(),
            pods,
            pace,
            hints: SimHints { runtime: lot.runtime, arrival: lot.arrives },
            part: String::new(),
            after: Vec::new(),
        });
        Ok(())
    }

    fn parts<'a>(&self, file: &'a GangFile, lot: &Lot) -> Vec<Part<'a>> {
        let shape = |each: &Amounts, constraints: &ConstraintsFile| {
            Arc::new(self.shape(each, constraints, &lot.key.namespace))
        };
        let sorted = |gates: &[String]| {
            let mut gates = gates.to_vec();
            gates.sort();
            gates.dedup();
            gates
        };
        if file.roles.is_empty() {
            let places = u32::try_from(file.on.0.len()).unwrap_or(u32::MAX);
            return vec![Part {
                role: "",
                count: file.pods.unwrap_or(places.max(1)),
                shape: shape(&file.each, &file.constraints),
                labels: &file.labels,
                gates: sorted(&file.gates),
                on: &file.on.0,
                runtime: lot.runtime,
            }];
        }
        let part = |(name, role): (&'a String, &'a RoleFile)| Part {
            role: name,
            count: role.pods.unwrap_or(1),
            shape: shape(
                role.each.as_ref().unwrap_or(&file.each),
                role.constraints.as_ref().unwrap_or(&file.constraints),
            ),
            labels: role.labels.as_ref().unwrap_or(&file.labels),
            gates: sorted(role.gates.as_ref().unwrap_or(&file.gates)),
            on: if role.on.0.is_empty() { &file.on.0 } else { &role.on.0 },
            runtime: role.runtime.as_ref().map(|span| span.0).or(lot.runtime),
        };
        file.roles.iter().map(part).collect()
    }

    fn check_places(&self, part: &Part<'_>, lot: &Lot) -> Result<(), Error> {
        if let Some(node) = part.on.iter().find(|node| !self.nodes.contains(*node)) {
            return Err(Error::at(
                lot.line,
                format!("there is no node {node:?}"),
                format!("the nodes so far are: {}", super::list(&self.nodes)),
            ));
        }
        if usize::try_from(part.count).is_ok_and(|count| count < part.on.len()) {
            return Err(Error::at(
                lot.line,
                format!("{} pods cannot run on {} nodes", part.count, part.on.len()),
                "name at most as many nodes as pods",
            ));
        }
        if lot.section == Section::Running && part.on.is_empty() {
            return Err(Error::at(
                lot.line,
                format!("role {:?} runs nowhere", part.role),
                "give the role, or the whole entry, on: the nodes it runs on",
            ));
        }
        Ok(())
    }

    fn member(
        &mut self,
        file: &GangFile,
        lot: &Lot,
        part: &Part<'_>,
        index: u32,
    ) -> Result<PodSpec, Error> {
        let alone = lot.membership == Membership::Alone;
        let known = self.gangs.entry(lot.key.clone()).or_default();
        let made = known.members.entry(part.role.to_owned()).or_default();
        let number = *made;
        *made = made.saturating_add(1);
        let stem = lot.key.name.rsplit('/').next().unwrap_or(&lot.key.name);
        let name = match part.role {
            _ if alone => stem.to_owned(),
            "" => format!("{stem}-{number}"),
            role => format!("{stem}-{role}-{number}"),
        };
        let key = PodName { namespace: lot.key.namespace.clone(), name: name.clone() };
        if !self.pods.insert(key) {
            return Err(Error::at(
                lot.line,
                format!("there is already a pod {name:?} in namespace {:?}", lot.key.namespace),
                "give the gang another name or namespace",
            ));
        }
        let place = usize::try_from(index).unwrap_or(0) % part.on.len().max(1);
        let node = part.on.get(place).cloned();
        let phase = match (&file.phase, &node) {
            (Some(phase), _) => PodPhase::into_value(phase.clone()),
            (None, Some(_)) => PodPhase::Running,
            (None, None) => PodPhase::Pending,
        };
        let claims = super::volume::claims_of(file, &name);
        let on_pods = alone || file.group.is_some() || file.owner.is_some();
        Ok(PodSpec {
            uid: format!("pod:{}/{name}", lot.key.namespace),
            namespace: lot.key.namespace.clone(),
            name,
            ours: lot.section != Section::Foreign,
            labels: part.labels.clone(),
            shape: Arc::clone(&part.shape),
            scheduled_at: node.as_ref().map(|_| lot.since),
            started_at: node.as_ref().filter(|_| phase != PodPhase::Pending).map(|_| lot.since),
            finished_at: match &file.finished {
                Some(time) => Some(Self::moment(self.now, time.0)),
                None => phase.is_finished().then_some(self.now),
            },
            node,
            phase,
            terminating: file.terminating,
            gates: part.gates.clone(),
            priority: file.pod_priority.or(file.priority.filter(|_| on_pods)),
            preempts: file.preempts,
            wishes: self.wished(file).filter(|_| on_pods).map(Box::new),
            priority_class: file.priority_class.clone().filter(|_| on_pods).unwrap_or_default(),
            membership: lot.membership.clone(),
            role: part.role.to_owned(),
            rank: (!alone).then_some(u64::from(number)),
            queue: file.queue.clone().filter(|_| on_pods),
            created_at: lot.created_at,
            walltime: file.walltime.as_ref().map(|span| span.0).filter(|_| on_pods),
            gone_by: None,
            evicted: file.evicted || file.evicted_for.is_some(),
            evicted_for: file.evicted_for.as_ref().map(|it| Self::moment(self.now, it.0)),
            rejected: file.rejected.clone(),
            has_controller: matches!(lot.membership, Membership::Owner(_)),
            told: None,
            ledger: self.ledger(file).filter(|_| on_pods).map(Box::new),
            daemon: file.daemon.clone(),
            claims,
            unsupported: file.unsupported.iter().cloned().map(Unsupported::into_value).collect(),
        })
    }
}

/// `job/train` in `default` is `Job default/train`.
fn object_name(key: &GangKey) -> String {
    let (kind, name) = key.name.split_once('/').unwrap_or((key.dialect.name(), &key.name));
    let mut letters = kind.chars();
    let kind: String =
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    format!("{kind} {}/{name}", key.namespace)
}

fn read_pace(text: &str) -> Result<Pace, String> {
    match text.strip_prefix("at most ") {
        None if text == "at once" => Ok(Pace::AtOnce),
        None if text == "after ready" => Ok(Pace::AfterReady),
        None if text == "after leader" => Ok(Pace::AfterLeader),
        Some(count) if count.parse::<u32>().is_ok_and(|count| count > 0) => {
            Ok(Pace::AtMost(count.parse().unwrap_or(1)))
        }
        _ => Err(format!(
            "pace is \"at once\", \"after ready\", \"after leader\" or \"at most 2\", not {text:?}"
        )),
    }
}
