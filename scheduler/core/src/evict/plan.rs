//! Plans under way: from the decision to evict until the gang has its room. How they end
//! otherwise is in `end.rs`, and how they outlive a restart in `restore.rs`.

use super::awaited::Awaited;
use super::budget::{Barred, Debts};
use super::holders::Holders;
use super::search::Found;
use crate::engine::Engine;
use crate::fuel::Fuel;
use crate::hold::{Hold, Purpose};
use crate::place::region::Goal;
use crate::report::{CycleReport, Decision, Eviction};
use crate::roster::Roster;
use scheduler_model::effect::{EffectId, Evict};
use scheduler_model::explain::WaitReason;
use scheduler_model::ids::{ClassId, GangId, NodeId, PodId};
use scheduler_model::op::{Kept, Op};
use scheduler_model::spec::{GangKey, NodeTally, RESERVED_NODES_MAX, Reservation};
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

/// How long victims may take to go before the plan is given up, unless they were granted longer.
const VICTIMS_GO_WITHIN: Span = Span::from_secs(600);

/// All plans under way, and what became of earlier ones.
#[derive(Clone, Debug, Default)]
pub struct Plans {
    pub(super) rows: BTreeMap<GangId, Row>,
    /// Plans in a row that came to nothing, and when the next may be made.
    pub(super) failed: BTreeMap<GangId, (u32, Time)>,
    /// Pods that are no victims until then, by uid.
    pub(super) spared: BTreeMap<String, Time>,
    /// Pods that should have gone long ago, by uid: their room is not counted on.
    pub(super) stuck: BTreeSet<String>,
    /// Pods of plans that ended, of which nobody knows yet whether they go.
    pub(super) doubtful: BTreeSet<String>,
    /// Gangs that found no victims, and when somebody may be taken that was safe.
    pub(super) again: BTreeMap<GangId, Time>,
    pub(super) holders: Holders,
    pub(super) awaited: Awaited,
    pub(super) debts: Debts,
    /// Gangs that budgets keep victims from.
    pub(super) barred: BTreeMap<GangId, Barred>,
    /// The name of the last plan.
    last: Time,
    /// Plans of an earlier process were looked for.
    pub(super) has_restored: bool,
}

/// One plan.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Names it.
    pub(super) plan: Time,
    /// Uids of pods that have to go.
    pub(super) victims: BTreeSet<String>,
    pub(super) until: Time,
}

impl Plans {
    /// The next moment at which a plan is given up or may be made.
    pub(crate) fn next(&self) -> Option<Time> {
        let ends = self.rows.values().map(|row| row.until);
        let rests = self.failed.values().map(|(_, at)| *at).filter(|at| *at > Time::ZERO);
        let all = ends.chain(rests).chain(self.again.values().copied());
        all.chain(self.awaited.next()).min()
    }

    /// Another process named this one.
    pub(super) fn has_named(&mut self, plan: Time) {
        self.last = self.last.max(plan);
    }

    /// A name that no other plan has: the moment, or the next that is free.
    fn name(&mut self, now: Time) -> Time {
        self.last = now.max(self.last.after(Span::from_ms(1)));
        self.last
    }
}

impl Engine {
    /// Follows whether a gang holds room that others may want.
    pub(crate) fn follow_holder(&mut self, gang: GangId) {
        if self.config.evicts != Evicts::Never {
            self.plans.holders.follow(&self.snapshot, gang);
        }
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
            // A hold goes with the nodes and classes it was made for: the plan then needs another.
            if left > 0
                && (self.has_plan_hold(gang) || self.hold_anew(roster, goal, holds, &mut *fuel))
            {
                return Some(WaitReason::Evicting { pods: left });
            }
            // All are gone and it does not fit all the same, as somebody was faster.
            self.fail_plan(gang, now);
        }
        if !self.has_waited(gang, now) {
            return None;
        }
        // They may go or stay: a plan that counts on either may be in vain.
        if !self.plans.doubtful.is_empty() {
            return None;
        }
        if self.plans.failed.get(&gang).is_some_and(|(_, at)| *at > now) {
            return None;
        }
        let found = self.find_victims(roster, goal, holds, now, fuel)?;
        let plan = self.plans.name(now);
        let pods = self.begin_plan((gang, plan), found, now, report);
        Some(WaitReason::Evicting { pods })
    }

    /// True once a gang waited so long that others may be evicted for it: room may come by itself
    /// where work is short. Whoever made a plan before has waited.
    fn has_waited(&mut self, gang: GangId, now: Time) -> bool {
        let blocked_since = self.memory.get(&gang).and_then(|memory| memory.run.blocked_since);
        let due = blocked_since.unwrap_or(now).after(self.config.evict_after);
        if due <= now || self.plans.failed.contains_key(&gang) {
            return true;
        }
        self.plans.again.insert(gang, due);
        false
    }

    /// A gang found no room as others like it before: it waits by a clock of its own.
    pub(crate) fn note_wait(&mut self, gang: GangId, now: Time) {
        if self.config.evicts != Evicts::Never && self.config.evict_after > Span::ZERO {
            self.has_waited(gang, now);
        }
    }

    /// Other room, of what is free and what goes already; false if it does not fit there.
    fn hold_anew(&mut self, roster: &Roster, goal: &Goal, holds: &[Kept], fuel: &mut Fuel) -> bool {
        let Some(rooms) = self.fits_without(&[], roster, goal, holds, fuel) else { return false };
        self.hold_rooms(roster.gang, rooms);
        self.touched.extend(&[roster.gang]);
        true
    }

    fn hold_rooms(&mut self, gang: GangId, rooms: Vec<(ClassId, Kept)>) {
        let (classes, rooms) = rooms.into_iter().unzip();
        self.holds.push(Hold { gang, rooms, classes, purpose: Purpose::Eviction });
    }

    /// Gangs for which others are being evicted.
    pub(crate) fn planned_gangs(&self) -> impl Iterator<Item = GangId> {
        self.plans.rows.keys().copied()
    }

    pub(super) fn has_plan_hold(&self, gang: GangId) -> bool {
        self.holds.iter().any(|hold| hold.purpose == Purpose::Eviction && hold.gang == gang)
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

    /// Keeps the room, and asks the victims to go; answers how many pods have to.
    pub(super) fn begin_plan(
        &mut self,
        (gang, plan): (GangId, Time),
        found: Found,
        now: Time,
        report: &mut CycleReport,
    ) -> u32 {
        // If it comes to nothing, the gang has waited for room since it began to.
        let blocked_since = self.memory.get(&gang).and_then(|memory| memory.run.blocked_since);
        self.unblock(gang);
        if let Some(memory) = self.memory.get_mut(&gang) {
            memory.run.blocked_since = blocked_since;
        }
        let nodes: BTreeSet<NodeId> = found.rooms.iter().map(|(_, room)| room.node).collect();
        self.hold_rooms(gang, found.rooms);
        let key = self.snapshot.gangs().get(gang).key.clone();
        let mut victims: BTreeSet<String> = BTreeSet::new();
        let mut gangs = Vec::new();
        for bundle in &found.victims {
            let of = self.snapshot.gangs().get(bundle.gang).key.clone();
            for pod in &bundle.pods {
                self.plans.debts.goes(&self.snapshot, *pod, now);
                let evict = self.ask_to_go(*pod, &of, (&key, plan));
                victims.insert(evict.uid.clone());
                let id: EffectId = self.outbox.issue(&evict.uid);
                report.evictions.push((id, evict));
            }
            gangs.push((of, u32::try_from(bundle.pods.len()).unwrap_or(u32::MAX)));
            self.touched.extend(&[bundle.gang]);
            self.changed.insert(bundle.gang);
            if bundle.is_whole {
                self.note_evicted(bundle.gang, now);
            }
        }
        // What goes elsewhere is none of its business.
        let pods = self.snapshot.pods();
        let is_here =
            |pod: &PodId| pods.get(*pod).place.node().is_some_and(|node| nodes.contains(&node));
        let going = self.going().into_iter().filter(is_here);
        let going = going.map(|pod| pods.get(pod).spec.uid.clone());
        let victims: BTreeSet<String> = going.chain(victims).collect();
        let pods = u32::try_from(victims.len()).unwrap_or(u32::MAX);
        let until = now.after(VICTIMS_GO_WITHIN);
        self.plans.rows.insert(gang, Row { plan, victims, until });
        self.keep_promises();
        if !gangs.is_empty() {
            report.decisions.push(Decision::Evict(Eviction { gang: key, plan, victims: gangs }));
        }
        self.futile.clear();
        pods
    }

    fn ask_to_go(&mut self, pod: PodId, of: &GangKey, (gainer, plan): (&GangKey, Time)) -> Evict {
        self.plans.awaited.goes(&self.snapshot, pod);
        self.snapshot.apply(Op::Evict(pod));
        let spec = &self.snapshot.pods().get(pod).spec;
        Evict {
            uid: spec.uid.clone(),
            namespace: spec.namespace.clone(),
            name: spec.name.clone(),
            gang: of.clone(),
            gainer: gainer.clone(),
            plan,
        }
    }

    /// Room that is being made for a gang, as it is to be written down.
    #[must_use]
    pub fn reservation(&self, gang: GangId) -> Option<Reservation> {
        let row = self.plans.rows.get(&gang)?;
        let hold = self.plan_hold(gang)?;
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        for room in &hold.rooms {
            let name = self.snapshot.nodes().spec(room.node).name.as_str();
            *counts.entry(name).or_insert(0) += room.count;
        }
        if counts.len() > RESERVED_NODES_MAX {
            counts.clear();
        }
        let tally = |(node, count): (&str, u32)| NodeTally { node: node.to_owned(), count };
        Some(Reservation {
            plan: row.plan,
            until: row.until,
            victims: self.left_of_plan(gang).unwrap_or(0),
            nodes: counts.into_iter().map(tally).collect(),
        })
    }

    /// The plan by which room is being made for a gang.
    #[must_use]
    pub fn plan(&self, key: &GangKey) -> Option<Time> {
        let gang = self.snapshot.gangs().find(key)?;
        self.plans.rows.get(&gang).map(|row| row.plan)
    }

    /// The node that is kept for each member of a gang for which room is being made.
    #[must_use]
    pub fn reserved_nodes(&self, gang: GangId, roster: &Roster) -> BTreeMap<PodId, NodeId> {
        let Some(hold) = self.plan_hold(gang) else { return BTreeMap::new() };
        let mut places: BTreeMap<ClassId, Vec<NodeId>> = BTreeMap::new();
        for (class, room) in hold.classes.iter().zip(&hold.rooms) {
            let count = usize::try_from(room.count).unwrap_or(usize::MAX);
            places.entry(*class).or_default().extend(std::iter::repeat_n(room.node, count));
        }
        let mut nodes = BTreeMap::new();
        for set in &roster.sets {
            let Some(places) = places.get_mut(&set.class) else { continue };
            let count = places.len().min(set.pods.len());
            nodes.extend(set.pods.iter().copied().zip(places.drain(..count)));
        }
        nodes
    }

    fn plan_hold(&self, gang: GangId) -> Option<&Hold> {
        self.plans.rows.get(&gang)?;
        self.holds.iter().find(|hold| hold.purpose == Purpose::Eviction && hold.gang == gang)
    }
}
