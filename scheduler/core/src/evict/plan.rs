//! Plans under way: from the decision to evict until the gang has its room, or has not.

use super::court::{Taker, may_take};
use super::search::{Found, Search};
use super::victims::{Bundle, Holder, sort};
use crate::engine::Engine;
use crate::fuel::Fuel;
use crate::hold::{Hold, Purpose};
use crate::place::region::Goal;
use crate::report::{CycleReport, Decision, Eviction};
use crate::roster::Roster;
use scheduler_framework::EventMask;
use scheduler_model::effect::{EffectId, Evict};
use scheduler_model::explain::WaitReason;
use scheduler_model::ids::{ClassId, GangId, NodeId, PodId, QueueId, ResourceId};
use scheduler_model::op::{Kept, Op};
use scheduler_model::queue::{Branch, Measure};
use scheduler_model::snapshot::Snapshot;
use scheduler_model::time::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// Whether gangs may be evicted for others at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evicts {
    /// Never: who finds no room waits.
    #[default]
    Never,
    /// As queues allow.
    ByQueue,
}

/// How long victims may take to go before the plan is given up.
const VICTIMS_GO_WITHIN: Span = Span::from_secs(600);

/// How long a gang rests after two plans that came to nothing; twice as long after each further.
const REST: Span = Span::from_secs(30);

/// How long it rests at most.
const REST_MAX: Span = Span::from_secs(600);

/// How soon a gang is looked at again of which some binds were not seen yet.
const BINDS_SEEN_WITHIN: Span = Span::from_secs(1);

/// How long a pod is let be that could not be evicted.
const SPARED_FOR: Span = Span::from_secs(60);

/// How long a gang that was evicted is safe from further eviction.
const COOL_DOWN: Span = Span::from_secs(300);

/// All plans under way, and what became of earlier ones.
#[derive(Clone, Debug, Default)]
pub struct Plans {
    rows: BTreeMap<GangId, Row>,
    /// Plans in a row that came to nothing, and when the next may be made.
    failed: BTreeMap<GangId, (u32, Time)>,
    /// Pods that are no victims until then, by uid.
    spared: BTreeMap<String, Time>,
    /// Pods that should have gone long ago, by uid: their room is not counted on.
    stuck: BTreeSet<String>,
    /// Gangs that were evicted, and until when they are safe.
    cooling: BTreeMap<GangId, Time>,
    /// Gangs that found no victims, and when somebody may be taken that was safe.
    again: BTreeMap<GangId, Time>,
    /// Gangs that hold room, by queue, those of low priority first.
    holders: BTreeMap<QueueId, BTreeSet<(i32, GangId)>>,
    /// Where each of them stands there.
    stands: BTreeMap<GangId, (QueueId, i32)>,
    /// The queues that this was worked out with.
    epoch: u64,
}

#[derive(Clone, Debug)]
struct Row {
    /// Uids of pods that have to go.
    victims: BTreeSet<String>,
    until: Time,
}

impl Plans {
    /// Follows whether a gang holds room, in which queue and with which priority.
    pub(crate) fn follow(&mut self, snap: &Snapshot, gang: GangId) {
        self.leave(gang);
        let row = snap.gangs().get(gang);
        let is_placed = |pod: &PodId| snap.pods().get(*pod).place.is_placed();
        if let Some(queue) = row.queue.filter(|_| row.members.iter().any(is_placed)) {
            let priority = snap.priority(gang);
            self.stands.insert(gang, (queue, priority));
            self.holders.entry(queue).or_default().insert((priority, gang));
        }
    }

    /// A gang is gone.
    pub(crate) fn forget(&mut self, gang: GangId) {
        self.leave(gang);
        self.cooling.remove(&gang);
    }

    fn leave(&mut self, gang: GangId) {
        let Some((queue, priority)) = self.stands.remove(&gang) else { return };
        if let Some(holders) = self.holders.get_mut(&queue) {
            holders.remove(&(priority, gang));
            if holders.is_empty() {
                self.holders.remove(&queue);
            }
        }
    }

    /// Gangs that may have something to give to a taker, as far as queues and priorities say.
    fn holders_for(&self, snap: &Snapshot, taker: Taker, roster: &Roster) -> Vec<GangId> {
        let own = self.holders.get(&taker.queue).into_iter().flatten();
        let below = own.take_while(|(priority, _)| *priority < taker.priority);
        let mut gangs: Vec<GangId> = below.map(|(_, gang)| *gang).collect();
        // What it takes from its own queue makes room there for what it takes from others.
        if gangs.is_empty() && !may_reclaim(snap, taker, roster) {
            return gangs;
        }
        for (queue, holders) in self.holders.iter().filter(|(queue, _)| **queue != taker.queue) {
            if is_above_fair(snap, *queue) {
                gangs.extend(holders.iter().map(|(_, gang)| *gang));
            }
        }
        gangs
    }

    /// The next moment at which a plan is given up or may be made.
    pub(crate) fn next(&self) -> Option<Time> {
        let ends = self.rows.values().map(|row| row.until);
        let rests = self.failed.values().map(|(_, at)| *at).filter(|at| *at > Time::ZERO);
        ends.chain(rests).chain(self.again.values().copied()).min()
    }
}

impl Engine {
    /// Keeps plans right before a cycle: over if their time is up, or their gang is gone.
    pub(crate) fn end_plans(&mut self, now: Time) {
        if self.config.evicts == Evicts::Never {
            return;
        }
        if self.plans.epoch != self.snapshot.queues().epoch() {
            self.plans.epoch = self.snapshot.queues().epoch();
            let gangs: Vec<GangId> = self.snapshot.gangs().iter().map(|(gang, _)| gang).collect();
            gangs.into_iter().for_each(|gang| self.plans.follow(&self.snapshot, gang));
        }
        self.plans.spared.retain(|_, until| *until > now);
        self.plans.cooling.retain(|_, until| *until > now);
        let pods = self.snapshot.pods();
        self.plans.stuck.retain(|uid| pods.find(uid).is_some());
        let over: Vec<GangId> = self
            .plans
            .rows
            .iter()
            .filter(|(_, row)| row.until <= now)
            .map(|(gang, _)| *gang)
            .collect();
        for gang in over {
            let row = self.plans.rows.get(&gang);
            let left = row.into_iter().flat_map(|row| &row.victims);
            let stuck: Vec<String> =
                left.filter(|uid| self.snapshot.pods().find(uid).is_some()).cloned().collect();
            for uid in &stuck {
                self.give_up_evicting(uid);
            }
            self.plans.stuck.extend(stuck);
            self.fail_plan(gang, now);
        }
        let again = &mut self.plans.again;
        let safe_no_more: Vec<GangId> =
            again.iter().filter(|(_, at)| **at <= now).map(|(gang, _)| *gang).collect();
        for gang in safe_no_more {
            self.plans.again.remove(&gang);
            self.futile.clear();
            if self.waiting.contains(&gang) {
                self.active.insert(gang);
            }
        }
        let due: Vec<GangId> = self
            .plans
            .failed
            .iter()
            .filter(|(_, (_, at))| *at > Time::ZERO && *at <= now)
            .map(|(gang, _)| *gang)
            .collect();
        for gang in due {
            if let Some((_, at)) = self.plans.failed.get_mut(&gang) {
                *at = Time::ZERO;
            }
            if self.waiting.contains(&gang) {
                self.active.insert(gang);
            }
        }
    }

    /// Follows whether a gang holds room that others may want.
    pub(crate) fn follow_holder(&mut self, gang: GangId) {
        if self.config.evicts != Evicts::Never {
            self.plans.follow(&self.snapshot, gang);
        }
    }

    /// A pod that was asked to go and never began to is a pod like any other again.
    fn give_up_evicting(&mut self, uid: &str) {
        let Some(pod) = self.snapshot.pods().find(uid) else { return };
        let row = self.snapshot.pods().get(pod);
        if row.is_evicted && !row.spec.terminating {
            self.snapshot.revert(Op::Evict(pod));
        }
    }

    /// Ends a gang's plan: it runs, or is gone. Whoever was not asked to go yet stays.
    pub(crate) fn drop_plan(&mut self, gang: GangId) {
        self.plans.failed.remove(&gang);
        self.plans.again.remove(&gang);
        self.end_plan(gang);
    }

    pub(crate) fn end_plan(&mut self, gang: GangId) {
        if self.plans.rows.remove(&gang).is_some() {
            self.holds.retain(|hold| hold.purpose != Purpose::Eviction || hold.gang != gang);
            self.woken |= EventMask::ROOM_FREED;
            self.futile.clear();
        }
    }

    /// A plan came to nothing: another may be made at once, a third only after a rest.
    fn fail_plan(&mut self, gang: GangId, now: Time) {
        self.end_plan(gang);
        let (count, at) = self.plans.failed.entry(gang).or_default();
        *count += 1;
        let doublings = count.saturating_sub(2).min(16);
        let rest = Span::from_ms(REST.ms() << doublings).min(REST_MAX);
        *at = if *count < 2 { Time::ZERO } else { now.after(rest) };
    }

    /// What to say of a gang that found no room and may not, need not or cannot take any; `None`
    /// where nothing is to be said of that. On success the plan is under way.
    pub(crate) fn consider_eviction(
        &mut self,
        roster: &Roster,
        goal: &Goal,
        holds: &[Kept],
        (now, fuel): (Time, &mut Fuel),
        report: &mut CycleReport,
    ) -> Option<WaitReason> {
        let gang = roster.gang;
        if self.config.evicts == Evicts::Never || roster.sets.is_empty() {
            return None;
        }
        if let Some(left) = self.left_of_plan(gang) {
            // A hold goes with the nodes it was made for: what goes already is found again then.
            let is_kept = self
                .holds
                .iter()
                .any(|hold| hold.purpose == Purpose::Eviction && hold.gang == gang);
            if left > 0 && is_kept {
                return Some(WaitReason::Evicting { pods: left });
            }
            // All are gone and it does not fit all the same, as somebody was faster; or the hold is.
            self.fail_plan(gang, now);
        }
        if self.plans.failed.get(&gang).is_some_and(|(_, at)| *at > now) {
            return None;
        }
        let found = self.find_victims(roster, goal, holds, now, fuel)?;
        let pods = self.begin_plan(gang, found, now, report);
        Some(WaitReason::Evicting { pods })
    }

    /// Pods of a gang's plan that are still there; `None` without a plan.
    fn left_of_plan(&self, gang: GangId) -> Option<u32> {
        let row = self.plans.rows.get(&gang)?;
        let is_there = |uid: &&String| {
            let pod = self.snapshot.pods().find(uid).map(|pod| self.snapshot.pods().get(pod));
            pod.is_some_and(|pod| pod.place.is_placed())
        };
        u32::try_from(row.victims.iter().filter(is_there).count()).ok()
    }

    fn find_victims(
        &mut self,
        roster: &Roster,
        goal: &Goal,
        holds: &[Kept],
        now: Time,
        fuel: &mut Fuel,
    ) -> Option<Found> {
        let queue = self.snapshot.gangs().get(roster.gang).queue?;
        let taker = Taker { queue, priority: self.snapshot.priority(roster.gang) };
        let (bundles, safe_until) = self.bundles(taker, roster, now);
        self.plans.again.remove(&roster.gang);
        self.plans.again.extend(safe_until.map(|until| (roster.gang, until)));
        let going: Vec<PodId> = self.going();
        if bundles.is_empty() && going.is_empty() {
            return None;
        }
        self.apply_holds(holds);
        let (mut txn, mut placer) = self.placing(fuel);
        for pod in &going {
            txn.apply(Op::Leave(*pod));
        }
        let already = match going.is_empty() {
            true => None,
            false => placer.try_now(&mut txn, roster, goal),
        };
        let found = match already {
            Some(rooms) => Some(Found { victims: Vec::new(), rooms }),
            None => {
                let (txn, placer) = (&mut txn, &mut placer);
                Search { placer, txn, roster, goal, taker }.run(&bundles)
            }
        };
        drop(txn);
        self.revert_holds(holds);
        found
    }

    /// Placed pods that are on their way out and can be counted on to go.
    fn going(&self) -> Vec<PodId> {
        let counts = |pod: &PodId| {
            let uid = &self.snapshot.pods().get(*pod).spec.uid;
            !self.plans.stuck.contains(uid) && self.snapshot.holds_room(*pod)
        };
        self.snapshot.pods().releasing().filter(counts).collect()
    }

    /// All that may be evicted for a taker, cheap ones first; and when it may be more.
    fn bundles(&self, taker: Taker, own: &Roster, now: Time) -> (Vec<Bundle>, Option<Time>) {
        let snap = &self.snapshot;
        let mut bundles = Vec::new();
        let mut safe_until: Option<Time> = None;
        let mut wait =
            |until: Time| safe_until = Some(safe_until.map_or(until, |it| it.min(until)));
        for gang in self.plans.holders_for(snap, taker, own) {
            if gang == own.gang || self.plans.rows.contains_key(&gang) {
                continue;
            }
            let roster = self.roster(gang);
            let holder = Holder { snap, roster: &roster, now };
            if let Some(until) = self.plans.cooling.get(&gang).copied().max(holder.safe_until()) {
                wait(until);
                continue;
            }
            if holder.is_arriving() {
                wait(now.after(BINDS_SEEN_WITHIN));
                continue;
            }
            for bundle in holder.bundles().into_iter().filter(|it| may_take(snap, taker, it)) {
                let uid = |pod: &PodId| snap.pods().get(*pod).spec.uid.as_str();
                let spared = bundle.pods.iter().filter_map(|pod| self.plans.spared.get(uid(pod)));
                match spared.max() {
                    Some(until) => wait(*until),
                    None => bundles.push(bundle),
                }
            }
        }
        sort(snap, &mut bundles);
        (bundles, safe_until)
    }

    /// Keeps the room, and asks the victims to go; answers how many pods have to.
    fn begin_plan(
        &mut self,
        gang: GangId,
        found: Found,
        now: Time,
        report: &mut CycleReport,
    ) -> u32 {
        self.unblock(gang);
        let (classes, rooms): (Vec<ClassId>, Vec<Kept>) = found.rooms.into_iter().unzip();
        let nodes: BTreeSet<NodeId> = rooms.iter().map(|room| room.node).collect();
        self.holds.push(Hold { gang, rooms, classes, purpose: Purpose::Eviction });
        let key = self.snapshot.gangs().get(gang).key.clone();
        let mut victims: BTreeSet<String> = BTreeSet::new();
        let mut gangs = Vec::new();
        for bundle in &found.victims {
            let of = self.snapshot.gangs().get(bundle.gang).key.clone();
            for pod in &bundle.pods {
                let spec = &self.snapshot.pods().get(*pod).spec;
                let evict = Evict {
                    uid: spec.uid.clone(),
                    namespace: spec.namespace.clone(),
                    name: spec.name.clone(),
                    gang: of.clone(),
                    gainer: key.clone(),
                };
                victims.insert(evict.uid.clone());
                let id: EffectId = self.outbox.issue(&evict.uid);
                self.snapshot.apply(Op::Evict(*pod));
                report.evictions.push((id, evict));
            }
            gangs.push((of, u32::try_from(bundle.pods.len()).unwrap_or(u32::MAX)));
            self.note_evicted(bundle, now);
        }
        // What goes elsewhere is none of its business.
        let pods = self.snapshot.pods();
        let is_here =
            |pod: &PodId| pods.get(*pod).place.node().is_some_and(|node| nodes.contains(&node));
        let going = self.going().into_iter().filter(is_here);
        let going = going.map(|pod| pods.get(pod).spec.uid.clone());
        let waits_for: BTreeSet<String> = going.chain(victims).collect();
        let pods = u32::try_from(waits_for.len()).unwrap_or(u32::MAX);
        self.plans
            .rows
            .insert(gang, Row { victims: waits_for, until: now.after(VICTIMS_GO_WITHIN) });
        if !gangs.is_empty() {
            report.decisions.push(Decision::Evict(Eviction { gang: key, victims: gangs }));
        }
        self.futile.clear();
        pods
    }

    /// A gang that ends by it goes on when its pods are made anew; nothing is kept for them.
    fn note_evicted(&mut self, bundle: &Bundle, now: Time) {
        self.touched.extend(&[bundle.gang]);
        self.changed.insert(bundle.gang);
        if !bundle.is_whole {
            return;
        }
        self.plans.cooling.insert(bundle.gang, now.after(COOL_DOWN));
        if let Some(memory) = self.memory.get_mut(&bundle.gang) {
            memory.run.is_released = true;
        }
    }

    /// A pod could not be evicted: it stays, and is let be for a while.
    pub(crate) fn spare(&mut self, uid: &str, now: Time) {
        self.plans.spared.insert(uid.to_owned(), now.after(SPARED_FOR));
        self.give_up_evicting(uid);
        let hurt: Vec<GangId> = self
            .plans
            .rows
            .iter()
            .filter(|(_, row)| row.victims.contains(uid))
            .map(|(gang, _)| *gang)
            .collect();
        for gang in hurt {
            self.fail_plan(gang, now);
            self.changed.insert(gang);
        }
    }
}

/// True if the taker's queue would stay within its fair share with one member more. Most queues
/// under load would not, and need not look for victims elsewhere.
fn may_reclaim(snap: &Snapshot, taker: Taker, roster: &Roster) -> bool {
    let Some(branch) = snap.queues().branches(taker.queue).pop() else { return false };
    let fits = |resource: ResourceId, units: i64| {
        let measure = Measure { flavour: None, resource };
        let is_divided = snap.queues().division().capacity.contains_key(&measure);
        let used = measure.of(snap.queues().usage(branch));
        !is_divided || used + i128::from(units) <= snap.queues().share(branch, measure).fair
    };
    roster.sets.iter().any(|set| {
        let request = &snap.classes().get(set.class).request;
        request.iter().all(|(resource, amount)| fits(*resource, amount.units()))
    })
}

/// True if a queue's own gangs use more of something than is fair.
fn is_above_fair(snap: &Snapshot, queue: QueueId) -> bool {
    let branch = snap.queues().branches(queue).pop().unwrap_or(Branch::Queue(queue));
    let usage = snap.queues().usage(branch);
    snap.queues()
        .division()
        .capacity
        .keys()
        .any(|measure| measure.of(usage) > snap.queues().share(branch, *measure).fair)
}
