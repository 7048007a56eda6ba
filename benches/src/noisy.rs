//! Objects with the noise that real ones carry: a pod is about 10 KB as JSON.
//!
//! Half of a pod is environment variables and who owns each of them.

use serde_json::{Value, json};

/// Pods of a gang that waits.
pub const GANG: usize = 50;
/// Environment variables of a pod; with who owns each, half of the object.
const SETTINGS: usize = 8;

fn node_name(index: usize) -> String {
    format!("gpu-node-{index}.example.internal")
}

/// The node of this number.
#[must_use]
pub fn node(index: usize) -> Value {
    let name = node_name(index);
    let images: Vec<Value> = (0..30)
        .map(|image| json!({"names": [format!("registry.example.com/team/image-{image}@sha256:{image:064x}")], "sizeBytes": 1_000_000 * image}))
        .collect();
    let conditions = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map(|kind| {
        json!({"type": kind, "status": if kind == "Ready" { "True" } else { "False" },
            "lastHeartbeatTime": "2026-11-30T06:00:00Z", "lastTransitionTime": "2026-11-01T06:00:00Z",
            "reason": "KubeletReports", "message": "kubelet is posting its status"})
    });
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "name": name, "uid": format!("node-{index:032x}"),
            "creationTimestamp": "2026-10-01T00:00:00Z", "resourceVersion": index.to_string(),
            "labels": {
                "kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
                "topology.kubernetes.io/zone": format!("z{}", index % 3),
                "example.com/rack": format!("r{}", index / 32),
                "nvidia.com/gpu.product": if index.is_multiple_of(2) { "H100" } else { "A100" },
            },
            "annotations": {"csi.volume.kubernetes.io/nodeid": format!("{{\"driver\":\"node-{index}\"}}")},
            "managedFields": managed("kubelet", "status"),
        },
        "spec": {"podCIDR": "10.0.0.0/24", "providerID": format!("cloud:///{index}")},
        "status": {
            "allocatable": room(), "capacity": room(), "conditions": conditions, "images": images,
            "nodeInfo": {"kubeletVersion": "v1.36.1", "kernelVersion": "6.8.0", "osImage": "Linux"},
        },
    })
}

fn room() -> Value {
    json!({"cpu": "96", "memory": "1056461104Ki", "pods": "110", "nvidia.com/gpu": "8",
        "ephemeral-storage": "945102336Ki", "hugepages-1Gi": "0", "hugepages-2Mi": "0"})
}

/// The group of this number, of [`GANG`] pods.
#[must_use]
pub fn group(index: usize) -> Value {
    json!({
        "apiVersion": "muster.sh/v1alpha1", "kind": "PodGroup",
        "metadata": {"name": format!("train-{index}"), "namespace": "research",
            "uid": format!("group-{index:032x}"), "creationTimestamp": "2026-11-30T06:00:00Z"},
        "spec": {"minAvailable": GANG},
    })
}

/// A pod that runs on the node of this number, or waits in a gang.
#[must_use]
pub fn pod(index: usize, node: Option<usize>, gang: usize) -> Value {
    let name = format!("worker-{index}");
    let (group, phase) = match node {
        Some(_) => (format!("old-{index}"), "Running"),
        None => (format!("train-{gang}"), "Pending"),
    };
    // Half of what runs uses a GPU: 4 of 8 on each node.
    let has_gpu = node.is_none() || index.is_multiple_of(2);
    let mut labels = json!({"app.kubernetes.io/name": "worker", "pod-index": index.to_string()});
    let mut spec = json!({
        "schedulerName": "muster", "restartPolicy": "Never", "priority": 0,
        "serviceAccountName": "trainer", "terminationGracePeriodSeconds": 30,
        "containers": [container(index, has_gpu)],
        "tolerations": [
            {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
            {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
        ],
        "volumes": [
            {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "64Gi"}},
            {"name": "config", "configMap": {"name": "training-config", "defaultMode": 420}},
            {"name": "token", "projected": {"defaultMode": 420, "sources": [
                {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}]}},
        ],
    });
    match node {
        Some(node) => spec["nodeName"] = json!(node_name(node)),
        None => labels["muster.sh/pod-group"] = json!(group),
    }
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": name, "namespace": "research", "uid": format!("pod-{index:032x}"),
            "creationTimestamp": "2026-11-30T06:00:00Z", "resourceVersion": index.to_string(),
            "generateName": "worker-", "labels": labels,
            "annotations": {
                "k8s.v1.cni.cncf.io/network-status": format!("[{{\"name\":\"net\",\"ips\":[\"10.0.{}.{}\"]}}]", index / 256 % 256, index % 256),
                "example.com/launch": "python -m train --config /etc/training/config.yaml --resume",
            },
            "managedFields": managed("kube-controller-manager", ""),
        },
        "spec": spec,
        "status": status(phase, index),
    })
}

fn container(index: usize, has_gpu: bool) -> Value {
    let env: Vec<Value> = (0..SETTINGS)
        .map(|number| json!({"name": format!("SETTING_{number}"), "value": format!("value-{number}-of-worker-{index}")}))
        .collect();
    let mut wants = json!({"cpu": "4", "memory": "16Gi"});
    if has_gpu {
        wants["nvidia.com/gpu"] = json!("1");
    }
    json!({
        "name": "main", "image": "registry.example.com/team/train:2026-11-30",
        "imagePullPolicy": "IfNotPresent", "command": ["python", "-m", "train"], "env": env,
        "resources": {"limits": wants, "requests": wants},
        "ports": [{"containerPort": 29500, "name": "rdzv", "protocol": "TCP"}],
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        "volumeMounts": [
            {"mountPath": "/dev/shm", "name": "shm"},
            {"mountPath": "/etc/training", "name": "config", "readOnly": true},
            {"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "token", "readOnly": true},
        ],
    })
}

fn status(phase: &str, index: usize) -> Value {
    if phase == "Pending" {
        return json!({"phase": phase, "qosClass": "Guaranteed"});
    }
    let conditions =
        ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"]
            .map(|kind| {
                json!({"type": kind, "status": "True", "lastProbeTime": null,
            "lastTransitionTime": "2026-11-30T06:00:05Z"})
            });
    json!({
        "phase": phase, "qosClass": "Guaranteed", "conditions": conditions,
        "startTime": "2026-11-30T06:00:05Z", "hostIP": "10.1.0.1",
        "podIP": format!("10.0.{}.{}", index / 256 % 256, index % 256),
        "containerStatuses": [{
            "name": "main", "ready": true, "started": true, "restartCount": 0,
            "containerID": format!("containerd://{index:064x}"),
            "image": "registry.example.com/team/train:2026-11-30",
            "imageID": format!("registry.example.com/team/train@sha256:{index:064x}"),
            "state": {"running": {"startedAt": "2026-11-30T06:00:05Z"}},
        }],
    })
}

/// Who owns which field, as the API server notes it: the largest part of most objects.
fn managed(manager: &str, subresource: &str) -> Value {
    let env: serde_json::Map<String, Value> = (0..SETTINGS)
        .map(|number| {
            let key = format!("k:{{\"name\":\"SETTING_{number}\"}}");
            (key, json!({".": {}, "f:name": {}, "f:value": {}}))
        })
        .collect();
    json!([{
        "apiVersion": "v1", "fieldsType": "FieldsV1", "manager": manager, "operation": "Update",
        "subresource": subresource, "time": "2026-11-30T06:00:00Z",
        "fieldsV1": {"f:metadata": {"f:labels": {}, "f:annotations": {}}, "f:spec": {
            "f:containers": {"k:{\"name\":\"main\"}": {"f:env": env, "f:image": {}, "f:resources": {}}}}},
    }])
}
