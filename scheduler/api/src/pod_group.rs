//! `PodGroup`: pods that start together or not at all.
#![allow(clippy::duplicated_attributes, reason = "two columns may have one type")]
#![allow(unreachable_pub, reason = "KubeSchema repeats each struct inside a function")]

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

/// What a gang asks for.
#[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[kube(
    group = "muster.sh",
    version = "v1alpha1",
    kind = "PodGroup",
    namespaced,
    status = "PodGroupStatus",
    shortname = "mpg",
    category = "muster",
    derive = "PartialEq",
    doc = "Pods that start together or not at all. A pod joins by the label muster.sh/pod-group.",
    printcolumn(name = "Min", type_ = "integer", json_path = ".spec.minAvailable"),
    printcolumn(name = "Queue", type_ = "string", json_path = ".spec.queue"),
    printcolumn(
        name = "Scheduled",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Scheduled\")].status"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[serde(rename_all = "camelCase")]
pub struct PodGroupSpec {
    /// Least number of pods that must run together; 1 if absent. No pod of the group starts
    /// before this many have a place. Pods above it follow as room allows.
    #[schemars(range(min = 1))]
    pub min_available: Option<i32>,

    /// Least numbers per role, on top of `minAvailable`. A pod names its role by the label
    /// `muster.sh/role`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 64),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"])
    )]
    pub roles: Vec<PodGroupRole>,

    /// Queue that the group waits in. If absent, the label `muster.sh/queue` of a pod or of the
    /// namespace decides, else it is `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub queue: Option<String>,

    /// Name of a PriorityClass that orders the group in its queue. If absent, the highest
    /// priority among its pods counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253))]
    pub priority_class_name: Option<String>,

    /// Where the pods must or should be close together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<PodGroupTopology>,

    /// Longest time the group will run, as a duration such as `90m` or `1h30m`. Only planning
    /// ahead reads it (start estimates, room for gangs further back). Reaching it does nothing by
    /// itself: no pod is stopped. To stop pods, use `activeDeadlineSeconds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64), regex(pattern = r"^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$"))]
    pub walltime: Option<String>,
}

/// The least number of pods of one role.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PodGroupRole {
    /// Role, as in the pod label `muster.sh/role`.
    #[schemars(length(min = 1, max = 63))]
    pub name: String,
    /// Least number of pods of this role that must run together; 1 if absent.
    #[schemars(range(min = 0))]
    pub min_available: Option<i32>,
}

/// Where the pods of a group must or should be close together.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("has(self.required) || has(self.preferred)")
    .message("name the level in `required` or in `preferred`"))]
pub struct PodGroupTopology {
    /// Name of the Topology whose levels are meant. May be absent if the cluster has only one,
    /// or if the levels are given as node label keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub topology: Option<String>,
    /// Level (its name, or its node label key) that all pods must share: the group waits until
    /// one domain of that level has room for all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 317))]
    pub required: Option<String>,
    /// Level that the pods share if one of its domains has room, and else do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 317))]
    pub preferred: Option<String>,
}

/// What became of a group. Written by muster.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PodGroupStatus {
    /// Latest observations. `Scheduled` says whether the group has a place, and why not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 16),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"])
    )]
    pub conditions: Vec<Condition>,
}
