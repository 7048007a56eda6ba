//! Which events may help a waiting gang, as a bit mask.

use std::ops::{BitOr, BitOrAssign};

/// A set of kinds of event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventMask(u32);

impl EventMask {
    /// Nothing wakes it.
    pub const NONE: Self = Self(0);
    /// A node came.
    pub const NODE_ADDED: Self = Self(1);
    /// A node's labels, taints, readiness or size changed.
    pub const NODE_CHANGED: Self = Self(1 << 1);
    /// Room on some node became free.
    pub const ROOM_FREED: Self = Self(1 << 2);
    /// A pod was placed or its labels changed: an affinity may now find its partner.
    pub const POD_PLACED: Self = Self(1 << 3);
    /// The gang itself changed: members, gates, its group.
    pub const GANG_CHANGED: Self = Self(1 << 4);
    /// A queue changed, or use below a limit went down.
    pub const QUEUE_CHANGED: Self = Self(1 << 5);
    /// Topologies, namespaces or priority classes changed.
    pub const POLICY_CHANGED: Self = Self(1 << 6);
    /// Time alone: the next cycle.
    pub const NEXT_CYCLE: Self = Self(1 << 7);
    /// Volumes that wait for a claim, or room for new ones, changed.
    pub const VOLUME_CHANGED: Self = Self(1 << 8);
    /// More pods may be evicted, as disruption budgets say.
    pub const BUDGET_ROSE: Self = Self(1 << 9);
    /// Everything but a change of the gang itself: what comes from elsewhere.
    pub const FROM_ELSEWHERE: Self = Self(Self::ALL.0 & !Self::GANG_CHANGED.0);
    /// Everything.
    pub const ALL: Self = Self((1 << 10) - 1);

    /// True if some kind is in both.
    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// True if nothing is in it.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for EventMask {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for EventMask {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}
