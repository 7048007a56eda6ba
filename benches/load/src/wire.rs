//! What the harness itself says to the API server: JSON over muster's own connections.

use bytes::Bytes;
use e2e::Fault;
use http::Method;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http_body_util::{BodyExt, Full};
use scheduler_kube::client::{Response, Transport, say, transport};
use scheduler_kube::look::Access;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use tower::ServiceExt;

const AGENT: &str = "load";
const MERGE_PATCH: &str = "application/merge-patch+json";
const APPLY_PATCH: &str = "application/apply-patch+yaml";

/// A list of 100,000 pods takes its time.
const PATIENCE: Duration = Duration::from_secs(120);

/// Requests of the harness. Clones share their connections.
#[derive(Clone)]
pub struct Wire(Transport<Full<Bytes>>);

impl std::fmt::Debug for Wire {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wire").finish_non_exhaustive()
    }
}

/// Says what was tried when something failed.
pub(crate) fn failed(what: &str, why: impl std::fmt::Display) -> Fault {
    Fault::new(format!("{what}: {why}"))
}

impl Wire {
    /// Speaks as whoever a kubeconfig file says. Must be called inside a tokio runtime, and
    /// lives no longer than that.
    pub async fn open(kubeconfig: &Path) -> Result<Self, Fault> {
        // It fails only where somebody has chosen already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let access = Access { kubeconfig: Some(kubeconfig.to_owned()), context: None };
        let config = access.config().await.map_err(Fault::new)?;
        transport(&config).map(Self).map_err(|error| failed("making a client", error))
    }

    /// Makes an object in a collection.
    pub async fn create(&self, collection: &str, object: &Value) -> Result<(), Fault> {
        self.write(Method::POST, collection, "application/json", object).await
    }

    /// Merges into an object.
    pub async fn merge(&self, path: &str, patch: &Value) -> Result<(), Fault> {
        self.write(Method::PATCH, path, MERGE_PATCH, patch).await
    }

    /// Applies what belongs to the harness of an object, and leaves the rest to others.
    pub async fn apply(&self, path: &str, object: &Value) -> Result<(), Fault> {
        let path = format!("{path}?fieldManager={AGENT}&force=true");
        self.write(Method::PATCH, &path, APPLY_PATCH, object).await
    }

    /// Deletes an object at once.
    pub async fn delete(&self, path: &str) -> Result<(), Fault> {
        let now = serde_json::json!({ "gracePeriodSeconds": 0 });
        self.write(Method::DELETE, path, "application/json", &now).await
    }

    /// What stands at a path.
    pub async fn read<T: DeserializeOwned>(&self, path: &str) -> Result<T, Fault> {
        let bytes = self.bytes(path).await?;
        serde_json::from_slice(&bytes).map_err(|error| failed(path, error))
    }

    /// The bytes at a path.
    pub async fn bytes(&self, path: &str) -> Result<Bytes, Fault> {
        let response = self.start(path).await?;
        let body = tokio::time::timeout(PATIENCE, response.into_body().collect()).await;
        let body = body.map_err(|error| failed(path, error))?;
        Ok(body.map_err(|error| failed(path, error))?.to_bytes())
    }

    /// The answer at a path, its body still to come.
    pub async fn start(&self, path: &str) -> Result<Response, Fault> {
        let request = http::Request::get(path).header(ACCEPT, "application/json");
        self.exchange(path, request, Bytes::new()).await
    }

    async fn write(
        &self,
        method: Method,
        path: &str,
        mime: &str,
        value: &Value,
    ) -> Result<(), Fault> {
        let body = serde_json::to_vec(value).map_err(|error| failed(path, error))?;
        let request = http::Request::builder().method(method).uri(path).header(CONTENT_TYPE, mime);
        let response = self.exchange(path, request, body.into()).await?;
        let rest = response.into_body().collect().await;
        rest.map(|_| ()).map_err(|error| failed(path, error))
    }

    async fn exchange(
        &self,
        path: &str,
        request: http::request::Builder,
        body: Bytes,
    ) -> Result<Response, Fault> {
        let request = request.header(USER_AGENT, AGENT).body(Full::new(body));
        let request = request.map_err(|error| failed(path, error))?;
        let sent = tokio::time::timeout(PATIENCE, self.0.clone().oneshot(request)).await;
        let sent = sent.map_err(|error| failed(path, error))?;
        let response = sent.map_err(|error| failed(path, say(&*error)))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status();
        let body = response.into_body().collect().await.map(|body| body.to_bytes());
        let words = body.unwrap_or_default();
        Err(failed(path, format!("{status} {}", String::from_utf8_lossy(&words))))
    }
}
