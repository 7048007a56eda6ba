//! What follows from the facts of a gang: the status of its group, and its events.

use super::class::Class;
use super::echo::{Echo, Rival};
use super::slate::{Pace, Slate};
use super::{PodEvents, Shown, TellConfig, fingerprint};
use crate::call::{Call, GroupRef};
use crate::facts::GangFacts;
use crate::status::{About, EventNote, EventReason, GroupStatus, Phase};
use scheduler_model::spec::{Dialect, GangKey, Ledger, Reservation};
use scheduler_model::time::{Span, Time};
use std::collections::BTreeSet;

/// What was told of a gang, and what is to be.
#[derive(Clone, Debug)]
pub(super) struct Gang {
    pub(super) uid: String,
    pub(super) status: Slate,
    echo: Echo,
    /// Whether another scheduler writes there too.
    rival: Rival,
    /// What is to stand in the status.
    page: Option<Box<GroupStatus>>,
    phase: Phase,
    phase_since: Time,
    /// Creation of the run's first member: names the run.
    run: Option<Time>,
    has_started: bool,
    /// The event of its start is out, or was before this process.
    is_start_told: bool,
    class: Option<Class>,
    class_since: Time,
    exist: u32,
    /// Room was being made for it, and is not any more.
    pub(super) has_lost_room: bool,
    /// The class that its events spoke of last.
    told: Option<Class>,
    /// Since when members have a node that the API does not show yet.
    assumed_since: Option<Time>,
    pub(super) look_at: Option<Time>,
    /// When what stands on its pods is to be looked at again.
    pub(super) pods_look: Option<Time>,
    /// Pods of which something is remembered.
    pub(super) pods: BTreeSet<String>,
    /// Pods whose own event is out.
    announced: BTreeSet<String>,
    /// The class, once it stood long enough to be told.
    pub(super) settled: Option<Class>,
}

impl Gang {
    pub(super) fn new(facts: &GangFacts, now: Time) -> Self {
        // Whoever is seen placed without our doing was placed before this process.
        let is_fresh = facts.members.iter().any(|member| member.assumed.is_some());
        let words: Vec<&str> = facts
            .members
            .iter()
            .filter_map(|member| member.told.as_ref().map(|told| told.reason.as_str()))
            .collect();
        let told = Class::ALL.into_iter().find(|class| words.contains(&class.reason()));
        let bound = facts.members.iter().filter(|member| member.node.is_some());
        Self {
            uid: facts.group.uid.clone(),
            status: Slate::default(),
            echo: Echo::default(),
            rival: Rival::default(),
            page: None,
            phase: facts.phase,
            phase_since: now,
            run: facts.ledger.run,
            has_started: facts.has_started,
            is_start_told: facts.has_started && !is_fresh,
            class: None,
            class_since: now,
            exist: facts.counts.exist,
            has_lost_room: facts.has_lost_room,
            told,
            assumed_since: None,
            look_at: None,
            pods_look: None,
            pods: BTreeSet::new(),
            announced: bound.map(|member| member.pod.uid.clone()).collect(),
            settled: None,
        }
    }

    /// True for a pod by itself that has its node, once all was said of it: the many that run
    /// need not be remembered, as their facts alone say so.
    pub(super) fn is_over(&self, facts: &GangFacts) -> bool {
        let is_alone = facts.group.key.dialect == Dialect::Pod;
        let is_placed = facts.members.iter().all(|member| member.node.is_some());
        let is_silent = self.class.is_none() && self.look_at.is_none() && self.pods.is_empty();
        is_alone && is_placed && is_silent && self.has_started && self.is_start_told
    }

    /// Its group is another object now, on which nothing stands yet.
    pub(super) fn renew(&mut self, facts: &GangFacts, now: Time) {
        self.uid.clone_from(&facts.group.uid);
        self.page = None;
        (self.phase, self.phase_since) = (facts.phase, now);
        self.has_started = facts.has_started;
    }

    /// Takes the facts in.
    pub(super) fn look(&mut self, facts: &GangFacts, config: &TellConfig, now: Time) {
        let run = facts.ledger.run;
        // A member that is older than all others is no new run.
        if self.run.is_some() && run > self.run {
            // A new run starts anew; what Kubernetes' own groups once were they stay.
            self.has_started &= facts.group.key.dialect == Dialect::Kubernetes;
            self.is_start_told = false;
            self.told = None;
        }
        self.run = run.or(self.run);
        self.has_started |= facts.has_started;
        // Whoever makes pods for an admitted group may be doing so: there is no way back.
        let phase = if facts.phase == Phase::Pending && self.phase != Phase::Pending {
            Phase::Admitted
        } else {
            facts.phase
        };
        if phase != self.phase {
            (self.phase, self.phase_since) = (phase, now);
        }
        let class = facts.explanation.as_ref().map(|why| Class::of(&why.reason));
        let has_news = class == Some(Class::Members) && self.exist != facts.counts.exist;
        if class != self.class || has_news {
            (self.class, self.class_since) = (class, now);
        }
        self.exist = facts.counts.exist;
        self.has_lost_room = facts.has_lost_room;
        let is_assumed = facts.members.iter().any(|it| it.node.is_none() && it.assumed.is_some());
        self.assumed_since = is_assumed.then(|| self.assumed_since.unwrap_or(now));
        self.settled = self.class.filter(|class| self.settles_at(*class, config) <= now);
    }

    fn settles_at(&self, class: Class, config: &TellConfig) -> Time {
        let is_coming = class == Class::Members;
        let quiet = if is_coming { config.members_quiet_for } else { config.quiet_for };
        self.class_since.after(quiet)
    }

    /// True if members wait long for the end of their binds.
    pub(super) fn is_late(&self, config: &TellConfig, now: Time) -> bool {
        self.assumed_since.is_some_and(|since| since.after(config.nominate_after) <= now)
    }

    /// When something will have stood long enough.
    pub(super) fn next_look(&self, config: &TellConfig, now: Time) -> Option<Time> {
        let class = self.class.map(|class| self.settles_at(class, config));
        let nominate = self.assumed_since.map(|since| since.after(config.nominate_after));
        let echoes = [self.echo.next_look(), self.rival.next_look(), self.pods_look];
        let echo = echoes.into_iter().flatten();
        class.into_iter().chain(nominate).chain(echo).filter(|at| *at > now).min()
    }

    /// What stands on the group: written again if another write came after ours. True, once, if
    /// another scheduler wrote it, which is not answered.
    pub(super) fn stands(&mut self, shown: &Shown, digest: Option<u64>, now: Time) -> bool {
        let Some(page) = self.page.as_ref().filter(|_| self.status.is_written()) else {
            self.echo = Echo::default();
            self.rival.absent();
            return false;
        };
        let written = (&page.ledger, self.status.written());
        if self.echo.look_whole((&shown.ledger, digest), written, now) {
            self.status.overwritten(now);
        }
        if !shown.is_contested {
            self.rival.absent();
            return false;
        }
        self.rival.seen(now)
    }

    /// True if the watch shows another status than what was written.
    pub(super) fn is_other(&self, digest: u64) -> bool {
        self.status.is_written() && self.status.written() != Some(digest)
    }

    /// Makes up what is to stand in the group's status, and how soon.
    pub(super) fn tell(&mut self, facts: &GangFacts, config: &TellConfig, now: Time) {
        let dialect = facts.group.key.dialect;
        let is_waiting = matches!(self.phase, Phase::Pending | Phase::Admitted);
        let is_reserved = facts.ledger.reservation.is_some();
        let is_mute =
            is_waiting && self.settled.is_none() && dialect != Dialect::Volcano && !is_reserved;
        // Nor does silence take back what an earlier process said.
        if is_mute && self.page.is_none() {
            return;
        }
        let page = GroupStatus {
            phase: self.phase,
            since: self.phase_since,
            min: facts.min,
            counts: facts.counts,
            has_started: self.has_started,
            explanation: facts.explanation.clone(),
            ledger: facts.ledger.clone(),
            generation: facts.generation,
        };
        // Its controller makes no pods before it reads this.
        let is_asked_for =
            dialect == Dialect::Volcano && page.phase == Phase::Admitted && page.counts.exist == 0;
        // Nobody is evicted for it before this stands.
        let plan = |page: &GroupStatus| page.ledger.reservation.as_ref().map(|it| it.plan);
        let is_new_plan = is_reserved && self.page.as_deref().and_then(plan) != plan(&page);
        let is_urgent = is_asked_for || is_new_plan;
        let spacing = match &self.page {
            Some(before) if outline(before) == outline(&page) => {
                let is_counted = before.counts != page.counts || before.ledger != page.ledger;
                if is_counted { config.counts_every } else { config.numbers_every }
            }
            _ => config.quiet_for,
        };
        // What settled has had its delay.
        let delay = if self.settled.is_some() { Span::ZERO } else { config.quiet_for };
        let pace = if is_urgent { Pace::AT_ONCE } else { Pace { delay, spacing } };
        self.status.want(fingerprint(dialect, &page), pace, now);
        self.page = Some(Box::new(page));
    }

    pub(super) fn call(&self, key: &GangKey) -> Option<Call> {
        let group = GroupRef { key: key.clone(), uid: self.uid.clone() };
        Some(Call::GroupStatus { group, status: self.page.clone()? })
    }

    /// Events that the facts give rise to.
    pub(super) fn events(
        &mut self,
        facts: &GangFacts,
        config: &TellConfig,
        now: Time,
    ) -> Vec<EventNote> {
        let mut notes = Vec::new();
        if config.pod_events == PodEvents::On {
            self.announce(facts, now, &mut notes);
        }
        let Some(about) = about(facts) else { return notes };
        if self.has_started && !self.is_start_told {
            self.is_start_told = true;
            self.told = None;
            let note = match facts.members.len() {
                0 | 1 => "it has its node".to_owned(),
                _ => format!("members have their nodes: at least {} at once", facts.min),
            };
            let reason = EventReason::Scheduled;
            notes.push(EventNote { about: about.clone(), reason, note, at: now });
        }
        let Some(class) = self.settled.filter(|class| !class.is_mute()) else { return notes };
        let Some(why) = facts.explanation.as_ref().filter(|_| self.told != Some(class)) else {
            return notes;
        };
        self.told = Some(class);
        let note = format!("{why}; next step: {}", why.next_step);
        notes.push(EventNote { about, reason: EventReason::Waiting, note, at: now });
        notes
    }

    fn announce(&mut self, facts: &GangFacts, now: Time, notes: &mut Vec<EventNote>) {
        for member in &facts.members {
            let Some(node) = &member.node else { continue };
            let pod = &member.pod;
            if self.announced.insert(pod.uid.clone()) {
                let about = About::Pod(pod.namespace.clone(), pod.name.clone(), pod.uid.clone());
                let note = format!("bound to node {node}");
                notes.push(EventNote { about, reason: EventReason::Scheduled, note, at: now });
            }
        }
        let present: BTreeSet<&str> =
            facts.members.iter().map(|member| member.pod.uid.as_str()).collect();
        self.announced.retain(|uid| present.contains(uid.as_str()));
    }
}

/// What of a status is worth a prompt write; the rest are numbers, and who is the youngest.
fn outline(page: &GroupStatus) -> (Phase, bool, Option<Class>, Ledger, i64) {
    let class = page.explanation.as_ref().map(|why| Class::of(&why.reason));
    let plan = page.ledger.reservation.as_ref().map(|it| it.plan);
    let reservation = plan.map(|plan| Reservation { plan, ..Reservation::default() });
    let ledger =
        Ledger { succeeded: Vec::new(), youngest: None, reservation, ..page.ledger.clone() };
    (page.phase, page.has_started, class, ledger, page.generation)
}

/// What the gang's events are about: its group, else its first member.
fn about(facts: &GangFacts) -> Option<About> {
    if facts.has_object {
        return Some(About::Group(facts.group.key.clone(), facts.group.uid.clone()));
    }
    let pod = &facts.members.first()?.pod;
    Some(About::Pod(pod.namespace.clone(), pod.name.clone(), pod.uid.clone()))
}
