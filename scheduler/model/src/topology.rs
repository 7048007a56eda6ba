//! Levels of node labels and the domains they make.
//!
//! A domain is the set of nodes with equal values at a level and all wider ones. A node is in
//! a domain only if it carries all of these labels: two racks of one name in unknown zones may
//! be two racks.
//! Invariant: `members` of a domain are exactly the nodes that `domain` maps to it.

use crate::ids::{DomainId, Id, IndexVec, KeyId, LevelId, NodeId, ValueId};
use crate::label::{LabelTable, absent};
use crate::node_set::NodeSet;
use crate::spec::TopologySpec;
use std::collections::BTreeMap;

/// The domain that means "the node is in none at this level".
#[must_use]
pub fn nowhere() -> DomainId {
    DomainId::from_index(0)
}

/// One level and its domains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    keys: Vec<KeyId>,
    domains: IndexVec<NodeId, DomainId>,
    paths: IndexVec<DomainId, Vec<ValueId>>,
    members: IndexVec<DomainId, NodeSet>,
    by_path: BTreeMap<Vec<ValueId>, DomainId>,
}

impl Level {
    /// The domain a node is in, [`nowhere`] if none.
    #[inline]
    #[must_use]
    pub fn domain(&self, node: NodeId) -> DomainId {
        self.domains.get(node).copied().unwrap_or_else(nowhere)
    }

    /// All domains, some of which may have lost their last node.
    pub fn ids(&self) -> impl Iterator<Item = DomainId> + use<> {
        let mut ids = self.paths.ids();
        ids.next();
        ids
    }

    /// One more than the largest domain: the size for arrays by domain.
    #[must_use]
    pub fn bound(&self) -> usize {
        self.paths.len()
    }

    /// The nodes of a domain.
    #[must_use]
    pub fn members(&self, domain: DomainId) -> &NodeSet {
        &self.members[domain]
    }

    /// The label keys from the widest level to this one.
    #[must_use]
    pub fn keys(&self) -> &[KeyId] {
        &self.keys
    }

    /// The label values from the widest level to this one, as text. Orders domains without
    /// regard to when they were first seen.
    #[must_use]
    pub fn path<'a>(&self, domain: DomainId, labels: &'a LabelTable) -> Vec<&'a str> {
        let values = &self.paths[domain];
        self.keys.iter().zip(values).map(|(key, value)| labels.column(*key).name(*value)).collect()
    }

    /// `rack=r1`, for people.
    #[must_use]
    pub fn show(&self, domain: DomainId, labels: &LabelTable) -> String {
        let key = self.keys.last().map_or("", |key| labels.column(*key).key());
        let value = self.path(domain, labels).last().copied().unwrap_or_default().to_owned();
        format!("{key}={value}")
    }

    fn remove_node(&mut self, node: NodeId) {
        let old = self.domain(node);
        if old != nowhere() {
            self.members[old].remove(node);
            self.domains[node] = nowhere();
        }
    }

    fn set_node(&mut self, node: NodeId, labels: &LabelTable) {
        self.remove_node(node);
        let path: Vec<ValueId> =
            self.keys.iter().map(|key| labels.column(*key).value(node)).collect();
        let is_inside = path.iter().all(|value| *value != absent());
        let domain = if is_inside { self.intern(path) } else { nowhere() };
        self.domains.grow(node.index() + 1, nowhere());
        self.domains[node] = domain;
        if domain != nowhere() {
            self.members[domain].insert(node);
        }
    }

    fn intern(&mut self, path: Vec<ValueId>) -> DomainId {
        if let Some(domain) = self.by_path.get(&path) {
            return *domain;
        }
        let domain = self.paths.push(path.clone());
        self.members.push(NodeSet::new());
        self.by_path.insert(path, domain);
        domain
    }
}

/// All topologies, and the levels that they or some gang mention.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopologyTable {
    specs: BTreeMap<String, TopologySpec>,
    levels: IndexVec<LevelId, Level>,
    by_keys: BTreeMap<Vec<KeyId>, LevelId>,
}

impl TopologyTable {
    /// The level.
    #[inline]
    #[must_use]
    pub fn level(&self, level: LevelId) -> &Level {
        &self.levels[level]
    }

    /// The topologies by name.
    #[must_use]
    pub fn specs(&self) -> &BTreeMap<String, TopologySpec> {
        &self.specs
    }

    /// The level made of exactly these keys, if it was mentioned.
    #[must_use]
    pub fn find(&self, keys: &[KeyId]) -> Option<LevelId> {
        self.by_keys.get(keys).copied()
    }

    pub(crate) fn specs_mut(&mut self) -> &mut BTreeMap<String, TopologySpec> {
        &mut self.specs
    }

    /// The level of these keys, filled from `nodes` if it is new.
    pub(crate) fn mention(
        &mut self,
        keys: Vec<KeyId>,
        labels: &LabelTable,
        nodes: &[NodeId],
    ) -> LevelId {
        if let Some(level) = self.by_keys.get(&keys) {
            return *level;
        }
        let mut level = Level {
            keys: keys.clone(),
            domains: IndexVec::new(),
            paths: IndexVec::new(),
            members: IndexVec::new(),
            by_path: BTreeMap::new(),
        };
        level.paths.push(Vec::new());
        level.members.push(NodeSet::new());
        for node in nodes {
            level.set_node(*node, labels);
        }
        let id = self.levels.push(level);
        self.by_keys.insert(keys, id);
        id
    }

    /// Takes over one node's labels into every level.
    pub(crate) fn set_node(&mut self, node: NodeId, labels: &LabelTable) {
        for level in self.levels.as_mut_slice() {
            level.set_node(node, labels);
        }
    }

    /// Takes one node out of every level.
    pub(crate) fn remove_node(&mut self, node: NodeId) {
        for level in self.levels.as_mut_slice() {
            level.remove_node(node);
        }
    }

    /// The label keys, widest first, of the level that `wish` names: a level name or key in the
    /// named topology, or in the only one there is, else the wish itself as a label key.
    /// `None` if a topology is named that lacks the level or does not exist.
    #[must_use]
    pub fn resolve(&self, topology: Option<&str>, wish: &str) -> Option<Vec<String>> {
        let in_spec = |spec: &TopologySpec| {
            let found =
                spec.levels.iter().position(|level| level.name == wish || level.key == wish);
            found.map(|last| spec.levels[..=last].iter().map(|level| level.key.clone()).collect())
        };
        match topology {
            Some(name) => self.specs.get(name).and_then(in_spec),
            None => {
                let only = self.specs.values().next().filter(|_| self.specs.len() == 1);
                only.and_then(in_spec).or_else(|| Some(vec![wish.to_owned()]))
            }
        }
    }
}
