//! Spreads pods evenly over domains.
//!
//! Source of the rules: Kubernetes' documentation of pod topology spread constraints and the
//! default scheduler where that is silent.
//!
//! * Nodes that carry the labels of all hard constraints make the domains; the two node
//!   policies narrow that further, each for its own constraint.
//! * The skew is what the domain would hold with the pod, over what the emptiest one holds.
//!   With fewer domains than `minDomains` the emptiest is taken to hold nothing.
//! * Pods on their way out do not count, and an empty selector counts no placed pod.
//!
//! Soft constraints score: `maxSkew / (maxSkew + skew)` of the full score, skew taken before
//! the pod comes, 0 on nodes without the label; the mean over all soft constraints.

use crate::catalogue::WEIGHT_SPREAD;
use scheduler_framework::profile::Profile;
use scheduler_framework::{Cadence, EventMask, Filter, Plugin, SCORE_MAX, Scorer, Verdict};
use scheduler_model::class::{PodClass, Spread as Constraint};
use scheduler_model::explain::NodeReason;
use scheduler_model::ids::{ClassId, Id, IndexVec, NodeId, ValueId};
use scheduler_model::label::{LabelColumn, absent};
use scheduler_model::node_set::NodeSet;
use scheduler_model::snapshot::Snapshot;
use scheduler_model::spec::{SpreadSpec, WhenUnsatisfiable};
use std::sync::Arc;

#[derive(Debug)]
struct Spread;

pub(crate) fn install(profile: &mut Profile) {
    let it = Arc::new(Spread);
    profile.filter(it.clone()).scorer(it, WEIGHT_SPREAD);
}

impl Plugin for Spread {
    fn name(&self) -> &'static str {
        "spread"
    }

    fn wakes_on(&self) -> EventMask {
        // A pod placed elsewhere can raise the emptiest domain.
        EventMask::NODE_ADDED
            | EventMask::NODE_CHANGED
            | EventMask::ROOM_FREED
            | EventMask::POD_PLACED
    }
}

impl Filter for Spread {
    fn cadence(&self) -> Cadence {
        Cadence::PerPlacement
    }

    fn concerns(&self, snap: &Snapshot, class: ClassId) -> bool {
        has(snap.classes().get(class), WhenUnsatisfiable::DoNotSchedule)
    }

    fn accepts(&self, snap: &Snapshot, class: ClassId, node: NodeId) -> Verdict {
        for rule in rules(snap, class, WhenUnsatisfiable::DoNotSchedule) {
            if rule.column.value(node) == absent() {
                let key = rule.column.key().to_owned();
                return Verdict::Never(NodeReason::NoSpreadLabel(key));
            }
            if !rule.allows(node) {
                return Verdict::Unfit(NodeReason::Spread(rule.column.key().to_owned()));
            }
        }
        Verdict::Fit
    }

    fn retain(&self, snap: &Snapshot, class: ClassId, nodes: &mut NodeSet) {
        for rule in rules(snap, class, WhenUnsatisfiable::DoNotSchedule) {
            nodes.retain_if(|node| rule.column.value(node) != absent() && rule.allows(node));
        }
    }
}

impl Scorer for Spread {
    fn cadence(&self) -> Cadence {
        Cadence::PerPlacement
    }

    fn concerns(&self, snap: &Snapshot, class: ClassId) -> bool {
        has(snap.classes().get(class), WhenUnsatisfiable::ScheduleAnyway)
    }

    fn score(&self, snap: &Snapshot, class: ClassId, node: NodeId) -> i64 {
        mean(&rules(snap, class, WhenUnsatisfiable::ScheduleAnyway), node)
    }

    fn add_scores(
        &self,
        snap: &Snapshot,
        class: ClassId,
        nodes: &NodeSet,
        weight: i64,
        out: &mut [i64],
    ) {
        let rules = rules(snap, class, WhenUnsatisfiable::ScheduleAnyway);
        for node in nodes.iter() {
            out[node.index()] += weight * mean(&rules, node);
        }
    }
}

/// One constraint with the counts it is judged by.
struct Rule<'a> {
    column: &'a LabelColumn,
    max_skew: i64,
    /// Pods that count, per domain.
    counts: IndexVec<ValueId, i64>,
    /// What the emptiest domain holds.
    emptiest: i64,
    /// 1 if the pod to come counts itself.
    itself: i64,
}

impl Rule<'_> {
    fn allows(&self, node: NodeId) -> bool {
        let here = self.counts[self.column.value(node)];
        here + self.itself - self.emptiest <= self.max_skew
    }

    fn score(&self, node: NodeId) -> i64 {
        let value = self.column.value(node);
        if value == absent() {
            return 0;
        }
        let skew = (self.counts[value] - self.emptiest).max(0);
        SCORE_MAX * self.max_skew / (self.max_skew + skew)
    }
}

fn has(row: &PodClass, when: WhenUnsatisfiable) -> bool {
    row.spread.iter().any(|spread| spread.spec.when_unsatisfiable == when)
}

fn mean(rules: &[Rule<'_>], node: NodeId) -> i64 {
    let count = i64::try_from(rules.len()).unwrap_or(i64::MAX);
    rules.iter().map(|rule| rule.score(node)).sum::<i64>() / count.max(1)
}

/// The constraints of one kind with their counts, in the order of the pod.
fn rules(snap: &Snapshot, class: ClassId, when: WhenUnsatisfiable) -> Vec<Rule<'_>> {
    let row = snap.classes().get(class);
    let all: Vec<&Constraint> =
        row.spread.iter().filter(|spread| spread.spec.when_unsatisfiable == when).collect();
    let columns: Vec<&LabelColumn> =
        all.iter().map(|spread| snap.labels().column(spread.key)).collect();
    all.iter().map(|spread| rule(snap, row, spread, &columns)).collect()
}

fn rule<'a>(
    snap: &'a Snapshot,
    row: &PodClass,
    spread: &Constraint,
    columns: &[&LabelColumn],
) -> Rule<'a> {
    let spec = &spread.spec;
    let column = snap.labels().column(spread.key);
    let makes_domain = |node: NodeId| {
        columns.iter().all(|column| column.value(node) != absent())
            && is_honoured(snap, row, spec, node)
    };
    let mut exists: IndexVec<ValueId, bool> = IndexVec::new();
    exists.grow(column.bound(), false);
    // A domain needs one node only, and there are few domains: most nodes need no question.
    let mut unseen = column.bound() - 1;
    for node in snap.nodes().live().iter() {
        if unseen == 0 {
            break;
        }
        let value = column.value(node);
        if !exists[value] && makes_domain(node) {
            exists[value] = true;
            unseen -= 1;
        }
    }
    let mut counts: IndexVec<ValueId, i64> = IndexVec::new();
    counts.grow(column.bound(), 0);
    if !is_selector_empty(spec) {
        let tallies = &snap.relations().selector(spread.selector).tallies;
        for (node, tally) in tallies.iter().filter(|(node, _)| makes_domain(**node)) {
            counts[column.value(*node)] += i64::from(tally.live);
        }
    }
    let domains = || exists.iter_with_id().filter(|(_, exists)| **exists);
    let has_enough = usize::try_from(spec.min_domains).is_ok_and(|min| domains().count() >= min);
    let least = domains().map(|(value, _)| counts[value]).min();
    Rule {
        column,
        max_skew: i64::from(spec.max_skew.max(1)),
        emptiest: least.filter(|_| has_enough).unwrap_or(0),
        itself: i64::from(row.matches.contains(&spread.selector)),
        counts,
    }
}

/// True if the constraint's node policies let the node be part of a domain.
fn is_honoured(snap: &Snapshot, row: &PodClass, spec: &SpreadSpec, node: NodeId) -> bool {
    let constraint = snap.constraints().get(row.constraint);
    let name = || &snap.nodes().spec(node).name;
    // The nodes of its queue are as if the pod itself had named them.
    let is_selected = !spec.honour_affinity
        || (constraint.queue_against(snap.labels(), node).is_none()
            && (constraint.selects_all() || constraint.selects(snap.labels(), node, name())));
    is_selected
        && (!spec.honour_taints
            || constraint.untolerated(&snap.nodes().spec(node).taints).is_none())
}

/// The default scheduler counts nothing for an empty selector, though it selects all pods.
fn is_selector_empty(spec: &SpreadSpec) -> bool {
    spec.selector.as_ref().is_none_or(|selector| selector.requirements.is_empty())
}

#[cfg(test)]
mod tests;
