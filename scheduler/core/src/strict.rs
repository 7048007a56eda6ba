//! Queues that are served strictly in order ([`Order::Fifo`]): nobody passes the first gang that
//! could run.
//!
//! *In front* stands a gang that found no room, or met a limit, and would fit if everything that
//! runs now had ended. Whoever comes after it in its queue is not tried and waits behind it, and
//! so do members above any minimum. Whoever is refused for reasons of its own (members, gates,
//! volumes, a level), or would not fit even then, stands in nobody's way. Other queues, those
//! below included, notice nothing.
//!
//! A DaemonSet's pod neither stands in front nor waits behind: it can use one node only. Nor does
//! a gang that lost members wait behind: it ran before.
//!
//! Invariant: whoever waits behind a gang was told its name, and is considered again in the same
//! cycle in which another one stands in front, or nobody.

use crate::engine::Engine;
use crate::fresh;
use crate::fuel::Fuel;
use crate::line::{GangKeyInLine, Line};
use crate::place::region::Goal;
use crate::report::CycleReport;
use crate::roster::Roster;
use scheduler_framework::EventMask;
use scheduler_model::explain::{Cure, Explanation, WaitReason};
use scheduler_model::ids::{GangId, QueueId};
use scheduler_model::journal::Cursor;
use scheduler_model::spec::Order;
use scheduler_model::time::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// How long it is taken for granted that a gang could run, while queues and nodes stay.
const ABLE_FOR: Span = Span::from_secs(60);

/// Minimums before members above them, then by key.
type Rank = (bool, GangKeyInLine, GangId);

/// Who stands in front, and who waits behind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strict {
    front: BTreeMap<QueueId, BTreeSet<(GangKeyInLine, GangId)>>,
    /// With the gang that each was told to wait for.
    behind: BTreeMap<QueueId, BTreeMap<Rank, GangId>>,
    spots: BTreeMap<GangId, Spot>,
    able: BTreeMap<GangId, Able>,
    /// The queues as they were when those behind were last woken.
    epoch: u64,
}

#[derive(Clone, Debug)]
enum Spot {
    Front(QueueId, GangKeyInLine),
    Behind(QueueId, bool, GangKeyInLine),
}

/// A gang could run with these queues and nodes, and was found to at this moment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Able {
    epoch: u64,
    nodes: Cursor,
    at: Time,
}

impl Strict {
    fn head(&self, queue: QueueId) -> Option<&(GangKeyInLine, GangId)> {
        self.front.get(&queue)?.first()
    }

    /// Takes a gang out, wherever it is.
    pub(crate) fn leave(&mut self, gang: GangId) {
        match self.spots.remove(&gang) {
            Some(Spot::Front(queue, key)) => {
                let Some(gangs) = self.front.get_mut(&queue) else { return };
                gangs.remove(&(key, gang));
                if gangs.is_empty() {
                    self.front.remove(&queue);
                }
            }
            Some(Spot::Behind(queue, is_extra, key)) => {
                let Some(gangs) = self.behind.get_mut(&queue) else { return };
                gangs.remove(&(is_extra, key, gang));
                if gangs.is_empty() {
                    self.behind.remove(&queue);
                }
            }
            None => {}
        }
    }

    /// Forgets a gang that changed or is gone.
    pub(crate) fn forget(&mut self, gang: GangId) {
        self.able.remove(&gang);
    }

    fn stand(&mut self, queue: QueueId, key: GangKeyInLine, gang: GangId) {
        self.leave(gang);
        self.front.entry(queue).or_default().insert((key.clone(), gang));
        self.spots.insert(gang, Spot::Front(queue, key));
    }

    fn follow(&mut self, queue: QueueId, (is_extra, key, gang): Rank, head: GangId) {
        self.leave(gang);
        self.behind.entry(queue).or_default().insert((is_extra, key.clone(), gang), head);
        self.spots.insert(gang, Spot::Behind(queue, is_extra, key));
    }

    /// The first gang behind that nobody is in front of any more.
    fn next(&self, queue: QueueId) -> Option<GangId> {
        let ((is_extra, key, gang), _) = self.behind.get(&queue)?.first_key_value()?;
        let is_free = self.head(queue).is_none_or(|(head, _)| key < head);
        (!is_extra && is_free).then_some(*gang)
    }

    /// Those behind who wait for somebody else than they were told.
    fn misled(&self) -> impl Iterator<Item = GangId> {
        self.behind.iter().flat_map(|(queue, gangs)| {
            let head = self.head(*queue);
            let is_so = move |((is_extra, key, _), told): &(&Rank, &GangId)| {
                head.is_none_or(|(first, head)| head != *told || (!is_extra && key < first))
            };
            gangs.iter().filter(is_so).map(|((_, _, gang), _)| *gang)
        })
    }

    /// True if somebody behind must be considered again.
    pub(crate) fn has_moved(&self) -> bool {
        self.misled().next().is_some()
    }

    /// Those behind who must be considered again, with these queues.
    pub(crate) fn moved(&mut self, epoch: u64) -> Vec<GangId> {
        if std::mem::replace(&mut self.epoch, epoch) != epoch {
            let all = self.behind.values().flat_map(BTreeMap::keys);
            return all.map(|(_, _, gang)| *gang).collect();
        }
        self.misled().collect()
    }
}

impl Engine {
    /// The queue of a gang, if it is served strictly in order and that concerns the gang.
    fn strict_queue(&self, gang: GangId) -> Option<QueueId> {
        let queue = self.snapshot.gangs().get(gang).queue?;
        let is_strict = self.snapshot.queues().order(queue) == Order::Fifo;
        (is_strict && !fresh::is_daemon(&self.snapshot, gang)).then_some(queue)
    }

    /// Lets a gang wait that somebody stands in front of; false if nobody does.
    pub(crate) fn waits_behind(&mut self, roster: &Roster, report: &mut CycleReport) -> bool {
        // What it lacks is above its minimum.
        let is_extra = roster.needed() == 0;
        let gang = roster.gang;
        // Room that is being made for a gang is nobody else's.
        let is_free = roster.is_broken() || self.planned_gangs().any(|it| it == gang);
        let Some(queue) = self.strict_queue(gang).filter(|_| !is_free) else { return false };
        let Some((first, head)) = self.strict.head(queue) else { return false };
        let (head, key) = (*head, self.key_of(gang, roster));
        if head == gang || (!is_extra && key < *first) {
            return false;
        }
        let (needed, name) = (roster.needed(), &self.snapshot.gangs().get(head).key);
        let explanation = Explanation {
            gang: self.snapshot.gangs().get(gang).key.clone(),
            reason: WaitReason::Behind { head: name.clone() },
            placeable: 0,
            needed: if is_extra { roster.pending() } else { needed },
            sets: Vec::new(),
            nearest: None,
            cure: Cure::Wait,
            next_step: format!("wait until {name} has started, and see what that one waits for"),
        };
        self.unblock(gang);
        self.strict.follow(queue, (is_extra, key, gang), head);
        // Whoever stands in front is followed by itself, and so are queues.
        let wakes_on = EventMask::GANG_CHANGED | EventMask::POLICY_CHANGED;
        self.tell(gang, wakes_on, explanation, report);
        true
    }

    /// Puts a gang in front that found no room, if it could run once others have ended.
    pub(crate) fn consider_front(
        &mut self,
        roster: &Roster,
        goal: &Goal,
        (now, fuel): (Time, &mut Fuel),
    ) {
        let is_strict = self.strict_queue(roster.gang).is_some();
        if is_strict && self.could_run(roster, goal, now, fuel) {
            self.stand_in_front(roster);
        } else {
            self.strict.leave(roster.gang);
        }
    }

    /// Puts a gang in front that is known to run once others have ended, or not to be hopeless.
    pub(crate) fn stand_in_front(&mut self, roster: &Roster) {
        let Some(queue) = self.strict_queue(roster.gang) else {
            self.strict.leave(roster.gang);
            return;
        };
        let key = self.key_of(roster.gang, roster);
        self.strict.stand(queue, key, roster.gang);
    }

    /// True if a gang would fit if everything had ended that runs now.
    fn could_run(&mut self, roster: &Roster, goal: &Goal, now: Time, fuel: &mut Fuel) -> bool {
        let epoch = self.snapshot.queues().epoch();
        let nodes = self.snapshot.nodes().described().cursor();
        let known = self.strict.able.get(&roster.gang);
        let is_same = |known: &&Able| known.epoch == epoch && known.nodes == nodes;
        if known.filter(is_same).is_some_and(|known| now < known.at.after(ABLE_FOR)) {
            return true;
        }
        let (mut txn, mut placer) = self.placing(fuel);
        let could = placer.could_run(&mut txn, roster, goal);
        drop(txn);
        if could {
            self.strict.able.insert(roster.gang, Able { epoch, nodes, at: now });
        } else {
            self.strict.able.remove(&roster.gang);
        }
        // Without steps left nobody knows: it keeps its place in front.
        could || fuel.is_empty()
    }

    /// Puts the gang in line that is free to go, now that one of its queue was considered.
    pub(crate) fn call_next(&mut self, line: &mut Line, queue: Option<QueueId>) {
        let Some(queue) = queue else { return };
        let Some(gang) = self.strict.next(queue) else { return };
        self.active.insert(gang);
        let roster = self.roster(gang);
        let (key, wants) = (self.key_of(gang, &roster), roster.wants(&self.snapshot, 1));
        line.push(Some(queue), self.user_of(gang), (key, gang), wants);
    }
}
