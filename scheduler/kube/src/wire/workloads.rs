//! Controllers of pods: Job, StatefulSet, ReplicaSet, Deployment, LeaderWorkerSet, JobSet.

use super::{Condition, Meta, Number, PodTemplate, null_default};
use serde::Deserialize;

/// `batch/v1` Job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Job {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it runs.
    #[serde(deserialize_with = "null_default")]
    pub spec: JobSpec,
    /// What became of it.
    #[serde(deserialize_with = "null_default")]
    pub status: JobStatus,
}

/// `spec` of a Job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobSpec {
    /// Pods that may run at the same time.
    pub parallelism: Option<Number>,
    /// Pods that must succeed.
    pub completions: Option<Number>,
    /// `Indexed`, or `NonIndexed` (also where it is empty).
    #[serde(deserialize_with = "null_default")]
    pub completion_mode: String,
    /// Seconds after which it is stopped.
    pub active_deadline_seconds: Option<Number>,
    /// True if it creates nothing.
    #[serde(deserialize_with = "null_default")]
    pub suspend: bool,
    /// The pods.
    #[serde(deserialize_with = "null_default")]
    pub template: PodTemplate,
}

/// `status` of a Job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobStatus {
    /// Pods that succeeded.
    pub succeeded: Option<Number>,
    /// `Complete` and `Failed` among others.
    #[serde(deserialize_with = "null_default")]
    pub conditions: Vec<Condition>,
}

/// `apps/v1` StatefulSet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct StatefulSet {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it runs.
    #[serde(deserialize_with = "null_default")]
    pub spec: StatefulSetSpec,
}

/// `spec` of a StatefulSet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatefulSetSpec {
    /// Number of pods.
    pub replicas: Option<Number>,
    /// `OrderedReady` (also where it is empty) or `Parallel`.
    #[serde(deserialize_with = "null_default")]
    pub pod_management_policy: String,
    /// Where ordinals begin.
    #[serde(deserialize_with = "null_default")]
    pub ordinals: Ordinals,
    /// The pods.
    #[serde(deserialize_with = "null_default")]
    pub template: PodTemplate,
}

/// Where the ordinals of a StatefulSet begin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Ordinals {
    /// First ordinal.
    pub start: Option<Number>,
}

/// `apps/v1` ReplicaSet or Deployment, whose scheduling side is the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Replicas {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it runs.
    #[serde(deserialize_with = "null_default")]
    pub spec: ReplicasSpec,
}

/// `spec` of a ReplicaSet or Deployment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ReplicasSpec {
    /// Number of pods.
    pub replicas: Option<Number>,
    /// The pods.
    #[serde(deserialize_with = "null_default")]
    pub template: PodTemplate,
}

/// `leaderworkerset.x-k8s.io/v1` LeaderWorkerSet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LeaderWorkerSet {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it runs.
    #[serde(deserialize_with = "null_default")]
    pub spec: LeaderWorkerSetSpec,
}

/// `spec` of a LeaderWorkerSet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LeaderWorkerSetSpec {
    /// Number of groups of one leader and its workers.
    pub replicas: Option<Number>,
    /// `LeaderCreated` (also where it is empty) or `LeaderReady`.
    #[serde(deserialize_with = "null_default")]
    pub startup_policy: String,
    /// Leader and workers of one group.
    #[serde(deserialize_with = "null_default")]
    pub leader_worker_template: LeaderWorkerTemplate,
}

/// Leader and workers of one group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LeaderWorkerTemplate {
    /// Pods in a group, the leader included.
    pub size: Option<Number>,
    /// The leader, where it differs from the workers.
    pub leader_template: Option<PodTemplate>,
    /// The workers.
    #[serde(deserialize_with = "null_default")]
    pub worker_template: PodTemplate,
}

/// `jobset.x-k8s.io/v1alpha2` JobSet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct JobSet {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it runs.
    #[serde(deserialize_with = "null_default")]
    pub spec: JobSetSpec,
    /// What became of it.
    #[serde(deserialize_with = "null_default")]
    pub status: JobSetStatus,
}

/// `status` of a JobSet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobSetStatus {
    /// `Completed` or `Failed` once it creates nothing more.
    #[serde(deserialize_with = "null_default")]
    pub terminal_state: String,
}

/// `spec` of a JobSet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobSetSpec {
    /// Jobs by template.
    #[serde(deserialize_with = "null_default")]
    pub replicated_jobs: Vec<ReplicatedJob>,
    /// True if it creates nothing.
    #[serde(deserialize_with = "null_default")]
    pub suspend: bool,
}

/// Equal Jobs of a JobSet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReplicatedJob {
    /// Name.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// Number of Jobs.
    pub replicas: Option<Number>,
    /// The Jobs.
    #[serde(deserialize_with = "null_default")]
    pub template: Job,
    /// Jobs that must have begun or ended before.
    #[serde(deserialize_with = "null_default")]
    pub depends_on: Vec<JobDependency>,
}

/// One replicated job that must come before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct JobDependency {
    /// Its name.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// `Ready` or `Complete`.
    #[serde(deserialize_with = "null_default")]
    pub status: String,
}
