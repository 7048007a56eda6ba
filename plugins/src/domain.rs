//! Sums over domains: what pods amount to among all nodes with one value of a label.
//!
//! Each comes in two ways: asked for one node (no memory, one walk over the counts), and
//! gathered once for all nodes (an array by value). Invariant: a node without the label is in
//! no domain, so its sum is zero in both.

use scheduler_model::ids::{IndexVec, KeyId, NodeId, ValueId};
use scheduler_model::label::{LabelColumn, absent};
use scheduler_model::relation::Tallies;
use scheduler_model::snapshot::Snapshot;
use std::collections::BTreeMap;

/// How many of the counted pods are in the domain of `node`, terminating ones included.
pub(crate) fn count_near(column: &LabelColumn, tallies: &Tallies, node: NodeId) -> i64 {
    near(column, tallies, node).sum()
}

/// True if any of the counted pods is in the domain of `node`, terminating ones included.
pub(crate) fn is_near(column: &LabelColumn, tallies: &Tallies, node: NodeId) -> bool {
    near(column, tallies, node).next().is_some()
}

fn near(column: &LabelColumn, tallies: &Tallies, node: NodeId) -> impl Iterator<Item = i64> {
    let value = column.value(node);
    tallies
        .iter()
        .filter(move |(other, _)| value != absent() && column.value(**other) == value)
        .map(|(_, tally)| i64::from(tally.all))
}

/// One sum per domain, for each label key that was added to.
#[derive(Debug)]
pub(crate) struct DomainSums<'a> {
    snap: &'a Snapshot,
    by_key: BTreeMap<KeyId, IndexVec<ValueId, i64>>,
}

impl<'a> DomainSums<'a> {
    pub(crate) const fn new(snap: &'a Snapshot) -> Self {
        Self { snap, by_key: BTreeMap::new() }
    }

    /// Adds `weight` for each counted pod to the domain of `key` that it is in.
    pub(crate) fn add(&mut self, key: KeyId, tallies: &Tallies, weight: i32) {
        let column = self.snap.labels().column(key);
        let sums = self.by_key.entry(key).or_default();
        sums.grow(column.bound(), 0);
        for (node, tally) in tallies {
            let value = column.value(*node);
            if value != absent() {
                let by = i64::from(weight) * i64::from(tally.all);
                sums[value] = sums[value].saturating_add(by);
            }
        }
    }

    /// The sum in the node's domain of each key, with the columns they belong to.
    pub(crate) fn columns(&self) -> Vec<(&LabelColumn, &IndexVec<ValueId, i64>)> {
        self.by_key.iter().map(|(key, sums)| (self.snap.labels().column(*key), sums)).collect()
    }
}
