//! `Topology`: which node labels say how close two nodes are.
#![allow(clippy::duplicated_attributes, reason = "two columns may have one type")]
#![allow(unreachable_pub, reason = "KubeSchema repeats each struct inside a function")]

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

/// Ordered levels of node labels.
#[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[kube(
    group = "muster.sh",
    version = "v1alpha1",
    kind = "Topology",
    plural = "topologies",
    status = "TopologyStatus",
    shortname = "mtopo",
    category = "muster",
    derive = "PartialEq",
    doc = "Which node labels say how close two nodes are, from the widest to the narrowest.",
    printcolumn(name = "Levels", type_ = "string", json_path = ".spec.levels[*].nodeLabel"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[serde(rename_all = "camelCase")]
pub struct TopologySpec {
    /// Levels, widest first (block, then rack, then host). Nodes share a domain of a level when
    /// they agree in its label *and* in those of all levels before it.
    #[schemars(length(min = 1, max = 16), extend("x-kubernetes-list-type" = "atomic"))]
    #[x_kube(validation = Rule::new("self.all(a, self.exists_one(b, b.nodeLabel == a.nodeLabel))")
        .message("each nodeLabel may stand in one level only"))]
    pub levels: Vec<TopologyLevel>,
}

/// One level of a topology.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TopologyLevel {
    /// Short name that groups may use instead of the label key, such as `rack`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63))]
    pub name: Option<String>,
    /// Key of the node label whose equal values make a domain.
    #[schemars(length(min = 1, max = 317))]
    pub node_label: String,
}

/// What became of a topology. Written by muster.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TopologyStatus {
    /// Latest observations. `Accepted` is false where the topology cannot be used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 16),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"])
    )]
    pub conditions: Vec<Condition>,
}
