//! Who watches pods independently of all schedulers, on a thread and a connection of its own.
//!
//! Invariants: times are of the monotonic clock, taken when the bytes came; of a pod only its
//! name, its node, its phase and whether it shall go are decoded, so that looking costs next to nothing.

use crate::wire::{Wire, failed};
use e2e::Fault;
use http_body_util::BodyExt;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;

/// Pause between two looks at the counts.
const LOOK: Duration = Duration::from_millis(2);

/// What was seen of one pod.
#[derive(Clone, Debug)]
pub struct Sight {
    /// When the pod was seen first.
    pub created: Instant,
    /// Its node, and when that was seen first.
    pub bound: Option<(String, Instant)>,
    /// It was made with its node.
    pub came_bound: bool,
    /// It was seen to be asked to go before its end.
    pub leaves: bool,
    /// When its containers were seen to have ended.
    pub ended: Option<Instant>,
    /// When it was seen to be gone.
    pub gone: Option<Instant>,
    /// Others than that node that were seen afterwards: there must be none.
    pub moved: Vec<String>,
}

impl Sight {
    /// A pod that was seen first just now, and waits.
    #[must_use]
    pub const fn of(created: Instant) -> Self {
        Self {
            created,
            bound: None,
            came_bound: false,
            leaves: false,
            ended: None,
            gone: None,
            moved: Vec::new(),
        }
    }
}

/// A step in the life of a piece of work, for whoever follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It has got its room.
    Started(String, Instant),
    /// It was asked to go, which the kubelet must carry out.
    Leaves(String),
    /// It came to its end.
    Ended(String, Instant),
    /// It lost its room before its end.
    Lost(String, Instant),
}

#[derive(Debug, Default)]
struct Shared {
    sights: Mutex<BTreeMap<String, Sight>>,
    created: AtomicUsize,
    bound: AtomicUsize,
    stops: AtomicBool,
    follower: Option<UnboundedSender<Seen>>,
    broken: Mutex<Option<String>>,
}

/// Watches until it is dropped.
#[derive(Debug)]
pub struct Observer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Observer {
    /// Begins to watch the pods of a namespace.
    pub fn start(kubeconfig: &Path, namespace: &str) -> Result<Self, Fault> {
        Self::start_with(kubeconfig, namespace, None)
    }

    /// The same, telling each step of a pod to a follower.
    pub fn start_with(
        kubeconfig: &Path,
        namespace: &str,
        follower: Option<UnboundedSender<Seen>>,
    ) -> Result<Self, Fault> {
        let shared = Arc::new(Shared { follower, ..Shared::default() });
        let (own, kubeconfig) = (Arc::clone(&shared), kubeconfig.to_owned());
        let path = format!("/api/v1/namespaces/{namespace}/pods");
        let thread = std::thread::Builder::new().name("observer".to_owned());
        let thread = thread.spawn(move || observe(&own, kubeconfig, &path));
        let thread = thread.map_err(|error| failed("starting the observer", error))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Pods seen so far.
    #[must_use]
    pub fn created(&self) -> usize {
        self.shared.created.load(Ordering::Relaxed)
    }

    /// Pods seen on a node so far.
    #[must_use]
    pub fn bound(&self) -> usize {
        self.shared.bound.load(Ordering::Relaxed)
    }

    /// All that was seen, by name.
    #[must_use]
    pub fn sights(&self) -> BTreeMap<String, Sight> {
        locked(&self.shared.sights).clone()
    }

    /// Waits until so many pods were seen.
    pub async fn until_created(&self, pods: usize, patience: Duration) -> Result<(), Fault> {
        self.until("seen", pods, patience, Self::created).await
    }

    /// Waits until so many pods are bound. `patience` is how long no bind may be seen at all.
    pub async fn until_bound(&self, pods: usize, patience: Duration) -> Result<(), Fault> {
        self.until("bound", pods, patience, Self::bound).await
    }

    async fn until(
        &self,
        what: &str,
        wanted: usize,
        patience: Duration,
        count: impl Fn(&Self) -> usize,
    ) -> Result<(), Fault> {
        let (mut last, mut since) = (count(self), Instant::now());
        while last < wanted {
            if let Some(why) = locked(&self.shared.broken).as_ref() {
                return Err(failed("the observer", why));
            }
            if since.elapsed() > patience {
                return Err(Fault::new(format!(
                    "{last} of {wanted} pods are {what}, and no more for {patience:?}"
                )));
            }
            tokio::time::sleep(LOOK).await;
            let now = count(self);
            if now != last {
                (last, since) = (now, Instant::now());
            }
        }
        Ok(())
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        self.shared.stops.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn observe(shared: &Shared, kubeconfig: PathBuf, path: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let followed = match runtime {
        Ok(runtime) => runtime.block_on(follow(shared, &kubeconfig, path)),
        Err(error) => Err(failed("making a runtime", error)),
    };
    if let Err(fault) = followed {
        *locked(&shared.broken) = Some(fault.to_string());
    }
}

#[derive(Deserialize)]
struct List<'a> {
    metadata: ListMeta,
    #[serde(default, borrow)]
    items: Vec<Pod<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListMeta {
    resource_version: String,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    object: Pod<'a>,
}

#[derive(Deserialize)]
struct Pod<'a> {
    #[serde(borrow)]
    metadata: Meta<'a>,
    #[serde(default, borrow)]
    spec: Spec<'a>,
    #[serde(default, borrow)]
    status: Status<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta<'a> {
    #[serde(default, borrow)]
    name: Cow<'a, str>,
    #[serde(default, borrow)]
    resource_version: Cow<'a, str>,
    #[serde(default, borrow)]
    deletion_timestamp: Option<Cow<'a, str>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Spec<'a> {
    #[serde(borrow)]
    node_name: Cow<'a, str>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status<'a> {
    #[serde(borrow)]
    phase: Cow<'a, str>,
}

async fn follow(shared: &Shared, kubeconfig: &Path, path: &str) -> Result<(), Fault> {
    let wire = Wire::open(kubeconfig).await?;
    let bytes = wire.bytes(path).await?;
    let now = Instant::now();
    let list: List<'_> = serde_json::from_slice(&bytes).map_err(|error| failed(path, error))?;
    list.items.iter().for_each(|pod| note(shared, pod, now));
    let mut version = list.metadata.resource_version.clone();
    while !shared.stops.load(Ordering::Relaxed) {
        // The API server ends a watch that it finds too slow; what it missed comes with the next.
        version = watch(shared, &wire, path, version).await?;
    }
    Ok(())
}

/// Watches from a version until the watch ends; gives the version to go on from.
async fn watch(
    shared: &Shared,
    wire: &Wire,
    path: &str,
    mut version: String,
) -> Result<String, Fault> {
    let target = format!("{path}?watch=1&resourceVersion={version}&timeoutSeconds=86400");
    let mut body = wire.start(&target).await?.into_body();
    let mut rest: Vec<u8> = Vec::new();
    while !shared.stops.load(Ordering::Relaxed) {
        // A silent watch must not keep the end waiting.
        let frame = tokio::time::timeout(Duration::from_millis(50), body.frame()).await;
        let Ok(frame) = frame else { continue };
        let now = Instant::now();
        let Some(frame) = frame else { break };
        let frame = frame.map_err(|error| failed("its watch", error))?;
        let Some(bytes) = frame.data_ref() else { continue };
        rest.extend_from_slice(bytes);
        let end = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        for line in rest[..end].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let line: Line<'_> =
                serde_json::from_slice(line).map_err(|error| failed("a line", error))?;
            line.object.metadata.resource_version.as_ref().clone_into(&mut version);
            match &*line.kind {
                "ADDED" | "MODIFIED" => note(shared, &line.object, now),
                "DELETED" => {
                    // Its end may be seen here only.
                    note(shared, &line.object, now);
                    let name = &*line.object.metadata.name;
                    let mut sights = locked(&shared.sights);
                    if let Some(sight) = sights.get_mut(name) {
                        sight.gone = Some(now);
                        if sight.ended.is_none() {
                            tell(shared, Seen::Lost(name.to_owned(), now));
                        }
                    }
                }
                other => return Err(Fault::new(format!("a line of type {other}"))),
            }
        }
        rest.drain(..end);
    }
    Ok(version)
}

fn note(shared: &Shared, pod: &Pod<'_>, now: Instant) {
    let (name, node) = (&*pod.metadata.name, &*pod.spec.node_name);
    let mut sights = locked(&shared.sights);
    if !sights.contains_key(name) {
        let came_bound = !node.is_empty();
        let sight = Sight { came_bound, ..Sight::of(now) };
        sights.insert(name.to_owned(), sight);
        shared.created.fetch_add(1, Ordering::Relaxed);
    }
    let sight = sights.get_mut(name).expect("it is there now");
    match &sight.bound {
        _ if node.is_empty() => {}
        None => {
            sight.bound = Some((node.to_owned(), now));
            shared.bound.fetch_add(1, Ordering::Relaxed);
            tell(shared, Seen::Started(name.to_owned(), now));
        }
        Some((first, _)) if first != node => sight.moved.push(node.to_owned()),
        Some(_) => {}
    }
    if sight.ended.is_none() && ["Succeeded", "Failed"].contains(&&*pod.status.phase) {
        sight.ended = Some(now);
        tell(shared, Seen::Ended(name.to_owned(), now));
    }
    let is_asked = pod.metadata.deletion_timestamp.is_some();
    if is_asked && sight.ended.is_none() && !sight.leaves {
        sight.leaves = true;
        tell(shared, Seen::Leaves(name.to_owned()));
    }
}

/// A follower that has gone has seen enough.
fn tell(shared: &Shared, seen: Seen) {
    if let Some(follower) = &shared.follower {
        let _ = follower.send(seen);
    }
}
