//! Binding against a played API server: chosen answers, and random ones.

mod answers;
mod plans;
mod random;
mod server;

use scheduler_model::effect::{Bind, EffectId, Outcome};
use scheduler_model::spec::{Dialect, GangKey, Labels};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::{Answer, Body, PodFacts, Reply};
use scheduler_protocol::bind::{BindConfig, Binder, Settled};
use scheduler_protocol::call::{Call, Send};
use scheduler_protocol::lanes::{Lanes, Windows};

/// A binder with its lanes and a clock.
struct Desk {
    binder: Binder,
    lanes: Lanes,
    now: Time,
    settled: Vec<Settled>,
}

impl Desk {
    fn new(window: usize) -> Self {
        let windows = Windows { bind: window, ..Windows::default() };
        let binder = Binder::new(BindConfig::default());
        Self { binder, lanes: Lanes::new(windows), now: Time::ZERO, settled: Vec::new() }
    }

    /// A desk with one plan for these pods, each to the node `n`.
    fn with_plan(pods: &[&str]) -> Self {
        let mut desk = Self::new(64);
        desk.plan(pods);
        desk
    }

    fn plan(&mut self, pods: &[&str]) {
        let first = u64::try_from(self.settled.len() + self.binder.len()).expect("few");
        let ids = (first..).map(EffectId);
        let binds = ids.zip(pods).map(|(id, pod)| (id, bind(pod, "n"))).collect();
        let refused = self.binder.take(&gang(), binds, self.now);
        self.settled.extend(refused);
    }

    /// Begins what there is room for and hands out what may leave.
    fn send(&mut self) -> Vec<Send> {
        while let Some(plan) = self.binder.next_plan(&self.lanes, self.now) {
            self.binder.begin(plan, &mut self.lanes, self.now);
        }
        let sends = self.lanes.hand_out(self.now, Time::NEVER);
        for send in &sends {
            self.binder.left(send.id, self.now);
        }
        sends
    }

    /// What leaves next, at whatever time that is.
    fn next(&mut self) -> Send {
        let sends = self.send();
        if let [send] = &sends[..] {
            return send.clone();
        }
        assert!(sends.is_empty(), "more than one: {sends:?}");
        let due =
            [self.lanes.wake_at(self.now, Time::NEVER), self.binder.wake_at(&self.lanes, self.now)];
        self.now = due.into_iter().flatten().min().expect("something is to come");
        let mut sends = self.send();
        assert_eq!(sends.len(), 1, "{sends:?}");
        sends.remove(0)
    }

    fn answer(&mut self, send: &Send, answer: &Answer) {
        self.lanes.landed(send.id);
        let settled = self.binder.answered(send.id, answer, &mut self.lanes, self.now);
        self.settled.extend(settled);
    }

    fn pass(&mut self, span: Span) {
        self.now = self.now.after(span);
    }

    fn outcomes(&self) -> Vec<Outcome> {
        self.settled.iter().map(|(_, outcome)| outcome.clone()).collect()
    }
}

fn gang() -> GangKey {
    GangKey { namespace: "d".to_owned(), name: "g".to_owned(), dialect: Dialect::Muster }
}

fn bind(pod: &str, node: &str) -> Bind {
    Bind {
        uid: format!("uid-{pod}"),
        namespace: "d".to_owned(),
        name: pod.to_owned(),
        node: node.to_owned(),
        gang: gang(),
        annotations: Labels::new(),
        volumes: Vec::new(),
    }
}

fn code(code: u16) -> Answer {
    Answer::Reply(Reply::code(code))
}

fn lost() -> Answer {
    Answer::Lost("timed out".to_owned())
}

fn unsent() -> Answer {
    Answer::Unsent("no connection".to_owned())
}

fn shows(facts: PodFacts) -> Answer {
    Answer::Reply(Reply { body: Body::Pod(facts), ..Reply::code(200) })
}

/// The pod `a`, waiting.
fn waiting() -> PodFacts {
    PodFacts { uid: "uid-a".to_owned(), ..PodFacts::default() }
}

fn on(node: &str) -> PodFacts {
    PodFacts { node: node.to_owned(), ..waiting() }
}

fn is_bind(send: &Send) -> bool {
    matches!(send.call, Call::Bind { .. })
}

fn is_read(send: &Send) -> bool {
    matches!(send.call, Call::ReadPod(_))
}
