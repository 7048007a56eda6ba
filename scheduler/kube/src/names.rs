//! Every label, annotation and scheduling gate that is read, by name. One home, so that
//! documentation and tests can list them.

/// Label: the muster group a pod belongs to.
pub const GROUP: &str = "muster.sh/pod-group";
/// Label: the role of a pod inside its gang.
pub const ROLE: &str = "muster.sh/role";
/// Label: the position of a pod among its peers.
pub const RANK: &str = "muster.sh/rank";
/// Label on pod, group or namespace: the queue.
pub const QUEUE: &str = "muster.sh/queue";
/// Label or annotation on a controller: least number of its pods that may run.
pub const MIN_AVAILABLE: &str = "muster.sh/min-available";
/// Annotation on a controller or group: the topology that the levels belong to.
pub const TOPOLOGY: &str = "muster.sh/topology";
/// Annotation on a controller or group: the level that all members must share.
pub const TOPOLOGY_REQUIRED: &str = "muster.sh/topology-required";
/// Annotation on a controller or group: the level that members should share.
pub const TOPOLOGY_PREFERRED: &str = "muster.sh/topology-preferred";
/// Annotation on a controller or group: upper bound of the run time.
pub const WALLTIME: &str = "muster.sh/walltime";
/// Annotation on pod or group: `false` where it wishes not to be evicted.
pub const PREEMPTIBLE: &str = "muster.sh/preemptible";
/// Annotation on pod or group: how long it wishes to be safe after it began to run.
pub const MIN_RUNTIME: &str = "muster.sh/min-runtime";
/// Annotation on pod or group: what its restart costs, in pod-seconds for each pod.
pub const PREEMPTION_COST: &str = "muster.sh/preemption-cost";
/// Annotation on pod or group: when it last saved its work.
pub const CHECKPOINTED_AT: &str = "muster.sh/checkpointed-at";
/// Annotation on pod, group or controller: how long a simulated pod runs.
pub const SIMULATED_RUNTIME: &str = "muster.sh/simulated-runtime";
/// Annotation on pod, group or controller: when a simulated pod arrives.
pub const SIMULATED_ARRIVAL: &str = "muster.sh/simulated-arrival";

/// Annotation that muster writes on groups of other dialects and pods of plain gangs: what must
/// survive a restart.
pub const STATE: &str = "muster.sh/state";
/// Annotation that muster writes for people on groups of other dialects, and never reads.
pub const EXPLANATION: &str = "muster.sh/explanation";

/// Annotation: the Volcano group of a pod; the key that operators set.
pub const VOLCANO_GROUP_NAME: &str = "scheduling.k8s.io/group-name";
/// Annotation: the Volcano group of a pod, other spelling.
pub const VOLCANO_GROUP_NAME_ALT: &str = "scheduling.volcano.sh/group-name";
/// Annotation on pod, owner or namespace (and label, as some write it): the Volcano queue.
pub const VOLCANO_SCHEDULING_QUEUE: &str = "scheduling.volcano.sh/queue-name";
/// Annotation on a controller: least number of its pods that may run, in Volcano's words.
pub const VOLCANO_MIN_MEMBER: &str = "scheduling.volcano.sh/group-min-member";
/// Label or annotation on the pods of a vcjob: its queue.
pub const VOLCANO_QUEUE: &str = "volcano.sh/queue-name";
/// Label or annotation on the pods of a vcjob: its name.
pub const VOLCANO_JOB: &str = "volcano.sh/job-name";
/// Label or annotation on the pods of a vcjob: the task they are made from.
pub const VOLCANO_TASK: &str = "volcano.sh/task-spec";
/// Label or annotation on the pods of a vcjob: their number within the task.
pub const VOLCANO_TASK_INDEX: &str = "volcano.sh/task-index";

/// Annotation or label on pod or group: `false` where it is not to be evicted.
pub const VOLCANO_PREEMPTABLE: &str = "volcano.sh/preemptable";
/// Label or annotation on pod or group: how long it is not to be evicted after it was bound.
pub const VOLCANO_COOLDOWN: &str = "volcano.sh/cooldown-time";

/// Label: the coscheduling group of a pod.
pub const COSCHEDULING_GROUP: &str = "scheduling.x-k8s.io/pod-group";

/// Label: the Kueue LocalQueue.
pub const KUEUE_QUEUE: &str = "kueue.x-k8s.io/queue-name";
/// Label: the Kueue group of a plain pod.
pub const KUEUE_GROUP: &str = "kueue.x-k8s.io/pod-group-name";
/// Label (or, per group, the annotation) with the number of a pod in its Kueue group.
pub const KUEUE_POD_INDEX: &str = "kueue.x-k8s.io/pod-group-pod-index";

/// Label on a controller: seconds after which Kueue ends it.
pub const KUEUE_MAX_EXEC_TIME: &str = "kueue.x-k8s.io/max-exec-time-seconds";
/// Annotation on a pod template: the level that all pods must share.
pub const KUEUE_TOPOLOGY_REQUIRED: &str = "kueue.x-k8s.io/podset-required-topology";
/// Annotation on a pod template: the level that pods should share.
pub const KUEUE_TOPOLOGY_PREFERRED: &str = "kueue.x-k8s.io/podset-preferred-topology";

/// Label and annotation: completion index of a pod of an Indexed Job.
pub const JOB_INDEX: &str = "batch.kubernetes.io/job-completion-index";
/// Label: the Job of a pod.
pub const JOB_NAME: &str = "batch.kubernetes.io/job-name";
/// Label: the Job of a pod, other spelling.
pub const JOB_NAME_ALT: &str = "job-name";
/// Label: name of a StatefulSet's pod.
pub const STATEFUL_SET_POD: &str = "statefulset.kubernetes.io/pod-name";
/// Label: which template of its Deployment a pod is made from.
pub const TEMPLATE_HASH: &str = "pod-template-hash";
/// Label: ordinal of a StatefulSet's pod.
pub const POD_INDEX: &str = "apps.kubernetes.io/pod-index";

/// Label: the LeaderWorkerSet of a pod.
pub const LWS_NAME: &str = "leaderworkerset.sigs.k8s.io/name";
/// Label: the replica (group) of a LeaderWorkerSet's pod.
pub const LWS_GROUP_INDEX: &str = "leaderworkerset.sigs.k8s.io/group-index";
/// Label: the number of a pod in its LeaderWorkerSet replica; 0 is the leader.
pub const LWS_WORKER_INDEX: &str = "leaderworkerset.sigs.k8s.io/worker-index";

/// Label and annotation: the JobSet of a pod.
pub const JOBSET_NAME: &str = "jobset.sigs.k8s.io/jobset-name";
/// Label and annotation: number of a pod's Job within the whole JobSet.
pub const JOBSET_GLOBAL_JOB_INDEX: &str = "jobset.sigs.k8s.io/job-global-index";
/// Label and annotation: the replicated job of a pod of a JobSet.
pub const JOBSET_REPLICATED_JOB: &str = "jobset.sigs.k8s.io/replicatedjob-name";

/// Label: the name a node gives itself.
pub const HOSTNAME: &str = "kubernetes.io/hostname";

/// Annotation on a claim: it and its volume name each other.
pub const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
/// Annotation on a claim: the node that its volume is to be made for.
pub const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
/// Annotation on a claim: its storage class, as it was written before there was a field.
pub const STORAGE_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// Prefixes of the annotations that any translation may read.
const READ_PREFIXES: [&str; 13] = [
    "apps.kubernetes.io/",
    "muster.sh/",
    "scheduling.k8s.io/",
    "scheduling.volcano.sh/",
    "volcano.sh/",
    "kueue.x-k8s.io/",
    "batch.kubernetes.io/",
    "leaderworkerset.sigs.k8s.io/",
    "jobset.sigs.k8s.io/",
    "scheduling.x-k8s.io/",
    BIND_COMPLETED,
    SELECTED_NODE,
    STORAGE_CLASS,
];

/// True for annotations that are kept when an object is read.
#[must_use]
pub fn is_read_annotation(key: &str) -> bool {
    key != EXPLANATION && READ_PREFIXES.iter().any(|prefix| key.starts_with(prefix))
}
