//! `DaemonSet` to [`DaemonSpec`]: what a fresh node must keep free for it.

use super::shape::{self, Own};
use super::{Problems, Translated};
use crate::wire;
use scheduler_model::spec::{DaemonSpec, TaintEffect, Toleration, TolerationOperator};
use std::sync::Arc;

/// A DaemonSet in our words, with the tolerations that its controller adds to every pod.
#[must_use]
pub fn translate(daemon: &wire::DaemonSet) -> Translated<DaemonSpec> {
    let meta = &daemon.metadata;
    let mut problems = Problems::of("DaemonSet", meta);
    if meta.name.is_empty() {
        problems.add("metadata.name", "it has no name", "give it one");
    }
    let namespace = meta.namespace_or_default();
    let template = &daemon.spec.template;
    let own = Own { name: &meta.name, namespace, labels: &template.metadata.labels };
    let status = wire::PodStatus::default();
    let mut shape = shape::of(&template.spec, &status, own, &mut problems).shape;
    for toleration in added(template.spec.host_network) {
        if !shape.tolerations.contains(&toleration) {
            shape.tolerations.push(toleration);
        }
    }
    let key = format!("{namespace}/{}", meta.name);
    problems.with(DaemonSpec { key, shape: Arc::new(shape) })
}

fn added(is_host_network: bool) -> impl Iterator<Item = Toleration> {
    let network = ("network-unavailable", TaintEffect::NoSchedule);
    [
        ("not-ready", TaintEffect::NoExecute),
        ("unreachable", TaintEffect::NoExecute),
        ("disk-pressure", TaintEffect::NoSchedule),
        ("memory-pressure", TaintEffect::NoSchedule),
        ("pid-pressure", TaintEffect::NoSchedule),
        ("unschedulable", TaintEffect::NoSchedule),
    ]
    .into_iter()
    .chain(is_host_network.then_some(network))
    .map(|(name, effect)| Toleration {
        key: format!("node.kubernetes.io/{name}"),
        operator: TolerationOperator::Exists,
        value: String::new(),
        effect: Some(effect),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use scheduler_model::amount::Amount;

    #[test]
    fn a_daemon_keeps_what_its_pod_requests_and_bears_what_its_controller_adds() {
        let json = r#"{"metadata":{"name":"dcgm","namespace":"gpu"},"spec":{"template":{"spec":{
            "tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists",
                "effect":"NoExecute"}],
            "containers":[{"name":"c","resources":{"requests":{"cpu":"100m"}}}]}}}}"#;
        let read = translate(&serde_json::from_str(json).expect("a DaemonSet"));
        assert_eq!(read.value.key, "gpu/dcgm");
        assert_eq!(read.value.shape.requests["cpu"], Amount::new(100));
        assert_eq!(read.value.shape.tolerations.len(), 6);
        assert_eq!(read.problems, []);
    }
}
