//! Who may be evicted for a gang, in pieces: members above a minimum one by one, the rest of a
//! gang as a whole.
//!
//! Invariant: whatever set of bundles is taken, a gang is left at or above its minimum, in total
//! and per role, or loses all it has.

use crate::fresh;
use crate::roster::{RoleCount, Roster, rank_order};
use scheduler_model::ids::{GangId, PodId, QueueId};
use scheduler_model::pod::Place;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::time::{Span, Time};
use std::cmp::Reverse;

/// What a restart costs a pod beside the work it loses, in seconds: to be made, placed, started
/// and warm again.
const RESTART_SECS: i64 = 60;

/// Members of one gang that are thought of one by one at most.
const EXTRAS_MAX: usize = 64;

/// Priorities from here on belong to system-critical classes (`system-cluster-critical`).
pub(super) const CRITICAL: i32 = 2_000_000_000;

/// Pods that are evicted together or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// Whose.
    pub gang: GangId,
    /// The gang's priority.
    pub priority: i32,
    /// The gang's queue.
    pub queue: QueueId,
    /// Which.
    pub pods: Vec<PodId>,
    /// The gang ends by it, to start again.
    pub is_whole: bool,
    /// Of a member above the minimum: how many such members the gang can lose, in all and of the
    /// role that is named.
    pub spare: Spare,
    /// Work that is lost, in pod-seconds, the restart included.
    pub cost: i64,
}

/// How many members a gang has above its minimum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spare {
    /// In all.
    pub total: u32,
    /// The role of this member.
    pub role: String,
    /// Of that role.
    pub of_role: u32,
}

/// A gang that may lose members to others.
pub(super) struct Holder<'a> {
    pub(super) snap: &'a Snapshot,
    pub(super) roster: &'a Roster,
    pub(super) now: Time,
}

impl Holder<'_> {
    /// What it may lose; nothing if it is protected, or not all of it can be evicted.
    pub(super) fn bundles(&self) -> Vec<Bundle> {
        let Some(queue) = self.snap.gangs().get(self.roster.gang).queue else { return Vec::new() };
        if !self.is_fair_game(queue) || self.safe_until().is_some() {
            return Vec::new();
        }
        let gang = self.snap.gangs().get(self.roster.gang);
        let placed = |pod: &&PodId| self.snap.pods().get(**pod).place.is_placed();
        let mut pods: Vec<PodId> = gang.members.iter().filter(placed).copied().collect();
        pods.retain(|pod| !self.snap.pods().get(*pod).is_releasing());
        if pods.is_empty() || !pods.iter().all(|pod| self.may_go(*pod)) {
            return Vec::new();
        }
        pods.sort_by(|a, b| rank_order(self.snap, *a, *b));
        let mut bundles: Vec<Bundle> = self
            .extras(&pods)
            .into_iter()
            .map(|(pod, spare)| self.bundle(queue, vec![pod], Some(spare)))
            .collect();
        bundles.push(self.bundle(queue, pods, None));
        bundles
    }

    /// Until when it has not run for as long as its queue, or one above it, grants.
    pub(super) fn safe_until(&self) -> Option<Time> {
        let queue = self.snap.gangs().get(self.roster.gang).queue?;
        let granted = self.snap.queues().path(queue).map(|row| row.spec.min_runtime).max()?;
        let until = self.snap.started_at(self.roster.gang)?.after(granted);
        (granted > Span::ZERO && until > self.now).then_some(until)
    }

    fn is_fair_game(&self, queue: QueueId) -> bool {
        let snap = self.snap;
        snap.queues().path(queue).all(|row| row.spec.preemptible)
            && snap.priority(self.roster.gang) < CRITICAL
            && !fresh::is_daemon(snap, self.roster.gang)
    }

    /// True if some of its binds were not seen yet: it may be a victim once they were.
    pub(super) fn is_arriving(&self) -> bool {
        let members = &self.snap.gangs().get(self.roster.gang).members;
        members.iter().any(|pod| matches!(self.snap.pods().get(*pod).place, Place::Assumed(_)))
    }

    /// Only what is bound under our own names, on a node that is there.
    fn may_go(&self, pod: PodId) -> bool {
        let row = self.snap.pods().get(pod);
        matches!(row.place, Place::Bound(_)) && row.spec.ours && row.spec.priority < Some(CRITICAL)
    }

    /// Members that could go as long as not too many do, the highest ranks first.
    fn extras(&self, pods: &[PodId]) -> Vec<(PodId, Spare)> {
        let spec = self.snap.gangs().get(self.roster.gang).spec.as_ref();
        if spec.is_some_and(|spec| spec.unbreakable) {
            return Vec::new();
        }
        let over = |count: &RoleCount| {
            count.placed.saturating_add(count.succeeded).saturating_sub(count.min)
        };
        // The last one is what the gang still is.
        let last = u32::try_from(pods.len()).unwrap_or(u32::MAX).saturating_sub(1);
        let total = over(&self.roster.total).min(last);
        let spare = |pod: &PodId| {
            let role = self.snap.pods().get(*pod).spec.role.clone();
            let of_role = self.roster.roles.get(&role).map_or(0, over);
            (*pod, Spare { total, role, of_role })
        };
        let all = pods.iter().rev().map(spare);
        all.filter(|(_, spare)| spare.total > 0 && spare.of_role > 0).take(EXTRAS_MAX).collect()
    }

    fn bundle(&self, queue: QueueId, pods: Vec<PodId>, spare: Option<Spare>) -> Bundle {
        let lost = |pod: &PodId| {
            let spec = &self.snap.pods().get(*pod).spec;
            let since = spec.started_at.or(spec.scheduled_at).unwrap_or(self.now);
            RESTART_SECS.saturating_add(self.now.since(since).ms().max(0) / 1000)
        };
        let cost = pods.iter().map(lost).fold(0, i64::saturating_add);
        let (gang, priority) = (self.roster.gang, self.snap.priority(self.roster.gang));
        let (is_whole, spare) = (spare.is_none(), spare.unwrap_or_default());
        Bundle { gang, priority, queue, pods, is_whole, spare, cost }
    }
}

/// True if no gang that goes on loses more members than it has above its minimum.
pub(super) fn is_bearable(set: &[&Bundle]) -> bool {
    let pieces = || set.iter().filter(|it| !it.is_whole);
    pieces().all(|bundle| {
        let same = || pieces().filter(|it| it.gang == bundle.gang);
        let of_role = same().filter(|it| it.spare.role == bundle.spare.role).count();
        let ends = set.iter().any(|it| it.is_whole && it.gang == bundle.gang);
        let is_within = |count: usize, most: u32| u32::try_from(count).is_ok_and(|it| it <= most);
        ends || is_within(same().count(), bundle.spare.total)
            && is_within(of_role, bundle.spare.of_role)
    })
}

/// The order in which bundles are thought of: cheap ones first. Total, so that no order of rows
/// decides anything.
pub(super) fn sort(snap: &Snapshot, bundles: &mut [Bundle]) {
    bundles.sort_by_cached_key(|bundle| {
        let first = bundle.pods.first().map(|pod| snap.pods().get(*pod).spec.uid.clone());
        let since = snap.started_at(bundle.gang);
        (bundle.priority, bundle.cost, bundle.is_whole, Reverse(since), first)
    });
}
