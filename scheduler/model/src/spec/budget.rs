//! Disruption budgets as the outside describes them.

use super::{LabelSelector, PodSpec};
use crate::relation::holds;

/// How many of some pods may be evicted now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetSpec {
    /// Namespace of the pods; empty for every namespace.
    pub namespace: String,
    /// Name inside the namespace.
    pub name: String,
    /// Which pods of the namespace; `None` selects none.
    pub selector: Option<LabelSelector>,
    /// So many may go now, as far as whoever counts them has seen.
    pub allowed: u32,
}

impl BudgetSpec {
    /// Stands for all budgets while they cannot be read: every pod may be under one.
    #[must_use]
    pub fn unreadable() -> Self {
        let selector = Some(LabelSelector::default());
        Self { namespace: String::new(), name: String::new(), selector, allowed: 0 }
    }

    /// Unique key, `namespace/name`.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// True if the pod may go only within this budget. One that has not begun to run takes
    /// nothing of it: whoever counts does not count it either.
    #[must_use]
    pub fn covers(&self, pod: &PodSpec) -> bool {
        let is_here = self.namespace.is_empty() || self.namespace == pod.namespace;
        let selects = |selector: &LabelSelector| {
            selector.requirements.iter().all(|it| holds(it, &pod.labels))
        };
        is_here
            && pod.phase == super::PodPhase::Running
            && self.selector.as_ref().is_some_and(selects)
    }
}
