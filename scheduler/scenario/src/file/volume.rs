//! Volume claims, volumes and room for volumes in the short form.

use crate::read::{Names, Text};
use scheduler_model::spec::{LabelSelector, Labels, NodeTerm};
use serde::Deserialize;

/// Claims that are alike. Exactly one of `bound`, `late` and `unready` says how far they are.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct ClaimFile {
    /// Names; where `of` stands, the name of a volume inside those pods.
    pub(crate) name: Names,
    pub(crate) namespace: Option<String>,
    /// Pods that they are made for, one each.
    pub(crate) of: Names,
    pub(crate) once_pod: bool,
    /// They are bound, each to a volume called like it.
    pub(crate) bound: Option<BoundFile>,
    /// They are bound once their pods have places.
    pub(crate) late: Option<LateFile>,
    /// They cannot be used, in words that complete "the claim …".
    pub(crate) unready: Option<String>,
}

/// The volume of a bound claim.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct BoundFile {
    /// Nodes that can use it; all, where it does not say.
    pub(crate) on: Option<Vec<Text<NodeTerm>>>,
    /// Driver that attaches it.
    pub(crate) driver: Option<String>,
}

/// What a late claim asks for.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct LateFile {
    pub(crate) class: String,
    pub(crate) size: Option<String>,
    pub(crate) modes: Vec<String>,
    pub(crate) block: bool,
    pub(crate) selector: Option<Text<LabelSelector>>,
    /// Driver that makes its volumes; without one, only volumes that exist serve it.
    pub(crate) driver: Option<String>,
    /// Nodes for which the driver makes them.
    pub(crate) on: Option<Vec<Text<NodeTerm>>>,
    /// The driver tells how much room there is.
    pub(crate) counts_room: bool,
}

/// Volumes that nobody has.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct VolumeFile {
    pub(crate) name: Names,
    pub(crate) class: String,
    pub(crate) size: Option<String>,
    pub(crate) modes: Vec<String>,
    pub(crate) block: bool,
    pub(crate) labels: Labels,
    pub(crate) on: Option<Vec<Text<NodeTerm>>>,
    pub(crate) driver: Option<String>,
    pub(crate) kept_for: Option<String>,
}

/// Room for new volumes.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PoolFile {
    pub(crate) name: String,
    pub(crate) class: String,
    pub(crate) on: Option<Vec<Text<NodeTerm>>>,
    pub(crate) largest: Option<String>,
}
