//! Who watches the pods of one namespace, independently of muster, and keeps the time.

use crate::LONG;
use crate::burst::Burst;
use e2e::{ControlPlane, eventually};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// What became of pods.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// The node of each bound pod, and when that was seen.
    pub(crate) bound: BTreeMap<String, (String, Instant)>,
    /// What must never happen to a pod.
    pub(crate) faults: Vec<String>,
}

/// Watches until it is dropped.
#[derive(Debug)]
pub(crate) struct Observer {
    seen: Arc<Mutex<Seen>>,
    task: JoinHandle<()>,
}

impl Observer {
    pub(crate) fn new(plane: &ControlPlane, burst: &Burst) -> Self {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let path = format!("/api/v1/namespaces/{}/pods", burst.namespace);
        let task = tokio::spawn(follow(plane.client(), path, Arc::clone(&seen)));
        Self { seen, task }
    }

    pub(crate) fn seen(&self) -> Seen {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).bound.len()
    }

    /// When the first bind after `start` was seen.
    pub(crate) fn first_after(&self, start: Instant) -> Option<Instant> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.bound.values().map(|(_, at)| *at).filter(|at| *at > start).min()
    }

    /// Waits until so many pods are bound.
    pub(crate) async fn until_bound(&self, pods: usize) {
        eventually(LONG, "pods to be bound", async || {
            let count = self.count();
            if count >= pods { Ok(()) } else { Err(format!("{count} of {pods}")) }
        })
        .await;
    }

    /// The same, with a look every millisecond: for those who want to strike in between.
    pub(crate) async fn when_bound(&self, pods: usize) {
        let start = Instant::now();
        while self.count() < pods {
            assert!(start.elapsed() < LONG, "{} of {pods} are bound", self.count());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[derive(Deserialize)]
struct List {
    metadata: Meta,
    items: Vec<Pod>,
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    object: serde_json::Value,
}

#[derive(Deserialize)]
struct Pod {
    metadata: Meta,
    #[serde(default)]
    spec: Spec,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Meta {
    name: String,
    resource_version: String,
    deletion_timestamp: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Spec {
    node_name: String,
}

/// Lists and watches again and again, as long as anybody wants to know.
async fn follow(client: Client, path: String, seen: Arc<Mutex<Seen>>) {
    loop {
        // Whatever breaks off is begun anew; a fault of the test shows as pods that are missing.
        let _ = watch(&client, &path, &seen).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn watch(client: &Client, path: &str, seen: &Mutex<Seen>) -> Option<()> {
    let request = http::Request::get(path).body(Vec::new()).ok()?;
    let list: List = client.request(request).await.ok()?;
    list.items.iter().for_each(|pod| note(seen, pod, false));
    let path = format!("{path}?watch=1&resourceVersion={}", list.metadata.resource_version);
    let request = http::Request::get(path).body(Body::empty()).ok()?;
    let mut body = client.send(request).await.ok()?.into_body();
    let mut rest = Vec::new();
    loop {
        let frame = body.frame().await?.ok()?;
        rest.extend_from_slice(frame.data_ref()?);
        let end = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        for line in rest[..end].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let event: Event = serde_json::from_slice(line).ok()?;
            let pod: Pod = serde_json::from_value(event.object).ok()?;
            note(seen, &pod, event.kind == "DELETED");
        }
        rest.drain(..end);
    }
}

fn note(seen: &Mutex<Seen>, pod: &Pod, is_gone: bool) {
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    let Pod { metadata: Meta { name, deletion_timestamp, .. }, spec } = pod;
    if is_gone || deletion_timestamp.is_some() {
        seen.faults.push(format!("{name} is deleted"));
    }
    let before = seen.bound.get(name).map(|(node, _)| node.clone());
    match before {
        Some(node) if node != spec.node_name => {
            let now = &spec.node_name;
            seen.faults.push(format!("{name} was on {node} and is on {now}"));
        }
        Some(_) => {}
        None if spec.node_name.is_empty() => {}
        None => {
            seen.bound.insert(name.clone(), (spec.node_name.clone(), Instant::now()));
        }
    }
}
