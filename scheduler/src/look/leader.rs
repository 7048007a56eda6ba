//! Asking the scheduler that leads, through the API server or at an address.
//!
//! Invariant: a standby's answer is never taken: it names the leader, and that one is asked.

use super::Answer;
use scheduler_kube::look::{Cluster, Refusal, get_plain};
use serde_json::Value;

/// A Service leads to any replica: so often one is asked before its hint is followed.
const TRIES: usize = 3;

/// Where the leader is asked.
#[derive(Debug)]
pub(super) enum Leader {
    /// At an address.
    At(String),
    /// Through the API server's proxy.
    Through { cluster: Cluster, namespace: String, service: String, port: String },
}

/// Why the leader said nothing.
#[derive(Debug)]
pub(super) struct Silence {
    pub(super) words: String,
    /// It may not be asked.
    pub(super) is_forbidden: bool,
}

impl Silence {
    fn of(refusal: &Refusal, words: String) -> Self {
        Self { words, is_forbidden: matches!(refusal, Refusal::Status(403, _)) }
    }
}

impl Leader {
    pub(super) fn at(url: &str) -> Self {
        Self::At(url.trim_end_matches('/').to_owned())
    }

    /// `service` is `namespace/name:port`.
    pub(super) fn through(cluster: Cluster, service: &str) -> Answer<Self> {
        let parts = service.split_once('/').and_then(|(namespace, rest)| {
            let (name, port) = rest.split_once(':')?;
            Some((namespace.to_owned(), name.to_owned(), port.to_owned()))
        });
        let (namespace, service, port) = parts.ok_or_else(|| {
            format!("{service:?} is no Service (write --admin-service namespace/name:port)")
        })?;
        Ok(Self::Through { cluster, namespace, service, port })
    }

    /// The text at a path of the leader's admin server.
    pub(super) async fn text(&self, path: &str) -> Answer<String> {
        self.ask(path).await.map_err(|silence| silence.words)
    }

    /// The same; who may not ask is told apart.
    pub(super) async fn ask(&self, path: &str) -> Result<String, Silence> {
        let said = |refusal: &Refusal| Silence::of(refusal, said(refusal));
        let hint = |refusal: &Refusal, path: &str| Silence::of(refusal, hint(refusal, path));
        match self {
            Self::At(url) => {
                get_plain(&format!("{url}{path}")).await.map_err(|refusal| said(&refusal))
            }
            Self::Through { cluster, namespace, service, port } => {
                let base = format!("/api/v1/namespaces/{namespace}");
                let any = format!("{base}/services/{service}:{port}/proxy{path}");
                let mut last = None;
                for _ in 0..TRIES {
                    match cluster.get(&any).await {
                        Ok(text) => return Ok(text),
                        Err(refusal) if is_standby(&refusal) => last = Some(refusal),
                        Err(refusal) => return Err(hint(&refusal, &any)),
                    }
                }
                let refusal = last.expect("it was tried at least once");
                let Some(pod) = leader_pod(&refusal) else { return Err(said(&refusal)) };
                // A pod's ports have no names here.
                let port = if port.parse::<u16>().is_ok() { port } else { "9090" };
                let direct = format!("{base}/pods/{pod}:{port}/proxy{path}");
                cluster.get(&direct).await.map_err(|refusal| hint(&refusal, &direct))
            }
        }
    }

    /// The same as JSON.
    pub(super) async fn value(&self, path: &str) -> Answer<Value> {
        parse(&self.text(path).await?)
    }
}

pub(super) fn parse(text: &str) -> Answer<Value> {
    serde_json::from_str(text)
        .map_err(|error| format!("the answer of the leader is no JSON: {error}"))
}

fn is_standby(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Status(503, body) if body.contains("standby"))
}

/// The pod that leads, as a standby named it: what holds the lease begins with its name.
fn leader_pod(refusal: &Refusal) -> Option<String> {
    let Refusal::Status(_, body) = refusal else { return None };
    let value: Value = serde_json::from_str(body).ok()?;
    let holder = value["leader"].as_str().filter(|holder| !holder.is_empty())?;
    holder.split('_').next().map(str::to_owned)
}

fn said(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Status(503, _) => {
            let leader = leader_pod(refusal).map(|pod| format!("; {pod} leads, ask it"));
            format!("{refusal}{}", leader.unwrap_or_default())
        }
        other => other.to_string(),
    }
}

fn hint(refusal: &Refusal, path: &str) -> String {
    match refusal {
        Refusal::Status(403, _) => {
            format!("{refusal}; it needs the right to get {path}, or see --admin-url")
        }
        Refusal::Status(404, _) if path.contains("/services/") => {
            format!(
                "{refusal} (is muster installed elsewhere? name its Service with --admin-service)"
            )
        }
        other => said(other),
    }
}
