//! A folder and a group of processes that vanish together, however the test ends.
//!
//! All processes of a control plane are in one process group, whose leader is a `cat` that waits
//! for the end of a pipe. A second small process, the reaper, waits for the end of such a pipe
//! too. Only the test holds the other ends: when it drops the nest, or dies by any signal, the
//! reaper kills the whole group and removes the folder. Nothing is sent to a process number that
//! could belong to somebody else: a group keeps its number as long as one member lives.

use crate::fault::{Fault, Trying};
use crate::module::tell;
use crate::process::Process;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, Once, PoisonError};

/// Arguments: the process group, the folder, a second folder for bulky data.
const REAPER: &str = r#"
trap '' HUP INT TERM
cat >/dev/null
kill -9 "-$1" 2>/dev/null
tries=0
while kill -0 "-$1" 2>/dev/null && [ $tries -lt 100 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
rm -rf "$3"
[ -e "$2/keep" ] || rm -rf "$2"
"#;

/// Folders of the nests that live in this process.
static LIVING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The folder and the process group of one control plane.
#[derive(Debug)]
pub(crate) struct Nest {
    folder: PathBuf,
    bulk: PathBuf,
    leader: Child,
    reaper: Child,
}

impl Nest {
    /// An empty nest. With `in_memory`, bulky data goes to a file system in memory where there
    /// is one.
    pub(crate) fn new(in_memory: bool) -> Result<Self, Fault> {
        watch_for_panics();
        let made = tempfile::Builder::new().prefix("muster-e2e-").tempdir();
        let folder = made.trying(|| "making a temporary folder".to_owned())?.keep();
        let shared = Path::new("/dev/shm");
        let bulk = match folder.file_name() {
            Some(name) if in_memory && shared.is_dir() => shared.join(name),
            _ => folder.join("bulk"),
        };
        fs::create_dir_all(&bulk).trying(|| format!("making {}", bulk.display()))?;
        let leader = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .trying(|| "starting the leader of a process group".to_owned())?;
        let reaper = Command::new("sh")
            .args(["-c", REAPER, "reaper", &leader.id().to_string()])
            .args([&folder, &bulk])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .trying(|| "starting the reaper of a control plane".to_owned())?;
        LIVING.lock().unwrap_or_else(PoisonError::into_inner).push(folder.clone());
        Ok(Self { folder, bulk, leader, reaper })
    }

    /// Where logs and settings are.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where data goes that is not worth keeping.
    pub(crate) fn bulk(&self) -> &Path {
        &self.bulk
    }

    /// Keeps the logs, for who reads a fault that quotes them.
    pub(crate) fn keep(&self) {
        keep(&self.folder);
    }

    /// Starts a process that dies with the nest; its output goes to `NAME.log`.
    pub(crate) fn start(&self, name: &str, mut command: Command) -> Result<Process, Fault> {
        let group = Pid::from_child(&self.leader).as_raw_nonzero().get();
        command.process_group(group).current_dir(&self.folder).env("HOME", &self.folder);
        Process::start(name, command, self.folder.join(format!("{name}.log")))
    }

    /// Writes a file of the nest.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<PathBuf, Fault> {
        let path = self.folder.join(name);
        // Others may be reading it: the old text or the new one, but never half of it.
        let new = tempfile::NamedTempFile::new_in(&self.folder);
        let new = new.trying(|| format!("writing {}", path.display()))?;
        fs::write(new.path(), text).trying(|| format!("writing {}", path.display()))?;
        new.persist(&path).trying(|| format!("writing {}", path.display()))?;
        Ok(path)
    }
}

impl Drop for Nest {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.leader), Signal::KILL);
        let _ = self.leader.wait();
        if std::thread::panicking() {
            keep(&self.folder);
        }
        LIVING
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|folder| folder != &self.folder);
        drop(self.reaper.stdin.take());
        let _ = self.reaper.wait();
    }
}

/// Keeps the logs of all living nests as soon as anything panics. A control plane that tests
/// share is never dropped, so that its reaper has to know.
fn watch_for_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            previous(panic);
            for folder in LIVING.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                keep(folder);
            }
        }));
    });
}

fn keep(folder: &Path) {
    let mark = folder.join("keep");
    if !mark.exists() && fs::write(&mark, "").is_ok() {
        tell(&format!("the logs are kept in {}", folder.display()));
    }
}
