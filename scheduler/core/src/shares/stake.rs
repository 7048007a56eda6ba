//! What a queue's object says about one measure.
//!
//! A quota speaks of one flavour, or of all together. Where it does not speak of the measure
//! itself, it is worked out: over all flavours, what is said of each adds up; on one flavour, what
//! is deserved in all counts by the part of all that is there. What is said nowhere is left to
//! weights.

use super::demand::Demand;
use super::divide::Stake;
use super::supply::Supply;
use scheduler_model::amount::Amount;
use scheduler_model::ids::{FlavourId, QueueId, ResourceId};
use scheduler_model::queue::{Branch, Measure, Queue, QueueState};
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::Quota;

/// Weights beyond this are all the same: no sum over a hundred thousand queues overflows.
const WEIGHT_MAX: u32 = 1 << 20;

/// The stake of a branch, without its demand.
pub(super) fn stake(
    snap: &Snapshot,
    (supply, demand): (&Supply, &Demand),
    branch: Branch,
    measure: Measure,
) -> Stake {
    let Branch::Queue(queue) = branch else {
        return Stake { weight: 1, ..Stake::default() };
    };
    let row = snap.queues().get(queue);
    // Gangs of a broken queue run on, but nobody may count on it; and a default queue that nobody
    // made takes no part before something is in it.
    if row.state == QueueState::Broken || is_unused_default(row, demand, queue) {
        return Stake::default();
    }
    let said = |field: fn(&Quota) -> Option<Amount>| said(row, supply, measure, field);
    let dedicated = match measure.flavour {
        Some(_) => exactly(row, measure, |quota| quota.dedicated),
        None => {
            let in_all = exactly(row, measure, |quota| quota.dedicated);
            let each = sum(row, supply, measure.resource, |quota| quota.dedicated);
            in_all.max(each.map(|(sum, _)| sum))
        }
    };
    let is_open = row.state == QueueState::Open;
    // More than there is cannot be kept: to try would take everything from all others.
    Stake {
        weight: row.spec.weight.min(WEIGHT_MAX),
        dedicated: dedicated.filter(|units| is_open && *units <= supply.of(measure)).unwrap_or(0),
        deserved: said(|quota| quota.deserved),
        lends: said(|quota| quota.lending_limit),
        most: limit(row, supply, measure),
        demand: 0,
    }
}

/// True for a default queue without an object, use and demand.
pub(super) fn is_unused_default(row: &Queue, demand: &Demand, queue: QueueId) -> bool {
    row.is_implicit && row.own().is_empty() && !demand.has(queue)
}

/// What the object says of exactly this measure.
fn exactly(row: &Queue, measure: Measure, field: fn(&Quota) -> Option<Amount>) -> Option<i128> {
    row.quota(measure).and_then(field).map(|amount| i128::from(amount.units()))
}

/// What it says of a resource on each flavour that has any, added up, and on how many it does.
fn sum(
    row: &Queue,
    supply: &Supply,
    resource: ResourceId,
    field: fn(&Quota) -> Option<Amount>,
) -> Option<(i128, usize)> {
    let of = |flavour: FlavourId| exactly(row, Measure { flavour: Some(flavour), resource }, field);
    let mut all = supply.flavours(resource).filter_map(of).peekable();
    all.peek()?;
    Some(all.fold((0, 0), |(sum, count), units| (sum + units, count + 1)))
}

/// What it says of a measure, directly or by way of the others.
fn said(
    row: &Queue,
    supply: &Supply,
    measure: Measure,
    field: fn(&Quota) -> Option<Amount>,
) -> Option<i128> {
    let direct = exactly(row, measure, field);
    direct.or_else(|| match measure.flavour {
        None => sum(row, supply, measure.resource, field).map(|(sum, _)| sum),
        Some(_) => {
            let whole = Measure { flavour: None, ..measure };
            let all = supply.of(whole);
            let units = exactly(row, whole, field)?;
            Some(if all > 0 { units.saturating_mul(supply.of(measure)) / all } else { 0 })
        }
    })
}

/// Most that it may use: over all flavours the sum of their limits, if each has one.
fn limit(row: &Queue, supply: &Supply, measure: Measure) -> Option<i128> {
    let direct = exactly(row, measure, |quota| quota.limit);
    if measure.flavour.is_some() {
        return direct;
    }
    let sum = sum(row, supply, measure.resource, |quota| quota.limit);
    let count = supply.flavours(measure.resource).count();
    let sum = sum.filter(|(_, limited)| *limited == count).map(|(sum, _)| sum);
    direct.into_iter().chain(sum).min()
}
