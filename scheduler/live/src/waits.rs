//! How long gangs wait, and for what: members, their queue, room, binds.
//!
//! Pods carry their creation to the second; where a gang came up under our eyes its own first
//! sight is used, which is good to milliseconds. After a restart the past is taken from the
//! ledger and the pods, and what of it was spent waiting for the queue counts as waiting for
//! room.

use crate::news::Started;
use scheduler_model::spec::GangKey;
use scheduler_model::time::{Span, Time};
use scheduler_protocol::facts::GangFacts;
use std::collections::BTreeMap;

/// What happened this long ago was seen happen.
const FRESH: Span = Span::from_secs(2);

/// Clocks of all gangs that have not started.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waits {
    gangs: BTreeMap<GangKey, Wait>,
}

#[derive(Clone, Debug)]
struct Wait {
    /// Names the run: creation of its first member.
    run: Option<Time>,
    began: Time,
    complete: Option<Time>,
    /// Time spent waiting for the queue so far, and since when it does again.
    quota: Span,
    quota_since: Option<Time>,
    planned: Option<Time>,
}

impl Waits {
    /// A gang as it is now.
    pub(crate) fn look(&mut self, facts: &GangFacts, now: Time) {
        let key = &facts.group.key;
        let is_idle = facts.counts.exist == 0;
        if is_idle || facts.has_started {
            self.gangs.remove(key);
            return;
        }
        let run = facts.ledger.run;
        if self.gangs.get(key).is_some_and(|wait| wait.run != run && wait.planned.is_none()) {
            self.gangs.remove(key);
        }
        let wait = self.gangs.entry(key.clone()).or_insert_with(|| Wait {
            run,
            began: seen(run, now),
            complete: None,
            quota: Span::ZERO,
            quota_since: None,
            planned: None,
        });
        if facts.ledger.age.is_some() && wait.complete.is_none() {
            wait.complete = Some(seen(facts.ledger.age, now).max(wait.began));
        }
        let is_quota = facts.explanation.as_ref().is_some_and(|it| it.reason.is_of_queue());
        match wait.quota_since {
            None if is_quota => wait.quota_since = Some(now),
            Some(since) if !is_quota => {
                wait.quota = plus(wait.quota, now.since(since));
                wait.quota_since = None;
            }
            _ => {}
        }
    }

    /// A gang got a plan for its minimum.
    pub(crate) fn planned(&mut self, gang: &GangKey, now: Time) {
        let Some(wait) = self.gangs.get_mut(gang) else { return };
        if let Some(since) = wait.quota_since.take() {
            wait.quota = plus(wait.quota, now.since(since));
        }
        wait.planned = Some(now);
    }

    /// The plan of a gang was taken back.
    pub(crate) fn withdrawn(&mut self, gang: &GangKey) {
        if let Some(wait) = self.gangs.get_mut(gang) {
            wait.planned = None;
        }
    }

    /// The minimum of a gang is bound: how long it waited for what. `None` if it had started
    /// before, or was never seen to wait.
    pub(crate) fn started(
        &mut self,
        gang: &GangKey,
        queue: &str,
        (first, last): (Time, Time),
    ) -> Option<Started> {
        let planned = self.gangs.get(gang)?.planned?;
        let wait = self.gangs.remove(gang)?;
        let complete = wait.complete.unwrap_or(planned).min(planned);
        let waited = planned.since(complete);
        let quota = wait.quota.min(waited);
        Some(Started {
            gang: gang.clone(),
            queue: queue.to_owned(),
            wait: last.since(wait.began),
            members: complete.since(wait.began),
            quota,
            placement: Span::from_ms(waited.ms() - quota.ms()),
            bind: last.since(planned),
            skew: last.since(first),
            at: last,
        })
    }

    /// A gang is gone.
    pub(crate) fn gone(&mut self, gang: &GangKey) {
        self.gangs.remove(gang);
    }
}

/// The moment itself if it lies some way back, else now: it was just seen.
fn seen(moment: Option<Time>, now: Time) -> Time {
    match moment {
        Some(moment) if now.since(moment) >= FRESH => moment,
        _ => now,
    }
}

fn plus(a: Span, b: Span) -> Span {
    Span::from_ms(a.ms().saturating_add(b.ms()))
}
