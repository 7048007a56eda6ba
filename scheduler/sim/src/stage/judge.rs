//! The checker beside the stage: every bind and every state is judged by code that the engine
//! does not share.

use crate::checker::{self, Violation};
use scheduler_core::report::{CycleReport, Decision, Step};
use scheduler_model::event::Event;
use scheduler_model::time::Time;
use std::collections::BTreeSet;

/// Steps of one plan that are judged one by one: the checker is naive, so each costs a look at
/// all pods.
const JUDGED_MAX: usize = 500;

/// The objects as the checker sees them.
#[derive(Clone, Debug, Default)]
pub(super) struct Judge {
    objects: checker::Objects,
}

impl Judge {
    pub(super) fn observe(&mut self, event: &Event) {
        self.objects.observe(event);
    }

    /// Moves the clock.
    pub(super) fn tick(&mut self, now: Time) {
        self.objects.cluster.now = now;
    }

    /// Replays the plans of a cycle, in the order of decision, on the state just before it;
    /// answers what was not allowed, with the gang in front.
    pub(super) fn replay(&self, report: &CycleReport) -> Vec<String> {
        let mut cluster = self.placing(report);
        let mut said = Vec::new();
        for decision in &report.decisions {
            let Decision::Run(plan) = decision else { continue };
            let violations = replay_plan(&mut cluster, &plan.steps);
            said.extend(violations.iter().map(|one| format!("gang {}: {one}", plan.gang)));
        }
        said
    }

    /// The cluster without pods that hold nothing and get no place: they have no say, and every
    /// look at all pods would meet them.
    fn placing(&self, report: &CycleReport) -> checker::Cluster {
        let placed: BTreeSet<&str> = report
            .decisions
            .iter()
            .filter_map(|decision| match decision {
                Decision::Run(plan) => Some(&plan.steps),
                Decision::Wait(_) | Decision::Evict(_) => None,
            })
            .flatten()
            .map(|step| step.uid.as_str())
            .collect();
        let mut cluster = self.objects.cluster.clone();
        cluster.pods.retain(|uid, pod| pod.node.is_some() || placed.contains(uid.as_str()));
        cluster
    }

    /// Everything that is wrong with the state now. Nobody is exempt: who wants to blame a
    /// cycle takes away what was wrong before it.
    pub(super) fn audit(&self) -> BTreeSet<Violation> {
        self.objects.audit(&BTreeSet::new()).into_iter().collect()
    }
}

/// Judges the steps, each on the state just before it: all of a small plan, of a large one
/// evenly spread ones and the last. The audit afterwards still adds up every node.
fn replay_plan(cluster: &mut checker::Cluster, steps: &[Step]) -> Vec<Violation> {
    let stride = steps.len().div_ceil(JUDGED_MAX).max(1);
    let mut violations = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        if index % stride == 0 || index + 1 == steps.len() {
            let judged = [(step.uid.clone(), step.node.clone())];
            violations.append(&mut checker::replay(cluster, &judged));
        } else if let Some(pod) = cluster.pods.get_mut(&step.uid) {
            pod.node.get_or_insert_with(|| step.node.clone());
        }
    }
    violations
}
