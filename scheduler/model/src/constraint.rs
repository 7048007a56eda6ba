//! What a pod demands of the node alone, compiled against the label columns.
//!
//! Source of the rules: Kubernetes' documentation of node selectors, node affinity and
//! taints. Invariant: an answer depends on the node's own spec only, never on other pods.
//! Next: [`crate::class`] for the demands on other pods.

use crate::ids::{ConstraintId, IndexVec, KeyId, NodeId, ValueId};
use crate::label::{LabelTable, absent};
use crate::spec::{
    LabelSelector, Labels, NodeTerm, PodShape, Requirement, SelectorOperator, Taint, TaintEffect,
    Toleration, TolerationOperator,
};
use hashbrown::HashMap;

/// What a queue asks of the nodes that its gangs go to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueueNodes {
    /// Its name.
    pub queue: String,
    /// Which labels its nodes have.
    pub selector: LabelSelector,
}

/// The part of a [`PodShape`] that a [`Constraint`] is made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConstraintKey {
    /// Other plugins may give other answers to the same demands.
    profile: u8,
    node_selector: Labels,
    node_affinity: Option<Vec<NodeTerm>>,
    node_preferences: Vec<(i32, NodeTerm)>,
    tolerations: Vec<Toleration>,
    /// Nodes that can use the volumes of bound claims, one list of terms per volume.
    reaches: Vec<Vec<NodeTerm>>,
    /// What the queue and those above it ask, from below.
    queues: Vec<QueueNodes>,
}

impl ConstraintKey {
    /// The demands of `shape` on the node alone.
    #[must_use]
    pub fn of(shape: &PodShape) -> Self {
        Self {
            profile: shape.profile,
            node_selector: shape.node_selector.clone(),
            node_affinity: shape.node_affinity.clone(),
            node_preferences: shape.node_preferences.clone(),
            tolerations: shape.tolerations.clone(),
            reaches: Vec::new(),
            queues: Vec::new(),
        }
    }

    /// The same, on nodes of these queues.
    #[must_use]
    pub fn in_queues(mut self, queues: Vec<QueueNodes>) -> Self {
        self.queues = queues;
        self
    }

    /// The same, and the nodes that can use all of these volumes.
    #[must_use]
    pub fn within(mut self, mut reaches: Vec<Vec<NodeTerm>>) -> Self {
        reaches.sort();
        reaches.dedup();
        self.reaches = reaches;
        self
    }

    /// Nodes that meet any of the terms.
    #[must_use]
    pub fn of_terms(terms: Vec<NodeTerm>) -> Self {
        Self { node_affinity: Some(terms), ..Self::default() }
    }
}

/// Demands on the node alone, ready to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    selector: Vec<NodeRequirement>,
    affinity: Option<Vec<CompiledTerm>>,
    preferences: Vec<(i32, CompiledTerm)>,
    tolerations: Vec<Toleration>,
    reaches: Vec<Vec<CompiledTerm>>,
    queues: Vec<(String, Vec<NodeRequirement>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct CompiledTerm {
    labels: Vec<NodeRequirement>,
    /// Requirements on `metadata.name`, kept as text.
    names: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct NodeRequirement {
    key: KeyId,
    operator: SelectorOperator,
    values: Vec<ValueId>,
    bound: Option<i64>,
}

impl NodeRequirement {
    fn holds(&self, labels: &LabelTable, node: NodeId) -> bool {
        let column = labels.column(self.key);
        let value = column.value(node);
        let is_present = value != absent();
        match self.operator {
            SelectorOperator::In => is_present && self.values.contains(&value),
            SelectorOperator::NotIn => !is_present || !self.values.contains(&value),
            SelectorOperator::Exists => is_present,
            SelectorOperator::DoesNotExist => !is_present,
            SelectorOperator::Gt | SelectorOperator::Lt => {
                let number = column.name(value).parse::<i64>().ok().filter(|_| is_present);
                match (number, self.bound) {
                    (Some(number), Some(bound)) if self.operator == SelectorOperator::Gt => {
                        number > bound
                    }
                    (Some(number), Some(bound)) => number < bound,
                    _ => false,
                }
            }
        }
    }
}

fn name_holds(requirement: &Requirement, name: &str) -> bool {
    let is_listed = requirement.values.iter().any(|value| value == name);
    match requirement.operator {
        SelectorOperator::In => requirement.key == "metadata.name" && is_listed,
        SelectorOperator::NotIn => requirement.key == "metadata.name" && !is_listed,
        // Kubernetes allows only In and NotIn on fields; anything else matches nothing.
        SelectorOperator::Exists
        | SelectorOperator::DoesNotExist
        | SelectorOperator::Gt
        | SelectorOperator::Lt => false,
    }
}

impl CompiledTerm {
    fn holds(&self, labels: &LabelTable, node: NodeId, name: &str) -> bool {
        let is_empty = self.labels.is_empty() && self.names.is_empty();
        !is_empty
            && self.labels.iter().all(|requirement| requirement.holds(labels, node))
            && self.names.iter().all(|requirement| name_holds(requirement, name))
    }
}

impl Constraint {
    /// True if node selector and required node affinity match the node.
    #[must_use]
    pub fn selects(&self, labels: &LabelTable, node: NodeId, name: &str) -> bool {
        self.selector.iter().all(|requirement| requirement.holds(labels, node))
            && self
                .affinity
                .as_ref()
                .is_none_or(|terms| terms.iter().any(|term| term.holds(labels, node, name)))
    }

    /// True if it asks nothing of selectors and affinity.
    #[must_use]
    pub fn selects_all(&self) -> bool {
        self.selector.is_empty() && self.affinity.is_none()
    }

    /// The first queue on the way up that keeps its gangs off the node.
    #[must_use]
    pub fn queue_against(&self, labels: &LabelTable, node: NodeId) -> Option<&str> {
        let is_against = |(_, all): &&(String, Vec<NodeRequirement>)| {
            !all.iter().all(|requirement| requirement.holds(labels, node))
        };
        self.queues.iter().find(is_against).map(|(queue, _)| queue.as_str())
    }

    /// True if some queue keeps its gangs to some nodes.
    #[must_use]
    pub fn is_of_queues(&self) -> bool {
        !self.queues.is_empty()
    }

    /// True if the node can use the volumes of all bound claims.
    #[must_use]
    pub fn reaches(&self, labels: &LabelTable, node: NodeId, name: &str) -> bool {
        let is_met =
            |terms: &Vec<CompiledTerm>| terms.iter().any(|term| term.holds(labels, node, name));
        self.reaches.iter().all(is_met)
    }

    /// True if some bound claim has a volume that not every node can use.
    #[must_use]
    pub fn is_bound_to_places(&self) -> bool {
        !self.reaches.is_empty()
    }

    /// Sum of the weights of the preferred terms that match the node.
    #[must_use]
    pub fn preference(&self, labels: &LabelTable, node: NodeId, name: &str) -> i64 {
        self.preferences
            .iter()
            .filter(|(_, term)| term.holds(labels, node, name))
            .map(|(weight, _)| i64::from(*weight))
            .sum()
    }

    /// Sum of all preference weights: the best that [`Constraint::preference`] can be.
    #[must_use]
    pub fn preference_max(&self) -> i64 {
        self.preferences.iter().map(|(weight, _)| i64::from(*weight).max(0)).sum()
    }

    /// True if some preferred term looks at the node's name, not at its labels alone.
    #[must_use]
    pub fn prefers_by_name(&self) -> bool {
        self.preferences.iter().any(|(_, term)| !term.names.is_empty())
    }

    /// The first taint that keeps the pod off and that it does not tolerate.
    #[must_use]
    pub fn untolerated<'a>(&self, taints: &'a [Taint]) -> Option<&'a Taint> {
        taints
            .iter()
            .filter(|taint| taint.effect != TaintEffect::PreferNoSchedule)
            .find(|taint| !self.tolerates(taint))
    }

    /// How many taints would rather keep the pod off.
    #[must_use]
    pub fn unwelcome(&self, taints: &[Taint]) -> usize {
        taints
            .iter()
            .filter(|taint| taint.effect == TaintEffect::PreferNoSchedule)
            .filter(|taint| !self.tolerates(taint))
            .count()
    }

    /// True if some toleration matches the taint.
    #[must_use]
    pub fn tolerates(&self, taint: &Taint) -> bool {
        self.tolerations.iter().any(|toleration| matches(toleration, taint))
    }
}

fn matches(toleration: &Toleration, taint: &Taint) -> bool {
    if toleration.effect.is_some_and(|effect| effect != taint.effect) {
        return false;
    }
    // An empty key matches every key; the value is compared all the same.
    if !toleration.key.is_empty() && toleration.key != taint.key {
        return false;
    }
    let numbers = || Some((integer(&taint.value)?, integer(&toleration.value)?));
    match toleration.operator {
        TolerationOperator::Exists => true,
        TolerationOperator::Equal => toleration.value == taint.value,
        TolerationOperator::Gt => numbers().is_some_and(|(theirs, ours)| theirs > ours),
        TolerationOperator::Lt => numbers().is_some_and(|(theirs, ours)| theirs < ours),
    }
}

/// A decimal integer in its one canonical form, as KEP-5471 demands (no `+`, no leading 0).
fn integer(text: &str) -> Option<i64> {
    text.parse::<i64>().ok().filter(|number| number.to_string() == text)
}

/// All distinct constraints. Append-only: there are few, and masks are kept per constraint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstraintTable {
    rows: IndexVec<ConstraintId, Constraint>,
    by_key: HashMap<ConstraintKey, ConstraintId>,
}

impl ConstraintTable {
    /// The compiled constraint.
    #[inline]
    #[must_use]
    pub fn get(&self, id: ConstraintId) -> &Constraint {
        &self.rows[id]
    }

    /// Number of constraints.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if no pod was seen yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All ids.
    pub fn ids(&self) -> impl Iterator<Item = ConstraintId> + use<> {
        self.rows.ids()
    }

    /// The constraint of `key`, compiled if new; `mention` gives label columns.
    pub(crate) fn intern(
        &mut self,
        key: ConstraintKey,
        labels: &mut LabelTable,
        mention: &mut dyn FnMut(&mut LabelTable, &str) -> KeyId,
    ) -> ConstraintId {
        if let Some(id) = self.by_key.get(&key) {
            return *id;
        }
        let constraint = compile(&key, labels, mention);
        let id = self.rows.push(constraint);
        self.by_key.insert(key, id);
        id
    }
}

type Mention<'a> = &'a mut dyn FnMut(&mut LabelTable, &str) -> KeyId;

fn compile(key: &ConstraintKey, labels: &mut LabelTable, mention: Mention<'_>) -> Constraint {
    let selector = key
        .node_selector
        .iter()
        .map(|(label, value)| {
            let id = mention(labels, label);
            let value = labels.intern(id, value);
            let operator = SelectorOperator::In;
            NodeRequirement { key: id, operator, values: vec![value], bound: None }
        })
        .collect();
    let affinity = key
        .node_affinity
        .as_ref()
        .map(|terms| terms.iter().map(|term| compile_term(term, labels, &mut *mention)).collect());
    let preferences = key
        .node_preferences
        .iter()
        .map(|(weight, term)| (*weight, compile_term(term, labels, &mut *mention)))
        .collect();
    let reaches = key
        .reaches
        .iter()
        .map(|terms| terms.iter().map(|term| compile_term(term, labels, &mut *mention)).collect())
        .collect();
    let queues = key
        .queues
        .iter()
        .map(|it| {
            let all = it.selector.requirements.iter();
            let all = all.map(|one| compile_requirement(one, labels, &mut *mention)).collect();
            (it.queue.clone(), all)
        })
        .collect();
    let tolerations = key.tolerations.clone();
    Constraint { selector, affinity, preferences, tolerations, reaches, queues }
}

fn compile_term(term: &NodeTerm, labels: &mut LabelTable, mention: Mention<'_>) -> CompiledTerm {
    let compiled = term
        .labels
        .iter()
        .map(|requirement| compile_requirement(requirement, labels, &mut *mention))
        .collect();
    CompiledTerm { labels: compiled, names: term.fields.clone() }
}

fn compile_requirement(
    requirement: &Requirement,
    labels: &mut LabelTable,
    mention: Mention<'_>,
) -> NodeRequirement {
    let key = mention(labels, &requirement.key);
    let values = requirement.values.iter().map(|value| labels.intern(key, value)).collect();
    let bound = requirement.values.first().and_then(|value| value.parse().ok());
    NodeRequirement { key, operator: requirement.operator, values, bound }
}
