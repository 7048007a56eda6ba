//! The slim shapes of node affinity, pod affinity and topology spread.

use super::{Number, null_default, text_map};
use serde::Deserialize;
use std::collections::BTreeMap;

/// `spec.affinity` of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Affinity {
    /// To nodes.
    #[serde(deserialize_with = "null_default")]
    pub node_affinity: NodeAffinity,
    /// To pods.
    #[serde(deserialize_with = "null_default")]
    pub pod_affinity: PodAffinity,
    /// Away from pods.
    #[serde(deserialize_with = "null_default")]
    pub pod_anti_affinity: PodAffinity,
}

/// Affinity to nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeAffinity {
    /// Must hold.
    #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    pub required: Option<NodeSelector>,
    /// Should hold.
    #[serde(
        rename = "preferredDuringSchedulingIgnoredDuringExecution",
        deserialize_with = "null_default"
    )]
    pub preferred: Vec<PreferredNodeTerm>,
}

/// Alternatives, any of which may hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeSelector {
    /// The alternatives.
    #[serde(deserialize_with = "null_default")]
    pub node_selector_terms: Vec<NodeSelectorTerm>,
}

/// Requirements that must hold together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeSelectorTerm {
    /// On labels.
    #[serde(deserialize_with = "null_default")]
    pub match_expressions: Vec<Requirement>,
    /// On fields.
    #[serde(deserialize_with = "null_default")]
    pub match_fields: Vec<Requirement>,
}

/// A weighted wish about nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PreferredNodeTerm {
    /// 1–100.
    pub weight: Option<Number>,
    /// The wish.
    #[serde(deserialize_with = "null_default")]
    pub preference: NodeSelectorTerm,
}

/// One condition on one key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Requirement {
    /// Key.
    #[serde(deserialize_with = "null_default")]
    pub key: String,
    /// Operator.
    #[serde(deserialize_with = "null_default")]
    pub operator: String,
    /// Values to compare with.
    #[serde(deserialize_with = "null_default")]
    pub values: Vec<String>,
}

/// Affinity to, or away from, pods.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodAffinity {
    /// Must hold.
    #[serde(
        rename = "requiredDuringSchedulingIgnoredDuringExecution",
        deserialize_with = "null_default"
    )]
    pub required: Vec<PodAffinityTerm>,
    /// Should hold.
    #[serde(
        rename = "preferredDuringSchedulingIgnoredDuringExecution",
        deserialize_with = "null_default"
    )]
    pub preferred: Vec<PreferredPodTerm>,
}

/// A weighted wish about pods.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PreferredPodTerm {
    /// 1–100.
    pub weight: Option<Number>,
    /// The wish.
    #[serde(deserialize_with = "null_default")]
    pub pod_affinity_term: PodAffinityTerm,
}

/// Which pods, where, in which domain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodAffinityTerm {
    /// Which pods; `None` selects no pod.
    pub label_selector: Option<LabelSelector>,
    /// Namespaces by name.
    #[serde(deserialize_with = "null_default")]
    pub namespaces: Vec<String>,
    /// Namespaces by label; `None` selects none, an empty one all.
    pub namespace_selector: Option<LabelSelector>,
    /// Node label whose equal values make a domain.
    #[serde(deserialize_with = "null_default")]
    pub topology_key: String,
    /// Keys in which the pods must equal this one.
    #[serde(deserialize_with = "null_default")]
    pub match_label_keys: Vec<String>,
    /// Keys in which the pods must differ from this one.
    #[serde(deserialize_with = "null_default")]
    pub mismatch_label_keys: Vec<String>,
}

/// A label selector.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LabelSelector {
    /// Exact values.
    #[serde(deserialize_with = "text_map")]
    pub match_labels: BTreeMap<String, String>,
    /// Conditions.
    #[serde(deserialize_with = "null_default")]
    pub match_expressions: Vec<Requirement>,
}

/// One topology spread constraint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SpreadConstraint {
    /// Largest allowed difference.
    pub max_skew: Option<Number>,
    /// Node label whose equal values make a domain.
    #[serde(deserialize_with = "null_default")]
    pub topology_key: String,
    /// `DoNotSchedule` or `ScheduleAnyway`.
    #[serde(deserialize_with = "null_default")]
    pub when_unsatisfiable: String,
    /// Which pods count; `None` counts none.
    pub label_selector: Option<LabelSelector>,
    /// Least number of domains.
    pub min_domains: Option<Number>,
    /// `Honor` or `Ignore`; empty is Honor.
    #[serde(deserialize_with = "null_default")]
    pub node_affinity_policy: String,
    /// `Honor` or `Ignore`; empty is Ignore.
    #[serde(deserialize_with = "null_default")]
    pub node_taints_policy: String,
    /// Keys in which the pods must equal this one.
    #[serde(deserialize_with = "null_default")]
    pub match_label_keys: Vec<String>,
}
