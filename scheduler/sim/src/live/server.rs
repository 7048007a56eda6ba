//! A virtual API server: objects, the calls that muster makes on them, and a log of changes.
//!
//! It answers as `kube-apiserver` does: a bind is a compare-and-set on an empty `nodeName`,
//! with the uid as precondition; it does not look at the node. A deletion of a bound pod marks
//! it, its kubelet ends it. Faults are no part of it: `wire.rs` loses and delays.
//!
//! Invariant: every change stands in the log once, in order; whoever watches reads from there.

use super::store::Store;
use scheduler_model::event::{Event, Kind};
use scheduler_model::spec::{Dialect, GangKey, GangSpec, Ledger, NodeSpec, PodSpec};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::{Body, PodFacts, Reply};
use scheduler_protocol::call::{Call, LeaseRecord, PodCondition, PodRef};
use scheduler_protocol::evict::{PREEMPTED, plan_of};
use scheduler_protocol::status::{EventNote, GroupStatus};
use scheduler_protocol::tell::digest;
use std::collections::BTreeMap;

/// Whoever makes a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Which replica.
    pub replica: usize,
    /// In which of its lives.
    pub life: u64,
    /// It was put on the wire after the right to write had ended: the process was held between
    /// its last look and the socket.
    pub is_late: bool,
}

/// A write that the checkers want to know of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// When the server took it.
    pub at: Time,
    /// Who sent it.
    pub by: Caller,
    /// Uid of the object that it changed.
    pub uid: String,
    /// What.
    pub what: Done,
}

impl Write {
    /// True if it bound a pod.
    #[must_use]
    pub const fn is_bind(&self) -> bool {
        matches!(self.what, Done::Bound(..))
    }
}

/// What a write did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// This pod was bound to this node.
    Bound(PodRef, String),
    /// This pod was marked as disrupted.
    Marked(PodRef),
    /// This pod was deleted.
    Deleted(PodRef),
    /// A group was given this status.
    Group(GangKey, Box<GroupStatus>),
    /// A pod's status, ledger or the like.
    Pod(PodRef),
    /// An event.
    Event(EventNote),
    /// The lease was written.
    Lease(LeaseRecord),
}

/// The virtual API server.
#[derive(Clone, Debug, Default)]
pub struct ApiServer {
    /// Nodes by name.
    pub nodes: BTreeMap<String, NodeSpec>,
    /// Pods by namespace and name.
    pub pods: BTreeMap<(String, String), PodSpec>,
    /// Group objects.
    pub gangs: BTreeMap<GangKey, GangSpec>,
    /// Everything else that was told at the start.
    pub rest: Vec<Event>,
    /// The lease.
    pub lease: Option<LeaseRecord>,
    /// All changes, in order, with when they happened.
    pub log: Vec<(Time, Event)>,
    /// Where in the log the changes of each kind stand.
    pub by_kind: BTreeMap<Kind, Vec<usize>>,
    /// The name of each pod, by uid.
    names: BTreeMap<String, (String, String)>,
    /// All writes that muster made.
    pub writes: Vec<Write>,
    versions: u64,
    /// Claims and volumes.
    pub store: Store,
}

impl ApiServer {
    /// Puts an object there, or takes it away, and tells whoever watches.
    pub fn change(&mut self, event: Event, now: Time) {
        match &event {
            Event::Node(node) => {
                self.nodes.insert(node.name.clone(), (**node).clone());
            }
            Event::NodeGone(name) => {
                self.nodes.remove(name);
            }
            Event::Pod(pod) => {
                let name = (pod.namespace.clone(), pod.name.clone());
                self.names.insert(pod.uid.clone(), name.clone());
                self.pods.insert(name, (**pod).clone());
            }
            Event::PodGone(uid) => {
                if let Some(name) = self.names.remove(uid) {
                    self.pods.remove(&name);
                }
            }
            Event::Gang(gang) => {
                self.gangs.insert(gang.key.clone(), (**gang).clone());
            }
            Event::GangGone(key) => {
                self.gangs.remove(key);
            }
            Event::Claim(_) | Event::Volume(_) | Event::VolumeGone(_) => self.store.change(&event),
            other => self.rest.push(other.clone()),
        }
        if let Some(kind) = kind_of(&event) {
            self.by_kind.entry(kind).or_default().push(self.log.len());
        }
        self.log.push((now, event));
    }

    /// The change of `kind` that comes after `told` others.
    #[must_use]
    pub fn change_of(&self, kind: Kind, told: usize) -> Option<&(Time, Event)> {
        self.log.get(*self.by_kind.get(&kind)?.get(told)?)
    }

    /// Changes of `kind` so far.
    #[must_use]
    pub fn changes_of(&self, kind: Kind) -> usize {
        self.by_kind.get(&kind).map_or(0, Vec::len)
    }

    /// The pod of this uid.
    #[must_use]
    pub fn pod(&self, uid: &str) -> Option<&PodSpec> {
        self.pods.get(self.names.get(uid)?)
    }

    /// What a fresh list of one kind says.
    #[must_use]
    pub fn list(&self, kind: Kind) -> Vec<Event> {
        let boxed = |pod: &PodSpec| Event::Pod(Box::new(pod.clone()));
        match kind {
            Kind::Node => {
                self.nodes.values().map(|node| Event::Node(Box::new(node.clone()))).collect()
            }
            Kind::Pod => self.pods.values().map(boxed).collect(),
            Kind::Claim => {
                self.store.claims.values().cloned().map(Box::new).map(Event::Claim).collect()
            }
            Kind::Volume => self.store.free().cloned().map(Box::new).map(Event::Volume).collect(),
            Kind::Gang => {
                self.gangs.values().map(|gang| Event::Gang(Box::new(gang.clone()))).collect()
            }
            _ => self.rest.iter().filter(|event| kind_of(event) == Some(kind)).cloned().collect(),
        }
    }

    /// Carries a call out and answers it.
    pub fn call(&mut self, by: Caller, call: &Call, now: Time) -> Reply {
        match call {
            Call::Bind { pod, node, .. } => self.bind(by, pod, node, now),
            Call::ReadPod(pod) => self.read(pod),
            Call::DeletePod(pod) => self.delete(by, pod, now),
            Call::PodStatus { pod, condition, nominated } => {
                self.pod_status(by, pod, (condition.as_ref(), nominated.as_deref()), now)
            }
            Call::PodLedger { pod, ledger } => self.pod_ledger(by, pod, ledger, now),
            Call::GroupStatus { group, status } => {
                let is_object = !matches!(group.key.dialect, Dialect::Plain | Dialect::Pod);
                let found = self.gangs.get(&group.key).filter(|_| is_object);
                let Some(gang) = found.filter(|it| it.uid == group.uid) else {
                    return Reply::code(404);
                };
                let (ledger, digest) = (status.ledger.clone(), digest(group.key.dialect, status));
                let gang = GangSpec { ledger, digest, ..gang.clone() };
                self.change(Event::Gang(Box::new(gang)), now);
                self.wrote(by, &group.uid, Done::Group(group.key.clone(), status.clone()), now);
                Reply::code(200)
            }
            Call::QueueStatus { queue, .. } => {
                let is_it = |it: &Event| matches!(it, Event::Queue(it) if it.uid == queue.uid);
                Reply::code(if self.rest.iter().any(is_it) { 200 } else { 404 })
            }
            Call::Event(note) => {
                self.wrote(by, "", Done::Event(note.clone()), now);
                Reply::code(201)
            }
            Call::ReadLease(_) => match &self.lease {
                Some(record) => Reply { body: Body::Lease(record.clone()), ..Reply::code(200) },
                None => Reply::code(404),
            },
            Call::CreateLease(_, record) if self.lease.is_none() => self.lease(by, record, now),
            Call::ReplaceLease(_, record) => match &self.lease {
                None => Reply::code(404),
                Some(old) if old.version == record.version => self.lease(by, record, now),
                Some(_) => Reply::code(409),
            },
            Call::CreateLease(..) => Reply::code(409),
            Call::SelectNode { .. } | Call::DeselectNode { .. } | Call::TakeVolume { .. } => {
                let (reply, event) = self.store.call(call);
                event.into_iter().for_each(|event| self.change(event, now));
                reply
            }
        }
    }

    fn wrote(&mut self, by: Caller, uid: &str, what: Done, now: Time) {
        self.writes.push(Write { at: now, by, uid: uid.to_owned(), what });
    }

    fn lease(&mut self, by: Caller, record: &LeaseRecord, now: Time) -> Reply {
        self.versions += 1;
        let record = LeaseRecord { version: self.versions.to_string(), ..record.clone() };
        self.lease = Some(record.clone());
        self.wrote(by, "", Done::Lease(record.clone()), now);
        Reply { body: Body::Lease(record), ..Reply::code(200) }
    }

    /// The pod that is meant, or the answer that says why there is none.
    fn meant(&self, pod: &PodRef) -> Result<PodSpec, Box<Reply>> {
        let name = (pod.namespace.clone(), pod.name.clone());
        match self.pods.get(&name) {
            None => Err(Box::new(Reply { reason: "NotFound".to_owned(), ..Reply::code(404) })),
            // Without a uid there is no precondition.
            Some(found) if !pod.uid.is_empty() && found.uid != pod.uid => {
                Err(Box::new(conflict("the uid is another one")))
            }
            Some(found) => Ok(found.clone()),
        }
    }

    fn bind(&mut self, by: Caller, pod: &PodRef, node: &str, now: Time) -> Reply {
        let mut found = match self.meant(pod) {
            Ok(found) => found,
            Err(reply) => return *reply,
        };
        if let Some(node) = &found.node {
            return conflict(&format!("pod {} is already assigned to node \"{node}\"", pod.name));
        }
        if found.terminating {
            return conflict(&format!("pod {} is being deleted", pod.name));
        }
        if !found.gates.is_empty() {
            return conflict(&format!("pod {} has scheduling gates", pod.name));
        }
        found.node = Some(node.to_owned());
        found.scheduled_at = Some(now);
        let uid = found.uid.clone();
        self.change(Event::Pod(Box::new(found)), now);
        self.wrote(by, &uid, Done::Bound(pod.clone(), node.to_owned()), now);
        Reply::code(201)
    }

    fn read(&self, pod: &PodRef) -> Reply {
        let name = (pod.namespace.clone(), pod.name.clone());
        match self.pods.get(&name) {
            None => Reply::code(404),
            Some(found) => {
                let facts = PodFacts {
                    uid: found.uid.clone(),
                    node: found.node.clone().unwrap_or_default(),
                    is_terminating: found.terminating,
                    is_finished: found.phase.is_finished(),
                    is_gated: !found.gates.is_empty(),
                };
                Reply { body: Body::Pod(facts), ..Reply::code(200) }
            }
        }
    }

    fn delete(&mut self, by: Caller, pod: &PodRef, now: Time) -> Reply {
        let mut found = match self.meant(pod) {
            Ok(found) => found,
            Err(reply) => return *reply,
        };
        let uid = found.uid.clone();
        if found.node.is_none() || found.phase.is_finished() {
            self.change(Event::PodGone(found.uid.clone()), now);
        } else if !found.terminating {
            found.terminating = true;
            found.gone_by = Some(now.after(Span::from_secs(30)));
            self.change(Event::Pod(Box::new(found)), now);
        }
        self.wrote(by, &uid, Done::Deleted(pod.clone()), now);
        Reply::code(200)
    }

    fn pod_status(
        &mut self,
        by: Caller,
        pod: &PodRef,
        (condition, nominated): (Option<&PodCondition>, Option<&str>),
        now: Time,
    ) -> Reply {
        let mut found = match self.meant(pod) {
            Ok(found) => found,
            Err(reply) => return *reply,
        };
        let is_about_marks = condition.is_some_and(|it| it.kind == "DisruptionTarget");
        let is_mark = is_about_marks && condition.is_some_and(|it| it.is_true);
        if let Some(node) = nominated {
            let mut told = found.told.map(|it| *it).unwrap_or_default();
            node.clone_into(&mut told.nominated);
            found.told = Some(Box::new(told));
        }
        if is_about_marks {
            found.evicted = is_mark;
            let ours = condition.filter(|it| it.is_true && it.reason == PREEMPTED);
            found.evicted_for = ours.and_then(|it| plan_of(&it.message));
        } else if let Some(condition) = condition {
            let mut told = found.told.map(|it| *it).unwrap_or_default();
            told.reason.clone_from(&condition.reason);
            found.told = Some(Box::new(told));
        }
        let uid = found.uid.clone();
        self.change(Event::Pod(Box::new(found)), now);
        let what = if is_mark { Done::Marked(pod.clone()) } else { Done::Pod(pod.clone()) };
        self.wrote(by, &uid, what, now);
        Reply::code(200)
    }

    fn pod_ledger(&mut self, by: Caller, pod: &PodRef, ledger: &Ledger, now: Time) -> Reply {
        match self.meant(pod) {
            Ok(mut found) => {
                found.ledger = (!ledger.is_empty()).then(|| Box::new(ledger.clone()));
                let uid = found.uid.clone();
                self.change(Event::Pod(Box::new(found)), now);
                self.wrote(by, &uid, Done::Pod(pod.clone()), now);
                Reply::code(200)
            }
            Err(reply) => *reply,
        }
    }
}

fn conflict(message: &str) -> Reply {
    let (reason, message) = ("Conflict".to_owned(), message.to_owned());
    Reply { reason, message, ..Reply::code(409) }
}

/// The kind that an event is about.
fn kind_of(event: &Event) -> Option<Kind> {
    match event {
        Event::Node(_) | Event::NodeGone(_) => Some(Kind::Node),
        Event::Pod(_) | Event::PodGone(_) => Some(Kind::Pod),
        Event::Gang(_) | Event::GangGone(_) => Some(Kind::Gang),
        Event::Queue(_) => Some(Kind::Queue),
        Event::Topology(_) => Some(Kind::Topology),
        Event::PriorityClass(_) => Some(Kind::PriorityClass),
        Event::Namespace(_) => Some(Kind::Namespace),
        Event::Daemon(_) => Some(Kind::Daemon),
        Event::Claim(_) | Event::ClaimGone(_) => Some(Kind::Claim),
        Event::Volume(_) | Event::VolumeGone(_) => Some(Kind::Volume),
        Event::Pool(_) | Event::PoolGone(_) => Some(Kind::Pool),
        Event::Budget(_) => Some(Kind::Budget),
        _ => None,
    }
}
