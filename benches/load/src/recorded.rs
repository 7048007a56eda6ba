//! B7 with pods as large as real ones: muster reads a recorded cluster from a [`Stub`].

use crate::burst::mebibytes;
use crate::figures::{FIRST, Figures, PEAK, Runs, STEADY, STRANGERS, Scenario};
use crate::footprint::{Footprint, SYNC_CPU};
use crate::rounds::tell;
use crate::stub::{Recording, Stub};
use crate::table::OURS;
use crate::usage::{self, Usage};
use crate::wire::failed;
use e2e::Fault;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);
const STEADY_AFTER: Duration = Duration::from_secs(10);

/// A process that is killed when it is dropped.
struct Guard(Child);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts muster beside a recording of the cluster, so many rounds.
pub async fn run(size: Footprint, rounds: usize) -> Result<Scenario, Fault> {
    let recording = Recording::of(size.nodes, size.pods);
    let mebi = mebibytes(u64::try_from(recording.bytes()).unwrap_or(u64::MAX));
    let title =
        format!("B7: {} nodes, {} recorded pods, {mebi:.0} MiB of JSON", size.nodes, size.pods);
    let mut runs = Runs::new();
    for round in 0..rounds {
        let done = once(&recording).await.map_err(|fault| fault.to_string());
        let words = done.as_ref().map_or_else(Clone::clone, Figures::line);
        tell(&format!("{title}, round {}: {words}", round + 1));
        runs.push(done);
    }
    Ok(Scenario { title, rows: vec![(OURS.to_owned(), runs)] })
}

async fn once(recording: &Recording) -> Result<Figures, Fault> {
    let stub = Stub::start(recording.clone()).await?;
    let folder = std::env::temp_dir().join(format!("muster-load-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| failed("making a folder", error))?;
    let kubeconfig = folder.join("stub.kubeconfig");
    stub.write_kubeconfig(&kubeconfig)?;
    let own = Usage::of(std::process::id())?;
    let machine = usage::machine()?;
    let begin = Instant::now();
    let mut muster = start(&kubeconfig)?;
    let pid = muster.0.id();
    let bound = loop {
        if let Some(at) = stub.bound() {
            break at;
        }
        let ended = muster.0.try_wait().map_err(|error| failed("muster", error))?;
        if let Some(status) = ended {
            return Err(Fault::new(format!("muster has ended ({status})")));
        }
        if begin.elapsed() > PATIENCE {
            return Err(Fault::new(format!("nothing is bound after {PATIENCE:?}")));
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    };
    tokio::time::sleep(STEADY_AFTER).await;
    let used = Usage::of(pid)?;
    let known = used.cpu + Usage::of(std::process::id())?.cpu.saturating_sub(own.cpu);
    let all = usage::machine()?.saturating_sub(machine);
    let strangers = all.saturating_sub(known).as_secs_f64() / begin.elapsed().as_secs_f64();
    drop(muster);
    let _ = std::fs::remove_dir_all(&folder);
    let mut figures = Figures::default();
    figures.add(FIRST, bound.duration_since(begin).as_secs_f64());
    figures.add(PEAK, mebibytes(used.peak));
    figures.add(STEADY, mebibytes(used.resident));
    figures.add(SYNC_CPU, used.cpu.as_secs_f64());
    figures.add(STRANGERS, strangers);
    Ok(figures)
}

fn start(kubeconfig: &Path) -> Result<Guard, Fault> {
    let mut command = Command::new(e2e::muster_binary()?);
    command.args(["run", "--no-leader-election"]);
    command.arg(format!("--kubeconfig={}", kubeconfig.display()));
    command.arg(format!("--listen=127.0.0.1:{}", e2e::free_port()));
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.spawn().map(Guard).map_err(|error| failed("starting muster", error))
}
