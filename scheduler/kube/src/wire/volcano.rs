//! Volcano's kinds: PodGroup, Queue, Job, HyperNode.

use super::{LabelSelector, Meta, Number, PodTemplate, ResourceList, null_default};
use serde::Deserialize;
use std::collections::BTreeMap;

/// `scheduling.volcano.sh/v1beta1` PodGroup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct VolcanoGroup {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it asks for.
    #[serde(deserialize_with = "null_default")]
    pub spec: VolcanoGroupSpec,
    /// What a scheduler said about it.
    #[serde(deserialize_with = "null_default")]
    pub status: VolcanoGroupStatus,
}

/// `status` of a Volcano PodGroup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct VolcanoGroupStatus {
    /// What holds.
    #[serde(deserialize_with = "null_default")]
    pub conditions: Vec<VolcanoCondition>,
}

/// One condition of a Volcano PodGroup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct VolcanoCondition {
    /// Names the decision that it tells of.
    #[serde(rename = "transitionID", deserialize_with = "null_default")]
    pub transition_id: String,
}

/// `spec` of a Volcano PodGroup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolcanoGroupSpec {
    /// Least number of members.
    pub min_member: Option<Number>,
    /// Least numbers per task.
    #[serde(deserialize_with = "null_default")]
    pub min_task_member: BTreeMap<String, Option<Number>>,
    /// Queue.
    #[serde(deserialize_with = "null_default")]
    pub queue: String,
    /// Priority class.
    #[serde(deserialize_with = "null_default")]
    pub priority_class_name: String,
    /// What it says it needs in all.
    #[serde(deserialize_with = "null_default")]
    pub min_resources: ResourceList,
    /// Where the members must or should be together.
    pub network_topology: Option<NetworkTopology>,
    /// Groups inside the group.
    #[serde(deserialize_with = "null_default")]
    pub sub_group_policy: Vec<SubGroupPolicy>,
}

/// How far apart in the network members may be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NetworkTopology {
    /// `hard` (also where it is empty) or `soft`.
    #[serde(deserialize_with = "null_default")]
    pub mode: String,
    /// Highest tier that the members may span.
    pub highest_tier_allowed: Option<Number>,
    /// The same by the tier's name.
    #[serde(deserialize_with = "null_default")]
    pub highest_tier_name: String,
}

/// One policy of groups inside the group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubGroupPolicy {
    /// Name.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// Where each of them must be together.
    pub network_topology: Option<NetworkTopology>,
    /// Pods in each of them.
    pub sub_group_size: Option<Number>,
    /// Least number of them.
    pub min_sub_groups: Option<Number>,
}

/// `scheduling.volcano.sh/v1beta1` Queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct VolcanoQueue {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it grants.
    #[serde(deserialize_with = "null_default")]
    pub spec: VolcanoQueueSpec,
    /// What became of it; absent until somebody writes it.
    pub status: Option<VolcanoQueueStatus>,
}

/// `spec` of a Volcano Queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolcanoQueueSpec {
    /// Share among siblings.
    pub weight: Option<Number>,
    /// Ceilings by resource.
    #[serde(deserialize_with = "null_default")]
    pub capability: ResourceList,
    /// Its entitlement by resource.
    #[serde(deserialize_with = "null_default")]
    pub deserved: ResourceList,
    /// What is kept for it.
    #[serde(deserialize_with = "null_default")]
    pub guarantee: Guarantee,
    /// Queue above.
    #[serde(deserialize_with = "null_default")]
    pub parent: String,
    /// Order where shares are equal.
    pub priority: Option<Number>,
    /// False if others may not take back what it uses; true where it is absent.
    pub reclaimable: Option<bool>,
    /// `traverse` or `fifo`.
    #[serde(deserialize_with = "null_default")]
    pub dequeue_strategy: String,
    /// The node groups that it may use.
    #[serde(deserialize_with = "null_default")]
    pub affinity: QueueAffinity,
}

/// The node groups that a Volcano Queue may use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct QueueAffinity {
    /// Groups for it.
    #[serde(deserialize_with = "null_default")]
    pub node_group_affinity: NodeGroups,
    /// Groups that are not for it.
    #[serde(deserialize_with = "null_default")]
    pub node_group_anti_affinity: NodeGroups,
}

/// Names of node groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct NodeGroups {
    /// Those that count.
    #[serde(
        rename = "requiredDuringSchedulingIgnoredDuringExecution",
        deserialize_with = "null_default"
    )]
    pub required: Vec<String>,
    /// Those that would be liked better, or worse.
    #[serde(
        rename = "preferredDuringSchedulingIgnoredDuringExecution",
        deserialize_with = "null_default"
    )]
    pub preferred: Vec<String>,
}

/// What is kept for a Volcano Queue, whether it uses it or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Guarantee {
    /// Amounts by resource.
    #[serde(deserialize_with = "null_default")]
    pub resource: ResourceList,
}

/// `status` of a Volcano Queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct VolcanoQueueStatus {
    /// `Open`, `Closed`, `Closing`, `Unknown`, or empty where no Volcano controller runs.
    #[serde(deserialize_with = "null_default")]
    pub state: String,
    /// What its gangs use.
    #[serde(deserialize_with = "null_default")]
    pub allocated: ResourceList,
    /// Groups that wait for their queue.
    pub pending: Option<Number>,
    /// Groups whose pods may be made.
    pub inqueue: Option<Number>,
    /// Groups that run.
    pub running: Option<Number>,
    /// Groups that lost members.
    pub unknown: Option<Number>,
}

/// `batch.volcano.sh/v1alpha1` Job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct VolcanoJob {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it runs.
    #[serde(deserialize_with = "null_default")]
    pub spec: VolcanoJobSpec,
    /// What became of it.
    #[serde(deserialize_with = "null_default")]
    pub status: VolcanoJobStatus,
}

/// `spec` of a Volcano Job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VolcanoJobSpec {
    /// Scheduler of all pods.
    #[serde(deserialize_with = "null_default")]
    pub scheduler_name: String,
    /// Least number of members.
    pub min_available: Option<Number>,
    /// Tasks: kinds of pods.
    #[serde(deserialize_with = "null_default")]
    pub tasks: Vec<Task>,
    /// Upper bound of the run time, as written.
    #[serde(deserialize_with = "null_default")]
    pub running_estimate: Option<String>,
    /// Queue.
    #[serde(deserialize_with = "null_default")]
    pub queue: String,
    /// Priority class.
    #[serde(deserialize_with = "null_default")]
    pub priority_class_name: String,
    /// Where the members must or should be together.
    pub network_topology: Option<NetworkTopology>,
}

/// `status` of a Volcano Job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct VolcanoJobStatus {
    /// Members that succeeded.
    pub succeeded: Option<Number>,
    /// Where it stands.
    #[serde(deserialize_with = "null_default")]
    pub state: VolcanoJobState,
}

/// `status.state` of a Volcano Job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct VolcanoJobState {
    /// `Pending`, `Running`, `Completed` and so on.
    #[serde(deserialize_with = "null_default")]
    pub phase: String,
}

/// One task of a Volcano Job: pods of one template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Task {
    /// Name; `default<index>` where it is empty.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// Number of pods.
    pub replicas: Option<Number>,
    /// Least number of pods.
    pub min_available: Option<Number>,
    /// The pods.
    #[serde(deserialize_with = "null_default")]
    pub template: PodTemplate,
    /// Tasks that must have begun or ended before.
    pub depends_on: Option<DependsOn>,
    /// Groups inside the task.
    pub partition_policy: Option<PartitionPolicy>,
}

/// Which tasks must come before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct DependsOn {
    /// Names of the tasks.
    #[serde(deserialize_with = "null_default")]
    pub name: Vec<String>,
}

/// Groups inside a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PartitionPolicy {
    /// Pods in each of them.
    pub partition_size: Option<Number>,
    /// Least number of them.
    pub min_partitions: Option<Number>,
    /// Where each of them must be together.
    pub network_topology: Option<NetworkTopology>,
}

/// `topology.volcano.sh/v1alpha1` HyperNode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct HyperNode {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it spans.
    #[serde(deserialize_with = "null_default")]
    pub spec: HyperNodeSpec,
}

/// `spec` of a HyperNode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HyperNodeSpec {
    /// Smaller is closer.
    pub tier: Option<Number>,
    /// Name of the tier.
    #[serde(deserialize_with = "null_default")]
    pub tier_name: String,
    /// Nodes or narrower HyperNodes.
    #[serde(deserialize_with = "null_default")]
    pub members: Vec<HyperNodeMember>,
}

/// Some children of a HyperNode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct HyperNodeMember {
    /// `Node` or `HyperNode`.
    #[serde(rename = "type", deserialize_with = "null_default")]
    pub kind: String,
    /// Which of them.
    #[serde(deserialize_with = "null_default")]
    pub selector: MemberSelector,
}

/// Chooses children in exactly one of three ways.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MemberSelector {
    /// By full name.
    pub exact_match: Option<ExactMatch>,
    /// By a pattern over names.
    pub regex_match: Option<RegexMatch>,
    /// By labels, nodes only.
    pub label_match: Option<LabelSelector>,
}

/// One child by its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ExactMatch {
    /// Name.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
}

/// Children by a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RegexMatch {
    /// Regular expression over names.
    #[serde(deserialize_with = "null_default")]
    pub pattern: String,
}
