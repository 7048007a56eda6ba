//! A gang as its group object (in any dialect) describes it.

use super::{Labels, Ledger, Resources, Wishes};
use crate::time::{Span, Time};
use std::fmt;

/// The vocabulary in which a group was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// `muster.sh` PodGroup.
    Muster,
    /// `scheduling.k8s.io` PodGroup.
    Kubernetes,
    /// `scheduling.volcano.sh` PodGroup.
    Volcano,
    /// `scheduling.x-k8s.io` PodGroup.
    Coscheduling,
    /// Pods that share a controller; the name is `<kind>/<name>`, such as `job/train`.
    Plain,
    /// A gang of one; the name is the pod's.
    Pod,
}

impl Dialect {
    /// The word used in output and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Muster => "muster",
            Self::Kubernetes => "kubernetes",
            Self::Volcano => "volcano",
            Self::Coscheduling => "coscheduling",
            Self::Plain => "plain",
            Self::Pod => "pod",
        }
    }
}

/// What a gang is called. Two groups of one name in different dialects are two gangs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GangKey {
    /// Namespace of group and pods.
    pub namespace: String,
    /// Name of the group object; `<kind>/<name>` of the controller for plain gangs.
    pub name: String,
    /// Vocabulary it was written in.
    pub dialect: Dialect,
}

impl fmt::Display for GangKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// What a group asks for. All-or-nothing down to `min` and every role's minimum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GangSpec {
    /// Which gang.
    pub key: GangKey,
    /// Uid of the group object; ends every tie in the order.
    pub uid: String,
    /// When the group object was created.
    pub created_at: Time,
    /// Which version of what the group asks for this is; 0 where it is unknown, or where the
    /// dialect's status has no place to say it.
    pub generation: i64,
    /// Least number of members that may run; at least 1 after translation.
    pub min: u32,
    /// Minimums per role, in order of name.
    pub roles: Vec<RoleSpec>,
    /// Queue asked for; `None` leaves it to pods, namespace, then `default`.
    pub queue: Option<String>,
    /// Priority as a number, where the group carries one.
    pub priority: Option<i32>,
    /// Priority class name, used where `priority` is missing; empty for none.
    pub priority_class: String,
    /// Where members must or should be together.
    pub topology: TopologyWish,
    /// Upper bound of the run time that the user gave, if any. Only planning reads it.
    pub walltime: Option<Span>,
    /// Never shrunk, even above the minimum (`disruptionMode: All`).
    pub unbreakable: bool,
    /// What it wishes where others want its room; each of its pods may wish more for itself.
    pub wishes: Wishes,
    /// Members that succeeded in this run by the owner's own status.
    pub succeeded: u32,
    /// What the controller creates before the first pod is ready, if that is less than all.
    pub creates_at_once: Option<CreatesAtOnce>,
    /// Parts of the group that this version cannot honour yet, in words that complete
    /// "the group uses …"; it waits with the reason rather than being placed wrongly.
    pub unsupported: Vec<String>,
    /// What the group says it needs in all (Volcano `minResources`): read against the limits of
    /// its queue before there are pods, never while placing.
    pub min_resources: Resources,
    /// Labels of the group object, for people.
    pub labels: Labels,
    /// What was written down about it before.
    pub ledger: Ledger,
    /// What its status says as a number, where its writer left one. Nothing is decided by it.
    pub digest: Option<u64>,
    /// The scheduler that its controller names for the pods it will make; empty where nobody
    /// says before there are pods.
    pub scheduler: String,
    /// What stands in its status was decided by another scheduler. No decision reads it.
    pub is_contested: bool,
}

impl GangSpec {
    /// A gang called `key` with the least possible demands.
    #[must_use]
    pub fn plain(key: GangKey) -> Self {
        Self {
            uid: format!("{}:{key}", key.dialect.name()),
            key,
            created_at: Time::ZERO,
            generation: 0,
            min: 1,
            roles: Vec::new(),
            queue: None,
            priority: None,
            priority_class: String::new(),
            topology: TopologyWish::default(),
            walltime: None,
            unbreakable: false,
            wishes: Wishes::default(),
            succeeded: 0,
            creates_at_once: None,
            unsupported: Vec::new(),
            min_resources: Resources::new(),
            labels: Labels::new(),
            ledger: Ledger::default(),
            digest: None,
            scheduler: String::new(),
            is_contested: false,
        }
    }
}

/// The least number of members of one role.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RoleSpec {
    /// Role name as pods carry it.
    pub name: String,
    /// Least number of members in this role.
    pub min: u32,
}

/// Where the members of a gang want to be together.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TopologyWish {
    /// Topology that names the levels; `None` takes the only one there is, or plain label keys.
    pub topology: Option<String>,
    /// Level (its name or node label key) that all members must share.
    pub required: Option<String>,
    /// Level that members should share if possible.
    pub preferred: Option<String>,
}

/// How many pods a controller creates before the first one is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatesAtOnce {
    /// That many.
    pub pods: u32,
    /// The setting to change, in words that complete "set …".
    pub setting: String,
}
