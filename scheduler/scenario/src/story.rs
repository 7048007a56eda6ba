//! A scenario as it is handed to a runner: plain values, no serde, no engine.

use crate::expect::Expectation;
use scheduler_model::event::Event;
use scheduler_model::spec::GangKey;
use scheduler_model::time::{Span, Time};
use scheduler_model::world::World;
use std::fmt;

/// One file: a cluster with its gangs, what must come of it, what happens then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// The sentence that the file tells.
    pub story: String,
    /// Words by which runners choose files, such as `e2e`.
    pub labels: Vec<String>,
    /// When virtual time begins. Hints of the world count from here.
    pub start: Time,
    /// How long the head of a line is blocked before it holds room, where the file says so.
    pub hold_after: Option<Span>,
    /// Gangs may be evicted for others.
    pub evicts: bool,
    /// They may be evicted against disruption budgets where nothing else will do.
    pub breaks_budgets: bool,
    /// How long an evicted pod takes to go.
    pub grace: Span,
    /// Everything at the start. What arrives later stands here too, with a hint.
    pub world: World,
    /// What must hold once the world has settled at the start, before the first step.
    pub expect: Vec<Expectation>,
    /// What happens then, in order of time.
    pub then: Vec<Step>,
}

/// Something that happens, and what must hold once that has settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// When, on the virtual clock; never before the step before.
    pub at: Time,
    /// What happens, in order, all at that moment.
    pub changes: Vec<Change>,
    /// What must hold afterwards.
    pub expect: Vec<Expectation>,
}

/// A pod by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PodName {
    /// Namespace.
    pub namespace: String,
    /// Name inside the namespace.
    pub name: String,
}

impl fmt::Display for PodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// What happens in a step. What needs the state of the simulated cluster stays a name, which
/// the runner resolves when the step comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// News that need no state: `group g deleted`, `node n removed`, `queue q removed`.
    Event(Event),
    /// All bound members succeed.
    GangFinishes(GangKey),
    /// All bound members fail.
    GangFails(GangKey),
    /// The group object and all pods are deleted.
    GangDeleted(GangKey),
    /// The pod succeeds.
    PodSucceeds(PodName),
    /// The pod fails.
    PodFails(PodName),
    /// The kubelet turns the pod away: it fails with `OutOfcpu`.
    PodRejected(PodName),
    /// From now on, the API server refuses to bind the pod.
    PodRefused(PodName),
    /// It does so no more.
    PodAccepted(PodName),
    /// The pod object is gone.
    PodDeleted(PodName),
    /// Deletion of the pod begins; it holds its room until it is deleted.
    PodTerminates(PodName),
    /// The node is not ready any more.
    NodeFails(String),
    /// The node is ready again.
    NodeReturns(String),
    /// The node is cordoned.
    NodeCordoned(String),
    /// The node is not cordoned any more.
    NodeUncordoned(String),
    /// The scheduling gate of this name opens.
    GateOpens {
        /// Name of the gate.
        gate: String,
        /// Only on pods of this gang; `None` opens it on all pods.
        gang: Option<GangKey>,
    },
    /// The queue is closed.
    QueueCloses(String),
    /// The queue is open again.
    QueueOpens(String),
    /// Objects appear, or take the place of those of the same name.
    Add(World),
}
