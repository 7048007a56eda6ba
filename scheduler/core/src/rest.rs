//! Pods whose binds were refused: the first time they are tried again at once, after that they
//! rest for longer and longer, so that no refusal makes the scheduler spin.

use crate::engine::Engine;
use scheduler_model::time::{Span, Time};
use std::collections::BTreeMap;

/// The rest after the second refusal; each further one doubles it.
const FIRST: Span = Span::from_secs(1);
/// The longest rest.
const LONGEST: Span = Span::from_secs(60);
/// Refusals longer ago than this do not count any more.
const FORGOTTEN_AFTER: Span = Span::from_secs(3600);

/// Refusals of one pod's binds.
#[derive(Clone, Debug)]
struct Refusals {
    count: u32,
    /// When it may be tried again.
    until: Time,
    is_resting: bool,
}

/// Pods with refused binds, by uid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rests {
    rows: BTreeMap<String, Refusals>,
}

impl Rests {
    /// When the next pod may be tried again.
    pub(crate) fn next(&self) -> Option<Time> {
        self.rows.values().filter(|row| row.is_resting).map(|row| row.until).min()
    }
}

impl Engine {
    /// Lets a pod rest if its bind was refused before.
    pub(crate) fn rest(&mut self, uid: &str, why: &str, now: Time) {
        let Some(pod) = self.snapshot.pods().find(uid) else { return };
        let row = self.rests.rows.entry(uid.to_owned()).or_insert(Refusals {
            count: 0,
            until: now,
            is_resting: false,
        });
        row.count = row.count.saturating_add(1);
        if row.count > 1 {
            row.until = now.after(doubled(FIRST, row.count - 2, LONGEST));
            row.is_resting = true;
            self.snapshot.set_refused(pod, Some(why.into()));
        }
    }

    /// Ends rests that are over, and forgets pods that have a place or are gone.
    pub(crate) fn end_rests(&mut self, now: Time) {
        let snap = &mut self.snapshot;
        let (touched, changed) = (&mut self.touched, &mut self.changed);
        self.rests.rows.retain(|uid, row| {
            let Some(id) = snap.pods().find(uid) else { return false };
            let pod = snap.pods().get(id);
            let is_over = pod.spec.node.is_some() || pod.spec.phase.is_finished();
            let gang = pod.gang;
            if row.is_resting && (is_over || row.until <= now) {
                row.is_resting = false;
                snap.set_refused(id, None);
                touched.extend(&gang);
                changed.extend(gang);
            }
            !is_over && now < row.until.after(FORGOTTEN_AFTER)
        });
    }
}

/// `first`, doubled `times` times, at most `most`.
pub(crate) fn doubled(first: Span, times: u32, most: Span) -> Span {
    let factor = 1_i64.checked_shl(times).filter(|factor| *factor > 0).unwrap_or(i64::MAX);
    Span::from_ms(first.ms().saturating_mul(factor)).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_doubles_until_it_is_the_longest() {
        let secs = |times| doubled(FIRST, times, LONGEST).ms() / 1000;
        assert_eq!((secs(0), secs(1), secs(5), secs(6)), (1, 2, 32, 60));
        assert_eq!((secs(63), secs(64), secs(1000)), (60, 60, 60));
    }
}
