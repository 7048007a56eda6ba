//! Pod classes: everything about a pod that can change where it may go, interned by value.
//!
//! Labels count only as far as some live selector mentions their key, so a 5,000-pod Indexed
//! Job is one class. Invariant: two pods share a class exactly if no predicate can tell them
//! apart. Next: [`crate::snapshot`] moves the counts of a class with every charge.

use crate::constraint::QueueNodes;
use crate::ids::{CarrierId, ClassId, ConstraintId, KeyId, SelectorId, Slots};
use crate::relation::Tallies;
use crate::resource::Request;
use crate::spec::{Labels, PodShape, PodTerm, SpreadSpec};
use crate::volume::Need;
use hashbrown::HashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a class is interned by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassKey {
    /// Namespace of the pods.
    pub namespace: String,
    /// Labels that some live selector mentions.
    pub labels: Labels,
    /// Everything else.
    pub shape: Arc<PodShape>,
    /// What the volume claims of one pod come to, sorted.
    pub needs: Vec<Need>,
    /// What the queue of the pods and those above it ask of nodes, from below.
    pub queues: Vec<QueueNodes>,
}

/// A required or preferred condition on pods in a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// Which pods.
    pub selector: SelectorId,
    /// Node label whose equal values make a domain.
    pub key: KeyId,
}

/// A spread constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Which pods count.
    pub selector: SelectorId,
    /// Node label whose equal values make a domain.
    pub key: KeyId,
    /// The rule.
    pub spec: SpreadSpec,
}

/// The interned shape of pods that are interchangeable for placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodClass {
    /// The value it is interned by.
    pub key: ClassKey,
    /// What one pod wants, the pod itself included.
    pub request: Request,
    /// Requested resources beyond the limit of the table; such pods cannot be placed.
    pub refused_resources: Vec<String>,
    /// Demands on the node alone.
    pub constraint: ConstraintId,
    /// Per need, the nodes for which a volume can be made.
    pub reaches: Vec<Option<ConstraintId>>,
    /// Required pod affinity.
    pub affinity: Vec<Term>,
    /// Required pod anti-affinity.
    pub anti_affinity: Vec<Term>,
    /// Preferred pod affinity (positive) and anti-affinity (negative).
    pub preferences: Vec<(i32, Term)>,
    /// Spread constraints.
    pub spread: Vec<Spread>,
    /// Terms its placed pods carry.
    pub carries: Vec<CarrierId>,
    /// Selectors that select its pods, sorted.
    pub matches: BTreeSet<SelectorId>,
    /// Carried terms that act on its pods, sorted.
    pub acted_on: BTreeSet<CarrierId>,
    /// Its pods that hold room, per node.
    pub tallies: Tallies,
    /// Selectors it holds a reference of, repeats included.
    pub(crate) held: Vec<SelectorId>,
    pub(crate) refs: u32,
}

impl PodClass {
    /// True if its own placement can change what fits the next pod of the class beyond room:
    /// affinity, spread or host ports of its own, or terms of others that act on it.
    #[must_use]
    pub fn is_relational(&self) -> bool {
        !self.affinity.is_empty()
            || !self.anti_affinity.is_empty()
            || !self.preferences.is_empty()
            || !self.spread.is_empty()
            || !self.acted_on.is_empty()
    }

    /// True if its pods take ports of the node, so that a node takes at most one of them.
    #[must_use]
    pub fn has_host_ports(&self) -> bool {
        !self.key.shape.host_ports.is_empty()
    }
}

/// All classes that some pod has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassTable {
    rows: Slots<ClassId, PodClass>,
    by_key: HashMap<ClassKey, ClassId>,
    /// Label keys that live selectors mention, with how many classes mention each.
    projection: BTreeMap<String, u32>,
}

impl ClassTable {
    /// The class.
    #[inline]
    #[must_use]
    pub fn get(&self, id: ClassId) -> &PodClass {
        &self.rows[id]
    }

    /// Number of live classes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True without pods.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All live classes.
    pub fn iter(&self) -> impl Iterator<Item = (ClassId, &PodClass)> {
        self.rows.iter()
    }

    pub(crate) fn get_mut(&mut self, id: ClassId) -> &mut PodClass {
        &mut self.rows[id]
    }

    pub(crate) fn ids(&self) -> Vec<ClassId> {
        self.rows.ids()
    }

    pub(crate) fn find(&self, key: &ClassKey) -> Option<ClassId> {
        self.by_key.get(key).copied()
    }

    pub(crate) fn insert(&mut self, class: PodClass) -> ClassId {
        let key = class.key.clone();
        let id = self.rows.insert(class);
        self.by_key.insert(key, id);
        id
    }

    pub(crate) fn remove(&mut self, id: ClassId) -> PodClass {
        let class = self.rows.remove(id);
        self.by_key.remove(&class.key);
        class
    }

    /// The labels that count.
    pub(crate) fn project(&self, labels: &Labels) -> Labels {
        if self.projection.is_empty() {
            return Labels::new();
        }
        labels
            .iter()
            .filter(|(key, _)| self.projection.contains_key(*key))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }

    /// One more class mentions these keys; answers those that are new.
    pub(crate) fn mention(&mut self, keys: &BTreeSet<String>) -> BTreeSet<String> {
        let mut fresh = BTreeSet::new();
        for key in keys {
            let count = self.projection.entry(key.clone()).or_insert(0);
            *count += 1;
            if *count == 1 {
                fresh.insert(key.clone());
            }
        }
        fresh
    }

    /// One class less mentions these keys; answers those nobody mentions any more.
    pub(crate) fn unmention(&mut self, keys: &BTreeSet<String>) -> BTreeSet<String> {
        let mut stale = BTreeSet::new();
        for key in keys {
            let count = self.projection.get_mut(key).expect("a class mentioned the key");
            *count -= 1;
            if *count == 0 {
                self.projection.remove(key);
                stale.insert(key.clone());
            }
        }
        stale
    }
}

/// The pod label keys that the selectors of `shape` mention.
pub(crate) fn selector_keys(shape: &PodShape) -> BTreeSet<String> {
    let terms = shape
        .affinity
        .iter()
        .chain(&shape.anti_affinity)
        .chain(shape.pod_preferences.iter().map(|(_, term)| term))
        .map(|term: &PodTerm| term.selector.as_ref());
    let spreads = shape.spread.iter().map(|spread| spread.selector.as_ref());
    terms
        .chain(spreads)
        .flatten()
        .flat_map(|selector| &selector.requirements)
        .map(|requirement| requirement.key.clone())
        .collect()
}

/// What still matters of the shape of a pod that we will never place: room, ports and what it
/// does to others. Keeps thousands of foreign pods from making thousands of classes.
pub(crate) fn resident(shape: &PodShape) -> PodShape {
    PodShape {
        requests: shape.requests.clone(),
        host_ports: shape.host_ports.clone(),
        affinity: shape.affinity.clone(),
        anti_affinity: shape.anti_affinity.clone(),
        pod_preferences: shape.pod_preferences.clone(),
        ..PodShape::default()
    }
}
