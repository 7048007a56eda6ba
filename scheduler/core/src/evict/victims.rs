//! Who may be evicted for a gang, in pieces: members above a minimum one by one, the rest of a
//! gang as a whole.
//!
//! Invariant: whatever set of bundles is taken, a gang is left at or above its minimum, in total
//! and per role, or loses all it has.

use super::wishes::{Granted, Wisher};
use crate::fresh;
use crate::roster::{RoleCount, Roster, rank_order};
use scheduler_model::ids::{GangId, PodId, QueueId};
use scheduler_model::pod::Place;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::time::{Span, Time};
use std::cmp::Reverse;
use std::collections::BTreeSet;

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
        let granted = Granted::of(self.snap, queue);
        let is_free = |pod: &PodId| {
            let wisher = self.wisher(*pod, granted);
            !wisher.refuses() && wisher.safe_until() <= self.now
        };
        let free: BTreeSet<PodId> = pods.iter().copied().filter(is_free).collect();
        let extras = self.extras(&pods).filter(|(pod, _)| free.contains(pod)).take(EXTRAS_MAX);
        let mut bundles: Vec<Bundle> =
            extras.map(|(pod, spare)| self.bundle(queue, vec![pod], Some(spare))).collect();
        if free.len() == pods.len() {
            bundles.push(self.bundle(queue, pods, None));
        }
        bundles
    }

    /// Until when it has not run for as long as its queue, or one above it, grants all, or as it
    /// wishes itself and is granted.
    pub(super) fn safe_until(&self) -> Option<Time> {
        let gang = self.snap.gangs().get(self.roster.gang);
        let queue = gang.queue?;
        let of_all = self.snap.queues().path(queue).map(|row| row.spec.min_runtime).max()?;
        let wish = gang.spec.as_ref().map_or(Span::ZERO, |it| it.wishes.min_runtime);
        let span = of_all.max(wish.min(Granted::of(self.snap, queue).min_runtime()));
        let until = self.snap.started_at(self.roster.gang)?.after(span);
        (span > Span::ZERO && until > self.now).then_some(until)
    }

    /// When the next of its pods may go that is safe now by a wish of its own.
    pub(super) fn next_free(&self) -> Option<Time> {
        let gang = self.snap.gangs().get(self.roster.gang);
        let queue = gang.queue?;
        let granted = Granted::of(self.snap, queue);
        let ends = gang.members.iter().map(|pod| self.wisher(*pod, granted).safe_until());
        ends.filter(|until| *until > self.now).min()
    }

    fn wisher(&self, pod: PodId, granted: Granted) -> Wisher<'_> {
        let group = self.snap.gangs().get(self.roster.gang).spec.as_deref();
        Wisher::of(self.snap, group, pod, granted)
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
    fn extras(&self, pods: &[PodId]) -> impl Iterator<Item = (PodId, Spare)> {
        let spec = self.snap.gangs().get(self.roster.gang).spec.as_ref();
        let is_whole = spec.is_some_and(|spec| spec.unbreakable);
        let over = |count: &RoleCount| {
            count.placed.saturating_add(count.succeeded).saturating_sub(count.min)
        };
        // The last one is what the gang still is.
        let last = u32::try_from(pods.len()).unwrap_or(u32::MAX).saturating_sub(1);
        let total = over(&self.roster.total).min(last);
        let spare = move |pod: &PodId| {
            let role = self.snap.pods().get(*pod).spec.role.clone();
            let of_role = self.roster.roles.get(&role).map_or(0, over);
            (*pod, Spare { total, role, of_role })
        };
        let all = pods.iter().rev().map(spare);
        all.filter(move |(_, spare)| !is_whole && spare.total > 0 && spare.of_role > 0)
    }

    fn bundle(&self, queue: QueueId, pods: Vec<PodId>, spare: Option<Spare>) -> Bundle {
        let granted = Granted::of(self.snap, queue);
        let lost = |pod: &PodId| self.wisher(*pod, granted).cost(self.now);
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
