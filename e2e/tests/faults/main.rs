//! `muster run` on a real API server while things break: it is killed, the API server is killed,
//! its leader is frozen, the network loses what is said, and there are many pods.
//!
//! What must hold whatever happens is in [`check`]: no gang stays half bound, no pod is bound
//! twice, no node is over-filled, and every gang is bound in the end. Moments are random; more
//! of them with `MUSTER_E2E_REPEAT=10`. Times are printed (`--nocapture`); a test fails by the
//! clock only where the time is beyond all reason.
//!
//! Next: [`burst`] makes gangs, [`observer`] sees what becomes of them.
#![allow(clippy::print_stdout, reason = "measured times are for people, with --nocapture")]

mod burst;
mod check;
mod crowd;
mod dice;
mod kills;
mod network;
mod observer;
mod replicas;
mod servers;

use e2e::{Builder, ControlPlane, FakeNode, Muster};
use std::path::Path;
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard};

/// Longer than anything here takes on a slow machine.
const LONG: Duration = Duration::from_secs(90);

/// Configuration of every muster here, without a lease.
const CONFIG: &str = "timings: {repairGrace: 20s}\n";

/// No gang may be half bound for longer: `repairGrace` above.
const GRACE: Duration = Duration::from_secs(20);

/// One test at a time, as times are measured.
async fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::const_new(());
    TURN.lock().await
}

/// So many times as many moments as usual.
fn repeat() -> usize {
    std::env::var("MUSTER_E2E_REPEAT").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// A control plane that knows muster's kinds and nothing else.
async fn plane(builder: Builder) -> ControlPlane {
    let plane = builder.without_controllers().start().await;
    let crds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../manifests/crds");
    plane.crds(&crds).await.expect("our CRDs are accepted");
    plane
}

/// Room for exactly so many pods of one GPU, eight to a node.
async fn add_room(plane: &ControlPlane, prefix: &str, pods: usize) {
    assert_eq!(pods % 8, 0, "whole nodes only");
    let nodes = FakeNode::many(pods / 8, prefix, |node, _| node.gpus(8));
    plane.add_nodes(&nodes).await.expect("nodes can be made");
}

/// A single replica that is ready.
async fn alone(plane: &ControlPlane) -> Muster {
    let muster = plane.muster().config(CONFIG).arg("--no-leader-election").start();
    let mut muster = muster.expect("it starts");
    muster.ready(LONG).await.expect("it gets ready");
    muster
}
