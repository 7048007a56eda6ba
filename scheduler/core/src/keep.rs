//! The engine's side of holding room: who may, who is bound by it, and what a failed gang
//! would find without it.

use crate::engine::{BlockedAt, Engine};
use crate::fresh;
use crate::fuel::Fuel;
use crate::hold::{Hold, Purpose};
use crate::line::{GangKeyInLine, QueueKeyInLine};
use crate::place::gang::Attempt;
use crate::place::region::Goal;
use crate::roster::Roster;
use crate::turn::{self, EVERYBODY};
use scheduler_framework::GangOffer;
use scheduler_model::amount::Amount;
use scheduler_model::explain::WaitReason;
use scheduler_model::ids::{ClassId, GangId, NodeId, QueueId};
use scheduler_model::op::{Kept, Op};
use scheduler_model::queue::Usage;
use scheduler_model::resource::Request;
use scheduler_model::time::Time;

impl Engine {
    /// Place of a gang in the line of its queue.
    pub(crate) fn key_of(&self, gang: GangId, roster: &Roster) -> GangKeyInLine {
        let offer = GangOffer {
            gang,
            priority: self.snapshot.priority(gang),
            age: self.memory.get(&gang).and_then(|memory| memory.run.age).unwrap_or(Time::NEVER),
            is_broken: roster.is_broken(),
            is_daemon: fresh::is_daemon(&self.snapshot, gang),
        };
        GangKeyInLine::of(&self.snapshot, &self.profile, &offer)
    }

    /// Whom a gang takes turns as, in its queue.
    pub(crate) fn user_of(&self, gang: GangId) -> &str {
        let is_daemon = fresh::is_daemon(&self.snapshot, gang);
        if is_daemon { EVERYBODY } else { turn::user_of(&self.snapshot, gang) }
    }

    /// What that user has of the queue.
    fn part(&self, gang: GangId) -> i64 {
        self.users.part(self.snapshot.gangs().get(gang).queue, self.user_of(gang))
    }

    /// Room that gangs ahead of this one keep. What others were evicted for counts as used by the
    /// queue that gains: no other gang of it may take what it is due a second time.
    pub(crate) fn holds_ahead_of(&self, gang: GangId, roster: &Roster) -> Vec<Kept> {
        let ahead = self.holders_ahead_of(gang, roster).into_iter();
        let rooms = ahead.flat_map(|hold| {
            let queue = self.snapshot.gangs().get(hold.gang).queue;
            let queue = queue.filter(|_| hold.purpose == Purpose::Eviction);
            let gang = queue.map(|_| hold.gang);
            hold.rooms.iter().map(move |room| Kept { queue, gang, ..room.clone() })
        });
        rooms.collect()
    }

    fn holders_ahead_of(&self, gang: GangId, roster: &Roster) -> Vec<&Hold> {
        if self.holds.is_empty() {
            return Vec::new();
        }
        let own = self.snapshot.gangs().get(gang).queue;
        let (own_part, own_key) = (self.part(gang), self.key_of(gang, roster));
        let is_broken = roster.is_broken();
        let is_ahead = |hold: &&Hold| {
            let of = |queue: QueueId| {
                let next = Request::new();
                QueueKeyInLine::of(&self.snapshot, &self.profile, queue, &next)
            };
            if hold.purpose != Purpose::Turn && !is_broken {
                return true;
            }
            // The queue as it is now: the one in which the gang was blocked may be gone.
            let queue = self.snapshot.gangs().get(hold.gang).queue;
            let is_before =
                |key: &GangKeyInLine| (self.part(hold.gang), key) < (own_part, &own_key);
            match &self.memory[&hold.gang].blocked_at {
                None if hold.purpose == Purpose::Turn => false,
                _ if queue != own => queue.map(of) < own.map(of),
                Some(at) => is_before(&at.key),
                None => {
                    let other = self.roster(hold.gang);
                    is_before(&self.key_of(hold.gang, &other))
                }
            }
        };
        let others = self.holds.iter().filter(|hold| hold.gang != gang);
        others.filter(is_ahead).collect()
    }

    /// The holder without which alone the gang would fit; the first ahead of it if it takes
    /// more than one.
    pub(crate) fn holder_in_the_way(
        &mut self,
        roster: &Roster,
        goal: &Goal,
        fuel: &mut Fuel,
    ) -> Option<GangId> {
        let mut ahead: Vec<Hold> =
            self.holders_ahead_of(roster.gang, roster).into_iter().cloned().collect();
        ahead.sort_by_cached_key(|hold| self.snapshot.gangs().get(hold.gang).key.clone());
        let queue = self.snapshot.gangs().get(roster.gang).queue;
        for hold in ahead.iter().filter(|_| ahead.len() > 1) {
            let others = ahead.iter().filter(|it| it.gang != hold.gang);
            let rooms: Vec<Kept> = others.flat_map(|it| it.rooms.iter().cloned()).collect();
            self.apply_holds(&rooms);
            let attempt = self.what_if(roster, goal, queue, fuel);
            self.revert_holds(&rooms);
            if attempt.is_whole {
                return Some(hold.gang);
            }
        }
        ahead.first().map(|hold| hold.gang)
    }

    pub(crate) fn apply_holds(&mut self, holds: &[Kept]) {
        for room in holds {
            self.snapshot.apply(Op::Hold(room.clone()));
        }
    }

    pub(crate) fn revert_holds(&mut self, holds: &[Kept]) {
        for room in holds.iter().rev() {
            self.snapshot.revert(Op::Hold(room.clone()));
        }
    }

    /// Drops holds whose gang is gone or complete, or whose nodes or classes are.
    pub(crate) fn drop_stale_holds(&mut self) {
        let (snap, memory) = (&self.snapshot, &self.memory);
        let journal = snap.nodes().described();
        let touched = journal.since(self.holds_seen);
        self.holds.retain(|hold| {
            let is_live = snap.gangs().live(hold.gang).is_some() && {
                let begun = memory.get(&hold.gang).and_then(|it| it.run.begun.as_ref());
                let roster = Roster::of(snap, hold.gang, begun);
                let has_class = |class: &ClassId| roster.sets.iter().any(|it| it.class == *class);
                roster.needed() > 0
                    && (hold.purpose == Purpose::Repair || hold.classes.iter().all(has_class))
            };
            // A node that changed may no longer suit the plan: made anew when its gang is tried.
            // What is kept for a gang that is being repaired stays while its own nodes do.
            let is_sure = touched.is_some_and(|touched| {
                let is_its_own = |node: &NodeId| hold.rooms.iter().any(|room| room.node == *node);
                !touched.iter().any(|node| hold.purpose == Purpose::Turn || is_its_own(node))
            });
            is_live && is_sure && hold.rooms.iter().all(|it| snap.nodes().live().contains(it.node))
        });
        self.holds_seen = journal.cursor();
    }

    /// First gangs of their queues that have been blocked long enough and hold nothing yet.
    pub(crate) fn due_to_hold(&self, now: Time) -> Vec<GangId> {
        self.heads()
            .filter(|gang| {
                !self.active.contains(gang)
                    && !self.holds.iter().any(|hold| hold.gang == *gang)
                    && self.hold_at(*gang).is_some_and(|time| time <= now)
            })
            .collect()
    }

    /// The first gang of each queue that is blocked and was not found hopeless.
    pub(crate) fn heads(&self) -> impl Iterator<Item = GangId> {
        self.blocked.keys().filter_map(|queue| self.head(*queue))
    }

    fn head(&self, queue: Option<QueueId>) -> Option<GangId> {
        let first = self.blocked.get(&queue)?.first(|user| self.users.part(queue, user));
        first.map(|(_, (_, gang), ())| *gang)
    }

    /// When a gang that is blocked may hold room, if its queue ever lets it.
    pub(crate) fn hold_at(&self, gang: GangId) -> Option<Time> {
        let since = self.memory[&gang].run.blocked_since?;
        let queue = self.snapshot.gangs().get(gang).queue;
        let default = self.config.hold_after;
        let queues = self.snapshot.queues();
        let after = queue.map_or(Some(default), |queue| queues.hold_after(queue, default));
        after.map(|after| since.after(after))
    }

    /// Puts a gang among those that lack room.
    pub(crate) fn enter_blocked(&mut self, roster: &Roster) {
        self.leave_blocked(roster.gang);
        let key = self.key_of(roster.gang, roster);
        let queue = self.snapshot.gangs().get(roster.gang).queue;
        let user = self.user_of(roster.gang).to_owned();
        self.blocked.entry(queue).or_default().insert(&user, (key.clone(), roster.gang), ());
        let memory = self.memory.get_mut(&roster.gang).expect("a blocked gang is remembered");
        memory.blocked_at = Some(BlockedAt { queue, user, key });
    }

    /// Takes a gang from those that lack room: it runs, is gone, or cannot be helped by a hold.
    pub(crate) fn leave_blocked(&mut self, gang: GangId) {
        let Some(memory) = self.memory.get_mut(&gang) else { return };
        let Some(BlockedAt { queue, user, key }) = memory.blocked_at.take() else { return };
        if let Some(gangs) = self.blocked.get_mut(&queue) {
            gangs.remove(&user, &(key, gang));
            if gangs.is_empty() {
                self.blocked.remove(&queue);
            }
        }
    }

    /// Plans a hold for a gang that just failed, if it is the head of its queue and waited
    /// long enough.
    pub(crate) fn consider_hold(
        &mut self,
        roster: &Roster,
        goal: &Goal,
        now: Time,
        fuel: &mut Fuel,
    ) {
        let gang = roster.gang;
        let is_holding = self.holds.iter().any(|hold| hold.gang == gang);
        let is_due = self.hold_at(gang).is_some_and(|time| time <= now);
        let queue = self.snapshot.gangs().get(gang).queue;
        if is_holding || !is_due || self.head(queue) != Some(gang) {
            return;
        }
        let (mut txn, mut placer) = self.placing(fuel);
        let rooms = placer.plan_hold(&mut txn, roster, goal);
        drop(txn);
        match rooms {
            Some(rooms) => {
                let queue_of = |gang| self.snapshot.gangs().get(gang).queue;
                self.holds
                    .retain(|hold| hold.purpose != Purpose::Turn || queue_of(hold.gang) != queue);
                let (classes, rooms) = rooms.into_iter().unzip();
                self.holds.push(Hold { gang, rooms, classes, purpose: Purpose::Turn });
            }
            // Even an empty cluster has no room for it: the next one in line may hold.
            None => self.leave_blocked(gang),
        }
    }

    /// True if the gang would fit if nobody kept room.
    pub(crate) fn would_fit_without_holds(
        &mut self,
        roster: &Roster,
        goal: &Goal,
        fuel: &mut Fuel,
    ) -> bool {
        let queue = self.snapshot.gangs().get(roster.gang).queue;
        self.what_if(roster, goal, queue, fuel).is_whole
    }

    /// The queue limit without which the gang would fit, if there is one.
    pub(crate) fn limit_in_the_way(
        &mut self,
        roster: &Roster,
        goal: &Goal,
        fuel: &mut Fuel,
    ) -> Option<WaitReason> {
        let queue = self.snapshot.gangs().get(roster.gang).queue?;
        let (queues, gang) = (self.snapshot.queues(), self.snapshot.gangs().get(roster.gang));
        if !queues.has_ceilings(queue) && !queues.limits_users(&gang.accounts) {
            return None;
        }
        let attempt = self.what_if(roster, goal, None, fuel);
        attempt.is_whole.then(|| self.exceeded(roster, &attempt, queue)).flatten()
    }

    /// The first ceiling on the way up that a complete placement would exceed.
    fn exceeded(&self, roster: &Roster, attempt: &Attempt, queue: QueueId) -> Option<WaitReason> {
        let snap = &self.snapshot;
        let mut wants = Usage::new();
        for placed in &attempt.placed {
            let flavour = snap.nodes().flavour(placed.node);
            for (resource, amount) in &snap.classes().get(roster.sets[placed.set].class).request {
                let units = i128::from(amount.units()) * i128::from(placed.count);
                *wants.entry((flavour, *resource)).or_insert(0) += units;
            }
        }
        let Some(obstacle) = snap.queues().obstacle(queue, &wants) else {
            return self.exceeded_by_user(roster.gang, &wants);
        };
        let name = |flavour| snap.nodes().flavour_name(flavour).to_owned();
        Some(WaitReason::Limit {
            ceiling: obstacle.ceiling,
            queue: snap.queues().get(obstacle.queue).spec.name.clone(),
            flavour: obstacle.measure.flavour.map(name),
            resource: snap.resources().name(obstacle.measure.resource).to_owned(),
            used: Amount::saturating(obstacle.used),
            wants: Amount::saturating(obstacle.wants),
            limit: Amount::saturating(obstacle.most),
        })
    }

    /// The first limit of a user of the gang that using so much more would exceed.
    fn exceeded_by_user(&self, gang: GangId, wants: &Usage) -> Option<WaitReason> {
        let snap = &self.snapshot;
        let accounts = &snap.gangs().get(gang).accounts;
        let obstacle = snap.queues().user_obstacle(accounts, wants)?;
        Some(WaitReason::UserLimit {
            queue: snap.queues().get(obstacle.queue).spec.name.clone(),
            user: obstacle.user,
            resource: snap.resources().name(obstacle.measure.resource).to_owned(),
            used: Amount::saturating(obstacle.used),
            wants: Amount::saturating(obstacle.wants),
            limit: Amount::saturating(obstacle.most),
        })
    }

    /// Tries a placement and takes it back.
    fn what_if(
        &mut self,
        roster: &Roster,
        goal: &Goal,
        queue: Option<QueueId>,
        fuel: &mut Fuel,
    ) -> Attempt {
        let (mut txn, mut placer) = self.placing(fuel);
        placer.place(&mut txn, roster, goal, queue)
    }
}
