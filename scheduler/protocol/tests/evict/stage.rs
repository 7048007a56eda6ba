//! An evictor with lanes and a clock, and what its calls do to the pods of a small world.

use scheduler_model::effect::{EffectId, Evict, Outcome};
use scheduler_model::spec::{Dialect, GangKey, Ledger, Reservation, Told};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::{Answer, Reply};
use scheduler_protocol::call::{Call, GroupRef, PodRef, Send};
use scheduler_protocol::evict::{EvictNews, Evictor, PlanKey};
use scheduler_protocol::facts::{GangFacts, MemberFacts};
use scheduler_protocol::lanes::{Lanes, Windows};
use scheduler_protocol::status::{Counts, Phase};

/// The plan of all tests.
pub(crate) const PLAN: Time = Time::from_ms(1_234);

pub(crate) fn key(name: &str) -> GangKey {
    GangKey { namespace: "d".to_owned(), name: name.to_owned(), dialect: Dialect::Muster }
}

pub(crate) fn plan() -> PlanKey {
    (key("gainer"), PLAN)
}

pub(crate) fn victim(number: u64) -> (EffectId, Evict) {
    let evict = Evict {
        uid: format!("uid-{number}"),
        namespace: "d".to_owned(),
        name: format!("v{number}"),
        gang: key("victim"),
        gainer: key("gainer"),
        plan: PLAN,
    };
    (EffectId(number), evict)
}

/// The gainer: one member, with a node that is kept for it, and nominated or not.
pub(crate) fn facts(nominated: Option<&str>) -> GangFacts {
    let told = nominated.map(|node| Told { nominated: node.to_owned(), ..Told::default() });
    let member = MemberFacts {
        pod: PodRef { namespace: "d".to_owned(), name: "g".to_owned(), uid: "g".to_owned() },
        node: None,
        assumed: None,
        reserved: Some("n".to_owned()),
        has_controller: true,
        is_lost: false,
        is_gated: false,
        is_marked: false,
        told,
        ledger: None,
    };
    GangFacts {
        group: GroupRef { key: key("gainer"), uid: "u".to_owned() },
        has_object: true,
        generation: 1,
        queue: "q".to_owned(),
        phase: Phase::Admitted,
        min: 1,
        counts: Counts::default(),
        has_started: false,
        explanation: None,
        ledger: Ledger::default(),
        has_lost_room: false,
        members: vec![member],
    }
}

pub(crate) fn reservation(plan: Time) -> Reservation {
    Reservation { plan, ..Reservation::default() }
}

pub(crate) fn code(code: u16) -> Answer {
    Answer::Reply(Reply::code(code))
}

/// The machine and what surrounds it.
pub(crate) struct Desk {
    pub(crate) evictor: Evictor,
    pub(crate) lanes: Lanes,
    pub(crate) now: Time,
    pub(crate) settled: Vec<(u64, Outcome)>,
    pub(crate) stays: Vec<u64>,
    pub(crate) news: Vec<EvictNews>,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self {
            evictor: Evictor::default(),
            lanes: Lanes::new(Windows::default()),
            now: Time::from_ms(10_000),
            settled: Vec::new(),
            stays: Vec::new(),
            news: Vec::new(),
        }
    }

    /// A plan with so many victims.
    pub(crate) fn with(victims: u64) -> Self {
        let mut desk = Self::new();
        desk.evictor.take(plan(), (1..=victims).map(victim).collect(), desk.now);
        desk
    }

    /// The same, with its reservation in the API and its nodes nominated.
    pub(crate) fn recorded(victims: u64) -> Self {
        let mut desk = Self::with(victims);
        desk.show(Some(PLAN), Some("n"));
        desk
    }

    pub(crate) fn show(&mut self, plan: Option<Time>, nominated: Option<&str>) {
        let shown = plan.map(reservation);
        self.evictor.shown(&facts(nominated), shown.as_ref(), &mut self.lanes, self.now);
    }

    pub(crate) fn pass(&mut self, span: Span) {
        self.now = self.now.after(span);
        self.evictor.turn(self.now);
    }

    pub(crate) fn send(&mut self) -> Vec<Send> {
        self.lanes.hand_out(self.now, Time::NEVER)
    }

    pub(crate) fn answer(&mut self, send: &Send, answer: &Answer) {
        self.lanes.landed(send.id);
        self.evictor.answered(send.id, answer, &mut self.lanes, self.now);
        self.collect();
    }

    /// Answers all that leaves now in the same way; says what it was.
    pub(crate) fn answer_all(&mut self, answer: &Answer) -> Vec<String> {
        let sends = self.send();
        for send in &sends {
            self.answer(send, answer);
        }
        sends.iter().map(|send| words(&send.call)).collect()
    }

    pub(crate) fn call_off(&mut self) {
        self.evictor.call_off(&plan(), &mut self.lanes, self.now);
        self.collect();
    }

    fn collect(&mut self) {
        let settled = self.evictor.take_settled().into_iter();
        self.settled.extend(settled.map(|(effect, outcome)| (effect.0, outcome)));
        self.stays.extend(self.evictor.take_stays().into_iter().map(|effect| effect.0));
        self.news.extend(self.evictor.take_news());
    }
}

/// A call in short: `mark v1`, `unmark v1`, `delete v1`.
pub(crate) fn words(call: &Call) -> String {
    match call {
        Call::PodStatus { pod, condition: Some(condition), .. } => {
            format!("{} {}", if condition.is_true { "mark" } else { "unmark" }, pod.name)
        }
        Call::DeletePod(pod) => format!("delete {}", pod.name),
        other => panic!("an evictor has nothing to do with {other:?}"),
    }
}
