//! Reading from a cluster for a person at a terminal: whoever kubectl would be, one request,
//! one answer.
//!
//! Invariant: nothing is written, and nothing is tried again.

use http::{Request, StatusCode, Uri};
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Longest wait for one answer; a dump of a large cluster takes a while.
const PATIENCE: Duration = Duration::from_secs(60);

/// Which cluster, in kubectl's words.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Kubeconfig; else `KUBECONFIG`, `~/.kube/config`, or the service account of the pod.
    pub kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig.
    pub context: Option<String>,
}

impl Access {
    /// Address and credentials.
    ///
    /// # Errors
    /// What is wrong with the kubeconfig, and what to do.
    pub async fn config(&self) -> Result<kube::Config, String> {
        let options = KubeConfigOptions { context: self.context.clone(), ..Default::default() };
        if let Some(path) = &self.kubeconfig {
            let shown = path.display();
            let file = Kubeconfig::read_from(path)
                .map_err(|error| format!("{shown}: {error} (name another with --kubeconfig)"))?;
            let config = kube::Config::from_custom_kubeconfig(file, &options).await;
            return config.map_err(|error| format!("{shown}: {error} (mend it, or see --context)"));
        }
        if self.context.is_some() {
            let config = kube::Config::from_kubeconfig(&options).await;
            return config
                .map_err(|error| format!("{error} (name a kubeconfig or another context)"));
        }
        let config = kube::Config::infer().await;
        config.map_err(|error| {
            format!("no cluster is known: {error} (name a kubeconfig with --kubeconfig)")
        })
    }

    /// A cluster to read from.
    ///
    /// # Errors
    /// What is wrong with the kubeconfig, and what to do.
    pub async fn cluster(&self) -> Result<Cluster, String> {
        let mut config = self.config().await?;
        config.default_retry = false;
        let namespace = config.default_namespace.clone();
        let client = kube::Client::try_from(config).map_err(|error| {
            format!("{error} (check certificates and tokens of the kubeconfig)")
        })?;
        Ok(Cluster { client, namespace })
    }
}

/// Why something could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The server said no: status code and body.
    Status(u16, String),
    /// No answer.
    Unreachable(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(why) => f.write_str(why),
            Self::Status(code, body) => {
                let said: Option<serde_json::Value> = serde_json::from_str(body).ok();
                let text = |key: &str| said.as_ref()?.get(key)?.as_str().map(str::to_owned);
                let said = text("message").or_else(|| text("error"));
                let said = said.unwrap_or_else(|| body.trim().chars().take(300).collect());
                write!(f, "{said} (HTTP status {code})")
            }
        }
    }
}

/// A cluster to read from.
#[derive(Clone)]
pub struct Cluster {
    client: kube::Client,
    namespace: String,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("namespace", &self.namespace).finish_non_exhaustive()
    }
}

impl Cluster {
    /// Namespace of the context.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// What the API server says at a path.
    ///
    /// # Errors
    /// If it says no, or nothing.
    pub async fn get(&self, path: &str) -> Result<String, Refusal> {
        let request = Request::get(path).body(Body::empty()).map_err(unreachable)?;
        let whole = async {
            let response = self.client.send(request).await.map_err(unreachable)?;
            let status = response.status();
            let body = response.into_body().collect().await.map_err(unreachable)?;
            text(status, &body.to_bytes())
        };
        tokio::time::timeout(PATIENCE, whole).await.unwrap_or_else(|_| Err(late()))
    }
}

/// What a server without TLS says at an address.
///
/// # Errors
/// If it says no, or nothing.
pub async fn get_plain(url: &str) -> Result<String, Refusal> {
    let uri: Uri = url.parse().map_err(unreachable)?;
    if uri.scheme_str() != Some("http") {
        let why = format!("{url:?} is no address (write it like http://127.0.0.1:9090)");
        return Err(Refusal::Unreachable(why));
    }
    let client = hyper_util::client::legacy::Client::builder(TokioExecutor::new())
        .build::<_, Empty<bytes::Bytes>>(HttpConnector::new());
    let whole = async {
        let response = client.get(uri).await.map_err(unreachable)?;
        let status = response.status();
        let body = response.into_body().collect().await.map_err(unreachable)?;
        text(status, &body.to_bytes())
    };
    let answer = tokio::time::timeout(PATIENCE, whole).await.unwrap_or_else(|_| Err(late()));
    answer.map_err(|refusal| match refusal {
        Refusal::Unreachable(why) => Refusal::Unreachable(format!("{url}: {why}")),
        status => status,
    })
}

fn text(status: StatusCode, body: &[u8]) -> Result<String, Refusal> {
    let text = String::from_utf8_lossy(body).into_owned();
    if status.is_success() { Ok(text) } else { Err(Refusal::Status(status.as_u16(), text)) }
}

fn unreachable(error: impl std::error::Error) -> Refusal {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        words = format!("{words}: {cause}");
        source = cause.source();
    }
    Refusal::Unreachable(words)
}

fn late() -> Refusal {
    Refusal::Unreachable(format!("no answer within {PATIENCE:?}"))
}
