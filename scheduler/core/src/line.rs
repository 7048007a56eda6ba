//! Who is served next: queues by their key as things stand, gangs of a queue by theirs.

use scheduler_framework::profile::Profile;
use scheduler_framework::{GangOffer, OrderKey};
use scheduler_model::ids::{GangId, QueueId};
use scheduler_model::queue::Branch;
use scheduler_model::resource::Request;
use scheduler_model::snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};

/// Place of a gang in the line of its queue; total, because the uid and key end every tie.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GangKeyInLine {
    keys: Vec<OrderKey>,
    uid: String,
    name: String,
}

impl GangKeyInLine {
    /// Works the key of one gang out.
    #[must_use]
    pub fn of(snap: &Snapshot, profile: &Profile, offer: &GangOffer) -> Self {
        let gang = snap.gangs().get(offer.gang);
        let of_pods = || gang.members.iter().map(|pod| &snap.pods().get(*pod).spec.uid).min();
        let uid = gang.spec.as_ref().map(|spec| &spec.uid).or_else(of_pods);
        Self {
            keys: profile.gang_key(snap, offer).collect(),
            uid: uid.cloned().unwrap_or_default(),
            name: format!("{} {}", gang.key, gang.key.dialect.name()),
        }
    }
}

/// Place of a queue among all, from the top of the tree down: queues with the same parent compete
/// with each other, and what is below one of them goes where it goes. Total, because uid and name
/// end every tie.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueueKeyInLine {
    levels: Vec<LevelKey>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LevelKey {
    keys: Vec<OrderKey>,
    uid: String,
    name: String,
}

impl QueueKeyInLine {
    /// Works the key of one queue's gangs out, as things stand now, if the next one wants `next`.
    #[must_use]
    pub fn of(snap: &Snapshot, profile: &Profile, queue: QueueId, next: &Request) -> Self {
        let level = |branch: Branch| {
            let spec = &snap.queues().get(branch.queue()).spec;
            let keys = profile.queue_key(snap, branch, next).collect();
            LevelKey { keys, uid: spec.uid.clone(), name: spec.name.clone() }
        };
        Self { levels: snap.queues().branches(queue).into_iter().map(level).collect() }
    }
}

/// Gangs that wait to be considered. Those whose queue does not exist stand in a line of their
/// own, which comes last: they only get their reason.
///
/// Keys of queues are kept: use that changes moves only the queues below the same top queue.
#[derive(Clone, Debug, Default)]
pub struct Line {
    queues: BTreeMap<QueueId, BTreeMap<(GangKeyInLine, GangId), Request>>,
    astray: BTreeSet<(GangKeyInLine, GangId)>,
    /// Queues in line in the order in which they are served.
    order: BTreeSet<(QueueKeyInLine, QueueId)>,
    /// Where each of them stands in that order.
    keys: BTreeMap<QueueId, QueueKeyInLine>,
    /// Queues in line by the top queue they are below.
    below: BTreeMap<QueueId, BTreeSet<QueueId>>,
    /// Top queues below which the order may have changed.
    moved: BTreeSet<QueueId>,
}

impl Line {
    /// Puts a gang in line.
    pub fn push(
        &mut self,
        snap: &Snapshot,
        queue: Option<QueueId>,
        (key, gang): (GangKeyInLine, GangId),
        wants: Request,
    ) {
        let Some(queue) = queue else {
            self.astray.insert((key, gang));
            return;
        };
        let gangs = self.queues.entry(queue).or_default();
        let top = top(snap, queue);
        if gangs.is_empty() {
            self.below.entry(top).or_default().insert(queue);
        }
        // It may be the next one now.
        self.moved.insert(top);
        gangs.insert((key, gang), wants);
    }

    /// Where the first of all other queues in line stands.
    pub fn rival(
        &mut self,
        snap: &Snapshot,
        profile: &Profile,
        queue: Option<QueueId>,
    ) -> Option<QueueKeyInLine> {
        self.bring_up_to_date(snap, profile);
        let others = self.order.iter().filter(|(_, other)| Some(*other) != queue);
        others.map(|(key, _)| key.clone()).next()
    }

    /// Takes the first gang of the queue that is served next.
    pub fn pop(&mut self, snap: &Snapshot, profile: &Profile) -> Option<(GangKeyInLine, GangId)> {
        let next = match self.queues.len() {
            0 => return self.astray.pop_first(),
            1 => self.queues.keys().next().copied(),
            _ => {
                self.bring_up_to_date(snap, profile);
                self.order.first().map(|(_, queue)| *queue)
            }
        }?;
        let top = top(snap, next);
        // It will use more, or stand in line no more.
        self.moved.insert(top);
        let gangs = self.queues.get_mut(&next)?;
        let first = gangs.pop_first().map(|(first, _)| first);
        if gangs.is_empty() {
            self.queues.remove(&next);
            self.leave(top, next);
        }
        first
    }

    /// Use below this queue changed otherwise than by its first gang.
    pub fn disturb(&mut self, snap: &Snapshot, queue: QueueId) {
        self.moved.insert(top(snap, queue));
    }

    fn leave(&mut self, top: QueueId, queue: QueueId) {
        if let Some(key) = self.keys.remove(&queue) {
            self.order.remove(&(key, queue));
        }
        if let Some(below) = self.below.get_mut(&top) {
            below.remove(&queue);
        }
    }

    fn bring_up_to_date(&mut self, snap: &Snapshot, profile: &Profile) {
        for top in std::mem::take(&mut self.moved) {
            for queue in self.below.get(&top).into_iter().flatten() {
                let next = self.queues.get(queue).and_then(|gangs| gangs.values().next());
                let key = QueueKeyInLine::of(snap, profile, *queue, next.unwrap_or(&NOTHING));
                if let Some(before) = self.keys.insert(*queue, key.clone()) {
                    self.order.remove(&(before, *queue));
                }
                self.order.insert((key, *queue));
            }
        }
    }
}

/// What a gang wants that wants nothing.
const NOTHING: Request = Request::new();

/// The queue at the top of the path of this one.
fn top(snap: &Snapshot, queue: QueueId) -> QueueId {
    snap.queues().ids_up(queue).last().unwrap_or(queue)
}
