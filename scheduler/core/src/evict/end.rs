//! How plans end: in time, because their gang runs or is gone, or because a victim stays.

use super::plan::{Evicts, Plans};
use crate::engine::Engine;
use crate::hold::Purpose;
use scheduler_framework::EventMask;
use scheduler_model::effect::EffectId;
use scheduler_model::ids::GangId;
use scheduler_model::op::Op;
use scheduler_model::spec::GangKey;
use scheduler_model::time::{Span, Time};
use std::collections::BTreeSet;

/// How much longer than it was granted a victim may take to go.
const LATE_BY: Span = Span::from_secs(60);

/// How long a gang rests after two plans that came to nothing; twice as long after each further.
const REST: Span = Span::from_secs(30);

/// How long it rests at most.
const REST_MAX: Span = Span::from_secs(600);

/// How long a pod is let be that could not be evicted.
const SPARED_FOR: Span = Span::from_secs(60);

impl Plans {
    /// A gang is gone.
    pub(crate) fn forget(&mut self, gang: GangId) {
        self.holders.forget(gang);
    }

    /// Gangs whose rest is over, or for whom somebody may be taken that was safe.
    fn take_due(&mut self, now: Time) -> BTreeSet<GangId> {
        let safe_no_more = self.again.extract_if(.., |_, at| *at <= now).map(|(gang, _)| gang);
        let mut due: BTreeSet<GangId> = safe_no_more.collect();
        for (gang, (_, at)) in &mut self.failed {
            if *at > Time::ZERO && *at <= now {
                *at = Time::ZERO;
                due.insert(*gang);
            }
        }
        due
    }
}

impl Engine {
    /// Keeps plans right before a cycle: over if their time is up.
    pub(crate) fn end_plans(&mut self, now: Time) {
        self.parted.end(now);
        if self.config.evicts == Evicts::Never {
            return;
        }
        self.plans.holders.refresh(&self.snapshot);
        self.plans.awaited.end(&self.snapshot, &mut self.shares.demand, now);
        self.plans.debts.settle(&self.snapshot, now);
        self.plans.spared.retain(|_, until| *until > now);
        let pods = self.snapshot.pods();
        self.plans.stuck.retain(|uid| pods.find(uid).is_some());
        let had_doubts = !self.plans.doubtful.is_empty();
        self.plans.doubtful.retain(|uid| {
            let pod = pods.find(uid).map(|pod| pods.get(pod));
            pod.is_some_and(|pod| pod.is_evicted && !pod.spec.terminating)
        });
        if had_doubts && self.plans.doubtful.is_empty() {
            self.woken |= EventMask::ROOM_FREED;
        }
        let rows = self.plans.rows.iter();
        let over: Vec<GangId> =
            rows.filter(|(_, row)| row.until <= now).map(|(gang, _)| *gang).collect();
        for gang in over {
            self.end_in_time(gang, now);
        }
        // Whoever lost its hold with a node or class needs another before anybody takes the room.
        let bare = self.plans.rows.keys().copied().filter(|gang| !self.has_plan_hold(*gang));
        let bare: Vec<GangId> = bare.collect();
        self.changed.extend(bare);
        let due = self.plans.take_due(now);
        if !due.is_empty() {
            self.futile.clear();
        }
        self.active.extend(due.intersection(&self.waiting));
    }

    /// A plan's time is up, unless a victim was granted more.
    fn end_in_time(&mut self, gang: GangId, now: Time) {
        let Some(row) = self.plans.rows.get_mut(&gang) else { return };
        let snap = &self.snapshot;
        let left: Vec<String> =
            row.victims.iter().filter(|uid| snap.pods().find(uid).is_some()).cloned().collect();
        let granted = left.iter().filter_map(|uid| {
            let spec = &snap.pods().get(snap.pods().find(uid)?).spec;
            Some(spec.gone_by?.after(LATE_BY))
        });
        let until = granted.max().filter(|until| *until > now);
        if let Some(until) = until {
            row.until = until;
            self.touched.extend(&[gang]);
            return;
        }
        // Who was never seen to go stays; who goes and does not come to an end is not counted on.
        let goes = |uid: &String| {
            let pod = self.snapshot.pods().find(uid);
            pod.is_some_and(|pod| self.snapshot.pods().get(pod).spec.terminating)
        };
        let stuck: Vec<String> = left.into_iter().filter(goes).collect();
        self.plans.stuck.extend(stuck);
        self.fail_plan(gang, now);
    }

    /// A pod that was asked to go and never began to is a pod like any other again. If it was to
    /// go with all of its gang, the gang goes on with what is left, and is repaired.
    fn give_up_evicting(&mut self, uid: &str) {
        let Some(pod) = self.snapshot.pods().find(uid) else { return };
        let row = self.snapshot.pods().get(pod);
        if !row.is_evicted || row.spec.terminating {
            return;
        }
        let gang = row.gang;
        self.plans.awaited.stays(uid);
        self.plans.debts.stays(uid);
        self.snapshot.revert(Op::Evict(pod));
        let Some(gang) = gang else { return };
        if let Some(memory) = self.memory.get_mut(&gang) {
            memory.run.stays();
        }
        self.touched.extend(&[gang]);
        self.changed.insert(gang);
    }

    /// Ends a gang's plan: it runs, or is gone. Whoever was not asked to go yet stays.
    pub(crate) fn drop_plan(&mut self, gang: GangId) {
        self.plans.failed.remove(&gang);
        self.plans.again.remove(&gang);
        self.plans.barred.remove(&gang);
        self.end_plan(gang);
    }

    pub(crate) fn end_plan(&mut self, gang: GangId) {
        if let Some(row) = self.plans.rows.remove(&gang) {
            // Whether they were asked to go, only who asks can tell: soon, one by one.
            let pods = self.snapshot.pods();
            let is_asked = |uid: &String| {
                let pod = pods.find(uid).map(|pod| pods.get(pod));
                pod.is_some_and(|pod| pod.is_evicted && !pod.spec.terminating)
            };
            let rows = &self.plans.rows;
            let is_others = |uid: &String| rows.values().any(|it| it.victims.contains(uid));
            let doubtful = row.victims.into_iter().filter(|uid| is_asked(uid) && !is_others(uid));
            self.plans.doubtful.extend(doubtful);
            self.holds.retain(|hold| hold.purpose != Purpose::Eviction || hold.gang != gang);
            self.woken |= EventMask::ROOM_FREED;
            self.futile.clear();
            if self.snapshot.gangs().live(gang).is_some() {
                self.touched.extend(&[gang]);
            }
        }
    }

    /// A plan came to nothing: another may be made at once, a third only after a rest.
    pub(super) fn fail_plan(&mut self, gang: GangId, now: Time) {
        self.end_plan(gang);
        let (count, at) = self.plans.failed.entry(gang).or_default();
        *count += 1;
        let doublings = count.saturating_sub(2).min(16);
        let rest = Span::from_ms(REST.ms() << doublings).min(REST_MAX);
        *at = if *count < 2 { Time::ZERO } else { now.after(rest) };
    }

    /// A pod could not be evicted: it stays, and is let be for a while.
    pub(crate) fn spare(&mut self, uid: &str, now: Time) {
        self.plans.spared.insert(uid.to_owned(), now.after(SPARED_FOR));
        self.give_up_evicting(uid);
        let rows = self.plans.rows.iter();
        let hurt: Vec<GangId> =
            rows.filter(|(_, row)| row.victims.contains(uid)).map(|(gang, _)| *gang).collect();
        for gang in hurt {
            self.fail_plan(gang, now);
            self.changed.insert(gang);
        }
    }

    /// An eviction was called off before its request left, or nobody knows whether it was heard
    /// and nobody asks again: the pod stays, unless the watch shows that it goes.
    pub fn stays(&mut self, effect: EffectId) {
        if let Some(uid) = self.outbox.settle(effect) {
            self.give_up_evicting(&uid);
            self.end_doubt(&uid);
        }
    }

    /// It is known now whether a pod goes: gangs that waited for that are looked at again.
    pub(crate) fn end_doubt(&mut self, uid: &str) {
        if self.plans.doubtful.remove(uid) && self.plans.doubtful.is_empty() {
            self.woken |= EventMask::ROOM_FREED;
        }
    }

    /// A plan cannot be carried out for a reason that lies in none of its victims.
    pub fn give_up_plan(&mut self, key: &GangKey, now: Time) {
        let gang = self.snapshot.gangs().find(key);
        if let Some(gang) = gang.filter(|gang| self.plans.rows.contains_key(gang)) {
            self.fail_plan(gang, now);
            self.changed.insert(gang);
        }
    }
}
