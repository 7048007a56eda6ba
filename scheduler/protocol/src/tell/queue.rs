//! Status of queues: written when it changed, and seldom.
//!
//! The driver gives all queues whose status is ours whenever it looks ([`QueueTeller::queues`]);
//! who is not among them is forgotten. Trouble is told soon, numbers after a pause.
//!
//! What others count too is told by [`QueueTeller::stands`]; `tally` says what comes of it.
//!
//! Invariants: what was written is not written again; one queue is written at most once per
//! [`NUMBERS_EVERY`] (trouble: [`TROUBLE_EVERY`]), all together at most at [`RATE`].

use super::bucket::{Bucket, Rate};
use super::slate::{Landing, Pace, Slate};
use super::tally::{Contest, counts_nothing, queue_digest};
use crate::answer::Answer;
use crate::call::{Call, CallId, QueueRef};
use crate::lanes::{Lane, Lanes};
use crate::meaning::{CallKind, meaning};
use crate::retry::{Policy, seed_of};
use crate::status::QueueStatus;
use scheduler_model::spec::Dialect;
use scheduler_model::time::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// How soon new numbers are written, and how long after the write before.
const NUMBERS_EVERY: Pace = Pace { delay: Span::from_secs(1), spacing: Span::from_secs(10) };
/// The same for what is wrong with a queue.
const TROUBLE_EVERY: Pace = Pace { delay: Span::ZERO, spacing: Span::from_secs(5) };
/// Writes of all queues together.
const RATE: Rate = Rate { every: Span::from_ms(200), burst: 20 };

#[derive(Clone, Debug)]
struct Entry {
    queue: QueueRef,
    status: QueueStatus,
    slate: Slate,
    /// The object is gone; its watch will say so.
    is_gone: bool,
    /// What is wrong with it, or not any more, was not told yet.
    is_urgent: bool,
    contest: Contest,
}

/// The machine.
#[derive(Clone, Debug, Default)]
pub struct QueueTeller {
    queues: BTreeMap<String, Entry>,
    /// What is to be written, by time.
    agenda: BTreeSet<(Time, String)>,
    /// The same of queues with which something is wrong that was not told yet: they go first.
    urgent: BTreeSet<(Time, String)>,
    flights: BTreeMap<CallId, String>,
    /// What stands in queues that others write too, with their uids; `None` is no status at all.
    standing: BTreeMap<String, (String, Option<u64>)>,
    /// When to look again whether others wrote over what was written, by queue.
    looks: BTreeSet<(Time, String)>,
    /// The first queue that was left to others.
    contested: Option<String>,
    was_contested: bool,
    bucket: Bucket,
    is_blocked: bool,
}

impl QueueTeller {
    /// All queues as they are now.
    pub fn queues(&mut self, all: Vec<(QueueRef, QueueStatus)>, now: Time) {
        let mut before = std::mem::take(&mut self.queues);
        for (queue, status) in all {
            let known = before.remove(&queue.name).filter(|entry| entry.queue == queue);
            let entry = known.unwrap_or_else(|| Entry {
                queue: queue.clone(),
                status: QueueStatus { since: now, ..QueueStatus::default() },
                slate: Slate::default(),
                is_gone: false,
                is_urgent: false,
                contest: Contest::default(),
            });
            let entry = self.tell(entry, status, now);
            self.queues.insert(queue.name, entry);
        }
        // What is left in the agenda and in flight finds nobody.
        let queues = &self.queues;
        self.standing.retain(|name, _| queues.contains_key(name));
    }

    /// What stands in a queue that others write too, whenever the watch shows it.
    pub fn stands(&mut self, name: &str, uid: &str, digest: Option<u64>, now: Time) {
        self.standing.insert(name.to_owned(), (uid.to_owned(), digest));
        if let Some(entry) = self.queues.get_mut(name).filter(|entry| entry.queue.uid == uid) {
            let was_first = std::mem::replace(&mut entry.status.is_first, digest.is_none());
            if was_first && !entry.status.is_first && !entry.slate.is_written() {
                // Refused, as somebody else came first.
                entry.slate.overwritten(now);
            }
            entry.contest.shown(digest, &entry.slate, now);
            self.looks.extend(entry.contest.next_look().map(|at| (at, name.to_owned())));
            self.agenda.extend(entry.slate.due().map(|due| (due, name.to_owned())));
        }
    }

    /// The name of a queue that others keep counting in, once in a life.
    pub fn take_contested(&mut self) -> Option<String> {
        self.contested.take()
    }

    fn tell(&mut self, mut entry: Entry, status: QueueStatus, now: Time) -> Entry {
        let is_same = entry.status.trouble == status.trouble;
        let since = if is_same { entry.status.since } else { now };
        entry.status = QueueStatus { since, ..status };
        if entry.is_gone || (is_shared(&entry.queue) && self.leaves_alone(&mut entry, now)) {
            return entry;
        }
        let is_urgent = !is_same && !is_shared(&entry.queue);
        let pace = if is_urgent { TROUBLE_EVERY } else { NUMBERS_EVERY };
        entry.slate.want(fingerprint(&entry), pace, now);
        entry.is_urgent |= is_urgent;
        self.schedule(&entry);
        entry
    }

    /// True if what others write too is theirs alone now.
    fn leaves_alone(&self, entry: &mut Entry, now: Time) -> bool {
        let stands = self.standing.get(&entry.queue.name);
        let stands = stands.filter(|(uid, _)| *uid == entry.queue.uid).map(|(_, digest)| *digest);
        entry.status.is_first = stands == Some(None);
        let digest = stands.flatten();
        if entry.slate.is_blank() {
            entry.slate = digest.map_or_else(Slate::default, Slate::standing);
        }
        entry.contest.is_used |= !counts_nothing(&entry.status);
        entry.contest.keeps_peace(digest, &mut entry.slate, now)
    }

    /// Answers those that wrote other numbers over what was written, or leaves them alone.
    fn look(&mut self, now: Time) {
        while self.looks.first().is_some_and(|(at, _)| *at <= now) {
            let (_, name) = self.looks.pop_first().expect("it was just seen");
            let Some(mut entry) = self.queues.remove(&name) else { continue };
            if entry.contest.look(&mut entry.slate, now) && !self.was_contested {
                self.was_contested = true;
                self.contested = Some(name.clone());
            }
            self.schedule(&entry);
            self.queues.insert(name, entry);
        }
    }

    /// Queues what is due and has room.
    pub fn turn(&mut self, now: Time, lanes: &mut Lanes) {
        self.look(now);
        let mut room = lanes.room(Lane::Status, now);
        loop {
            let is_due = |agenda: &BTreeSet<(Time, String)>| {
                agenda.first().is_some_and(|(due, _)| *due <= now)
            };
            let first = match (is_due(&self.urgent), is_due(&self.agenda)) {
                (true, _) => &mut self.urgent,
                (false, true) => &mut self.agenda,
                (false, false) => break,
            };
            if room == 0 || self.bucket.free_at(RATE, now) > now {
                break;
            }
            let (due, name) = first.pop_first().expect("it was just seen");
            let entry = self.queues.get_mut(&name).filter(|it| it.slate.due() == Some(due));
            let Some(entry) = entry else { continue };
            self.bucket.take(RATE, now);
            room -= 1;
            let status = Box::new(entry.status.clone());
            let call = Call::QueueStatus { queue: entry.queue.clone(), status };
            let id = lanes.push(Lane::Status, call, Policy::of(CallKind::Write).timeout, now);
            entry.slate.start(id);
            self.flights.insert(id, name);
        }
        self.is_blocked = room == 0;
    }

    /// Takes in the answer of a call; those of others are ignored.
    pub fn answered(&mut self, id: CallId, answer: &Answer, now: Time) {
        self.is_blocked = false;
        let Some(name) = self.flights.remove(&id) else { return };
        let Some(entry) = self.queues.get_mut(&name) else { return };
        // A queue of the same name that was made since has a slate of its own.
        if entry.slate.flight() != Some(id) {
            return;
        }
        let means = meaning(CallKind::Write, answer);
        entry.is_gone = entry.slate.landed(&means, id.0 ^ seed_of(&name), now) == Landing::Gone;
        entry.is_urgent &= entry.slate.due().is_some();
        let agenda = if entry.is_urgent { &mut self.urgent } else { &mut self.agenda };
        agenda.extend(entry.slate.due().map(|due| (due, name)));
    }

    fn schedule(&mut self, entry: &Entry) {
        let agenda = if entry.is_urgent { &mut self.urgent } else { &mut self.agenda };
        agenda.extend(entry.slate.due().map(|due| (due, entry.queue.name.clone())));
    }

    /// When there is something to do if nothing happens.
    #[must_use]
    pub fn wake_at(&self, now: Time) -> Option<Time> {
        let firsts = [self.urgent.first(), self.agenda.first()].into_iter().flatten();
        let due = firsts.map(|(due, _)| *due).min().filter(|_| !self.is_blocked);
        let due = due.map(|due| due.max(self.bucket.free_at(RATE, now)));
        due.into_iter().chain(self.looks.first().map(|(at, _)| *at)).min()
    }

    /// Forgets everything: the right to write is lost.
    pub fn clear(&mut self) {
        let (standing, was_contested) = (std::mem::take(&mut self.standing), self.was_contested);
        *self = Self { standing, was_contested, ..Self::default() };
    }
}

/// True for kinds in whose status others write too.
fn is_shared(queue: &QueueRef) -> bool {
    queue.dialect == Dialect::Volcano
}

/// What a status says, as a number: since when left out.
fn fingerprint(entry: &Entry) -> u64 {
    let QueueStatus {
        trouble,
        is_notice,
        since: _,
        used,
        entitled,
        fair,
        waiting,
        groups,
        is_first: _,
    } = &entry.status;
    if is_shared(&entry.queue) {
        return queue_digest(used, &groups.unwrap_or_default());
    }
    seed_of(&format!("{trouble:?} {is_notice} {used:?} {entitled:?} {fair:?} {waiting}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Reply;
    use crate::lanes::Windows;
    use crate::status::GroupsByPhase;

    struct Bench {
        teller: QueueTeller,
        lanes: Lanes,
        /// What writes of shared queues are answered with.
        code: u16,
    }

    impl Bench {
        fn new() -> Self {
            Self {
                teller: QueueTeller::default(),
                lanes: Lanes::new(Windows::default()),
                code: 200,
            }
        }

        /// The queues with so many waiting gangs each, and one more turn per second; what was
        /// written, each answered with `code`.
        fn pass(&mut self, secs: std::ops::Range<i64>, waiting: &[u32], code: u16) -> Vec<Call> {
            let mut calls = Vec::new();
            for sec in secs {
                let now = Time::from_ms(sec * 1_000);
                let all = waiting.iter().enumerate().map(|(at, waiting)| facts(at, *waiting));
                self.teller.queues(all.collect(), now);
                self.teller.turn(now, &mut self.lanes);
                for send in self.lanes.hand_out(now, Time::NEVER) {
                    self.lanes.landed(send.id);
                    let answer = Answer::Reply(Reply::code(code));
                    self.teller.answered(send.id, &answer, now);
                    calls.push(send.call);
                }
            }
            calls
        }
    }

    fn facts(at: usize, waiting: u32) -> (QueueRef, QueueStatus) {
        let (name, uid) = (format!("q{at}"), format!("u{at}"));
        let queue = QueueRef { dialect: Dialect::Muster, name, uid };
        (queue, QueueStatus { waiting, ..QueueStatus::default() })
    }

    /// A queue of Volcano with so many groups that run, told and shown by the watch as `stands`;
    /// what was written in these seconds, each write done.
    fn shared(
        bench: &mut Bench,
        secs: std::ops::Range<i64>,
        running: u32,
        mut stands: impl FnMut(&QueueStatus) -> Option<u64>,
    ) -> Vec<QueueStatus> {
        let mut writes = Vec::new();
        for sec in secs {
            let now = Time::from_ms(sec * 1_000);
            let queue =
                QueueRef { dialect: Dialect::Volcano, name: "v".to_owned(), uid: "u".to_owned() };
            let groups = Some(GroupsByPhase { running, ..GroupsByPhase::default() });
            let status = QueueStatus { groups, ..QueueStatus::default() };
            bench.teller.queues(vec![(queue, status)], now);
            bench.teller.turn(now, &mut bench.lanes);
            for send in bench.lanes.hand_out(now, Time::NEVER) {
                bench.lanes.landed(send.id);
                let answer = Answer::Reply(Reply::code(bench.code));
                bench.teller.answered(send.id, &answer, now);
                let Call::QueueStatus { status, .. } = send.call else { continue };
                bench.teller.stands("v", "u", stands(&status), now);
                writes.push(*status);
            }
        }
        writes
    }

    fn print(status: &QueueStatus) -> Option<u64> {
        Some(queue_digest(&status.used, &status.groups.unwrap_or_default()))
    }

    #[test]
    fn numbers_of_a_shared_queue_are_written_once_and_taken_back_when_the_last_group_leaves() {
        let mut bench = Bench::new();
        assert_eq!(shared(&mut bench, 0..60, 2, print).len(), 1);
        let left = shared(&mut bench, 60..120, 0, print);
        let groups: Vec<_> = left.iter().map(|status| status.groups).collect();
        assert_eq!(groups, [Some(GroupsByPhase::default())]);
    }

    #[test]
    fn a_shared_queue_that_was_never_ours_is_left_alone() {
        let mut bench = Bench::new();
        bench.teller.stands("v", "u", Some(7), Time::from_ms(0));
        assert_eq!(shared(&mut bench, 0..60, 0, print), []);
    }

    #[test]
    fn what_an_earlier_process_counted_in_a_shared_queue_is_not_written_again() {
        let mut bench = Bench::new();
        let groups = GroupsByPhase { running: 2, ..GroupsByPhase::default() };
        let digest = queue_digest(&BTreeMap::new(), &groups);
        bench.teller.stands("v", "u", Some(digest), Time::from_ms(0));
        assert_eq!(shared(&mut bench, 0..60, 2, print), []);
    }

    #[test]
    fn a_shared_queue_without_a_status_is_given_one() {
        let mut bench = Bench::new();
        bench.teller.stands("v", "u", None, Time::from_ms(0));
        let writes = shared(&mut bench, 0..60, 2, print);
        assert!(writes.len() == 1 && writes[0].is_first, "{writes:?}");
        let writes = shared(&mut bench, 60..120, 3, print);
        assert!(writes.len() == 1 && !writes[0].is_first, "{writes:?}");
    }

    #[test]
    fn a_shared_queue_that_another_gave_a_status_first_is_written_once_that_is_seen() {
        let mut bench = Bench::new();
        bench.teller.stands("v", "u", None, Time::from_ms(0));
        bench.code = 422;
        assert_eq!(shared(&mut bench, 0..60, 2, |_| None).len(), 1);
        bench.code = 200;
        bench.teller.stands("v", "u", Some(7), Time::from_ms(60_000));
        let writes = shared(&mut bench, 60..120, 2, print);
        assert!(writes.len() == 1 && !writes[0].is_first, "{writes:?}");
    }

    #[test]
    fn whoever_keeps_counting_in_a_shared_queue_is_answered_a_few_times_and_told_of_once() {
        let mut bench = Bench::new();
        let writes = shared(&mut bench, 0..3_000, 2, |_| Some(7));
        assert_eq!(writes.len(), 4, "the first one and three answers");
        assert_eq!(bench.teller.take_contested().as_deref(), Some("v"));
        // After an hour it is tried once more.
        let writes = shared(&mut bench, 3_000..7_000, 2, |_| Some(7));
        assert_eq!(writes.len(), 1);
        assert_eq!(bench.teller.take_contested(), None);
    }

    #[test]
    fn what_a_watch_shows_late_is_nobody_elses_count() {
        let mut bench = Bench::new();
        shared(&mut bench, 0..2, 2, |_| Some(7));
        let ours = GroupsByPhase { running: 2, ..GroupsByPhase::default() };
        let digest = queue_digest(&BTreeMap::new(), &ours);
        bench.teller.stands("v", "u", Some(digest), Time::from_ms(5_000));
        assert_eq!(shared(&mut bench, 6..60, 2, print), []);
    }

    #[test]
    fn what_stands_is_not_written_again_and_changes_lie_apart() {
        let mut bench = Bench::new();
        assert_eq!(bench.pass(0..100, &[3], 200).len(), 1);
        let step = |sec: u32| i64::from(sec)..i64::from(sec) + 1;
        let changes: usize = (100..160).map(|sec| bench.pass(step(sec), &[sec], 200).len()).sum();
        assert_eq!(changes, 6, "a change each second, a write every ten");
    }

    #[test]
    fn trouble_is_told_soon_with_its_time() {
        let mut bench = Bench::new();
        bench.pass(0..10, &[3], 200);
        let now = Time::from_ms(10_000);
        let (queue, status) = facts(0, 3);
        let trouble = Some(("ParentMissing".to_owned(), String::new()));
        bench.teller.queues(vec![(queue, QueueStatus { trouble, ..status })], now);
        bench.teller.turn(now, &mut bench.lanes);
        let sends = bench.lanes.hand_out(now, Time::NEVER);
        let [Call::QueueStatus { status, .. }] = [&sends[0].call] else { panic!("{sends:?}") };
        assert_eq!(status.since, now);
    }

    #[test]
    fn a_thousand_queues_are_written_one_after_the_other() {
        let mut bench = Bench::new();
        let count = bench.pass(0..11, &[1; 1_000], 200).len();
        assert!((50..=75).contains(&count), "{count} writes in ten seconds");
    }

    #[test]
    fn a_queue_that_is_gone_is_written_no_more_and_one_made_anew_is() {
        let mut bench = Bench::new();
        assert_eq!(bench.pass(0..100, &[1], 404).len(), 1);
        assert_eq!(bench.pass(100..200, &[2], 404).len(), 0);
        bench.teller.queues(Vec::new(), Time::from_ms(200_000));
        assert_eq!(bench.pass(201..300, &[2], 200).len(), 1);
    }

    #[test]
    fn a_server_in_trouble_is_asked_again() {
        let mut bench = Bench::new();
        assert!(bench.pass(0..60, &[1], 503).len() > 1);
        assert_eq!(bench.pass(120..240, &[1], 200).len(), 1);
    }
}
