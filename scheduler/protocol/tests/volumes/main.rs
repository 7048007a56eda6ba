//! Preparing plans against a played API server: chosen courses, and random ones.

mod courses;
mod random;
mod stage;
mod undone;

use scheduler_model::effect::{Bind, EffectId};
use scheduler_model::spec::{
    BoundVolume, ClaimSpec, ClaimState, Dialect, GangKey, Labels, LateClaim, VolumeStep,
};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::{Answer, Reply};
use scheduler_protocol::bind::{BindConfig, Binder, PlanId};
use scheduler_protocol::call::{Call, Send};
use scheduler_protocol::lanes::{Lanes, Windows};
use scheduler_protocol::volumes::{VolumeConfig, VolumeNews, Volumes};

/// Binder and volumes with their lanes and a clock.
struct Desk {
    binder: Binder,
    volumes: Volumes,
    lanes: Lanes,
    now: Time,
    next: u64,
}

impl Desk {
    fn new() -> Self {
        Self {
            binder: Binder::new(BindConfig::default()),
            volumes: Volumes::new(VolumeConfig::default()),
            lanes: Lanes::new(Windows::default()),
            now: Time::ZERO,
            next: 0,
        }
    }

    /// A plan for pods with one claim each, all of it on its way.
    fn with(pods: &[&str], step: impl Fn(&str) -> VolumeStep) -> (Self, PlanId, Vec<Send>) {
        let mut desk = Self::new();
        let binds = pods.iter().map(|pod| bind(pod, vec![step(pod)])).collect();
        let plan = desk.plan("g", binds);
        let sends = desk.send();
        (desk, plan, sends)
    }

    fn plan(&mut self, name: &str, binds: Vec<Bind>) -> PlanId {
        let ids = (self.next..).map(EffectId);
        self.next += u64::try_from(binds.len()).expect("few");
        let binds = binds.into_iter().map(|bind| Bind { gang: gang(name), ..bind });
        self.binder.take(&gang(name), ids.zip(binds).collect(), self.now);
        let plan = self.binder.next_to_prepare().expect("it has steps");
        self.volumes.prepare(plan, self.binder.members(plan), &mut self.lanes, self.now);
        plan
    }

    fn send(&mut self) -> Vec<Send> {
        self.lanes.hand_out(self.now, Time::NEVER)
    }

    /// What leaves next, at whatever time that is.
    fn next(&mut self) -> Send {
        loop {
            let mut sends = self.send();
            if !sends.is_empty() {
                assert_eq!(sends.len(), 1, "{sends:?}");
                return sends.remove(0);
            }
            let due = [self.lanes.wake_at(self.now, Time::NEVER), self.volumes.wake_at()];
            self.now = due.into_iter().flatten().min().expect("something is to come");
            self.volumes.turn(&mut self.lanes, self.now);
        }
    }

    fn answer(&mut self, send: &Send, answer: &Answer) {
        self.lanes.landed(send.id);
        self.volumes.answered(send.id, answer, &mut self.lanes, self.now);
    }

    fn answer_all(&mut self, sends: &[Send], answer: &Answer) {
        sends.iter().for_each(|send| self.answer(send, answer));
    }

    fn see(&mut self, claim: &ClaimSpec) {
        self.volumes.seen(claim, &mut self.lanes, self.now);
    }

    fn pass(&mut self, span: Span) {
        self.now = self.now.after(span);
        self.volumes.turn(&mut self.lanes, self.now);
    }

    fn news(&mut self) -> Vec<VolumeNews> {
        self.volumes.take_news()
    }

    /// Why the one plan failed.
    fn failure(&mut self) -> (String, Vec<(String, String)>) {
        let news = self.news();
        let [VolumeNews::Failed { why, unfit, .. }] = &news[..] else {
            panic!("one plan failed: {news:?}");
        };
        (why.clone(), unfit.clone())
    }
}

fn gang(name: &str) -> GangKey {
    GangKey { namespace: "d".to_owned(), name: name.to_owned(), dialect: Dialect::Muster }
}

/// A bind of this pod to the node `n`.
fn bind(pod: &str, volumes: Vec<VolumeStep>) -> Bind {
    Bind {
        uid: format!("uid-{pod}"),
        namespace: "d".to_owned(),
        name: pod.to_owned(),
        node: "n".to_owned(),
        gang: gang("g"),
        annotations: Labels::new(),
        volumes,
    }
}

/// Have a volume made for the claim of this name.
fn provision(name: &str) -> VolumeStep {
    VolumeStep::Provision { claim: format!("d/{name}"), uid: format!("claim-{name}") }
}

/// Take the volume `v` in version 7 for the claim of this name.
fn take(name: &str) -> VolumeStep {
    VolumeStep::Take {
        claim: format!("d/{name}"),
        uid: format!("claim-{name}"),
        volume: "v".to_owned(),
        version: "7".to_owned(),
        is_kept: false,
    }
}

fn claim(name: &str, state: ClaimState) -> ClaimSpec {
    ClaimSpec {
        key: format!("d/{name}"),
        uid: format!("claim-{name}"),
        owner: None,
        is_once_pod: false,
        state,
    }
}

/// The claim unbound, with this node set.
fn late(name: &str, chosen: Option<&str>) -> ClaimSpec {
    let late = LateClaim {
        class: "c".to_owned(),
        bytes: scheduler_model::amount::Amount::ZERO,
        modes: Vec::new(),
        is_block: false,
        selector: None,
        provision: None,
        chosen: chosen.map(str::to_owned),
    };
    claim(name, ClaimState::Late(late))
}

fn bound(name: &str) -> ClaimSpec {
    let volume = BoundVolume { name: format!("pv-{name}"), reach: None, attach: None };
    claim(name, ClaimState::Bound(volume))
}

fn unready(name: &str, words: &str) -> ClaimSpec {
    claim(name, ClaimState::Unready(words.to_owned()))
}

fn code(code: u16) -> Answer {
    Answer::Reply(Reply::code(code))
}

fn lost() -> Answer {
    Answer::Lost("timed out".to_owned())
}

/// Which claim, and which node is set or taken away.
fn said(send: &Send) -> (&str, &'static str, &str) {
    match &send.call {
        Call::SelectNode { claim, node } => (&claim.name, "set", node),
        Call::DeselectNode { claim, node } => (&claim.name, "reset", node),
        Call::TakeVolume { claim, volume, .. } => (&claim.name, "take", volume),
        other => panic!("that is no step about a volume: {other:?}"),
    }
}
