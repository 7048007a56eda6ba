//! Who is served next: queues by their key as things stand, gangs of a queue by theirs.

use scheduler_framework::profile::Profile;
use scheduler_framework::{GangOffer, OrderKey};
use scheduler_model::ids::{GangId, QueueId};
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

/// Place of a queue among all; total, because uid and name end every tie.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueueKeyInLine {
    keys: Vec<OrderKey>,
    uid: String,
    name: String,
}

impl QueueKeyInLine {
    /// Works the key of one queue out, as things stand now.
    #[must_use]
    pub fn of(snap: &Snapshot, profile: &Profile, queue: QueueId) -> Self {
        let spec = &snap.queues().get(queue).spec;
        Self {
            keys: profile.queue_key(snap, queue).collect(),
            uid: spec.uid.clone(),
            name: spec.name.clone(),
        }
    }
}

/// Gangs that wait to be considered. Those whose queue does not exist stand in a line of their
/// own, which comes last: they only get their reason.
#[derive(Clone, Debug, Default)]
pub struct Line {
    queues: BTreeMap<Option<QueueId>, BTreeSet<(GangKeyInLine, GangId)>>,
}

impl Line {
    /// Puts a gang in line.
    pub fn push(&mut self, queue: Option<QueueId>, key: GangKeyInLine, gang: GangId) {
        self.queues.entry(queue).or_default().insert((key, gang));
    }

    /// Where the first of all other queues in line stands.
    #[must_use]
    pub fn rival(
        &self,
        snap: &Snapshot,
        profile: &Profile,
        queue: Option<QueueId>,
    ) -> Option<QueueKeyInLine> {
        let others = self.queues.keys().filter(|other| **other != queue);
        others.filter_map(|other| Some(QueueKeyInLine::of(snap, profile, (*other)?))).min()
    }

    /// Takes the first gang of the queue that is served next.
    pub fn pop(&mut self, snap: &Snapshot, profile: &Profile) -> Option<(GangKeyInLine, GangId)> {
        let next = match self.queues.len() {
            0 => return None,
            1 => self.queues.keys().next().copied(),
            _ => self.queues.keys().copied().min_by_key(|queue| {
                let key = queue.map(|queue| QueueKeyInLine::of(snap, profile, queue));
                (key.is_none(), key)
            }),
        }?;
        let gangs = self.queues.get_mut(&next)?;
        let first = gangs.pop_first();
        if gangs.is_empty() {
            self.queues.remove(&next);
        }
        first
    }
}
