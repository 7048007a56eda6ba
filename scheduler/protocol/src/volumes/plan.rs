//! A plan that is being prepared, as a whole.

use super::VolumeConfig;
use super::step::{Act, Stage, Step};
use scheduler_model::spec::GangKey;
use scheduler_model::time::Time;
use std::collections::BTreeMap;

/// A plan that is being prepared.
#[derive(Clone, Debug)]
pub(super) struct Preparing {
    pub(super) gang: GangKey,
    pub(super) since: Time,
    pub(super) is_told: bool,
    /// By claim.
    pub(super) steps: BTreeMap<String, Step>,
    /// Pod, node, and claims with a step, of each member.
    pub(super) members: Vec<(String, String, Vec<String>)>,
}

impl Preparing {
    pub(super) fn unbound(&self) -> Vec<String> {
        let unbound = self.steps.iter().filter(|(_, step)| step.stage != Stage::Bound);
        unbound.map(|(key, _)| key.clone()).collect()
    }

    /// Members that were to have a volume made on the node where this claim cannot have one.
    pub(super) fn unfit(&self, claim: &str) -> Vec<(String, String)> {
        let Act::Provision(node) = &self.steps[claim].act else { return Vec::new() };
        self.members_with(|step| step.act == Act::Provision(node.clone()))
    }

    /// Members that wait for a volume to be made.
    pub(super) fn overdue(&self) -> Vec<(String, String)> {
        self.members_with(|step| {
            step.stage != Stage::Bound && matches!(step.act, Act::Provision(_))
        })
    }

    fn members_with(&self, is_meant: impl Fn(&Step) -> bool) -> Vec<(String, String)> {
        let has_one = |claims: &Vec<String>| claims.iter().any(|key| is_meant(&self.steps[key]));
        let members = self.members.iter().filter(|(_, _, claims)| has_one(claims));
        members.map(|(pod, node, _)| (pod.clone(), node.clone())).collect()
    }

    pub(super) fn due(&self, config: &VolumeConfig) -> Option<Time> {
        let told = (!self.is_told).then(|| self.since.after(config.told_after));
        let end = self.since.after(config.timeout);
        self.steps.values().filter_map(Step::due).chain(told).chain([end]).min()
    }
}
