//! What the engine keeps of a gang for the length of a run, and how that outlives a restart.
//!
//! A run begins with its first member and ends when none is unfinished; see
//! [`scheduler_model::gang::Gang::run`]. Its facts go out as a [`Ledger`] and come back with the
//! gang after a restart. A ledger found then belongs to the present run if it names the same
//! first member; or, where that member is gone, if the first one left is no younger than the
//! latest moment that the ledger speaks of, or carries the ledger itself: then it was a member
//! while the ledger was written. Any other ledger is void, because members of an earlier run
//! must not count for this one.
//!
//! Members come and go, so a ledger also names a youngest one. To name each as it comes would
//! be a write per member: another one is named once most members are younger than all that the
//! ledger speaks of. So a write comes with half a gang that is new, and at least half of the
//! members can vouch for the ledger.

use crate::engine::Engine;
use crate::roster::{Roster, minimum_of};
use scheduler_model::gang::Gang;
use scheduler_model::ids::GangId;
use scheduler_model::pod::PodTable;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{Dialect, GangKey, Ledger, Minimum, Reservation, RoleTally};
use scheduler_model::time::{Span, Time};
use std::collections::BTreeMap;

/// Facts of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    /// When its first member was created.
    pub(crate) start: Option<Time>,
    /// Creation of the youngest member when most were last found to be younger than all before.
    pub(crate) youngest: Option<Time>,
    /// When the gang first had its minimum; repair and eviction keep it.
    pub(crate) age: Option<Time>,
    /// Since when room is what it lacks.
    pub(crate) blocked_since: Option<Time>,
    /// Since when it has members in place, but fewer than its minimum.
    pub(crate) broken_since: Option<Time>,
    /// Its minimum was in place once.
    pub(crate) has_started: bool,
    /// How often it was released.
    pub(crate) releases: u32,
    /// It is being released: the run that follows goes on with its age.
    pub(crate) is_released: bool,
    /// So it is because it was evicted for others.
    pub(crate) is_evicted: bool,
    /// It has its minimum again, while pods of before are still on their way out: it is a gang
    /// as any other, to be repaired if it breaks.
    pub(crate) has_returned: bool,
    /// An eviction that was called off: it counts only if the gang lost members by it.
    pub(crate) in_doubt: Option<Time>,
    /// The last one that did not count.
    pub(crate) forgiven: Option<Time>,
    /// The minimum with which it was begun.
    pub(crate) begun: Option<Minimum>,
    /// When it was evicted for others, in order, as far as that protects it still.
    pub(crate) evicted: Vec<Time>,
}

impl Run {
    /// What must survive a restart; the room that is being made for it is the plan's to tell.
    pub(crate) fn ledger(&self, gang: &Gang, snap: &Snapshot) -> Ledger {
        let Some(run) = self.start else { return Ledger::default() };
        let succeeded = gang.run(snap.pods()).succeeded.into_iter();
        let ledger = Ledger {
            run: Some(run),
            youngest: None,
            age: self.age,
            blocked_since: self.blocked_since,
            broken_since: self.broken_since,
            has_started: self.has_started,
            releases: self.releases,
            succeeded: succeeded.map(|(role, count)| RoleTally { role, count }).collect(),
            begun: self.begun.clone().filter(|begun| *begun != asked(gang)),
            evicted: self.evicted.clone(),
            reservation: None,
        };
        let latest = ledger.latest();
        Ledger { youngest: self.youngest.filter(|it| Some(*it) > latest), ..ledger }
    }

    /// The facts that a ledger holds.
    fn from_ledger(ledger: &Ledger) -> Self {
        Self {
            start: ledger.run,
            youngest: ledger.youngest,
            age: ledger.age,
            blocked_since: ledger.blocked_since,
            broken_since: ledger.broken_since,
            has_started: ledger.has_started,
            releases: ledger.releases,
            is_released: false,
            is_evicted: false,
            has_returned: false,
            in_doubt: None,
            forgiven: None,
            begun: ledger.begun.clone(),
            evicted: ledger.evicted.clone(),
        }
    }

    /// Follows the gang: from run to run, and from a restart into the run it finds.
    pub(crate) fn turn(&mut self, snap: &mut Snapshot, id: GangId) {
        let gang = snap.gangs().get(id);
        let Some(start) = gang.run_start(snap.pods()) else { return };
        if self.start.is_some_and(|known| start <= known) {
            // A member that was told late may be older than all others.
            self.start = Some(start);
            self.heed(snap, id);
            return;
        }
        if self.is_released {
            // Its pods are made anew: the gang goes on, whatever gap there was.
            (self.is_released, self.is_evicted, self.has_returned) = (false, false, false);
            self.start = Some(start);
            (self.blocked_since, self.broken_since, self.begun) = (None, None, None);
            self.youngest = None;
            return;
        }
        let ledger = written(snap, id, start);
        *self = Self { start: Some(start), ..Self::default() };
        let Some(ledger) = ledger else {
            let of_release = ledgers(snap, id).filter(|it| is_of_release(it));
            if let Some(ledger) = of_release.max_by_key(|ledger| progress(ledger)) {
                let Self { age, has_started, releases, evicted, .. } = Self::from_ledger(ledger);
                let start = self.start;
                *self = Self { start, age, has_started, releases, evicted, ..Self::default() };
            }
            return;
        };
        *self = Self::from_ledger(&ledger);
        snap.recall(id, ledger.run.unwrap_or(start), &ledger.succeeded);
    }

    /// What stands in the API of this run counts, whoever wrote it: a process that stood by saw
    /// the same gang at other moments, and knows of no release.
    fn heed(&mut self, snap: &Snapshot, id: GangId) {
        // Kubernetes' own groups say it of all their runs.
        let tells_start = snap.gangs().get(id).key.dialect != Dialect::Kubernetes;
        for ledger in ledgers(snap, id).filter(|ledger| ledger.run == self.start) {
            self.age = ledger.age.or(self.age);
            self.has_started |= ledger.has_started && tells_start;
            self.releases = self.releases.max(ledger.releases);
            let is_forgiven =
                self.forgiven.is_some() && ledger.evicted.last() <= self.forgiven.as_ref();
            if ledger.evicted.last() > self.evicted.last() && !is_forgiven {
                self.evicted.clone_from(&ledger.evicted);
            }
            self.begun = self.begun.take().or_else(|| ledger.begun.clone());
        }
    }

    /// It goes as a whole, to make room for others.
    pub(crate) fn goes(&mut self) {
        (self.is_released, self.is_evicted, self.has_returned) = (true, true, false);
    }

    /// It is not evicted after all, or not as a whole.
    pub(crate) fn stays(&mut self) {
        if std::mem::take(&mut self.is_evicted) {
            self.is_released = false;
            self.in_doubt = self.evicted.last().copied();
        }
    }

    /// True from when it is released until it has its minimum again.
    pub(crate) const fn is_away(&self) -> bool {
        self.is_released && !self.has_returned
    }

    /// Names another youngest member once most are younger than what lasts of the ledger.
    pub(crate) fn name_youngest(&mut self, gang: &Gang, pods: &PodTable) {
        let latest = self.start.max(self.age).max(self.youngest);
        let members = gang.members.iter().map(|pod| &pods.get(*pod).spec);
        let (mut known, mut unknown, mut youngest) = (0_usize, 0_usize, None);
        for member in members.filter(|pod| !pod.phase.is_finished()) {
            let created_at = Some(member.created_at);
            *(if created_at > latest { &mut unknown } else { &mut known }) += 1;
            youngest = youngest.max(created_at);
        }
        if unknown > known {
            self.youngest = youngest;
        }
    }

    /// Takes in what the gang has now.
    pub(crate) fn note(&mut self, roster: &Roster, now: Time) {
        self.age = self.age.or(roster.complete_at);
        if roster.is_full {
            self.begun = Some(roster.minimum());
        }
        if let Some(at) = self.in_doubt.take()
            && roster.needed() == 0
        {
            // It lost nobody: it is as if it had not been asked.
            self.evicted.pop_if(|it| *it == at);
            self.forgiven = Some(at);
        }
        let is_in_place = roster.is_in_place();
        self.has_started |= is_in_place && roster.total.bound > 0;
        // What is assumed may still be refused: only what is bound mends a gang.
        let is_mending = self.broken_since.is_some() && roster.total.placed > 0 && !is_in_place;
        // Written down, it tells whoever comes next that the gang starts again: see `is_of_release`.
        let was_hurt = self.broken_since.is_some() || self.is_evicted;
        let is_between = self.is_away() && was_hurt && roster.total.exist == 0;
        let is_broken = roster.is_broken() || is_mending || is_between;
        self.broken_since = if is_broken { self.broken_since.or(Some(now)) } else { None };
    }
}

/// Runs of gangs that are gone but will be back: all pods of a gang without a group object may
/// be gone for a moment while it is released.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parted {
    /// With the moment at which each was first missed.
    rows: BTreeMap<GangKey, (Option<Time>, Run)>,
}

/// How long a gang without pods may come again.
const BACK_WITHIN: Span = Span::from_secs(3600);

impl Parted {
    /// Keeps the run of a gang that goes, if it is to start again.
    pub(crate) fn keep(&mut self, key: GangKey, run: Run) {
        if run.is_away() {
            self.rows.insert(key, (None, run));
        }
    }

    /// Forgets those that did not come again.
    pub(crate) fn end(&mut self, now: Time) {
        self.rows.retain(|_, (since, _)| since.get_or_insert(now).after(BACK_WITHIN) > now);
    }

    /// What a gang that comes goes on with.
    pub(crate) fn take(&mut self, key: &GangKey) -> Run {
        let known = self.rows.remove(key);
        known.map(|(_, run)| Run { start: None, ..run }).unwrap_or_default()
    }
}

impl Engine {
    /// Hears that a gang is released to start again: its placed members are being deleted. The
    /// gang keeps its age, the release is counted, and no room is held for what is missing.
    pub fn released(&mut self, key: &GangKey, releases: u32) {
        let Some(gang) = self.snapshot.gangs().find(key) else { return };
        let Some(memory) = self.memory.get_mut(&gang) else { return };
        memory.run.releases = memory.run.releases.max(releases);
        (memory.run.is_released, memory.run.has_returned) = (true, false);
        self.touched.extend(&[gang]);
        self.changed.insert(gang);
    }
}

/// The ledger of the run whose first member left was created at `start`: the one on the group,
/// if it exists and speaks of this run, else one that an unfinished member carries, which it was given as a
/// member of that run.
fn written(snap: &Snapshot, id: GangId, start: Time) -> Option<Ledger> {
    let gang = snap.gangs().get(id);
    let of_group = gang.spec.as_ref().map(|spec| &spec.ledger);
    let of_pods = || {
        let members = gang.members.iter().map(|pod| &snap.pods().get(*pod).spec);
        let unfinished = members.filter(|pod| !pod.phase.is_finished());
        // All carry the same unless a write was cut short.
        let ledgers = unfinished.filter_map(|pod| pod.ledger.as_deref());
        let ledgers = ledgers.filter(|ledger| ledger.run.is_some_and(|run| run <= start));
        ledgers.max_by_key(|ledger| progress(ledger))
    };
    let of_group = of_group.filter(|ledger| is_of_run(ledger, start));
    // Once the group is gone members carry on what it last said.
    let of_gone = of_group.filter(|_| !gang.exists);
    of_group.filter(|_| gang.exists).or_else(of_pods).or(of_gone).cloned()
}

/// The ledger of the group, or those that members carry.
fn ledgers(snap: &Snapshot, id: GangId) -> impl Iterator<Item = &Ledger> {
    let gang = snap.gangs().get(id);
    let of_group = gang.spec.as_ref().map(|spec| &spec.ledger).filter(|it| !it.is_empty());
    // Once the group is gone its last known ledger stays as it was, and members carry on.
    let is_all = of_group.is_some() && gang.exists;
    let members = (!is_all).then_some(&gang.members).into_iter().flatten();
    let of_pods = members.filter_map(|pod| snap.pods().get(*pod).spec.ledger.as_deref());
    of_group.into_iter().chain(of_pods)
}

/// The room that was being made for a gang, as it was written down last. What a member bears
/// that has finished is taken away by nobody any more, and says nothing.
pub(crate) fn reservation(snap: &Snapshot, id: GangId, now: Time) -> Option<&Reservation> {
    let gang = snap.gangs().get(id);
    let of_group = gang.spec.as_ref().filter(|_| gang.exists).map(|spec| &spec.ledger);
    let members = gang.members.iter().map(|pod| &snap.pods().get(*pod).spec);
    let unfinished = members.filter(|pod| !pod.phase.is_finished());
    let of_pods = unfinished.filter_map(|pod| pod.ledger.as_deref());
    let written = of_group.into_iter().chain(of_pods).filter_map(|it| it.reservation.as_ref());
    written.filter(|it| it.until > now).max()
}

/// How far a gang had come when a ledger was written: the latest run first, then what never goes
/// back in a run. What comes and goes, such as since when it lacks room, tells nothing of that.
fn progress(ledger: &Ledger) -> (Option<Time>, u32, bool, Option<Time>, u64, &Ledger) {
    let succeeded = ledger.succeeded.iter().map(|tally| u64::from(tally.count)).sum();
    (ledger.run, ledger.releases, ledger.has_started, ledger.age, succeeded, ledger)
}

/// The minimum that the gang's group asks for now.
fn asked(gang: &Gang) -> Minimum {
    let roles = gang.spec.iter().flat_map(|spec| &spec.roles);
    minimum_of(gang.min(), roles.map(|role| (role.name.clone(), role.min)))
}

/// True if a ledger was written while its gang was released or evicted: the run that follows
/// goes on.
fn is_of_release(ledger: &Ledger) -> bool {
    (ledger.releases > 0 || !ledger.evicted.is_empty()) && ledger.broken_since.is_some()
}

/// True if a ledger belongs to the run whose first member left was created at `start`.
fn is_of_run(ledger: &Ledger, start: Time) -> bool {
    ledger.run.is_some_and(|run| run <= start) && ledger.latest() >= Some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(run: i64, age: Option<i64>) -> Ledger {
        let time = Time::from_ms;
        Ledger { run: Some(time(run)), age: age.map(time), ..Ledger::default() }
    }

    #[test]
    fn a_ledger_belongs_to_the_run_whose_first_member_it_names() {
        assert!(is_of_run(&ledger(5, None), Time::from_ms(5)));
        assert!(!is_of_run(&ledger(5, None), Time::from_ms(6)));
        assert!(!is_of_run(&ledger(5, None), Time::from_ms(4)));
        assert!(!is_of_run(&Ledger::default(), Time::ZERO));
    }

    #[test]
    fn of_two_ledgers_of_a_run_the_one_that_was_written_later_counts() {
        let before = Ledger { blocked_since: Some(Time::from_ms(6)), ..ledger(5, Some(5)) };
        let after = Ledger { has_started: true, ..ledger(5, Some(5)) };
        assert!(progress(&before) < progress(&after));
        let young = Ledger { youngest: Some(Time::from_ms(6)), ..ledger(5, None) };
        assert!(progress(&young) < progress(&ledger(5, Some(7))), "its minimum came later");
        assert!(progress(&after) < progress(&Ledger { releases: 1, ..before.clone() }));
        assert!(progress(&after) < progress(&Ledger { run: Some(Time::from_ms(6)), ..before }));
    }

    #[test]
    fn a_ledger_of_a_gang_that_is_released_holds_for_the_run_that_follows() {
        let broken =
            Ledger { releases: 1, broken_since: Some(Time::from_ms(7)), ..ledger(5, None) };
        assert!(is_of_release(&broken));
        assert!(!is_of_release(&Ledger { broken_since: None, ..broken.clone() }), "it is whole");
        assert!(
            !is_of_release(&Ledger { releases: 0, ..broken }),
            "its members went by themselves"
        );
    }

    #[test]
    fn a_ledger_stays_true_when_the_first_member_is_gone_but_not_for_the_next_run() {
        assert!(is_of_run(&ledger(5, Some(9)), Time::from_ms(9)));
        assert!(!is_of_run(&ledger(5, Some(9)), Time::from_ms(10)));
    }

    #[test]
    fn a_ledger_stays_true_for_members_up_to_the_youngest_that_it_names() {
        let ledger = Ledger { youngest: Some(Time::from_ms(20)), ..ledger(5, Some(9)) };
        assert!(is_of_run(&ledger, Time::from_ms(20)));
        assert!(!is_of_run(&ledger, Time::from_ms(21)), "that is one of the next run");
    }
}
