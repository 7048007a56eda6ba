//! What stands in the status of queues, from what the engine counts.
//!
//! All of them are looked at once anything changed, and not more often than every few seconds:
//! numbers of queues change with every pod, and nobody reads them that fast.

use crate::driver::Live;
use crate::news::Notice;
use scheduler_core::queues::{QueueAmounts, QueueTrouble, QueueView};
use scheduler_model::amount::Amount;
use scheduler_model::spec::{Dialect, GangKey, QueueSpec};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::call::QueueRef;
use scheduler_protocol::facts::GangFacts;
use scheduler_protocol::status::{GroupsByPhase, Phase, QueueStatus};
use scheduler_protocol::tell::QueueTeller;
use std::collections::BTreeMap;

/// Least time between two looks.
const EVERY: Span = Span::from_secs(5);

/// Who is told of queues, and when it is looked again.
#[derive(Debug, Default)]
pub(crate) struct QueueDesk {
    pub(crate) teller: QueueTeller,
    /// There was an object whose status is ours.
    pub(crate) has_any: bool,
    /// Something changed since the last look.
    pub(crate) is_stale: bool,
    looks_at: Time,
    /// Groups of ours of a kind whose queues count them: queue and phase of each.
    groups: BTreeMap<GangKey, (String, Phase)>,
}

impl QueueDesk {
    /// A group is gone.
    pub(crate) fn forget(&mut self, key: &GangKey) {
        self.groups.remove(key);
    }

    /// The watch shows a queue: what stands there is of no use to the engine, which would wake
    /// all gangs for each write of its status.
    pub(crate) fn shown(&mut self, queue: &mut QueueSpec, now: Time) {
        let digest = queue.digest.take();
        if queue.dialect == Some(Dialect::Volcano) {
            self.teller.stands(&queue.name, &queue.uid, digest, now);
        }
        self.has_any |= queue.dialect.is_some();
    }

    fn count_groups(&self) -> BTreeMap<String, GroupsByPhase> {
        let mut counts: BTreeMap<String, GroupsByPhase> = BTreeMap::new();
        for (queue, phase) in self.groups.values() {
            counts.entry(queue.clone()).or_default().add(*phase);
        }
        counts
    }

    /// When there is something to do if nothing happens.
    pub(crate) fn wake_at(&self, now: Time) -> Option<Time> {
        let look = (self.has_any && self.is_stale).then_some(self.looks_at);
        look.into_iter().chain(self.teller.wake_at(now)).min()
    }
}

impl Live {
    /// Takes in where a group stands, if it is ours and its queue counts such groups.
    pub(crate) fn count(&mut self, facts: &GangFacts) {
        let key = &facts.group.key;
        if key.dialect != Dialect::Volcano {
            return;
        }
        if facts.has_object && self.is_ours(facts) {
            self.queues.groups.insert(key.clone(), (facts.queue.clone(), facts.phase));
        } else {
            self.queues.forget(key);
        }
    }

    /// Looks at the queues if it is time to, and lets their teller speak.
    pub(crate) fn tell_queues(&mut self, now: Time) {
        let desk = &self.queues;
        if desk.has_any && desk.is_stale && desk.looks_at <= now {
            let waiting = self.engine.waiting(now);
            let groups = desk.count_groups();
            let views = self.engine.queues().into_iter();
            let all = views.filter_map(|view| facts(&view, &waiting, &groups)).collect();
            self.queues.teller.queues(all, now);
            (self.queues.is_stale, self.queues.looks_at) = (false, now.after(EVERY));
        }
        self.queues.teller.turn(now, &mut self.lanes);
        if let Some(queue) = self.queues.teller.take_contested() {
            self.notices.push(Notice::Trouble(format!(
                "another one keeps counting in the status of the Volcano queue {queue:?}, whose \
                 gangs name muster; it and others like it are left alone for an hour at a time"
            )));
        }
    }
}

fn facts(
    view: &QueueView,
    waiting: &BTreeMap<String, u32>,
    groups: &BTreeMap<String, GroupsByPhase>,
) -> Option<(QueueRef, QueueStatus)> {
    let (name, uid) = (view.name.clone(), view.uid.clone());
    let queue = QueueRef { dialect: view.dialect?, name, uid };
    let of = |of: fn(&QueueAmounts) -> Amount| {
        let in_all = view.amounts.iter().filter(|((flavour, _), _)| flavour.is_none());
        let some = in_all.filter(|(_, it)| of(it) > Amount::ZERO);
        some.map(|((_, resource), it)| (resource.clone(), of(it))).collect()
    };
    let trouble = view.trouble.as_ref();
    let status = QueueStatus {
        trouble: trouble.map(|it| (it.reason().to_owned(), it.to_string())),
        is_notice: trouble.is_some_and(QueueTrouble::is_notice),
        since: Time::ZERO,
        used: of(|it| it.used),
        entitled: of(|it| it.entitled),
        fair: of(|it| it.fair),
        waiting: waiting.get(&view.name).copied().unwrap_or(0),
        groups: groups.get(&view.name).copied(),
        is_first: false,
    };
    Some((queue, status))
}
