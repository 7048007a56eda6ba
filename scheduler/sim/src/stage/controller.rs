//! Controllers as the virtual cluster plays them: when does the next pod come?
//!
//! A controller creates each of its pods once, in their order. What a story deletes is not
//! created again; the story adds the replacement itself.

use super::parts::{Parts, Way, has_started};
use scheduler_model::spec::{GangKey, PodSpec};
use scheduler_model::world::{Pace, SimHints, Workload};
use std::collections::{BTreeMap, BTreeSet};

/// All controllers that have arrived.
#[derive(Clone, Debug, Default)]
pub(super) struct Controllers {
    rows: Vec<Controller>,
    /// The controller of each pod, by uid.
    owners: BTreeMap<String, usize>,
    /// Controllers that may have something to do.
    stirred: BTreeSet<usize>,
    parts: Parts,
}

#[derive(Clone, Debug)]
struct Controller {
    workload: Workload,
    /// How many of its pods were created.
    created: usize,
    /// How many of those have not ended.
    unfinished: u32,
    /// What others may wait for.
    ways: Vec<Way>,
    /// Its gang was deleted, and it with it.
    is_gone: bool,
}

impl Controllers {
    /// Starts a controller. Pods of it that exist already, as in a dump, count as created.
    pub(super) fn start(&mut self, workload: Workload, pods: &BTreeMap<String, PodSpec>) {
        let index = self.rows.len();
        for pod in &workload.pods {
            self.owners.insert(pod.uid.clone(), index);
        }
        let existing = |pod: &PodSpec| pods.get(&pod.uid);
        let created = workload.pods.iter().rposition(|pod| existing(pod).is_some());
        let unfinished =
            workload.pods.iter().filter_map(existing).filter(|pod| !pod.phase.is_finished());
        let unfinished = u32::try_from(unfinished.count()).unwrap_or(u32::MAX);
        let created = created.map_or(0, |last| last + 1);
        let ways = self.parts.start(index, &workload);
        self.rows.push(Controller { workload, created, unfinished, ways, is_gone: false });
        self.stirred.insert(index);
    }

    /// Hears that a pod changed, came or went.
    pub(super) fn note(&mut self, uid: &str, before: Option<&PodSpec>, after: Option<&PodSpec>) {
        let Some(index) = self.owners.get(uid) else { return };
        let lives = |pod: Option<&PodSpec>| pod.is_some_and(|pod| !pod.phase.is_finished());
        let row = &mut self.rows[*index];
        match (lives(before), lives(after)) {
            (false, true) => row.unfinished += 1,
            (true, false) => row.unfinished -= 1,
            (true, true) | (false, false) => {}
        }
        self.stirred.insert(*index);
    }

    /// The next pods that controllers create, given the pods there are; empty once all rest.
    /// The caller creates them and asks again.
    pub(super) fn next(&mut self, pods: &BTreeMap<String, PodSpec>) -> Vec<PodSpec> {
        let mut created = Vec::new();
        let mut stirred = std::mem::take(&mut self.stirred);
        for index in stirred.clone() {
            let Controller { workload, created, ways, .. } = &mut self.rows[index];
            stirred.extend(self.parts.advance(ways, workload, *created, pods));
        }
        for index in stirred {
            let row = &mut self.rows[index];
            if !row.workload.after.iter().all(|after| self.parts.are_over(after)) {
                continue;
            }
            let until = row.created.saturating_add(row.wanted(pods)).min(row.workload.pods.len());
            created.extend_from_slice(&row.workload.pods[row.created..until]);
            row.created = until;
        }
        created
    }

    /// What the controller of a pod says about it.
    pub(super) fn hints_of(&self, uid: &str) -> Option<SimHints> {
        self.owners.get(uid).map(|index| self.rows[*index].workload.hints)
    }

    /// Ends the controllers of a gang.
    pub(super) fn stop(&mut self, gang: &GangKey) {
        for row in self.rows.iter_mut().filter(|row| row.workload.gang == *gang) {
            row.is_gone = true;
            self.stirred.extend(self.parts.stop(&mut row.ways));
        }
    }

    /// The controllers as a world holds them: pods that were deleted will not come again.
    pub(super) fn workloads(&self, pods: &BTreeMap<String, PodSpec>) -> Vec<Workload> {
        let rows = self.rows.iter().filter(|row| !row.is_gone);
        let mut left: Vec<Workload> = rows.map(|row| row.workload_left(pods)).collect();
        left.retain(|workload| !workload.pods.is_empty());
        for workload in &mut left {
            // What has come about is not waited for again, even if its pods are gone by now.
            workload.after.retain(|after| !self.parts.are_over(after));
        }
        left
    }
}

impl Controller {
    /// How many pods it would create now.
    fn wanted(&self, pods: &BTreeMap<String, PodSpec>) -> usize {
        let all = self.workload.pods.len();
        let has_started =
            |index: usize| pods.get(&self.workload.pods[index].uid).is_none_or(has_started);
        match self.workload.pace {
            _ if self.is_gone || self.created == all => 0,
            Pace::AtOnce => all,
            Pace::AtMost(count) => {
                usize::try_from(count.saturating_sub(self.unfinished)).unwrap_or(usize::MAX)
            }
            Pace::AfterReady | Pace::AfterLeader if self.created == 0 => 1,
            Pace::AfterReady => usize::from(has_started(self.created - 1)),
            Pace::AfterLeader if has_started(0) => all,
            Pace::AfterLeader => 0,
        }
    }

    fn workload_left(&self, pods: &BTreeMap<String, PodSpec>) -> Workload {
        let is_left = |(index, pod): &(usize, &PodSpec)| {
            *index >= self.created || pods.contains_key(&pod.uid)
        };
        let left = self.workload.pods.iter().enumerate().filter(is_left);
        let pods = left.map(|(_, pod)| pod.clone()).collect();
        let hints = SimHints { arrival: None, ..self.workload.hints };
        Workload { pods, hints, ..self.workload.clone() }
    }
}
