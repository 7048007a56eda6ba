//! How pods act on each other: interned pod selectors with counts of what they select, and
//! terms that placed pods carry (anti-affinity, preferences) with counts of who carries them.
//!
//! Counts are kept per node; a domain's count is their sum over its nodes. Invariant: a count
//! of zero has no entry, so that doing and undoing leaves equal tables.
//! Next: [`crate::class`] links classes to these rows.

use crate::ids::{CarrierId, KeyId, NodeId, SelectorId, Slots};
use crate::spec::{
    LabelSelector, Labels, NamespaceScope, NamespaceSpec, Requirement, SelectorOperator,
};
use std::collections::BTreeMap;

/// Which pods: a label selector in some namespaces.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PodSelector {
    /// In which namespaces.
    pub scope: NamespaceScope,
    /// With which labels; `None` selects nothing.
    pub selector: Option<LabelSelector>,
}

impl PodSelector {
    /// True if it selects a pod with these labels in this namespace.
    #[must_use]
    pub fn selects(
        &self,
        namespace: &str,
        labels: &Labels,
        namespaces: &BTreeMap<String, NamespaceSpec>,
    ) -> bool {
        self.selector.as_ref().is_some_and(|selector| {
            covers(&self.scope, namespace, namespaces)
                && selector.requirements.iter().all(|requirement| holds(requirement, labels))
        })
    }
}

/// Whether a namespace is one of those that are meant.
pub(crate) fn covers(
    scope: &NamespaceScope,
    namespace: &str,
    namespaces: &BTreeMap<String, NamespaceSpec>,
) -> bool {
    if scope.names.iter().any(|name| name == namespace) {
        return true;
    }
    let none = Labels::new();
    scope.selector.as_ref().is_some_and(|selector| {
        let labels = namespaces.get(namespace).map_or(&none, |spec| &spec.labels);
        selector.requirements.iter().all(|requirement| holds(requirement, labels))
    })
}

/// Whether labels meet one requirement of a label selector.
pub(crate) fn holds(requirement: &Requirement, labels: &Labels) -> bool {
    let value = labels.get(&requirement.key);
    let is_listed = value.is_some_and(|value| requirement.values.contains(value));
    match requirement.operator {
        SelectorOperator::In => is_listed,
        SelectorOperator::NotIn => !is_listed,
        SelectorOperator::Exists => value.is_some(),
        SelectorOperator::DoesNotExist => value.is_none(),
        // Not part of label selectors; translation refuses them, and nothing matches.
        SelectorOperator::Gt | SelectorOperator::Lt => false,
    }
}

/// Pods counted two ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All that hold room there, terminating ones included.
    pub all: u32,
    /// Without terminating ones.
    pub live: u32,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Self) {
        self.all += other.all;
        self.live += other.live;
    }

    pub(crate) fn take(&mut self, other: Self) {
        self.all -= other.all;
        self.live -= other.live;
    }
}

/// How many pods per node; nodes without any have no entry.
pub type Tallies = BTreeMap<NodeId, Tally>;

/// Adds to (or takes from) the count at `node`, leaving no zero behind.
pub(crate) fn change(tallies: &mut Tallies, node: NodeId, by: Tally, sign: Sign) {
    let tally = tallies.entry(node).or_default();
    match sign {
        Sign::Plus => tally.add(by),
        Sign::Minus => tally.take(by),
    }
    if *tally == Tally::default() {
        tallies.remove(&node);
    }
}

/// Whether a charge is made or taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// Made.
    Plus,
    /// Taken back.
    Minus,
}

impl Sign {
    pub(crate) const fn opposite(self) -> Self {
        match self {
            Self::Plus => Self::Minus,
            Self::Minus => Self::Plus,
        }
    }
}

/// How a carried term acts on the pods it selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CarrierKind {
    /// Required anti-affinity: they may not come.
    Refuses,
    /// They are more (positive) or less (negative) welcome. A required affinity counts 1.
    Prefers(i32),
}

/// An interned selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectorRow {
    /// What it selects.
    pub selector: PodSelector,
    /// Selected pods per node.
    pub tallies: Tallies,
    pub(crate) refs: u32,
}

/// An interned term that placed pods carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarrierRow {
    /// On whom it acts.
    pub selector: SelectorId,
    /// Node label whose equal values make a domain.
    pub key: KeyId,
    /// How it acts.
    pub kind: CarrierKind,
    /// Pods that carry it, per node.
    pub tallies: Tallies,
    pub(crate) refs: u32,
}

/// All selectors and carriers that some live class uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RelationTable {
    selectors: Slots<SelectorId, SelectorRow>,
    carriers: Slots<CarrierId, CarrierRow>,
    by_selector: BTreeMap<PodSelector, SelectorId>,
    by_carrier: BTreeMap<(SelectorId, KeyId, CarrierKind), CarrierId>,
}

impl RelationTable {
    /// The selector.
    #[inline]
    #[must_use]
    pub fn selector(&self, id: SelectorId) -> &SelectorRow {
        &self.selectors[id]
    }

    /// The carrier.
    #[inline]
    #[must_use]
    pub fn carrier(&self, id: CarrierId) -> &CarrierRow {
        &self.carriers[id]
    }

    /// All live selectors.
    pub fn selectors(&self) -> impl Iterator<Item = (SelectorId, &SelectorRow)> {
        self.selectors.iter()
    }

    /// All live carriers.
    pub fn carriers(&self) -> impl Iterator<Item = (CarrierId, &CarrierRow)> {
        self.carriers.iter()
    }

    pub(crate) fn selector_mut(&mut self, id: SelectorId) -> &mut SelectorRow {
        &mut self.selectors[id]
    }

    pub(crate) fn carrier_mut(&mut self, id: CarrierId) -> &mut CarrierRow {
        &mut self.carriers[id]
    }

    /// Takes one reference; true if the selector is new.
    pub(crate) fn hold_selector(&mut self, selector: PodSelector) -> (SelectorId, bool) {
        if let Some(id) = self.by_selector.get(&selector) {
            self.selectors[*id].refs += 1;
            return (*id, false);
        }
        let row = SelectorRow { selector: selector.clone(), tallies: Tallies::new(), refs: 1 };
        let id = self.selectors.insert(row);
        self.by_selector.insert(selector, id);
        (id, true)
    }

    /// Gives one reference back; true if the selector is gone.
    pub(crate) fn drop_selector(&mut self, id: SelectorId) -> bool {
        let row = &mut self.selectors[id];
        row.refs -= 1;
        if row.refs > 0 {
            return false;
        }
        let row = self.selectors.remove(id);
        self.by_selector.remove(&row.selector);
        true
    }

    /// Takes one reference; true if the carrier is new.
    pub(crate) fn hold_carrier(
        &mut self,
        selector: SelectorId,
        key: KeyId,
        kind: CarrierKind,
    ) -> (CarrierId, bool) {
        if let Some(id) = self.by_carrier.get(&(selector, key, kind)) {
            self.carriers[*id].refs += 1;
            return (*id, false);
        }
        let id = self.carriers.insert(CarrierRow {
            selector,
            key,
            kind,
            tallies: Tallies::new(),
            refs: 1,
        });
        self.by_carrier.insert((selector, key, kind), id);
        (id, true)
    }

    /// Gives one reference back; true if the carrier is gone.
    pub(crate) fn drop_carrier(&mut self, id: CarrierId) -> bool {
        let row = &mut self.carriers[id];
        row.refs -= 1;
        if row.refs > 0 {
            return false;
        }
        let row = self.carriers.remove(id);
        self.by_carrier.remove(&(row.selector, row.key, row.kind));
        true
    }
}
