//! The file of `muster run --config`: one tree of structs, every key with a default.
//!
//! Read in this order: [`Config`] (the tree), `value` (what may stand at a leaf), `read` (text
//! to tree, errors with line and remedy), `default.yaml` (what `muster config show-default`
//! prints).
//!
//! Invariants: an unknown key, a key written twice and a value out of range are errors; what
//! a key means depends on the file alone. Flags and environment go before the file, see
//! [`crate::arguments::live::Run`].

mod read;
mod value;

pub use read::{Fault, parse, read};
pub use value::{Budgets, Format, Level, Listen, Percent, PluginName, Wait, Weight, Window};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The default of every key, with a comment each.
pub const DEFAULT_TEXT: &str = include_str!("default.yaml");

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Config {
    /// Pods are ours if their `schedulerName` is one of these.
    pub scheduler_names: Vec<String>,
    /// Plugins per scheduler name; a name without a profile has all plugins as they are.
    pub profiles: Vec<ProfileConfig>,
    /// Who may write, where several replicas run.
    pub leader_election: LeaderElection,
    /// Address of the admin server.
    pub listen: Listen,
    /// What is logged, and how.
    pub log: Log,
    /// How long things take or wait.
    pub timings: Timings,
    /// How many requests of a kind are under way at once.
    pub limits: Limits,
    /// What events are written.
    pub events: Events,
    /// What metrics are served.
    pub metrics: Metrics,
    /// ClusterQueues and LocalQueues of Kueue are read as queues.
    pub kueue_queues: bool,
    /// Releases of broken gangs.
    pub releases: Releases,
    /// Evictions for other gangs.
    pub eviction: Eviction,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            scheduler_names: vec!["muster".to_owned()],
            profiles: Vec::new(),
            leader_election: LeaderElection::default(),
            listen: Listen::default(),
            log: Log::default(),
            timings: Timings::default(),
            limits: Limits::default(),
            events: Events::default(),
            metrics: Metrics::default(),
            kueue_queues: false,
            releases: Releases::default(),
            eviction: Eviction::default(),
        }
    }
}

/// The plugins of one scheduler name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ProfileConfig {
    /// Whose.
    pub scheduler_name: String,
    /// What differs from the whole catalogue.
    #[serde(default)]
    pub plugins: Plugins,
}

/// What differs from the whole catalogue of plugins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Plugins {
    /// Plugins that are not asked.
    pub disabled: Vec<PluginName>,
    /// How often the points of a scorer count.
    pub weights: BTreeMap<PluginName, Weight>,
}

/// Who may write, where several replicas run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct LeaderElection {
    /// False where there is one replica for sure.
    pub enabled: bool,
    /// Namespace of the lease; empty for that of the pod.
    pub namespace: String,
    /// Name of the lease.
    pub name: String,
    /// How long a lease is valid after it was renewed.
    pub lease_duration: Wait,
    /// The leader gives up if it could not renew for so long.
    pub renew_deadline: Wait,
    /// Time between two tries.
    pub retry_period: Wait,
}

impl Default for LeaderElection {
    fn default() -> Self {
        Self {
            enabled: true,
            namespace: String::new(),
            name: "muster".to_owned(),
            lease_duration: Wait::secs(15),
            renew_deadline: Wait::secs(10),
            retry_period: Wait::secs(2),
        }
    }
}

/// What is logged, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Log {
    /// A level, or filters.
    pub level: Level,
    /// One JSON object per line, or text.
    pub format: Format,
}

/// How long things take or wait.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Timings {
    /// How long the first gang of a queue is blocked before room is held for it.
    pub hold_after: Wait,
    /// How long a new node keeps room for its DaemonSet pods.
    pub fresh_for: Wait,
    /// How long a broken gang keeps its room and waits for replacements.
    pub repair_grace: Wait,
    /// A member on a node that is silent for so long counts as lost.
    pub node_lost_after: Wait,
    /// How long the volume claims of a gang with a plan may take to be bound.
    pub volume_bind_timeout: Wait,
    /// Events that come within this time are decided together.
    pub coalesce: Wait,
    /// Least time between two writes of a status in which only numbers changed.
    pub status_every: Wait,
}

impl Default for Timings {
    fn default() -> Self {
        Self {
            hold_after: Wait::secs(300),
            fresh_for: Wait::secs(60),
            repair_grace: Wait::secs(120),
            node_lost_after: Wait::secs(60),
            volume_bind_timeout: Wait::secs(600),
            coalesce: Wait::ms(3),
            status_every: Wait::secs(10),
        }
    }
}

/// How many requests of a kind are under way at once.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Limits {
    /// Binds.
    pub binds_in_flight: Window,
    /// Writes to volume claims and volumes.
    pub volumes_in_flight: Window,
    /// Deletions by repair.
    pub deletions_in_flight: Window,
    /// Writes of status.
    pub status_in_flight: Window,
    /// Events.
    pub events_in_flight: Window,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            binds_in_flight: Window(64),
            volumes_in_flight: Window(16),
            deletions_in_flight: Window(16),
            status_in_flight: Window(16),
            events_in_flight: Window(4),
        }
    }
}

/// What events are written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Events {
    /// An event `Scheduled` on every pod, not only on the group.
    pub scheduled_per_pod: bool,
}

/// What metrics are served.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Metrics {
    /// Also under the names of Volcano.
    pub volcano_names: bool,
}

/// Releases of broken gangs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Releases {
    /// How often a gang is released to start again before it is left as it is.
    pub max: u32,
}

impl Default for Releases {
    fn default() -> Self {
        Self { max: 3 }
    }
}

/// Evictions for other gangs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Eviction {
    /// Gangs are evicted for others, as their queues allow.
    pub enabled: bool,
    /// How long a gang waits for room before others are evicted for it.
    pub after: Wait,
    /// A queue that has all but so many hundredths of its fair share takes nothing back.
    pub tolerance: Percent,
    /// How often one gang may be evicted within an hour.
    pub per_hour: u32,
    /// Whether PodDisruptionBudgets may be broken.
    pub budgets: Budgets,
}

impl Default for Eviction {
    fn default() -> Self {
        Self {
            enabled: true,
            after: Wait::secs(10),
            tolerance: Percent(10),
            per_hour: 3,
            budgets: Budgets::default(),
        }
    }
}

impl Config {
    /// The plugins of a scheduler name.
    #[must_use]
    pub fn plugins(&self, name: &str) -> Plugins {
        let own = self.profiles.iter().find(|profile| profile.scheduler_name == name);
        own.map(|profile| profile.plugins.clone()).unwrap_or_default()
    }
}
