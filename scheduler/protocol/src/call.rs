//! What can be asked of the API server, as a closed list.
//!
//! Invariant: a call says everything; whoever sends it needs no other state. What changes an
//! object names the uid (or, for a lease, the version) it was decided on.

use crate::status::{EventNote, GroupStatus, QueueStatus};
use scheduler_model::spec::{Dialect, GangKey, Labels, Ledger};
use scheduler_model::time::{Span, Time};

/// Names one call until its answer came. Never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u64);

/// A call on its way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Send {
    /// Names it.
    pub id: CallId,
    /// What is asked.
    pub call: Call,
    /// How long to wait for an answer; after that it is [`crate::answer::Answer::Lost`].
    pub timeout: Span,
    /// Not to be put on the wire after this moment: the right to write may be gone by then, or
    /// nobody waits for the answer any more.
    /// The answer is then [`crate::answer::Answer::Unsent`].
    pub not_after: Time,
}

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Bind a pod to a node (`pods/binding`), with the uid as precondition. The annotations are
    /// put on the pod in the same write.
    Bind {
        /// Which pod.
        pod: PodRef,
        /// Where it goes.
        node: String,
        /// What the pod is told about its place (device indices, rank).
        annotations: Labels,
    },
    /// Read a pod, past all caches.
    ReadPod(PodRef),
    /// Delete a pod, with the uid as precondition.
    DeletePod(PodRef),
    /// Write conditions or the nominated node into a pod's status. Conditions that are not
    /// named stay as they are.
    PodStatus {
        /// Which pod.
        pod: PodRef,
        /// Condition to set, if any.
        condition: Option<PodCondition>,
        /// Nominated node to set (empty takes it away), if any.
        nominated: Option<String>,
    },
    /// Write what must survive a restart onto a pod of a plain gang (`muster.sh/state`).
    PodLedger {
        /// Which pod.
        pod: PodRef,
        /// The facts; empty ones take the annotation away.
        ledger: Box<Ledger>,
    },
    /// Write a group's status in the words of its own dialect, and its ledger.
    GroupStatus {
        /// Which group.
        group: GroupRef,
        /// What is to stand there.
        status: Box<GroupStatus>,
    },
    /// Write a queue's status.
    QueueStatus {
        /// Which queue.
        queue: QueueRef,
        /// What is to stand there.
        status: Box<QueueStatus>,
    },
    /// Create an event.
    Event(EventNote),
    /// Read the lease.
    ReadLease(LeaseRef),
    /// Create the lease.
    CreateLease(LeaseRef, LeaseRecord),
    /// Replace the lease as it was when `record.version` was read.
    ReplaceLease(LeaseRef, LeaseRecord),
    /// Set the node a volume claim is to be provisioned for
    /// (`volume.kubernetes.io/selected-node`), with the uid as precondition.
    SelectNode {
        /// Which claim.
        claim: ClaimRef,
        /// The node.
        node: String,
    },
    /// Take that node away again, if it still is this one.
    DeselectNode {
        /// Which claim.
        claim: ClaimRef,
        /// The node that was set.
        node: String,
    },
    /// Keep a volume for a claim, as long as it is as it was when this was decided. The cluster
    /// then binds the two.
    TakeVolume {
        /// Name of the volume.
        volume: String,
        /// `metadata.resourceVersion` it was decided on.
        version: String,
        /// Who gets it.
        claim: ClaimRef,
        /// Somebody else kept the volume for the claim, and is not to be written over: when the
        /// two part again, the cluster goes on keeping it for a claim of that name.
        is_kept: bool,
    },
}

impl Call {
    /// True if it changes nothing.
    #[must_use]
    pub const fn is_read(&self) -> bool {
        matches!(self, Self::ReadPod(_) | Self::ReadLease(_))
    }

    /// True if it is about the lease itself.
    #[must_use]
    pub const fn is_lease(&self) -> bool {
        matches!(self, Self::ReadLease(_) | Self::CreateLease(..) | Self::ReplaceLease(..))
    }

    /// A word for metrics and logs.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Bind { .. } => "bind",
            Self::ReadPod(_) => "read_pod",
            Self::DeletePod(_) => "delete_pod",
            Self::PodStatus { .. } => "pod_status",
            Self::PodLedger { .. } => "pod_ledger",
            Self::GroupStatus { .. } => "group_status",
            Self::QueueStatus { .. } => "queue_status",
            Self::Event(_) => "event",
            Self::ReadLease(_) => "read_lease",
            Self::CreateLease(..) => "create_lease",
            Self::ReplaceLease(..) => "replace_lease",
            Self::SelectNode { .. } => "select_node",
            Self::DeselectNode { .. } => "deselect_node",
            Self::TakeVolume { .. } => "take_volume",
        }
    }
}

/// A pod by all its names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodRef {
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Uid: a pod of the same name made later is another one.
    pub uid: String,
}

/// A group object by all its names. The key's dialect says which kind it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupRef {
    /// Which gang.
    pub key: GangKey,
    /// Uid of the object.
    pub uid: String,
}

/// A queue object by all its names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueueRef {
    /// Which kind it is.
    pub dialect: Dialect,
    /// Name.
    pub name: String,
    /// Uid of the object.
    pub uid: String,
}

/// A volume claim by all its names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClaimRef {
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Uid.
    pub uid: String,
}

/// The lease object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeaseRef {
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
}

/// What stands in a lease (`coordination.k8s.io/v1`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeaseRecord {
    /// Who holds it; empty for nobody.
    pub holder: String,
    /// How long after a renewal it is valid.
    pub duration: Span,
    /// When this holder took it, by the writer's clock.
    pub acquired_at: Time,
    /// When it was renewed last, by the writer's clock.
    pub renewed_at: Time,
    /// How often it changed hands.
    pub transitions: u32,
    /// `metadata.resourceVersion` it was read at; the precondition of a replacement.
    pub version: String,
}

/// A condition of a pod.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodCondition {
    /// `PodScheduled` or `DisruptionTarget`.
    pub kind: &'static str,
    /// Status.
    pub is_true: bool,
    /// One word why.
    pub reason: String,
    /// A sentence for people.
    pub message: String,
    /// When the status last changed.
    pub since: Time,
}
