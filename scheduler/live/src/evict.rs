//! Evictions on their way out: taken from the engine's decisions, called off when the engine has
//! no such plan any more, and told to people.
//!
//! Invariant: whatever the evictor has under way is a plan that the engine has too, as of the
//! last turn; nothing is sent for any other.

use crate::driver::Live;
use crate::news::Notice;
use scheduler_model::effect::{EffectId, Evict};
use scheduler_model::spec::GangKey;
use scheduler_model::time::Time;
use scheduler_protocol::evict::{EvictNews, PlanKey};
use scheduler_protocol::facts::GangFacts;
use scheduler_protocol::status::EventReason;
use std::collections::BTreeMap;

/// Gangs that are named in an event at most.
const NAMED: usize = 5;

impl Live {
    /// New plans of a cycle.
    pub(crate) fn take_evictions(&mut self, evictions: Vec<(EffectId, Evict)>, now: Time) {
        let mut plans: BTreeMap<PlanKey, Vec<(EffectId, Evict)>> = BTreeMap::new();
        for (effect, evict) in evictions {
            let plan = (evict.gainer.clone(), evict.plan);
            plans.entry(plan).or_default().push((effect, evict));
        }
        for (plan, victims) in plans {
            self.touched.insert(plan.0.clone());
            self.evictor.take(plan, victims, now);
        }
    }

    /// Calls off what the engine has given up, and brings it the ends of effects. Once asked to
    /// stop nothing more is sent: the next leader goes on.
    pub(crate) fn follow_evictions(&mut self, now: Time) {
        if self.stop.is_some() {
            self.evictor.forget_all(&mut self.lanes);
        }
        self.evictor.turn(now);
        for (gainer, _) in self.evictor.take_overdue() {
            self.engine.give_up_plan(&gainer, now);
        }
        self.settle_evictions(now);
        let has_ended = |(gainer, plan): &&PlanKey| self.engine.plan(gainer) != Some(*plan);
        let ended: Vec<PlanKey> = self.evictor.plans().filter(has_ended).cloned().collect();
        for plan in ended {
            self.evictor.call_off(&plan, &mut self.lanes, now);
        }
        self.settle_evictions(now);
        for news in self.evictor.take_news() {
            self.hear_of_evictions(news, now);
        }
    }

    fn settle_evictions(&mut self, now: Time) {
        for (effect, outcome) in self.evictor.take_settled() {
            self.engine.settle(effect, &outcome, now);
        }
        for effect in self.evictor.take_stays() {
            self.engine.stays(effect);
        }
    }

    /// What stands in the API of a gang for which room is made. Nodes are nominated once its
    /// reservation does: by that the next leader knows whose nominations they are.
    pub(crate) fn show_reservation(&mut self, facts: &mut GangFacts, now: Time) {
        let Some(plan) = facts.ledger.reservation.as_ref().map(|it| it.plan) else { return };
        let of_group = self.stands(facts).and_then(|shown| shown.ledger.reservation);
        let of_pods = || {
            let ledgers = facts.members.iter().filter_map(|member| member.ledger.as_ref());
            ledgers.filter_map(|ledger| ledger.reservation.clone()).max()
        };
        let shown = if facts.has_object { of_group } else { of_pods() };
        self.evictor.shown(facts, shown.as_ref(), &mut self.lanes, now);
        if shown.is_none_or(|shown| shown.plan != plan) {
            facts.members.iter_mut().for_each(|member| member.reserved = None);
        }
    }

    fn hear_of_evictions(&mut self, news: EvictNews, now: Time) {
        match news {
            EvictNews::Began(gainer, gangs) => {
                let pods: u32 = gangs.iter().map(|(_, pods)| pods).sum();
                let words = format!("{pods} pods go to make room for it: {}", named(&gangs));
                self.note(&gainer, EventReason::Evicting, words, now);
                for (gang, pods) in &gangs {
                    let words = format!(
                        "{pods} of its pods go to make room for gang {gainer} of queue {:?}",
                        self.queue_of(&gainer)
                    );
                    self.note(gang, EventReason::Preempted, words, now);
                    self.notices.push(Notice::Evicted {
                        gang: gang.clone(),
                        queue: self.queue_of(gang),
                        pods: *pods,
                        gainer: gainer.clone(),
                        gainer_queue: self.queue_of(&gainer),
                    });
                }
            }
            EvictNews::NotRecorded(gainer) => self.notices.push(Notice::Trouble(format!(
                "nobody is evicted for gang {gainer}: that room is made for it could not be \
                 written down; look for refused status writes"
            ))),
            EvictNews::Refused { gainer, gang, pod, why } => {
                let words = format!("pod {pod} of gang {gang} could not be evicted for it: {why}");
                self.note(&gainer, EventReason::Waiting, words, now);
                self.notices.push(Notice::Trouble(format!(
                    "pod {pod} of gang {gang} could not be evicted for gang {gainer}: {why}"
                )));
            }
        }
    }
}

/// Some of the gangs by name, and how many more.
fn named(gangs: &[(GangKey, u32)]) -> String {
    let some: Vec<String> =
        gangs.iter().take(NAMED).map(|(gang, pods)| format!("{pods} of gang {gang}")).collect();
    match gangs.len().saturating_sub(NAMED) {
        0 => some.join(", "),
        more => format!("{} and {more} more gangs", some.join(", ")),
    }
}
