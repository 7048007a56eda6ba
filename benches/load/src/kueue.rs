//! Kueue as a peer: its controller manager as it is shipped, built from its Go module, with its
//! client's own limits lifted.
//!
//! It admits Workloads and binds nothing, so it is given Workloads alone: no pods, no
//! kube-scheduler beside it, fewer writes than a cluster costs it. Its admission webhooks are not
//! registered. Its certificates are those of the API server; conversion, which it insists on
//! setting up, is asked for by nobody, since only the stored version is used. Next: `rush.rs`.

use crate::wire::failed;
use crate::work::{Made, NAMESPACE};
use e2e::{ControlPlane, Fault, Process};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The module that it is built from.
pub(crate) const MODULE: &str = include_str!("../kueue/go.mod");
/// Kinds whose conversion it wants to set up.
const CONVERTED: [&str; 5] =
    ["localqueues", "clusterqueues", "workloads", "cohorts", "multikueueclusters"];
/// The name of its only flavor.
const FLAVOR: &str = "cores";
/// How long it may take until it is ready.
const PATIENCE: Duration = Duration::from_secs(120);

/// Serves its kinds, and makes what its controller manager looks for.
pub async fn install(plane: &ControlPlane) -> Result<(), Fault> {
    plane.crds(&sources()?.join("config/components/crd/bases")).await?;
    plane.namespace("kueue-system").await?;
    let secret = "apiVersion: v1\nkind: Secret\n\
                  metadata: { name: kueue-webhook-server-cert, namespace: kueue-system }\n";
    plane.apply(secret)?;
    for kind in CONVERTED {
        // Nobody listens there: nothing is ever converted.
        let conversion = json!({ "spec": { "conversion": { "strategy": "Webhook", "webhook": {
            "clientConfig": { "url": "https://127.0.0.1:1/convert" },
            "conversionReviewVersions": ["v1"],
        } } } });
        let name = format!("{kind}.kueue.x-k8s.io");
        let patch = conversion.to_string();
        plane.kubectl(&["patch", "crd", &name, "--type=merge", "-p", &patch])?;
    }
    Ok(())
}

/// Starts its controller manager; returns when it is ready.
pub async fn start(plane: &ControlPlane) -> Result<Process, Fault> {
    let folder = plane.folder().join("kueue");
    std::fs::create_dir_all(&folder).map_err(|error| failed("making a folder for kueue", error))?;
    for (from, to) in [("apiserver.crt", "tls.crt"), ("apiserver.key", "tls.key")] {
        let copied = std::fs::copy(plane.folder().join(from), folder.join(to));
        copied.map_err(|error| failed("copying a certificate for kueue", error))?;
    }
    let (health, webhooks) = (e2e::free_port(), e2e::free_port());
    let config = json!({
        "apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
        "health": { "healthProbeBindAddress": format!("127.0.0.1:{health}") },
        "metrics": { "bindAddress": "0" },
        "webhook": { "host": "127.0.0.1", "port": webhooks, "certDir": folder },
        "leaderElection": { "leaderElect": false },
        "internalCertManagement": { "enable": true },
        "clientConnection": { "qps": 5000, "burst": 5000 },
        "controller": { "groupKindConcurrency": {
            "Workload.kueue.x-k8s.io": 5, "LocalQueue.kueue.x-k8s.io": 1,
            "ClusterQueue.kueue.x-k8s.io": 1, "ResourceFlavor.kueue.x-k8s.io": 1,
        } },
        "integrations": { "frameworks": ["batch/job"] },
    });
    let path = folder.join("config.json");
    let written = std::fs::write(&path, config.to_string());
    written.map_err(|error| failed("writing kueue's configuration", error))?;
    let mut command = Command::new(binary()?);
    command.arg(format!("--config={}", path.display()));
    command.arg(format!("--kubeconfig={}", plane.admin_kubeconfig().display()));
    command.args(["--feature-gates=VisibilityOnDemand=false", "--zap-log-level=error"]);
    let mut process = plane.start_process("kueue", command)?;
    let begin = Instant::now();
    loop {
        let seen = e2e::get(&format!("http://127.0.0.1:{health}/readyz")).await;
        if seen.as_ref().is_ok_and(|(status, _)| *status == 200) {
            return Ok(process);
        }
        if let Some(status) = process.ended() {
            return Err(Fault::new(format!("kueue ended with {status}: {}", tail(&process))));
        }
        if begin.elapsed() > PATIENCE {
            return Err(Fault::new(format!("kueue is not ready, {seen:?}: {}", tail(&process))));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Its queues: one cohort for so many, each with so many cores and so many to borrow.
#[must_use]
pub fn queues(queues: usize, nominal: i64, borrows: i64) -> Vec<Made> {
    let flavor = object("ResourceFlavor", FLAVOR, json!({}));
    let mut all = vec![(collection("resourceflavors"), flavor)];
    for number in 0..queues {
        let name = format!("q{number}");
        let quota = json!({ "name": "cpu", "nominalQuota": nominal, "borrowingLimit": borrows });
        let flavors = json!([{ "name": FLAVOR, "resources": [quota] }]);
        let spec = json!({
            "cohortName": "c0", "namespaceSelector": {},
            "resourceGroups": [{ "coveredResources": ["cpu"], "flavors": flavors }],
            "preemption": {
                "reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority",
            },
        });
        all.push((collection("clusterqueues"), object("ClusterQueue", &name, spec)));
        let local = object("LocalQueue", &name, json!({ "clusterQueue": name }));
        all.push((collection(&format!("namespaces/{NAMESPACE}/localqueues")), local));
    }
    all
}

/// One piece of work, of one pod that nobody makes.
#[must_use]
pub fn workload(name: &str, queue: &str, cores: i64, priority: i32) -> Made {
    let container = json!({ "name": "main", "image": "example.invalid/main",
        "resources": { "requests": { "cpu": cores.to_string() } } });
    let template = json!({ "spec": { "restartPolicy": "Never", "containers": [container] } });
    let spec = json!({ "queueName": queue, "priority": priority,
        "podSets": [{ "name": "main", "count": 1, "template": template }] });
    let path = format!("namespaces/{NAMESPACE}/workloads");
    (collection(&path), object("Workload", name, spec))
}

/// What the runner says of a workload whose time is up.
#[must_use]
pub fn finished(name: &str) -> Value {
    let condition = json!({ "type": "Finished", "status": "True", "reason": "Succeeded",
        "message": "its time is up", "lastTransitionTime": "2026-01-01T00:00:00Z" });
    let mut object = object("Workload", name, json!(null));
    object["status"] = json!({ "conditions": [condition] });
    object
}

/// Where the status of a workload is.
#[must_use]
pub fn status_of(name: &str) -> String {
    collection(&format!("namespaces/{NAMESPACE}/workloads/{name}/status"))
}

/// The path of a collection of its kinds.
#[must_use]
pub fn collection(rest: &str) -> String {
    format!("/apis/kueue.x-k8s.io/v1beta2/{rest}")
}

fn object(kind: &str, name: &str, spec: Value) -> Value {
    let mut object = json!({ "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind,
        "metadata": { "name": name } });
    if !spec.is_null() {
        object["spec"] = spec;
    }
    object
}

fn tail(process: &Process) -> String {
    let log = process.log();
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(10)..].join("\n")
}

/// Its binary in the cache, built if it is not there yet: minutes the first time.
fn binary() -> Result<PathBuf, Fault> {
    let version = crate::machine::version(MODULE, "sigs.k8s.io/kueue");
    let cache = e2e::cache_folder()?;
    let path = cache.join(format!("kueue-{version}"));
    if path.is_file() {
        return Ok(path);
    }
    crate::rounds::tell("building benches/load/kueue (minutes the first time)");
    let fresh = cache.join(format!("building-kueue-{}", std::process::id()));
    let made = fresh.display().to_string();
    let flags = ["build", "-p", "2", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o"];
    go(&[&flags[..], &[&made, "sigs.k8s.io/kueue/cmd/kueue"]].concat())?;
    std::fs::rename(&fresh, &path).map_err(|error| failed("moving kueue to the cache", error))?;
    Ok(path)
}

/// The folder of its sources, with its CRDs.
fn sources() -> Result<PathBuf, Fault> {
    go(&["mod", "download", "sigs.k8s.io/kueue"])?;
    let folder = go(&["list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kueue"])?;
    Ok(PathBuf::from(folder.trim()))
}

fn go(args: &[&str]) -> Result<String, Fault> {
    let mut go = Command::new("go");
    go.args(args).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("kueue"));
    go.env("GOTOOLCHAIN", "local").env("GOWORK", "off");
    let output = go.output().map_err(|error| failed("running go", error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(Fault::new(format!("go {}: {}", args.join(" "), errors.trim())))
}
