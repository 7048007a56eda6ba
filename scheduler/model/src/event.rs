//! Everything that can happen to the engine, as a closed list.

use crate::spec::{
    BudgetSpec, ClaimSpec, DaemonSpec, GangKey, GangSpec, NamespaceSpec, NodeSpec, PodSpec,
    PoolSpec, PriorityClassSpec, QueueSpec, TopologySpec, VolumeSpec,
};

/// News from outside. Order between kinds does not matter; the latest of one object wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A node as it is now.
    Node(Box<NodeSpec>),
    /// The node of this name is gone.
    NodeGone(String),
    /// A pod as it is now.
    Pod(Box<PodSpec>),
    /// The pod of this uid is gone.
    PodGone(String),
    /// A group object, or what is known about the controller of a plain gang.
    Gang(Box<GangSpec>),
    /// The group object is gone. Running members stay a gang by its last known spec.
    GangGone(GangKey),
    /// A queue as it is now.
    Queue(QueueSpec),
    /// The queue of this name is gone.
    QueueGone(String),
    /// A topology as it is now.
    Topology(TopologySpec),
    /// The topology of this name is gone.
    TopologyGone(String),
    /// A priority class as it is now.
    PriorityClass(PriorityClassSpec),
    /// The priority class of this name is gone.
    PriorityClassGone(String),
    /// A namespace as it is now.
    Namespace(NamespaceSpec),
    /// The namespace of this name is gone.
    NamespaceGone(String),
    /// A DaemonSet as it is now.
    Daemon(DaemonSpec),
    /// The DaemonSet of this key is gone.
    DaemonGone(String),
    /// A volume claim as it is now.
    Claim(Box<ClaimSpec>),
    /// The volume claim of this key (`namespace/name`) is gone.
    ClaimGone(String),
    /// A volume that a late claim may take, as it is now.
    Volume(Box<VolumeSpec>),
    /// The volume of this name is gone, or taken.
    VolumeGone(String),
    /// Room for new volumes as it is now.
    Pool(Box<PoolSpec>),
    /// The room of this key is gone.
    PoolGone(String),
    /// A disruption budget as it is now.
    Budget(BudgetSpec),
    /// The disruption budget of this key (`namespace/name`) is gone.
    BudgetGone(String),
    /// A fresh list of one kind begins: what it does not name by the matching
    /// [`Event::ListEnd`] is gone.
    ListStart(Kind),
    /// The list of this kind is complete.
    ListEnd(Kind),
}

/// The kinds that can be listed afresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Nodes.
    Node,
    /// Pods.
    Pod,
    /// Group objects of all dialects.
    Gang,
    /// Queues.
    Queue,
    /// Topologies.
    Topology,
    /// Priority classes.
    PriorityClass,
    /// Namespaces.
    Namespace,
    /// DaemonSets.
    Daemon,
    /// Volume claims.
    Claim,
    /// Volumes that late claims may take.
    Volume,
    /// Room for new volumes.
    Pool,
    /// Disruption budgets.
    Budget,
}
