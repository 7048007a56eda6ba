//! What follows from the facts of a gang: clocks, repair, and what people are told.
//!
//! Facts are looked at once they changed, and when a machine asks to look again; those of a large
//! gang after a pause ([`scheduler_core::pace`]). Only whoever may write repairs and tells; the
//! others keep the clocks running.

use crate::driver::Live;
use crate::facts;
use crate::news::Notice;
use scheduler_model::spec::{Dialect, GangKey};
use scheduler_model::time::Time;
use scheduler_protocol::facts::GangFacts;
use scheduler_protocol::repair::{RELEASE_ADVICE, RepairNews, Stage};
use scheduler_protocol::status::{About, EventNote, EventReason};
use scheduler_protocol::tell::Shown;

impl Live {
    /// Looks at the gangs that changed, and lets the machines speak.
    pub(crate) fn tell(&mut self, now: Time) {
        self.touched.extend(self.engine.take_touched());
        if !self.is_ready() {
            // Half a world tells nothing: gangs would seem to have lost what is not read yet.
            return;
        }
        let may_write = self.may_write(now);
        if may_write {
            self.touched.extend(self.repair.looks(now));
            self.touched.extend(self.teller.looks(now));
            self.touched.extend(self.evictor.looks(now).cloned());
        }
        self.rests.retain(|_, until| *until > now);
        for key in std::mem::take(&mut self.touched) {
            if self.rests.contains_key(&key) {
                self.touched.insert(key);
                continue;
            }
            match self.engine.gang(&key) {
                Some(mut view) => {
                    if self.volumes.is_late(&key) {
                        view.explanation = view.explanation.or(view.awaits.take());
                    }
                    let facts = facts::of(view);
                    let next = self.settings.engine.pace.next(facts.members.len(), now);
                    self.rests.extend(next.map(|next| (key.clone(), next)));
                    self.waits.look(&facts, now);
                    self.count(&facts);
                    if may_write && self.is_ours(&facts) {
                        self.look(facts, now);
                    }
                }
                None => self.forget(&key),
            }
        }
        for news in self.repair.take_news() {
            self.hear(news, now);
        }
        if may_write {
            self.teller.take_back(&mut self.lanes);
            if self.may_speak(now) {
                self.teller.turn(now, &mut self.lanes);
                self.tell_queues(now);
            }
        }
    }

    /// Gangs wait worse than people do: while binds fill their window, words have a pause first.
    fn may_speak(&mut self, now: Time) -> bool {
        if !self.lanes.binds_fill(now) {
            self.hushed_until = None;
            return true;
        }
        let until = self.hushed_until.get_or_insert(now.after(self.settings.words_wait));
        *until <= now
    }

    /// When to look again even if nothing changes.
    pub(crate) fn tells_at(&self, now: Time) -> Option<Time> {
        if !self.is_ready() {
            return None;
        }
        let touched =
            self.touched.iter().map(|key| self.rests.get(key).copied().unwrap_or(now)).min();
        if !self.may_write(now) {
            return touched;
        }
        let tellers = [self.teller.wake_at(now), self.queues.wake_at(now)];
        let speaks =
            tellers.into_iter().flatten().min().map(|at| at.max(self.hushed_until.unwrap_or(at)));
        let machines = [self.repair.wake_at(), speaks];
        machines.into_iter().flatten().chain(touched).min()
    }

    fn look(&mut self, mut facts: GangFacts, now: Time) {
        self.repair.look(&facts, &mut self.lanes, now);
        let key = &facts.group.key;
        if self.repair.stage(key) == Some(Stage::Recording) {
            let releases = self.recorded(&facts);
            self.repair.recorded(key, releases, &mut self.lanes, now);
        }
        self.show_reservation(&mut facts, now);
        let key = &facts.group.key;
        if let Some(shown) = self.stands(&facts)
            && self.teller.shown(key, &shown, now)
        {
            let is_first = self.rivals.insert(key.dialect);
            self.notices.push(Notice::Contested { gang: key.clone(), is_first });
        }
        facts.has_started |= self.was_scheduled(key);
        self.teller.gang(&facts, now);
    }

    /// A group of Kubernetes' own says once and for ever that it was scheduled: also when its
    /// present run has not started yet.
    fn was_scheduled(&self, key: &GangKey) -> bool {
        let snap = self.engine.snapshot();
        let spec = snap.gangs().find(key).and_then(|id| snap.gangs().get(id).spec.as_ref());
        key.dialect == Dialect::Kubernetes && spec.is_some_and(|spec| spec.ledger.has_started)
    }

    /// What stands on the group in the API; `None` without a group object.
    pub(crate) fn stands(&self, facts: &GangFacts) -> Option<Shown> {
        let snap = self.engine.snapshot();
        let gang = snap.gangs().find(&facts.group.key).filter(|_| facts.has_object)?;
        let spec = snap.gangs().get(gang).spec.as_ref()?;
        Some(Shown { ledger: spec.ledger.clone(), is_contested: spec.is_contested })
    }

    /// The count of releases that stands in the API.
    fn recorded(&self, facts: &GangFacts) -> u32 {
        if let Some(shown) = self.stands(facts) {
            return shown.ledger.releases;
        }
        let ledgers = facts.members.iter().filter_map(|member| member.ledger.as_ref());
        ledgers.map(|ledger| ledger.releases).max().unwrap_or(0)
    }

    /// Groups of other dialects may be meant for other schedulers: only what one of our pods
    /// names is written.
    pub(crate) fn is_ours(&mut self, facts: &GangFacts) -> bool {
        let key = &facts.group.key;
        if self.ours.contains(key) {
            return true;
        }
        let is_ours = key.dialect == Dialect::Muster
            || !facts.members.is_empty()
            || self.is_named_by_controller(key);
        // A pod by itself is its only member for as long as there is anything to write.
        if is_ours && key.dialect != Dialect::Pod {
            self.ours.insert(key.clone());
        }
        is_ours
    }

    /// True if the controller of a gang will make its pods for one of our names.
    fn is_named_by_controller(&self, key: &GangKey) -> bool {
        let snap = self.engine.snapshot();
        let spec = snap.gangs().find(key).and_then(|id| snap.gangs().get(id).spec.as_ref());
        spec.is_some_and(|spec| self.settings.scheduler_names.contains(&spec.scheduler))
    }

    fn forget(&mut self, key: &GangKey) {
        self.waits.gone(key);
        self.queues.forget(key);
        self.repair.gone(key, &mut self.lanes);
        self.teller.gone(key);
        self.ours.remove(key);
    }

    /// What became of a gang that lost members.
    fn hear(&mut self, news: RepairNews, now: Time) {
        match news {
            RepairNews::Broken(key, _) => {
                let words = "it lost members and has fewer than its minimum; \
                             the others keep their places while they are replaced";
                self.note(&key, EventReason::Broken, words.to_owned(), now);
                self.notices.push(Notice::Broken(key));
            }
            RepairNews::Repaired(key, since) => {
                let words = format!("it has its minimum again after {}", now.since(since));
                self.note(&key, EventReason::Repaired, words, now);
                self.notices.push(Notice::Repaired(key));
            }
            RepairNews::Count(key, releases) => {
                self.engine.released(&key, releases);
                self.touched.insert(key);
            }
            RepairNews::Released(key, number, pods) => {
                let words = format!(
                    "its {pods} members in place are deleted so that it starts again whole \
                     (release {number}); {RELEASE_ADVICE}"
                );
                self.note(&key, EventReason::Released, words, now);
                self.notices.push(Notice::Released { gang: key, times: number, pods });
            }
            RepairNews::Kept(key, why) => {
                self.note(&key, EventReason::Broken, format!("it keeps its room: {why}"), now);
                self.notices.push(Notice::Trouble(format!("{key} keeps its room: {why}")));
            }
        }
    }

    /// An event about a gang: on its group, else on its first member.
    pub(crate) fn note(&mut self, key: &GangKey, reason: EventReason, note: String, at: Time) {
        let Some(view) = self.engine.gang(key) else { return };
        let about = match view.members.first() {
            _ if view.has_object => About::Group(key.clone(), view.uid),
            Some(pod) => About::Pod(key.namespace.clone(), pod.name.clone(), pod.uid.clone()),
            None => return,
        };
        self.teller.note(EventNote { about, reason, note, at }, at);
    }
}
