//! The ear at kube-scheduler: an extender that is told which nodes passed all filters, and
//! agrees.

use crate::case::text;
use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The node that is there for the bench's own pods, and is no part of any case.
pub(crate) const MARKER: &str = "marker";

/// Nodes that passed, by the uid of the pod.
type Heard = Arc<Mutex<BTreeMap<String, BTreeSet<String>>>>;

/// A running extender.
pub(crate) struct Extender {
    port: u16,
    heard: Heard,
    task: JoinHandle<()>,
}

impl Extender {
    /// Listens on a free port.
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let heard = Heard::default();
        let router = Router::new().route("/filter", post(filter)).with_state(heard.clone());
        let task = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("a loopback listener goes on");
        });
        Self { port, heard, task }
    }

    /// What kube-scheduler's configuration says about it.
    pub(crate) fn config(&self) -> String {
        let port = self.port;
        format!(
            "extenders: [{{ urlPrefix: 'http://127.0.0.1:{port}', filterVerb: filter, \
             nodeCacheCapable: true, httpTimeout: 30s }}]\n"
        )
    }

    /// Nodes that passed all filters for the pod of this uid; none if it was never asked, since
    /// nobody asks about no node.
    pub(crate) fn heard(&self, uid: &str) -> BTreeSet<String> {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.get(uid).cloned().unwrap_or_default()
    }
}

impl Drop for Extender {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Takes down which nodes passed. Pods of cases never get the marker, which some tolerate.
async fn filter(State(heard): State<Heard>, Json(asked): Json<Value>) -> Json<Value> {
    let pod = &asked["Pod"];
    let is_of_bench = text(pod, "/metadata/namespace") == MARKER;
    let names = asked["NodeNames"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let names: BTreeSet<String> =
        names.filter(|name| is_of_bench || *name != MARKER).map(str::to_owned).collect();
    let uid = text(pod, "/metadata/uid").to_owned();
    heard.lock().unwrap_or_else(PoisonError::into_inner).insert(uid, names.clone());
    Json(json!({ "NodeNames": names, "FailedNodes": {}, "Error": "" }))
}
