//! Who is served next: queues by their key as things stand, gangs of a queue by theirs.

use crate::turn::{Turns, Users};
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
        let branches = snap.queues().branches(queue).into_iter();
        let levels = branches.map(|branch| LevelKey::of(snap, profile, branch, next));
        Self { levels: levels.collect() }
    }
}

impl LevelKey {
    fn of(snap: &Snapshot, profile: &Profile, branch: Branch, next: &Request) -> Self {
        let spec = &snap.queues().get(branch.queue()).spec;
        let keys = profile.queue_key(snap, branch, next).collect();
        Self { keys, uid: spec.uid.clone(), name: spec.name.clone() }
    }
}

/// Gangs that wait to be considered. Those whose queue does not exist stand in a line of their
/// own, which comes last: they only get their reason.
///
/// Below each parent, the branches in line stand in order; what is below one of them counts as its
/// first gang. So a gang that is served moves one key per level, not those of all queues.
#[derive(Clone, Debug, Default)]
pub struct Line {
    queues: BTreeMap<QueueId, Turns<Request>>,
    astray: BTreeSet<(GangKeyInLine, GangId)>,
    levels: BTreeMap<Option<QueueId>, Level>,
    /// Queues whose place may have changed.
    moved: BTreeSet<QueueId>,
}

/// Branches below one parent.
#[derive(Clone, Debug, Default)]
struct Level {
    order: BTreeSet<(LevelKey, Branch)>,
    keys: BTreeMap<Branch, LevelKey>,
}

impl Level {
    fn put(&mut self, branch: Branch, key: Option<LevelKey>) {
        if let Some(before) = self.keys.remove(&branch) {
            self.order.remove(&(before, branch));
        }
        if let Some(key) = key {
            self.keys.insert(branch, key.clone());
            self.order.insert((key, branch));
        }
    }
}

impl Line {
    /// Puts a gang of a user in line.
    pub fn push(
        &mut self,
        queue: Option<QueueId>,
        user: &str,
        (key, gang): (GangKeyInLine, GangId),
        wants: Request,
    ) {
        let Some(queue) = queue else {
            self.astray.insert((key, gang));
            return;
        };
        // It may be the next one now.
        self.moved.insert(queue);
        self.queues.entry(queue).or_default().insert(user, (key, gang), wants);
    }

    /// Where the first of all other queues in line stands.
    pub fn rival(
        &mut self,
        snap: &Snapshot,
        profile: &Profile,
        users: &Users,
        queue: Option<QueueId>,
    ) -> Option<QueueKeyInLine> {
        self.bring_up_to_date(snap, profile, users);
        let other = self.first_below(None, queue)?;
        Some(QueueKeyInLine::of(snap, profile, other, self.next_of(other, users)))
    }

    /// Takes the first gang of the queue that is served next.
    pub fn pop(
        &mut self,
        snap: &Snapshot,
        profile: &Profile,
        users: &Users,
    ) -> Option<(GangKeyInLine, GangId)> {
        let next = match self.queues.len() {
            0 => return self.astray.pop_first(),
            1 => self.queues.keys().next().copied(),
            _ => {
                self.bring_up_to_date(snap, profile, users);
                self.first_below(None, None)
            }
        }?;
        // It will use more, or stand in line no more.
        self.moved.insert(next);
        let gangs = self.queues.get_mut(&next)?;
        let first = gangs.pop_first(|user| users.part(Some(next), user));
        if gangs.is_empty() {
            self.queues.remove(&next);
        }
        first
    }

    /// What the first gang of a queue wants.
    fn next_of(&self, queue: QueueId, users: &Users) -> &Request {
        let part = |user: &str| users.part(Some(queue), user);
        let next = self.queues.get(&queue).and_then(|gangs| gangs.first(part));
        next.map_or(&NOTHING, |(_, _, wants)| wants)
    }

    /// The queue that is served first of those below a parent, but for one. Trees may be deeper
    /// than a stack.
    fn first_below(&self, parent: Option<QueueId>, but: Option<QueueId>) -> Option<QueueId> {
        let mut levels = vec![self.levels.get(&parent)?.order.iter()];
        loop {
            let Some((_, branch)) = levels.last_mut()?.next() else {
                levels.pop();
                continue;
            };
            let queue = branch.queue();
            let below = self.levels.get(&Some(queue)).filter(|_| *branch == Branch::Queue(queue));
            match below {
                Some(below) => levels.push(below.order.iter()),
                None if Some(queue) != but => return Some(queue),
                None => {}
            }
        }
    }

    /// The queue that is served first below another, of which the answer for one branch is known.
    fn first_of(&self, queue: QueueId, known: Option<(Branch, QueueId)>) -> Option<QueueId> {
        let (_, first) = self.levels.get(&Some(queue))?.order.first()?;
        match known {
            Some((branch, known)) if branch == *first => Some(known),
            _ => self.first_below(Some(queue), None),
        }
    }

    /// Works the keys anew on the way up from each queue that may have moved.
    fn bring_up_to_date(&mut self, snap: &Snapshot, profile: &Profile, users: &Users) {
        for queue in std::mem::take(&mut self.moved) {
            let branches = snap.queues().branches(queue);
            // The branch that was just put in place, and the first queue below it.
            let mut last: Option<(Branch, QueueId)> = None;
            for (depth, branch) in branches.iter().enumerate().rev() {
                let parent = depth.checked_sub(1).map(|above| branches[above].queue());
                let is_last = depth + 1 == branches.len();
                let first = match is_last {
                    true => Some(queue).filter(|it| self.queues.contains_key(it)),
                    false => self.first_of(branch.queue(), last),
                };
                let key = first
                    .map(|first| LevelKey::of(snap, profile, *branch, self.next_of(first, users)));
                let level = self.levels.entry(parent).or_default();
                level.put(*branch, key);
                last = first.map(|first| (*branch, first));
                if level.order.is_empty() {
                    self.levels.remove(&parent);
                }
            }
        }
    }
}

/// What a gang wants that wants nothing.
static NOTHING: Request = Request::new();
