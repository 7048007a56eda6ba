//! The program as people run it: arguments and files in, text and exit code out.

mod bad_input;
mod config;
mod forms;
mod kubectl;
mod plugin;
mod samples;
mod stories;
mod trace;

use assert_cmd::Command;
use std::path::Path;
use tempfile::TempDir;

/// What a run said and how it ended.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    /// All of it, for a snapshot.
    fn shown(&self) -> String {
        format!("exit code {}\n--- out\n{}--- err\n{}", self.code, self.out, self.err)
    }
}

/// Runs muster in a folder with these files.
fn run(folder: &Path, arguments: &[&str], stdin: &str) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_muster"));
    let output = command
        .current_dir(folder)
        .args(arguments)
        .write_stdin(stdin)
        .output()
        .expect("muster can be run");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("muster writes UTF-8");
    let code = output.status.code().expect("muster ends by itself");
    Ran { code, out: text(output.stdout), err: text(output.stderr) }
}

/// A folder with these files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).expect("written");
    }
    folder
}

/// Simulates one file, `in.yaml`, with more arguments.
fn simulate(text: &str, more: &[&str]) -> Ran {
    let folder = folder(&[("in.yaml", text.as_bytes())]);
    let arguments: Vec<&str> = ["simulate", "in.yaml"].iter().chain(more).copied().collect();
    run(folder.path(), &arguments, "")
}

/// Where the documentation is.
fn docs() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

/// Two nodes of four GPUs, a gang that runs and one that waits.
const SMALL: &str = "\
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 8, nvidia.com/gpu: 4}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: 8, nvidia.com/gpu: 4}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: good, namespace: a, annotations: {muster.sh/simulated-runtime: 10m}}
spec:
  completionMode: Indexed
  parallelism: 2
  completions: 2
  template:
    spec: {schedulerName: muster, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 3}}}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: large, namespace: a}
spec:
  completionMode: Indexed
  parallelism: 3
  completions: 3
  template:
    spec: {schedulerName: muster, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 4}}}]}
";
