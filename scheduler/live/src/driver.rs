//! The loop: news in, a turn, calls out. The file to read first.
//!
//! One turn: 1. the lease; 2. a cycle of the engine, if this process may decide; 3. plans whose
//! volumes are bound and that are about to leave are checked once more, and begun or taken back,
//! and so is each bind of those begun before (`leave.rs`); 4. what changed is told (`tell.rs`);
//! 5. calls leave, as many as the lanes and the right to write allow.

use crate::facts;
use crate::news::{End, Leadership, News, Notice, Turn};
use crate::queues::QueueDesk;
use crate::settings::Settings;
use crate::waits::Waits;
use scheduler_core::engine::Engine;
use scheduler_core::report::{CycleReport, Decision, Plan};
use scheduler_core::view;
use scheduler_framework::profile::Profile;
use scheduler_model::effect::{Bind, Effect, EffectId, Outcome};
use scheduler_model::event::Event;
use scheduler_model::spec::{Dialect, GangKey, PodSpec};
use scheduler_model::time::Time;
use scheduler_protocol::answer::{Answer, PodFacts};
use scheduler_protocol::bind::{Binder, Bound, Settled};
use scheduler_protocol::call::CallId;
use scheduler_protocol::evict::Evictor;
use scheduler_protocol::lanes::{Lane, Lanes};
use scheduler_protocol::lease::{Lease, Standing};
use scheduler_protocol::repair::Repair;
use scheduler_protocol::tell::Teller;
use scheduler_protocol::volumes::Volumes;
use std::collections::{BTreeMap, BTreeSet};

/// Engine and protocol together.
#[derive(Debug)]
pub struct Live {
    pub(crate) settings: Settings,
    pub(crate) engine: Engine,
    pub(crate) lanes: Lanes,
    pub(crate) lease: Lease,
    pub(crate) binder: Binder,
    pub(crate) volumes: Volumes,
    pub(crate) repair: Repair,
    pub(crate) evictor: Evictor,
    pub(crate) teller: Teller,
    pub(crate) queues: QueueDesk,
    pub(crate) waits: Waits,
    is_ready: bool,
    breathes_until: Time,
    pub(crate) stop: Option<Stop>,
    leadership: Leadership,
    /// Gangs whose facts are to be looked at in the next turn.
    pub(crate) touched: BTreeSet<GangKey>,
    /// Large gangs that were looked at just now, and when they may be again.
    pub(crate) rests: BTreeMap<GangKey, Time>,
    /// Gangs that are known to be for us to write about.
    pub(crate) ours: BTreeSet<GangKey>,
    /// Until when words to people wait, since as many binds fly as may.
    pub(crate) hushed_until: Option<Time>,
    /// Kinds of groups that another scheduler is known to write into.
    pub(crate) rivals: BTreeSet<Dialect>,
    /// The gang of each effect that is not settled.
    gang_of: BTreeMap<EffectId, GangKey>,
    pub(crate) notices: Vec<Notice>,
}

/// The way to a good end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    /// What flies may land until then.
    until: Time,
    has_released: bool,
}

impl Live {
    /// A driver that knows nothing yet.
    #[must_use]
    pub fn new(profile: Profile, settings: Settings) -> Self {
        let lease = match &settings.lease {
            Some(config) => Lease::new(config.clone()),
            None => Lease::off(),
        };
        Self {
            engine: Engine::new(profile, settings.engine.clone()),
            lanes: Lanes::new(settings.windows.clone()),
            binder: Binder::new(settings.bind.clone()),
            volumes: Volumes::new(settings.volumes.clone()),
            repair: Repair::new(settings.repair.clone()),
            evictor: Evictor::default(),
            teller: Teller::new(settings.tell.clone()),
            queues: QueueDesk::default(),
            leadership: match &settings.lease {
                Some(_) => Leadership::Following(String::new()),
                None => Leadership::Alone,
            },
            lease,
            waits: Waits::default(),
            is_ready: false,
            breathes_until: Time::ZERO,
            stop: None,
            touched: BTreeSet::new(),
            rests: BTreeMap::new(),
            ours: BTreeSet::new(),
            hushed_until: None,
            rivals: BTreeSet::new(),
            gang_of: BTreeMap::new(),
            notices: Vec::new(),
            settings,
        }
    }

    /// Takes one piece of news in.
    pub fn take(&mut self, news: News, now: Time) {
        match news {
            News::Event(event) => self.observe(event, now),
            News::Answer(id, answer) => self.answered(id, &answer, now),
            News::Ready(is_ready) => self.is_ready = is_ready,
            News::Stop => {
                let until = now.after(self.settings.stop_within);
                self.stop.get_or_insert(Stop { until, has_released: false });
            }
        }
    }

    /// Does what there is to do now.
    pub fn turn(&mut self, now: Time) -> Turn {
        self.breathes_until = now.after(self.settings.breath);
        self.lease.turn(now, &mut self.lanes);
        let standing = self.lease.standing(now);
        self.note_leadership(standing);
        if standing == Standing::Lost {
            return self.lost();
        }
        self.follow_evictions(now);
        if self.may_decide(now) {
            self.decide(now);
            self.follow_evictions(now);
        }
        self.begin(now);
        self.recheck(now);
        self.tell(now);
        let may_write_until = self.lease.may_write_until(now);
        let sends = self.lanes.hand_out(now, may_write_until);
        for send in &sends {
            self.binder.left(send.id, now);
        }
        let end = self.ending(now);
        Turn { sends, notices: std::mem::take(&mut self.notices), end }
    }

    /// When to take the next turn even if no news comes.
    #[must_use]
    pub fn wake_at(&self, now: Time) -> Option<Time> {
        let may_write_until = self.lease.may_write_until(now);
        let may_write = now < may_write_until;
        let engine = self.may_decide(now).then(|| self.engine.wake_at(now)).flatten();
        let binder = may_write.then(|| self.binder.wake_at(&self.lanes, now)).flatten();
        let lanes = self.lanes.wake_at(now, may_write_until);
        let stop = self.stop.map(|stop| stop.until);
        let tell = self.tells_at(now);
        let volumes = may_write.then(|| self.volumes.wake_at()).flatten();
        let evictor = may_write.then(|| self.evictor.wake_at(now)).flatten();
        let all = [engine, binder, volumes, evictor, lanes, stop, tell, self.lease.wake_at(now)];
        all.into_iter().flatten().min().map(|time| time.max(now))
    }

    /// Until when news are gathered before the next turn: a turn for each of many answers would
    /// cost more than it brings.
    #[must_use]
    pub const fn breathes_until(&self) -> Time {
        self.breathes_until
    }

    /// The engine, to read from.
    #[must_use]
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Who may write, as of the last turn.
    #[must_use]
    pub const fn leadership(&self) -> &Leadership {
        &self.leadership
    }

    /// True once every needed kind is known.
    #[must_use]
    pub const fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// Calls that wait or fly on a lane.
    #[must_use]
    pub fn traffic(&self, lane: Lane) -> (usize, usize) {
        (self.lanes.waiting(lane), self.lanes.in_air(lane))
    }

    /// True while this process may put writes on the wire.
    pub(crate) fn may_write(&self, now: Time) -> bool {
        now < self.lease.may_write_until(now)
    }

    fn may_decide(&self, now: Time) -> bool {
        self.is_ready && self.stop.is_none() && self.may_write(now)
    }

    fn observe(&mut self, mut event: Event, now: Time) {
        if let Event::Gang(spec) = &mut event {
            // Of no use to the engine, which would wake the gang for each write of its status.
            let digest = spec.digest.take();
            if self.teller.stands(&spec.key, &spec.uid, digest) {
                self.touched.insert(spec.key.clone());
            }
        }
        let sight = match &event {
            Event::Pod(pod) => Some((pod.uid.clone(), Some(sight(pod)))),
            Event::PodGone(uid) => Some((uid.clone(), None)),
            _ => None,
        };
        self.queues.is_stale = true;
        if let Event::Queue(queue) = &mut event {
            self.queues.shown(queue, now);
        }
        self.tell_volumes(&event, now);
        self.engine.observe(event, now);
        let settled = match sight {
            Some((_, Some(facts))) => self.binder.seen(&facts, &mut self.lanes, now),
            Some((uid, None)) => self.binder.gone(&uid, &mut self.lanes, now),
            None => Vec::new(),
        };
        self.settle(settled, now);
    }

    fn answered(&mut self, id: CallId, answer: &Answer, now: Time) {
        self.lanes.landed(id);
        self.lease.answered(id, answer, now);
        self.repair.answered(id, answer, &mut self.lanes, now);
        self.evictor.answered(id, answer, &mut self.lanes, now);
        self.teller.answered(id, answer, now);
        self.queues.teller.answered(id, answer, now);
        self.volumes.answered(id, answer, &mut self.lanes, now);
        let settled = self.binder.answered(id, answer, &mut self.lanes, now);
        self.settle(settled, now);
    }

    /// Tells the engine how effects ended.
    pub(crate) fn settle(&mut self, settled: impl IntoIterator<Item = Settled>, now: Time) {
        for (effect, outcome) in settled {
            self.engine.settle(effect, &outcome, now);
            let Some(gang) = self.gang_of.remove(&effect) else { continue };
            let (result, why) = match outcome {
                Outcome::Done => ("done", String::new()),
                Outcome::Refused(why) => ("refused", why),
                Outcome::Unknown => ("unknown", String::new()),
            };
            self.notices.push(Notice::Bind { gang, result, why });
        }
        for plan in self.binder.take_withdrawn() {
            self.volumes.withdrawn(plan, &mut self.lanes, now);
        }
        for bound in self.binder.take_bound() {
            self.bound(bound);
        }
    }

    /// All binds of a plan are settled.
    fn bound(&mut self, bound: Bound) {
        let (Some(first), Some(last)) = (bound.first_done, bound.last_done) else { return };
        if bound.refused > 0 && self.lacks_minimum(&bound.gang) {
            // It waits on for those that were refused.
            self.waits.withdrawn(&bound.gang);
            self.touched.insert(bound.gang);
            return;
        }
        let queue = self.queue_of(&bound.gang);
        let started = self.waits.started(&bound.gang, &queue, (first, last));
        self.notices.extend(started.map(Notice::Started));
        self.touched.insert(bound.gang);
    }

    fn lacks_minimum(&self, gang: &GangKey) -> bool {
        self.engine.gang(gang).is_some_and(|view| is_short(&view))
    }

    fn decide(&mut self, now: Time) {
        if self.engine.wake_at(now).is_none_or(|time| time > now) {
            return;
        }
        self.queues.is_stale = true;
        let CycleReport { effects, evictions, decisions, rejections, steps } =
            self.engine.cycle(now);
        self.take_evictions(evictions, now);
        let rejected = rejections.into_iter().map(|it| Notice::Rejected(it.gang, it.word));
        self.notices.extend(rejected);
        let (mut plans, mut waits) = (0, 0);
        let mut effects = effects.into_iter();
        for decision in decisions {
            match decision {
                Decision::Run(plan) => {
                    plans += 1;
                    let binds = effects.by_ref().take(plan.steps.len()).map(bind_of).collect();
                    self.planned(&plan, binds, now);
                }
                Decision::Evict(_) => {}
                Decision::Wait(why) => {
                    waits += 1;
                    let queue = self.queue_of(&why.gang);
                    self.notices.push(Notice::Waits {
                        queue,
                        reason: why.reason.word(),
                        sentence: why.to_string(),
                        gang: why.gang,
                    });
                }
            }
        }
        debug_assert!(effects.next().is_none(), "every effect belongs to a plan");
        self.notices.push(Notice::Cycle { steps, plans, waits });
    }

    fn planned(&mut self, plan: &Plan, binds: Vec<(EffectId, Bind)>, now: Time) {
        self.gang_of.extend(binds.iter().map(|(effect, _)| (*effect, plan.gang.clone())));
        if let Some(view) = self.engine.gang(&plan.gang) {
            // It may have come and been placed within one turn: its clocks start here.
            self.waits.look(&facts::of(view), now);
        }
        if plan.is_minimum {
            self.waits.planned(&plan.gang, now);
        }
        self.notices.push(Notice::Planned {
            gang: plan.gang.clone(),
            queue: self.queue_of(&plan.gang),
            members: u32::try_from(plan.steps.len()).unwrap_or(u32::MAX),
            is_minimum: plan.is_minimum,
        });
        let refused = self.binder.take(&plan.gang, binds, now);
        self.settle(refused, now);
        self.prepare(now);
    }

    pub(crate) fn queue_of(&self, gang: &GangKey) -> String {
        let snap = self.engine.snapshot();
        let id = snap.gangs().find(gang);
        id.map(|id| snap.gangs().get(id).queue_name.clone()).unwrap_or_default()
    }

    fn note_leadership(&mut self, standing: Standing) {
        let is_alone = self.settings.lease.is_none();
        let now = match standing {
            _ if is_alone => Leadership::Alone,
            Standing::Leading => Leadership::Leading,
            _ => Leadership::Following(self.lease.leader().unwrap_or_default().to_owned()),
        };
        if now != self.leadership {
            if now.leads() {
                // Nothing was told so far.
                self.touched
                    .extend(self.engine.snapshot().gangs().iter().map(|(_, it)| it.key.clone()));
            }
            self.leadership = now.clone();
            self.notices.push(Notice::Led(now));
        }
    }

    /// The lease went to another: what was never sent is given up, the process ends.
    fn lost(&mut self) -> Turn {
        let settled = self.binder.forget_all(&mut self.lanes);
        self.settle(settled, Time::ZERO);
        self.volumes.forget_all(&mut self.lanes);
        self.repair.forget_all(&mut self.lanes);
        self.evictor.forget_all(&mut self.lanes);
        self.teller.clear();
        self.queues.teller.clear();
        let holder = self.lease.leader().unwrap_or_default().to_owned();
        let notices = std::mem::take(&mut self.notices);
        Turn { sends: Vec::new(), notices, end: Some(End::LeaseLost(holder)) }
    }

    /// Once asked to stop: lets what flies land, gives the lease back, and ends.
    fn ending(&mut self, now: Time) -> Option<End> {
        let stop = self.stop.as_mut()?;
        let is_still = self.binder.is_empty() && self.lanes.is_quiet();
        if !stop.has_released && (is_still || now >= stop.until) {
            stop.has_released = true;
            stop.until = now.after(self.settings.release_within);
            self.lease.release(now);
        }
        let is_over = self.lease.standing(now) == Standing::Released || now >= stop.until;
        (stop.has_released && is_over).then_some(End::Stopped)
    }
}

/// True if a gang lacks members for its minimum.
pub(crate) fn is_short(view: &view::GangView) -> bool {
    matches!(view.standing, view::Standing::Waiting | view::Standing::Broken)
}

fn bind_of((id, effect): (EffectId, Effect)) -> (EffectId, Bind) {
    let Effect::Bind(bind) = effect;
    (id, bind)
}

fn sight(pod: &PodSpec) -> PodFacts {
    PodFacts {
        uid: pod.uid.clone(),
        node: pod.node.clone().unwrap_or_default(),
        is_terminating: pod.terminating,
        is_finished: pod.phase.is_finished(),
        is_gated: !pod.gates.is_empty(),
    }
}
