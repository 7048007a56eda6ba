//! The file as it stands: serde structs of the short form, strict about every key.
//!
//! Nothing is decided here; `build` gives the structs their meaning. What a file and the
//! `add:` of a step have in common is written once, in `sections!`.

mod cluster;
mod constraint;
mod expect;
mod gang;
mod volume;

pub(crate) use cluster::{
    BudgetFile, DaemonFile, LevelFile, NODE_KEYS, NamespaceFile, NodeFile, PriorityClassFile,
    QueueFile, QuotaFile, ScopeFile, TopologyFile, UsersFile,
};
pub(crate) use constraint::{ConstraintsFile, PodTermFile, SpreadFile};
pub(crate) use expect::{BecauseFile, Entry, GangExpectFile, QueueExpectFile, RunsFile};
pub(crate) use gang::{GangFile, GroupFile, RoleFile};
pub(crate) use volume::{ClaimFile, LateFile, PoolFile, VolumeFile};

use crate::full::{GangHintFile, ObjectFile, PodHintFile, WorkloadFile};
use crate::read::Text;
use scheduler_model::time::{Span, Time};
use serde::Deserialize;
use serde_saphyr::Spanned;

/// Makes a struct of the file with all sections that describe objects, and a way to take them.
macro_rules! sections {
    ($(#[$doc:meta])* $name:ident { $($own:tt)* } with {
        $($section:ident: $type:ty,)*
    }) => {
        /// Everything that describes objects, in a file or in an `add:`.
        #[derive(Deserialize, Default, Debug)]
        #[serde(deny_unknown_fields, rename_all = "camelCase", default)]
        pub(crate) struct Sections {
            $(pub(crate) $section: $type,)*
        }

        $(#[$doc])*
        #[derive(Deserialize, Debug)]
        #[serde(deny_unknown_fields, rename_all = "camelCase")]
        pub(crate) struct $name {
            $($own)*
            $(#[serde(default)]
            $section: $type,)*
        }

        impl $name {
            /// Moves the sections out.
            pub(crate) fn take_sections(&mut self) -> Sections {
                Sections { $($section: std::mem::take(&mut self.$section),)* }
            }
        }
    };
}

sections! {
    /// A whole file.
    File {
        pub(crate) story: String,
        #[serde(default)]
        pub(crate) labels: Vec<String>,
        #[serde(default)]
        pub(crate) now: Option<Text<Time>>,
        #[serde(default, rename = "holdAfter")]
        pub(crate) hold_after: Option<Text<Span>>,
        #[serde(default)]
        pub(crate) evicts: Option<bool>,
        #[serde(default, rename = "breaksBudgets")]
        pub(crate) breaks_budgets: bool,
        #[serde(default)]
        pub(crate) grace: Option<Text<Span>>,
        #[serde(default)]
        pub(crate) expect: Vec<Spanned<Entry>>,
        #[serde(default)]
        pub(crate) then: Vec<Spanned<StepFile>>,
    } with {
        topology: Vec<LevelFile>,
        topologies: Vec<Spanned<TopologyFile>>,
        nodes: Vec<Spanned<NodeFile>>,
        namespaces: Vec<NamespaceFile>,
        priority_classes: Vec<PriorityClassFile>,
        queues: Vec<QueueFile>,
        daemons: Vec<Spanned<DaemonFile>>,
        budgets: Vec<BudgetFile>,
        claims: Vec<Spanned<ClaimFile>>,
        volumes: Vec<Spanned<VolumeFile>>,
        pools: Vec<Spanned<PoolFile>>,
        running: Vec<Spanned<GangFile>>,
        pending: Vec<Spanned<GangFile>>,
        foreign: Vec<Spanned<GangFile>>,
        objects: Vec<Spanned<ObjectFile>>,
        workloads: Vec<WorkloadFile>,
        pod_hints: Vec<PodHintFile>,
        gang_hints: Vec<GangHintFile>,
    }
}

/// One step of `then:`.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct StepFile {
    #[serde(default)]
    pub(crate) at: Option<Text<Time>>,
    #[serde(default)]
    pub(crate) after: Option<Text<Span>>,
    #[serde(default, rename = "do")]
    pub(crate) changes: Vec<Spanned<ChangeFile>>,
    #[serde(default)]
    pub(crate) expect: Vec<Spanned<Entry>>,
}

/// One entry of `do:`: a sentence, or objects to add.
#[derive(Debug)]
pub(crate) enum ChangeFile {
    /// `gang old finishes`.
    Sentence(String),
    /// `add: {...}`.
    Add(Box<Sections>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AddFile {
    add: Box<Sections>,
}

impl<'de> Deserialize<'de> for ChangeFile {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ChangeVisitor)
    }
}

struct ChangeVisitor;

impl<'de> serde::de::Visitor<'de> for ChangeVisitor {
    type Value = ChangeFile;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a sentence such as \"gang old finishes\", or add: { ... }")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<ChangeFile, E> {
        Ok(ChangeFile::Sentence(text.to_owned()))
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<ChangeFile, A::Error> {
        let file = AddFile::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
        Ok(ChangeFile::Add(file.add))
    }
}
