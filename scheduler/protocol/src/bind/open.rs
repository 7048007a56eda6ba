//! A plan of which some binds are not settled.

use super::{Bound, PlanId};
use scheduler_model::effect::EffectId;
use scheduler_model::spec::GangKey;
use scheduler_model::time::Time;
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
pub(super) struct Open {
    pub(super) gang: GangKey,
    /// Effects not settled.
    pub(super) effects: BTreeSet<EffectId>,
    /// It has to be begun (again) from then on; `None` once it was, never while it is prepared.
    pub(super) due: Option<Time>,
    /// Binds in the air.
    pub(super) sent: u32,
    /// When what came back may be sent again.
    pub(super) retry_at: Time,
    /// Some bind stands or is in doubt: from here on the plan is carried through.
    pub(super) has_left: bool,
    /// A member cannot be bound, and none stands: the plan is taken back once none is in the air.
    pub(super) is_torn: bool,
    pub(super) sent_at: Option<Time>,
    pub(super) first_done: Option<Time>,
    pub(super) last_done: Option<Time>,
    pub(super) done: u32,
    pub(super) refused: u32,
}

impl Open {
    pub(super) const fn new(gang: GangKey, effects: BTreeSet<EffectId>, due: Time) -> Self {
        Self {
            gang,
            effects,
            due: Some(due),
            sent: 0,
            retry_at: Time::ZERO,
            has_left: false,
            is_torn: false,
            sent_at: None,
            first_done: None,
            last_done: None,
            done: 0,
            refused: 0,
        }
    }

    pub(super) const fn is_untouched(&self) -> bool {
        self.sent == 0 && !self.has_left
    }

    pub(super) fn report(self, plan: PlanId) -> Option<Bound> {
        let Self { gang, first_done, last_done, done, refused, .. } = self;
        let sent_at = self.sent_at?;
        Some(Bound { gang, plan, sent_at, first_done, last_done, done, refused })
    }
}
