//! The `muster` binary under test.

use crate::fault::{Fault, Trying};
use crate::http;
use crate::plane::ControlPlane;
use crate::ports::free_port;
use crate::process::{Process, Signal};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How `muster` shall run.
#[derive(Clone, Debug)]
pub struct MusterBuilder<'a> {
    plane: &'a ControlPlane,
    name: String,
    program: Option<PathBuf>,
    kubeconfig: PathBuf,
    config: Option<String>,
    args: Vec<String>,
    env: Vec<(String, OsString)>,
}

impl<'a> MusterBuilder<'a> {
    pub(crate) fn new(plane: &'a ControlPlane) -> Self {
        Self {
            plane,
            name: "muster".to_owned(),
            program: None,
            kubeconfig: plane.admin_kubeconfig(),
            config: None,
            args: Vec::new(),
            env: Vec::new(),
        }
    }

    /// Name of its log; give each replica its own.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Another binary than that of this checkout, such as the previous release.
    #[must_use]
    pub fn program(mut self, path: &Path) -> Self {
        self.program = Some(path.to_owned());
        self
    }

    /// As whom it speaks; with all rights if nobody is named.
    #[must_use]
    pub fn kubeconfig(mut self, path: &Path) -> Self {
        path.clone_into(&mut self.kubeconfig);
        self
    }

    /// The text of its `--config` file.
    #[must_use]
    pub fn config(mut self, text: &str) -> Self {
        self.config = Some(text.to_owned());
        self
    }

    /// One more argument of `muster run`.
    #[must_use]
    pub fn arg(mut self, arg: &str) -> Self {
        self.args.push(arg.to_owned());
        self
    }

    /// One more variable of its environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.push((name.to_owned(), value.into()));
        self
    }

    /// Starts `muster run --kubeconfig … --listen 127.0.0.1:PORT …`; it may not be ready yet.
    pub fn start(self) -> Result<Muster, Fault> {
        let port = free_port();
        let mut args = vec!["run".to_owned()];
        args.push(format!("--kubeconfig={}", self.kubeconfig.display()));
        args.push(format!("--listen=127.0.0.1:{port}"));
        if let Some(config) = &self.config {
            let path = self.plane.folder().join(format!("{}.yaml", self.name));
            std::fs::write(&path, config).trying(|| format!("writing {}", path.display()))?;
            args.push(format!("--config={}", path.display()));
        }
        args.extend(self.args);
        let program = self.program.map_or_else(binary, Ok)?;
        let mut command = Command::new(&program);
        command.args(&args).envs(self.env.iter().map(|(name, value)| (name, value)));
        let process = self.plane.start_process(&self.name, command)?;
        Ok(Muster { process, port, name: self.name, program, args, env: self.env })
    }
}

/// A running `muster`. Dropping it kills it.
#[derive(Debug)]
pub struct Muster {
    process: Process,
    port: u16,
    name: String,
    program: PathBuf,
    args: Vec<String>,
    env: Vec<(String, OsString)>,
}

impl Muster {
    /// Its admin port: `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn admin_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Status and body of a path of its admin port, such as `/metrics`.
    pub async fn get(&self, path: &str) -> Result<(u16, String), Fault> {
        http::get(&format!("{}{path}", self.admin_url())).await
    }

    /// Waits until `/readyz` answers 200.
    pub async fn ready(&mut self, timeout: Duration) -> Result<(), Fault> {
        let start = Instant::now();
        loop {
            self.process.alive()?;
            let seen = match self.get("/readyz").await {
                Ok((200, _)) => return Ok(()),
                Ok((status, body)) => format!("{status} {}", body.trim()),
                Err(fault) => fault.to_string(),
            };
            if start.elapsed() > timeout {
                let quote = self.process.quote();
                let name = &self.name;
                return Err(Fault::new(format!(
                    "{name} is not ready after {timeout:?}: {seen}{quote}"
                )));
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Sends it a signal.
    pub fn signal(&mut self, signal: Signal) {
        self.process.signal(signal);
    }

    /// Kills it as `kill -9` does, and returns when it is gone.
    pub fn kill9(&mut self) {
        self.process.kill();
    }

    /// Freezes it.
    pub fn stop(&mut self) {
        self.process.signal(Signal::STOP);
    }

    /// Lets it go on after [`stop`](Self::stop).
    pub fn cont(&mut self) {
        self.process.signal(Signal::CONT);
    }

    /// Asks it to leave and waits until it has.
    pub async fn terminate(&mut self, timeout: Duration) -> Result<ExitStatus, Fault> {
        self.process.signal(Signal::TERM);
        self.process.end(timeout).await
    }

    /// Waits until it ends by itself.
    pub async fn end(&mut self, timeout: Duration) -> Result<ExitStatus, Fault> {
        self.process.end(timeout).await
    }

    /// Kills it if it still runs, and starts it again with the same arguments and port.
    pub fn restart(&mut self, plane: &ControlPlane) -> Result<(), Fault> {
        self.process.kill();
        let mut command = Command::new(&self.program);
        command.args(&self.args).envs(self.env.iter().map(|(name, value)| (name, value)));
        self.process = plane.start_process(&self.name, command)?;
        Ok(())
    }

    /// All that it printed, before restarts too.
    #[must_use]
    pub fn log(&self) -> String {
        self.process.log()
    }
}

/// Path of the `muster` binary: `MUSTER_BIN`, else the one beside this test, which cargo builds
/// if it is missing or older than its sources.
pub fn binary() -> Result<PathBuf, Fault> {
    static FOUND: OnceLock<Result<PathBuf, Fault>> = OnceLock::new();
    FOUND.get_or_init(find).clone()
}

fn find() -> Result<PathBuf, Fault> {
    if let Some(path) = std::env::var_os("MUSTER_BIN") {
        return Ok(PathBuf::from(path));
    }
    let own = std::env::current_exe().trying(|| "finding this test".to_owned())?;
    let profile = own.ancestors().find(|folder| folder.join(".fingerprint").is_dir());
    let profile = profile.ok_or_else(|| {
        Fault::new("this test does not run from a target folder: set MUSTER_BIN to a muster binary")
    })?;
    let path = profile.join("muster");
    if !is_fresh(&path) {
        build(profile)?;
    }
    Ok(path)
}

/// True if the binary is newer than each source that cargo lists beside it.
fn is_fresh(path: &Path) -> bool {
    let changed = |path: &Path| path.metadata().and_then(|found| found.modified()).ok();
    let sources = std::fs::read_to_string(path.with_extension("d")).unwrap_or_default();
    let Some((_, sources)) = sources.split_once(": ") else { return false };
    let Some(built) = changed(path) else { return false };
    sources
        .split_whitespace()
        .all(|source| changed(Path::new(source)).is_some_and(|it| it <= built))
}

fn build(profile: &Path) -> Result<(), Fault> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--package", "scheduler", "--bin", "muster"]);
    if profile.file_name().is_some_and(|name| name == "release") {
        cargo.arg("--release");
    }
    crate::module::tell("building muster");
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or_else(|| Path::new("."));
    let output = cargo.current_dir(top).output().trying(|| "building muster".to_owned())?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(Fault::new(format!("muster does not build:\n{errors}")))
}
