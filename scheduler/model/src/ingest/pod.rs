//! Pods into rows: class, gang and place of each, kept right through every change.

use crate::gang::{Gang, Ghost, Origin};
use crate::ids::{GangId, NodeId, PodId};
use crate::node::PODS_MAX;
use crate::op::Op;
use crate::pod::{Place, Pod};
use crate::problem::Problem;
use crate::relation::Sign;
use crate::snapshot::Snapshot;
use crate::spec::{Dialect, GangKey, Membership, PodPhase, PodSpec};
use crate::time::Time;
use std::collections::{BTreeMap, BTreeSet};

impl Snapshot {
    pub(crate) fn upsert_pod(&mut self, spec: Box<PodSpec>, now: Time) {
        let Some(id) = self.pods.find(&spec.uid) else {
            let ready_at = spec.created_at;
            self.insert_pod(spec, ready_at);
            return;
        };
        let row = self.pods.get(id);
        if *row.spec == *spec {
            return;
        }
        let was_gated = !row.spec.gates.is_empty();
        let ready_at = if was_gated && spec.gates.is_empty() {
            now.max(spec.created_at)
        } else {
            row.ready_at
        };
        let is_ended = spec.phase.is_finished();
        let seen_ended_at = row.seen_ended_at.or(is_ended.then_some(now));
        let before = (row.place, self.drifts_to(id));
        // The new row comes before the old one goes, so that a class or gang which both share
        // is not taken apart and put together again.
        let old = self.detach_pod(id);
        self.attach_pod(id, spec, before, ready_at);
        self.keep_evicting(id, &old);
        self.pods.rows[id].seen_ended_at = seen_ended_at.filter(|_| is_ended);
        self.release_pod(old);
    }

    /// A pod that was asked to go stays on its way out, whatever else is told of it meanwhile.
    pub(crate) fn keep_evicting(&mut self, id: PodId, old: &Pod) {
        let row = self.pods.get(id);
        if old.is_evicted && !row.spec.terminating && self.charge_of(id).is_some() {
            self.apply(Op::Evict(id));
        }
    }

    pub(crate) fn remove_pod(&mut self, uid: &str, now: Time) {
        let Some(id) = self.pods.find(uid) else { return };
        self.leave_trace(id, now);
        let old = self.detach_pod(id);
        self.volumes.served.remove(&id);
        self.pods.rows.remove(id);
        self.pods.by_uid.remove(uid);
        self.release_pod(old);
    }

    /// Keeps what a gang must remember about a member whose object goes.
    fn leave_trace(&mut self, id: PodId, now: Time) {
        let Pod { spec, gang: Some(gang), .. } = self.pods.get(id) else { return };
        let row = self.gangs.get(*gang);
        let finished_at = self.pods.get(id).ended_at();
        if spec.phase == PodPhase::Succeeded && !spec.evicted {
            let (created_at, role) = (spec.created_at, spec.role.clone());
            let ghost = Ghost { created_at, finished_at, role, count: 1 };
            let gang = *gang;
            self.gangs.rows[gang].ghosts.push(ghost);
            self.drop_old_ghosts(gang);
            return;
        }
        let until = if spec.phase.is_finished() { finished_at } else { now };
        let bridge = row.bridge_over(&self.pods, (spec.created_at, until));
        self.gangs.rows[*gang].bridge = bridge;
    }

    /// Forgets ghosts of earlier runs, each time their number has doubled.
    fn drop_old_ghosts(&mut self, gang: GangId) {
        let row = self.gangs.get(gang);
        let count = row.ghosts.len();
        if count < 64 || !count.is_power_of_two() {
            return;
        }
        let start = row.run_start(&self.pods);
        self.gangs.rows[gang].ghosts.retain(|ghost| Some(ghost.created_at) >= start);
    }

    /// Takes the decision about an assumed pod back: it waits again.
    pub fn forget(&mut self, pod: PodId) {
        if self.pods.get(pod).is_assumed() {
            self.unplace(pod);
            self.volumes.served.remove(&pod);
        }
    }

    fn insert_pod(&mut self, spec: Box<PodSpec>, ready_at: Time) {
        let uid = spec.uid.clone();
        let row = Pod {
            spec: spec.clone(),
            class: None,
            gang: None,
            place: Place::Nowhere,
            is_evicted: false,
            has_left: false,
            refused: None,
            seen_ended_at: None,
            ready_at,
        };
        let id = self.pods.rows.insert(row);
        self.pods.by_uid.insert(uid, id);
        self.attach_pod(id, spec, (Place::Nowhere, None), ready_at);
    }

    /// Takes a pod's room and links away; answers the row as it was. References to class and
    /// gang are still held.
    fn detach_pod(&mut self, id: PodId) -> Pod {
        let row = self.pods.get(id).clone();
        self.unplace(id);
        self.leave_claims(id, &row.spec);
        if let Some(gang) = row.gang {
            self.leave_gang(id, gang, &row.spec);
        }
        let foreign = foreign_group(&row.spec).and_then(|key| self.gangs.find(key));
        if let Some(gang) = foreign {
            self.gangs.rows[gang].strangers.remove(&id);
        }
        let live = &mut self.pods.rows[id];
        (live.class, live.gang, live.is_evicted) = (None, None, false);
        row
    }

    /// Gives back the references that a detached row still held.
    fn release_pod(&mut self, row: Pod) {
        if let Some(class) = row.class {
            self.drop_class(class);
        }
        let foreign = foreign_group(&row.spec).and_then(|key| self.gangs.find(key));
        for gang in row.gang.into_iter().chain(foreign) {
            self.drop_gang_if_unused(gang);
        }
    }

    fn attach_pod(
        &mut self,
        id: PodId,
        spec: Box<PodSpec>,
        before: (Place, Option<String>),
        ready_at: Time,
    ) {
        if !spec.phase.is_finished() {
            self.use_claims(id, &spec);
        }
        // The queue of its gang has a say in where it may go.
        let gang = spec.ours.then(|| self.join_gang(id, &spec));
        let class = (!spec.phase.is_finished()).then(|| self.hold_class(&spec, gang));
        if let Some(key) = foreign_group(&spec) {
            let gang = self.hold_gang(key.clone(), Origin::Group);
            self.gangs.rows[gang].strangers.insert(id);
        }
        let node = spec.node.clone();
        let is_finished = spec.phase.is_finished();
        let is_terminating = spec.terminating;
        let row = &mut self.pods.rows[id];
        (row.spec, row.class, row.gang, row.ready_at) = (spec, class, gang, ready_at);
        if let Some(gang) = gang.filter(|_| self.queues.has_users()) {
            // Only now it shows whose it is.
            self.requeue(gang);
        }
        if is_finished {
            self.volumes.served.remove(&id);
            return;
        }
        match (node, before) {
            (Some(node), _) => self.place_bound(id, &node),
            // The watch may be behind our own bind; a pod that goes needs no place any more.
            (None, (Place::Assumed(node), _)) if !is_terminating => {
                self.place(id, Place::Assumed(node));
            }
            (None, (_, Some(name))) if !is_terminating => self.set_adrift(id, &name),
            (None, _) => {}
        }
    }

    pub(crate) fn place_bound(&mut self, id: PodId, name: &str) {
        match self.nodes.find(name).filter(|node| !self.is_crowded(*node)) {
            Some(node) => self.place(id, Place::Bound(node)),
            None => self.set_adrift(id, name),
        }
    }

    /// Notes that a pod is, or is about to be, on a node that is not in the table.
    pub(crate) fn set_adrift(&mut self, id: PodId, name: &str) {
        self.pods.rows[id].place = Place::Adrift;
        self.pods.adrift.entry(name.to_owned()).or_default().insert(id);
    }

    /// The node on which an assumed pod was to be, if that node is not in the table any more.
    #[must_use]
    pub fn drifts_to(&self, id: PodId) -> Option<String> {
        let pod = self.pods.get(id);
        if pod.place != Place::Adrift || pod.spec.node.is_some() {
            return None;
        }
        let nodes = self.pods.adrift.iter();
        nodes.filter(|(_, pods)| pods.contains(&id)).map(|(name, _)| name.clone()).next()
    }

    /// True if no further pod can be counted on the node without leaving the columns' range.
    fn is_crowded(&mut self, node: NodeId) -> bool {
        let is_crowded = self.pods.on_node.get(&node).is_some_and(|pods| pods.len() >= PODS_MAX);
        if is_crowded {
            let name = &self.nodes.spec(node).name;
            let problem = Problem::new(
                format!("Node {name}"),
                "pods",
                format!("more than {PODS_MAX} pods are bound to it; the others are not counted"),
                "bind fewer pods to one node",
            );
            self.problems.insert(format!("crowd:{name}"), problem);
        }
        is_crowded
    }

    pub(crate) fn place(&mut self, id: PodId, place: Place) {
        let node = place.node().expect("a place on a node");
        self.pods.rows[id].place = place;
        self.pods.on_node.entry(node).or_default().insert(id);
        let charge = self.charge_of(id).expect("an unfinished pod on a node holds room");
        if charge.is_releasing {
            self.pods.releasing.insert(id);
        }
        self.charge(charge, Sign::Plus);
        self.give_served(id, Sign::Plus);
    }

    pub(crate) fn unplace(&mut self, id: PodId) {
        self.pods.releasing.remove(&id);
        self.give_served(id, Sign::Minus);
        if let Some(charge) = self.charge_of(id) {
            self.charge(charge, Sign::Minus);
        }
        let name = self.drifts_to(id);
        let row = &mut self.pods.rows[id];
        let place = std::mem::replace(&mut row.place, Place::Nowhere);
        let name = name.or_else(|| row.spec.node.clone()).unwrap_or_default();
        match place {
            Place::Assumed(node) | Place::Bound(node) => {
                drop_from(&mut self.pods.on_node, &node, id);
            }
            Place::Adrift => drop_from(&mut self.pods.adrift, &name, id),
            Place::Nowhere => {}
        }
    }
}

/// Gangs, as far as their members make them.
impl Snapshot {
    fn join_gang(&mut self, pod: PodId, spec: &PodSpec) -> GangId {
        let (key, origin) = match &spec.membership {
            Membership::Group(key) => (key.clone(), Origin::Group),
            Membership::Owner(key) => (key.clone(), Origin::Owner),
            Membership::Alone => (alone(spec), Origin::Alone),
        };
        let gang = self.hold_gang(key, origin);
        let row = &mut self.gangs.rows[gang];
        row.members.insert(pod);
        let uid = |pod: &PodId| &self.pods.get(*pod).spec.uid;
        if row.first.is_none_or(|first| *uid(&first) > spec.uid) {
            row.first = Some(pod);
        }
        if let Some(queue) = &spec.queue {
            row.queue_wishes.insert(spec.uid.clone(), queue.clone());
        }
        self.requeue(gang);
        gang
    }

    fn leave_gang(&mut self, pod: PodId, gang: GangId, spec: &PodSpec) {
        let row = &mut self.gangs.rows[gang];
        row.members.remove(&pod);
        row.queue_wishes.remove(&spec.uid);
        if row.first == Some(pod) {
            let uid = |pod: &&PodId| &self.pods.get(**pod).spec.uid;
            row.first = row.members.iter().min_by_key(uid).copied();
        }
        self.requeue(gang);
    }

    /// The gang called `key`, made if it is new.
    pub(crate) fn hold_gang(&mut self, key: GangKey, origin: Origin) -> GangId {
        if let Some(id) = self.gangs.by_key.get(&key) {
            return *id;
        }
        let id = self.gangs.rows.insert(Gang {
            key: key.clone(),
            origin,
            spec: None,
            exists: false,
            members: BTreeSet::new(),
            ghosts: Vec::new(),
            bridge: None,
            queue: None,
            queue_name: String::new(),
            strangers: BTreeSet::new(),
            accounts: Vec::new(),
            holding: 0,
            is_promised: false,
            first: None,
            is_finished: false,
            queue_wishes: BTreeMap::new(),
        });
        self.gangs.by_key.insert(key, id);
        self.requeue(id);
        id
    }

    pub(crate) fn drop_gang_if_unused(&mut self, gang: GangId) {
        let Some(row) = self.gangs.rows.get(gang) else { return };
        if row.members.is_empty() && row.strangers.is_empty() && !row.exists {
            self.end_promise(gang);
            let row = self.gangs.rows.remove(gang);
            self.gangs.by_key.remove(&row.key);
            self.gangs.departed.push((gang, row.key));
        }
    }
}

/// The group that an unfinished pod of another scheduler names.
fn foreign_group(spec: &PodSpec) -> Option<&GangKey> {
    match &spec.membership {
        Membership::Group(key) if !spec.ours && !spec.phase.is_finished() => Some(key),
        Membership::Group(_) | Membership::Owner(_) | Membership::Alone => None,
    }
}

/// The gang of a pod that belongs to nobody.
fn alone(spec: &PodSpec) -> GangKey {
    GangKey { namespace: spec.namespace.clone(), name: spec.name.clone(), dialect: Dialect::Pod }
}

fn drop_from<K: Ord + Clone>(map: &mut BTreeMap<K, BTreeSet<PodId>>, key: &K, pod: PodId) {
    if let Some(pods) = map.get_mut(key) {
        pods.remove(&pod);
        if pods.is_empty() {
            map.remove(key);
        }
    }
}
