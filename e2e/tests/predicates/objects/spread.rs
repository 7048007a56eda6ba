//! Spread constraints.

use super::{case, on, pod, zones};
use crate::case::Case;
use serde_json::{Value, json};

/// A pod that asks for an even spread over zones, with more fields of the constraint and spec.
fn asks(more: Value, spec: Value) -> Value {
    let mut spec = spec;
    spec["topologySpreadConstraints"] = json!([over("zone", more)]);
    pod(json!({ "app": "web", "rev": "2" }), spec)
}

fn over(key: &str, more: Value) -> Value {
    let mut constraint = json!({ "maxSkew": 1, "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": { "matchLabels": { "app": "web" } } });
    for (field, value) in more.as_object().into_iter().flatten() {
        constraint[field] = value.clone();
    }
    constraint
}

fn web(node: &str, name: &str, rev: &str) -> Value {
    on(node, name, json!({ "app": "web", "rev": rev }), json!({}))
}

/// What counts in a spread, and what does not.
pub(super) fn cases() -> Vec<Case> {
    pods_that_count().into_iter().chain(domains()).collect()
}

fn pods_that_count() -> Vec<Case> {
    let nodes = zones(&["x1", "x2", "y1"]);
    let mut pool = zones(&["x1", "x2", "y1"]);
    for at in [0, 2] {
        pool[at]["metadata"]["labels"]["pool"] = json!("p");
    }
    let outside = [web("x2", "a", "1"), web("x2", "b", "1"), web("y1", "c", "1")];
    let full = [web("x1", "a", "1"), web("x2", "b", "1"), web("y1", "c", "2")];
    let mut leaving = web("x1", "leaving", "2");
    leaving["metadata"]["deletionTimestamp"] = json!("2100-01-01T00:00:00Z");
    let one = [web("x1", "a", "1")];
    vec![
        case(
            "a spread by label keys counts the own revision",
            &nodes,
            &full,
            asks(json!({ "matchLabelKeys": ["rev"] }), json!({})),
            &["x1", "x2"],
        ),
        case(
            "a spread without label keys counts all revisions",
            &nodes,
            &full,
            asks(json!({}), json!({})),
            &["y1"],
        ),
        case(
            "a pod that is terminating does not count in a spread",
            &zones(&["x1", "y1"]),
            &[leaving],
            asks(json!({}), json!({})),
            &["x1", "y1"],
        ),
        case(
            "a spread whose selector does not select the pod itself",
            &zones(&["x1", "y1"]),
            &one,
            asks(json!({ "labelSelector": { "matchLabels": { "rev": "1" } } }), json!({})),
            &["x1", "y1"],
        ),
        case(
            "a spread whose selector is empty counts nobody",
            &nodes,
            &full,
            asks(json!({ "labelSelector": {} }), json!({})),
            &["x1", "x2", "y1"],
        ),
        case(
            "a spread without a selector counts nobody",
            &nodes,
            &full,
            asks(json!({ "labelSelector": null }), json!({})),
            &["x1", "x2", "y1"],
        ),
        case(
            "pods on nodes that the node selector leaves out do not count in a spread",
            &pool,
            &outside,
            asks(json!({}), json!({ "nodeSelector": { "pool": "p" } })),
            &["x1"],
        ),
    ]
}

fn domains() -> Vec<Case> {
    let nodes = zones(&["x1", "x2", "y1"]);
    let mut tainted = zones(&["x1", "y1"]);
    tainted[1]["spec"] = json!({ "taints": [{ "key": "team", "effect": "NoSchedule" }] });
    let mut bare = zones(&["x1", "y1"]);
    bare[0]["metadata"]["labels"]["rack"] = json!("r1");
    let over_both = [over("zone", json!({})), over("rack", json!({}))];
    let one = [web("x1", "a", "1")];
    vec![
        case("a tainted zone counts in a spread", &tainted, &one, asks(json!({}), json!({})), &[]),
        case(
            "a spread that honours taints leaves a tainted zone out",
            &tainted,
            &one,
            asks(json!({ "nodeTaintsPolicy": "Honor" }), json!({})),
            &["x1"],
        ),
        case(
            "a spread leaves out what the node selector leaves out",
            &nodes,
            &one,
            asks(json!({}), json!({ "nodeSelector": { "zone": "x" } })),
            &["x1", "x2"],
        ),
        case(
            "a spread may count what the node selector leaves out",
            &nodes,
            &one,
            asks(
                json!({ "nodeAffinityPolicy": "Ignore" }),
                json!({ "nodeSelector": { "zone": "x" } }),
            ),
            &[],
        ),
        case(
            "a spread over more domains than there are takes none for empty",
            &nodes,
            &one,
            asks(json!({ "minDomains": 3 }), json!({})),
            &["y1"],
        ),
        case(
            "a zone without a node that has all keys is no domain",
            &bare,
            &one,
            pod(json!({ "app": "web" }), json!({ "topologySpreadConstraints": over_both })),
            &["x1"],
        ),
    ]
}
