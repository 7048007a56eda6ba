//! Gangs as rows: the spec as last told, and the members.
//!
//! What a gang *is* right now (how many run, which count, since when) is worked out from its
//! members by [`Gang::run`] whenever it is asked, so that it cannot drift.

use crate::ids::{GangId, PodId, QueueId, Slots};
use crate::node::PODS_MAX;
use crate::pod::{Pod, PodTable};
use crate::queue::Account;
use crate::spec::{GangKey, GangSpec, PodPhase};
use crate::time::Time;
use std::collections::{BTreeMap, BTreeSet};

/// How a gang came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Pods name a group object.
    Group,
    /// Pods share a controller.
    Owner,
    /// One pod by itself.
    Alone,
}

/// Members that succeeded and whose objects are gone: they still count in their run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ghost {
    /// When they were created.
    pub created_at: Time,
    /// When they ended.
    pub finished_at: Time,
    /// Their role.
    pub role: String,
    /// How many.
    pub count: u32,
}

/// One gang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gang {
    /// What it is called.
    pub key: GangKey,
    /// How it came to be.
    pub origin: Origin,
    /// The group object as last told, also after it was deleted.
    pub spec: Option<Box<GangSpec>>,
    /// The group object exists now.
    pub exists: bool,
    /// Pods that belong to it, of all runs.
    pub members: BTreeSet<PodId>,
    /// Succeeded members whose objects are gone.
    pub ghosts: Vec<Ghost>,
    /// From when to when members that count no more kept a run going, although their objects
    /// are gone: a run does not end where one of its members was replaced.
    pub bridge: Option<(Time, Time)>,
    /// The queue it is charged to; `None` while the queue it names does not exist.
    pub queue: Option<QueueId>,
    /// The name of its queue.
    pub queue_name: String,
    /// Pods of other schedulers that name the same group.
    pub strangers: BTreeSet<PodId>,
    /// Who it is to the queues that tell users apart.
    pub accounts: Vec<Account>,
    /// Members that hold room.
    pub holding: u32,
    /// It counts as running although no member has a place: room is kept for it.
    pub is_promised: bool,
    /// The first of its members by uid.
    pub(crate) first: Option<PodId>,
    /// An `Op` finished it: its members hold no room.
    pub is_finished: bool,
    /// Queues that members ask for, by uid; the first one counts.
    pub(crate) queue_wishes: BTreeMap<String, String>,
}

/// The members of the current run of a gang, told apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run<'a> {
    /// Not finished members of this run, in order of creation.
    pub unfinished: Vec<PodId>,
    /// Members that succeeded, per role; deleted ones included, evicted ones not.
    pub succeeded: BTreeMap<String, u32>,
    /// Members that ran and failed; evicted and rejected ones not.
    pub failed: u32,
    /// When its members were created, the earliest first, gated ones left out.
    pub ready_at: Vec<(Time, &'a str)>,
}

impl Run<'_> {
    /// How many succeeded in all.
    #[must_use]
    pub fn succeeded_total(&self) -> u32 {
        self.succeeded.values().fold(0, |sum, count| sum.saturating_add(*count))
    }
}

impl Gang {
    /// The current run. A member created after all earlier ones had finished opens a new one;
    /// members of earlier runs do not count.
    #[must_use]
    pub fn run<'a>(&'a self, pods: &'a PodTable) -> Run<'a> {
        let mut run = Run::default();
        for member in self.current(pods) {
            member.count(&mut run);
        }
        // The owner's own count covers members whose objects were gone before we came.
        if let Some(spec) = &self.spec {
            let missing = spec.succeeded.saturating_sub(run.succeeded_total());
            if missing > 0 {
                let nameless = run.succeeded.entry(String::new()).or_insert(0);
                *nameless = nameless.saturating_add(missing);
            }
        }
        run.ready_at.sort_by_key(|(time, _)| *time);
        run
    }

    /// When the first member of the current run was created.
    #[must_use]
    pub fn run_start(&self, pods: &PodTable) -> Option<Time> {
        self.current(pods).first().map(Member::created_at)
    }

    /// Everything that belongs to the current run, in order of creation.
    fn current<'a>(&'a self, pods: &'a PodTable) -> Vec<Member<'a>> {
        let mut members: Vec<Member<'_>> = self
            .members
            .iter()
            .map(|id| Member::Pod(*id, pods.get(*id)))
            .chain(self.ghosts.iter().map(Member::Ghost))
            .chain(self.bridge.map(|(from, until)| Member::Bridge(from, until)))
            .collect();
        members.sort_by_key(|member| (member.created_at(), member.finished_at()));
        let mut first = 0;
        let mut last_end = None;
        for (index, member) in members.iter().enumerate() {
            if last_end.is_some_and(|end| end < member.created_at()) {
                first = index;
            }
            last_end = last_end.max(Some(member.finished_at()));
        }
        members.split_off(first)
    }

    /// The bridge once a member that lived from `from` to `until`, and still stands in the
    /// tables, is gone.
    pub(crate) fn bridge_over(
        &self,
        pods: &PodTable,
        (from, until): (Time, Time),
    ) -> Option<(Time, Time)> {
        match self.bridge {
            Some((start, end)) if start <= until && from <= end => {
                Some((start.min(from), end.max(until)))
            }
            before => {
                let start = self.current(pods).first()?.created_at();
                // What ended before the current run began tells nothing about it.
                if until < start { before } else { Some((start, until)) }
            }
        }
    }

    /// True if it counts among the gangs that run.
    #[must_use]
    pub const fn counts(&self) -> bool {
        self.holding > 0 || self.is_promised
    }

    /// The least number of members that may run.
    #[must_use]
    pub fn min(&self) -> u32 {
        self.spec.as_ref().map_or(1, |spec| spec.min)
    }
}

enum Member<'a> {
    Pod(PodId, &'a Pod),
    Ghost(&'a Ghost),
    Bridge(Time, Time),
}

impl<'a> Member<'a> {
    fn created_at(&self) -> Time {
        match self {
            Self::Pod(_, pod) => pod.spec.created_at,
            Self::Ghost(ghost) => ghost.created_at,
            Self::Bridge(from, _) => *from,
        }
    }

    fn finished_at(&self) -> Time {
        match self {
            Self::Pod(_, pod) if pod.spec.phase.is_finished() => pod.ended_at(),
            Self::Pod(..) => Time::NEVER,
            Self::Ghost(ghost) => ghost.finished_at,
            Self::Bridge(_, until) => *until,
        }
    }

    fn count(&self, run: &mut Run<'a>) {
        match self {
            Self::Pod(id, pod) => {
                if !pod.spec.phase.is_finished() {
                    run.unfinished.push(*id);
                } else if pod.spec.phase == PodPhase::Succeeded && !pod.spec.evicted {
                    *run.succeeded.entry(pod.spec.role.clone()).or_insert(0) += 1;
                } else if !pod.spec.evicted && pod.spec.rejected.is_none() {
                    run.failed += 1;
                }
                let counts = pod.spec.gates.is_empty() && !pod.spec.evicted;
                if counts && pod.spec.phase != PodPhase::Failed {
                    run.ready_at.push((pod.ready_at, pod.spec.role.as_str()));
                }
            }
            Self::Ghost(ghost) => {
                let sum = run.succeeded.entry(ghost.role.clone()).or_insert(0);
                *sum = sum.saturating_add(ghost.count);
                // A minimum is never larger than what fits on a node times the nodes; a count
                // that somebody wrote may be.
                let count = usize::try_from(ghost.count).unwrap_or(usize::MAX).min(PODS_MAX);
                let ready = (ghost.created_at, ghost.role.as_str());
                run.ready_at.extend(std::iter::repeat_n(ready, count));
            }
            Self::Bridge(..) => {}
        }
    }
}

/// All gangs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GangTable {
    pub(crate) rows: Slots<GangId, Gang>,
    pub(crate) by_key: BTreeMap<GangKey, GangId>,
    /// Rows given up since somebody last asked.
    pub(crate) departed: Vec<(GangId, GangKey)>,
}

impl GangTable {
    /// The gang.
    #[inline]
    #[must_use]
    pub fn get(&self, id: GangId) -> &Gang {
        &self.rows[id]
    }

    /// The gang called `key`.
    #[must_use]
    pub fn find(&self, key: &GangKey) -> Option<GangId> {
        self.by_key.get(key).copied()
    }

    /// The gang, if the id is live.
    #[must_use]
    pub fn live(&self, id: GangId) -> Option<&Gang> {
        self.rows.get(id)
    }

    /// All gangs in order of key.
    pub fn iter(&self) -> impl Iterator<Item = (GangId, &Gang)> {
        self.by_key.values().map(|id| (*id, &self.rows[*id]))
    }

    /// Number of gangs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True without gangs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
