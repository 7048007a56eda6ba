//! What a story expects, as values. `check` compares them with what a runner observed.

use scheduler_model::explain::{Cure, Explanation, WaitReason};
use scheduler_model::spec::{GangKey, Labels, Resources};
use std::collections::BTreeMap;

/// One thing that must hold. What is not mentioned is free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// About a gang.
    Gang {
        /// Which one.
        gang: GangKey,
        /// What must hold of it.
        wish: Wish,
    },
    /// A queue has exactly this much of each resource named.
    Queue {
        /// Which queue.
        queue: String,
        /// What of it.
        fact: QueueFact,
        /// On this flavour; `None` is over all.
        flavour: Option<String>,
        /// Amounts by resource; others are free.
        amounts: Resources,
    },
    /// Some problem that was reported contains this text.
    Problem(String),
}

/// What a queue and all below it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueueFact {
    /// In use.
    Uses,
    /// Kept for it whether it wants it or not.
    Kept,
    /// What it may call its own if it wants that much.
    Entitled,
    /// Its own, of what it wants now.
    Deserved,
    /// With what others lend it.
    Fair,
    /// What it uses and what waits in it.
    Demand,
}

impl QueueFact {
    /// The word that expectations use.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Uses => "uses",
            Self::Kept => "kept",
            Self::Entitled => "entitled",
            Self::Deserved => "deserved",
            Self::Fair => "fair",
            Self::Demand => "demand",
        }
    }
}

/// What must hold of one gang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// It runs.
    Runs(Box<Runs>),
    /// It waits.
    Waits(Box<Because>),
    /// Nothing happened to its pods since the last check (`false`: something did).
    Untouched(bool),
    /// It has no unfinished member.
    Done,
    /// Its group has no pods, and nothing is said about it.
    Silent,
}

/// How a gang runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// All members are on these nodes. Nodes are interchangeable: with as many members as
    /// nodes or more, each node has at least one; with fewer, they are among these.
    pub on: Option<Vec<String>>,
    /// All members are on some of these nodes.
    pub among: Option<Vec<String>>,
    /// Number of different nodes.
    pub nodes: Option<u32>,
    /// Number of members placed.
    pub members: Option<u32>,
    /// All members share one domain.
    pub within: Option<Within>,
    /// Exactly so many members on each node named, and none elsewhere.
    pub each: Option<BTreeMap<String, u32>>,
}

/// One domain of a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Within {
    /// The level as the story names it.
    pub level: String,
    /// Node label keys of all wider levels and of this one; a domain is equal in all.
    pub keys: Vec<String>,
}

/// Why a gang waits. What is `None` or empty is free.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Because {
    /// A word of [`reason_word`].
    pub reason: Option<&'static str>,
    /// Members that could be placed at best.
    pub placeable: Option<u32>,
    /// Members that must be placed.
    pub needed: Option<u32>,
    /// The role that `nodes` is about; `None` means some role.
    pub role: Option<String>,
    /// Number of nodes by what they say, as in [`crate::node_word`].
    pub nodes: BTreeMap<String, u32>,
    /// Places that the nearest miss lacks.
    pub places: Option<u32>,
    /// Domain of the nearest miss, as `level=value`.
    pub domain: Option<String>,
    /// Who or what can change it.
    pub cure: Option<Cure>,
    /// The explanation's sentence contains this.
    pub text: Option<String>,
    /// The next step that the explanation names contains this.
    pub step: Option<String>,
}

/// All words for reasons to wait, in the order in which they are checked.
pub const REASONS: [&str; 25] = [
    "no-group",
    "members",
    "role-members",
    "gated",
    "bind-refused",
    "volume",
    "schedulers",
    "unsupported",
    "queue-missing",
    "queue-closed",
    "queue-broken",
    "queue-contradictory",
    "queue-forbidden",
    "level-missing",
    "limit",
    "borrowing-limit",
    "dedicated",
    "user-limit",
    "max-running",
    "room",
    "held",
    "behind",
    "evicting",
    "fuel",
    "elastic",
];

/// The word for a reason to wait.
#[must_use]
pub fn reason_word(reason: &WaitReason) -> &'static str {
    reason.word()
}

/// What a runner knows once things have settled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Every gang that the runner knows.
    pub gangs: BTreeMap<GangKey, ObservedGang>,
    /// What each queue has, over all flavours and by flavour.
    pub queues: BTreeMap<String, ObservedQueue>,
    /// Labels of every node.
    pub node_labels: BTreeMap<String, Labels>,
    /// All problems reported so far, as sentences.
    pub problems: Vec<String>,
}

/// What a queue has, over all flavours and by flavour.
pub type ObservedQueue = BTreeMap<(QueueFact, Option<String>), Resources>;

/// What a runner knows about one gang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedGang {
    /// How it stands.
    pub state: GangState,
    /// Unfinished members that have a node: pod name and node.
    pub placed: Vec<(String, String)>,
    /// Why it, or the rest of it, waits.
    pub explanation: Option<Explanation>,
    /// No pod of it was bound, deleted or changed since the last check.
    pub untouched: bool,
}

/// How a gang stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GangState {
    /// Fewer members than the minimum have a node or have succeeded.
    Waits,
    /// At least the minimum has a node or has succeeded.
    Runs,
    /// It had members and none of them is unfinished.
    Done,
    /// Its group has no pods.
    Silent,
}

impl GangState {
    /// The word that expectations use.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waits => "waits",
            Self::Runs => "runs",
            Self::Done => "is done",
            Self::Silent => "is silent",
        }
    }
}
