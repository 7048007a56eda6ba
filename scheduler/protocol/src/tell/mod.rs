//! What people are told, and how seldom: status of groups, conditions and ledgers of pods,
//! events.
//!
//! The driver gives the facts of a gang whenever they changed ([`Teller::gang`]) and when it is
//! asked to look again ([`Teller::looks`]); what is to stand in each object follows from them
//! alone. In reading order: [`class`] (what pods say), `slate` (one thing written again and
//! again), `desk` (events), `gang` and `pod` (what follows from facts).
//!
//! Invariants: the last word wins, and what stands already is not written; a whole gang that
//! has its places within [`TellConfig::quiet_for`] gets no word of waiting at all; a pod is written
//! once per class of reasons; a phase never goes back before the queue took the gang.

mod bucket;
pub mod class;
mod desk;
mod echo;
mod gang;
mod pod;
mod queue;
mod slate;
mod tally;

pub use bucket::Rate;
pub use desk::{EventRates, NOTE_BYTES_MAX};
pub use queue::QueueTeller;
pub use tally::queue_digest;

use crate::answer::Answer;
use crate::call::{Call, CallId};
use crate::facts::GangFacts;
use crate::lanes::{Lane, Lanes};
use crate::meaning::{CallKind, Meaning, meaning};
use crate::retry::{Policy, seed_of};
use crate::status::{EventNote, GroupStatus};
use desk::Desk;
use gang::Gang;
use pod::Pod;
use scheduler_model::spec::{Dialect, GangKey, Ledger};
use scheduler_model::time::{Span, Time};
use slate::{Landing, Slate};
use std::collections::{BTreeMap, BTreeSet};

/// How soon and how often people are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TellConfig {
    /// A reason to wait is told once it stood this long.
    pub quiet_for: Span,
    /// Lack of members is told once no member came for this long.
    pub members_quiet_for: Span,
    /// Least time between two writes of a group where only counts changed.
    pub counts_every: Span,
    /// Least time between two writes of a group where only numbers of the explanation changed.
    pub numbers_every: Span,
    /// Least time between two writes of one pod's condition.
    pub pod_every: Span,
    /// What must survive a restart is written on pods once the gang lives this long.
    pub ledger_after: Span,
    /// Least time between two writes of one pod's ledger.
    pub ledger_every: Span,
    /// A pod that was given a node and is not bound after this long has the node nominated.
    pub nominate_after: Span,
    /// How many events there may be.
    pub events: EventRates,
    /// Whether each pod gets its own event when it has a node.
    pub pod_events: PodEvents,
}

/// Whether pods of a gang get events of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PodEvents {
    /// The group's event says it all.
    #[default]
    Off,
    /// One `Scheduled` event per pod.
    On,
}

impl Default for TellConfig {
    fn default() -> Self {
        Self {
            quiet_for: Span::from_secs(1),
            members_quiet_for: Span::from_secs(10),
            counts_every: Span::from_secs(10),
            numbers_every: Span::from_secs(30),
            pod_every: Span::from_secs(10),
            ledger_after: Span::from_secs(5),
            ledger_every: Span::from_secs(10),
            nominate_after: Span::from_secs(30),
            events: EventRates::default(),
            pod_events: PodEvents::Off,
        }
    }
}

/// What stands on a group in the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// What must survive a restart.
    pub ledger: Ledger,
    /// Another scheduler wrote its status.
    pub is_contested: bool,
}

/// What could not be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Untold {
    /// Events left out: too many, or refused.
    pub events: u64,
    /// Writes given up until something else is to be written.
    pub writes: u64,
    /// The words of the last answer that refused one; empty if none did.
    pub last_refusal: String,
}

/// One thing that is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    /// Status of a group.
    Group(GangKey),
    /// Condition and nominated node of a pod, by uid.
    Line(String),
    /// Ledger on a pod, by uid.
    Ledger(String),
}

/// The machine.
#[derive(Clone, Debug, Default)]
pub struct Teller {
    config: TellConfig,
    gangs: BTreeMap<GangKey, Gang>,
    pods: BTreeMap<String, Pod>,
    /// Digests of what stands in groups as their watch showed it, with their uid.
    standing: BTreeMap<GangKey, (String, u64)>,
    /// What is to be written, by time.
    agenda: BTreeSet<(Time, Item)>,
    /// Gangs to be looked at again, by time.
    looks: BTreeSet<(Time, GangKey)>,
    flights: BTreeMap<CallId, Item>,
    /// Calls that may still wait in their lane and have nothing to say any more.
    cancels: Vec<CallId>,
    desk: Desk,
    is_blocked: bool,
    writes_given_up: u64,
    last_refusal: String,
}

impl Teller {
    /// One that has told nothing yet.
    #[must_use]
    pub fn new(config: TellConfig) -> Self {
        Self { desk: Desk::new(config.events), config, ..Self::default() }
    }

    /// What stands in a group's status by the [`digest`] that its writer left there, whenever
    /// the watch shows the group: what an earlier process wrote is not written again. True if
    /// it is not what this one wrote, so that the gang is to be looked at.
    pub fn stands(&mut self, key: &GangKey, uid: &str, digest: Option<u64>) -> bool {
        let Some(digest) = digest else {
            self.standing.remove(key);
            return false;
        };
        self.standing.insert(key.clone(), (uid.to_owned(), digest));
        self.gangs.get(key).is_some_and(|gang| gang.uid == uid && gang.is_other(digest))
    }

    /// The facts of a gang, whenever they changed.
    pub fn gang(&mut self, facts: &GangFacts, now: Time) {
        let key = &facts.group.key;
        let known = self.gangs.remove_entry(key);
        let (key, mut gang) = known.unwrap_or_else(|| (key.clone(), Gang::new(facts, now)));
        // Without an object the uid is made up, and may change with the members.
        if facts.has_object && gang.uid != facts.group.uid {
            self.drop_status(&key, &mut gang);
            gang.renew(facts, now);
        }
        if facts.has_object
            && gang.status.is_blank()
            && let Some(digest) = shown_digest(&self.standing, &key, &gang.uid)
        {
            gang.status = Slate::standing(digest);
        }
        gang.look(facts, &self.config, now);
        self.tell_group(&key, &mut gang, facts, now);
        self.tell_pods(&mut gang, facts, now);
        self.look_later(&key, &mut gang, now);
        for note in gang.events(facts, &self.config, now) {
            self.desk.add(note, now);
        }
        if gang.is_over(facts) {
            self.forget(&key, gang);
        } else {
            self.gangs.insert(key, gang);
        }
    }

    /// What stands on the group, as its watch showed it. To be told before [`Teller::gang`].
    /// True, once for each gang, if another scheduler writes over what was written here.
    pub fn shown(&mut self, key: &GangKey, shown: &Shown, now: Time) -> bool {
        let Some(gang) = self.gangs.get_mut(key) else { return false };
        let before = gang.status.due();
        let digest = shown_digest(&self.standing, key, &gang.uid);
        let has_rival = gang.stands(shown, digest, now);
        let after = gang.status.due();
        self.book(|| Item::Group(key.clone()), before, after);
        has_rival
    }

    /// The gang is gone.
    pub fn gone(&mut self, key: &GangKey) {
        self.standing.remove(key);
        if let Some(gang) = self.gangs.remove(key) {
            self.forget(key, gang);
        }
    }

    /// An event that another machine has to tell.
    pub fn note(&mut self, note: EventNote, now: Time) {
        self.desk.add(note, now);
    }

    /// Gangs whose facts are wanted again although nothing changed: something stood long enough
    /// to be told. To be asked before each turn.
    pub fn looks(&mut self, now: Time) -> Vec<GangKey> {
        let mut keys = Vec::new();
        while self.looks.first().is_some_and(|(at, _)| *at <= now) {
            let (_, key) = self.looks.pop_first().expect("it was just seen");
            if let Some(gang) = self.gangs.get_mut(&key) {
                gang.look_at = None;
            }
            keys.push(key);
        }
        keys
    }

    /// Takes back what waits in its lane and is not to be said any more.
    pub fn take_back(&mut self, lanes: &mut Lanes) {
        for id in std::mem::take(&mut self.cancels) {
            if lanes.cancel(id) {
                self.flights.remove(&id);
            }
        }
    }

    /// Queues what is due and has room.
    pub fn turn(&mut self, now: Time, lanes: &mut Lanes) {
        self.take_back(lanes);
        let mut room = lanes.room(Lane::Status, now);
        while room > 0 && self.agenda.first().is_some_and(|(due, _)| *due <= now) {
            let (due, item) = self.agenda.pop_first().expect("it was just seen");
            let is_wanted = self.slate(&item).is_some_and(|slate| slate.due() == Some(due));
            if !is_wanted {
                continue;
            }
            let Some(call) = self.call(&item) else {
                if let Some(slate) = self.slate(&item) {
                    slate.settle();
                }
                continue;
            };
            room -= 1;
            let id = lanes.push(Lane::Status, call, Policy::of(CallKind::Write).timeout, now);
            if let Some(slate) = self.slate(&item) {
                slate.start(id);
            }
            self.flights.insert(id, item);
        }
        self.is_blocked = room == 0;
        self.desk.turn(now, lanes);
    }

    /// Takes in the answer of a call; those of others are ignored.
    pub fn answered(&mut self, id: CallId, answer: &Answer, now: Time) {
        self.is_blocked = false;
        if self.desk.answered(id, answer, now) {
            return;
        }
        let Some(item) = self.flights.remove(&id) else { return };
        let means = meaning(CallKind::Write, answer);
        let seed = id.0 ^ seed_of(item.name());
        let Some(slate) = self.slate(&item) else { return };
        if slate.flight() != Some(id) {
            return;
        }
        let landing = slate.landed(&means, seed, now);
        if let Some(due) = slate.due() {
            self.agenda.insert((due, item.clone()));
        }
        if let Item::Line(uid) = &item
            && let Some(pod) = self.pods.get_mut(uid)
        {
            pod.landed(&means);
        }
        match landing {
            Landing::Kept => {}
            Landing::Gone => self.drop_object(&item),
            Landing::GivenUp => {
                self.writes_given_up += 1;
                self.last_refusal = match means {
                    Meaning::Done => String::new(),
                    Meaning::Refused(_, words)
                    | Meaning::Unknown(words)
                    | Meaning::Again { words, .. } => words,
                };
            }
        }
    }

    /// When there is something to do if nothing happens.
    #[must_use]
    pub fn wake_at(&self, now: Time) -> Option<Time> {
        let write = self.agenda.first().map(|(due, _)| *due).filter(|_| !self.is_blocked);
        let look = self.looks.first().map(|(at, _)| *at);
        [write, look, self.desk.wake_at(now)].into_iter().flatten().min()
    }

    /// Forgets everything: the right to write is lost.
    pub fn clear(&mut self) {
        *self = Self::new(self.config.clone());
    }

    /// What could not be told so far.
    #[must_use]
    pub fn untold(&self) -> Untold {
        Untold {
            events: self.desk.dropped(),
            writes: self.writes_given_up,
            last_refusal: self.last_refusal.clone(),
        }
    }

    fn tell_group(&mut self, key: &GangKey, gang: &mut Gang, facts: &GangFacts, now: Time) {
        if facts.has_object {
            let before = gang.status.due();
            gang.tell(facts, &self.config, now);
            self.book(|| Item::Group(key.clone()), before, gang.status.due());
        } else {
            self.drop_status(key, gang);
        }
    }

    fn drop_status(&mut self, key: &GangKey, gang: &mut Gang) {
        self.book(|| Item::Group(key.clone()), gang.status.due(), None);
        self.cancels.extend(gang.status.flight());
        gang.status = Slate::default();
    }

    fn tell_pods(&mut self, gang: &mut Gang, facts: &GangFacts, now: Time) {
        let carriers = pod::carriers(facts, &self.pods);
        let mut kept = BTreeSet::new();
        gang.pods_look = None;
        for (index, member) in facts.members.iter().enumerate() {
            let uid = &member.pod.uid;
            let carried = carriers.contains(&index).then_some(facts);
            let is_known = gang.pods.contains(uid);
            // Most members of most gangs: nothing stands there, and nothing is to.
            if !is_known && !pod::has_news(member, gang, carried, &self.config, now) {
                continue;
            }
            let known = self.pods.remove(uid);
            let before = known.as_ref().map_or((None, None), Pod::due);
            let mut pod = known.unwrap_or_else(|| Pod::new(member, now));
            self.cancels.extend(pod.tell_line(member, gang, &self.config, now));
            pod.tell_ledger(member, carried, &self.config, now);
            let (line, ledger) = pod.due();
            self.book(|| Item::Line(uid.clone()), before.0, line);
            self.book(|| Item::Ledger(uid.clone()), before.1, ledger);
            let look = pod.next_look();
            gang.pods_look = gang.pods_look.into_iter().chain(look).min();
            if pod.is_remembered() {
                kept.insert(uid.clone());
                self.pods.insert(uid.clone(), pod);
            }
        }
        let before = std::mem::replace(&mut gang.pods, kept);
        for uid in before.difference(&gang.pods) {
            self.drop_pod(uid);
        }
    }

    fn look_later(&mut self, key: &GangKey, gang: &mut Gang, now: Time) {
        let wanted = gang.next_look(&self.config, now);
        if wanted == gang.look_at {
            return;
        }
        if let Some(at) = gang.look_at {
            self.looks.remove(&(at, key.clone()));
        }
        if let Some(at) = wanted {
            self.looks.insert((at, key.clone()));
        }
        gang.look_at = wanted;
    }

    fn book(&mut self, item: impl Fn() -> Item, before: Option<Time>, after: Option<Time>) {
        if before == after {
            return;
        }
        if let Some(due) = before {
            self.agenda.remove(&(due, item()));
        }
        if let Some(due) = after {
            self.agenda.insert((due, item()));
        }
    }

    fn slate(&mut self, item: &Item) -> Option<&mut Slate> {
        match item {
            Item::Group(key) => self.gangs.get_mut(key).map(|gang| &mut gang.status),
            Item::Line(uid) => self.pods.get_mut(uid).map(|pod| &mut pod.line),
            Item::Ledger(uid) => self.pods.get_mut(uid).map(|pod| &mut pod.ledger),
        }
    }

    fn call(&mut self, item: &Item) -> Option<Call> {
        match item {
            Item::Group(key) => self.gangs.get(key)?.call(key),
            Item::Line(uid) => self.pods.get_mut(uid)?.line_call(),
            Item::Ledger(uid) => self.pods.get(uid).map(Pod::ledger_call),
        }
    }

    /// The object is gone: nothing more about it, until its watch says so too.
    fn drop_object(&mut self, item: &Item) {
        let (Item::Line(uid) | Item::Ledger(uid)) = item else { return };
        let Some(pod) = self.pods.get_mut(uid) else { return };
        let (line, ledger) = pod.due();
        self.cancels.extend(pod.give_up());
        self.book(|| Item::Line(uid.clone()), line, None);
        self.book(|| Item::Ledger(uid.clone()), ledger, None);
    }

    fn drop_pod(&mut self, uid: &str) {
        let Some(pod) = self.pods.remove(uid) else { return };
        let (line, ledger) = pod.due();
        self.book(|| Item::Line(uid.to_owned()), line, None);
        self.book(|| Item::Ledger(uid.to_owned()), ledger, None);
        self.cancels.extend(pod.line.flight());
        self.cancels.extend(pod.ledger.flight());
    }

    fn forget(&mut self, key: &GangKey, mut gang: Gang) {
        self.drop_status(key, &mut gang);
        if let Some(at) = gang.look_at {
            self.looks.remove(&(at, key.clone()));
        }
        for uid in &gang.pods {
            self.drop_pod(uid);
        }
    }
}

impl Item {
    fn name(&self) -> &str {
        match self {
            Self::Group(key) => &key.name,
            Self::Line(uid) | Self::Ledger(uid) => uid,
        }
    }
}

/// What a status says, as a number to be left in it; two processes of one version agree on it.
/// `None` for dialects whose status is more than one write: one that was cut short would say of
/// the whole that it stands.
#[must_use]
pub fn digest(dialect: Dialect, status: &GroupStatus) -> Option<u64> {
    (dialect == Dialect::Muster).then(|| fingerprint(dialect, status))
}

/// What the watch showed to stand in the group of this uid.
fn shown_digest(
    standing: &BTreeMap<GangKey, (String, u64)>,
    key: &GangKey,
    uid: &str,
) -> Option<u64> {
    standing.get(key).filter(|(of, _)| of == uid).map(|(_, digest)| *digest)
}

/// What a status says, as a number: since when left out, and what the group's dialect has no
/// words for.
fn fingerprint(dialect: Dialect, status: &GroupStatus) -> u64 {
    let GroupStatus { phase, min, counts, has_started, explanation, ledger, generation, .. } =
        status;
    let counts = (dialect != Dialect::Kubernetes).then_some(counts);
    seed_of(&format!(
        "{phase:?} {min} {counts:?} {has_started} {explanation:?} {ledger:?} {generation}"
    ))
}

#[cfg(test)]
mod tests;
