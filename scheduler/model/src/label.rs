//! Node labels as dense columns, one per key that a class or a topology mentions.
//!
//! Invariant: for every column and live node, the entry equals the label on the node's spec.
//! Next: [`crate::constraint`] compiles selectors against these columns.

use crate::ids::{Id, IndexVec, KeyId, NodeId, ValueId};
use crate::spec::Labels;
use std::collections::BTreeMap;

/// The value that means "the node has no such label".
pub fn absent() -> ValueId {
    ValueId::from_index(0)
}

/// One label key over all nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelColumn {
    key: String,
    values: IndexVec<NodeId, ValueId>,
    names: IndexVec<ValueId, String>,
    by_name: BTreeMap<String, ValueId>,
}

impl LabelColumn {
    /// The label key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The node's value, [`absent`] if it has none.
    #[inline]
    #[must_use]
    pub fn value(&self, node: NodeId) -> ValueId {
        self.values.get(node).copied().unwrap_or_else(absent)
    }

    /// The text of a value.
    #[must_use]
    pub fn name(&self, value: ValueId) -> &str {
        &self.names[value]
    }

    /// The value of this text, if any node ever had it or any selector named it.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<ValueId> {
        self.by_name.get(name).copied()
    }

    /// One more than the largest value ever seen: the size for arrays by value.
    #[must_use]
    pub fn bound(&self) -> usize {
        self.names.len()
    }

    fn intern(&mut self, name: &str) -> ValueId {
        if let Some(value) = self.by_name.get(name) {
            return *value;
        }
        let value = self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), value);
        value
    }

    fn set(&mut self, node: NodeId, label: Option<&String>) {
        let value = label.map_or_else(absent, |name| self.intern(name));
        self.values.grow(node.index() + 1, absent());
        self.values[node] = value;
    }
}

/// All label columns. Columns are never dropped: a key once mentioned is cheap to keep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelTable {
    columns: IndexVec<KeyId, LabelColumn>,
    by_key: BTreeMap<String, KeyId>,
}

impl LabelTable {
    /// The column of `key`.
    #[inline]
    #[must_use]
    pub fn column(&self, key: KeyId) -> &LabelColumn {
        &self.columns[key]
    }

    /// The id of `key`, if some class or topology mentioned it.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<KeyId> {
        self.by_key.get(key).copied()
    }

    /// The id of `key`, with a column filled from `nodes` if it is new.
    pub(crate) fn mention<'a>(
        &mut self,
        key: &str,
        nodes: impl Iterator<Item = (NodeId, &'a Labels)>,
    ) -> KeyId {
        if let Some(id) = self.by_key.get(key) {
            return *id;
        }
        let mut column = LabelColumn {
            key: key.to_owned(),
            values: IndexVec::new(),
            names: IndexVec::new(),
            by_name: BTreeMap::new(),
        };
        column.names.push(String::new());
        for (node, labels) in nodes {
            column.set(node, labels.get(key));
        }
        let id = self.columns.push(column);
        self.by_key.insert(key.to_owned(), id);
        id
    }

    /// The value `name` in the column of `key`, made if no node has it yet.
    pub(crate) fn intern(&mut self, key: KeyId, name: &str) -> ValueId {
        self.columns[key].intern(name)
    }

    /// Takes over the labels of one node; `None` empties its row.
    pub(crate) fn set_node(&mut self, node: NodeId, labels: Option<&Labels>) {
        for column in self.columns.as_mut_slice() {
            let label = labels.and_then(|labels| labels.get(&column.key));
            column.set(node, label);
        }
    }
}
