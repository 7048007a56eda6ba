//! In which order a queue serves its own gangs, and when it holds room for them: what it says
//! itself, or the nearest queue above it that says something.

use super::QueueTree;
use crate::ids::QueueId;
use crate::spec::{Order, QueueSpec};
use crate::time::Span;

impl QueueTree {
    /// In which order a queue serves its own gangs.
    #[must_use]
    pub fn order(&self, queue: QueueId) -> Order {
        self.said(queue, |spec| spec.order).unwrap_or_default()
    }

    /// How long gangs of a queue are blocked at the head of its line before room is held for
    /// them, if it ever is; `default` is what the scheduler is configured to.
    #[must_use]
    pub fn hold_after(&self, queue: QueueId, default: Span) -> Option<Span> {
        let may_hold = self.said(queue, |spec| spec.holds).unwrap_or(true);
        if !may_hold || self.order(queue) == Order::BestEffortFifo {
            return None;
        }
        Some(self.said(queue, |spec| spec.hold_after).unwrap_or(default))
    }

    fn said<T>(&self, queue: QueueId, of: impl Fn(&QueueSpec) -> Option<T>) -> Option<T> {
        self.path(queue).find_map(|row| of(&row.spec))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use crate::snapshot::Snapshot;
    use crate::time::Time;

    fn tree(above: QueueSpec, below: QueueSpec) -> (Snapshot, QueueId) {
        let mut snap = Snapshot::default();
        snap.ingest(Event::Queue(above), Time::ZERO);
        snap.ingest(Event::Queue(below), Time::ZERO);
        snap.settle();
        let id = snap.queues().find("below").expect("it was told");
        (snap, id)
    }

    fn below() -> QueueSpec {
        QueueSpec { parent: Some("above".to_owned()), ..QueueSpec::named("below") }
    }

    const DEFAULT: Span = Span::from_secs(300);

    #[test]
    fn the_nearest_queue_that_says_something_is_heeded() {
        let above = QueueSpec {
            order: Some(Order::Fifo),
            hold_after: Some(Span::from_secs(60)),
            ..QueueSpec::named("above")
        };
        let (heir, id) = tree(above.clone(), below());
        assert_eq!(heir.queues().order(id), Order::Fifo);
        assert_eq!(heir.queues().hold_after(id, DEFAULT), Some(Span::from_secs(60)));
        let own =
            QueueSpec { order: Some(Order::FairByUser), hold_after: Some(Span::ZERO), ..below() };
        let (own, id) = tree(above, own);
        assert_eq!(own.queues().order(id), Order::FairByUser);
        assert_eq!(own.queues().hold_after(id, DEFAULT), Some(Span::ZERO));
    }

    #[test]
    fn where_nobody_says_anything_it_is_priority_with_hold_as_configured() {
        let (tree, id) = tree(QueueSpec::named("above"), below());
        assert_eq!(
            (tree.queues().order(id), tree.queues().hold_after(id, DEFAULT)),
            (Order::Priority, Some(DEFAULT))
        );
    }

    #[test]
    fn a_queue_that_does_not_hold_never_does_and_a_best_effort_one_neither() {
        let hold_after = Some(Span::ZERO);
        let never = QueueSpec { holds: Some(false), hold_after, ..below() };
        let (never, id) = tree(QueueSpec::named("above"), never);
        assert_eq!(never.queues().hold_after(id, DEFAULT), None);
        let loose = QueueSpec { order: Some(Order::BestEffortFifo), hold_after, ..below() };
        let (loose, id) = tree(QueueSpec::named("above"), loose);
        assert_eq!(loose.queues().hold_after(id, DEFAULT), None);
        let again = QueueSpec { holds: Some(true), ..below() };
        let above = QueueSpec { holds: Some(false), ..QueueSpec::named("above") };
        let (again, id) = tree(above, again);
        assert_eq!(again.queues().hold_after(id, DEFAULT), Some(DEFAULT));
    }
}
