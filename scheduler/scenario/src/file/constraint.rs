//! Where a pod may go, in the short form.

use crate::full::UnsatisfiableFile;
use crate::read::Text;
use scheduler_model::spec::{HostPort, LabelSelector, Labels, NodeTerm, Toleration};
use serde::Deserialize;

/// Everything but the requests.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct ConstraintsFile {
    pub(crate) node_selector: Labels,
    pub(crate) node_affinity: Option<Vec<Text<NodeTerm>>>,
    pub(crate) node_preferences: Vec<NodePreferenceFile>,
    pub(crate) tolerations: Vec<Text<Toleration>>,
    pub(crate) host_ports: Vec<Text<HostPort>>,
    pub(crate) affinity: Vec<PodTermFile>,
    pub(crate) anti_affinity: Vec<PodTermFile>,
    pub(crate) pod_preferences: Vec<PodTermFile>,
    pub(crate) spread: Vec<SpreadFile>,
}

/// A preferred node term.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct NodePreferenceFile {
    pub(crate) weight: i32,
    pub(crate) nodes: Text<NodeTerm>,
}

/// A condition on the pods of one domain; `weight` only where it is a preference.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct PodTermFile {
    #[serde(default)]
    pub(crate) weight: Option<i32>,
    #[serde(default)]
    pub(crate) pods: Option<Text<LabelSelector>>,
    pub(crate) per: String,
    #[serde(default)]
    pub(crate) namespaces: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) namespace_selector: Option<Text<LabelSelector>>,
}

/// A spread constraint.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct SpreadFile {
    pub(crate) per: String,
    #[serde(default)]
    pub(crate) pods: Option<Text<LabelSelector>>,
    #[serde(default)]
    pub(crate) max_skew: Option<u32>,
    #[serde(default)]
    pub(crate) when_unsatisfiable: Option<UnsatisfiableFile>,
    #[serde(default)]
    pub(crate) min_domains: Option<u32>,
    #[serde(default)]
    pub(crate) honour_affinity: Option<bool>,
    #[serde(default)]
    pub(crate) honour_taints: bool,
}
