//! `Node` to [`NodeSpec`].
//!
//! Hand-written nodes need little: no conditions at all means ready, no pod count means 110
//! (the kubelet's default), and no host name label means the node's own name.

use super::{Problems, Translated, amounts, created_at, shorten, time, toleration};
use crate::names;
use crate::wire::{self, NodeStatus, condition};
use scheduler_model::amount::Amount;
use scheduler_model::spec::{NodeSpec, Resources, Taint, TaintEffect};
use scheduler_model::time::Time;
use std::collections::BTreeMap;

/// How many pods a kubelet takes unless it is told otherwise.
const DEFAULT_PODS: Amount = Amount::new(110);

/// A node in our words. Total: what cannot be read keeps pods away.
#[must_use]
pub fn translate(node: &wire::Node) -> Translated<NodeSpec> {
    let meta = &node.metadata;
    let mut problems = Problems::of("Node", meta);
    if meta.name.is_empty() {
        problems.add("metadata.name", "it has no name", "give it one");
    }
    let mut labels = meta.labels.clone();
    labels.entry(names::HOSTNAME.to_owned()).or_insert_with(|| meta.name.clone());
    let ready = is_ready(&node.status, &mut problems);
    let spec = NodeSpec {
        name: meta.name.clone(),
        labels,
        taints: taints(&node.spec.taints, &mut problems),
        unschedulable: node.spec.unschedulable,
        ready,
        not_ready_since: if ready { None } else { not_ready_since(&node.status, &mut problems) },
        allocatable: allocatable(&node.status, &mut problems),
        created_at: created_at(meta, &mut problems),
        flavour: String::new(),
        attach_limits: BTreeMap::new(),
    };
    problems.with(spec)
}

/// A taint whose effect cannot be read keeps new pods away.
fn taints(written: &[wire::Taint], problems: &mut Problems) -> Vec<Taint> {
    let read = written.iter().enumerate().map(|(index, taint)| {
        let effect = toleration::effect(&taint.effect).unwrap_or_else(|| {
            problems.add(
                format!("spec.taints[{index}].effect"),
                format!("`{}` is not an effect; taken as NoSchedule", shorten(&taint.effect)),
                "use NoSchedule, PreferNoSchedule or NoExecute",
            );
            TaintEffect::NoSchedule
        });
        Taint { key: taint.key.clone(), value: taint.value.clone(), effect }
    });
    read.collect()
}

fn is_ready(status: &NodeStatus, problems: &mut Problems) -> bool {
    if status.conditions.is_empty() {
        return true;
    }
    match condition(&status.conditions, "Ready") {
        Some(ready) => ready.status == "True",
        None => {
            problems.add(
                "status.conditions",
                "there is no Ready among them; taken as not ready",
                "add the condition Ready, or leave the conditions out",
            );
            false
        }
    }
}

/// Since when the `Ready` condition is not true; `None` where it does not say.
fn not_ready_since(status: &NodeStatus, problems: &mut Problems) -> Option<Time> {
    let ready = condition(&status.conditions, "Ready")?;
    let field = "status.conditions[Ready].lastTransitionTime";
    time(ready.last_transition_time.as_deref(), field, problems)
}

fn allocatable(status: &NodeStatus, problems: &mut Problems) -> Resources {
    let mut read = match (&status.allocatable, &status.capacity) {
        (Some(list), _) => amounts::capacity(list, format_args!("status.allocatable"), problems),
        (None, Some(list)) => amounts::capacity(list, format_args!("status.capacity"), problems),
        (None, None) => {
            problems.add(
                "status.allocatable",
                "it is missing; the node has room for nothing that asks for anything",
                "write what pods may use, such as cpu: 64 and memory: 256Gi",
            );
            Resources::new()
        }
    };
    read.entry("pods".to_owned()).or_insert(DEFAULT_PODS);
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    fn since(condition: &str) -> Option<i64> {
        let json =
            format!(r#"{{"metadata":{{"name":"a"}},"status":{{"conditions":[{condition}]}}}}"#);
        let node: wire::Node = serde_json::from_str(&json).expect("a Node");
        translate(&node).value.not_ready_since.map(Time::ms)
    }

    #[test]
    fn a_node_that_is_not_ready_says_since_when() {
        let ready = |status: &str| {
            format!(
                r#"{{"type":"Ready","status":"{status}","lastTransitionTime":"1970-01-01T00:00:07Z"}}"#
            )
        };
        assert_eq!(since(&ready("Unknown")), Some(7000));
        assert_eq!(since(&ready("False")), Some(7000));
        assert_eq!(since(&ready("True")), None);
        assert_eq!(since(r#"{"type":"Ready","status":"False"}"#), None);
    }
}
