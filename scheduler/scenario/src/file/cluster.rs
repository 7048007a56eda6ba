//! Nodes, queues and what else a cluster has, in the short form.

use super::ConstraintsFile;
use crate::full::OrderFile;
use crate::read::{Amounts, Names, Text};
use scheduler_model::spec::{LabelSelector, Labels, Taint};
use scheduler_model::time::{Span, Time};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;

/// A level: `rack`, or `{ name: rack, key: example.com/rack }`.
#[derive(Clone, Debug)]
pub(crate) struct LevelFile {
    pub(crate) name: String,
    pub(crate) key: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedLevel {
    name: String,
    key: String,
}

impl<'de> Deserialize<'de> for LevelFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LevelVisitor)
    }
}

struct LevelVisitor;

impl<'de> Visitor<'de> for LevelVisitor {
    type Value = LevelFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a node label such as rack, or { name: rack, key: example.com/rack }")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<LevelFile, E> {
        Ok(LevelFile { name: text.to_owned(), key: text.to_owned() })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LevelFile, A::Error> {
        let level = NamedLevel::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
        Ok(LevelFile { name: level.name, key: level.key })
    }
}

/// A topology with a name of its own.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct TopologyFile {
    pub(crate) name: String,
    pub(crate) levels: Vec<LevelFile>,
}

/// Nodes of one shape. Keys that are none of the fields are resources or levels, which only
/// the topology can tell apart.
#[derive(Debug, Default)]
pub(crate) struct NodeFile {
    pub(crate) name: Names,
    pub(crate) labels: Labels,
    pub(crate) taints: Vec<Text<Taint>>,
    pub(crate) unschedulable: bool,
    pub(crate) not_ready: bool,
    pub(crate) not_ready_since: Option<Text<Time>>,
    pub(crate) flavour: String,
    pub(crate) created: Option<Text<Time>>,
    pub(crate) attach_limits: BTreeMap<String, u32>,
    pub(crate) others: BTreeMap<String, String>,
}

/// The fields of a node, for messages.
pub(crate) const NODE_KEYS: &str = "name, labels, taints, unschedulable, ready, notReadySince, flavour, created, attachLimits, a resource (gpu, cpu, memory, \
     ephemeral-storage, pods, or a name with a slash) or a topology level";

impl<'de> Deserialize<'de> for NodeFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = NodeFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a map with the keys {NODE_KEYS}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NodeFile, A::Error> {
        let mut node = NodeFile::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "name" => node.name = map.next_value()?,
                "labels" => node.labels = map.next_value()?,
                "taints" => node.taints = map.next_value()?,
                "unschedulable" => node.unschedulable = map.next_value()?,
                "ready" => node.not_ready = !map.next_value::<bool>()?,
                "notReadySince" => {
                    node.not_ready_since = Some(map.next_value()?);
                    node.not_ready = true;
                }
                "flavour" => node.flavour = map.next_value()?,
                "attachLimits" => node.attach_limits = map.next_value()?,
                "created" => node.created = map.next_value()?,
                _ => {
                    node.others.insert(key, map.next_value()?);
                }
            }
        }
        if node.name.0.is_empty() {
            return Err(A::Error::missing_field("name"));
        }
        Ok(node)
    }
}

/// A queue.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct QueueFile {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) parent: Option<String>,
    #[serde(default)]
    pub(crate) weight: Option<u32>,
    #[serde(default)]
    pub(crate) priority: i32,
    #[serde(default)]
    pub(crate) dedicated: Amounts,
    #[serde(default)]
    pub(crate) deserved: Amounts,
    #[serde(default)]
    pub(crate) limit: Amounts,
    #[serde(default)]
    pub(crate) borrowing_limit: Amounts,
    #[serde(default)]
    pub(crate) lending_limit: Amounts,
    /// The same five on nodes of one flavour.
    #[serde(default)]
    pub(crate) on: BTreeMap<String, QuotaFile>,
    #[serde(default)]
    pub(crate) open: Option<bool>,
    #[serde(default)]
    pub(crate) reclaimable: Option<bool>,
    #[serde(default)]
    pub(crate) preempts: Option<bool>,
    #[serde(default)]
    pub(crate) preemptible: Option<bool>,
    #[serde(default)]
    pub(crate) min_runtime: Option<Text<Span>>,
    /// The most that its gangs may wish for themselves.
    #[serde(default)]
    pub(crate) wishes: GrantsFile,
    /// In which order its gangs go.
    #[serde(default)]
    pub(crate) order: Option<OrderFile>,
    #[serde(default)]
    pub(crate) holds: Option<bool>,
    #[serde(default)]
    pub(crate) hold_after: Option<Text<Span>>,
    /// Whose gangs may use it.
    #[serde(default)]
    pub(crate) namespaces: Option<ScopeFile>,
    #[serde(default)]
    pub(crate) node_selector: Option<Text<LabelSelector>>,
    #[serde(default)]
    pub(crate) max_running: Option<u32>,
    /// What each user may have of it.
    #[serde(default)]
    pub(crate) users: Option<UsersFile>,
    #[serde(default)]
    pub(crate) created: Option<Text<Time>>,
}

/// What each user of a queue may have of it; the user is the namespace without a label.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct UsersFile {
    pub(crate) label: Option<String>,
    pub(crate) limit: Amounts,
    pub(crate) max_running: Option<u32>,
}

/// Namespaces: those of a list, and those that labels select.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ScopeFile {
    pub(crate) names: Vec<String>,
    pub(crate) selector: Option<Text<LabelSelector>>,
}

/// What a queue grants of the wishes of its gangs.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct GrantsFile {
    pub(crate) non_preemptible: Option<bool>,
    pub(crate) min_runtime: Option<Text<Span>>,
    pub(crate) preemption_cost: Option<u32>,
}

/// What a queue may use on nodes of one flavour.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct QuotaFile {
    #[serde(default)]
    pub(crate) dedicated: Amounts,
    #[serde(default)]
    pub(crate) deserved: Amounts,
    #[serde(default)]
    pub(crate) limit: Amounts,
    #[serde(default)]
    pub(crate) borrowing_limit: Amounts,
    #[serde(default)]
    pub(crate) lending_limit: Amounts,
}

/// A namespace.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamespaceFile {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) labels: Labels,
    #[serde(default)]
    pub(crate) queue: Option<String>,
}

/// A disruption budget.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct BudgetFile {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) namespace: Option<String>,
    /// Which pods; none, where it does not say.
    #[serde(default)]
    pub(crate) pods: Option<Text<LabelSelector>>,
    #[serde(default)]
    pub(crate) allowed: u32,
}

/// A priority class.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct PriorityClassFile {
    pub(crate) name: String,
    pub(crate) value: i32,
    #[serde(default)]
    pub(crate) default: bool,
    #[serde(default)]
    pub(crate) preempts: Option<bool>,
}

/// A DaemonSet.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct DaemonFile {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) namespace: Option<String>,
    #[serde(default)]
    pub(crate) each: Amounts,
    #[serde(default)]
    pub(crate) constraints: ConstraintsFile,
}
