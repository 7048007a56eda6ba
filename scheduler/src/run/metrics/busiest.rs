//! Which queues have series of their own: the busiest, as many as fit. The rest is `other`.
//!
//! Invariant: never more than `limit` queues have their own, whatever queues come and go.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The label of all queues without series of their own.
pub const OTHER: &str = "other";

/// A queue takes the place of another once it is so many times as busy.
const FACTOR: u64 = 2;
/// Less than this is noise.
const LEAD: u64 = 8;
/// Counts are halved beyond this sum, so that the past fades.
const FADE: u64 = 100_000;

/// Which queues have series of their own.
#[derive(Clone, Debug)]
pub struct Busiest {
    limit: usize,
    counts: BTreeMap<String, u64>,
    own: BTreeSet<String>,
}

impl Busiest {
    /// Nobody yet.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { limit, counts: BTreeMap::new(), own: BTreeSet::new() }
    }

    /// Something happened in a queue: the queue whose place it took, if it took one.
    pub fn note(&mut self, queue: &str) -> Option<String> {
        if self.counts.values().sum::<u64>() > FADE {
            self.counts.values_mut().for_each(|count| *count /= 2);
        }
        let count = self.counts.entry(queue.to_owned()).or_default();
        *count += 1;
        let count = *count;
        if self.own.contains(queue) {
            return None;
        }
        if self.own.len() < self.limit {
            self.own.insert(queue.to_owned());
            return None;
        }
        let busy = |name: &&String| self.counts.get(*name).copied().unwrap_or(0);
        let least = self.own.iter().min_by_key(busy)?.clone();
        if count <= busy(&&least) * FACTOR + LEAD {
            return None;
        }
        self.own.remove(&least);
        self.own.insert(queue.to_owned());
        Some(least)
    }

    /// The label of a queue.
    #[must_use]
    pub fn label<'a>(&'a self, queue: &str) -> &'a str {
        self.own.get(queue).map_or(OTHER, String::as_str)
    }

    /// How many more could have series of their own.
    #[must_use]
    pub fn spare(&self) -> usize {
        self.limit - self.own.len()
    }

    /// The busiest of those with series of their own, at most so many.
    #[must_use]
    pub fn first(&self, count: usize) -> BTreeSet<&str> {
        let busy = |name: &&String| Reverse(self.counts.get(*name).copied().unwrap_or(0));
        let mut order: Vec<&String> = self.own.iter().collect();
        order.sort_by_key(busy);
        order.into_iter().take(count).map(String::as_str).collect()
    }

    /// Forgets queues that are gone; those of them that had series.
    pub fn keep(&mut self, is_there: impl Fn(&str) -> bool) -> Vec<String> {
        self.counts.retain(|queue, _| is_there(queue));
        let gone: Vec<String> = self.own.iter().filter(|it| !is_there(it)).cloned().collect();
        self.own.retain(|queue| is_there(queue));
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_come_first_and_equals_by_name() {
        let mut busiest = Busiest::new(3);
        for queue in ["b", "c", "a", "c"] {
            busiest.note(queue);
        }
        assert_eq!(busiest.first(2), ["a", "c"].into());
        assert_eq!((busiest.first(9).len(), busiest.spare()), (3, 0));
    }

    #[test]
    fn the_first_queues_have_their_own_and_a_much_busier_one_takes_a_place() {
        let mut busiest = Busiest::new(2);
        assert_eq!((busiest.note("a"), busiest.note("b"), busiest.note("c")), (None, None, None));
        assert_eq!([busiest.label("a"), busiest.label("c")], ["a", OTHER]);
        let taken: Vec<String> = (0..20).filter_map(|_| busiest.note("c")).collect();
        assert_eq!(taken, ["a"]);
        assert_eq!([busiest.label("a"), busiest.label("c")], [OTHER, "c"]);
    }

    #[test]
    fn a_queue_that_is_gone_leaves_its_place() {
        let mut busiest = Busiest::new(1);
        busiest.note("a");
        assert_eq!(busiest.keep(|queue| queue == "b"), ["a"]);
        busiest.note("b");
        assert_eq!(busiest.label("b"), "b");
    }
}
