//! Plans that an earlier process began: found again by what it wrote down, before anybody else
//! is considered.
//!
//! The gang's ledger says that room is being made for it, and by which plan; the marks of its
//! victims name that plan. They were judged when it was made, and some may have gone already, so
//! that a second judgement would find another victim guilty: so they go without one, as far as
//! the gang still needs them. A plan of which nobody was marked was not begun; its gang is
//! considered first, and finds the same victims by the same rules.

use super::plan::Evicts;
use super::search::Found;
use super::victims::{Bundle, Spare};
use crate::admit;
use crate::engine::Engine;
use crate::fuel::Fuel;
use crate::place::region::Goal;
use crate::report::CycleReport;
use crate::roster::Roster;
use crate::run::reservation;
use scheduler_model::explain::WaitReason;
use scheduler_model::ids::{ClassId, GangId, PodId};
use scheduler_model::op::{Kept, Op};
use scheduler_model::time::Time;
use std::collections::{BTreeMap, BTreeSet};

impl Engine {
    /// Takes plans up again that are written down, once in the life of an engine; true if there
    /// were any. What gangs want is known by then: by that victims are judged.
    pub(crate) fn restore_plans(
        &mut self,
        now: Time,
        fuel: &mut Fuel,
        report: &mut CycleReport,
    ) -> bool {
        self.plans.has_restored = true;
        let mut written: Vec<(Time, GangId)> = self
            .active
            .iter()
            .filter_map(|gang| Some((reservation(&self.snapshot, *gang, now)?.plan, *gang)))
            .collect();
        if written.is_empty() {
            return false;
        }
        written.sort_unstable();
        let mut marked = self.marked_pods();
        for (plan, _) in &written {
            self.plans.has_named(*plan);
        }
        for (plan, gang) in written {
            let victims = marked.remove(&plan).unwrap_or_default();
            // It may have what it needs by now.
            if self.roster(gang).needed() == 0 {
                continue;
            }
            // What goes already goes for it.
            self.plans.failed.entry(gang).or_default();
            if !self.restore_plan((gang, plan), &victims, (now, &mut *fuel), report) {
                self.consider(gang, now, fuel, report);
            }
        }
        true
    }

    /// True if nothing of an earlier process is to be taken up any more.
    pub(crate) fn has_restored(&self) -> bool {
        self.config.evicts == Evicts::Never || self.plans.has_restored
    }

    /// Placed pods by the plan that they are marked for.
    fn marked_pods(&self) -> BTreeMap<Time, Vec<PodId>> {
        let mut marked: BTreeMap<Time, Vec<PodId>> = BTreeMap::new();
        for (id, pod) in self.snapshot.pods().iter() {
            let Some(plan) = pod.spec.evicted_for else { continue };
            if pod.place.is_placed() && !pod.is_releasing() && self.snapshot.holds_room(id) {
                marked.entry(plan).or_default().push(id);
            }
        }
        marked
    }

    /// Goes on with one plan; false if there is nobody left to go for it, or too few.
    fn restore_plan(
        &mut self,
        (gang, plan): (GangId, Time),
        victims: &[PodId],
        (now, fuel): (Time, &mut Fuel),
        report: &mut CycleReport,
    ) -> bool {
        let roster = self.roster(gang);
        let is_refused = admit::refusal(&self.snapshot, &roster).is_some();
        if victims.is_empty() || is_refused || roster.sets.is_empty() {
            return false;
        }
        let goal = Goal::minimum(&roster);
        let mut bundles = self.bundles_of(victims);
        // Some of them may be broken by it already: nothing is kept for them.
        for bundle in bundles.iter().filter(|it| it.is_whole) {
            self.drop_repair(bundle.gang);
            self.changed.insert(bundle.gang);
        }
        let holds = self.holds_ahead_of(gang, &roster);
        let Some(mut rooms) = self.fits_without(&bundles, &roster, &goal, &holds, fuel) else {
            return false;
        };
        // Room may have come free elsewhere: whoever is not needed any more stays.
        for bundle in bundles.clone() {
            let others: Vec<Bundle> =
                bundles.iter().filter(|it| it.gang != bundle.gang).cloned().collect();
            let is_hurt = self.roster(bundle.gang).needed() > 0;
            if !is_hurt
                && let Some(found) = self.fits_without(&others, &roster, &goal, &holds, fuel)
            {
                (bundles, rooms) = (others, found);
            }
        }
        if bundles.is_empty() {
            return false;
        }
        let found = Found { victims: bundles, rooms };
        let pods = self.begin_plan((gang, plan), found, now, report);
        self.tell_evicting(&roster, WaitReason::Evicting { pods }, report);
        true
    }

    /// These pods, by gang.
    fn bundles_of(&self, victims: &[PodId]) -> Vec<Bundle> {
        let snap = &self.snapshot;
        let mut gangs: BTreeMap<GangId, BTreeSet<PodId>> = BTreeMap::new();
        for pod in victims {
            if let Some(gang) = snap.pods().get(*pod).gang {
                gangs.entry(gang).or_default().insert(*pod);
            }
        }
        let bundle = |(gang, pods): (GangId, BTreeSet<PodId>)| {
            let row = snap.gangs().get(gang);
            let stays = |pod: &PodId| {
                let it = snap.pods().get(*pod);
                it.place.is_placed() && !it.is_releasing() && !pods.contains(pod)
            };
            Some(Bundle {
                gang,
                priority: snap.priority(gang),
                queue: row.queue?,
                is_whole: !row.members.iter().any(stays),
                pods: pods.into_iter().collect(),
                spare: Spare::default(),
                cost: 0,
            })
        };
        gangs.into_iter().filter_map(bundle).collect()
    }

    /// Where a gang goes once these and all that already goes are gone.
    pub(super) fn fits_without(
        &mut self,
        bundles: &[Bundle],
        roster: &Roster,
        goal: &Goal,
        holds: &[Kept],
        fuel: &mut Fuel,
    ) -> Option<Vec<(ClassId, Kept)>> {
        let going = self.going();
        self.apply_holds(holds);
        let (mut txn, mut placer) = self.placing(fuel);
        for pod in bundles.iter().flat_map(|it| &it.pods).chain(&going) {
            txn.apply(Op::Leave(*pod));
        }
        let rooms = placer.try_now(&mut txn, roster, goal);
        drop(txn);
        self.revert_holds(holds);
        rooms
    }
}
