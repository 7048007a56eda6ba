//! Plain HTTP to servers on this machine, for admin ports and Prometheus.

use crate::fault::{Fault, Trying};
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use std::time::Duration;

/// Every probe ends.
const PATIENCE: Duration = Duration::from_secs(10);

/// Status and body of a GET.
pub async fn get(url: &str) -> Result<(u16, String), Fault> {
    let what = || format!("GET {url}");
    let address = url.parse().trying(what)?;
    // A client for each call: none outlives the runtime of its test.
    let client: Client<HttpConnector, Empty<&[u8]>> =
        Client::builder(TokioExecutor::new()).build_http();
    let whole = async {
        let response = client.get(address).await.trying(what)?;
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.trying(what)?.to_bytes();
        Ok((status, String::from_utf8_lossy(&body).into_owned()))
    };
    tokio::time::timeout(PATIENCE, whole).await.trying(what)?
}
