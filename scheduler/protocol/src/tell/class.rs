//! Reasons to wait by class: what stands on the pods of a waiting gang.
//!
//! Invariants: a class has one word and one constant sentence, so that a pod is written once per
//! class; numbers stand on the group. `Unschedulable`, on which autoscalers act, is said where
//! nodes are what is missing, and nowhere else. `docs/CONDITIONS.md` shows the table.

use scheduler_model::explain::WaitReason;

/// A class of reasons to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// No room for all members at once.
    Nodes,
    /// Room is kept for a gang further ahead.
    Held,
    /// A gang further ahead has not started, and the queue lets nobody pass.
    Behind,
    /// A queue limit.
    Limit,
    /// As many gangs of the queue run as may.
    Running,
    /// No such queue.
    QueueMissing,
    /// The queue is closed.
    QueueClosed,
    /// The queue hangs on something broken.
    QueueBroken,
    /// Amounts of the queue contradict each other.
    QueueContradictory,
    /// The queue is not for the namespace.
    QueueForbidden,
    /// Too few members exist.
    Members,
    /// Too many members have closed gates.
    Gates,
    /// No such group.
    GroupMissing,
    /// Members name different schedulers.
    Schedulers,
    /// Something this version cannot honour.
    Unsupported,
    /// No such topology level.
    LevelMissing,
    /// A volume claim of a member cannot be used.
    Volume,
    /// The API server turns the bind of a member away.
    BindRefused,
    /// The search has not come to an end.
    Undecided,
}

impl Class {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 19] = [
        Self::Nodes,
        Self::Held,
        Self::Behind,
        Self::Limit,
        Self::Running,
        Self::QueueMissing,
        Self::QueueClosed,
        Self::QueueBroken,
        Self::QueueContradictory,
        Self::QueueForbidden,
        Self::Members,
        Self::Gates,
        Self::GroupMissing,
        Self::Schedulers,
        Self::Unsupported,
        Self::LevelMissing,
        Self::Volume,
        Self::BindRefused,
        Self::Undecided,
    ];

    /// The class of a reason. Whoever could cure a lack of room does not matter: whether a node
    /// that it could add would suit, only an autoscaler knows, also when today's nodes lack the
    /// labels (a pool that is scaled to zero has no nodes to show).
    #[must_use]
    pub const fn of(reason: &WaitReason) -> Self {
        match reason {
            WaitReason::Room | WaitReason::Elastic => Self::Nodes,
            WaitReason::Held { .. } | WaitReason::Evicting { .. } => Self::Held,
            WaitReason::Behind { .. } => Self::Behind,
            WaitReason::Limit { .. } | WaitReason::UserLimit { .. } => Self::Limit,
            WaitReason::Running { .. } => Self::Running,
            WaitReason::QueueMissing(_) => Self::QueueMissing,
            WaitReason::QueueClosed(_) => Self::QueueClosed,
            WaitReason::QueueBroken(_) => Self::QueueBroken,
            WaitReason::QueueContradictory(_) => Self::QueueContradictory,
            WaitReason::QueueForbidden { .. } => Self::QueueForbidden,
            WaitReason::Members { .. } => Self::Members,
            WaitReason::Gated { .. } => Self::Gates,
            WaitReason::NoGroup => Self::GroupMissing,
            WaitReason::Schedulers => Self::Schedulers,
            WaitReason::Unsupported(_) => Self::Unsupported,
            WaitReason::LevelMissing(_) => Self::LevelMissing,
            WaitReason::Volume { .. } => Self::Volume,
            WaitReason::BindRefused { .. } => Self::BindRefused,
            WaitReason::Fuel => Self::Undecided,
        }
    }

    /// The reason of the condition `PodScheduled=False`.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Nodes => "Unschedulable",
            Self::Held => "Held",
            Self::Behind => "Behind",
            Self::Limit => "QueueLimit",
            Self::Running => "MaxRunning",
            Self::QueueMissing => "QueueMissing",
            Self::QueueClosed => "QueueClosed",
            Self::QueueBroken => "QueueBroken",
            Self::QueueContradictory => "QueueContradictory",
            Self::QueueForbidden => "QueueForbidden",
            Self::Members => "WaitingForMembers",
            Self::Gates => "WaitingForGates",
            Self::GroupMissing => "GroupMissing",
            Self::Schedulers => "MixedSchedulers",
            Self::Unsupported => "Unsupported",
            Self::LevelMissing => "LevelMissing",
            Self::Volume => "WaitingForVolume",
            Self::BindRefused => "BindRefused",
            Self::Undecided => "Undecided",
        }
    }

    /// The message of that condition.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::Nodes => "the nodes have no room for all members of the gang at once",
            Self::Held => "the room is kept for a gang further ahead in the queue",
            Self::Behind => "the queue is served strictly in order, and others go first",
            Self::Limit => "a limit of the queue, or what is kept for other queues, is in the way",
            Self::Running => "as many gangs of the queue, or of the user in it, run as may",
            Self::QueueMissing => "the queue does not exist",
            Self::QueueClosed => "the queue, or one above it, is closed",
            Self::QueueBroken => "the queue hangs on a missing parent or a cycle of parents",
            Self::QueueContradictory => "amounts of the queue contradict each other",
            Self::QueueForbidden => "the queue, or one above it, is not for this namespace",
            Self::Members => "the gang has fewer members than its minimum",
            Self::Gates => "members of the gang are held by scheduling gates",
            Self::GroupMissing => "the pod names a group that does not exist",
            Self::Schedulers => "the members of the gang name different schedulers",
            Self::Unsupported => "the gang uses something that is not supported yet",
            Self::LevelMissing => "the gang asks for a topology level that does not exist",
            Self::Volume => "a volume claim of the gang cannot be used",
            Self::BindRefused => "the API server refuses to bind a member of the gang",
            Self::Undecided => "the search for room has not come to an end yet",
        }
    }

    /// True if it says nothing new: whoever was told something else before keeps it.
    pub(super) const fn is_mute(self) -> bool {
        matches!(self, Self::Undecided)
    }
}

/// The classes for people, in Markdown.
#[must_use]
pub fn table() -> String {
    let mut text = String::from("| reason | message |\n|---|---|\n");
    for class in Class::ALL {
        text.push_str(&format!("| `{}` | {} |\n", class.reason(), class.message()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use scheduler_model::amount::Amount;
    use scheduler_model::queue::{Bound, Ceiling, NamedClash};
    use scheduler_model::spec::{Dialect, GangKey};

    fn every_reason() -> Vec<WaitReason> {
        let name = || "x".to_owned();
        let holder = GangKey { namespace: name(), name: name(), dialect: Dialect::Muster };
        let members = |role| WaitReason::Members { role, exist: 1, min: 2, setting: None };
        let zero = Amount::default();
        let limit = |ceiling| WaitReason::Limit {
            ceiling,
            queue: name(),
            flavour: None,
            resource: name(),
            used: zero,
            wants: zero,
            limit: zero,
        };
        let clash = NamedClash {
            queue: name(),
            flavour: None,
            resource: name(),
            dedicated: zero,
            bound: Bound::Limit,
            of: name(),
            most: zero,
        };
        vec![
            WaitReason::NoGroup,
            members(None),
            members(Some(name())),
            WaitReason::Gated { gated: 1, gates: vec![name()] },
            WaitReason::Schedulers,
            WaitReason::Unsupported(vec![name()]),
            WaitReason::Volume { pods: 1, claim: name(), why: name() },
            WaitReason::BindRefused { pods: 1, why: name() },
            WaitReason::QueueMissing(name()),
            WaitReason::QueueClosed(name()),
            WaitReason::QueueBroken(name()),
            WaitReason::QueueContradictory(clash),
            WaitReason::QueueForbidden { queue: name(), namespace: name() },
            WaitReason::LevelMissing(name()),
            limit(Ceiling::Limit),
            limit(Ceiling::Borrowing),
            limit(Ceiling::Kept),
            WaitReason::UserLimit {
                queue: name(),
                user: name(),
                resource: name(),
                used: zero,
                wants: zero,
                limit: zero,
            },
            WaitReason::Running { queue: name(), user: None, running: 1, most: 1 },
            WaitReason::Room,
            WaitReason::Held { holder: holder.clone() },
            WaitReason::Behind { head: holder },
            WaitReason::Fuel,
            WaitReason::Evicting { pods: 1 },
            WaitReason::Elastic,
        ]
    }

    #[test]
    fn autoscalers_are_called_for_lack_of_room_and_for_nothing_else() {
        for reason in every_reason() {
            let lacks_room = matches!(reason, WaitReason::Room | WaitReason::Elastic);
            assert_eq!(Class::of(&reason).reason() == "Unschedulable", lacks_room, "{reason:?}");
        }
    }

    #[test]
    fn every_class_has_a_reason_that_leads_to_it_and_a_word_of_its_own() {
        for class in Class::ALL {
            assert!(every_reason().iter().any(|reason| Class::of(reason) == class), "{class:?}");
            let same = Class::ALL.iter().filter(|other| other.reason() == class.reason());
            assert_eq!(same.count(), 1, "{class:?}");
        }
    }

    #[test]
    fn the_page_for_people_shows_the_classes_as_they_are() {
        let page = include_str!("../../../../docs/CONDITIONS.md");
        assert!(page.contains(&table()), "put this into docs/CONDITIONS.md:\n{}", table());
        for reason in every_reason() {
            let row = format!("| `{}` | `{}` |", reason.word(), Class::of(&reason).reason());
            assert!(page.contains(&row), "docs/CONDITIONS.md lacks the row {row}");
        }
    }
}
