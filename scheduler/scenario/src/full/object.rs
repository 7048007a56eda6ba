//! Events, controllers and hints in the full form: the lists a dump is made of.

use super::{Mirror, mirror, words};
use scheduler_model::event::{Event, Kind};
use scheduler_model::spec::{
    BudgetSpec, ClaimSpec, DaemonSpec, GangKey, GangSpec, NamespaceSpec, NodeSpec, PodSpec,
    PoolSpec, PriorityClassSpec, QueueSpec, TopologySpec, VolumeSpec,
};
use scheduler_model::time::{Span, Time};
use scheduler_model::world::{After, Pace, SimHints, Until, Workload};

words! {
    Event as ObjectFile ("camelCase") {
        Node(Box<NodeSpec>),
        NodeGone(String),
        Pod(Box<PodSpec>),
        PodGone(String),
        Gang(Box<GangSpec>),
        GangGone(GangKey),
        Queue(QueueSpec),
        QueueGone(String),
        Topology(TopologySpec),
        TopologyGone(String),
        PriorityClass(PriorityClassSpec),
        PriorityClassGone(String),
        Namespace(NamespaceSpec),
        NamespaceGone(String),
        Daemon(DaemonSpec),
        DaemonGone(String),
        Claim(Box<ClaimSpec>),
        ClaimGone(String),
        Volume(Box<VolumeSpec>),
        VolumeGone(String),
        Pool(Box<PoolSpec>),
        PoolGone(String),
        Budget(BudgetSpec),
        BudgetGone(String),
        ListStart(Kind),
        ListEnd(Kind),
    }
}

words! {
    Kind as KindFile ("camelCase") {
        Node, Pod, Gang, Queue, Topology, PriorityClass, Namespace, Daemon, Claim, Volume, Pool,
        Budget
    }
}

mirror! {
    Workload as WorkloadFile,
    base Workload {
        object: String::new(),
        gang: super::gang::empty_key(),
        pods: Vec::new(),
        pace: Pace::AtOnce,
        hints: SimHints::default(),
        part: String::new(),
        after: Vec::new(),
    },
    required { object: String, gang: GangKey }
    optional {
        pods: Vec<PodSpec>,
        pace: Pace,
        hints: SimHints,
        part: String,
        after: Vec<After>,
    }
}

mirror! {
    After as AfterFile, base After { part: String::new(), until: Until::Starts },
    required { part: String, until: Until }
    optional {}
}

words! {
    Until as UntilFile ("camelCase") { Starts, Succeeds }
}

words! {
    Pace as PaceFile ("camelCase") { AtOnce, AtMost(u32), AfterReady, AfterLeader }
}

mirror! {
    SimHints as HintsFile, base SimHints::default(),
    required {}
    optional { runtime: Option<Span>, arrival: Option<Time> }
}

/// Hints of one pod. A list entry instead of a map key: uids may be longer than keys can be.
#[derive(serde::Serialize, serde::Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct PodHintFile {
    uid: String,
    hints: HintsFile,
}

impl Mirror for (String, SimHints) {
    type File = PodHintFile;

    fn to_file(&self) -> PodHintFile {
        PodHintFile { uid: self.0.clone(), hints: self.1.to_file() }
    }

    fn into_value(file: PodHintFile) -> Self {
        (file.uid, SimHints::into_value(file.hints))
    }
}

/// Hints of one gang.
#[derive(serde::Serialize, serde::Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct GangHintFile {
    gang: <GangKey as Mirror>::File,
    hints: HintsFile,
}

impl Mirror for (GangKey, SimHints) {
    type File = GangHintFile;

    fn to_file(&self) -> GangHintFile {
        GangHintFile { gang: self.0.to_file(), hints: self.1.to_file() }
    }

    fn into_value(file: GangHintFile) -> Self {
        (GangKey::into_value(file.gang), SimHints::into_value(file.hints))
    }
}
