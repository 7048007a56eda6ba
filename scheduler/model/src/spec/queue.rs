//! Queues, topologies, priority classes and namespaces as the outside describes them.

use super::Labels;
use crate::amount::Amount;
use crate::time::Time;

/// One queue of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueSpec {
    /// Unique name.
    pub name: String,
    /// Uid of the object; ends every tie.
    pub uid: String,
    /// Creation time.
    pub created_at: Time,
    /// Parent queue; `None` stands at the top.
    pub parent: Option<String>,
    /// Share among siblings, at least 1; 0 that slipped through means last.
    pub weight: u32,
    /// Higher goes first where shares are equal.
    pub priority: i32,
    /// Hard ceilings. A resource without one is unlimited.
    pub limits: Vec<LimitSpec>,
    /// False if closed: gangs in it wait.
    pub open: bool,
}

impl QueueSpec {
    /// An open queue of weight 1 without limits.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            uid: format!("queue:{name}"),
            created_at: Time::ZERO,
            parent: None,
            weight: 1,
            priority: 0,
            limits: Vec::new(),
            open: true,
        }
    }
}

/// A ceiling on what a queue and all below it may use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LimitSpec {
    /// Only on nodes of this flavour; `None` counts all flavours together.
    pub flavour: Option<String>,
    /// Resource name.
    pub resource: String,
    /// Ceiling.
    pub amount: Amount,
}

/// Ordered levels of node labels, widest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopologySpec {
    /// Unique name.
    pub name: String,
    /// Widest level first; equal values at a level *and all wider ones* make one domain.
    pub levels: Vec<LevelSpec>,
}

/// One level of a topology.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelSpec {
    /// Name that gangs may use; the key itself where the object gives none.
    pub name: String,
    /// Node label key.
    pub key: String,
}

/// A priority class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorityClassSpec {
    /// Unique name.
    pub name: String,
    /// Number it stands for.
    pub value: i32,
    /// Used by pods that name no class.
    pub is_default: bool,
}

/// A namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamespaceSpec {
    /// Unique name.
    pub name: String,
    /// All labels, for namespace selectors.
    pub labels: Labels,
    /// Queue for gangs in it that name none themselves.
    pub queue: Option<String>,
}
