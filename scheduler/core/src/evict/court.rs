//! What a gang may take from whom.
//!
//! - *Preemption*: from gangs of its own queue that have strictly lower priority.
//! - *Reclaim*: from another queue that uses more than its fair share, as far as the taker's queue
//!   stays within its own. Two queues are compared where their paths part, each with all that is
//!   below it: for some measure that is contended, every victim is taken from what is above the
//!   fair share, with all other victims gone already; and the taker has no larger part of its fair
//!   share afterwards than the victim's side has left. So room never goes back and forth: whoever
//!   gained by it is within its fair share, and nothing may be taken from there.
//!
//! Invariant: fewer victims are never less lawful.

use super::victims::Bundle;
use scheduler_model::ids::{PodId, QueueId};
use scheduler_model::queue::{Branch, Measure, Usage};
use scheduler_model::snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};

/// A gang that wants room.
#[derive(Clone, Copy, Debug)]
pub struct Taker {
    /// Its queue.
    pub queue: QueueId,
    /// Its priority.
    pub priority: i32,
}

/// True if a gang may at all be a victim of the taker, whatever the numbers.
pub(super) fn may_take(snap: &Snapshot, taker: Taker, bundle: &Bundle) -> bool {
    if bundle.queue == taker.queue {
        let preempts = snap.queues().path(taker.queue).all(|row| row.spec.preempts);
        return preempts && bundle.priority < taker.priority;
    }
    let (_, side) = parting(snap, taker.queue, bundle.queue);
    side.iter().all(|branch| snap.queues().get(branch.queue()).spec.reclaimable)
}

/// True if it may take all of these, once it has `wants` more in use.
#[must_use]
pub fn is_lawful(snap: &Snapshot, taker: Taker, wants: &Usage, bundles: &[&Bundle]) -> bool {
    let pods: BTreeSet<PodId> = bundles.iter().flat_map(|it| &it.pods).copied().collect();
    let freed = Freed::of(snap, bundles, &pods);
    let reclaimed = bundles.iter().filter(|it| it.queue != taker.queue);
    let mut sides: BTreeMap<Branch, Vec<&&Bundle>> = BTreeMap::new();
    for bundle in reclaimed {
        let (_, side) = parting(snap, taker.queue, bundle.queue);
        let Some(first) = side.first() else { return false };
        sides.entry(*first).or_default().push(bundle);
    }
    if sides.is_empty() {
        return true;
    }
    let touched = touched(snap, wants);
    sides.iter().all(|(side, bundles)| {
        let (own, _) = parting(snap, taker.queue, bundles[0].queue);
        own.iter().all(|branch| {
            touched.iter().all(|measure| {
                after(snap, *branch, *measure, wants, &freed) <= fair(snap, *branch, *measure)
            })
        }) && touched.iter().any(|measure| {
            is_balanced(snap, (own[0], *side), *measure, wants, &freed)
                && bundles.iter().all(|it| is_above(snap, taker, it, *measure, &freed))
        })
    })
}

/// Where the branches down to two queues part: those of the first, those of the second.
fn parting(snap: &Snapshot, one: QueueId, other: QueueId) -> (Vec<Branch>, Vec<Branch>) {
    let (one, other) = (snap.queues().branches(one), snap.queues().branches(other));
    let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    (one[same..].to_vec(), other[same..].to_vec())
}

/// Measures that are divided and that the taker needs something of.
fn touched(snap: &Snapshot, wants: &Usage) -> Vec<Measure> {
    let all = snap.queues().division().capacity.keys().copied();
    all.filter(|measure| measure.of(wants) > 0).collect()
}

fn fair(snap: &Snapshot, branch: Branch, measure: Measure) -> i128 {
    snap.queues().share(branch, measure).fair
}

/// What the taker's side uses in the end.
fn after(snap: &Snapshot, branch: Branch, measure: Measure, wants: &Usage, freed: &Freed) -> i128 {
    measure.of(snap.queues().usage(branch)) + measure.of(wants)
        - freed.of_branch(snap, branch, measure)
}

/// The taker's side has no larger part of its fair share in the end than the victims' side.
fn is_balanced(
    snap: &Snapshot,
    (own, side): (Branch, Branch),
    measure: Measure,
    wants: &Usage,
    freed: &Freed,
) -> bool {
    let taker = after(snap, own, measure, wants, freed);
    let victim = after(snap, side, measure, &Usage::new(), freed);
    taker.saturating_mul(fair(snap, side, measure))
        <= victim.saturating_mul(fair(snap, own, measure))
}

/// With all other victims gone and this one there, its queue, and each above it on its side, has
/// more than its fair share.
fn is_above(
    snap: &Snapshot,
    taker: Taker,
    bundle: &Bundle,
    measure: Measure,
    freed: &Freed,
) -> bool {
    let (_, side) = parting(snap, taker.queue, bundle.queue);
    let own = measure.of(&freed.own_of(snap, bundle));
    own > 0
        && side.iter().all(|branch| {
            let without = after(snap, *branch, measure, &Usage::new(), freed);
            without + own > fair(snap, *branch, measure)
        })
}

/// What victims free, by their queues.
struct Freed {
    queues: BTreeMap<QueueId, Usage>,
}

impl Freed {
    fn of(snap: &Snapshot, bundles: &[&Bundle], pods: &BTreeSet<PodId>) -> Self {
        let mut queues: BTreeMap<QueueId, Usage> = BTreeMap::new();
        let queue_of: BTreeMap<_, _> = bundles.iter().map(|it| (it.gang, it.queue)).collect();
        for pod in pods {
            let queue = snap.pods().get(*pod).gang.and_then(|gang| queue_of.get(&gang));
            if let Some(queue) = queue {
                add(snap, *pod, queues.entry(*queue).or_default());
            }
        }
        Self { queues }
    }

    /// What a bundle alone gives back: what another bundle of the same gang holds too counts.
    fn own_of(&self, snap: &Snapshot, bundle: &Bundle) -> Usage {
        let mut usage = Usage::new();
        bundle.pods.iter().for_each(|pod| add(snap, *pod, &mut usage));
        usage
    }

    /// What is freed in a branch.
    fn of_branch(&self, snap: &Snapshot, branch: Branch, measure: Measure) -> i128 {
        let is_in = |queue: QueueId| match branch {
            Branch::Queue(above) => snap.queues().ids_up(queue).any(|id| id == above),
            Branch::Own(own) => own == queue,
        };
        let in_it = self.queues.iter().filter(|(queue, _)| is_in(**queue));
        in_it.map(|(_, usage)| measure.of(usage)).sum()
    }
}

/// Adds what a placed pod uses.
fn add(snap: &Snapshot, pod: PodId, usage: &mut Usage) {
    let row = snap.pods().get(pod);
    let (Some(node), Some(class)) = (row.place.node(), row.class) else { return };
    let flavour = snap.nodes().flavour(node);
    for (resource, amount) in &snap.classes().get(class).request {
        *usage.entry((flavour, *resource)).or_insert(0) += i128::from(amount.units());
    }
}
