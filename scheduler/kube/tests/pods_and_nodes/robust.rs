//! Whatever an object says, it is read: nulls, noise, endless labels, arbitrary text.

use crate::from_json;
use proptest::prelude::*;
use scheduler_kube::translate::{Context, hints, node, pod};
use scheduler_kube::wire;
use serde_json::{Value, json};

/// Every value of `object` in turn replaced by `null`, list elements aside.
fn with_one_null(object: &Value) -> Vec<Value> {
    let mut paths = Vec::new();
    collect(object, &mut Vec::new(), &mut paths);
    let replaced = paths.iter().map(|path| {
        let mut copy = object.clone();
        *copy.pointer_mut(path).expect("the path was just found") = Value::Null;
        copy
    });
    replaced.collect()
}

fn collect(value: &Value, path: &mut Vec<String>, found: &mut Vec<String>) {
    let children: Vec<(String, &Value, bool)> = match value {
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), value, true)).collect(),
        Value::Array(list) => {
            list.iter().enumerate().map(|(at, value)| (at.to_string(), value, false)).collect()
        }
        _ => Vec::new(),
    };
    for (key, child, is_field) in children {
        path.push(key.replace('~', "~0").replace('/', "~1"));
        if is_field {
            found.push(format!("/{}", path.join("/")));
        }
        collect(child, path, found);
        path.pop();
    }
}

#[test]
fn any_field_of_a_pod_may_be_null() {
    for text in
        [include_str!("objects/indexed-job-pod.json"), include_str!("objects/resized-pod.json")]
    {
        for object in with_one_null(&serde_json::from_str(text).expect("a pod")) {
            from_json(&object.to_string());
        }
    }
}

#[test]
fn any_field_of_a_node_may_be_null() {
    let text = include_str!("objects/gpu-node.json");
    for object in with_one_null(&serde_json::from_str(text).expect("a node")) {
        let read: wire::Node = serde_json::from_str(&object.to_string()).expect("null is fine");
        let _ = node::translate(&read);
    }
}

#[test]
fn a_label_of_a_megabyte_is_kept_and_no_message_repeats_it() {
    let long = "x".repeat(1 << 20);
    let object = json!({
        "metadata": { "name": "p", "labels": { "a": long, "muster.sh/pod-group": long },
            "annotations": { "scheduling.k8s.io/group-name": "other", "muster.sh/simulated-runtime": long } },
        "spec": { "tolerations": [{ "key": "a", "operator": long }],
            "containers": [{ "resources": { "requests": { "cpu": long } } }] },
        "status": { "phase": long }
    });
    let read = from_json(&object.to_string());
    assert_eq!(read.value.labels["a"].len(), 1 << 20);
    let longest = read.problems.iter().map(|problem| problem.to_string().len()).max();
    assert!(longest.expect("there are problems") < 400);
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,12}",
        "[-+]?[0-9.]{0,6}[a-zA-Z]{0,3}",
        Just("In".to_owned()),
        Just("Gt".to_owned()),
        Just("Exists".to_owned()),
        Just("DoNotSchedule".to_owned()),
    ]
}

fn requirement() -> impl Strategy<Value = Value> {
    (text(), text(), prop::collection::vec(text(), 0..3)).prop_map(
        |(key, operator, values)| json!({"key": key, "operator": operator, "values": values}),
    )
}

fn object() -> impl Strategy<Value = Value> {
    let texts = prop::collection::vec(text(), 12);
    (texts, requirement(), requirement(), any::<i64>(), any::<i64>()).prop_map(
        |(t, one, other, number, port)| {
            let term = json!({"labelSelector": {"matchExpressions": [one]}, "topologyKey": t[0],
                "namespaces": [t[1]], "namespaceSelector": {"matchExpressions": [other]},
                "matchLabelKeys": [t[2]]});
            json!({
                "metadata": {"name": t[3], "labels": {"muster.sh/rank": t[4], "muster.sh/pod-group": t[0]},
                    "annotations": {"muster.sh/simulated-runtime": t[5], "muster.sh/simulated-arrival": t[6]},
                    "creationTimestamp": t[7]},
                "spec": {
                    "activeDeadlineSeconds": number, "priority": t[10],
                    "containers": [{"resources": {"requests": {"cpu": t[8], "memory": number},
                        "limits": {"x/y": t[9]}}, "ports": [{"hostPort": port, "protocol": t[1]}]}],
                    "overhead": {"cpu": t[10]},
                    "tolerations": [{"key": t[2], "operator": t[11], "value": t[8], "effect": t[9]}],
                    "affinity": {
                        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
                            {"nodeSelectorTerms": [{"matchExpressions": [one], "matchFields": [other]}]}},
                        "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term],
                            "preferredDuringSchedulingIgnoredDuringExecution":
                                [{"weight": number, "podAffinityTerm": term}]}},
                    "topologySpreadConstraints": [{"maxSkew": number, "minDomains": port,
                        "topologyKey": t[3], "whenUnsatisfiable": t[11], "nodeTaintsPolicy": t[1]}]},
                "status": {"phase": t[5], "startTime": t[6], "allocatable": {"cpu": t[8], "memory": number}}
            })
        },
    )
}

proptest! {
    #[test]
    fn any_text_in_any_field_is_read_the_same_twice(object in object()) {
        let json = object.to_string();
        let pod: wire::Pod = serde_json::from_str(&json).expect("the shape is a pod's");
        let read = pod::translate(&pod, &Context::default());
        prop_assert_eq!(&read, &pod::translate(&pod, &Context::default()));
        prop_assert!(read.value.shape.requests.values().all(|amount| amount.units() > 0));
        let _ = hints::of("Pod", &pod.metadata);
        let as_node: wire::Node = serde_json::from_str(&json).expect("and a node's");
        let read = node::translate(&as_node);
        prop_assert!(read.value.allocatable.values().all(|amount| amount.units() >= 0));
    }
}
