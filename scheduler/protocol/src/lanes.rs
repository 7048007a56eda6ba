//! What flies at once: one queue and one window per kind of traffic, so that a storm of events
//! never delays a bind, and nothing floods the server.
//!
//! Invariants: a lane never has more calls in the air than its window; within a lane, calls
//! that are due leave in the order of their ids; a write leaves only while the right to write
//! lasts and its answer is awaited, reads and the lease's own calls always. While as many binds fly as may, words to people
//! take a quarter of their windows: they wait better than gangs do, but never stop.

use crate::call::{Call, CallId, Send};
use scheduler_model::time::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// A kind of traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// The lease: always first.
    Lease,
    /// Binds, and the reads that tell how one ended.
    Bind,
    /// What is done about volumes before a plan is bound.
    Volume,
    /// Deletions and the marks before them.
    Repair,
    /// Status of groups and pods, ledgers.
    Status,
    /// Events.
    Event,
}

impl Lane {
    /// All of them, most urgent first.
    pub const ALL: [Self; 6] =
        [Self::Lease, Self::Bind, Self::Volume, Self::Repair, Self::Status, Self::Event];
}

/// How many calls of each lane may be in the air.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Binds and their reads.
    pub bind: usize,
    /// Steps about volumes.
    pub volume: usize,
    /// Deletions.
    pub repair: usize,
    /// Status writes.
    pub status: usize,
    /// Events.
    pub event: usize,
}

impl Default for Windows {
    fn default() -> Self {
        Self { bind: 64, volume: 16, repair: 16, status: 16, event: 4 }
    }
}

impl Windows {
    /// The window of a lane while that of binds is full.
    fn beside_binds(&self, lane: Lane) -> usize {
        match lane {
            Lane::Status | Lane::Event => self.of(lane).div_ceil(4),
            _ => self.of(lane),
        }
    }

    const fn of(&self, lane: Lane) -> usize {
        match lane {
            Lane::Lease => 1,
            Lane::Bind => self.bind,
            Lane::Volume => self.volume,
            Lane::Repair => self.repair,
            Lane::Status => self.status,
            Lane::Event => self.event,
        }
    }
}

#[derive(Clone, Debug)]
struct Queued {
    call: Call,
    timeout: Span,
    due: Time,
}

/// Calls that wait to be sent, and those in the air.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    next: u64,
    windows: Windows,
    queues: BTreeMap<Lane, BTreeMap<CallId, Queued>>,
    flying: BTreeMap<Lane, BTreeSet<CallId>>,
}

impl Lanes {
    /// Empty lanes.
    #[must_use]
    pub fn new(windows: Windows) -> Self {
        Self { windows, ..Self::default() }
    }

    /// Queues a call that may leave from `due` on.
    pub fn push(&mut self, lane: Lane, call: Call, timeout: Span, due: Time) -> CallId {
        let id = CallId(self.next);
        self.next += 1;
        self.queues.entry(lane).or_default().insert(id, Queued { call, timeout, due });
        id
    }

    /// Takes a call back; false if it left already.
    pub fn cancel(&mut self, id: CallId) -> bool {
        self.queues.values_mut().any(|queue| queue.remove(&id).is_some())
    }

    /// True once the call left and before its answer came.
    #[must_use]
    pub fn is_flying(&self, id: CallId) -> bool {
        self.flying.values().any(|lane| lane.contains(&id))
    }

    /// Calls that leave now. Writes leave only while `now` is before `may_write_until`.
    pub fn hand_out(&mut self, now: Time, may_write_until: Time) -> Vec<Send> {
        let mut out = Vec::new();
        for lane in Lane::ALL {
            let window = self.window(lane, now);
            let Some(queue) = self.queues.get_mut(&lane) else { continue };
            let flying = self.flying.entry(lane).or_default();
            let free = window.saturating_sub(flying.len());
            let may_leave = |queued: &Queued| {
                let is_free = queued.call.is_read() || queued.call.is_lease();
                queued.due <= now && (is_free || now < may_write_until)
            };
            let due = queue.iter().filter(|(_, queued)| may_leave(queued));
            let ids: Vec<CallId> = due.map(|(id, _)| *id).take(free).collect();
            for id in ids {
                let queued = queue.remove(&id).expect("it was just found there");
                flying.insert(id);
                let is_free = queued.call.is_read() || queued.call.is_lease();
                // A process that stood still meanwhile must not send what nobody waits for.
                let in_time = now.after(queued.timeout);
                let not_after = if is_free { Time::NEVER } else { may_write_until.min(in_time) };
                out.push(Send { id, call: queued.call, timeout: queued.timeout, not_after });
            }
        }
        out
    }

    /// How many calls of a lane may be in the air now. It changes only with news and with the
    /// times at which binds are due, so nobody has to wake up for it.
    fn window(&self, lane: Lane, now: Time) -> usize {
        if self.binds_fill(now) { self.windows.beside_binds(lane) } else { self.windows.of(lane) }
    }

    /// True if as many binds are in the air, or about to be, as may be.
    #[must_use]
    pub fn binds_fill(&self, now: Time) -> bool {
        let missing = self.windows.bind.saturating_sub(self.in_air(Lane::Bind));
        let waiting = self.queues.get(&Lane::Bind).into_iter().flat_map(BTreeMap::values);
        waiting.filter(|bind| bind.due <= now).take(missing).count() == missing
    }

    /// The answer of a call came.
    pub fn landed(&mut self, id: CallId) {
        for lane in self.flying.values_mut() {
            lane.remove(&id);
        }
    }

    /// Calls in the air on a lane.
    #[must_use]
    pub fn in_air(&self, lane: Lane) -> usize {
        self.flying.get(&lane).map_or(0, BTreeSet::len)
    }

    /// Calls that wait on a lane.
    #[must_use]
    pub fn waiting(&self, lane: Lane) -> usize {
        self.queues.get(&lane).map_or(0, BTreeMap::len)
    }

    /// Calls that could leave now beside those that are due already.
    #[must_use]
    pub fn room(&self, lane: Lane, now: Time) -> usize {
        let free = self.window(lane, now).saturating_sub(self.in_air(lane));
        let waiting = self.queues.get(&lane).into_iter().flat_map(BTreeMap::values);
        free - waiting.filter(|queued| queued.due <= now).take(free).count()
    }

    /// Calls that would leave the lane now, in order.
    #[must_use]
    pub fn leaving(&self, lane: Lane, now: Time) -> Vec<CallId> {
        let free = self.window(lane, now).saturating_sub(self.in_air(lane));
        let waiting = self.queues.get(&lane).into_iter().flatten();
        waiting.filter(|(_, queued)| queued.due <= now).map(|(id, _)| *id).take(free).collect()
    }

    /// True while nothing but the lease's own calls is in the air.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.flying.iter().all(|(lane, calls)| *lane == Lane::Lease || calls.is_empty())
    }

    /// When something that waits for its time is due and may leave. Without the right to write
    /// only reads and the lease's own calls count.
    #[must_use]
    pub fn wake_at(&self, now: Time, may_write_until: Time) -> Option<Time> {
        let may_write = now < may_write_until;
        let has_place = |lane: &Lane| self.in_air(*lane) < self.window(*lane, now);
        let open = self.queues.iter().filter(|(lane, _)| has_place(lane));
        let calls = open.flat_map(|(_, queue)| queue.values());
        let may_leave =
            |queued: &&Queued| may_write || queued.call.is_read() || queued.call.is_lease();
        calls.filter(may_leave).map(|queued| queued.due).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::PodRef;
    use scheduler_model::spec::Labels;

    const NOW: Time = Time::from_ms(1_000);

    fn pod(name: String) -> PodRef {
        PodRef { namespace: "d".to_owned(), uid: name.clone(), name }
    }

    fn lanes(binds: usize, words: usize) -> Lanes {
        let windows = Windows { bind: 4, status: 8, ..Windows::default() };
        let mut lanes = Lanes::new(windows);
        for index in 0..binds {
            let (pod, node) = (pod(format!("b{index}")), "n".to_owned());
            let call = Call::Bind { pod, node, annotations: Labels::new() };
            lanes.push(Lane::Bind, call, Span::from_secs(1), NOW);
        }
        for index in 0..words {
            let pod = pod(format!("s{index}"));
            let call = Call::PodStatus { pod, condition: None, nominated: None };
            lanes.push(Lane::Status, call, Span::from_secs(1), NOW);
        }
        lanes
    }

    fn left(lanes: &mut Lanes) -> Vec<CallId> {
        lanes.hand_out(NOW, Time::NEVER).into_iter().map(|send| send.id).collect()
    }

    #[test]
    fn words_take_a_quarter_of_their_window_while_binds_fill_theirs_and_the_whole_after() {
        let mut lanes = lanes(6, 20);
        let first = left(&mut lanes);
        assert_eq!((lanes.in_air(Lane::Bind), lanes.in_air(Lane::Status)), (4, 2));
        assert_eq!(lanes.room(Lane::Status, NOW), 0);
        assert_eq!(lanes.wake_at(NOW, Time::NEVER), None, "only answers help: no busy loop");
        first.into_iter().take(4).for_each(|id| lanes.landed(id));
        left(&mut lanes);
        assert_eq!((lanes.in_air(Lane::Bind), lanes.in_air(Lane::Status)), (2, 8));
    }

    #[test]
    fn a_write_does_not_leave_after_the_time_in_which_its_answer_is_awaited() {
        let mut lanes = lanes(1, 0);
        let sends = lanes.hand_out(NOW, Time::NEVER);
        assert_eq!(sends[0].not_after, NOW.after(Span::from_secs(1)));
    }

    #[test]
    fn words_that_flew_before_the_binds_came_keep_flying_and_no_more_join_them() {
        let mut lanes = lanes(0, 8);
        left(&mut lanes);
        for index in 0..4 {
            let (pod, node) = (pod(format!("b{index}")), "n".to_owned());
            let call = Call::Bind { pod, node, annotations: Labels::new() };
            lanes.push(Lane::Bind, call, Span::from_secs(1), NOW);
        }
        assert_eq!(left(&mut lanes).len(), 4, "the binds leave");
        assert_eq!(lanes.in_air(Lane::Status), 8);
        assert_eq!(lanes.room(Lane::Status, NOW), 0);
    }
}
