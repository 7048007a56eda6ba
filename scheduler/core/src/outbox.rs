//! Effects in flight and what became of them.
//!
//! Invariant: every assumed pod has either an effect in flight, an effect that is done, or one
//! whose end nobody knows; only the watch or a refusal ends the assumption.

use scheduler_model::effect::EffectId;
use std::collections::BTreeMap;

/// Effects not yet settled, by id; the value is the pod's uid.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    last: u64,
    in_flight: BTreeMap<EffectId, String>,
}

impl Outbox {
    /// A fresh id for an effect about this pod.
    pub fn issue(&mut self, uid: &str) -> EffectId {
        self.last += 1;
        let id = EffectId(self.last);
        self.in_flight.insert(id, uid.to_owned());
        id
    }

    /// Ends an effect; answers the pod's uid if it was in flight.
    pub fn settle(&mut self, id: EffectId) -> Option<String> {
        self.in_flight.remove(&id)
    }

    /// Number of effects in flight.
    #[must_use]
    pub fn len(&self) -> usize {
        self.in_flight.len()
    }

    /// True without effects in flight.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }
}
