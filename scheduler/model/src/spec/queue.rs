//! Queues, topologies, priority classes and namespaces as the outside describes them.

use super::{Dialect, Grants, LabelSelector, Labels, NamespaceScope, Resources};
use crate::amount::Amount;
use crate::time::{Span, Time};

/// One queue of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueSpec {
    /// Unique name.
    pub name: String,
    /// Uid of the object; ends every tie.
    pub uid: String,
    /// Kind of the object that it was read from, if its status is ours to write.
    pub dialect: Option<Dialect>,
    /// What its status counts, as a number, where others count there too. Nothing is decided by
    /// it.
    pub digest: Option<u64>,
    /// Creation time.
    pub created_at: Time,
    /// Parent queue; `None` stands at the top.
    pub parent: Option<String>,
    /// Share among siblings, at least 1; 0 that slipped through means last.
    pub weight: u32,
    /// Higher goes first where shares are equal.
    pub priority: i32,
    /// What it may use, sorted, at most one for a resource and flavour.
    pub quotas: Vec<QuotaSpec>,
    /// False if closed: gangs in it wait.
    pub open: bool,
    /// Others may take back what it uses above its fair share.
    pub reclaimable: bool,
    /// Its gangs may make room by evicting gangs of lower priority in the same queue.
    pub preempts: bool,
    /// Its gangs may be evicted at all, by whomever.
    pub preemptible: bool,
    /// How long its gangs are safe from eviction after they began to run.
    pub min_runtime: Span,
    /// What its gangs may wish for themselves.
    pub grants: Grants,
    /// Which of its own gangs are served first, and who may pass whom; `None` is as the queue
    /// above says.
    pub order: Option<Order>,
    /// Whether its gangs keep room once they waited long enough at the head of the line; `None` is
    /// as the queue above says.
    pub holds: Option<bool>,
    /// How long that is; `None` is as the queue above says.
    pub hold_after: Option<Span>,
    /// Namespaces whose gangs may use it and all below it; `None` is every namespace.
    pub namespaces: Option<NamespaceScope>,
    /// Nodes that its gangs and those of all below it may go to, by their labels; an empty one is
    /// every node.
    pub node_selector: LabelSelector,
    /// Most gangs of it and of all queues below it that run at once; `None` has no end.
    pub max_running: Option<u32>,
    /// What each of its users may have of it; `None` tells no users apart.
    pub users: Option<Box<UserRule>>,
}

/// What each user may have of a queue and of all below it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct UserRule {
    /// Who a gang's user is.
    pub by: UserBy,
    /// Most that the gangs of one user use.
    pub limit: Resources,
    /// Most gangs of one user that run at once; `None` has no end.
    pub max_running: Option<u32>,
}

/// Who the user of a gang is.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum UserBy {
    /// Its namespace.
    #[default]
    Namespace,
    /// What this label says on its group, else on the first of its pods by uid; empty where it is
    /// missing.
    Label(String),
}

impl QueueSpec {
    /// An open queue of weight 1 without limits.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            uid: format!("queue:{name}"),
            dialect: None,
            digest: None,
            created_at: Time::ZERO,
            parent: None,
            weight: 1,
            priority: 0,
            quotas: Vec::new(),
            open: true,
            reclaimable: true,
            preempts: true,
            preemptible: true,
            min_runtime: Span::ZERO,
            grants: Grants::default(),
            order: None,
            holds: None,
            hold_after: None,
            namespaces: None,
            node_selector: LabelSelector::default(),
            max_running: None,
            users: None,
        }
    }
}

/// In which order a queue serves its own gangs. Priority goes before age in all of them: whoever
/// has the higher one may evict, and must not be passed by its own victims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// By priority, then by age. Whoever fits may pass; room is held for the head in time.
    #[default]
    Priority,
    /// The same order, and nobody passes a gang that could run once others have ended.
    Fifo,
    /// The same order; whoever fits may pass, and no room is ever held.
    BestEffortFifo,
    /// The user goes first who uses least in the queue; the gangs of each by priority and age.
    FairByUser,
}

/// What a queue and all below it may use of one resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct QuotaSpec {
    /// Only on nodes of this flavour; `None` counts all flavours together.
    pub flavour: Option<String>,
    /// Resource name.
    pub resource: String,
    /// How much.
    pub quota: Quota,
}

/// The amounts of one quota. Units are those of its resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quota {
    /// Kept for the queue whether it uses it or not, never lent; `None` is nothing.
    pub dedicated: Option<Amount>,
    /// What the queue is entitled to: lent while it is unused, and taken back. `None` lets the
    /// queue's weight say how much.
    pub deserved: Option<Amount>,
    /// Hard ceiling; `None` is unlimited.
    pub limit: Option<Amount>,
    /// Most that the queue uses above what it deserves; `None` has no end.
    pub borrowing_limit: Option<Amount>,
    /// Most of what it deserves that others use; `None` lends all that is not dedicated. Needs
    /// `deserved`: what is worked out from a weight is never more than the queue wants.
    pub lending_limit: Option<Amount>,
}

impl QuotaSpec {
    /// A ceiling and nothing else.
    #[must_use]
    pub fn limit(flavour: Option<&str>, resource: &str, limit: Amount) -> Self {
        let quota = Quota { limit: Some(limit), ..Quota::default() };
        Self { flavour: flavour.map(str::to_owned), resource: resource.to_owned(), quota }
    }
}

impl QueueSpec {
    /// The quota of one resource, made if there is none. They stay in order, one each.
    pub fn quota_mut(&mut self, flavour: Option<&str>, resource: &str) -> &mut Quota {
        let key = |it: &QuotaSpec| (it.flavour.clone(), it.resource.clone());
        let wanted = (flavour.map(str::to_owned), resource.to_owned());
        let index = match self.quotas.binary_search_by_key(&wanted, key) {
            Ok(index) => index,
            Err(index) => {
                let (flavour, resource) = wanted;
                let quota = Quota::default();
                self.quotas.insert(index, QuotaSpec { flavour, resource, quota });
                index
            }
        };
        &mut self.quotas[index].quota
    }
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
    /// False for `preemptionPolicy: Never`: nobody is evicted for its pods.
    pub preempts: bool,
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
