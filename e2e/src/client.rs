//! Clients that tests talk with: no retries of kube's own, one crypto provider.

use crate::fault::{Fault, Trying};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use std::path::Path;
use std::sync::Once;
use std::time::Duration;

/// A probe that hangs is a probe that failed.
const PROBE: Duration = Duration::from_secs(5);

/// A client for whoever `token` belongs to.
pub(crate) fn with_token(url: &str, authority: &Path, token: &str) -> Result<Client, Fault> {
    let mut config = Config::new(url.parse().trying(|| format!("reading {url}"))?);
    config.root_cert_file = Some(authority.to_owned());
    config.auth_info.token = Some(token.to_owned().into());
    from(config)
}

/// A client for whoever a kubeconfig file names.
pub(crate) async fn of_kubeconfig(path: &Path) -> Result<Client, Fault> {
    let file = Kubeconfig::read_from(path).trying(|| format!("reading {}", path.display()))?;
    let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await;
    from(config.trying(|| format!("reading {}", path.display()))?)
}

/// `Err` with what is missing, until the API server is ready.
pub(crate) async fn readiness(client: &Client) -> Result<(), String> {
    let request = http::Request::get("/readyz").body(Vec::new());
    let request = request.expect("this request has no part that could be wrong");
    match tokio::time::timeout(PROBE, client.request_text(request)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(format!("no answer within {PROBE:?}")),
    }
}

fn from(mut config: Config) -> Result<Client, Fault> {
    static ONCE: Once = Once::new();
    // Two TLS libraries in one test binary would otherwise make rustls refuse to choose.
    ONCE.call_once(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    // A test wants to see the answer that came first.
    config.default_retry = false;
    Client::try_from(config).trying(|| "making a client".to_owned())
}
