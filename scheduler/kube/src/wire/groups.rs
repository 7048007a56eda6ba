//! Group objects of the dialects that have nothing but groups: muster's own kinds,
//! `scheduling.k8s.io` in all its versions, and coscheduling.

use super::ledger::LedgerBody;
use super::{
    Condition, LabelSelector, Meta, Named, Number, ResourceList, is_present, null_default, text_map,
};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// `muster.sh/v1alpha1` PodGroup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct PodGroup {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it asks for.
    #[serde(deserialize_with = "null_default")]
    pub spec: PodGroupSpec,
    /// What muster itself wrote down.
    #[serde(deserialize_with = "null_default")]
    pub status: PodGroupStatus,
}

/// `status` of a muster PodGroup, as far as it is read back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct PodGroupStatus {
    /// What must survive a restart.
    #[serde(deserialize_with = "null_default")]
    pub ledger: LedgerBody,
    /// What the status says, as a number in hexadecimal digits.
    #[serde(deserialize_with = "null_default")]
    pub digest: String,
}

/// `spec` of a muster PodGroup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodGroupSpec {
    /// Least number of members.
    pub min_available: Option<Number>,
    /// Least numbers per role.
    #[serde(deserialize_with = "null_default")]
    pub roles: Vec<Role>,
    /// Queue.
    #[serde(deserialize_with = "null_default")]
    pub queue: String,
    /// Priority class.
    #[serde(deserialize_with = "null_default")]
    pub priority_class_name: String,
    /// Topology wish.
    #[serde(deserialize_with = "null_default")]
    pub topology: Wish,
    /// Upper bound of the run time, as written.
    #[serde(deserialize_with = "null_default")]
    pub walltime: Option<String>,
    /// False if it wishes not to be evicted.
    pub preemptible: Option<bool>,
    /// How long it wishes to be safe, as written.
    pub min_runtime: Option<String>,
    /// What its restart costs, in pod-seconds for each pod.
    pub preemption_cost: Option<Number>,
}

/// One role of a muster PodGroup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Role {
    /// Name, as pods carry it.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// Least number of members in it.
    pub min_available: Option<Number>,
}

/// Topology wish of a muster PodGroup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Wish {
    /// Name of the Topology.
    #[serde(deserialize_with = "null_default")]
    pub topology: String,
    /// Level that all must share.
    #[serde(deserialize_with = "null_default")]
    pub required: String,
    /// Level that they should share.
    #[serde(deserialize_with = "null_default")]
    pub preferred: String,
}

/// `muster.sh/v1alpha1` Queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Queue {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it grants.
    #[serde(deserialize_with = "null_default")]
    pub spec: QueueSpec,
}

/// `spec` of a muster Queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct QueueSpec {
    /// Queue above.
    #[serde(deserialize_with = "null_default")]
    pub parent: String,
    /// Share among siblings.
    pub weight: Option<Number>,
    /// Order where shares are equal.
    pub priority: Option<Number>,
    /// Kept for the queue, never lent.
    #[serde(deserialize_with = "null_default")]
    pub dedicated: ResourceList,
    /// Its entitlement; its weight says how much where it is absent.
    #[serde(deserialize_with = "null_default")]
    pub deserved: ResourceList,
    /// Ceilings.
    #[serde(deserialize_with = "null_default")]
    pub limit: ResourceList,
    /// Most that it uses above its entitlement.
    #[serde(deserialize_with = "null_default")]
    pub borrowing_limit: ResourceList,
    /// Most of its entitlement that others use.
    #[serde(deserialize_with = "null_default")]
    pub lending_limit: ResourceList,
    /// The same on nodes of one flavour.
    #[serde(deserialize_with = "null_default")]
    pub flavors: Vec<FlavorQuota>,
    /// True if gangs in it wait.
    #[serde(deserialize_with = "null_default")]
    pub closed: bool,
    /// False if others may not take back what it uses; true where it is absent.
    pub reclaimable: Option<bool>,
    /// False if its gangs evict none of lower priority; true where it is absent.
    pub preempts: Option<bool>,
    /// False if its gangs may not be evicted; true where it is absent.
    pub preemptible: Option<bool>,
    /// How long its gangs are safe after they began to run, as written.
    pub min_runtime: Option<String>,
    /// The most that its gangs may wish for themselves.
    #[serde(deserialize_with = "null_default")]
    pub wishes: WishMaxima,
    /// In which order its gangs go, as written.
    pub order: Option<String>,
    /// Whether it holds room for them; as the queue above says where it is absent.
    pub holds: Option<bool>,
    /// After how long, as written.
    pub hold_after: Option<String>,
    /// Whose gangs may use it; absent is everybody's.
    pub namespaces: Option<NamespaceRule>,
    /// Labels of the nodes that its gangs may go to.
    #[serde(deserialize_with = "text_map")]
    pub node_selector: BTreeMap<String, String>,
    /// Most gangs that run at once.
    pub max_running: Option<Number>,
    /// What each of its users may have.
    pub users: Option<UserLimits>,
}

/// What each user of a queue may have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UserLimits {
    /// The label that names the user; the namespace does where it is empty.
    #[serde(deserialize_with = "null_default")]
    pub label: String,
    /// Ceilings of one user.
    #[serde(deserialize_with = "null_default")]
    pub limit: ResourceList,
    /// Most gangs of one user that run at once.
    pub max_running: Option<Number>,
}

/// Namespaces: those of a list and those that labels select.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct NamespaceRule {
    /// Names.
    #[serde(deserialize_with = "null_default")]
    pub names: Vec<String>,
    /// By their labels; an empty one selects all.
    pub selector: Option<LabelSelector>,
}

/// The most that gangs of a queue may wish for themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WishMaxima {
    /// Whether they may wish not to be evicted.
    pub non_preemptible: Option<bool>,
    /// How long they may wish to be safe, as written.
    pub min_runtime: Option<String>,
    /// How much they may add to the cost of a pod.
    pub preemption_cost: Option<Number>,
}

/// What a queue may use on nodes of one flavour.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FlavorQuota {
    /// Flavour.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// Kept for the queue, never lent.
    #[serde(deserialize_with = "null_default")]
    pub dedicated: ResourceList,
    /// Its entitlement; its weight says how much where it is absent.
    #[serde(deserialize_with = "null_default")]
    pub deserved: ResourceList,
    /// Ceilings.
    #[serde(deserialize_with = "null_default")]
    pub limit: ResourceList,
    /// Most that it uses above its entitlement.
    #[serde(deserialize_with = "null_default")]
    pub borrowing_limit: ResourceList,
    /// Most of its entitlement that others use.
    #[serde(deserialize_with = "null_default")]
    pub lending_limit: ResourceList,
}

/// `muster.sh/v1alpha1` and `kueue.x-k8s.io` Topology; Kueue's levels have no names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Topology {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// Its levels.
    #[serde(deserialize_with = "null_default")]
    pub spec: TopologySpec,
}

/// `spec` of a Topology.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct TopologySpec {
    /// Widest first.
    #[serde(deserialize_with = "null_default")]
    pub levels: Vec<Level>,
}

/// One level of a Topology.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Level {
    /// Name that groups may use.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// Node label key.
    #[serde(deserialize_with = "null_default")]
    pub node_label: String,
}

/// `scheduling.x-k8s.io/v1alpha1` PodGroup. `minResources` and `scheduleTimeoutSeconds` decide
/// nothing here: whole gangs are placed, so neither an estimate nor a time-out is needed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CoschedulingGroup {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it asks for.
    #[serde(deserialize_with = "null_default")]
    pub spec: CoschedulingSpec,
}

/// `spec` of a coscheduling PodGroup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CoschedulingSpec {
    /// Least number of members.
    pub min_member: Option<Number>,
}

/// `scheduling.k8s.io` PodGroup of any version from v1alpha2 on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct NativeGroup {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// What it asks for.
    #[serde(deserialize_with = "null_default")]
    pub spec: NativeGroupSpec,
    /// What became of it.
    #[serde(deserialize_with = "null_default")]
    pub status: NativeGroupStatus,
}

/// `status` of a `scheduling.k8s.io` PodGroup, as far as it is read back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct NativeGroupStatus {
    /// Among them `PodGroupInitiallyScheduled`, which never goes back.
    #[serde(deserialize_with = "null_default")]
    pub conditions: Vec<Condition>,
}

/// `spec` of a `scheduling.k8s.io` PodGroup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NativeGroupSpec {
    /// Composite group above it.
    #[serde(deserialize_with = "null_default")]
    pub parent_composite_pod_group_name: String,
    /// All or nothing, or one by one.
    #[serde(deserialize_with = "null_default")]
    pub scheduling_policy: Policy,
    /// Where the members must be together.
    #[serde(deserialize_with = "null_default")]
    pub scheduling_constraints: Constraints,
    /// Claims that the group holds as one; only whether there are any matters.
    #[serde(deserialize_with = "null_default")]
    pub resource_claims: Vec<Named>,
    /// Whether it may be shrunk.
    #[serde(deserialize_with = "null_default")]
    pub disruption_mode: DisruptionMode,
    /// Priority class.
    #[serde(deserialize_with = "null_default")]
    pub priority_class_name: String,
    /// Priority as a number.
    pub priority: Option<Number>,
}

/// A union of `basic` and `gang`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Policy {
    /// Present for ordinary scheduling.
    #[serde(deserialize_with = "is_present")]
    pub basic: bool,
    /// Present for all or nothing.
    pub gang: Option<GangPolicy>,
}

/// All or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GangPolicy {
    /// Least number of members.
    pub min_count: Option<Number>,
}

/// Where the members must be together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Constraints {
    /// At most one entry today.
    #[serde(deserialize_with = "null_default")]
    pub topology: Vec<TopologyKey>,
}

/// All members share one value of this node label.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct TopologyKey {
    /// Node label key.
    #[serde(deserialize_with = "null_default")]
    pub key: String,
}

/// `disruptionMode`: text up to v1alpha2, a union of empty objects from v1alpha3 on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DisruptionMode {
    /// Members may go one by one.
    #[default]
    Single,
    /// All or none.
    All,
    /// Neither word.
    Unknown,
}

impl<'de> Deserialize<'de> for DisruptionMode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Text(String),
            Union(Union),
        }
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Union {
            #[serde(deserialize_with = "is_present")]
            single: bool,
            #[serde(deserialize_with = "is_present")]
            all: bool,
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Text(text) => match text.as_str() {
                "" | "Pod" | "Single" => Self::Single,
                "PodGroup" | "All" => Self::All,
                _ => Self::Unknown,
            },
            Either::Union(Union { all: true, .. }) => Self::All,
            Either::Union(Union { single: true, .. }) => Self::Single,
            Either::Union(_) => Self::Unknown,
        })
    }
}

/// `scheduling.k8s.io/v1alpha1` Workload, which holds its groups itself. Later Workloads hold
/// templates only, and the groups are objects of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Workload {
    /// Identity.
    #[serde(deserialize_with = "null_default")]
    pub metadata: Meta,
    /// Its groups.
    #[serde(deserialize_with = "null_default")]
    pub spec: WorkloadSpec,
}

/// `spec` of a Workload.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkloadSpec {
    /// Groups of v1alpha1; absent in later versions.
    #[serde(deserialize_with = "null_default")]
    pub pod_groups: Vec<WorkloadGroup>,
}

/// One group inside a v1alpha1 Workload.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct WorkloadGroup {
    /// Name inside the Workload.
    #[serde(deserialize_with = "null_default")]
    pub name: String,
    /// All or nothing, or one by one.
    #[serde(deserialize_with = "null_default")]
    pub policy: Policy,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(json: &str) -> DisruptionMode {
        serde_json::from_str(json).expect("a disruption mode")
    }

    #[test]
    fn the_disruption_mode_is_read_as_text_and_as_union() {
        assert_eq!(mode("\"Pod\""), DisruptionMode::Single);
        assert_eq!(mode("\"PodGroup\""), DisruptionMode::All);
        assert_eq!(mode(r#"{"single":{}}"#), DisruptionMode::Single);
        assert_eq!(mode(r#"{"single":null,"all":{}}"#), DisruptionMode::All);
        assert_eq!(mode(r#"{"halves":{}}"#), DisruptionMode::Unknown);
    }

    #[test]
    fn a_group_full_of_nulls_reads_like_an_empty_one() {
        let nulls = r#"{"metadata":null,"spec":{"schedulingPolicy":null,"resourceClaims":null,
            "schedulingConstraints":null,"disruptionMode":null,"priority":null}}"#;
        let read: NativeGroup = serde_json::from_str(nulls).expect("nulls are fine");
        assert_eq!(read, NativeGroup::default());
    }
}
