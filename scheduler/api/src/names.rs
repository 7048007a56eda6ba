//! Every name under `muster.sh/` that people and programs write on objects, in one place.
//!
//! Keys are read as a label first and as an annotation second, unless their doc says otherwise.
//! What each one means to a gang stands with the translation in `scheduler/kube`.

/// API group of muster's own kinds.
pub const GROUP: &str = "muster.sh";
/// Version of muster's own kinds.
pub const VERSION: &str = "v1alpha1";
/// The `schedulerName` that muster answers to where its configuration names no other.
pub const SCHEDULER: &str = "muster";
/// The queue of gangs that name none, nor does their namespace.
pub const QUEUE_DEFAULT: &str = "default";

/// Label on pods: the PodGroup in the same namespace that the pod belongs to.
pub const POD_GROUP: &str = "muster.sh/pod-group";
/// Label on pods: the role inside the PodGroup, one of `spec.roles[].name`.
pub const ROLE: &str = "muster.sh/role";
/// Label or annotation on pods: position among the members, a whole number from 0.
pub const RANK: &str = "muster.sh/rank";
/// Label on pods, their controllers, group objects of other dialects, and namespaces: the queue.
pub const QUEUE: &str = "muster.sh/queue";
/// Annotation or label on a controller: least number of its pods that may run.
pub const MIN_AVAILABLE: &str = "muster.sh/min-available";
/// Annotation on pods or their controller: name of the Topology that the level belongs to.
pub const TOPOLOGY: &str = "muster.sh/topology";
/// Annotation on pods or their controller: level that all members must share.
pub const TOPOLOGY_REQUIRED: &str = "muster.sh/topology-required";
/// Annotation on pods or their controller: level that members should share if possible.
pub const TOPOLOGY_PREFERRED: &str = "muster.sh/topology-preferred";
/// Annotation on controllers and group objects of other dialects: upper bound of the run time,
/// a Go duration such as `1h30m`. Only planning reads it; reaching it does nothing by itself.
pub const WALLTIME: &str = "muster.sh/walltime";
/// Annotation on pods and groups: `false` wishes not to be evicted, as far as the queue grants it.
pub const PREEMPTIBLE: &str = "muster.sh/preemptible";
/// Annotation on pods and groups: how long it wishes to be safe from eviction after it began to
/// run, a Go duration, as far as the queue grants it.
pub const MIN_RUNTIME: &str = "muster.sh/min-runtime";
/// Annotation on pods and groups: what its restart costs beyond what each costs, a whole number
/// of pod-seconds for each pod, as far as the queue grants it.
pub const PREEMPTION_COST: &str = "muster.sh/preemption-cost";
/// Annotation on pods and groups: when it last saved its work, as `2026-11-30T06:00:00Z`.
pub const CHECKPOINTED_AT: &str = "muster.sh/checkpointed-at";
/// Annotation on pods, controllers or groups: how long a pod runs in `muster simulate`.
pub const SIMULATED_RUNTIME: &str = "muster.sh/simulated-runtime";
/// Annotation on pods, controllers or groups: when it arrives in `muster simulate`.
pub const SIMULATED_ARRIVAL: &str = "muster.sh/simulated-arrival";
/// Annotation that muster itself writes on groups of other dialects and on pods of plain gangs:
/// what must survive a restart.
pub const STATE: &str = "muster.sh/state";
/// Annotation that muster itself writes on groups of other dialects: why the group waits, as
/// JSON. On muster's own groups the same stands in `status.explanation`.
pub const EXPLANATION: &str = "muster.sh/explanation";
/// The name under which muster's writes stand in `metadata.managedFields`.
pub const FIELD_MANAGER: &str = "muster";
/// `reportingController` of muster's events.
pub const REPORTER: &str = "muster.sh/scheduler";

/// Condition of a PodGroup: true once its minimum has been placed, with the reason where not.
pub const CONDITION_SCHEDULED: &str = "Scheduled";
/// Condition of a Queue or Topology: false where it cannot be used as written, with the reason.
pub const CONDITION_ACCEPTED: &str = "Accepted";
