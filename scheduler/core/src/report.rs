//! What a cycle decided, as plain values for the edge: effects, metrics, logs, people.

use scheduler_model::effect::{Effect, EffectId, Evict};
use scheduler_model::explain::Explanation;
use scheduler_model::spec::GangKey;
use scheduler_model::time::Time;

/// Everything one cycle decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CycleReport {
    /// What the outside is asked to do.
    pub effects: Vec<(EffectId, Effect)>,
    /// Pods that are asked to go, and for whom.
    pub evictions: Vec<(EffectId, Evict)>,
    /// Decisions in the order in which they were made.
    pub decisions: Vec<Decision>,
    /// Pods that kubelets turned away since the cycle before.
    pub rejections: Vec<Rejection>,
    /// Steps spent.
    pub steps: u64,
}

/// A pod that a kubelet turned away: it lost its place and never ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The gang it belongs to.
    pub gang: GangKey,
    /// Uid of the pod.
    pub pod: String,
    /// Name of the node.
    pub node: String,
    /// The kubelet's word for why, such as `OutOfcpu`.
    pub word: String,
}

/// What was decided about one gang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Its plan is complete and under way.
    Run(Plan),
    /// It waits.
    Wait(Box<Explanation>),
    /// Room is made for it.
    Evict(Eviction),
}

/// Who has to go for one gang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Eviction {
    /// For whom.
    pub gang: GangKey,
    /// Names the plan.
    pub plan: Time,
    /// Gangs that lose members, and how many.
    pub victims: Vec<(GangKey, u32)>,
}

/// Places for one gang: at least all that its minimum lacks. There is no half plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// For whom.
    pub gang: GangKey,
    /// Where each member goes, in the order in which the room was taken: each step fits on
    /// the state after the steps before it.
    pub steps: Vec<Step>,
    /// False if these are members above a minimum that already runs.
    pub is_minimum: bool,
}

/// One member's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Uid of the pod.
    pub uid: String,
    /// Name of the pod.
    pub pod: String,
    /// Name of the node.
    pub node: String,
}
