//! What stands on pods of gangs without a group object: the class of what keeps them waiting.
//!
//! The numbers of such a gang are with the leader; who may not ask it gets what the pods say.
//! Needs the right to get pods in one namespace, and to list them for a Job.

use super::Answer;
use super::groups::parse;
use scheduler_kube::look::{Cluster, Refusal};
use serde_json::{Value, json};

/// Where the numbers are, for those who see only pods.
const NEXT_STEP: &str = "the pods say no more; the Role muster-ask lets you ask the leader for \
                         the numbers";

/// The pod of this name, or those of the Job in `job/NAME`, as a gang.
pub(super) async fn find(cluster: &Cluster, namespace: &str, name: &str) -> Answer<Option<Value>> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-./".contains(char);
    if !name.chars().all(is_plain) {
        return Ok(None);
    }
    let pods = format!("/api/v1/namespaces/{namespace}/pods");
    let path = match name.split_once('/') {
        Some(("job", job)) => {
            format!("{pods}?labelSelector=batch.kubernetes.io%2Fjob-name%3D{job}")
        }
        Some(_) => return Ok(None),
        None => format!("{pods}/{name}"),
    };
    let found = match cluster.get(&path).await {
        Ok(text) => parse(&text)?,
        Err(Refusal::Status(404, _)) => return Ok(None),
        Err(refusal) => return Err(refusal.to_string()),
    };
    let members = match name.contains('/') {
        true => found["items"].as_array().cloned().unwrap_or_default(),
        false => vec![found],
    };
    Ok((!members.is_empty()).then(|| gang(namespace, name, &members)))
}

fn gang(namespace: &str, name: &str, members: &[Value]) -> Value {
    let is_over =
        |pod: &Value| matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed"));
    let left: Vec<&Value> = members.iter().filter(|pod| !is_over(pod)).collect();
    let placed = left.iter().filter(|pod| !pod["spec"]["nodeName"].is_null()).count();
    let why = left.iter().find_map(|pod| waits(pod));
    let state = match (left.is_empty(), placed == left.len()) {
        (true, _) => "done",
        (false, true) => "running",
        (false, false) => "waiting",
    };
    json!({
        "namespace": namespace,
        "name": name,
        "dialect": if name.contains('/') { "plain" } else { "pod" },
        "queue": members[0]["metadata"]["labels"]["muster.sh/queue"],
        "state": state,
        "exist": left.len(),
        "placed": placed,
        "explanation": why,
    })
}

/// Why a pod without a node waits, in its own words.
fn waits(pod: &Value) -> Option<Value> {
    if !pod["spec"]["nodeName"].is_null() {
        return None;
    }
    let conditions = pod["status"]["conditions"].as_array()?;
    let one =
        conditions.iter().find(|it| it["type"] == "PodScheduled" && it["status"] == "False")?;
    Some(json!({
        "podReason": one["reason"],
        "sentence": one["message"],
        "sets": [],
        "nextStep": NEXT_STEP,
    }))
}
