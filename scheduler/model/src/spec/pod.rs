//! A pod as the outside describes it: where it may go, and what became of it so far.

use super::{
    ClaimUse, GangKey, LabelSelector, Labels, Ledger, NamespaceScope, Requirement, Resources,
    TaintEffect, Wishes,
};
use crate::time::{Span, Time};
use std::sync::Arc;

/// One pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodSpec {
    /// Unique for ever; made up from namespace and name where an object carries none.
    pub uid: String,
    /// Namespace.
    pub namespace: String,
    /// Name inside the namespace.
    pub name: String,
    /// True if its `schedulerName` is one of ours. Other pods only take room.
    pub ours: bool,
    /// All labels of the object.
    pub labels: Labels,
    /// Everything else that can change where it may go.
    pub shape: Arc<PodShape>,
    /// The node it is bound to (`spec.nodeName`).
    pub node: Option<String>,
    /// Life phase.
    pub phase: PodPhase,
    /// Deletion has begun; the room is not free until the object is gone or finished.
    pub terminating: bool,
    /// Names of scheduling gates still closed, sorted.
    pub gates: Vec<String>,
    /// Number from `spec.priority`, once admission has filled it in.
    pub priority: Option<i32>,
    /// Name of its priority class, used where `priority` is missing.
    pub priority_class: String,
    /// Whether others may be evicted for it (`preemptionPolicy`); `None` is as its class says.
    pub preempts: Option<bool>,
    /// What it wishes for itself where others want its room.
    pub wishes: Option<Box<Wishes>>,
    /// How it belongs to a gang.
    pub membership: Membership,
    /// Role inside the gang (`muster.sh/role`, `volcano.sh/task-spec`); empty is the nameless role.
    pub role: String,
    /// Position among its peers (completion index, task index, ordinal, trailing number).
    pub rank: Option<u64>,
    /// Queue asked for by the pod itself or its namespace; the gang's own field wins.
    pub queue: Option<String>,
    /// When the object was created.
    pub created_at: Time,
    /// When it was bound, by its `PodScheduled` condition.
    pub scheduled_at: Option<Time>,
    /// When it began to run (`status.startTime`).
    pub started_at: Option<Time>,
    /// When it ended, for `Succeeded` and `Failed`.
    pub finished_at: Option<Time>,
    /// An upper bound of its run time (`activeDeadlineSeconds`).
    pub walltime: Option<Span>,
    /// When it will be gone at the latest, as far as its grace period says (`deletionTimestamp`).
    pub gone_by: Option<Time>,
    /// It was evicted or lost its place (condition `DisruptionTarget`): never counts as succeeded.
    pub evicted: bool,
    /// The plan that it was evicted for, as its mark says (see [`Reservation::plan`]).
    ///
    /// [`Reservation::plan`]: super::Reservation::plan
    pub evicted_for: Option<Time>,
    /// Why the kubelet turned it away on its node (`OutOfcpu`, `UnexpectedAdmissionError`): it
    /// lost its place there and never ran.
    pub rejected: Option<String>,
    /// It has a controller that makes a new pod where this one goes.
    pub has_controller: bool,
    /// The last `PodScheduled` condition that says no, and the node nominated, as told.
    pub told: Option<Box<Told>>,
    /// What was written down about its plain gang.
    pub ledger: Option<Box<Ledger>>,
    /// The DaemonSet that owns it, as `namespace/name`.
    pub daemon: Option<String>,
    /// Its volume claims, sorted, without repeats.
    pub claims: Vec<ClaimUse>,
    /// Parts of the pod that this version cannot place yet; it waits with the reason.
    pub unsupported: Vec<Unsupported>,
}

impl PodSpec {
    /// A pod of ours that waits, belongs to nobody and asks for nothing.
    #[must_use]
    pub fn new(namespace: &str, name: &str) -> Self {
        Self {
            uid: format!("pod:{namespace}/{name}"),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            ours: true,
            labels: Labels::new(),
            shape: Arc::default(),
            node: None,
            phase: PodPhase::Pending,
            terminating: false,
            gates: Vec::new(),
            priority: None,
            priority_class: String::new(),
            preempts: None,
            wishes: None,
            membership: Membership::Alone,
            role: String::new(),
            rank: None,
            queue: None,
            created_at: Time::ZERO,
            scheduled_at: None,
            started_at: None,
            finished_at: None,
            walltime: None,
            gone_by: None,
            evicted: false,
            evicted_for: None,
            rejected: None,
            has_controller: false,
            told: None,
            ledger: None,
            daemon: None,
            claims: Vec::new(),
            unsupported: Vec::new(),
        }
    }
}

/// What the object itself tells people about its scheduling, so that it is not written twice.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Told {
    /// Reason of its condition `PodScheduled=False`; empty without that condition.
    pub reason: String,
    /// `status.nominatedNodeName`; empty for none.
    pub nominated: String,
}

/// Life phase of a pod (`status.phase`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PodPhase {
    /// Not running yet: unbound, or bound and starting.
    #[default]
    Pending,
    /// Running, or in an unknown state on its node: it holds its room.
    Running,
    /// Ended well.
    Succeeded,
    /// Ended badly.
    Failed,
}

impl PodPhase {
    /// True once the pod can hold no room any more.
    #[must_use]
    pub fn is_finished(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed)
    }
}

/// How a pod belongs to a gang.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Membership {
    /// It names a group object; without that object it waits.
    Group(GangKey),
    /// It shares a controller with its peers; the gang exists by itself, with minimum 1 unless
    /// a [`super::GangSpec`] of the same key says otherwise.
    Owner(GangKey),
    /// A gang of one.
    Alone,
}

/// What this version does not place yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unsupported {
    /// A dynamic resource claim, by its name in the pod.
    ResourceClaim(String),
    /// Anything else, in words that complete "the pod uses …".
    Other(String),
}

/// Everything about a pod that decides where it may go, apart from namespace and labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PodShape {
    /// Which of the sets of plugins judges it, by its scheduler name; 0 is the first.
    pub profile: u8,
    /// Effective requests: init containers, sidecars, overhead, pod level and in-place resize
    /// already folded in, rounded up. Zero entries left out. The pod itself (`pods: 1`) is
    /// added by the mirror.
    pub requests: Resources,
    /// `spec.nodeSelector`.
    pub node_selector: Labels,
    /// Required node affinity: any term may hold. `None` is no demand, `Some([])` fits nowhere.
    pub node_affinity: Option<Vec<NodeTerm>>,
    /// Preferred node affinity, with weights 1–100.
    pub node_preferences: Vec<(i32, NodeTerm)>,
    /// Tolerations in the order of the object.
    pub tolerations: Vec<Toleration>,
    /// Host ports of all containers, sorted, without repeats.
    pub host_ports: Vec<HostPort>,
    /// Required pod affinity: all terms must hold.
    pub affinity: Vec<PodTerm>,
    /// Required pod anti-affinity: no term may hold.
    pub anti_affinity: Vec<PodTerm>,
    /// Preferred pod affinity (positive weight) and anti-affinity (negative weight).
    pub pod_preferences: Vec<(i32, PodTerm)>,
    /// Topology spread constraints.
    pub spread: Vec<SpreadSpec>,
}

/// One node selector term: all of its requirements must hold. An empty term matches nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeTerm {
    /// On labels.
    pub labels: Vec<Requirement>,
    /// On fields; `metadata.name` is the only field there is.
    pub fields: Vec<Requirement>,
}

/// Lets a pod onto nodes with matching taints.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Toleration {
    /// Taint key; empty (with `Exists`) matches every key.
    pub key: String,
    /// How the value is compared.
    pub operator: TolerationOperator,
    /// Value to compare with.
    pub value: String,
    /// Effect to match; `None` matches all.
    pub effect: Option<TaintEffect>,
}

/// How a toleration compares its value with a taint's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TolerationOperator {
    /// Same value.
    #[default]
    Equal,
    /// Any value.
    Exists,
    /// The taint's value is an integer greater than ours (KEP-5471).
    Gt,
    /// The taint's value is an integer less than ours (KEP-5471).
    Lt,
}

/// A port taken on the node itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostPort {
    /// Address; `0.0.0.0` (also for an empty one) collides with every address.
    pub ip: String,
    /// Transport protocol.
    pub protocol: Protocol,
    /// Port number.
    pub port: i32,
}

/// Transport protocol of a host port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protocol {
    /// TCP, also where none is given.
    #[default]
    Tcp,
    /// UDP.
    Udp,
    /// SCTP.
    Sctp,
}

/// A condition on the pods that share a topology domain. `matchLabelKeys` and
/// `mismatchLabelKeys` are already folded into the selector.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PodTerm {
    /// Which pods; `None` selects no pod.
    pub selector: Option<LabelSelector>,
    /// In which namespaces.
    pub namespaces: NamespaceScope,
    /// Node label whose equal values make a domain.
    pub topology_key: String,
}

/// One topology spread constraint. `matchLabelKeys` are already folded into the selector.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpreadSpec {
    /// Largest allowed difference to the emptiest domain, at least 1.
    pub max_skew: u32,
    /// Node label whose equal values make a domain.
    pub topology_key: String,
    /// What happens when the skew cannot be kept.
    pub when_unsatisfiable: WhenUnsatisfiable,
    /// Which pods of the own namespace count; `None` counts none.
    pub selector: Option<LabelSelector>,
    /// With fewer domains than this, the emptiest is taken to hold no pod.
    pub min_domains: u32,
    /// Only nodes that match the pod's node selector and affinity make domains.
    pub honour_affinity: bool,
    /// Only nodes whose taints the pod tolerates make domains.
    pub honour_taints: bool,
}

/// What a spread constraint does when it cannot be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhenUnsatisfiable {
    /// The pod waits.
    DoNotSchedule,
    /// The scheduler prefers domains that lower the skew.
    ScheduleAnyway,
}

/// A DaemonSet: what each matching fresh node must keep free for its pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DaemonSpec {
    /// Unique key, `namespace/name`.
    pub key: String,
    /// Where its pods go and what they request.
    pub shape: Arc<PodShape>,
}
