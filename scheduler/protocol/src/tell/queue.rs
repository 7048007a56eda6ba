//! Status of queues: written when it changed, and seldom.
//!
//! The driver gives all queues whose status is ours whenever it looks ([`QueueTeller::queues`]);
//! who is not among them is forgotten. Trouble is told soon, numbers after a pause.
//!
//! Invariants: what was written is not written again; one queue is written at most once per
//! [`NUMBERS_EVERY`] (trouble: [`TROUBLE_EVERY`]), all together at most at [`RATE`].

use super::bucket::{Bucket, Rate};
use super::slate::{Landing, Pace, Slate};
use crate::answer::Answer;
use crate::call::{Call, CallId, QueueRef};
use crate::lanes::{Lane, Lanes};
use crate::meaning::{CallKind, meaning};
use crate::retry::{Policy, seed_of};
use crate::status::QueueStatus;
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
            });
            let entry = self.tell(entry, status, now);
            self.queues.insert(queue.name, entry);
        }
        // What is left in the agenda and in flight finds nobody.
    }

    fn tell(&mut self, mut entry: Entry, status: QueueStatus, now: Time) -> Entry {
        let is_same = entry.status.trouble == status.trouble;
        let since = if is_same { entry.status.since } else { now };
        entry.status = QueueStatus { since, ..status };
        if !entry.is_gone {
            let pace = if is_same { NUMBERS_EVERY } else { TROUBLE_EVERY };
            entry.slate.want(fingerprint(&entry.status), pace, now);
            entry.is_urgent |= !is_same;
            self.schedule(&entry);
        }
        entry
    }

    /// Queues what is due and has room.
    pub fn turn(&mut self, now: Time, lanes: &mut Lanes) {
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
        let due = firsts.map(|(due, _)| *due).min().filter(|_| !self.is_blocked)?;
        Some(due.max(self.bucket.free_at(RATE, now)))
    }

    /// Forgets everything: the right to write is lost.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// What a status says, as a number: since when left out.
fn fingerprint(status: &QueueStatus) -> u64 {
    let QueueStatus { trouble, since: _, used, entitled, fair, waiting } = status;
    seed_of(&format!("{trouble:?} {used:?} {entitled:?} {fair:?} {waiting}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Reply;
    use crate::lanes::Windows;
    use scheduler_model::spec::Dialect;

    struct Bench {
        teller: QueueTeller,
        lanes: Lanes,
    }

    impl Bench {
        fn new() -> Self {
            Self { teller: QueueTeller::default(), lanes: Lanes::new(Windows::default()) }
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
