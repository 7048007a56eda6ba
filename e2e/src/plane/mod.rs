//! A Kubernetes control plane of its own: etcd, API server, controller manager, kwok.
//!
//! It lives in one [`Nest`], so nothing of it outlives the test. Everything about it is shared
//! by reference: tests of one file may hold it in a static (see the crate's page). Next:
//! `servers.rs` has the command lines, `objects.rs` what tests do to the API,
//! `install.rs` muster's own manifests.

mod install;
mod objects;
mod options;
mod servers;

pub use objects::serves;
pub use options::{Builder, Nodes};

use crate::access::{Access, Speaker};
use crate::audit::{AuditEntry, read};
use crate::fault::{Fault, Trying};
use crate::module::Module;
use crate::muster::MusterBuilder;
use crate::nest::Nest;
use crate::ports::{free_port, is_free};
use crate::process::{Process, Signal};
use crate::slots::{self, Slot};
use kube::Client;
use servers::Ports;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a part may take until it answers; slow machines that do other things meanwhile.
const PATIENCE: Duration = Duration::from_secs(90);

/// Tries with other ports, if another process was faster.
const TRIES: usize = 5;

/// A running control plane. Dropping it kills it and removes its folder; after a panic the
/// folder with the logs stays, and its path is printed.
#[derive(Debug)]
pub struct ControlPlane {
    apiserver: Mutex<Process>,
    etcd: Mutex<Process>,
    others: Mutex<Vec<Process>>,
    access: Access,
    ports: Ports,
    builder: Builder,
    nest: Nest,
    _slot: Slot,
}

impl ControlPlane {
    /// A control plane with all controllers, RBAC, nodes as mere objects, without native groups.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) async fn begin(builder: Builder) -> Result<Self, Fault> {
        Module::ControlPlane.build()?;
        let slot = slots::take().await?;
        let nest = Nest::new(builder.for_load)?;
        let access = Access::new(&nest)?;
        let started = start_servers(&nest, &access, &builder).await;
        let (ports, etcd, apiserver) = started.inspect_err(|_| nest.keep())?;
        let plane = Self {
            apiserver: Mutex::new(apiserver),
            etcd: Mutex::new(etcd),
            others: Mutex::default(),
            access,
            ports,
            builder,
            nest,
            _slot: slot,
        };
        plane.wait_for_apiserver().await.inspect_err(|_| plane.nest.keep())?;
        plane.start_others().await.inspect_err(|_| plane.nest.keep())?;
        Ok(plane)
    }

    async fn start_others(&self) -> Result<(), Fault> {
        let kubeconfig = self.admin_kubeconfig();
        if let Some(controllers) = &self.builder.controllers {
            let command =
                servers::controller_manager(&self.access, &kubeconfig, controllers, &self.builder)?;
            self.add("kube-controller-manager", command)?;
        }
        if let Some(command) = servers::kwok(&self.nest, &kubeconfig, self.builder.nodes)? {
            self.add("kwok", command)?;
        }
        let runs_accounts = self.builder.controllers.iter().flatten().any(|name| name == "*");
        if runs_accounts {
            self.wait_for_controllers().await?;
        }
        Ok(())
    }

    fn add(&self, name: &str, command: Command) -> Result<(), Fault> {
        let process = self.nest.start(name, command)?;
        locked(&self.others).push(process);
        Ok(())
    }

    /// Where the API server is: `https://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("https://127.0.0.1:{}", self.ports.apiserver)
    }

    /// The folder with logs, kubeconfig files and whatever the test wants to put there.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.nest.folder()
    }

    /// A client with all rights. Make one in each test: a client dies with the runtime of the
    /// test that made it.
    ///
    /// # Panics
    /// If the client cannot be made, which no test can mend.
    #[must_use]
    pub fn client(&self) -> Client {
        crate::client::with_token(&self.url(), &self.access.authority, self.access.admin())
            .unwrap_or_else(|fault| panic!("{fault}"))
    }

    /// A client that speaks as whoever a kubeconfig file says.
    pub async fn client_of(&self, kubeconfig: &Path) -> Result<Client, Fault> {
        crate::client::of_kubeconfig(kubeconfig).await
    }

    /// Path of a kubeconfig file with all rights.
    ///
    /// # Panics
    /// If the file cannot be written.
    #[must_use]
    pub fn admin_kubeconfig(&self) -> PathBuf {
        self.write_kubeconfig("admin", &Speaker::Admin)
    }

    /// Path of a kubeconfig file for any user name; RBAC decides what it may do.
    ///
    /// # Panics
    /// If the file cannot be written.
    #[must_use]
    pub fn kubeconfig(&self, user: &str, groups: &[&str]) -> PathBuf {
        self.write_kubeconfig(user, &Speaker::User(user, groups))
    }

    fn write_kubeconfig(&self, name: &str, speaker: &Speaker<'_>) -> PathBuf {
        let text = self.access.kubeconfig(&self.url(), speaker);
        let name = format!("{}.kubeconfig", name.replace(['/', ':'], "_"));
        self.nest.write(&name, &text).unwrap_or_else(|fault| panic!("{fault}"))
    }

    /// Runs `kubectl` with all rights and gives back what it printed.
    pub fn kubectl(&self, args: &[&str]) -> Result<String, Fault> {
        self.kubectl_as(&self.admin_kubeconfig(), args)
    }

    /// Runs `kubectl` as whoever a kubeconfig file says.
    pub fn kubectl_as(&self, kubeconfig: &Path, args: &[&str]) -> Result<String, Fault> {
        let output = Command::new(Module::ControlPlane.binary("kubectl")?)
            .args(args)
            .env("KUBECONFIG", kubeconfig)
            .env("HOME", self.folder())
            .output()
            .trying(|| "running kubectl".to_owned())?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        Err(Fault::new(format!("kubectl {}: {}", args.join(" "), errors.trim())))
    }

    /// All that the API server has recorded until now; nothing without [`Builder::audit`].
    #[must_use]
    pub fn audit(&self) -> Vec<AuditEntry> {
        read(&servers::audit_log(&self.nest))
    }

    /// Kills the API server as `kill -9` does; etcd keeps the data.
    pub fn kill_apiserver(&self) {
        locked(&self.apiserver).kill();
    }

    /// Sends the API server a signal: `STOP` freezes it with all connections open, `CONT` lets
    /// it go on.
    pub fn signal_apiserver(&self, signal: Signal) {
        locked(&self.apiserver).signal(signal);
    }

    /// Starts the API server again on the same port; returns when it answers.
    pub async fn start_apiserver(&self) -> Result<(), Fault> {
        let start = Instant::now();
        while !is_free(self.ports.apiserver) && start.elapsed() < PATIENCE {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let command = servers::apiserver(&self.nest, &self.access, self.ports, &self.builder)?;
        *locked(&self.apiserver) = self.nest.start("kube-apiserver", command)?;
        self.wait_for_apiserver().await
    }

    /// Process ids of everything that runs, for tests that measure it.
    #[must_use]
    pub fn processes(&self) -> Vec<(String, u32)> {
        let one = |it: &Process| (it.name().to_owned(), it.id());
        let first = [one(&locked(&self.etcd)), one(&locked(&self.apiserver))];
        first.into_iter().chain(locked(&self.others).iter().map(one)).collect()
    }

    /// A `muster` that will run against this control plane.
    #[must_use]
    pub fn muster(&self) -> MusterBuilder<'_> {
        MusterBuilder::new(self)
    }

    /// Starts any other process that dies with this control plane; its output goes to
    /// `NAME.log` in [`folder`](Self::folder).
    pub fn start_process(&self, name: &str, command: Command) -> Result<Process, Fault> {
        self.nest.start(name, command)
    }

    /// Feature gates in the form of the command line, for peers that must agree.
    pub(crate) fn feature_gates(&self) -> Option<String> {
        self.builder.feature_gates()
    }

    async fn wait_for_apiserver(&self) -> Result<(), Fault> {
        let start = Instant::now();
        loop {
            locked(&self.apiserver).alive()?;
            locked(&self.etcd).alive()?;
            let seen = crate::client::readiness(&self.client()).await;
            let Err(seen) = seen else { return Ok(()) };
            if start.elapsed() > PATIENCE {
                let quote = locked(&self.apiserver).quote();
                return Err(Fault::new(format!("the API server is not ready: {seen}{quote}")));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Etcd and API server on ports that were free.
async fn start_servers(
    nest: &Nest,
    access: &Access,
    builder: &Builder,
) -> Result<(Ports, Process, Process), Fault> {
    let mut last = None;
    for _ in 0..TRIES {
        let ports = Ports { etcd: free_port(), etcd_peer: free_port(), apiserver: free_port() };
        let mut etcd = nest.start("etcd", servers::etcd(nest, ports)?)?;
        let command = servers::apiserver(nest, access, ports, builder)?;
        let mut apiserver = nest.start("kube-apiserver", command)?;
        // Who finds its port taken says so at once.
        let mut stays = Ok(());
        for _ in 0..10 {
            tokio::time::sleep(Duration::from_millis(30)).await;
            stays = stays.and_then(|()| etcd.alive()).and_then(|()| apiserver.alive());
        }
        match stays {
            Ok(()) => return Ok((ports, etcd, apiserver)),
            Err(fault) if fault.to_string().contains("address already in use") => {
                last = Some(fault);
            }
            Err(fault) => return Err(fault),
        }
    }
    Err(last.unwrap_or_else(|| Fault::new("no ports were free")))
}

/// A panic in another test of the same file leaves a process that is as good as before.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
