//! What can occur in a random world. Each occurs in about a third of all worlds.

use super::Dice;
use std::collections::BTreeSet;

/// One thing that can occur in a random world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// Nodes with taints, pods with tolerations.
    Taints,
    /// Cordoned nodes.
    Cordons,
    /// Nodes that are not ready.
    NotReady,
    /// Nodes that lack labels of domains.
    MissingLabels,
    /// Nodes of several flavours.
    Flavours,
    /// Pods with node selectors.
    Selectors,
    /// Pods with required node affinity.
    NodeAffinity,
    /// Pods with required pod affinity.
    PodAffinity,
    /// Pods with required pod anti-affinity.
    AntiAffinity,
    /// Pod terms that look into other namespaces.
    Namespaces,
    /// Pods with spread constraints.
    Spread,
    /// Pods with host ports.
    Ports,
    /// Gangs that must share a domain.
    Topology,
    /// Gangs with minimums per role.
    Roles,
    /// Gangs whose pods differ.
    Mixed,
    /// Gangs without a group object: pods of one controller, and pods alone.
    Plain,
    /// Gangs with fewer pods than their minimum.
    Short,
    /// Queues with limits.
    Limits,
    /// Queues that are closed.
    Closed,
    /// Gangs that run from the start, some above their minimum.
    Running,
    /// Running gangs that lost a member, whose replacement waits.
    Lost,
    /// Members that have succeeded.
    Succeeded,
    /// Pods of other schedulers.
    Foreign,
    /// Pods that terminate.
    Terminating,
    /// Pods with closed scheduling gates.
    Gates,
    /// Pods that use something not supported.
    Unsupported,
    /// Pods with volume claims.
    Volumes,
    /// Queues that run so many gangs at once, and limit their users.
    Turnout,
    /// Queues for some namespaces only.
    Guests,
    /// Queues that keep their gangs to some nodes.
    Partitions,
    /// Gangs of different priorities.
    Priorities,
    /// Gangs that end after some time.
    Runtimes,
}

impl Feature {
    /// Those with a stream of their own, so that worlds without them stay what they were.
    pub(super) const APART: [(Self, u64); 4] = [
        (Self::Volumes, 0x0070_6F6C),
        (Self::Turnout, 0x0074_726E),
        (Self::Guests, 0x0067_7565),
        (Self::Partitions, 0x0070_6172),
    ];

    /// All features.
    pub const ALL: [Self; 32] = [
        Self::Taints,
        Self::Cordons,
        Self::NotReady,
        Self::MissingLabels,
        Self::Flavours,
        Self::Selectors,
        Self::NodeAffinity,
        Self::PodAffinity,
        Self::AntiAffinity,
        Self::Namespaces,
        Self::Spread,
        Self::Ports,
        Self::Topology,
        Self::Roles,
        Self::Mixed,
        Self::Plain,
        Self::Short,
        Self::Limits,
        Self::Closed,
        Self::Running,
        Self::Lost,
        Self::Succeeded,
        Self::Foreign,
        Self::Terminating,
        Self::Gates,
        Self::Unsupported,
        Self::Volumes,
        Self::Turnout,
        Self::Guests,
        Self::Partitions,
        Self::Priorities,
        Self::Runtimes,
    ];

    pub(super) fn draw(dice: &mut Dice) -> BTreeSet<Self> {
        let is_apart = |feature: &Self| Self::APART.iter().any(|(apart, _)| apart == feature);
        let all = Self::ALL.into_iter().filter(|feature| !is_apart(feature));
        all.filter(|_| dice.chance(33)).collect()
    }
}
