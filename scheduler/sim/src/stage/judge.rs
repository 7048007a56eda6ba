//! The checker beside the stage: every bind and every state is judged by code that the engine
//! does not share.

use crate::checker::{self, Violation};
use scheduler_core::report::{CycleReport, Decision};
use scheduler_model::event::Event;
use std::collections::BTreeSet;

/// The objects as the checker sees them.
#[derive(Clone, Debug, Default)]
pub(super) struct Judge {
    objects: checker::Objects,
}

impl Judge {
    pub(super) fn observe(&mut self, event: &Event) {
        self.objects.observe(event);
    }

    /// Replays the plans of a cycle, in the order of decision, on the state just before it;
    /// answers what was not allowed, with the gang in front.
    pub(super) fn replay(&self, report: &CycleReport) -> Vec<String> {
        let mut cluster = self.objects.cluster.clone();
        let mut said = Vec::new();
        for decision in &report.decisions {
            let Decision::Run(plan) = decision else { continue };
            let steps: Vec<(String, String)> =
                plan.steps.iter().map(|step| (step.uid.clone(), step.node.clone())).collect();
            let violations = checker::replay(&mut cluster, &steps);
            said.extend(
                violations.iter().map(|violation| format!("gang {}: {violation}", plan.gang)),
            );
        }
        said
    }

    /// Everything that is wrong with the state now. Nobody is exempt: who wants to blame a
    /// cycle takes away what was wrong before it.
    pub(super) fn audit(&self) -> BTreeSet<Violation> {
        self.objects.audit(&BTreeSet::new()).into_iter().collect()
    }
}
