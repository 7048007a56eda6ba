//! Other schedulers and controllers, to compare with and to live beside.

use crate::fault::{Fault, Trying};
use crate::http;
use crate::module::Module;
use crate::plane::ControlPlane;
use crate::ports::free_port;
use crate::process::Process;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long a peer may take until it is healthy.
const PATIENCE: Duration = Duration::from_secs(60);

/// Requests a second that peers may send: more than they ever do, so that their own limit is
/// not what is measured.
const QPS: u32 = 5000;

/// Volcano's scheduler as its chart configures it.
pub const VOLCANO_CONFIG: &str = "\
actions: enqueue, allocate, backfill
tiers:
- plugins: [{ name: priority }, { name: gang, enablePreemptable: false }, { name: conformance }]
- plugins:
  - { name: overcommit }
  - { name: drf, enablePreemptable: false }
  - { name: predicates }
  - { name: proportion }
  - { name: nodeorder }
  - { name: binpack }
";

/// The queue that Volcano's scheduler would make if it ran.
const VOLCANO_QUEUE: &str = "\
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: { name: default }
spec: { weight: 1, reclaimable: true }
";

/// Starts kube-scheduler for pods that name `scheduler`, with the feature gates of the control
/// plane. Dropping it kills it.
pub async fn kube_scheduler(plane: &ControlPlane, scheduler: &str) -> Result<Process, Fault> {
    kube_scheduler_with(plane, scheduler, "")
}

/// Like [`kube_scheduler`], with more lines of its configuration, such as `extenders`.
pub fn kube_scheduler_with(
    plane: &ControlPlane,
    scheduler: &str,
    more: &str,
) -> Result<Process, Fault> {
    let config = format!(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n\
         clientConnection: {{ kubeconfig: {:?}, qps: {QPS}, burst: {QPS} }}\n\
         leaderElection: {{ leaderElect: false }}\nprofiles: [{{ schedulerName: {scheduler} }}]\n\
         {more}",
        plane.admin_kubeconfig()
    );
    let name = format!("kube-scheduler-{scheduler}");
    let path = plane.folder().join(format!("{name}.yaml"));
    std::fs::write(&path, config).trying(|| format!("writing {}", path.display()))?;
    let port = free_port();
    let mut command = Command::new(Module::ControlPlane.binary("kube-scheduler")?);
    command.arg(format!("--config={}", path.display()));
    command.args(["--bind-address=127.0.0.1".to_owned(), format!("--secure-port={port}")]);
    command.arg(format!("--cert-dir={}", plane.folder().join(&name).display()));
    command.args(plane.feature_gates());
    plane.start_process(&name, command)
}

/// Volcano's CRDs, controller manager and scheduler; each is started by itself.
#[derive(Clone, Copy, Debug)]
pub struct Volcano<'a> {
    plane: &'a ControlPlane,
}

impl<'a> Volcano<'a> {
    /// Serves Volcano's kinds, and makes the queue `default`. Nothing of Volcano runs yet.
    pub async fn install(plane: &'a ControlPlane) -> Result<Self, Fault> {
        plane.crds(&Self::crds()?).await?;
        plane.namespace("volcano-system").await?;
        plane.apply(VOLCANO_QUEUE)?;
        Ok(Self::installed(plane))
    }

    /// Volcano where its kinds are served already.
    #[must_use]
    pub const fn installed(plane: &'a ControlPlane) -> Self {
        Self { plane }
    }

    /// The folder with its CRDs.
    pub fn crds() -> Result<PathBuf, Fault> {
        Ok(Module::Volcano.build()?.join("crds"))
    }

    /// Starts its controller manager for pods that name one of `schedulers`.
    pub async fn controllers(self, schedulers: &[&str]) -> Result<Process, Fault> {
        let command = self.command("vc-controller-manager", schedulers)?;
        self.started("vc-controller-manager", command).await
    }

    /// Starts its scheduler for pods that name `scheduler`, with the usual
    /// [configuration](VOLCANO_CONFIG) or another one.
    pub async fn scheduler(self, scheduler: &str, config: &str) -> Result<Process, Fault> {
        let path = self.plane.folder().join("vc-scheduler.yaml");
        std::fs::write(&path, config).trying(|| format!("writing {}", path.display()))?;
        let mut command = self.command("vc-scheduler", &[scheduler])?;
        command.arg(format!("--scheduler-conf={}", path.display()));
        command.arg("--cache-dumper=false");
        self.started("vc-scheduler", command).await
    }

    fn command(self, name: &str, schedulers: &[&str]) -> Result<Command, Fault> {
        let mut command = Command::new(Module::Volcano.binary(name)?);
        command.arg(format!("--kubeconfig={}", self.plane.admin_kubeconfig().display()));
        command.args(["--leader-elect=false", "--logtostderr=true", "--enable-healthz=true"]);
        command.arg(format!("--kube-api-qps={QPS}")).arg(format!("--kube-api-burst={QPS}"));
        command.args(schedulers.iter().map(|name| format!("--scheduler-name={name}")));
        Ok(command)
    }

    async fn started(self, name: &str, mut command: Command) -> Result<Process, Fault> {
        let (health, metrics) = (free_port(), free_port());
        command.arg(format!("--healthz-address=127.0.0.1:{health}"));
        command.arg(format!("--listen-address=127.0.0.1:{metrics}"));
        let mut process = self.plane.start_process(name, command)?;
        wait_for(&mut process, &format!("http://127.0.0.1:{health}/healthz")).await?;
        Ok(process)
    }
}

/// Waits until `url` answers 200.
pub(crate) async fn wait_for(process: &mut Process, url: &str) -> Result<(), Fault> {
    let start = Instant::now();
    loop {
        process.alive()?;
        let seen = http::get(url).await;
        if seen.as_ref().is_ok_and(|(status, _)| *status == 200) {
            return Ok(());
        }
        if start.elapsed() > PATIENCE {
            let (name, quote) = (process.name(), process.quote());
            return Err(Fault::new(format!("{name} is not healthy, {url}: {seen:?}{quote}")));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
