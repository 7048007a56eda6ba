//! Why a gang waits, as one structured value with names instead of ids.
//!
//! The engine fills it in only after a gang failed; people read its sentence, programs its
//! fields. Invariant: in every [`SetTally`] the counts add up to the number of nodes.
//! Next: `words.rs` has the sentences.

mod words;

use crate::amount::Amount;
use crate::queue::Ceiling;
pub use crate::queue::{Bound, NamedClash};
use crate::spec::{GangKey, Taint};
use crate::time::Time;
pub use words::{show_amount, show_count};

/// Why one gang does not run, and what would let it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The waiting gang.
    pub gang: GangKey,
    /// What stands in the way first.
    pub reason: WaitReason,
    /// Members that could be placed at best, beside those that already run.
    pub placeable: u32,
    /// Members that must be placed for the gang to run.
    pub needed: u32,
    /// Per kind of member, how many nodes said what: those that lack places first, 16 kinds at
    /// most. Empty where nodes were not asked.
    pub sets: Vec<SetTally>,
    /// The smallest lack of room that was found, if lack of room is what it is.
    pub nearest: Option<NearestMiss>,
    /// Who or what can change it.
    pub cure: Cure,
    /// One thing a person can do next.
    pub next_step: String,
}

/// What stands in the way of a gang, the first obstacle in the order they are checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// Pods name a group that does not exist.
    NoGroup,
    /// Fewer pods exist than the minimum needs.
    Members {
        /// Role that lacks members; `None` if it is the whole gang.
        role: Option<String>,
        /// Unfinished pods that exist, plus members that succeeded.
        exist: u32,
        /// Least number that must exist.
        min: u32,
        /// The controller setting that keeps it from creating enough, if that is known.
        setting: Option<String>,
    },
    /// Enough pods exist, but too many have closed scheduling gates.
    Gated {
        /// Members with closed gates.
        gated: u32,
        /// Names of the gates.
        gates: Vec<String>,
    },
    /// Members name different schedulers.
    Schedulers,
    /// The gang or a pod uses something this version cannot honour.
    Unsupported(Vec<String>),
    /// Members cannot use their volume claims, wherever they would be placed.
    Volume {
        /// Members that cannot.
        pods: u32,
        /// One of the claims, as `namespace/name`.
        claim: String,
        /// Why, in words that complete "the claim …".
        why: String,
    },
    /// The API server refused to bind members again and again; they rest before the next try.
    BindRefused {
        /// Members that rest.
        pods: u32,
        /// What was answered last to the one that rests longest.
        why: String,
    },
    /// Its queue does not exist.
    QueueMissing(String),
    /// Its queue, or one above it, is closed.
    QueueClosed(String),
    /// Its queue is part of a cycle of parents, or its parent does not exist.
    QueueBroken(String),
    /// More is dedicated to its queue than that, or a queue above it, may use.
    QueueContradictory(NamedClash),
    /// Its queue, or one above it, is not for its namespace.
    QueueForbidden {
        /// The first queue on the way up that does not take it.
        queue: String,
        /// The namespace of the gang.
        namespace: String,
    },
    /// It names a topology or level that does not exist.
    LevelMissing(String),
    /// A queue limit, a borrowing limit or what is kept for other queues is in the way.
    Limit {
        /// Which of these.
        ceiling: Ceiling,
        /// Queue whose limit it is, or for which most is kept.
        queue: String,
        /// Flavour, if the limit is on one.
        flavour: Option<String>,
        /// Resource.
        resource: String,
        /// In use below that queue; by all queues, where the rest is kept for others.
        used: Amount,
        /// What the missing members want.
        wants: Amount,
        /// Ceiling.
        limit: Amount,
    },
    /// What each user of a queue may use is in the way.
    UserLimit {
        /// The queue that limits its users.
        queue: String,
        /// The user; empty where it cannot be told.
        user: String,
        /// Of this resource.
        resource: String,
        /// In use by that user.
        used: Amount,
        /// What the gang wants beside it.
        wants: Amount,
        /// Most that may be in use.
        limit: Amount,
    },
    /// Its queue, or one above it, runs as many gangs as it may.
    Running {
        /// The first such queue on the way up.
        queue: String,
        /// The user whose number it is; `None` for that of all gangs.
        user: Option<String>,
        /// So many run, or keep room for themselves.
        running: u32,
        /// So many may.
        most: u32,
    },
    /// Not enough fitting room for all members at once.
    Room,
    /// Enough room, but it is kept for a gang further ahead.
    Held {
        /// The gang the room is kept for.
        holder: GangKey,
    },
    /// Its queue is served strictly in order, and the first gang that waits has not started.
    Behind {
        /// That gang.
        head: GangKey,
    },
    /// Room is being made for it: others were asked to go.
    Evicting {
        /// Pods that still have to go.
        pods: u32,
    },
    /// The search ran out of its step budget; it goes on in the next cycle, unless it had the
    /// budget of a whole cycle: then it waits for news.
    Fuel,
    /// It has its minimum; members above it wait for room.
    Elastic,
}

impl WaitReason {
    /// One word for it, for stories, metrics and programs.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::NoGroup => "no-group",
            Self::Members { role: None, .. } => "members",
            Self::Members { role: Some(_), .. } => "role-members",
            Self::Gated { .. } => "gated",
            Self::Schedulers => "schedulers",
            Self::Unsupported(_) => "unsupported",
            Self::Volume { .. } => "volume",
            Self::BindRefused { .. } => "bind-refused",
            Self::QueueMissing(_) => "queue-missing",
            Self::QueueClosed(_) => "queue-closed",
            Self::QueueBroken(_) => "queue-broken",
            Self::QueueContradictory(_) => "queue-contradictory",
            Self::QueueForbidden { .. } => "queue-forbidden",
            Self::LevelMissing(_) => "level-missing",
            Self::Limit { ceiling: Ceiling::Limit, .. } => "limit",
            Self::Limit { ceiling: Ceiling::Borrowing, .. } => "borrowing-limit",
            Self::Limit { ceiling: Ceiling::Kept, .. } => "dedicated",
            Self::UserLimit { .. } => "user-limit",
            Self::Running { .. } => "max-running",
            Self::Room => "room",
            Self::Held { .. } => "held",
            Self::Behind { .. } => "behind",
            Self::Fuel => "fuel",
            Self::Evicting { .. } => "evicting",
            Self::Elastic => "elastic",
        }
    }

    /// True if the gang is kept back by its queue.
    #[must_use]
    pub const fn is_of_queue(&self) -> bool {
        matches!(
            self,
            Self::QueueMissing(_)
                | Self::QueueClosed(_)
                | Self::QueueBroken(_)
                | Self::QueueContradictory(_)
                | Self::QueueForbidden { .. }
                | Self::Limit { .. }
                | Self::UserLimit { .. }
                | Self::Running { .. }
        )
    }
}

/// Who or what can let a gang run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cure {
    /// Time: something that runs will end, or the next cycle goes on.
    Wait,
    /// More or freer nodes; an autoscaler may help.
    Nodes,
    /// The queue's administrator.
    Queue,
    /// The gang's author or its controller: no change of any node helps.
    Author,
}

impl Cure {
    /// The word for it, for stories and programs.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::Nodes => "nodes",
            Self::Queue => "queue",
            Self::Author => "author",
        }
    }
}

/// How the nodes answered for one kind of member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetTally {
    /// Role; empty for the nameless one.
    pub role: String,
    /// What one member requests, by resource name in order.
    pub requests: Vec<(String, Amount)>,
    /// Members of this kind that were to be placed.
    pub wanted: u32,
    /// Members of this kind that found a place in the best attempt.
    pub placed: u32,
    /// Number of nodes per answer, most frequent first. Adds up to the number of nodes.
    pub nodes: Vec<(NodeReason, u32)>,
}

/// What one node says to one kind of member: the first reason in a fixed order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeReason {
    /// It would take at least one member now.
    Fits,
    /// It had room before other members of the same gang took it.
    TakenByPeers,
    /// Cordoned.
    Cordoned,
    /// Not ready.
    NotReady,
    /// A taint that the member does not tolerate.
    Taint(Taint),
    /// Node selector or required node affinity does not match.
    NodeAffinity,
    /// Its labels are not those of the nodes of this queue.
    QueueNodes(String),
    /// Outside the domain that the gang's running members share.
    OutsideDomain,
    /// Lacks a label of the required level or of a wider one.
    NoDomain,
    /// A host port is taken.
    HostPort(String),
    /// Required pod affinity finds no partner in its domain.
    PodAffinity,
    /// Required pod anti-affinity meets a partner in its domain.
    PodAntiAffinity,
    /// A pod there refuses this one by its own anti-affinity.
    RefusedByPod,
    /// A spread constraint over this label would be broken.
    Spread(String),
    /// The node lacks the label of a spread constraint.
    NoSpreadLabel(String),
    /// Even empty it is too small, by this resource.
    TooSmall(String),
    /// Too little free, by this resource.
    Insufficient(String),
    /// It turned a pod like this away lately, with this word: the kubelet there, or whoever
    /// makes volumes for it.
    Rejected(String),
    /// Its free room is kept for another gang.
    Held,
    /// It cannot use the volume of a bound claim.
    VolumeReach,
    /// No volume of this storage class serves a claim there, and none can be made.
    NoVolume(String),
    /// The driver has too little room there for a new volume of this storage class.
    StorageRoom(String),
    /// It cannot attach more volumes of this driver now.
    AttachLimit(String),
    /// The member has more volumes of this driver than it can ever attach.
    TooManyVolumes(String),
    /// A policy outside this list says no.
    Policy(&'static str),
}

impl NodeReason {
    /// The word for it, for stories and programs: `fits`, `insufficient nvidia.com/gpu`.
    #[must_use]
    pub fn word(&self) -> String {
        match self {
            Self::Fits => "fits".to_owned(),
            Self::TakenByPeers => "taken-by-peers".to_owned(),
            Self::Cordoned => "cordoned".to_owned(),
            Self::NotReady => "not-ready".to_owned(),
            Self::Taint(taint) if taint.value.is_empty() => format!("taint {}", taint.key),
            Self::Taint(taint) => format!("taint {}={}", taint.key, taint.value),
            Self::NodeAffinity => "node-affinity".to_owned(),
            Self::QueueNodes(queue) => format!("queue-nodes {queue}"),
            Self::OutsideDomain => "outside-domain".to_owned(),
            Self::NoDomain => "no-domain".to_owned(),
            Self::HostPort(port) => format!("host-port {port}"),
            Self::PodAffinity => "pod-affinity".to_owned(),
            Self::PodAntiAffinity => "pod-anti-affinity".to_owned(),
            Self::RefusedByPod => "refused-by-pod".to_owned(),
            Self::Spread(key) => format!("spread {key}"),
            Self::NoSpreadLabel(key) => format!("no-spread-label {key}"),
            Self::TooSmall(resource) => format!("too-small {resource}"),
            Self::Insufficient(resource) => format!("insufficient {resource}"),
            Self::Rejected(word) => format!("rejected {word}"),
            Self::Held => "held".to_owned(),
            Self::VolumeReach => "volume-reach".to_owned(),
            Self::NoVolume(class) => format!("no-volume {class}"),
            Self::StorageRoom(class) => format!("storage-room {class}"),
            Self::AttachLimit(driver) => format!("attach-limit {driver}"),
            Self::TooManyVolumes(driver) => format!("too-many-volumes {driver}"),
            Self::Policy(name) => format!("policy {name}"),
        }
    }

    /// True if storage is what is missing there, whoever else runs.
    #[must_use]
    pub const fn is_of_volumes(&self) -> bool {
        matches!(self, Self::NoVolume(_) | Self::StorageRoom(_))
    }

    /// True if pods that end or leave can change the answer.
    #[must_use]
    pub fn is_cured_by_room(&self) -> bool {
        matches!(
            self,
            Self::Fits
                | Self::TakenByPeers
                | Self::HostPort(_)
                | Self::PodAntiAffinity
                | Self::RefusedByPod
                | Self::Spread(_)
                | Self::Insufficient(_)
                | Self::Rejected(_)
                | Self::AttachLimit(_)
                | Self::Held
        )
    }
}

/// "2 more nodes with 8 free nvidia.com/gpu in one rack."
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearestMiss {
    /// Nodes (or places on nodes) still missing.
    pub places: u32,
    /// What each must have free, by resource name in order; only the scarce ones.
    pub each: Vec<(String, Amount)>,
    /// The domain that came closest, as `level=value`, where one level is required.
    pub domain: Option<String>,
    /// When it is expected to be free, where run times are known.
    pub expected_at: Option<Time>,
}
