//! Parts of larger objects, and who waits for them.
//!
//! Invariant: a row counts towards its part from its start until it gets there or is gone, so
//! that asking costs the same however many controllers a part has.

use scheduler_model::spec::{PodPhase, PodSpec};
use scheduler_model::world::{After, Until, Workload};
use std::collections::BTreeMap;

/// How far all parts have come.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    tallies: BTreeMap<After, Tally>,
}

#[derive(Clone, Debug, Default)]
struct Tally {
    /// Controllers of the part that are on their way.
    left: usize,
    /// Controllers of the part that got there.
    there: usize,
    /// Controllers that wait for it.
    waiting: Vec<usize>,
}

/// How far one controller has come towards one end of its part.
#[derive(Clone, Debug)]
pub(super) struct Way {
    end: After,
    /// So many of its pods, from the first on, got there.
    passed: usize,
    is_over: bool,
}

impl Parts {
    /// Takes in a controller; the ways it has before it.
    pub(super) fn start(&mut self, index: usize, workload: &Workload) -> Vec<Way> {
        for after in &workload.after {
            self.tallies.entry(after.clone()).or_default().waiting.push(index);
        }
        if workload.part.is_empty() {
            return Vec::new();
        }
        let way = |until| Way {
            end: After { part: workload.part.clone(), until },
            passed: 0,
            is_over: false,
        };
        let ways = vec![way(Until::Starts), way(Until::Succeeds)];
        for way in &ways {
            self.tallies.entry(way.end.clone()).or_default().left += 1;
        }
        ways
    }

    /// Moves a controller along, of whose pods these were created; who waited for that.
    pub(super) fn advance(
        &mut self,
        ways: &mut [Way],
        workload: &Workload,
        created: usize,
        pods: &BTreeMap<String, PodSpec>,
    ) -> Vec<usize> {
        let mut stirred = Vec::new();
        for way in ways.iter_mut().filter(|way| !way.is_over) {
            let ahead = workload.pods[way.passed..created].iter();
            way.passed +=
                ahead.take_while(|pod| is_there(pods.get(&pod.uid), way.end.until)).count();
            if way.passed == workload.pods.len() {
                way.is_over = true;
                let tally = self.tallies.entry(way.end.clone()).or_default();
                tally.left -= 1;
                tally.there += 1;
                if tally.left == 0 {
                    stirred.extend_from_slice(&tally.waiting);
                }
            }
        }
        stirred
    }

    /// Forgets a controller that did not get there; who waited for that.
    pub(super) fn stop(&mut self, ways: &mut [Way]) -> Vec<usize> {
        let mut stirred = Vec::new();
        for way in ways.iter_mut().filter(|way| !way.is_over) {
            way.is_over = true;
            let tally = self.tallies.entry(way.end.clone()).or_default();
            tally.left -= 1;
            if tally.left == 0 {
                stirred.extend_from_slice(&tally.waiting);
            }
        }
        stirred
    }

    /// Whether the part has come so far.
    pub(super) fn are_over(&self, after: &After) -> bool {
        self.tallies.get(after).is_some_and(|tally| tally.left == 0 && tally.there > 0)
    }
}

/// Whether a pod that was created got there; one that was deleted keeps nobody waiting.
fn is_there(pod: Option<&PodSpec>, until: Until) -> bool {
    pod.is_none_or(|pod| match until {
        Until::Starts => has_started(pod),
        Until::Succeeds => pod.phase == PodPhase::Succeeded,
    })
}

pub(super) fn has_started(pod: &PodSpec) -> bool {
    pod.node.is_some() && pod.phase != PodPhase::Pending
}
