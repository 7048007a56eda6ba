//! Pods and DaemonSets in the full form.

use super::{mirror, words};
use scheduler_model::spec::{
    ClaimUse, DaemonSpec, GangKey, Labels, Ledger, Membership, PodPhase, PodShape, PodSpec, Told,
    Unsupported, Wishes,
};
use scheduler_model::time::{Span, Time};
use std::sync::Arc;

mirror! {
    PodSpec as PodFile, base base_pod(),
    required { uid: String, name: String }
    optional {
        namespace: String,
        ours: bool,
        labels: Labels,
        shape: Arc<PodShape>,
        node: Option<String>,
        phase: PodPhase,
        terminating: bool,
        gates: Vec<String>,
        priority: Option<i32>,
        priority_class: String,
        preempts: Option<bool>,
        wishes: Option<Box<Wishes>>,
        membership: Membership,
        role: String,
        rank: Option<u64>,
        queue: Option<String>,
        created_at: Time,
        scheduled_at: Option<Time>,
        started_at: Option<Time>,
        finished_at: Option<Time>,
        walltime: Option<Span>,
        gone_by: Option<Time>,
        evicted: bool,
        evicted_for: Option<Time>,
        rejected: Option<String>,
        has_controller: bool,
        told: Option<Box<Told>>,
        ledger: Option<Box<Ledger>>,
        daemon: Option<String>,
        claims: Vec<ClaimUse>,
        unsupported: Vec<Unsupported>,
    }
}

/// One of our pods in `default`, unbound, that asks for nothing.
fn base_pod() -> PodSpec {
    PodSpec { uid: String::new(), ..PodSpec::new("default", "") }
}

mirror! {
    Told as ToldFile, base Told::default(),
    required {}
    optional { reason: String, nominated: String }
}

words! {
    PodPhase as PhaseFile ("camelCase") { Pending, Running, Succeeded, Failed }
}

words! {
    Membership as MembershipFile ("camelCase") { Group(GangKey), Owner(GangKey), Alone }
}

words! {
    Unsupported as UnsupportedFile ("camelCase") {
        ResourceClaim(String), Other(String)
    }
}

mirror! {
    DaemonSpec as DaemonFile, base DaemonSpec { key: String::new(), shape: Arc::default() },
    required { key: String }
    optional { shape: Arc<PodShape> }
}
