//! Label selectors, as values.

/// One condition on one key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Requirement {
    /// Label key (or a field path inside `matchFields`).
    pub key: String,
    /// What must hold.
    pub operator: SelectorOperator,
    /// Sorted values. `Gt` and `Lt` have exactly one.
    pub values: Vec<String>,
}

/// What a [`Requirement`] demands of the value at its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SelectorOperator {
    /// Present and one of the values.
    In,
    /// Absent, or present with another value.
    NotIn,
    /// Present.
    Exists,
    /// Absent.
    DoesNotExist,
    /// Present, an integer, and greater than the value (node selectors only).
    Gt,
    /// Present, an integer, and less than the value (node selectors only).
    Lt,
}

/// A selector over pod or namespace labels: all requirements must hold, so an empty one
/// selects everything. "Selects nothing" (a null selector) is `None` where it can occur.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelSelector {
    /// Sorted, without repeats. `matchLabels` are `In` requirements with one value.
    pub requirements: Vec<Requirement>,
}

/// Which namespaces a pod term looks into: the union of the names and the selected ones.
/// Adapters fill in the pod's own namespace where the object names none.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NamespaceScope {
    /// Sorted names.
    pub names: Vec<String>,
    /// Namespaces chosen by label; `Some` of an empty selector is all of them.
    pub selector: Option<LabelSelector>,
}
