//! Every metric there is: name, kind, labels, help. `docs/METRICS.md` is made from this table,
//! and nothing is registered that has no row.
//!
//! Invariant: no label has values that grow with pods or gangs.

/// One metric.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// What it counts like.
    pub kind: Kind,
    /// Its labels.
    pub labels: &'static [&'static str],
    /// What it says, in one sentence.
    pub help: &'static str,
}

/// What a metric counts like.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Only ever grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Counts by size, with these upper bounds.
    Histogram(&'static [f64]),
}

/// Waits of gangs, in seconds: 10 ms to a week.
const WAITS: &[f64] =
    &[0.01, 0.05, 0.25, 1.0, 5.0, 30.0, 120.0, 600.0, 3_600.0, 21_600.0, 86_400.0, 604_800.0];

/// Work of this process and answers of the API server, in seconds: 0.1 ms to half a minute.
const WORK: &[f64] = &[
    0.000_1, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 30.0,
];

const fn counter(name: &'static str, labels: &'static [&'static str], help: &'static str) -> Row {
    Row { name, kind: Kind::Counter, labels, help }
}

const fn gauge(name: &'static str, labels: &'static [&'static str], help: &'static str) -> Row {
    Row { name, kind: Kind::Gauge, labels, help }
}

const fn histogram(
    name: &'static str,
    labels: &'static [&'static str],
    bounds: &'static [f64],
    help: &'static str,
) -> Row {
    Row { name, kind: Kind::Histogram(bounds), labels, help }
}

// Waits of gangs.
pub(super) const GANG_WAIT: Row = histogram(
    "muster_gang_wait_seconds",
    &["queue"],
    WAITS,
    "From the first member of a gang to the last bind of its minimum.",
);
pub(super) const WAIT_MEMBERS: Row = histogram(
    "muster_gang_wait_members_seconds",
    &[],
    WAITS,
    "The part of the wait until the minimum of members existed.",
);
pub(super) const WAIT_QUOTA: Row = histogram(
    "muster_gang_wait_quota_seconds",
    &[],
    WAITS,
    "The part of the wait in which the queue kept the gang back.",
);
pub(super) const WAIT_PLACEMENT: Row = histogram(
    "muster_gang_wait_placement_seconds",
    &[],
    WAITS,
    "The part of the wait until there was room for all at once.",
);
pub(super) const WAIT_BIND: Row = histogram(
    "muster_gang_wait_bind_seconds",
    &[],
    WAITS,
    "The part of the wait from the plan to the last bind.",
);
pub(super) const WAIT_PHASES: Row = counter(
    "muster_gang_wait_phase_seconds_total",
    &["queue", "phase"],
    "Sum of the waits of started gangs by phase: members, quota, placement, bind. Divide by \
     muster_gang_wait_seconds_count for the mean.",
);
pub(super) const BIND_SKEW: Row = histogram(
    "muster_gang_bind_skew_seconds",
    &[],
    WORK,
    "From the first to the last bind of a gang's minimum.",
);

// The state of the cluster; only the leader tells it.
pub(super) const PENDING: Row = gauge(
    "muster_pending_gangs",
    &["queue", "reason"],
    "Gangs that wait now, by why. docs/OPERATIONS.md explains each reason.",
);
pub(super) const OLDEST: Row = gauge(
    "muster_oldest_pending_gang_seconds",
    &["queue"],
    "How long the gang has waited that waits longest.",
);
pub(super) const QUEUE_USED: Row = gauge(
    "muster_queue_used",
    &["queue", "resource"],
    "What the gangs of a queue and of all below it use, in cores, bytes or pieces.",
);
pub(super) const QUEUE_LIMIT: Row = gauge(
    "muster_queue_limit",
    &["queue", "resource"],
    "What they may use at most, over all flavours; absent where nothing limits them.",
);
pub(super) const QUEUE_DEDICATED: Row = gauge(
    "muster_queue_dedicated",
    &["queue", "resource"],
    "What is kept for them whether they use it or not; absent where nothing is.",
);
pub(super) const QUEUE_ENTITLED: Row = gauge(
    "muster_queue_entitled",
    &["queue", "resource"],
    "What they may call their own if they want that much: what the queue's object or its weight \
     says.",
);
pub(super) const QUEUE_DESERVED: Row =
    gauge("muster_queue_deserved", &["queue", "resource"], "Their own, of what they want now.");
pub(super) const QUEUE_FAIR: Row = gauge(
    "muster_queue_fair",
    &["queue", "resource"],
    "Their share of what there is now: what they deserve, with what others lend.",
);
pub(super) const QUEUE_DEMAND: Row = gauge(
    "muster_queue_demand",
    &["queue", "resource"],
    "What they use and what waits, as far as limits let it run.",
);
pub(super) const QUEUE_BORROWED: Row = gauge(
    "muster_queue_borrowed",
    &["queue", "resource"],
    "What they use beyond what they are entitled to.",
);
pub(super) const HOLD_IDLE: Row = counter(
    "muster_hold_idle_resource_seconds_total",
    &["queue", "resource"],
    "Devices (resources with a slash in their name) that stood free while room was held for the \
     first gang of a queue, times the seconds for which they did.",
);
pub(super) const NODE_RESOURCES: Row = gauge(
    "muster_node_resources",
    &["resource", "state"],
    "Sum over all nodes by state: capacity, used, free (on nodes that are ready and open).",
);
pub(super) const NODES: Row = gauge("muster_nodes", &[], "Nodes of the cluster.");

// What muster does.
pub(super) const CYCLE: Row =
    histogram("muster_cycle_seconds", &[], WORK, "Time that one cycle of decisions took.");
pub(super) const STEPS: Row = counter(
    "muster_cycle_steps_total",
    &[],
    "Steps that cycles spent; about one per node looked at.",
);
pub(super) const DECISIONS: Row = counter(
    "muster_decisions_total",
    &["result"],
    "Decisions about gangs: plan, grow (members above a minimum that runs), wait (a new reason), \
     withdrawn (a plan was taken back).",
);
pub(super) const BINDS: Row = counter(
    "muster_binds_total",
    &["result"],
    "Binds by how they ended: done, refused, unknown (under way when the lease was lost).",
);
pub(super) const BROKEN: Row = counter(
    "muster_broken_gangs_total",
    &[],
    "Gangs that lost members and fell below their minimum.",
);
pub(super) const REPAIRS: Row =
    counter("muster_repairs_total", &[], "Broken gangs that have their minimum again.");
pub(super) const RELEASES: Row =
    counter("muster_releases_total", &[], "Broken gangs that were released to start again.");
pub(super) const EVICTIONS: Row = counter(
    "muster_evictions_total",
    &["reason"],
    "Pods that muster began to delete: release (of a broken gang), reclaim (for a gang of another \
     queue), preemption (for one of the same queue).",
);
pub(super) const ADMISSION: Row = counter(
    "muster_admission_failures_total",
    &["reason"],
    "Bound pods that their kubelet turned away, by its reason.",
);
pub(super) const TROUBLES: Row = counter(
    "muster_troubles_total",
    &[],
    "Exchanges with the API server that failed for good; the log says which.",
);
pub(super) const CONTESTED: Row = counter(
    "muster_contested_groups_total",
    &[],
    "Groups of muster's whose status another scheduler, such as Volcano's, writes over.",
);

// The connection.
pub(super) const REQUESTS: Row = counter(
    "muster_api_requests_total",
    &["verb", "kind", "code"],
    "Requests that muster sent, by HTTP status; none where no answer came.",
);
pub(super) const REQUEST_TIME: Row = histogram(
    "muster_api_request_seconds",
    &["verb"],
    WORK,
    "From sending a request to its answer.",
);
pub(super) const WATCH_LAG: Row = gauge(
    "muster_watch_lag_seconds",
    &["kind"],
    "How long nothing was heard of a kind, not even a sign of life.",
);
pub(super) const WATCH_SYNCED: Row =
    gauge("muster_watch_synced", &["kind"], "1 if all objects of a kind are known.");
pub(super) const PROBLEMS: Row = gauge(
    "muster_object_problems",
    &[],
    "Things wrong with objects now; the log and their conditions say which.",
);

// The process.
pub(super) const LEADER: Row =
    gauge("muster_leader", &[], "1 if this replica leads, also where no lease is used.");
pub(super) const BUILD: Row =
    gauge("muster_build_info", &["version"], "Always 1; the label has the version.");

/// All of ours.
pub const ROWS: &[Row] = &[
    GANG_WAIT,
    WAIT_MEMBERS,
    WAIT_QUOTA,
    WAIT_PLACEMENT,
    WAIT_BIND,
    WAIT_PHASES,
    BIND_SKEW,
    PENDING,
    OLDEST,
    QUEUE_USED,
    QUEUE_LIMIT,
    QUEUE_DEDICATED,
    QUEUE_ENTITLED,
    QUEUE_DESERVED,
    QUEUE_FAIR,
    QUEUE_DEMAND,
    QUEUE_BORROWED,
    HOLD_IDLE,
    NODE_RESOURCES,
    NODES,
    CYCLE,
    STEPS,
    DECISIONS,
    BINDS,
    BROKEN,
    REPAIRS,
    RELEASES,
    EVICTIONS,
    ADMISSION,
    TROUBLES,
    CONTESTED,
    REQUESTS,
    REQUEST_TIME,
    WATCH_LAG,
    WATCH_SYNCED,
    PROBLEMS,
    LEADER,
    BUILD,
];

/// `volcano_e2e_job_scheduling_latency_milliseconds`: a little over 100 ms to two minutes.
const JOB_MS: &[f64] = &[
    100.0, 163.0, 266.0, 433.0, 707.0, 1_153.0, 1_880.0, 3_066.0, 5_000.0, 8_155.0, 13_300.0,
    21_690.0, 35_372.0, 57_686.0, 120_000.0,
];
/// Lengths of a cycle: a millisecond to five seconds.
const CYCLE_MS: &[f64] =
    &[1.0, 2.5, 6.0, 15.0, 37.0, 91.0, 224.0, 549.0, 1_349.0, 2_400.0, 5_000.0];

pub(super) const V_JOB: Row = histogram(
    "volcano_e2e_job_scheduling_latency_milliseconds",
    &[],
    JOB_MS,
    "The wait of a gang, as muster_gang_wait_seconds.",
);
pub(super) const V_E2E: Row = histogram(
    "volcano_e2e_scheduling_latency_milliseconds",
    &[],
    CYCLE_MS,
    "The time of a cycle, as muster_cycle_seconds.",
);
pub(super) const V_ACTION: Row = histogram(
    "volcano_action_scheduling_latency_milliseconds",
    &["action"],
    CYCLE_MS,
    "The time of a cycle; the one action is allocate.",
);
pub(super) const V_ATTEMPTS: Row = counter(
    "volcano_schedule_attempts_total",
    &["result"],
    "Decisions about gangs: scheduled, unschedulable, error.",
);
pub(super) const V_UNSCHEDULED: Row =
    gauge("volcano_unschedule_job_count", &[], "Gangs that wait.");
pub(super) const V_VICTIMS: Row =
    gauge("volcano_pod_preemption_victims", &[], "Pods of the gang that was evicted last.");
pub(super) const V_PREEMPTIONS: Row =
    counter("volcano_total_preemption_attempts", &[], "Gangs that were evicted for others.");
pub(super) const V_USED_CPU: Row =
    gauge("volcano_queue_allocated_milli_cpu", &["queue_name"], "What a queue uses.");
pub(super) const V_USED_MEMORY: Row =
    gauge("volcano_queue_allocated_memory_bytes", &["queue_name"], "What a queue uses.");
pub(super) const V_USED_OTHER: Row = gauge(
    "volcano_queue_allocated_scalar_resources",
    &["queue_name", "resource"],
    "What a queue uses, in thousandths as Volcano counts.",
);
pub(super) const V_LIMIT_CPU: Row =
    gauge("volcano_queue_capacity_milli_cpu", &["queue_name"], "What a queue may use at most.");
pub(super) const V_LIMIT_MEMORY: Row =
    gauge("volcano_queue_capacity_memory_bytes", &["queue_name"], "What a queue may use at most.");
pub(super) const V_LIMIT_OTHER: Row = gauge(
    "volcano_queue_capacity_scalar_resources",
    &["queue_name", "resource"],
    "What a queue may use at most, in thousandths as Volcano counts.",
);
pub(super) const V_OWN_CPU: Row = gauge(
    "volcano_queue_deserved_milli_cpu",
    &["queue_name"],
    "What a queue is entitled to, as muster_queue_entitled.",
);
pub(super) const V_OWN_MEMORY: Row = gauge(
    "volcano_queue_deserved_memory_bytes",
    &["queue_name"],
    "What a queue is entitled to, as muster_queue_entitled.",
);
pub(super) const V_OWN_OTHER: Row = gauge(
    "volcano_queue_deserved_scalar_resources",
    &["queue_name", "resource"],
    "What a queue is entitled to, in thousandths as Volcano counts.",
);
pub(super) const V_DEMAND_CPU: Row = gauge(
    "volcano_queue_request_milli_cpu",
    &["queue_name"],
    "What a queue uses and wants, as muster_queue_demand.",
);
pub(super) const V_DEMAND_MEMORY: Row = gauge(
    "volcano_queue_request_memory_bytes",
    &["queue_name"],
    "What a queue uses and wants, as muster_queue_demand.",
);
pub(super) const V_DEMAND_OTHER: Row = gauge(
    "volcano_queue_request_scalar_resources",
    &["queue_name", "resource"],
    "What a queue uses and wants, in thousandths as Volcano counts.",
);
pub(super) const V_SHARE: Row = gauge(
    "volcano_queue_share",
    &["queue_name"],
    "What a queue uses of what it is entitled to, in the resource of which it uses most: 1 is all.",
);
pub(super) const V_WEIGHT: Row =
    gauge("volcano_queue_weight", &["queue_name"], "Weight among the queues of its parent.");
pub(super) const V_OVERUSED: Row = gauge(
    "volcano_queue_overused",
    &["queue_name"],
    "1 if a queue uses more of a resource than it is entitled to.",
);

/// Those under Volcano's names.
pub const VOLCANO_ROWS: &[Row] = &[
    V_JOB,
    V_E2E,
    V_ACTION,
    V_ATTEMPTS,
    V_UNSCHEDULED,
    V_VICTIMS,
    V_PREEMPTIONS,
    V_USED_CPU,
    V_USED_MEMORY,
    V_USED_OTHER,
    V_LIMIT_CPU,
    V_LIMIT_MEMORY,
    V_LIMIT_OTHER,
    V_OWN_CPU,
    V_OWN_MEMORY,
    V_OWN_OTHER,
    V_DEMAND_CPU,
    V_DEMAND_MEMORY,
    V_DEMAND_OTHER,
    V_SHARE,
    V_WEIGHT,
    V_OVERUSED,
];

/// Volcano's names that are not served, and why.
pub const VOLCANO_LEFT_OUT: &[(&str, &str)] = &[
    ("volcano_e2e_job_scheduling_duration", "one series per job; use muster_gang_wait_seconds"),
    ("volcano_e2e_job_scheduling_start_time", "one series per job"),
    ("volcano_e2e_job_scheduling_last_time", "one series per job"),
    ("volcano_job_share", "one series per job"),
    ("volcano_job_retry_counts", "one series per job; use muster_repairs_total"),
    ("volcano_unschedule_task_count", "one series per job; use muster_pending_gangs"),
    ("volcano_job_completed_phase_count", "one series per job, and Volcano's controller serves it"),
    ("volcano_job_failed_phase_count", "one series per job, and Volcano's controller serves it"),
    ("volcano_queue_pod_group_*_count", "Volcano's controller serves them"),
    ("volcano_plugin_scheduling_latency_milliseconds", "plugins here have no time of their own"),
    ("volcano_task_scheduling_latency_milliseconds", "use muster_gang_wait_bind_seconds"),
    ("volcano_queue_real_capacity_*", "use muster_queue_limit and muster_node_resources"),
    ("volcano_queue_inqueue_*", "use muster_queue_demand; Inqueue costs nothing here"),
];
