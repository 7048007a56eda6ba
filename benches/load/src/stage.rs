//! A fresh control plane with nodes, made for one contestant, and what was used on it.
//!
//! Every run has its own: etcd is empty and in memory, the API server turns nobody away, no
//! controller runs, and nodes are mere objects unless the scenario wants kwok to play them.

use crate::contestant::{Contestant, Running, Settings};
use crate::counters::Counters;
use crate::kueue;
use crate::usage::{self, Usage};
use crate::wire::{Wire, failed};
use crate::work::NAMESPACE;
use e2e::{ControlPlane, FakeNode, Fault, Nodes, Volcano};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A control plane for one run.
#[derive(Debug)]
pub struct Stage {
    /// The control plane.
    pub plane: ControlPlane,
    /// The harness's own way to it.
    pub wire: Wire,
    /// The same for other threads. The control plane writes its own file anew whenever it is
    /// asked for it, perhaps while somebody reads.
    pub kubeconfig: PathBuf,
    /// What contestants are started with.
    pub settings: Settings,
}

/// What everybody had used at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    at: Instant,
    scheduler: Usage,
    apiserver: Usage,
    etcd: Usage,
    own: Usage,
    kubelets: Usage,
    machine: Duration,
}

/// What was used between two moments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Used {
    /// By the scheduler, in seconds on a core.
    pub scheduler: f64,
    /// By the API server.
    pub apiserver: f64,
    /// By etcd.
    pub etcd: f64,
    /// Cores that processes outside this measurement kept busy: noise.
    pub strangers: f64,
    /// Most memory of the scheduler until the end, in bytes.
    pub peak: u64,
    /// Memory of the scheduler at the end, in bytes.
    pub resident: u64,
}

impl Stage {
    /// A stage with these nodes, and the kinds that the contestants' groups have.
    pub async fn raise(
        contestants: &[Contestant],
        nodes: &[FakeNode],
        settings: &Settings,
    ) -> Result<Self, Fault> {
        Self::raise_with(Nodes::Objects, contestants, nodes, settings).await
    }

    /// The same, and who plays the kubelets.
    pub async fn raise_with(
        kubelets: Nodes,
        contestants: &[Contestant],
        nodes: &[FakeNode],
        settings: &Settings,
    ) -> Result<Self, Fault> {
        let builder = ControlPlane::builder().without_controllers().native_groups().for_load();
        let plane = builder.nodes(kubelets).try_start().await?;
        let kubeconfig = plane.folder().join("load.kubeconfig");
        let copied = std::fs::copy(plane.admin_kubeconfig(), &kubeconfig);
        copied.map_err(|error| failed("copying the kubeconfig", error))?;
        let wire = Wire::open(&kubeconfig).await?;
        if contestants.iter().any(|it| [Contestant::Muster, Contestant::Native].contains(it)) {
            let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../manifests/crds");
            plane.crds(&ours).await?;
        }
        if contestants.contains(&Contestant::Volcano) {
            Volcano::install(&plane).await?;
            open_queue(&wire).await?;
        }
        if contestants.contains(&Contestant::Kueue) {
            kueue::install(&plane).await?;
        }
        plane.namespace(NAMESPACE).await?;
        plane.add_nodes(nodes).await?;
        Ok(Self { plane, wire, kubeconfig, settings: settings.clone() })
    }

    /// What everybody has used so far.
    pub fn reading(&self, scheduler: Option<&Running>) -> Result<Reading, Fault> {
        let processes = self.plane.processes();
        let usage = |name: &str| {
            let found = processes.iter().find(|(it, _)| it == name);
            found.map_or_else(|| Err(failed(name, "it does not run")), |(_, pid)| Usage::of(*pid))
        };
        Ok(Reading {
            at: Instant::now(),
            scheduler: scheduler.map_or(Ok(Usage::default()), |it| Usage::of(it.id()))?,
            apiserver: usage("kube-apiserver")?,
            etcd: usage("etcd")?,
            own: Usage::of(std::process::id())?,
            kubelets: usage("kwok").unwrap_or_default(),
            machine: usage::machine()?,
        })
    }

    /// The API server's counts of requests.
    pub async fn counters(&self) -> Result<Counters, Fault> {
        Counters::read(&self.wire).await
    }
}

impl Reading {
    /// When it was taken.
    #[must_use]
    pub const fn at(&self) -> Instant {
        self.at
    }

    /// What was used since `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Used {
        let more = |now: Usage, then: Usage| (now.cpu.saturating_sub(then.cpu)).as_secs_f64();
        let scheduler = more(self.scheduler, before.scheduler);
        let apiserver = more(self.apiserver, before.apiserver);
        let etcd = more(self.etcd, before.etcd);
        let others = more(self.own, before.own) + more(self.kubelets, before.kubelets);
        let known = scheduler + apiserver + etcd + others;
        let all = self.machine.saturating_sub(before.machine).as_secs_f64();
        let elapsed = self.at.duration_since(before.at).as_secs_f64().max(0.001);
        Used {
            scheduler,
            apiserver,
            etcd,
            strangers: ((all - known) / elapsed).max(0.0),
            peak: self.scheduler.peak,
            resident: self.scheduler.resident,
        }
    }
}

/// Volcano's controller opens queues; where it does not run, somebody else must.
async fn open_queue(wire: &Wire) -> Result<(), Fault> {
    let path = "/apis/scheduling.volcano.sh/v1beta1/queues/default/status";
    wire.merge(path, &json!({ "status": { "state": "Open" } })).await
}
