//! What victims wish for themselves, as far as their queue grants it.
//!
//! A wish of the group is one of each of its pods; a pod may wish more for itself. Every queue on
//! the path that says something of a wish caps it, so the strictest one counts.

use scheduler_model::ids::{PodId, QueueId};
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{GangSpec, PREEMPTION_COST_GRANTED, PodPhase, PodSpec, Wishes};
use scheduler_model::time::{Span, Time};

/// What a restart costs a pod beside the work it loses, in seconds: to be made, placed, started
/// and warm again.
const RESTART_SECS: i64 = 60;

/// What a queue grants the gangs in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Granted {
    non_preemptible: bool,
    min_runtime: Span,
    preemption_cost: u32,
}

impl Granted {
    pub(super) fn of(snap: &Snapshot, queue: QueueId) -> Self {
        let grants = || snap.queues().path(queue).map(|row| row.spec.grants);
        let cost = grants().filter_map(|it| it.preemption_cost).min();
        Self {
            non_preemptible: grants().filter_map(|it| it.non_preemptible).min().unwrap_or(false),
            min_runtime: grants().filter_map(|it| it.min_runtime).min().unwrap_or_default(),
            preemption_cost: cost.unwrap_or(PREEMPTION_COST_GRANTED),
        }
    }

    /// How long a gang may wish to be safe.
    pub(super) const fn min_runtime(&self) -> Span {
        self.min_runtime
    }
}

/// One pod of a victim, with what it and its group wish.
pub(super) struct Wisher<'a> {
    snap: &'a Snapshot,
    pod: PodId,
    group: Option<&'a Wishes>,
    own: Option<&'a Wishes>,
    granted: Granted,
}

impl<'a> Wisher<'a> {
    pub(super) fn of(
        snap: &'a Snapshot,
        group: Option<&'a GangSpec>,
        pod: PodId,
        granted: Granted,
    ) -> Self {
        let own = snap.pods().get(pod).spec.wishes.as_deref();
        Self { snap, pod, group: group.map(|it| &it.wishes), own, granted }
    }

    /// True if it may refuse to go, and does.
    pub(super) fn refuses(&self) -> bool {
        self.granted.non_preemptible && self.all().any(|it| it.non_preemptible)
    }

    /// Until when it is safe by a wish; [`Time::ZERO`] without one. A pod that has not begun to
    /// run is safe by none of its own.
    pub(super) fn safe_until(&self) -> Time {
        let spec = &self.snap.pods().get(self.pod).spec;
        if spec.phase != PodPhase::Running {
            return Time::ZERO;
        }
        let after = |from: Option<Time>, wish: Span| {
            let granted = wish.min(self.granted.min_runtime);
            from.filter(|_| granted > Span::ZERO).map(|from| from.after(granted))
        };
        let own = self.own.map_or(Span::ZERO, |it| it.min_runtime);
        let ran = after(spec.started_at.or(spec.scheduled_at), own);
        let cooled = self.all().map(|it| it.cooldown).max().unwrap_or_default();
        ran.max(after(spec.scheduled_at, cooled)).unwrap_or(Time::ZERO)
    }

    /// Work that it loses if it goes now, its restart included, in pod-seconds.
    pub(super) fn cost(&self, now: Time) -> i64 {
        let spec = &self.snap.pods().get(self.pod).spec;
        let since = spec.started_at.or(spec.scheduled_at).unwrap_or(now);
        // A moment that is yet to come means now: `Time::since` is never negative.
        let saved = self.all().filter_map(|it| it.checkpointed_at).max();
        let lost = now.since(since.max(saved.unwrap_or(since))).ms() / 1000;
        let mut wished = [self.own, self.group].into_iter().flatten();
        let wished = wished.find_map(|it| it.preemption_cost).unwrap_or(0);
        let wished = i64::from(wished.min(self.granted.preemption_cost));
        RESTART_SECS.saturating_add(wished).saturating_add(lost)
    }

    fn all(&self) -> impl Iterator<Item = &'a Wishes> {
        [self.own, self.group].into_iter().flatten()
    }
}

/// True if a gang that holds room protects it less than before: somebody may take of it now who
/// could not.
pub(crate) fn loosens(snap: &Snapshot, spec: &GangSpec) -> bool {
    let Some(gang) = snap.gangs().find(&spec.key).map(|gang| snap.gangs().get(gang)) else {
        return false;
    };
    let Some(before) = gang.spec.as_ref() else { return false };
    let holds = gang.members.iter().any(|pod| snap.pods().get(*pod).place.is_placed());
    let ranks = |it: &GangSpec| (it.priority, it.priority_class.clone());
    holds
        && (is_looser(&before.wishes, &spec.wishes)
            || before.unbreakable && !spec.unbreakable
            || before.min > spec.min
            || ranks(before) != ranks(spec))
}

/// True if a pod wishes for less protection than before.
pub(crate) fn pod_loosens(before: &PodSpec, spec: &PodSpec) -> bool {
    let nothing = Wishes::default();
    let after = spec.wishes.as_deref().unwrap_or(&nothing);
    before.wishes.as_deref().is_some_and(|before| is_looser(before, after))
}

fn is_looser(before: &Wishes, after: &Wishes) -> bool {
    before.non_preemptible && !after.non_preemptible
        || before.min_runtime > after.min_runtime
        || before.cooldown > after.cooldown
}
