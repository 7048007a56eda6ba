//! What gangs and pods wish for themselves where others want their room, and how much of that a
//! queue grants.
//!
//! Wishes are kept as they are written; what counts of them is worked out where victims are
//! judged, from the grants of that moment.

use crate::time::{Span, Time};

/// The most that may be added to the cost of a pod where no queue says otherwise: an hour of its
/// work, which is more than most restarts take.
pub const PREEMPTION_COST_GRANTED: u32 = 3600;

/// What a gang, or one pod for itself, wishes where others want its room.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wishes {
    /// Not to be evicted at all.
    pub non_preemptible: bool,
    /// To be safe for so long after it began to run.
    pub min_runtime: Span,
    /// To be safe for so long after it was bound (Volcano's `cooldown-time`).
    pub cooldown: Span,
    /// What its restart costs beyond what each costs, in pod-seconds for each pod.
    pub preemption_cost: Option<u32>,
    /// When it last saved its work: what was done before is not lost.
    pub checkpointed_at: Option<Time>,
}

/// The most that a queue grants of such wishes. What is `None` is left to the queues above.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grants {
    /// Whether its gangs may refuse to be evicted; they may not where no queue says so.
    pub non_preemptible: Option<bool>,
    /// How long they may wish to be safe; not at all where no queue says so.
    pub min_runtime: Option<Span>,
    /// How much they may add to the cost of a pod; [`PREEMPTION_COST_GRANTED`] where no queue says.
    pub preemption_cost: Option<u32>,
}

impl Grants {
    /// Everything that can be wished, but for the cost.
    pub const FREE: Self = Self {
        non_preemptible: Some(true),
        min_runtime: Some(Span::from_ms(i64::MAX)),
        preemption_cost: None,
    };
}
