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
