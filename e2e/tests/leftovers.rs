//! Nothing of a control plane outlives its test, however the test ends.

use e2e::{ControlPlane, eventually};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const SOON: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_dropped_control_plane_leaves_neither_process_nor_file() {
    let plane = ControlPlane::builder().start().await;
    let folder = plane.folder().to_owned();
    assert!(processes_of(&folder).len() >= 3, "{:?}", processes_of(&folder));

    drop(plane);

    assert_eq!(processes_of(&folder), [""; 0]);
    assert!(!folder.exists(), "{} is still there", folder.display());
}

#[tokio::test]
async fn a_test_that_is_killed_leaves_neither_process_nor_file() {
    let mut holder = Command::new(env!("CARGO_BIN_EXE_controlplane"))
        .arg("up")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the holder starts");
    let lines = BufReader::new(holder.stdout.take().expect("its output is a pipe")).lines();
    let kubeconfig = lines
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("export KUBECONFIG=").map(PathBuf::from))
        .expect("it says where the control plane is");
    let folder = kubeconfig.parent().expect("a file lies in a folder").to_owned();
    assert!(processes_of(&folder).len() >= 4, "{:?}", processes_of(&folder));

    // This is SIGKILL: nothing in the holder gets a chance to clean up.
    holder.kill().expect("it can be killed");
    holder.wait().expect("it is gone");

    eventually(SOON, "all of it to vanish", async || {
        let left = processes_of(&folder);
        if left.is_empty() && !folder.exists() {
            return Ok(());
        }
        Err(format!("{left:?}, folder there: {}", folder.exists()))
    })
    .await;
}

/// Command lines that name `folder`.
fn processes_of(folder: &Path) -> Vec<String> {
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = all.filter_map(|process| {
        let line = std::fs::read(process.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    });
    let folder = folder.display().to_string();
    lines.filter(|line| line.contains(&folder)).collect()
}
