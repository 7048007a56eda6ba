//! Pods and nodes as Kubernetes and people write them, and what they are read as.

mod golden;
mod life;
mod node;
mod placement;
mod requests;
mod robust;
mod volumes;
mod yaml;

use scheduler_kube::translate::{Context, Translated, pod};
use scheduler_kube::wire;
use scheduler_model::spec::PodSpec;

/// A pod from its `spec`, in the shortest form.
fn from_spec(spec: &str) -> Translated<PodSpec> {
    from_json(&format!(r#"{{"metadata":{{"name":"p"}},"spec":{spec}}}"#))
}

/// A pod from a whole object.
fn from_json(json: &str) -> Translated<PodSpec> {
    let pod: wire::Pod = serde_json::from_str(json).expect("the test's pod is JSON");
    pod::translate(&pod, &Context::default())
}

/// What was wrong, one sentence each.
fn said<T>(read: &Translated<T>) -> Vec<String> {
    read.problems.iter().map(ToString::to_string).collect()
}
