//! What an expectation sees: the engine's views in the words of stories.

use crate::stage::Stage;
use scheduler_core::queues::QueueView;
use scheduler_core::view::{GangView, Standing};
use scheduler_model::spec::GangKey;
use scheduler_scenario::{GangState, Observed, ObservedGang, ObservedQueue, QueueFact};
use std::collections::{BTreeMap, BTreeSet};

/// What was seen so far: gangs that are gone, and problems that were solved, stay known.
#[derive(Debug, Default)]
pub(super) struct Watch {
    gangs: BTreeMap<GangKey, GangState>,
    problems: BTreeSet<String>,
}

impl Watch {
    /// Everything as it is now. Gangs count as touched from the last call on.
    pub(super) fn observe(&mut self, stage: &mut Stage) -> Observed {
        let touched = stage.take_touched();
        let engine = stage.engine();
        let mut gangs: BTreeMap<GangKey, ObservedGang> = BTreeMap::new();
        for (key, last) in &self.gangs {
            gangs.insert(key.clone(), gone(*last, !touched.contains(key)));
        }
        for view in engine.gangs() {
            let is_untouched = !touched.contains(&view.key);
            gangs.insert(view.key.clone(), observed(view, is_untouched));
        }
        self.gangs = gangs.iter().map(|(key, gang)| (key.clone(), gang.state)).collect();
        self.problems.extend(engine.snapshot().problems().map(ToString::to_string));
        Observed {
            gangs,
            queues: stage.engine().queues().into_iter().map(queue).collect(),
            node_labels: stage
                .objects()
                .nodes
                .iter()
                .map(|(name, node)| (name.clone(), node.labels.clone()))
                .collect(),
            problems: self.problems.iter().cloned().collect(),
        }
    }
}

fn queue(view: QueueView) -> (String, ObservedQueue) {
    let mut queue = ObservedQueue::new();
    for ((flavour, resource), amounts) in view.amounts {
        let facts = [
            (QueueFact::Uses, amounts.used),
            (QueueFact::Kept, amounts.kept),
            (QueueFact::Entitled, amounts.entitled),
            (QueueFact::Deserved, amounts.deserved),
            (QueueFact::Fair, amounts.fair),
            (QueueFact::Demand, amounts.demand),
        ];
        for (fact, amount) in facts {
            let of = queue.entry((fact, flavour.clone())).or_default();
            of.insert(resource.clone(), amount);
        }
    }
    (view.name, queue)
}

fn observed(view: GangView, untouched: bool) -> ObservedGang {
    let state = match view.standing {
        Standing::Empty => GangState::Silent,
        Standing::Done => GangState::Done,
        Standing::Waiting | Standing::Broken => GangState::Waits,
        Standing::Partial | Standing::Running => GangState::Runs,
    };
    let placed = view.members.into_iter().filter_map(|member| Some((member.name, member.node?)));
    ObservedGang { state, placed: placed.collect(), explanation: view.explanation, untouched }
}

/// A gang that the engine no longer knows has no unfinished member.
fn gone(last: GangState, untouched: bool) -> ObservedGang {
    let state = if last == GangState::Silent { GangState::Silent } else { GangState::Done };
    ObservedGang { state, placed: Vec::new(), explanation: None, untouched }
}
