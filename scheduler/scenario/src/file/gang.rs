//! Gangs and pods in the short form: one entry is a gang (or a lone pod) with its members.

use super::ConstraintsFile;
use crate::full::{DialectFile, PhaseFile, UnsupportedFile};
use crate::read::{Amounts, Names, Text};
use scheduler_model::spec::Labels;
use scheduler_model::time::{Span, Time};
use serde::Deserialize;
use std::collections::BTreeMap;

/// An entry of `running`, `pending` or `foreign`.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct GangFile {
    // Which gang, in which vocabulary.
    pub(crate) gang: Option<Names>,
    pub(crate) pod: Option<Names>,
    pub(crate) owner: Option<Names>,
    pub(crate) namespace: Option<String>,
    pub(crate) dialect: Option<DialectFile>,
    pub(crate) group: Option<GroupFile>,
    // What the group asks for.
    pub(crate) min: Option<u32>,
    pub(crate) roles: BTreeMap<String, RoleFile>,
    pub(crate) queue: Option<String>,
    pub(crate) priority: Option<i32>,
    pub(crate) priority_class: Option<String>,
    pub(crate) together: Option<String>,
    pub(crate) prefer: Option<String>,
    pub(crate) topology: Option<String>,
    pub(crate) walltime: Option<Text<Span>>,
    pub(crate) unbreakable: bool,
    // What it wishes where others want its room.
    pub(crate) preemptible: Option<bool>,
    pub(crate) min_runtime: Option<Text<Span>>,
    pub(crate) cooldown: Option<Text<Span>>,
    pub(crate) preemption_cost: Option<u32>,
    pub(crate) checkpointed: Option<Text<Time>>,
    pub(crate) preempts: Option<bool>,
    pub(crate) succeeded: u32,
    pub(crate) creates_at_once: Option<CreatesAtOnceFile>,
    pub(crate) group_unsupported: Vec<String>,
    pub(crate) min_resources: Amounts,
    // Its members.
    pub(crate) pods: Option<u32>,
    pub(crate) each: Amounts,
    pub(crate) labels: Labels,
    pub(crate) constraints: ConstraintsFile,
    /// Claims of each pod; `{pod}` is its name.
    pub(crate) claims: Vec<String>,
    /// Volumes of each pod for which a claim is made that is the pod's own.
    pub(crate) ephemeral: Vec<String>,
    pub(crate) gates: Vec<String>,
    pub(crate) unsupported: Vec<UnsupportedFile>,
    pub(crate) pod_priority: Option<i32>,
    // What became of them so far.
    pub(crate) on: Names,
    pub(crate) phase: Option<PhaseFile>,
    pub(crate) terminating: bool,
    pub(crate) evicted: bool,
    /// Marked for the plan of this name; see [`ReservationFile`].
    pub(crate) evicted_for: Option<Text<Time>>,
    /// The kubelet's word for why it turned the pods away.
    pub(crate) rejected: Option<String>,
    /// What was written down about the gang, on its group or (without one) its pods.
    pub(crate) ledger: Option<LedgerFile>,
    /// The DaemonSet that owns the pods, as `namespace/name`.
    pub(crate) daemon: Option<String>,
    pub(crate) created: Option<Text<Time>>,
    pub(crate) since: Option<Text<Time>>,
    pub(crate) finished: Option<Text<Time>>,
    // What only a simulator knows.
    pub(crate) at: Option<Text<Time>>,
    pub(crate) runtime: Option<Text<Span>>,
    pub(crate) ends: Option<Text<Time>>,
    pub(crate) pace: Option<String>,
}

/// `missing`: the pods name a group object that is not there.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(crate) enum GroupFile {
    /// The pods name a group object that is not there.
    Missing,
}

/// Members of one role. What is left out is as the gang's entry says.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct RoleFile {
    pub(crate) pods: Option<u32>,
    pub(crate) min: Option<u32>,
    pub(crate) each: Option<Amounts>,
    pub(crate) labels: Option<Labels>,
    pub(crate) constraints: Option<ConstraintsFile>,
    pub(crate) gates: Option<Vec<String>>,
    pub(crate) on: Names,
    pub(crate) runtime: Option<Text<Span>>,
}

/// What a controller creates before the first pod is ready.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreatesAtOnceFile {
    pub(crate) pods: u32,
    pub(crate) setting: String,
}

/// What was written down about a gang before. Moments are as everywhere in a story.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct LedgerFile {
    pub(crate) run: Option<Text<Time>>,
    pub(crate) youngest: Option<Text<Time>>,
    pub(crate) age: Option<Text<Time>>,
    pub(crate) blocked_since: Option<Text<Time>>,
    pub(crate) broken_since: Option<Text<Time>>,
    pub(crate) started: bool,
    pub(crate) releases: u32,
    /// By role; empty for the nameless one.
    pub(crate) succeeded: BTreeMap<String, u32>,
    pub(crate) evicted: Vec<Text<Time>>,
    pub(crate) reservation: Option<ReservationFile>,
}

/// Room that was being made for a gang.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ReservationFile {
    /// The name of the plan, which its victims bear in `evictedFor`.
    pub(crate) plan: Text<Time>,
    pub(crate) until: Text<Time>,
}
