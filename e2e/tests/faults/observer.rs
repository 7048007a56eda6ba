//! Who watches the pods of one namespace, independently of muster, and keeps the time.

use crate::LONG;
use crate::burst::Burst;
use e2e::{ControlPlane, eventually};
use futures_util::TryStreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube::api::{Api, ListParams, WatchEvent, WatchParams};
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
        let pods = Api::namespaced(plane.client(), &burst.namespace);
        let task = tokio::spawn(follow(pods, Arc::clone(&seen)));
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

/// Lists and watches again and again, as long as anybody wants to know.
async fn follow(pods: Api<Pod>, seen: Arc<Mutex<Seen>>) {
    loop {
        // Whatever breaks off is begun anew; a fault of the test shows as pods that are missing.
        let _ = watch(&pods, &seen).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn watch(pods: &Api<Pod>, seen: &Mutex<Seen>) -> kube::Result<()> {
    let list = pods.list(&ListParams::default()).await?;
    list.items.iter().for_each(|pod| note(seen, pod, false));
    let version = list.metadata.resource_version.unwrap_or_default();
    let mut changes = Box::pin(pods.watch(&WatchParams::default(), &version).await?);
    while let Some(change) = changes.try_next().await? {
        match change {
            WatchEvent::Added(pod) | WatchEvent::Modified(pod) => note(seen, &pod, false),
            WatchEvent::Deleted(pod) => note(seen, &pod, true),
            WatchEvent::Bookmark(_) => {}
            WatchEvent::Error(_) => break,
        }
    }
    Ok(())
}

fn note(seen: &Mutex<Seen>, pod: &Pod, is_gone: bool) {
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    let name = pod.name_any();
    let is_on = pod.spec.as_ref().and_then(|spec| spec.node_name.clone()).unwrap_or_default();
    if is_gone || pod.metadata.deletion_timestamp.is_some() {
        seen.faults.push(format!("{name} is deleted"));
    }
    let before = seen.bound.get(&name).map(|(node, _)| node.clone());
    match before {
        Some(node) if node != is_on => {
            seen.faults.push(format!("{name} was on {node} and is on {is_on}"));
        }
        Some(_) => {}
        None if is_on.is_empty() => {}
        None => {
            seen.bound.insert(name, (is_on, Instant::now()));
        }
    }
}
