//! What muster says: `muster simulate` on the objects of a case.

use crate::case::{names, of_kind, text};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Nodes that may take `pod`, each asked about while all others are full; and why the others
/// may not.
pub(crate) fn accepting(objects: &[Value], pod: &Value) -> (BTreeSet<String>, Vec<String>) {
    let mut accepting = BTreeSet::new();
    let mut said = Vec::new();
    for node in names(objects, "Node") {
        let mut objects: Vec<Value> = objects.to_vec();
        let counts = counts(&objects);
        for other in objects.iter_mut().filter(|it| it["kind"] == "Node") {
            let name = text(other, "/metadata/name");
            if name != node {
                let full = counts.get(name).copied().unwrap_or_default().to_string();
                other["status"]["allocatable"]["pods"] = json!(full);
            }
        }
        objects.push(pod.clone());
        let played = play(&objects);
        let name = text(pod, "/metadata/name");
        match played.at_once(text(pod, "/metadata/namespace"), name) {
            Ok(found) => {
                assert_eq!(found, node, "{name} is on a node that is full");
                accepting.insert(found);
            }
            Err(why) => said.push(format!("{node}: {why}")),
        }
    }
    (accepting, said)
}

/// Unfinished pods by node.
fn counts(objects: &[Value]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for pod in of_kind(objects, "Pod") {
        if !matches!(text(pod, "/status/phase"), "Succeeded" | "Failed") {
            *counts.entry(text(pod, "/spec/nodeName").to_owned()).or_default() += 1;
        }
    }
    counts
}

/// What a simulation printed.
pub(crate) struct Played(Value);

impl Played {
    /// The node that a lone pod got before anything else happened, or why it got none.
    pub(crate) fn at_once(&self, namespace: &str, pod: &str) -> Result<String, String> {
        let gangs = self.0["gangs"].as_array().into_iter().flatten();
        let is_it = |gang: &&Value| gang["name"] == pod && gang["namespace"] == namespace;
        let gang = gangs.into_iter().find(is_it).expect("simulate knows each pod of its input");
        let node = text(gang, "/members/0/node");
        if node.is_empty() {
            return Err(text(gang, "/explanation/sentence").to_owned());
        }
        match gang["startMs"].as_i64() {
            Some(0) => Ok(node.to_owned()),
            other => Err(format!("it got {node} after {other:?} ms")),
        }
    }
}

/// Simulates `objects`.
pub(crate) fn play(objects: &[Value]) -> Played {
    let file = tempfile::Builder::new().suffix(".json").tempfile().expect("a file can be made");
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": objects });
    std::fs::write(file.path(), list.to_string()).expect("it can be written");
    let binary = e2e::muster_binary().expect("muster builds");
    let mut muster = Command::new(binary);
    muster.args(["simulate", "--output=json"]).arg(file.path());
    let output = muster.output().expect("muster runs");
    let played: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("muster simulate: {error}: {}", String::from_utf8_lossy(&output.stderr))
    });
    Played(played)
}
