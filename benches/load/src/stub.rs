//! An API server that only tells: nodes and pods as real clusters have them, kept ready in
//! memory, and watches that then say nothing. It takes binds, and remembers when the first came.
//!
//! It shows what reading a large cluster costs a scheduler, without an API server that has to
//! keep 1 GB of pods on the same two cores.

use crate::wire::failed;
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use benches::noisy;
use bytes::Bytes;
use e2e::Fault;
use http::{Method, StatusCode, Uri};
use http_body::Frame;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Instant;

/// Bytes that are sent at once.
const CHUNK: usize = 1 << 20;
/// Bytes of a recorded pod, as JSON.
const BYTES: usize = 10_000;
/// Bytes of one of the settings that fill it up.
const SETTING_BYTES: usize = 99;
/// Members of the gang that waits.
const WAITING: usize = noisy::GANG;
/// Ends a list that is told as a watch.
const END: &str = r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1000000000","annotations":{"k8s.io/initial-events-end":"true"}}}}
"#;

/// What is told of each kind, by the path of its collection.
#[derive(Clone, Debug)]
pub struct Recording(BTreeMap<&'static str, Arc<Vec<Bytes>>>);

impl Recording {
    /// So many nodes, so many pods that run on them, and one gang that waits.
    #[must_use]
    pub fn of(nodes: usize, pods: usize) -> Self {
        let running = (0..pods).map(|index| large(noisy::pod(index, Some(index % nodes), 0)));
        let waiting = (0..WAITING).map(|index| noisy::pod(pods + index, None, 0));
        let kinds = [
            ("/api/v1/nodes", chunks((0..nodes).map(noisy::node))),
            ("/api/v1/pods", chunks(running.chain(waiting))),
            ("/apis/muster.sh/v1alpha1/podgroups", chunks([noisy::group(0)].into_iter())),
        ];
        Self(kinds.map(|(path, chunks)| (path, Arc::new(chunks))).into_iter().collect())
    }

    /// Size of all of it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.values().flat_map(|chunks| chunks.iter()).map(Bytes::len).sum()
    }
}

/// The pod with as many settings as bring it to the 10 KB that training pods have.
fn large(mut pod: Value) -> Value {
    let missing = BYTES.saturating_sub(pod.to_string().len());
    let settings = (0..missing / SETTING_BYTES).map(|number| {
        let name = format!("NCCL_SETTING_OF_THE_CLUSTER_{number:03}");
        json!({ "name": name, "value": "a value as long as those of real settings are" })
    });
    if let Some(env) = pod["spec"]["containers"][0]["env"].as_array_mut() {
        env.extend(settings);
    }
    pod
}

/// Objects as lines of a watch, many lines in a piece.
fn chunks(objects: impl Iterator<Item = Value>) -> Vec<Bytes> {
    let mut chunks = Vec::new();
    let mut chunk = Vec::with_capacity(CHUNK);
    for object in objects {
        chunk.extend_from_slice(br#"{"type":"ADDED","object":"#);
        serde_json::to_writer(&mut chunk, &object).expect("memory takes JSON");
        chunk.extend_from_slice(b"}\n");
        if chunk.len() >= CHUNK {
            chunks.push(std::mem::take(&mut chunk).into());
        }
    }
    chunks.push(chunk.into());
    chunks
}

/// The server. It ends with the runtime that it was started in.
#[derive(Debug)]
pub struct Stub {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    recording: Recording,
    bound: OnceLock<Instant>,
}

impl Stub {
    /// Serves a recording on a free port.
    pub async fn start(recording: Recording) -> Result<Self, Fault> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.map_err(|error| failed("listening", error))?;
        let address = listener.local_addr().map_err(|error| failed("listening", error))?;
        let shared = Arc::new(Shared { recording, bound: OnceLock::new() });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { address, shared })
    }

    /// When the first bind came.
    #[must_use]
    pub fn bound(&self) -> Option<Instant> {
        self.shared.bound.get().copied()
    }

    /// Writes a kubeconfig that leads here.
    pub fn write_kubeconfig(&self, path: &Path) -> Result<(), Fault> {
        let text = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: stub\n\
             clusters: [{{ name: stub, cluster: {{ server: 'http://{}' }} }}]\n\
             contexts: [{{ name: stub, context: {{ cluster: stub, user: stub }} }}]\n\
             users: [{{ name: stub, user: {{}} }}]\n",
            self.address
        );
        std::fs::write(path, text).map_err(|error| failed("writing a kubeconfig", error))
    }
}

async fn answer(State(shared): State<Arc<Shared>>, method: Method, uri: Uri) -> Response {
    let (path, query) = (uri.path(), uri.query().unwrap_or_default());
    if method != Method::GET {
        if path.ends_with("/binding") {
            shared.bound.get_or_init(Instant::now);
        }
        return json(StatusCode::CREATED, &json!({ "kind": "Status", "status": "Success" }));
    }
    match path {
        "/api" => json(StatusCode::OK, &discovery(&[("", "v1", &["namespaces", "nodes", "pods"])])),
        "/apis" => json(StatusCode::OK, &discovery(&[("muster.sh", "v1alpha1", &["podgroups"])])),
        _ if query.contains("sendInitialEvents=true") => {
            // Pods of other schedulers: there are none.
            let is_none = query.contains("schedulerName%21%3D");
            let chunks = shared.recording.0.get(path).filter(|_| !is_none);
            reel(chunks.cloned().unwrap_or_default())
        }
        _ if query.contains("limit=") => {
            // Everything comes as a stream.
            let metadata = json!({ "resourceVersion": "1", "continue": "more" });
            json(StatusCode::OK, &json!({ "metadata": metadata, "items": [] }))
        }
        _ => json(StatusCode::NOT_FOUND, &json!({ "kind": "Status", "code": 404 })),
    }
}

fn json(status: StatusCode, value: &Value) -> Response {
    let response = Response::builder().status(status).header("content-type", "application/json");
    response.body(Body::from(value.to_string())).expect("it is a response")
}

fn reel(chunks: Arc<Vec<Bytes>>) -> Response {
    Response::new(Body::new(Reel { chunks, next: 0 }))
}

/// What `/api` and `/apis` say: kinds by group and version.
fn discovery(groups: &[(&str, &str, &[&str])]) -> Value {
    let group = |(name, version, plurals): &(&str, &str, &[&str])| {
        let resource = |plural: &&str| json!({ "resource": plural, "verbs": ["get", "list", "watch", "create", "patch"] });
        let resources: Vec<Value> = plurals.iter().map(resource).collect();
        json!({ "metadata": { "name": name },
            "versions": [{ "version": version, "freshness": "Current", "resources": resources }] })
    };
    let items: Vec<Value> = groups.iter().map(group).collect();
    json!({ "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2",
        "items": items })
}

/// Everything, the end of the list, and then nothing any more.
struct Reel {
    chunks: Arc<Vec<Bytes>>,
    next: usize,
}

impl http_body::Body for Reel {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let index = self.next;
        self.next += 1;
        if let Some(chunk) = self.chunks.get(index) {
            return Poll::Ready(Some(Ok(Frame::data(chunk.clone()))));
        }
        if index == self.chunks.len() {
            return Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(END.as_bytes())))));
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_pod_is_as_large_as_it_says() {
        let bytes = (Recording::of(1, 200).bytes() - Recording::of(1, 100).bytes()) / 100;
        assert!(bytes.abs_diff(BYTES) < BYTES / 10, "{bytes}");
    }
}
