//! Two queues that compete for the nodes, with gangs of several priorities: what is drawn for
//! them, and the promises about evictions.
//!
//! 1. Nobody is marked for a plan before the reservation of its gainer was written down.
//! 2. A gang is evicted a few times at most, also when leaders change.
//! 3. In a story without accidents nobody goes in vain: the gainer gets its places.

use super::server::ApiServer;
use super::story::{Act, Story};
use super::tally::group_of;
use super::troop::Troop;
use crate::worlds::Dice;
use scheduler_model::event::Event;
use scheduler_model::spec::{GangKey, Ledger, PodSpec, QueueSpec};
use scheduler_model::time::Time;
use std::collections::{BTreeMap, BTreeSet};

/// The queue beside "default".
pub const RIVAL: &str = "rival";

/// Plans that may take from one gang within the minutes of a story, while one process decides.
const EVICTIONS_MAX: usize = 3;

/// Two queues, and how they share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rivals {
    /// The weights of "default" and [`RIVAL`].
    pub weights: (u32, u32),
}

impl Rivals {
    /// Some stories have them: then gangs are spread over both queues, and have priorities.
    #[must_use]
    pub fn draw(troops: &mut [Troop], dice: &mut Dice) -> Option<Self> {
        if !dice.chance(40) {
            return None;
        }
        // The last one is that of the finale.
        let last = troops.len().saturating_sub(1);
        for troop in &mut troops[..last] {
            let queue = if dice.chance(50) { RIVAL } else { "default" };
            troop.gang.queue = Some(queue.to_owned());
            troop.gang.priority = *dice.pick(&[None, None, Some(10), Some(20)]);
            if dice.chance(50) {
                troop.runtime = None;
            }
            for (_, pod) in &mut troop.pods {
                pod.queue = Some(queue.to_owned());
                pod.priority = troop.gang.priority;
            }
        }
        let mut weight = || u32::try_from(dice.between(1, 3)).unwrap_or(1);
        Some(Self { weights: (weight(), weight()) })
    }

    /// The queues of a story: what is limited of "default" stays so.
    #[must_use]
    pub fn queues(&self, default: QueueSpec) -> [QueueSpec; 2] {
        let rival = QueueSpec { weight: self.weights.1, ..QueueSpec::named(RIVAL) };
        [QueueSpec { weight: self.weights.0, ..default }, rival]
    }
}

/// What was seen of evictions.
#[derive(Clone, Debug, Default)]
pub(super) struct Judge {
    /// Plans that were written down once: for whom, and when by the world's clock.
    plans: BTreeMap<Time, (String, Time)>,
    /// Plans that pods of each gang were deleted for.
    taken: BTreeMap<GangKey, BTreeSet<Time>>,
    /// Gangs of which a member was bound, and when last.
    bound: BTreeMap<String, Time>,
    /// Pods that were deleted for others.
    pub(super) pods: usize,
}

impl Judge {
    /// Reads a change.
    pub(super) fn read(&mut self, event: &Event, at: Time) {
        let (name, ledger): (String, Option<&Ledger>) = match event {
            Event::Gang(gang) => (gang.key.to_string(), Some(&gang.ledger)),
            Event::Pod(pod) => (gang_of(pod), pod.ledger.as_deref()),
            _ => return,
        };
        if let Some(reservation) = ledger.and_then(|ledger| ledger.reservation.as_ref()) {
            self.plans.entry(reservation.plan).or_insert((name, at));
        }
    }

    /// A pod was marked; what is wrong with that.
    pub(super) fn marked(&self, pod: &PodSpec) -> Option<String> {
        let plan = pod.evicted_for.filter(|plan| !self.plans.contains_key(plan))?;
        Some(format!("{} was marked for plan {}, which is not written down", pod.uid, plan.ms()))
    }

    /// A pod was deleted; true if it was evicted for others.
    pub(super) fn deleted(&mut self, pod: &PodSpec) -> bool {
        let Some(plan) = pod.evicted_for else { return false };
        self.pods += 1;
        if let Some(gang) = group_of(pod) {
            self.taken.entry(gang.clone()).or_default().insert(plan);
        }
        true
    }

    /// A pod was bound.
    pub(super) fn bound(&mut self, pod: &PodSpec, at: Time) {
        self.bound.insert(gang_of(pod), at);
    }

    /// Gangs that were evicted too often.
    pub(super) fn often(&self) -> Vec<String> {
        let often = self.taken.iter().filter(|(_, plans)| plans.len() > EVICTIONS_MAX);
        often.map(|(gang, plans)| format!("{gang} lost members {} times", plans.len())).collect()
    }

    /// Plans that pods went for and whose gainer waits all the same.
    pub(super) fn in_vain(&self, server: &ApiServer, story: &Story) -> Vec<String> {
        if !is_calm(story) {
            return Vec::new();
        }
        let carried_out: BTreeSet<&Time> = self.taken.values().flatten().collect();
        let gainers =
            carried_out.into_iter().filter_map(|plan| Some((plan, self.plans.get(plan)?)));
        let in_vain = gainers.filter(|(_, (gainer, since))| {
            let waits = |pod: &PodSpec| pod.node.is_none() && gang_of(pod) == *gainer;
            let has_run = self.bound.get(gainer).is_some_and(|at| at >= since);
            !has_run && server.pods.values().any(waits)
        });
        in_vain
            .map(|(plan, (gainer, _))| {
                format!("pods went for {gainer} (plan {}) in vain", plan.ms())
            })
            .collect()
    }
}

/// True if nothing happens but that gangs arrive.
fn is_calm(story: &Story) -> bool {
    let is_arrival = |act: &Act| matches!(act, Act::Arrive(_) | Act::Finale);
    story.acts.iter().all(|(_, act)| is_arrival(act))
        && story.traps.is_empty()
        && story.refusals == 0
        && story.stock.is_none()
}

fn gang_of(pod: &PodSpec) -> String {
    group_of(pod).map_or_else(|| format!("{}/{}", pod.namespace, pod.name), GangKey::to_string)
}
