//! How all watches stand, for `/readyz`, for metrics, and for whoever asks whether everything
//! that is needed has been told.
//!
//! Invariant: a source counts as told only once its whole list was handed on, not when it
//! arrived.

use super::discover::{is_core, is_of_volumes};
use crate::desk::Source;
use crate::served::Served;
use scheduler_model::time::{Span, Time};
use scheduler_protocol::watch::{Health, Trouble};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// How one source stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Which.
    pub source: Source,
    /// All of it was handed on at least once.
    pub is_told: bool,
    /// How long the server has said nothing about it.
    pub silent: Span,
    /// Objects there are.
    pub objects: usize,
    /// What is wrong with it, for people.
    pub trouble: Option<String>,
    /// Nothing is decided before it was told.
    pub is_needed: bool,
}

/// How all of it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readiness {
    /// What must still be told before anything is decided, and why it was not; empty if ready.
    pub missing: Vec<String>,
    /// What is wrong beside that.
    pub troubles: Vec<String>,
}

impl Readiness {
    /// True if everything that is needed was told.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.missing.is_empty()
    }
}

/// Shared by all watches.
#[derive(Debug)]
pub(super) struct Board {
    inner: Mutex<Inner>,
    patience: Patience,
    changed: Notify,
}

/// How long to wait for what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// Kinds of a dialect that cannot be listed keep everybody waiting no longer than this.
    pub optional: Span,
    /// A source of which nothing was heard for so long is told.
    pub silence: Span,
}

#[derive(Debug, Default)]
struct Inner {
    rows: BTreeMap<Source, Row>,
    is_discovered: bool,
    discovery: Option<String>,
    served: Option<Served>,
    is_served_new: bool,
    problems: usize,
}

#[derive(Debug)]
struct Row {
    begun: Time,
    health: Health,
    is_told: bool,
    objects: usize,
}

impl Board {
    pub(super) fn new(patience: Patience) -> Self {
        Self { inner: Mutex::default(), patience, changed: Notify::new() }
    }

    /// Waits until something happened that may make a difference to what is missing.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Rows are replaced whole, so a panic elsewhere leaves nothing half-written.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A source is watched from now on.
    pub(super) fn add(&self, source: Source, now: Time) {
        let row = Row { begun: now, health: Health::default(), is_told: false, objects: 0 };
        // One that goes on under another path was told all the same.
        self.lock().rows.entry(source).or_insert(row);
    }

    /// A source is not watched any more.
    pub(super) fn remove(&self, source: Source) {
        self.lock().rows.remove(&source);
        self.changed.notify_one();
    }

    /// What a watch says about itself.
    pub(super) fn note(&self, source: Source, health: Health) {
        let mut inner = self.lock();
        let Some(row) = inner.rows.get_mut(&source) else { return };
        let is_news = health.trouble.is_some() || row.health.trouble.is_some();
        row.health = health;
        if is_news {
            self.changed.notify_one();
        }
    }

    /// What was handed on.
    pub(super) fn told(&self, source: Source, is_whole: bool, objects: usize) {
        if let Some(row) = self.lock().rows.get_mut(&source) {
            row.is_told |= is_whole;
            row.objects = objects;
        }
    }

    /// True if objects of a kind may be there that cannot be known: it is served, and was not
    /// told yet or may not be read any more.
    pub(super) fn hides(&self, kind: &str) -> bool {
        let is_hidden = |(source, row): (&Source, &Row)| {
            let is_forbidden = matches!(row.health.trouble, Some(Trouble::Forbidden(_)));
            source.kind().kind == kind && (!row.is_told || is_forbidden)
        };
        self.lock().rows.iter().any(is_hidden)
    }

    /// So many things are wrong with objects now.
    pub(super) fn wrong(&self, problems: usize) {
        self.lock().problems = problems;
    }

    /// How many things are wrong with objects now.
    pub(super) fn problems(&self) -> usize {
        self.lock().problems
    }

    /// Whether it is known what the server serves, and what is wrong with asking.
    pub(super) fn discovered(&self, trouble: Option<String>) {
        let mut inner = self.lock();
        inner.is_discovered |= trouble.is_none();
        inner.discovery = trouble;
        self.changed.notify_one();
    }

    /// Groups are served in these versions.
    pub(super) fn serves(&self, served: Served) {
        let mut inner = self.lock();
        if inner.served.as_ref() != Some(&served) {
            (inner.served, inner.is_served_new) = (Some(served), true);
            self.changed.notify_one();
        }
    }

    /// The versions in which groups are served, if that changed since the last call.
    pub(super) fn take_served(&self) -> Option<Served> {
        let mut inner = self.lock();
        let is_new = std::mem::take(&mut inner.is_served_new);
        inner.served.clone().filter(|_| is_new)
    }

    /// How each source stands.
    pub(super) fn standings(&self, now: Time) -> Vec<Standing> {
        let inner = self.lock();
        inner.rows.iter().map(|(source, row)| self.standing(*source, row, now)).collect()
    }

    fn standing(&self, source: Source, row: &Row, now: Time) -> Standing {
        let silent = now.since(row.health.last_heard.unwrap_or(row.begun));
        let refused =
            matches!(row.health.trouble, Some(Trouble::Forbidden(_) | Trouble::Missing(_)));
        let is_early = now.since(row.begun) < self.patience.optional;
        // Volumes are waited for as long as they may still come, however many there are.
        let is_awaited = is_early || is_of_volumes(source.kind());
        let is_needed = is_core(source.kind()) || (is_awaited && !refused);
        let trouble = trouble(source, row, silent, self.patience.silence);
        let (is_told, objects) = (row.is_told, row.objects);
        Standing { source, is_told, silent, objects, trouble, is_needed }
    }

    /// Whether everything that is needed was told.
    pub(super) fn readiness(&self, now: Time) -> Readiness {
        let mut readiness = Readiness::default();
        {
            let inner = self.lock();
            if let Some(why) = &inner.discovery {
                readiness.troubles.push(format!("what the API server serves: {why}"));
            }
            if !inner.is_discovered {
                readiness.missing.push("what the API server serves".to_owned());
            }
        }
        for one in self.standings(now) {
            let source = one.source;
            if one.is_needed && !one.is_told {
                readiness.missing.push(match one.trouble {
                    Some(trouble) => format!("{source}: {trouble}"),
                    None => format!("{source}: not listed yet"),
                });
            } else if let Some(trouble) = one.trouble {
                readiness.troubles.push(format!("{source}: {trouble}"));
            }
        }
        readiness
    }
}

fn trouble(source: Source, row: &Row, silent: Span, patience: Span) -> Option<String> {
    let resource = source.kind().resource();
    match &row.health.trouble {
        Some(Trouble::Forbidden(_)) => Some(format!(
            "not allowed to list {resource}: give the service account the verbs list and watch \
             on it"
        )),
        Some(Trouble::Missing(_)) => Some(format!("{resource} is not served any more")),
        Some(other) => Some(other.words().to_owned()),
        None if silent > patience => Some(format!("nothing was heard of it for {silent}")),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::Part;

    const PATIENCE: Patience =
        Patience { optional: Span::from_secs(15), silence: Span::from_secs(90) };

    fn at(secs: i64) -> Time {
        Time::from_ms(secs * 1000)
    }

    fn queues() -> Source {
        Source::of("muster.sh", "Queue").expect("queues are read")
    }

    /// A board that has seen discovery and watches one source since second 0.
    fn board(source: Source) -> Board {
        let board = Board::new(PATIENCE);
        board.discovered(None);
        board.add(source, at(0));
        board
    }

    fn trouble(trouble: Trouble) -> Health {
        Health { trouble: Some(trouble), last_heard: Some(at(1)), is_synced: false }
    }

    #[test]
    fn nothing_is_ready_before_it_is_known_what_there_is() {
        let board = Board::new(PATIENCE);
        board.discovered(Some("no answer".to_owned()));
        let readiness = board.readiness(at(0));
        assert_eq!(readiness.missing, ["what the API server serves"]);
        assert_eq!(readiness.troubles, ["what the API server serves: no answer"]);
        board.discovered(None);
        assert!(board.readiness(at(0)).is_ready());
    }

    #[test]
    fn a_source_is_ready_once_all_of_it_was_handed_on() {
        let source = Source::pods(Part::Others);
        let board = board(source);
        assert_eq!(board.readiness(at(1)).missing, ["pods (of other schedulers): not listed yet"]);
        board.told(source, false, 3);
        assert!(!board.readiness(at(1)).is_ready());
        board.told(source, true, 5);
        board.told(source, false, 6);
        assert!(board.readiness(at(1)).is_ready());
        assert_eq!(board.standings(at(1))[0].objects, 6);
    }

    #[test]
    fn a_core_kind_that_is_not_allowed_is_missing_with_what_to_do() {
        let source = Source::of("batch", "Job").expect("jobs are read");
        let board = board(source);
        board.note(source, trouble(Trouble::Forbidden("no".to_owned())));
        let said = &board.readiness(at(99)).missing[0];
        assert!(said.contains("not allowed to list jobs.batch") && said.contains("give"), "{said}");
    }

    #[test]
    fn a_kind_of_a_dialect_that_is_not_allowed_keeps_nobody_waiting() {
        let board = board(queues());
        assert!(!board.readiness(at(1)).is_ready(), "it may come any moment");
        board.note(queues(), trouble(Trouble::Forbidden("no".to_owned())));
        let readiness = board.readiness(at(1));
        assert!(readiness.is_ready());
        assert!(readiness.troubles[0].contains("not allowed to list queues.muster.sh"));
    }

    #[test]
    fn a_kind_of_a_dialect_that_fails_keeps_everybody_waiting_for_a_while_only() {
        let board = board(queues());
        board.note(queues(), trouble(Trouble::Failing("status 500".to_owned())));
        assert!(!board.readiness(at(14)).is_ready());
        assert!(board.readiness(at(15)).is_ready());
    }

    #[test]
    fn a_kind_is_hidden_until_it_was_told_and_again_once_it_is_forbidden() {
        let source = Source::of("policy", "PodDisruptionBudget").expect("budgets are read");
        let board = Board::new(PATIENCE);
        assert!(!board.hides("PodDisruptionBudget"), "it is not served");
        board.add(source, at(0));
        assert!(board.hides("PodDisruptionBudget"));
        board.told(source, true, 0);
        assert!(!board.hides("PodDisruptionBudget"));
        board.note(source, trouble(Trouble::Failing("status 500".to_owned())));
        assert!(!board.hides("PodDisruptionBudget"), "what was told is known");
        board.note(source, trouble(Trouble::Forbidden("no".to_owned())));
        assert!(board.hides("PodDisruptionBudget"));
    }

    #[test]
    fn a_source_that_says_nothing_shows() {
        let board = board(queues());
        board.told(queues(), true, 1);
        board.note(queues(), Health { last_heard: Some(at(10)), ..Health::default() });
        assert_eq!(board.readiness(at(100)).troubles, Vec::<String>::new());
        let said = board.readiness(at(101)).troubles;
        assert_eq!(said, ["queues.muster.sh: nothing was heard of it for 1m31s"]);
    }
}
