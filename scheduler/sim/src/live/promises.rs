//! What must hold in every run, whatever goes wrong.
//!
//! 1. Only whoever holds the lease puts writes on the wire, but for what a process that was
//!    held had between its last look and the socket.
//! 2. No bind of ours over-fills a node, or a queue beyond its limit.
//! 3. The first bind of a gang leaves only once its minimum of members exists, by role too.
//!    No bind goes to a node that its process knows to take no pods, unless one before it may
//!    have got through.
//!    What may still be carried out goes nowhere else, and keeps its room (`doubts.rs`).
//! 4. A gang with fewer members in place than its minimum does not stay so.
//! 5. Only members that a controller replaces are deleted, each of them marked and the release
//!    written down first, and a gang is released a few times at most. None is released because
//!    its minimum was raised.
//! 6. What is decided about one pod never hits another of the same name; a pod is bound once.
//! 7. What was written down stays so (`ledgers.rs`).
//! 8. No pod is bound before every claim of it is bound to a volume that its node can use, and
//!    no gang is begun before that holds of its minimum.
//! 9. Nobody is evicted before it is written down for whom, nor often, nor in vain (`rivals.rs`).
//! 10. After the loss of a leader the next one is soon at work (`finale.rs`).
//!
//! The checkers look only at the server's objects and at its log, never into the engine. What
//! must hold once all has come to rest stands in `rest.rs`.

use super::claims;
use super::doubts::Doubts;
use super::finale::Watcher;
use super::ledgers::Ledgers;
use super::rivals::Judge;
use super::server::{ApiServer, Caller, Done, Write};
use super::sight::Handed;
use super::story::{Finale, GRACE, START, Story};
use super::tally::{self, History, Past, Tally, group_of};
use scheduler_model::event::Event;
use scheduler_model::spec::{GangKey, GangSpec, PodPhase, PodSpec};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::Answer;
use scheduler_protocol::call::{Call, PodRef};
use std::collections::{BTreeMap, BTreeSet};

/// A gang may have too few members in place for this long after the last disturbance.
const PARTIAL_MAX: Span = Span::from_ms(GRACE.ms() + 60_000);
/// What a bind is based on may be this old by the time the server takes it.
const STALE_MAX: Span = Span::from_secs(60);
/// A call may be on its way for so long.
const FLYING_MAX: Span = Span::from_secs(10);
/// Releases of one gang in one run.
const RELEASES_MAX: u32 = 3;

/// The checkers, and what they need to remember.
#[derive(Clone, Debug, Default)]
pub struct Promises {
    violations: Vec<String>,
    /// Writes and changes that were looked at.
    seen: (usize, usize),
    disturbed_at: Time,
    /// Per gang: since when it has too few members in place, and whether that was told.
    partial: BTreeMap<GangKey, (Time, bool)>,
    history: History,
    marked: BTreeSet<String>,
    /// Per gang: the pods that muster deleted, and in which of its releases.
    releases: BTreeMap<GangKey, u32>,
    released: BTreeSet<String>,
    written: BTreeMap<GangKey, u32>,
    /// Pods as last seen.
    pods: BTreeMap<String, PodSpec>,
    bound: BTreeMap<String, String>,
    past: Past,
    /// Pods of which a life of a replica has put a bind on the wire.
    begun: BTreeSet<((usize, u64), String)>,
    begun_gangs: BTreeSet<((usize, u64), GangKey)>,
    doubts: Doubts,
    /// Gangs of which a member went without an end: where their runs end is no longer plain.
    torn: BTreeSet<GangKey>,
    /// Groups with the least minimum that each ever had: a minimum that is raised says nothing
    /// about members in place.
    least: BTreeMap<GangKey, GangSpec>,
    /// Gangs that had all that a raised minimum asks for.
    grown: BTreeSet<GangKey>,
    /// When a gang last had too few members in place, also by nodes that are silent.
    lacked_at: BTreeMap<GangKey, Time>,
    ledgers: Ledgers,
    finale: Watcher,
    evictions: Judge,
    /// Nodes, and when something came there that muster could not foresee.
    surprised: BTreeMap<String, Time>,
    was_interrupted: bool,
    /// When a write came late, or a node came back with what was bound to it.
    late_at: Option<Time>,
    returned_at: Option<Time>,
}

impl Promises {
    /// Nothing broken yet.
    #[must_use]
    pub fn new() -> Self {
        Self { disturbed_at: START, ..Self::default() }
    }

    /// Notes a broken promise.
    pub fn broken(&mut self, at: Time, what: &str) {
        self.violations.push(format!("after {}: {what}", at.since(START)));
    }

    /// Something went wrong on purpose.
    pub fn disturbed(&mut self, now: Time) {
        self.disturbed_at = now;
    }

    /// A process died, or was held.
    pub fn interrupted(&mut self) {
        self.was_interrupted = true;
        self.ledgers.excuse();
    }

    /// Another scheduler put something onto a node.
    pub fn surprised(&mut self, node: &str, now: Time) {
        self.surprised.insert(node.to_owned(), now);
    }

    /// A node came back.
    pub fn returned(&mut self, now: Time) {
        self.returned_at = Some(now);
    }

    /// The finale begins.
    pub fn finale(&mut self, what: Finale, is_alone: bool, now: Time) {
        self.finale.begin(what, is_alone, now);
    }

    /// Pods that were evicted for others.
    #[must_use]
    pub const fn evicted(&self) -> usize {
        self.evictions.pods
    }

    /// What was broken.
    pub fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.violations)
    }

    /// A call was handed out by this life of a replica. What the process knows to be impossible
    /// is not begun.
    pub fn handed(&mut self, by: (usize, u64), handed: &Handed, now: Time) {
        let Call::Bind { pod, .. } = &handed.call else { return };
        if let Some(fault) = &handed.fault
            && !self.begun.contains(&(by, pod.uid.clone()))
        {
            self.broken(now, &format!("{} was sent {fault}", pod.name));
        }
        if let Some(gang) = handed.gang.as_ref().filter(|_| handed.is_short)
            && !self.begun_gangs.contains(&(by, gang.clone()))
        {
            self.broken(now, &format!("{gang} was begun with fewer members than its minimum"));
        }
    }

    /// A process heard how a call ended.
    pub fn answered(&mut self, by: Caller, call: &Call, answer: &Answer, now: Time) {
        self.doubts.answered(by, call, answer, now);
    }

    /// A bind reached the wire.
    pub fn begun(&mut self, from: Caller, call: &Call) {
        if let Call::Bind { pod, .. } = call {
            let life = (from.replica, from.life);
            self.begun.insert((life, pod.uid.clone()));
            if let Some(gang) = self.pods.get(&pod.uid).and_then(group_of) {
                self.begun_gangs.insert((life, gang.clone()));
            }
        }
    }

    /// A call was put on the wire.
    pub fn put(
        &mut self,
        from: Caller,
        identity: &str,
        call: &Call,
        server: &ApiServer,
        now: Time,
    ) {
        if let Call::Bind { pod, node, .. } = call
            && let Some(fault) =
                self.doubts.fault(server, from, (pod, node), self.is_surprised(node, now), now)
        {
            self.broken(now, &format!("{} was sent {fault}", pod.name));
        }
        if call.is_read() || call.is_lease() || identity.is_empty() {
            return;
        }
        if from.is_late {
            self.late_at = Some(now);
            return;
        }
        let holder = server.lease.as_ref().map_or("", |lease| lease.holder.as_str());
        if holder != identity {
            let what = call.name();
            self.broken(now, &format!("{identity} put a {what} on the wire, {holder:?} leads"));
        }
    }

    /// Looks at what happened since the last call.
    pub fn look(&mut self, server: &ApiServer, story: &Story, now: Time) {
        let (writes, changes) = self.seen;
        self.seen = (server.writes.len(), server.log.len());
        for (at, event) in &server.log[changes..] {
            self.changed(event, *at);
        }
        for write in &server.writes[writes..] {
            self.finale.look(write);
            match &write.what {
                Done::Bound(pod, node) => self.bound(server, story, (pod, node), write),
                Done::Marked(pod) => {
                    self.marked.insert(pod.uid.clone());
                    let fault = self.pods.get(&pod.uid).and_then(|it| self.evictions.marked(it));
                    if let Some(words) = fault {
                        self.broken(write.at, &words);
                    }
                }
                Done::Deleted(pod) => self.deleted(server, pod, write),
                _ => {}
            }
        }
        if self.late_at.is_some_and(|at| now.since(at) < STALE_MAX) {
            // Each of two leaders wrote down when it saw what it saw.
            self.ledgers.excuse();
        }
        for fault in self.ledgers.overdue(now) {
            self.broken(now, &fault);
        }
        if changes < server.log.len() || !self.partial.is_empty() {
            self.count(server, now);
        }
    }

    /// Looks at everything once more in the end.
    pub fn finish(&mut self, server: &ApiServer, story: &Story, now: Time) {
        for fault in self.finale.verdict(server) {
            self.broken(now, &fault);
        }
        for fault in self.evictions.in_vain(server, story) {
            self.broken(now, &fault);
        }
        if !self.was_interrupted {
            self.succeeded(server, now);
            for fault in self.evictions.often() {
                self.broken(now, &fault);
            }
        }
    }

    fn changed(&mut self, event: &Event, at: Time) {
        self.ledgers.read(event, at);
        self.evictions.read(event, at);
        self.counted(event);
        match event {
            Event::Gang(gang) => {
                let least = self.least.entry(gang.key.clone()).or_insert_with(|| (**gang).clone());
                least.min = least.min.min(gang.min);
            }
            Event::Pod(pod) if pod.ours => {
                let has_moved = pod.node.as_ref().is_some_and(|node| {
                    let before = self.bound.insert(pod.uid.clone(), node.clone());
                    before.is_some_and(|before| before != *node)
                });
                if has_moved {
                    self.broken(at, &format!("{} was bound twice", pod.uid));
                }
                self.pods.insert(pod.uid.clone(), (**pod).clone());
            }
            Event::PodGone(uid) => {
                let Some(pod) = self.pods.get(uid) else { return };
                if self.past.over.contains(uid) {
                    return;
                }
                let Some(key) = group_of(pod) else { return };
                if pod.phase == PodPhase::Succeeded && !pod.evicted {
                    let members = self.past.gone.entry(key.clone()).or_default();
                    members.insert(uid.clone(), pod.role.clone());
                } else if !pod.phase.is_finished() {
                    self.past.vanished.insert(key.clone(), at);
                    self.torn.insert(key.clone());
                }
            }
            _ => {}
        }
    }

    /// Remembers the most releases that ever stood on a gang: those of a plain gang go with its
    /// members.
    fn counted(&mut self, event: &Event) {
        let (key, releases) = match event {
            Event::Gang(gang) => (&gang.key, gang.ledger.releases),
            Event::Pod(pod) => match (group_of(pod), &pod.ledger) {
                (Some(key), Some(ledger)) => (key, ledger.releases),
                _ => return,
            },
            _ => return,
        };
        let most = self.written.entry(key.clone()).or_insert(0);
        *most = releases.max(*most);
    }

    fn bound(
        &mut self,
        server: &ApiServer,
        story: &Story,
        (pod, node): (&PodRef, &str),
        write: &Write,
    ) {
        let at = write.at;
        if let Some(known) = self.pods.get(&pod.uid) {
            self.evictions.bound(known, at);
        }
        if write.uid != pod.uid {
            let words = format!("a bind meant for {:?} hit {}", pod.uid, write.uid);
            self.broken(at, &words);
        }
        if let Some(words) = claims::unserved(server, &pod.uid, node) {
            self.broken(at, &words);
        }
        let is_recent = |moment: Option<Time>| moment.is_some_and(|it| at.since(it) < STALE_MAX);
        let is_excused = is_recent(self.late_at);
        let is_surprised = self.is_surprised(node, at);
        if let Some(resource) = tally::overfull(server, node)
            && !is_excused
            && !is_surprised
        {
            self.broken(at, &format!("{} was bound to {node}: too much {resource}", pod.uid));
        }
        let used = tally::used(server, "default");
        if let Some(limit) = story.limit.and_then(|limit| i64::try_from(limit).ok())
            && used > limit
            && !is_excused
            && !is_recent(self.returned_at)
            && pod.name.starts_with('g')
        {
            let words = format!("{} was bound: {used} of {limit} gpu in its queue", pod.uid);
            self.broken(at, &words);
        }
        let Some(key) = self.pods.get(&pod.uid).and_then(group_of).cloned() else { return };
        let Some(gang) = self.least.get(&key).filter(|_| server.gangs.contains_key(&key)) else {
            return;
        };
        let others = server.pods.values().filter(|other| group_of(other) == Some(&key));
        let has_begun = others
            .filter(|other| other.uid != pod.uid)
            .any(|other| other.node.is_some() || other.phase.is_finished());
        // A bind may be on its way when a member goes.
        let gone_at = self.past.vanished.get(&key);
        let is_torn = is_excused || gone_at.is_some_and(|gone| at.since(*gone) < FLYING_MAX);
        let tally = || tally::all(server, &self.past).remove(&key).unwrap_or_default();
        let is_first = !has_begun && !is_torn;
        let early = is_first.then(|| claims::begun_early(server, gang, &tally())).flatten();
        if let Some(words) = early {
            self.broken(at, &words);
            return;
        }
        // What was handed to the socket before a process stood still goes out when it wakes.
        let is_late = write.by.is_late;
        if !has_begun && !is_late && !self.history.was_complete(gang, at, STALE_MAX) {
            let words = format!("{key} was begun without its minimum of {}", gang.min);
            self.broken(at, &words);
        }
    }

    fn is_surprised(&self, node: &str, now: Time) -> bool {
        self.surprised.get(node).is_some_and(|at| now.since(*at) < STALE_MAX)
    }

    fn deleted(&mut self, server: &ApiServer, pod: &PodRef, write: &Write) {
        let at = write.at;
        if write.uid != pod.uid {
            self.broken(at, &format!("a deletion meant for {:?} hit {}", pod.uid, write.uid));
        }
        let Some(known) = self.pods.get(&write.uid).cloned() else { return };
        if !self.marked.contains(&pod.uid) {
            self.broken(at, &format!("{} was deleted without a mark", pod.uid));
        }
        if self.evictions.deleted(&known) {
            return;
        }
        if !known.has_controller {
            self.broken(at, &format!("{} was deleted, and nobody makes it anew", pod.uid));
        }
        let Some(key) = group_of(&known) else { return };
        if self.written.get(key).is_none_or(|written| *written == 0) {
            self.broken(at, &format!("{} was deleted before its release was written", pod.uid));
        }
        // Whoever is deleted first of those that were in place opens a release; the others of
        // it were in place then too.
        if self.released.contains(&pod.uid) {
            return;
        }
        let peers = server.pods.values().filter(|peer| group_of(peer) == Some(key));
        let in_place = peers.filter(|peer| peer.node.is_some()).map(|peer| peer.uid.clone());
        self.released.extend(in_place.chain([pod.uid.clone()]));
        if self.is_kept_by_promise(server, key, at) {
            self.broken(at, &format!("{key} was released with all that it was begun with"));
        }
        let releases = self.releases.entry(key.clone()).or_insert(0);
        *releases += 1;
        if *releases > RELEASES_MAX {
            let words = format!("{key} was released {releases} times");
            self.broken(at, &words);
        }
    }

    /// True if a gang has all that it was begun with, although its minimum was raised since.
    fn is_kept_by_promise(&self, server: &ApiServer, key: &GangKey, at: Time) -> bool {
        let Some((gang, least)) = server.gangs.get(key).zip(self.least.get(key)) else {
            return false;
        };
        let lacked_at = self.lacked_at.get(key);
        // With what a gang was begun is not written down.
        gang.min > least.min
            && !self.was_interrupted
            && !self.grown.contains(key)
            && lacked_at.is_none_or(|lacked_at| at.since(*lacked_at) > STALE_MAX)
    }

    /// How many members of each gang exist and have places now.
    fn count(&mut self, server: &ApiServer, now: Time) {
        self.past.turn(server, now);
        let mut tallies = tally::all(server, &self.past);
        for (key, gang) in &server.gangs {
            let tally = tallies.remove(key).unwrap_or_default();
            self.history.note(key, &tally.exist, now);
            let least = self.least.get(key).unwrap_or(gang).clone();
            if gang.min > least.min && tally.in_place() > 0 && !tally.is_partial(gang) {
                self.grown.insert(key.clone());
            }
            if tally.is_partial(&least) || tally.is_shaky {
                self.lacked_at.insert(key.clone(), now);
            }
            self.partly(server, &least, &tally, now);
        }
    }

    fn partly(&mut self, server: &ApiServer, gang: &GangSpec, tally: &Tally, now: Time) {
        let key = &gang.key;
        let is_used_up = releases_of(server, key) >= RELEASES_MAX;
        // Where all that is in place is on silent nodes, nothing holds a place that could be used:
        // such pods are lost, and none is deleted by force.
        if !tally.is_partial(gang) || tally.firm == 0 || tally.is_kept || is_used_up {
            self.partial.remove(key);
            return;
        }
        let (since, is_told) = *self.partial.entry(key.clone()).or_insert((now, false));
        let quiet_since = since.max(self.disturbed_at);
        if !is_told && now.since(quiet_since) > PARTIAL_MAX {
            self.partial.insert(key.clone(), (since, true));
            let words = format!("{key} has {} of {} in place", tally.in_place(), gang.min);
            self.broken(now, &words);
        }
    }

    /// Members that succeeded are written down, as their objects will not stay. Only where one
    /// process lived through it all: what ends and goes while nobody looks is written nowhere.
    fn succeeded(&mut self, server: &ApiServer, now: Time) {
        for (key, tally) in tally::all(server, &self.past) {
            let Some(gang) = server.gangs.get(&key).filter(|_| has_status(&key)) else { continue };
            let written: u32 = gang.ledger.succeeded.iter().map(|role| role.count).sum();
            let has: u32 = tally.succeeded.values().sum();
            if tally.unfinished > 0 && written < has && !self.torn.contains(&key) {
                let words = format!("{has} members of {key} succeeded, {written} are written down");
                self.broken(now, &words);
            }
        }
    }
}

/// Status and ledger of such a gang stand on its group.
fn has_status(key: &GangKey) -> bool {
    use scheduler_model::spec::Dialect::{Plain, Pod};
    !matches!(key.dialect, Plain | Pod)
}

fn releases_of(server: &ApiServer, key: &GangKey) -> u32 {
    let of_group = server.gangs.get(key).map_or(0, |gang| gang.ledger.releases);
    let peers = server.pods.values().filter(|peer| group_of(peer) == Some(key));
    let of_pods = peers.filter_map(|peer| peer.ledger.as_ref()).map(|ledger| ledger.releases);
    of_pods.max().unwrap_or(0).max(of_group)
}
