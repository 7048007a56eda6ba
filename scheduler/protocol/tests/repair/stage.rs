//! A repair with its lanes, a clock, and all it asked for.

use crate::{code, facts, gang, pending, placed};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::Answer;
use scheduler_protocol::call::{Call, Send};
use scheduler_protocol::facts::{GangFacts, MemberFacts};
use scheduler_protocol::lanes::{Lanes, Windows};
use scheduler_protocol::repair::{Repair, RepairConfig, RepairNews};
use scheduler_protocol::status::Phase;

pub(crate) struct Desk {
    pub(crate) repair: Repair,
    pub(crate) lanes: Lanes,
    pub(crate) now: Time,
    pub(crate) news: Vec<RepairNews>,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let repair = Repair::new(RepairConfig::default());
        let lanes = Lanes::new(Windows::default());
        Self { repair, lanes, now: Time::from_ms(10), news: Vec::new() }
    }

    /// A gang with two members in place and one that waits was looked at as it broke, and
    /// once more after its grace.
    pub(crate) fn after_grace(members: Vec<MemberFacts>) -> Self {
        let mut desk = Self::new();
        let facts = facts(Phase::Broken, members);
        desk.look(&facts);
        desk.pass(Span::from_secs(120));
        desk.look(&facts);
        desk
    }

    /// A gang whose members were all marked after its grace.
    pub(crate) fn marked() -> Self {
        let mut desk = Self::after_grace(vec![placed("a"), placed("b"), pending("c")]);
        for send in desk.send() {
            desk.answer(&send, &code(200));
        }
        desk
    }

    /// A gang whose release was counted and written down.
    pub(crate) fn recorded() -> Self {
        let mut desk = Self::marked();
        desk.record(1);
        desk
    }

    pub(crate) fn look(&mut self, facts: &GangFacts) {
        self.repair.look(facts, &mut self.lanes, self.now);
        self.news.extend(self.repair.take_news());
    }

    pub(crate) fn record(&mut self, releases: u32) {
        self.repair.recorded(&gang(), releases, &mut self.lanes, self.now);
        self.news.extend(self.repair.take_news());
    }

    pub(crate) fn send(&mut self) -> Vec<Send> {
        self.lanes.hand_out(self.now, Time::NEVER)
    }

    pub(crate) fn answer(&mut self, send: &Send, answer: &Answer) {
        self.lanes.landed(send.id);
        self.repair.answered(send.id, answer, &mut self.lanes, self.now);
        self.news.extend(self.repair.take_news());
    }

    pub(crate) fn pass(&mut self, span: Span) {
        self.now = self.now.after(span);
    }
}

/// The pods that are marked, unmarked and deleted by these calls, by name.
pub(crate) fn done_by(sends: &[Send]) -> (Vec<&str>, Vec<&str>, Vec<&str>) {
    let (mut marked, mut reset, mut deleted) = (Vec::new(), Vec::new(), Vec::new());
    for send in sends {
        match &send.call {
            Call::PodStatus { pod, condition: Some(condition), .. } if condition.is_true => {
                marked.push(pod.name.as_str());
            }
            Call::PodStatus { pod, .. } => reset.push(pod.name.as_str()),
            Call::DeletePod(pod) => deleted.push(pod.name.as_str()),
            other => panic!("repair has nothing to do with {other:?}"),
        }
    }
    (marked, reset, deleted)
}
