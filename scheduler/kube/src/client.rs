//! Connections to the API server: address, credentials and TLS as a kubeconfig or the pod's
//! service account has them, and nothing that repeats a request.
//!
//! Invariant: whoever sends decides whether and when to send again; kube's own stack would
//! repeat even a bind. A dead peer is noticed by keep-alive probes and by the watches' own
//! timers, not by a time-out on silence.

use bytes::Bytes;
use http::header::{ACCEPT, USER_AGENT};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kube::client::ConfigExt;
use std::fmt;
use std::time::Duration;
use tower::util::BoxCloneSyncService;
use tower::{BoxError, ServiceBuilder, ServiceExt};

/// What every request says about who sends it.
pub const AGENT: &str = concat!("muster/", env!("CARGO_PKG_VERSION"));
/// A dead peer is noticed on an idle connection after about this long.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A response whose body has not been read.
pub type Response = http::Response<UnsyncBoxBody<Bytes, BoxError>>;
/// Sends requests with bodies of type `B`. Clones share their connections.
pub type Transport<B> = BoxCloneSyncService<http::Request<B>, Response, BoxError>;

/// Base address, credentials and connections as kube makes them, around bodies of our own. Must
/// be called inside a tokio runtime.
///
/// # Errors
/// If certificates or credentials cannot be read, or a proxy is asked for.
pub fn transport<B>(config: &kube::Config) -> kube::Result<Transport<B>>
where
    B: http_body::Body + Send + Unpin + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    if let Some(proxy) = &config.proxy_url {
        return Err(kube::Error::ProxyProtocolUnsupported { proxy_url: Box::new(proxy.clone()) });
    }
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_keepalive(Some(KEEP_ALIVE));
    connector.set_connect_timeout(config.connect_timeout);
    let connector = config.rustls_https_connector_with_connector(connector)?;
    let client = hyper_util::client::legacy::Client::builder(TokioExecutor::new()).build(connector);
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from)
        .map_response(|response: http::Response<_>| {
            response.map(|body| BodyExt::map_err(body, BoxError::from).boxed_unsync())
        })
        .service(client);
    Ok(BoxCloneSyncService::new(service))
}

/// Reads from the API server. Clones share their connections.
#[derive(Clone)]
pub struct Reader(Transport<Empty<Bytes>>);

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").finish_non_exhaustive()
    }
}

impl Reader {
    /// A reader of the cluster that `config` names. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// If certificates or credentials cannot be read, or a proxy is asked for.
    pub fn new(config: &kube::Config) -> kube::Result<Self> {
        transport(config).map(Self)
    }

    /// Asks for a path; the head of the answer is here, its body still to come.
    ///
    /// # Errors
    /// What went wrong, in words for a person.
    pub async fn get(&self, path: &str, accept: &str) -> Result<Response, String> {
        let request = http::Request::get(path).header(ACCEPT, accept).header(USER_AGENT, AGENT);
        let request = request.body(Empty::new()).map_err(|error| say(&error))?;
        self.0.clone().oneshot(request).await.map_err(|error| say(&*error))
    }
}

/// An error with all its causes, as one sentence.
#[must_use]
pub fn say(error: &(dyn std::error::Error + 'static)) -> String {
    let words: Vec<String> = causes(error).map(ToString::to_string).collect();
    words.join(": ")
}

/// An error and all its causes.
pub(crate) fn causes<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| error.source())
}
