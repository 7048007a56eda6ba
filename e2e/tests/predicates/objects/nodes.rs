//! States of nodes, and their ports.

use super::{case, near, node, on, pod};
use crate::case::Case;
use serde_json::json;

/// Nodes as they are between two writes, or as no kubelet makes them.
pub(super) fn cases() -> Vec<Case> {
    let mut lost = node("lost", json!({}), json!({}));
    lost["status"]["conditions"] = json!([{ "type": "Ready", "status": "False" }]);
    let mut nameless = node("nameless", json!({}), json!({}));
    nameless["metadata"]["labels"] = json!({});
    let mut cordoned = node("cordoned", json!({}), json!({}));
    cordoned["spec"] = json!({ "unschedulable": true });
    let good = node("good", json!({}), json!({}));
    let all = json!({ "tolerations": [{ "operator": "Exists" }] });
    let on_network = json!({ "hostNetwork": true, "containers": [{ "name": "main",
        "image": "example.invalid/main", "ports": [{ "containerPort": 80, "hostPort": 80 }] }] });
    let shy = near("podAntiAffinity", "kubernetes.io/hostname", "web", json!({}));
    let fond = near("podAffinity", "kubernetes.io/hostname", "web", json!({}));
    let web = on("nameless", "web", json!({ "app": "web" }), json!({}));
    vec![
        case(
            "a node that is not ready and not tainted yet",
            &[lost, good.clone()],
            &[],
            pod(json!({}), json!({})),
            &["lost", "good"],
        ),
        case(
            "a cordoned node takes pods that tolerate everything",
            &[cordoned, good.clone()],
            &[],
            pod(json!({}), all),
            &["cordoned", "good"],
        ),
        case(
            "a pod on the network of its node takes its ports",
            std::slice::from_ref(&good),
            &[on("good", "old", json!({}), on_network.clone())],
            pod(json!({}), on_network),
            &[],
        ),
        case(
            "a node without a host name is no domain to avoid",
            &[nameless.clone(), good.clone()],
            std::slice::from_ref(&web),
            pod(json!({}), shy),
            &["nameless", "good"],
        ),
        case(
            "a node without a host name is no domain to be near in",
            &[nameless, good],
            &[web],
            pod(json!({}), fond),
            &[],
        ),
    ]
}
