//! `make live`: a real control plane on this machine, muster beside it, two teams in three
//! dialects, and the commands to play on.
//!
//! With `--once` it ends as soon as everything was seen; a gang that is not whole, or that
//! waits without a reason, is a failure.

use e2e::{ControlPlane, FakeNode, Fault, Module, Muster, Nodes, Volcano, eventually};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(60);

#[tokio::main]
async fn main() -> ExitCode {
    let is_short = std::env::args().any(|arg| arg == "--once");
    match show(is_short).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            let _ = writeln!(std::io::stderr(), "{fault}");
            ExitCode::FAILURE
        }
    }
}

async fn show(is_short: bool) -> Result<(), Fault> {
    say("Starting etcd, kube-apiserver, kube-controller-manager and kwok ...\n");
    let plane = ControlPlane::builder().nodes(Nodes::Kwok).native_groups().try_start().await?;
    plane.add_nodes(&FakeNode::many(5, "gpu-", |node, _| node.gpus(8))).await?;
    plane.crds(&file("manifests/crds")).await?;
    let volcano = Volcano::install(&plane).await?;
    let _controllers = volcano.controllers(&["muster"]).await?;
    say("Starting muster ...\n");
    let mut muster = plane.muster().arg("--no-leader-election").start()?;
    muster.ready(LONG).await?;
    for team in ["vision", "speech"] {
        plane.namespace(team).await?;
    }
    say("Submitting the gangs of two teams in three dialects (files in e2e/live) ...\n\n");
    for name in ["muster", "kubernetes", "volcano"] {
        plane.apply_file(&file(&format!("e2e/live/{name}.yaml")))?;
    }
    wait_until_whole(&plane).await?;
    plane.apply_file(&file("e2e/live/waits.yaml"))?;
    wait_for_reason(&plane).await?;
    show_all(&plane, &muster).await?;
    if !is_short {
        invite(&plane, &muster)?;
        let _ = std::io::stdin().read(&mut [0; 1]);
    }
    Ok(())
}

/// Waits until every gang but the large one has all its places.
async fn wait_until_whole(plane: &ControlPlane) -> Result<(), Fault> {
    eventually(LONG, "all gangs that fit are bound whole", async || {
        let text = plane.kubectl(&[
            "get",
            "pods",
            "-A",
            "-o",
            "jsonpath={range .items[*]}{.metadata.name}={.spec.nodeName} {end}",
        ])?;
        let bound = |prefix: &str| {
            text.split_whitespace()
                .filter(|pod| pod.starts_with(prefix) && !pod.ends_with('='))
                .count()
        };
        let seen = [bound("vision-train-"), bound("vision-eval-"), bound("speech-train-")];
        if seen == [4, 2, 3] { Ok(()) } else { Err(Fault::new(format!("bound: {seen:?}"))) }
    })
    .await;
    Ok(())
}

async fn wait_for_reason(plane: &ControlPlane) -> Result<(), Fault> {
    // Without rights beyond the own namespace: from the status of the group.
    eventually(LONG, "the large gang says why it waits", async || {
        let text = ask(plane, &["explain", "speech/speech-large"])?;
        if text.contains("room") { Ok(()) } else { Err(Fault::new(text)) }
    })
    .await;
    Ok(())
}

async fn show_all(plane: &ControlPlane, muster: &Muster) -> Result<(), Fault> {
    say("$ kubectl get pods -A -o wide\n");
    say(&plane.kubectl(&[
        "get", "pods", "-A", "-o",
        "custom-columns=TEAM:.metadata.namespace,POD:.metadata.name,NODE:.spec.nodeName,PHASE:.status.phase",
    ])?);
    say("\n$ muster gangs -A\n");
    say(&ask(plane, &["gangs", "-A", "--admin-url", &muster.admin_url()])?);
    say("\n$ muster explain speech/speech-large\n");
    say(&ask(plane, &["explain", "speech/speech-large"])?);
    say("\n$ muster queues\n");
    say(&ask(plane, &["queues", "--admin-url", &muster.admin_url()])?);
    say("\n$ curl /metrics\n");
    let (_, metrics) = muster.get("/metrics").await?;
    let shown = ["muster_gang_wait_seconds_sum", "muster_pending_gangs{", "muster_binds_total{"];
    for line in metrics.lines().filter(|line| shown.iter().any(|name| line.starts_with(name))) {
        say(&format!("{line}\n"));
    }
    Ok(())
}

fn invite(plane: &ControlPlane, muster: &Muster) -> Result<(), Fault> {
    let kubernetes = Module::ControlPlane.build()?;
    let own = e2e::muster_binary()?;
    let own = own.parent().map(Path::to_path_buf).unwrap_or_default();
    say(&format!(
        "\nPlay on in another terminal; Enter here ends it all.\n\n\
         export KUBECONFIG={}\n\
         export PATH={}:{}/bin:$PATH\n\
         kubectl -n speech delete job.batch speech-large\n\
         muster gangs -A\n\
         muster explain speech/speech-large\n\
         curl {}/metrics\n",
        plane.admin_kubeconfig().display(),
        own.display(),
        kubernetes.display(),
        muster.admin_url(),
    ));
    Ok(())
}

fn ask(plane: &ControlPlane, args: &[&str]) -> Result<String, Fault> {
    let output = Command::new(e2e::muster_binary()?)
        .args(args)
        .env("KUBECONFIG", plane.admin_kubeconfig())
        .output()
        .map_err(|error| Fault::new(format!("muster {}: {error}", args.join(" "))))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Fault::new(format!("muster {}: {words}", args.join(" "))));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A file of this checkout.
fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn say(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
    let _ = std::io::stdout().flush();
}
