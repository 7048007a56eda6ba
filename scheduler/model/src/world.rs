//! A whole input as one value: what files, dumps and stories are read into, and what a
//! simulator plays. The engine itself never sees it; it is fed [`Event`]s one by one.

use crate::event::Event;
use crate::spec::{GangKey, PodSpec};
use crate::time::{Span, Time};
use std::collections::BTreeMap;

/// Objects, and what a simulator needs to know beside them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct World {
    /// The objects as they are at the start, in reading order. Pods that arrive later stand
    /// here too; their hints say when.
    pub events: Vec<Event>,
    /// Controllers whose pods are not in the input and are created as time goes by.
    pub workloads: Vec<Workload>,
    /// Hints by pod uid.
    pub pod_hints: BTreeMap<String, SimHints>,
    /// Hints by gang, used where a pod has none.
    pub gang_hints: BTreeMap<GangKey, SimHints>,
}

/// What only a simulator may know about a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimHints {
    /// How long it really runs (`muster.sh/simulated-runtime`); absent: the gang's walltime,
    /// else for ever. The planner never sees it.
    pub runtime: Option<Span>,
    /// When it arrives (`muster.sh/simulated-arrival`), counted from the start.
    pub arrival: Option<Time>,
}

/// A controller that creates pods, as far as a simulator must play it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    /// The object, as a person names it: `Job team-a/train`.
    pub object: String,
    /// The gang its pods belong to.
    pub gang: GangKey,
    /// All pods it will ever create, in order of creation, not bound.
    pub pods: Vec<PodSpec>,
    /// How it creates them.
    pub pace: Pace,
    /// Hints of the controller object for all of its pods.
    pub hints: SimHints,
    /// The part of a larger object that its pods are, under a name that is the same for all
    /// controllers of that part (a task of a Volcano Job, the equal Jobs of a JobSet); empty if
    /// nothing waits for it.
    pub part: String,
    /// What it waits for before it creates its first pod: all of these.
    pub after: Vec<After>,
}

/// A part that must have come so far before others begin.
///
/// A part with no controllers never gets there; pods of it that were deleted do not count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct After {
    /// [`Workload::part`] of the controllers whose pods are meant, all of them.
    pub part: String,
    /// How far.
    pub until: Until,
}

/// How far a part must have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Until {
    /// All of its pods have started (JobSet `Ready`, Volcano).
    Starts,
    /// All of its pods have succeeded (JobSet `Complete`).
    Succeeds,
}

/// How a controller creates its pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// All at once (parallel StatefulSet, ReplicaSet).
    AtOnce,
    /// At most this many unfinished at a time (Job parallelism).
    AtMost(u32),
    /// The next one when the one before runs (StatefulSet `OrderedReady`).
    AfterReady,
    /// The first alone, all others when it runs (LeaderWorkerSet `LeaderReady`).
    AfterLeader,
}
