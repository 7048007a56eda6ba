//! Pods that want to be near each other, or not.

use super::{case, near, on, pod, zones};
use crate::case::Case;
use serde_json::json;

/// Affinity and its opposite, by label keys and over namespaces.
pub(super) fn cases() -> Vec<Case> {
    label_keys().into_iter().chain(affinity()).chain(lonely()).collect()
}

fn label_keys() -> Vec<Case> {
    let nodes = zones(&["x1", "y1", "z1"]);
    let old = [
        on("x1", "first", json!({ "app": "web", "rev": "1" }), json!({})),
        on("y1", "second", json!({ "app": "web", "rev": "2" }), json!({})),
    ];
    let asks = |side: &str, keys: &str| {
        let spec = near(side, "zone", "web", json!({ keys: ["rev"] }));
        pod(json!({ "app": "web", "rev": "2" }), spec)
    };
    vec![
        case(
            "affinity by label keys is to pods of the own revision",
            &nodes,
            &old,
            asks("podAffinity", "matchLabelKeys"),
            &["y1"],
        ),
        case(
            "anti-affinity by label keys is to pods of the own revision",
            &nodes,
            &old,
            asks("podAntiAffinity", "matchLabelKeys"),
            &["x1", "z1"],
        ),
        case(
            "affinity by mismatched label keys is to pods of other revisions",
            &nodes,
            &old,
            asks("podAffinity", "mismatchLabelKeys"),
            &["x1"],
        ),
        case(
            "anti-affinity by mismatched label keys is to pods of other revisions",
            &nodes,
            &old,
            asks("podAntiAffinity", "mismatchLabelKeys"),
            &["y1", "z1"],
        ),
    ]
}

fn affinity() -> Vec<Case> {
    let nodes = zones(&["x1", "x2", "y1"]);
    let web = json!({ "app": "web" });
    let everywhere = json!({ "namespaceSelector": {} });
    let mut afar = on("x1", "afar", web.clone(), json!({}));
    afar["metadata"]["namespace"] = json!("elsewhere");
    let mut hermit =
        on("x1", "hermit", json!({}), near("podAntiAffinity", "zone", "web", everywhere.clone()));
    hermit["metadata"]["namespace"] = json!("elsewhere");
    let mut leaving = on("x1", "leaving", web.clone(), json!({}));
    leaving["metadata"]["deletionTimestamp"] = json!("2100-01-01T00:00:00Z");
    vec![
        case(
            "the first of its kind may go anywhere",
            &nodes,
            &[],
            pod(web.clone(), near("podAffinity", "zone", "web", json!({}))),
            &["x1", "x2", "y1"],
        ),
        case(
            "the second of its kind goes where the first is",
            &nodes,
            &[on("x1", "first", web.clone(), json!({}))],
            pod(web.clone(), near("podAffinity", "zone", "web", json!({}))),
            &["x1", "x2"],
        ),
        case(
            "a partner in another namespace is found by an empty namespace selector",
            &nodes,
            std::slice::from_ref(&afar),
            pod(json!({}), near("podAffinity", "zone", "web", everywhere.clone())),
            &["x1", "x2"],
        ),
        case(
            "a partner in another namespace is not found without one",
            &nodes,
            &[afar],
            pod(json!({}), near("podAffinity", "zone", "web", json!({}))),
            &[],
        ),
        case(
            "a pod of another namespace keeps its whole zone free",
            &nodes,
            &[hermit],
            pod(web.clone(), json!({})),
            &["y1"],
        ),
        case(
            "a pod that is terminating still keeps others away",
            &nodes,
            &[leaving],
            pod(json!({}), near("podAntiAffinity", "zone", "web", json!({}))),
            &["y1"],
        ),
    ]
}

/// Nobody is there to be near to, or no domain to be near in.
fn lonely() -> Vec<Case> {
    let web = json!({ "app": "web" });
    let mut nodes = zones(&["x1", "y1"]);
    nodes[1]["metadata"]["labels"] = json!({ "kubernetes.io/hostname": "y1" });
    let mut two = near("podAffinity", "zone", "web", json!({}));
    let terms = "/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution";
    let terms = two.pointer_mut(terms).and_then(|it| it.as_array_mut());
    let other =
        json!({ "topologyKey": "zone", "labelSelector": { "matchLabels": { "tier": "a" } } });
    terms.expect("there is a list of terms").push(other);
    let old = [on("y1", "old", web.clone(), json!({}))];
    vec![
        case(
            "the first of its kind needs a domain",
            &nodes,
            &[],
            pod(web.clone(), near("podAffinity", "zone", "web", json!({}))),
            &["x1"],
        ),
        case(
            "a pod that only one of its terms means is no first of its kind",
            &nodes,
            &[],
            pod(web.clone(), two),
            &[],
        ),
        case(
            "a pod in no domain keeps nobody away",
            &nodes,
            &old,
            pod(json!({}), near("podAntiAffinity", "zone", "web", json!({}))),
            &["x1", "y1"],
        ),
        case(
            "a pod in no domain is nobody's partner and leaves the first its place",
            &nodes,
            &old,
            pod(web, near("podAffinity", "zone", "web", json!({}))),
            &["x1"],
        ),
    ]
}
