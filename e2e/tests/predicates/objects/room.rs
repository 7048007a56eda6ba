//! What pods take on their nodes.

use super::{case, container, cores, on, pod, sidecar};
use crate::case::Case;
use serde_json::{Value, json};

/// Requests of the pod that asks, and of the pods that are there.
pub(super) fn cases() -> Vec<Case> {
    containers().into_iter().chain(pods_as_a_whole()).chain(pods_on_nodes()).collect()
}

fn cpu(quantity: &str) -> Value {
    json!({ "cpu": quantity })
}

fn main(quantity: &str) -> Value {
    container("main", cpu(quantity))
}

fn asks(spec: Value) -> Value {
    pod(json!({}), spec)
}

fn containers() -> Vec<Case> {
    let init = |quantity: &str| container("init", cpu(quantity));
    vec![
        case(
            "containers are added up",
            &cores(&["1900m", "2"]),
            &[],
            asks(json!({ "containers": [main("1500m"), container("b", cpu("500m"))] })),
            &["n2"],
        ),
        case(
            "an init container counts where it is larger",
            &cores(&["1", "3", "4"]),
            &[],
            asks(json!({ "initContainers": [init("4")], "containers": [main("1")] })),
            &["n3"],
        ),
        case(
            "an init container is not added to the containers",
            &cores(&["1900m", "2", "3"]),
            &[],
            asks(json!({ "initContainers": [init("1")], "containers": [main("2")] })),
            &["n2", "n3"],
        ),
        case(
            "a sidecar is added to the containers",
            &cores(&["2", "2900m", "3"]),
            &[],
            asks(json!({ "initContainers": [sidecar(cpu("1"))], "containers": [main("2")] })),
            &["n3"],
        ),
        case(
            "an init container runs beside the sidecar before it",
            &cores(&["5", "5900m", "6"]),
            &[],
            asks(json!({ "initContainers": [sidecar(cpu("1")), init("5")],
                "containers": [main("1")] })),
            &["n3"],
        ),
        case(
            "an init container does not run beside the sidecar after it",
            &cores(&["4900m", "5"]),
            &[],
            asks(json!({ "initContainers": [init("5"), sidecar(cpu("1"))],
                "containers": [main("1")] })),
            &["n2"],
        ),
    ]
}

fn pods_as_a_whole() -> Vec<Case> {
    let limited = json!([{ "name": "main", "image": "example.invalid/main",
        "resources": { "limits": cpu("3") } }]);
    let class = json!({ "apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass",
        "metadata": { "name": "boxed" }, "handler": "boxed",
        "overhead": { "podFixed": { "cpu": "250m" } } });
    vec![
        case(
            "overhead of a runtime class is added",
            &cores(&["1", "1249m", "1250m"]),
            &[class],
            asks(json!({ "runtimeClassName": "boxed", "containers": [main("1")] })),
            &["n3"],
        ),
        case(
            "what the whole pod requests goes before its containers",
            &cores(&["2", "3900m", "4"]),
            &[],
            asks(json!({ "resources": { "requests": cpu("4"), "limits": cpu("4") },
                "containers": [main("1"), container("b", cpu("1"))] })),
            &["n3"],
        ),
        case(
            "a limit alone is a request",
            &cores(&["2", "3"]),
            &[],
            asks(json!({ "containers": limited })),
            &["n2"],
        ),
        case(
            "a thousandth of a core too much is too much",
            &cores(&["999m", "1"]),
            &[],
            asks(json!({ "containers": [main("1")] })),
            &["n2"],
        ),
    ]
}

fn pods_on_nodes() -> Vec<Case> {
    let big = |name: &str| json!({ "containers": [container(name, json!({ "cpu": "3" }))] });
    let old = |name: &str| on("n1", name, json!({}), big("main"));
    let asks = || pod(json!({}), big("main"));
    let mut ended = old("ended");
    ended["status"] = json!({ "phase": "Failed" });
    let mut leaving = old("leaving");
    leaving["metadata"]["deletionTimestamp"] = json!("2100-01-01T00:00:00Z");
    let mut grown = old("grown");
    grown["status"] = json!({ "phase": "Running", "containerStatuses": [{ "name": "main",
        "image": "i", "imageID": "i", "ready": true, "restartCount": 0,
        "allocatedResources": { "cpu": "4" },
        "resources": { "requests": { "cpu": "4" } } }] });
    let sidecar_on = on(
        "n1",
        "helped",
        json!({}),
        json!({
        "initContainers": [sidecar(json!({ "cpu": "2" }))],
        "containers": [container("main", json!({ "cpu": "1" }))] }),
    );
    vec![
        case("a pod that failed holds no room", &cores(&["4", "2"]), &[ended], asks(), &["n1"]),
        case(
            "a pod that is terminating holds its room",
            &cores(&["4", "3"]),
            &[leaving],
            asks(),
            &["n2"],
        ),
        case(
            "a pod whose smaller size is not in force yet holds the larger one",
            &cores(&["6", "7"]),
            &[grown],
            asks(),
            &["n2"],
        ),
        case(
            "a sidecar of a running pod holds room",
            &cores(&["5", "3"]),
            &[sidecar_on],
            asks(),
            &["n2"],
        ),
    ]
}
