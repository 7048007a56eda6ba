//! One started process and its log. Dropping it kills it and waits until it is gone.

use crate::fault::{Fault, Trying};
use rustix::process::{Pid, kill_process};
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

pub use rustix::process::Signal;

/// How much of a log a fault quotes.
const LINES_QUOTED: usize = 25;

/// A process that belongs to a test.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts `command` with its output appended to `log`.
    pub(crate) fn start(name: &str, mut command: Command, log: PathBuf) -> Result<Self, Fault> {
        let open = || OpenOptions::new().create(true).append(true).open(&log);
        let output: File = open().trying(|| format!("opening {}", log.display()))?;
        let errors = output.try_clone().trying(|| format!("opening {}", log.display()))?;
        let child = command.stdin(Stdio::null()).stdout(output).stderr(errors).spawn();
        let child = child.trying(|| format!("starting {name} ({:?})", command.get_program()))?;
        Ok(Self { name: name.to_owned(), child, log })
    }

    /// What it is called in faults and as a log.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Where its output goes; a restarted process goes on in the same file.
    #[must_use]
    pub fn log_path(&self) -> &Path {
        &self.log
    }

    /// All that it printed, its predecessors under the same name included.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read(&self.log)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Waits until it ends by itself.
    pub async fn end(&mut self, timeout: Duration) -> Result<ExitStatus, Fault> {
        let start = std::time::Instant::now();
        while start.elapsed() < timeout {
            if let Some(status) = self.ended() {
                return Ok(status);
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Err(Fault::new(format!("{} still runs after {timeout:?}{}", self.name, self.quote())))
    }

    /// Sends it a signal; nothing happens if it has ended.
    pub fn signal(&mut self, signal: Signal) {
        // As long as nobody has waited for it, its number belongs to no other process.
        if self.ended().is_none() {
            let _ = kill_process(Pid::from_child(&self.child), signal);
        }
    }

    /// Kills it as `kill -9` does, and returns when it is gone.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// A fault that quotes the end of the log, if the process has ended.
    pub(crate) fn alive(&mut self) -> Result<(), Fault> {
        match self.ended() {
            None => Ok(()),
            Some(status) => {
                Err(Fault::new(format!("{} has ended ({status}){}", self.name, self.quote())))
            }
        }
    }

    /// The last lines of the log.
    pub(crate) fn quote(&self) -> String {
        let log = self.log();
        let lines: Vec<&str> = log.lines().collect();
        let last = &lines[lines.len().saturating_sub(LINES_QUOTED)..];
        format!("; the end of {}:\n  {}", self.log.display(), last.join("\n  "))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
