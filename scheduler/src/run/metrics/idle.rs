//! The price of holding room, which the engine counts from when it began.
//!
//! Invariant: what is shown never falls, also where another engine begins to count, and few queues
//! have series of their own: the first that held anything.

use super::busiest::{Busiest, OTHER};
use super::figures::float;
use prometheus::CounterVec;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// Most devices that have series: few clusters hold more than one kind.
const DEVICES_MAX: usize = 2;
/// Most queues that have series of their own.
const QUEUES_MAX: usize = 10;

/// Seconds in which devices stood free because they were held.
#[derive(Debug)]
pub(super) struct Idle {
    seconds: CounterVec,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// Device-milliseconds that the engine had counted last, by queue and device.
    spent: BTreeMap<(String, String), i128>,
    devices: BTreeSet<String>,
    /// Queues with series of their own.
    queues: BTreeSet<String>,
}

impl Seen {
    fn label<'a>(&mut self, queue: &'a str) -> &'a str {
        if self.queues.len() < QUEUES_MAX && queue != OTHER {
            self.queues.insert(queue.to_owned());
        }
        if self.queues.contains(queue) { queue } else { OTHER }
    }
}

impl Idle {
    pub(super) fn new(seconds: CounterVec) -> Self {
        Self { seconds, seen: Mutex::default() }
    }

    /// Adds what the engine has counted since the last look.
    pub(super) fn show(&self, spent: &BTreeMap<(String, String), i128>, busiest: &Busiest) {
        let mut seen = self.seen.lock().expect("nobody panics while holding it");
        for ((queue, device), total) in spent {
            if seen.devices.len() < DEVICES_MAX {
                seen.devices.insert(device.clone());
            }
            if !seen.devices.contains(device) {
                continue;
            }
            let key = (queue.clone(), device.clone());
            let before = seen.spent.get(&key).copied().unwrap_or(0);
            // An engine that knows less has begun anew.
            let more = if *total < before { *total } else { *total - before };
            let more = u64::try_from(more).unwrap_or(0);
            let label = seen.label(busiest.label(queue));
            let counter = self.seconds.with_label_values(&[label, device]);
            counter.inc_by(float(more) / 1000.0);
        }
        seen.spent.clone_from(spent);
    }

    /// Ends the series of a queue.
    pub(super) fn drop_queue(&self, queue: &str) {
        let mut seen = self.seen.lock().expect("nobody panics while holding it");
        seen.queues.remove(queue);
        for device in &seen.devices {
            // An error says that there was no such series, which is what is wanted.
            let _ = self.seconds.remove_label_values(&[queue, device]);
        }
    }
}
