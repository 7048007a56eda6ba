//! What stands in the condition `DisruptionTarget` of a victim.
//!
//! Invariant: [`plan_of`] finds in [`words`] the plan that was put there; whoever decides after a
//! restart knows the victims of a plan by it.

use scheduler_model::spec::GangKey;
use scheduler_model::time::Time;

/// The reason in the condition of a pod that goes to make room: the one that the cluster's own
/// scheduler gives (`PodReasonPreemptionByScheduler`), known to podFailurePolicy and to people.
pub const PREEMPTED: &str = "PreemptionByScheduler";

const BEFORE: &str = " (plan ";
const AFTER: &str = ")";

/// Names the gang that gains, and the plan.
#[must_use]
pub fn words(gainer: &GangKey, plan: Time) -> String {
    let GangKey { namespace, name, .. } = gainer;
    format!("it makes room for gang {namespace}/{name}{BEFORE}{}{AFTER}", plan.ms())
}

/// The plan that a condition's message names.
#[must_use]
pub fn plan_of(message: &str) -> Option<Time> {
    let (_, plan) = message.strip_suffix(AFTER)?.rsplit_once(BEFORE)?;
    plan.parse().ok().map(Time::from_ms)
}
