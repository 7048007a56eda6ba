//! What the outside tells us, in our own words and with names instead of ids.
//!
//! Adapters make these from API objects, scenario files make them from stories, the mirror
//! turns them into rows. They are plain values: public fields, total order, no behaviour that
//! decides anything.

mod budget;
mod gang;
mod ledger;
mod node;
mod pod;
mod queue;
mod selector;
mod volume;
mod wish;

pub use budget::BudgetSpec;
pub use gang::{CreatesAtOnce, Dialect, GangKey, GangSpec, RoleSpec, TopologyWish};
pub use ledger::{Ledger, Minimum, NodeTally, RESERVED_NODES_MAX, Reservation, RoleTally};
pub use node::{NodeSpec, Taint, TaintEffect};
pub use pod::{
    DaemonSpec, HostPort, Membership, NodeTerm, PodPhase, PodShape, PodSpec, PodTerm, Protocol,
    SpreadSpec, Told, Toleration, TolerationOperator, Unsupported, WhenUnsatisfiable,
};
pub use queue::{
    LevelSpec, NamespaceSpec, Order, PriorityClassSpec, QueueSpec, Quota, QuotaSpec, TopologySpec,
    UserBy, UserRule,
};
pub use selector::{LabelSelector, NamespaceScope, Requirement, SelectorOperator};
pub use volume::{
    Attach, BoundVolume, ClaimSpec, ClaimState, ClaimUse, LateClaim, PoolSpec, Provision, Reach,
    VolumeSpec, VolumeStep,
};
pub use wish::{Grants, PREEMPTION_COST_GRANTED, Wishes};

/// Labels, or any other map from name to text, in a fixed order.
pub type Labels = std::collections::BTreeMap<String, String>;

/// Amounts by resource name, in a fixed order.
pub type Resources = std::collections::BTreeMap<String, crate::amount::Amount>;
