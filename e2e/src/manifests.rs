//! What people install, as objects: kustomize folders and the Helm chart, rendered.
//!
//! Next: `promql.rs` says what dashboards and alert rules ask of a Prometheus.

use crate::fault::{Fault, Trying};
use crate::module::Module;
use crate::tools::helm;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The namespace that everything is installed in.
pub const NAMESPACE: &str = "muster-system";

/// Version that the chart is rendered for: a helm that is built from source believes in one so
/// old that the chart refuses it.
const KUBERNETES: &str = "1.37.2";

/// The folder `manifests`.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../manifests")
}

/// The text of a file below `manifests`.
pub fn text(path: &str) -> Result<String, Fault> {
    let path = folder().join(path);
    std::fs::read_to_string(&path).trying(|| format!("reading {}", path.display()))
}

/// The text that `kubectl kustomize manifests/PATH` prints.
pub fn kustomize(path: &str) -> Result<String, Fault> {
    let mut command = Command::new(Module::ControlPlane.binary("kubectl")?);
    command.arg("kustomize").arg(folder().join(path));
    output(command)
}

/// The text that `helm template muster manifests/helm/muster` prints with further arguments.
pub fn chart(args: &[&str]) -> Result<String, Fault> {
    let mut command = Command::new(helm()?);
    command.args(["template", "muster"]).arg(folder().join("helm/muster"));
    command.args(["--namespace", NAMESPACE, "--kube-version", KUBERNETES]).args(args);
    output(command)
}

/// The objects in a text of YAML documents; empty documents are none.
pub fn objects(yaml: &str) -> Result<Vec<Value>, Fault> {
    let documents: Vec<Value> =
        serde_saphyr::from_multiple(yaml).trying(|| "reading YAML".to_owned())?;
    Ok(documents.into_iter().filter(|object| !object.is_null()).collect())
}

/// `kind/name` of an object.
#[must_use]
pub fn title(object: &Value) -> String {
    let word = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    format!("{}/{}", word(&object["kind"]), word(&object["metadata"]["name"]))
}

fn output(mut command: Command) -> Result<String, Fault> {
    let output = command.output().trying(|| format!("running {:?}", command.get_program()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(Fault::new(format!("{command:?}: {}", errors.trim())))
}
