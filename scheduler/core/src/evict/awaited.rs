//! What evicted gangs want while their pods are being made anew.
//!
//! Between the end of an evicted pod and the coming of the one that takes its part, its gang
//! wants nothing that could be seen, and a gang without a group object is not there at all. If
//! its queue's share fell for that moment, others would move in, and the gang would have to take
//! the room back from them: so what went is wanted on, for [`COMES_BACK_WITHIN`].

use super::plan::Plans;
use crate::engine::Engine;
use crate::shares::demand::Demand;
use scheduler_model::ids::{GangId, PodId, QueueId};
use scheduler_model::queue::Measure;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::GangKey;
use scheduler_model::time::{Span, Time};
use std::collections::BTreeMap;

/// How long a pod that was evicted is wanted on.
const COMES_BACK_WITHIN: Span = Span::from_secs(60);

/// What one pod had.
type Units = Vec<(Measure, i128)>;

/// Evicted pods on their way out, and those that are gone and not made anew.
#[derive(Clone, Debug, Default)]
pub(super) struct Awaited {
    /// By uid.
    going: BTreeMap<String, (GangKey, QueueId, Units)>,
    gone: BTreeMap<GangKey, Gone>,
    /// The queues that this was worked out with.
    epoch: u64,
}

/// Pods of one gang that are not made anew yet.
#[derive(Clone, Debug)]
struct Gone {
    queue: QueueId,
    pods: Vec<Units>,
    until: Time,
}

impl Awaited {
    /// A pod is asked to go. Where no controller makes it anew nobody waits for it.
    pub(super) fn goes(&mut self, snap: &Snapshot, pod: PodId) {
        let row = snap.pods().get(pod);
        if !row.spec.has_controller {
            return;
        }
        let Some(gang) = row.gang.map(|gang| snap.gangs().get(gang)) else { return };
        let (Some(queue), Some(class), Some(node)) = (gang.queue, row.class, row.place.node())
        else {
            return;
        };
        let flavours = [None, Some(snap.nodes().flavour(node))];
        let request = &snap.classes().get(class).request;
        let units = request.iter().flat_map(|(resource, amount)| {
            let of = |flavour| (Measure { flavour, resource: *resource }, amount.units().into());
            flavours.map(of)
        });
        let units = units.filter(|(_, units)| *units > 0).collect();
        self.going.insert(row.spec.uid.clone(), (gang.key.clone(), queue, units));
    }

    /// It stays after all.
    pub(super) fn stays(&mut self, uid: &str) {
        self.going.remove(uid);
    }

    /// It is gone.
    fn left(&mut self, uid: &str, demand: &mut Demand, now: Time) {
        let Some((key, queue, units)) = self.going.remove(uid) else { return };
        let empty = Gone { queue, pods: Vec::new(), until: now };
        let gone = self.gone.entry(key.clone()).or_insert(empty);
        gone.pods.push(units);
        gone.until = now.after(COMES_BACK_WITHIN);
        gone.tell(key, demand);
    }

    /// A new member of a gang is there.
    fn arrived(&mut self, key: &GangKey, demand: &mut Demand) {
        let Some(gone) = self.gone.get_mut(key) else { return };
        gone.pods.pop();
        gone.tell(key.clone(), demand);
        self.gone.retain(|_, gone| !gone.pods.is_empty());
    }

    /// Ends what was awaited for long enough, or in queues that are others now.
    pub(super) fn end(&mut self, snap: &Snapshot, demand: &mut Demand, now: Time) {
        self.going.retain(|uid, _| snap.pods().find(uid).is_some());
        let epoch = snap.queues().epoch();
        let has_moved = std::mem::replace(&mut self.epoch, epoch) != epoch;
        if has_moved {
            self.going.clear();
        }
        let is_over = |_: &GangKey, gone: &mut Gone| has_moved || gone.until <= now;
        for (key, _) in self.gone.extract_if(.., is_over) {
            demand.returned(key);
        }
    }

    /// When that ends next.
    pub(super) fn next(&self) -> Option<Time> {
        self.gone.values().map(|gone| gone.until).min()
    }
}

impl Gone {
    fn tell(&self, key: GangKey, demand: &mut Demand) {
        let mut sum: BTreeMap<Measure, i128> = BTreeMap::new();
        for (measure, units) in self.pods.iter().flatten() {
            *sum.entry(*measure).or_insert(0) += units;
        }
        demand.awaits(key, self.queue, sum);
    }
}

impl Plans {
    /// What is awaited, anew.
    pub(crate) fn tell_awaited(&self, demand: &mut Demand) {
        self.awaited.gone.iter().for_each(|(key, gone)| gone.tell(key.clone(), demand));
    }
}

impl Engine {
    /// A pod left without having succeeded.
    pub(crate) fn await_return(&mut self, uid: &str, now: Time) {
        self.plans.awaited.left(uid, &mut self.shares.demand, now);
    }

    /// A gang has a new member.
    pub(crate) fn end_return(&mut self, gang: GangId) {
        let key = &self.snapshot.gangs().get(gang).key;
        self.plans.awaited.arrived(key, &mut self.shares.demand);
    }
}
