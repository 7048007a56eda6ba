//! What the engine asks of the outside, and how each request can end.

use crate::spec::{GangKey, Labels, VolumeStep};
use crate::time::Time;

/// Names one effect until it is settled. Never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EffectId(pub u64);

/// A request to the outside. Names instead of ids: it must make sense without the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Bind this pod to this node.
    Bind(Bind),
}

/// One member's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bind {
    /// Uid of the pod, a precondition of the write.
    pub uid: String,
    /// Namespace of the pod.
    pub namespace: String,
    /// Name of the pod.
    pub name: String,
    /// Where it goes.
    pub node: String,
    /// The gang it belongs to.
    pub gang: GangKey,
    /// What the pod is told about its place, as annotations in the same write.
    pub annotations: Labels,
    /// What has to be done about its claims first. No bind of the gang leaves before all steps
    /// of all of its members ended well.
    pub volumes: Vec<VolumeStep>,
}

/// One member that has to go, so that another gang finds room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evict {
    /// Uid of the pod, a precondition of the write.
    pub uid: String,
    /// Namespace of the pod.
    pub namespace: String,
    /// Name of the pod.
    pub name: String,
    /// The gang it belongs to.
    pub gang: GangKey,
    /// The gang that gains by it.
    pub gainer: GangKey,
    /// Names the plan that it is part of (see [`Reservation::plan`]).
    ///
    /// [`Reservation::plan`]: crate::spec::Reservation::plan
    pub plan: Time,
}

/// How an effect ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It happened.
    Done,
    /// It did not happen, and the pod is where it was before.
    Refused(String),
    /// Nobody can say; the pod stays assumed until the watch tells.
    Unknown,
}
