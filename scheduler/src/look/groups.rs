//! What stands on group objects: status and explanation, as the leader wrote them.
//!
//! Needs the right to get (or list) groups in one namespace, nothing else. What comes out has
//! the fields of a gang in `docs/simulate.md`, without members.

use super::Answer;
use scheduler_kube::look::{Cluster, Refusal};
use scheduler_kube::names::EXPLANATION;
use serde_json::{Value, json};

/// Dialects with group objects: name, API path.
const KINDS: [(&str, &str); 4] = [
    ("muster", "/apis/muster.sh/v1alpha1"),
    ("kubernetes", "/apis/scheduling.k8s.io/v1beta1"),
    ("volcano", "/apis/scheduling.volcano.sh/v1beta1"),
    ("coscheduling", "/apis/scheduling.x-k8s.io/v1alpha1"),
];

/// The group of this name, in the first dialect that has one.
pub(super) async fn find(cluster: &Cluster, namespace: &str, name: &str) -> Answer<Option<Value>> {
    let mut denied = None;
    if name.contains('/') {
        return Ok(None);
    }
    for (dialect, api) in KINDS {
        let path = format!("{api}/namespaces/{namespace}/podgroups/{name}");
        match cluster.get(&path).await {
            Ok(text) => return parse(&text).map(|object| Some(gang(&object, dialect))),
            Err(Refusal::Status(404, _)) => {}
            Err(refusal @ Refusal::Status(..)) => denied = Some(refusal.to_string()),
            Err(refusal) => return Err(refusal.to_string()),
        }
    }
    denied.map_or(Ok(None), Err)
}

/// All groups of a namespace, or of all.
pub(super) async fn list(cluster: &Cluster, namespace: Option<&str>) -> Answer<Vec<Value>> {
    let mut found = Vec::new();
    let mut denied = Vec::new();
    for (dialect, api) in KINDS {
        let path = match namespace {
            Some(namespace) => format!("{api}/namespaces/{namespace}/podgroups"),
            None => format!("{api}/podgroups"),
        };
        match cluster.get(&path).await {
            Ok(text) => {
                let list = parse(&text)?;
                let items = list["items"].as_array().into_iter().flatten();
                found.extend(items.map(|object| gang(object, dialect)));
            }
            Err(Refusal::Status(404, _)) => {}
            Err(refusal @ Refusal::Status(..)) => denied.push(refusal.to_string()),
            Err(refusal) => return Err(refusal.to_string()),
        }
    }
    match denied.pop() {
        Some(why) if found.is_empty() => Err(why),
        _ => Ok(found),
    }
}

pub(super) fn parse(text: &str) -> Answer<Value> {
    serde_json::from_str(text).map_err(|error| format!("the API server sent no JSON: {error}"))
}

/// A group object as a gang.
fn gang(object: &Value, dialect: &str) -> Value {
    let (metadata, spec, status) = (&object["metadata"], &object["spec"], &object["status"]);
    let annotated = metadata["annotations"][EXPLANATION].as_str();
    let annotated = annotated.and_then(|text| serde_json::from_str(text).ok());
    let explanation = match &status["explanation"] {
        Value::Null => annotated.unwrap_or(Value::Null),
        own => own.clone(),
    };
    let phase = status["phase"].as_str().unwrap_or_default().to_lowercase();
    let state = match phase.as_str() {
        "" | "pending" | "admitted" | "inqueue" | "scheduling" => "waiting",
        "scheduled" | "running" => "running",
        "completed" | "finished" | "done" => "done",
        "unknown" | "broken" => "broken",
        other => other,
    };
    let first = |values: [&Value; 3]| {
        values.into_iter().find(|value| !value.is_null()).cloned().unwrap_or(Value::Null)
    };
    let min = first([&status["min"], &spec["minAvailable"], &spec["minMember"]]);
    let gang_min = &spec["schedulingPolicy"]["gang"]["minCount"];
    let counts = &status["counts"];
    let mut value = json!({
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "dialect": dialect,
        "queue": first([&spec["queue"], &metadata["labels"]["muster.sh/queue"], &Value::Null]),
        "state": state,
        "min": if min.is_null() { gang_min.clone() } else { min },
        "exist": counts["exist"],
        "placed": first([&counts["placed"], &status["running"], &status["scheduled"]]),
        "succeeded": first([&counts["succeeded"], &status["succeeded"], &Value::Null]),
        "explanation": explanation,
    });
    value.sort_all_objects();
    value
}
