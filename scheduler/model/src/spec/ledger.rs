//! What must survive a restart of the scheduler and stands nowhere else in the API.

use crate::time::Time;

/// The facts about one gang that are written down beside it: in the status of muster's own
/// groups, in the annotation `muster.sh/state` of other groups and of the pods of plain gangs.
///
/// All of them belong to one run of the gang: they are void for a run whose first member is
/// younger than [`Ledger::latest`]. A missing fact is as if it had never happened.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ledger {
    /// When the first member of the run was created: names the run.
    pub run: Option<Time>,
    /// Creation of the youngest member known when this was last worth saying, where no other
    /// moment here is as late.
    pub youngest: Option<Time>,
    /// When the gang first had its minimum of existing, ungated members.
    pub age: Option<Time>,
    /// Since when it lacks room, for its right to hold some.
    pub blocked_since: Option<Time>,
    /// Since when it has members in place, but fewer than its minimum.
    pub broken_since: Option<Time>,
    /// It once had its minimum in place (never goes back within a run).
    pub has_started: bool,
    /// How often it was released to start again.
    pub releases: u32,
    /// Members of the run that succeeded, in order of role; their objects may be gone.
    pub succeeded: Vec<RoleTally>,
    /// The minimum with which it was begun, where its group asks for another now.
    pub begun: Option<Minimum>,
    /// When it was evicted for others, within the last hour, in order.
    pub evicted: Vec<Time>,
    /// The room that is being made for it, by evicting others.
    pub reservation: Option<Reservation>,
}

/// Most nodes that a reservation names.
pub const RESERVED_NODES_MAX: usize = 64;

/// Room that is being made for a gang: whoever decides next must not give it to others, and must
/// not evict anybody else for the gang. Stands in the API before the first victim has to go.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reservation {
    /// When it was decided, made unique: names the plan, and stands in the marks of its victims.
    pub plan: Time,
    /// Given up then, if the victims are not gone.
    pub until: Time,
    /// Pods that still have to go.
    pub victims: u32,
    /// Members by node; empty beyond [`RESERVED_NODES_MAX`] nodes.
    pub nodes: Vec<NodeTally>,
}

/// A number of members on one node.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeTally {
    /// The node.
    pub node: String,
    /// How many.
    pub count: u32,
}

/// Least numbers of members.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Minimum {
    /// Of all roles together.
    pub total: u32,
    /// Of single roles, in their order; those of 0 are left out.
    pub roles: Vec<RoleTally>,
}

impl Minimum {
    /// That of one role.
    #[must_use]
    pub fn of_role(&self, name: &str) -> u32 {
        self.roles.iter().find(|one| one.role == name).map_or(0, |one| one.count)
    }
}

/// A number of members of one role.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RoleTally {
    /// The role; empty for the nameless one.
    pub role: String,
    /// How many.
    pub count: u32,
}

impl Ledger {
    /// The latest moment that it speaks of. Whoever was created until then, and is unfinished,
    /// is a member of its run: a later run begins after that.
    #[must_use]
    pub fn latest(&self) -> Option<Time> {
        let moments = [self.youngest, self.age, self.blocked_since, self.broken_since];
        moments.into_iter().fold(self.run, Ord::max)
    }

    /// True if there is nothing to write down.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
