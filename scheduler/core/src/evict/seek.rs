//! Who could go for a gang: what already goes, and all that it may take from others.

use super::budget::Rooms;
use super::court::{Taker, may_take};
use super::search::{Found, STEPS_PER_POD, Search};
use super::victims::{Bundle, Holder, sort};
use crate::engine::Engine;
use crate::fuel::Fuel;
use crate::place::region::Goal;
use crate::roster::Roster;
use scheduler_model::ids::{GangId, PodId};
use scheduler_model::op::{Kept, Op};
use scheduler_model::time::{Span, Time};

/// How soon a gang is looked at again of which some binds were not seen yet.
const BINDS_SEEN_WITHIN: Span = Span::from_secs(1);

/// How long a gang that was evicted is safe from further eviction.
const COOL_DOWN: Span = Span::from_secs(300);

/// The span in which evictions of one gang are counted.
const COUNTED_FOR: Span = Span::from_secs(3600);

impl Engine {
    /// The cheapest lawful victims that were found, and the room that they make.
    pub(super) fn find_victims(
        &mut self,
        roster: &Roster,
        goal: &Goal,
        holds: &[Kept],
        now: Time,
        fuel: &mut Fuel,
    ) -> Option<Found> {
        self.apply_holds(holds);
        let found = self.find_beside_holds(roster, goal, now, fuel);
        self.revert_holds(holds);
        let (found, budgets) = found?;
        Some(found).filter(|it| self.heed_budgets(roster.gang, &budgets, &it.victims, now))
    }

    fn find_beside_holds(
        &mut self,
        roster: &Roster,
        goal: &Goal,
        now: Time,
        fuel: &mut Fuel,
    ) -> Option<(Found, Rooms)> {
        let queue = self.snapshot.gangs().get(roster.gang).queue?;
        let taker = Taker { queue, priority: self.snapshot.priority(roster.gang) };
        let (bundles, safe_until) = match self.snapshot.preempts(roster.gang) {
            true => self.bundles(taker, roster, (now, &mut *fuel)),
            // What goes all the same is waited for.
            false => (Vec::new(), None),
        };
        self.plans.again.remove(&roster.gang);
        self.plans.again.extend(safe_until.map(|until| (roster.gang, until)));
        self.plans.barred.remove(&roster.gang);
        // Whoever may take nothing waits for its turn as everybody does, unless what goes went
        // for it.
        if bundles.is_empty() && !self.plans.failed.contains_key(&roster.gang) {
            return None;
        }
        let going: Vec<PodId> = self.going();
        if bundles.is_empty() && going.is_empty() {
            return None;
        }
        fuel.take(going.len().saturating_mul(STEPS_PER_POD));
        let budgets = Rooms::of(&self.snapshot, &self.plans.debts, &bundles);
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
                let (txn, placer, budgets) = (&mut txn, &mut placer, &budgets);
                let mut search =
                    Search { placer, txn, roster, goal, taker, budgets, breaks: false };
                search.run(&bundles)
            }
        };
        found.map(|found| (found, budgets))
    }

    /// Placed pods that are on their way out and can be counted on to go.
    pub(super) fn going(&self) -> Vec<PodId> {
        let counts = |pod: &PodId| {
            let uid = &self.snapshot.pods().get(*pod).spec.uid;
            !self.plans.stuck.contains(uid) && self.snapshot.holds_room(*pod)
        };
        self.snapshot.pods().releasing().filter(counts).collect()
    }

    /// All that may be evicted for a taker, cheap ones first; and when it may be more.
    fn bundles(
        &self,
        taker: Taker,
        own: &Roster,
        (now, fuel): (Time, &mut Fuel),
    ) -> (Vec<Bundle>, Option<Time>) {
        let snap = &self.snapshot;
        let mut bundles = Vec::new();
        let mut safe_until: Option<Time> = None;
        let mut wait =
            |until: Time| safe_until = Some(safe_until.map_or(until, |it| it.min(until)));
        for gang in self.plans.holders.of(snap, taker, own, self.config.share_tolerance) {
            if gang == own.gang || self.plans.rows.contains_key(&gang) {
                continue;
            }
            let members = snap.gangs().get(gang).members.len();
            fuel.take(members.saturating_mul(STEPS_PER_POD));
            let roster = self.roster(gang);
            let holder = Holder { snap, roster: &roster, now };
            if let Some(until) = self.cools_until(gang, now).max(holder.safe_until()) {
                wait(until);
                continue;
            }
            if holder.is_arriving() {
                wait(now.after(BINDS_SEEN_WITHIN));
                continue;
            }
            holder.next_free().into_iter().for_each(&mut wait);
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

    /// Until when a gang is safe because it was evicted just now, or often.
    fn cools_until(&self, gang: GangId, now: Time) -> Option<Time> {
        // What is yet to come is no eviction: a clock was ahead, or somebody wrote it.
        let evicted = &self.memory.get(&gang)?.run.evicted;
        let evicted = &evicted[..evicted.partition_point(|at| *at <= now)];
        let cool = evicted.last()?.after(COOL_DOWN);
        let most = usize::try_from(self.config.evictions_per_hour).unwrap_or(usize::MAX);
        let counted = evicted.len().checked_sub(most.max(1)).map(|index| evicted[index]);
        let until = cool.max(counted.map_or(Time::ZERO, |at| at.after(COUNTED_FOR)));
        (until > now).then_some(until)
    }

    /// Notes that a gang has to go as a whole. It goes on when its pods are made anew; nothing is
    /// kept for them.
    pub(super) fn note_evicted(&mut self, gang: GangId, now: Time) {
        let Some(memory) = self.memory.get_mut(&gang) else { return };
        memory.run.goes();
        memory.run.evicted.retain(|at| at.after(COUNTED_FOR) > now);
        // What a plan of an earlier process began is the same eviction.
        if memory.run.evicted.last().is_none_or(|at| at.after(COOL_DOWN) <= now) {
            memory.run.evicted.push(now);
        }
        self.drop_repair(gang);
    }
}
