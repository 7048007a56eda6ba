//! What a person or a status writer reads of a gang.

use crate::admit;
use crate::awaits;
use crate::engine::Engine;
use crate::roster::{Roster, rank_order};
use crate::run::reservation;
use scheduler_model::explain::{Explanation, WaitReason};
use scheduler_model::gang::Origin;
use scheduler_model::ids::{GangId, NodeId, PodId};
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{GangKey, Ledger, PodPhase, Told};
use scheduler_model::time::Time;
use std::collections::BTreeMap;

/// Where a gang stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// The group exists, its pods do not (yet, or any more).
    Empty,
    /// No unfinished member is left.
    Done,
    /// It has less than its minimum.
    Waiting,
    /// It lost members and has less than its minimum.
    Broken,
    /// It has its minimum; some members above it wait.
    Partial,
    /// All its members have places.
    Running,
}

/// One member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberView {
    /// Uid.
    pub uid: String,
    /// Name.
    pub name: String,
    /// Role.
    pub role: String,
    /// Node it has or was given.
    pub node: Option<String>,
    /// Node that is kept for it while others are evicted.
    pub reserved: Option<String>,
    /// Decided, but not yet seen bound.
    pub is_assumed: bool,
    /// It lost its place: it goes, or its node is gone or silent.
    pub is_lost: bool,
    /// Scheduling gates are closed.
    pub is_gated: bool,
    /// It is marked as about to be deleted.
    pub is_marked: bool,
    /// A controller makes a new pod where this one goes.
    pub has_controller: bool,
    /// What the object itself says about its scheduling.
    pub told: Option<Told>,
    /// What was written down on it.
    pub ledger: Option<Ledger>,
}

/// Members by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Unfinished members that are not lost.
    pub exist: u32,
    /// Those of them that are bound in the API.
    pub placed: u32,
    /// Members that run and are not lost.
    pub running: u32,
    /// Members that succeeded in this run.
    pub succeeded: u32,
    /// Members that failed in this run.
    pub failed: u32,
}

/// One gang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GangView {
    /// What it is called.
    pub key: GangKey,
    /// Uid of its group object, or of what stands for one.
    pub uid: String,
    /// A group object stands in the API now.
    pub has_object: bool,
    /// The generation of that object that the engine knows; 0 where none is known.
    pub generation: i64,
    /// Its queue.
    pub queue: String,
    /// What keeps its queue from taking it; `None` once it takes it, or once there are pods.
    pub barred_by: Option<WaitReason>,
    /// Its priority.
    pub priority: i32,
    /// Where it stands.
    pub standing: Standing,
    /// Least number of members.
    pub min: u32,
    /// Unfinished members in order of rank.
    pub members: Vec<MemberView>,
    /// Members by what became of them.
    pub counts: Counts,
    /// Members that succeeded in this run.
    pub succeeded: u32,
    /// When it first had its minimum.
    pub age: Option<Time>,
    /// When its first member began to run.
    pub started_at: Option<Time>,
    /// Its minimum was in place once in this run.
    pub has_started: bool,
    /// What must survive a restart.
    pub ledger: Ledger,
    /// Room was being made for it, as is written down, and is not any more.
    pub has_lost_room: bool,
    /// It goes as a whole, for others, and comes again when its pods are made anew.
    pub is_evicted: bool,
    /// Why it, or the rest of it, waits.
    pub explanation: Option<Explanation>,
    /// Why it is not bound yet although it has nodes.
    pub awaits: Option<Explanation>,
}

impl GangView {
    /// What to say first of why it waits.
    #[must_use]
    pub fn why(&self) -> Option<&Explanation> {
        self.explanation.as_ref().or(self.awaits.as_ref())
    }
}

impl Engine {
    /// All gangs in order of namespace, name and dialect.
    #[must_use]
    pub fn gangs(&self) -> Vec<GangView> {
        self.snapshot.gangs().iter().map(|(id, _)| self.view(id)).collect()
    }

    /// The gang called `key`, without a look at any other.
    #[must_use]
    pub fn gang(&self, key: &GangKey) -> Option<GangView> {
        self.snapshot.gangs().find(key).map(|id| self.view(id))
    }

    /// One gang.
    #[must_use]
    pub fn view(&self, id: GangId) -> GangView {
        let snap = &self.snapshot;
        let gang = snap.gangs().get(id);
        let roster = self.roster(id);
        let run = gang.run(snap.pods());
        let mut members = run.unfinished.clone();
        members.sort_by(|a, b| rank_order(snap, *a, *b));
        let is_running = |pod: &&PodId| {
            snap.pods().get(**pod).spec.phase == PodPhase::Running && !snap.is_lost(**pod)
        };
        let running = members.iter().filter(is_running).count();
        let memory = self.memory.get(&id);
        let ledger = memory.map(|memory| memory.run.ledger(gang, snap));
        let reserved = self.reserved_nodes(id, &roster);
        let awaits = awaits::explain(snap, &gang.key, &members);
        GangView {
            key: gang.key.clone(),
            uid: uid(snap, id),
            has_object: gang.exists && gang.origin == Origin::Group,
            generation: gang.spec.as_ref().map_or(0, |spec| spec.generation),
            queue: gang.queue_name.clone(),
            barred_by: admit::barred_by(snap, id),
            priority: snap.priority(id),
            standing: match gang.members.is_empty() && gang.ghosts.is_empty() {
                true => Standing::Empty,
                false => standing(&roster),
            },
            min: roster.total.min,
            counts: Counts {
                exist: roster.total.exist,
                placed: roster.total.bound,
                running: u32::try_from(running).unwrap_or(u32::MAX),
                succeeded: roster.total.succeeded,
                failed: run.failed,
            },
            members: members.into_iter().map(|pod| self.member(pod, &reserved)).collect(),
            succeeded: roster.total.succeeded,
            age: memory.and_then(|memory| memory.run.age),
            started_at: snap.started_at(id),
            has_started: memory.is_some_and(|memory| memory.run.has_started),
            ledger: Ledger { reservation: self.reservation(id), ..ledger.unwrap_or_default() },
            has_lost_room: reservation(snap, id, Time::ZERO).is_some()
                && self.plan(&gang.key).is_none(),
            is_evicted: memory.is_some_and(|it| it.run.is_evicted && it.run.is_away()),
            explanation: self.explanation(id).cloned(),
            awaits,
        }
    }

    fn member(&self, id: PodId, reserved: &BTreeMap<PodId, NodeId>) -> MemberView {
        let snap = &self.snapshot;
        let pod = snap.pods().get(id);
        let known = pod.place.node().map(|node| snap.nodes().spec(node).name.clone());
        MemberView {
            uid: pod.spec.uid.clone(),
            name: pod.spec.name.clone(),
            role: pod.spec.role.clone(),
            node: known.or_else(|| pod.spec.node.clone()),
            reserved: reserved.get(&id).map(|node| snap.nodes().spec(*node).name.clone()),
            is_assumed: pod.is_assumed(),
            is_lost: snap.is_lost(id),
            is_gated: !pod.spec.gates.is_empty(),
            is_marked: pod.spec.evicted,
            has_controller: pod.spec.has_controller,
            told: pod.spec.told.as_deref().cloned(),
            ledger: pod.spec.ledger.as_deref().cloned(),
        }
    }
}

/// The uid of a gang's group; made up of the first member's where there is none.
fn uid(snap: &Snapshot, id: GangId) -> String {
    let gang = snap.gangs().get(id);
    let of_pods = || gang.members.iter().map(|pod| &snap.pods().get(*pod).spec.uid).min();
    gang.spec.as_ref().map(|spec| &spec.uid).or_else(of_pods).cloned().unwrap_or_default()
}

fn standing(roster: &Roster) -> Standing {
    let total = &roster.total;
    if roster.is_over() {
        Standing::Done
    } else if roster.needed() > 0 {
        match (roster.is_broken(), total.placed > 0) {
            (true, _) => Standing::Broken,
            // It has all that it was begun with; its minimum was raised since.
            (false, true) => Standing::Partial,
            (false, false) => Standing::Waiting,
        }
    } else if roster.pending() + total.gated + total.unclaimed > 0 {
        // A minimum met by members that succeeded still leaves the others waiting.
        if total.placed == 0 { Standing::Waiting } else { Standing::Partial }
    } else {
        Standing::Running
    }
}
