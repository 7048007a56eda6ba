//! Plays objects with the checker on, then asks the oracle about every gang that waits.

use scheduler_core::view::{GangView, Standing};
use scheduler_kube::read::{Source, read};
use scheduler_kube::translate::Context;
use scheduler_model::explain::WaitReason;
use scheduler_model::spec::GangKey;
use scheduler_sim::checker::Objects;
use scheduler_sim::oracle::{Answer, GangQuestion, Ground, questions};
use scheduler_sim::stage::{Options, Stage};
use std::collections::BTreeMap;
use std::io::Cursor;
use std::mem::discriminant;

/// Steps the oracle may take for one question.
const BUDGET: u64 = 200_000;

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judged {
    /// Gangs that had their minimum in the end, or have ended.
    pub(crate) served: usize,
    /// Gangs that wait for room, which the oracle cannot find either.
    pub(crate) room: usize,
    /// Gangs that wait because room is kept for a gang ahead of them.
    pub(crate) held: usize,
    /// Gangs whose members above the minimum wait.
    pub(crate) elastic: usize,
    /// Gangs that wait for something else, which the judge confirms.
    pub(crate) other: usize,
    /// Gangs about which the oracle could not make up its mind.
    pub(crate) unknown: Vec<String>,
    /// Everything that is not as it should be.
    pub(crate) faults: Vec<String>,
}

/// Plays what stands in `text` to its end and judges it.
pub(crate) fn judge(text: &str, options: Options) -> Judged {
    let reader = Box::new(Cursor::new(text.as_bytes().to_vec()));
    let source = Source { name: "objects".to_owned(), reader };
    let scheduler_names = vec!["muster".to_owned()];
    let reading = read(vec![source], &Context::of(scheduler_names));
    assert_eq!(reading.problems, [], "the objects are sound");
    let mut stage = Stage::new(reading.world, Options { check: true, ..options });
    stage.run().unwrap_or_else(|fault| panic!("{fault}"));
    let mut judged = Judged { faults: stage.violations().to_vec(), ..Judged::default() };
    let objects = Objects::from_world(&stage.world());
    let ground = Ground::new(&objects.cluster);
    let mut asked: BTreeMap<GangKey, _> = questions(&objects).into_iter().collect();
    let gangs = stage.engine().gangs();
    for gang in &gangs {
        let question = asked.remove(&gang.key);
        match gang.standing {
            Standing::Empty => {}
            Standing::Done | Standing::Running => {
                judged.served += 1;
                if question.is_some() {
                    judged.faults.push(format!("{}: members of it wait unseen", gang.key));
                }
            }
            Standing::Partial | Standing::Waiting | Standing::Broken => {
                judged.served += usize::from(gang.standing == Standing::Partial);
                judged.wait(&ground, &gangs, gang, question);
            }
        }
    }
    let unseen = asked.keys().map(|key| format!("{key}: the engine does not know it"));
    judged.faults.extend(unseen);
    judged
}

impl Judged {
    fn wait(
        &mut self,
        ground: &Ground<'_>,
        gangs: &[GangView],
        gang: &GangView,
        question: Option<Result<GangQuestion, WaitReason>>,
    ) {
        let Some(why) = &gang.explanation else {
            self.faults.push(format!("{}: it waits and says nothing", gang.key));
            return;
        };
        let question = match question {
            None => {
                // Its pods do not exist yet.
                let is_short = matches!(why.reason, WaitReason::Members { .. });
                return self.other(gang, is_short, "nothing of it waits");
            }
            Some(Err(reason)) => {
                // These are told before group, queue and level are asked about.
                let is_earlier = matches!(
                    why.reason,
                    WaitReason::Members { .. }
                        | WaitReason::Gated { .. }
                        | WaitReason::Unsupported(_)
                );
                let is_same = discriminant(&reason) == discriminant(&why.reason);
                return self.other(gang, is_earlier || is_same, "the judge says otherwise");
            }
            Some(Ok(question)) => question,
        };
        // One member more, where the minimum is there already.
        let extra = GangQuestion { min: question.counted + 1, ..question.clone() };
        let question = if question.has_minimum() { extra } else { question };
        match (&why.reason, ground.feasible(&question, BUDGET)) {
            (WaitReason::Held { holder }, _) => {
                self.held += 1;
                let waits = gangs.iter().find(|other| other.key == *holder);
                let is_ahead = waits.is_some_and(|other| {
                    (-other.priority, other.age) <= (-gang.priority, gang.age)
                        && other.standing == Standing::Waiting
                });
                if !is_ahead {
                    self.faults.push(format!("{}: {holder} may hold nothing", gang.key));
                }
            }
            (_, Answer::TooLarge) => self.unknown.push(format!("{}: {why}", gang.key)),
            (reason, Answer::Yes(binds)) => {
                // Whatever the judge's room says of a pod that cannot be placed for other reasons.
                let is_unsupported = matches!(reason, WaitReason::Unsupported(_));
                let text = format!("{why}; the oracle: {binds:?}");
                self.other(gang, is_unsupported, &text);
            }
            (WaitReason::Room, Answer::No) => self.room += 1,
            (WaitReason::Elastic, Answer::No) => self.elastic += 1,
            (WaitReason::Fuel, Answer::No) => self.other(gang, false, "the search gave up"),
            (_, Answer::No) => self.other += 1,
        }
    }

    fn other(&mut self, gang: &GangView, is_so: bool, otherwise: &str) {
        if is_so {
            self.other += 1;
        } else {
            self.faults.push(format!("{} ({:?}): {otherwise}", gang.key, gang.standing));
        }
    }
}
