//! Pods that must or would rather be near other pods, or far from them.
//!
//! Source of the rules: Kubernetes' documentation of inter-pod affinity and the default
//! scheduler where that is silent. Near is: on nodes with one value of the term's label.
//!
//! * A pod is a partner only if *all* required affinity terms select it. Each term needs a
//!   partner near, and the node must carry every label. The first pod of a kind that selects
//!   itself may go wherever the labels are.
//! * No pod that an anti-affinity term selects may be near; nor any that refuses this one.
//! * Pods on their way out count until they are gone.
//!
//! The score is 500 plus what pulls, minus what pushes: each pod near adds the weight of its
//! term, and each term that a placed pod carries adds its weight too. A sum of
//! [`HALF`] is worth half of the way to 1000, twice that two thirds, and so on downwards to 0.

use crate::catalogue::WEIGHT_AFFINITY;
use crate::domain::{DomainSums, count_near, is_near};
use scheduler_framework::profile::Profile;
use scheduler_framework::{Cadence, EventMask, Filter, Plugin, SCORE_MAX, Scorer, Verdict};
use scheduler_model::class::PodClass;
use scheduler_model::explain::NodeReason;
use scheduler_model::ids::{ClassId, Id, KeyId, NodeId};
use scheduler_model::label::absent;
use scheduler_model::node_set::NodeSet;
use scheduler_model::relation::{CarrierKind, CarrierRow, Tallies};
use scheduler_model::snapshot::Snapshot;
use std::sync::Arc;

#[derive(Debug)]
struct Affinity;

/// Four pods of full weight. Small enough that a single pod of weight 1 moves the score.
const HALF: i64 = 400;

pub(crate) fn install(profile: &mut Profile) {
    let it = Arc::new(Affinity);
    profile.filter(it.clone()).scorer(it, WEIGHT_AFFINITY);
}

impl Plugin for Affinity {
    fn name(&self) -> &'static str {
        "affinity"
    }

    fn wakes_on(&self) -> EventMask {
        EventMask::NODE_ADDED
            | EventMask::NODE_CHANGED
            | EventMask::ROOM_FREED
            | EventMask::POD_PLACED
            | EventMask::POLICY_CHANGED
    }
}

impl Filter for Affinity {
    fn cadence(&self) -> Cadence {
        Cadence::PerPlacement
    }

    fn concerns(&self, snap: &Snapshot, class: ClassId) -> bool {
        let row = snap.classes().get(class);
        !row.affinity.is_empty()
            || !row.anti_affinity.is_empty()
            || refusing(snap, row).next().is_some()
    }

    fn accepts(&self, snap: &Snapshot, class: ClassId, node: NodeId) -> Verdict {
        let row = snap.classes().get(class);
        let near = |key: KeyId, tallies| is_near(snap.labels().column(key), tallies, node);
        if !row.affinity.is_empty() {
            let partners = partners(snap, row);
            let may_be_first = may_be_first(snap, row, &partners);
            let is_met = |key: KeyId| {
                let is_labelled = snap.labels().column(key).value(node) != absent();
                is_labelled && (may_be_first || partners.iter().any(|pods| near(key, pods)))
            };
            if !row.affinity.iter().all(|term| is_met(term.key)) {
                // Pods that end bring no partner.
                return Verdict::Never(NodeReason::PodAffinity);
            }
        }
        let selected = |selector| &snap.relations().selector(selector).tallies;
        if row.anti_affinity.iter().any(|term| near(term.key, selected(term.selector))) {
            return Verdict::Unfit(NodeReason::PodAntiAffinity);
        }
        if refusing(snap, row).any(|carrier| near(carrier.key, &carrier.tallies)) {
            return Verdict::Unfit(NodeReason::RefusedByPod);
        }
        Verdict::Fit
    }

    fn retain(&self, snap: &Snapshot, class: ClassId, nodes: &mut NodeSet) {
        let row = snap.classes().get(class);
        let mut hostile = DomainSums::new(snap);
        for term in &row.anti_affinity {
            hostile.add(term.key, &snap.relations().selector(term.selector).tallies, 1);
        }
        for carrier in refusing(snap, row) {
            hostile.add(carrier.key, &carrier.tallies, 1);
        }
        for (column, sums) in hostile.columns() {
            nodes.retain_if(|node| sums[column.value(node)] == 0);
        }
        if row.affinity.is_empty() {
            return;
        }
        let partners = partners(snap, row);
        if may_be_first(snap, row, &partners) {
            for term in &row.affinity {
                let column = snap.labels().column(term.key);
                nodes.retain_if(|node| column.value(node) != absent());
            }
            return;
        }
        let mut friendly = DomainSums::new(snap);
        for term in &row.affinity {
            partners.iter().for_each(|pods| friendly.add(term.key, pods, 1));
        }
        for (column, sums) in friendly.columns() {
            nodes.retain_if(|node| sums[column.value(node)] > 0);
        }
        if partners.is_empty() {
            *nodes = NodeSet::new();
        }
    }
}

impl Scorer for Affinity {
    fn cadence(&self) -> Cadence {
        Cadence::PerPlacement
    }

    fn concerns(&self, snap: &Snapshot, class: ClassId) -> bool {
        forces(snap, snap.classes().get(class)).next().is_some()
    }

    fn score(&self, snap: &Snapshot, class: ClassId, node: NodeId) -> i64 {
        let sum = forces(snap, snap.classes().get(class))
            .map(|(weight, key, pods)| {
                i64::from(weight) * count_near(snap.labels().column(key), pods, node)
            })
            .fold(0, i64::saturating_add);
        on_scale(sum)
    }

    fn add_scores(
        &self,
        snap: &Snapshot,
        class: ClassId,
        nodes: &NodeSet,
        weight: i64,
        out: &mut [i64],
    ) {
        let mut sums = DomainSums::new(snap);
        for (force, key, pods) in forces(snap, snap.classes().get(class)) {
            sums.add(key, pods, force);
        }
        let columns = sums.columns();
        for node in nodes.iter() {
            let parts = columns.iter().map(|(column, sums)| sums[column.value(node)]);
            out[node.index()] += weight * on_scale(parts.fold(0, i64::saturating_add));
        }
    }
}

/// The counts of pods that all required affinity terms select.
fn partners<'a>(snap: &'a Snapshot, row: &PodClass) -> Vec<&'a Tallies> {
    let Some(first) = row.affinity.first() else { return Vec::new() };
    if row.affinity.iter().all(|term| term.selector == first.selector) {
        return vec![&snap.relations().selector(first.selector).tallies];
    }
    snap.classes()
        .iter()
        .filter(|(_, other)| row.affinity.iter().all(|term| other.matches.contains(&term.selector)))
        .map(|(_, other)| &other.tallies)
        .collect()
}

/// True if the class is its own partner and there is no other yet. A pod on a node without
/// any of the labels is in no domain and does not count.
fn may_be_first(snap: &Snapshot, row: &PodClass, partners: &[&Tallies]) -> bool {
    let is_in_domain = |node: &NodeId| {
        row.affinity.iter().any(|term| snap.labels().column(term.key).value(*node) != absent())
    };
    row.affinity.iter().all(|term| row.matches.contains(&term.selector))
        && !partners.iter().any(|pods| pods.keys().any(is_in_domain))
}

/// Required anti-affinity terms of placed pods that act on the class.
fn refusing<'a>(snap: &'a Snapshot, row: &'a PodClass) -> impl Iterator<Item = &'a CarrierRow> {
    row.acted_on
        .iter()
        .map(|id| snap.relations().carrier(*id))
        .filter(|carrier| carrier.kind == CarrierKind::Refuses)
}

/// What pulls and pushes: the weight for each of the counted pods in a domain of the key.
fn forces<'a>(
    snap: &'a Snapshot,
    row: &'a PodClass,
) -> impl Iterator<Item = (i32, KeyId, &'a Tallies)> {
    let own = row.preferences.iter().map(|(weight, term)| {
        (*weight, term.key, &snap.relations().selector(term.selector).tallies)
    });
    let of_others = row.acted_on.iter().filter_map(|id| {
        let carrier = snap.relations().carrier(*id);
        match carrier.kind {
            CarrierKind::Prefers(weight) => Some((weight, carrier.key, &carrier.tallies)),
            CarrierKind::Refuses => None,
        }
    });
    own.chain(of_others)
}

fn on_scale(sum: i64) -> i64 {
    // Far beyond any cluster, and far below where the product would overflow.
    let sum = sum.clamp(-(1 << 40), 1 << 40);
    let middle = SCORE_MAX / 2;
    middle + middle * sum / (sum.abs() + HALF)
}

#[cfg(test)]
mod tests;
