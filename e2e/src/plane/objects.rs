//! What tests do to the API, in few words.

use super::{ControlPlane, PATIENCE};
use crate::access::Speaker;
use crate::fault::{Fault, Trying};
use crate::nodes::FakeNode;
use crate::pods::FakePod;
use crate::wait::eventually;
use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::{Namespace, Node, Pod, ServiceAccount};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ListParams, Patch, PatchParams, PostParams};
use kube::{Client, Resource, ResourceExt};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Requests in flight while many objects are made.
const AT_ONCE: usize = 16;

/// How long a token of a service account lasts, in seconds: longer than any test.
const TOKEN_SECONDS: i64 = 24 * 3600;

impl ControlPlane {
    /// Makes a namespace; tests that share a control plane take one each.
    pub async fn namespace(&self, name: &str) -> Result<(), Fault> {
        let object = Namespace { metadata: meta(name), ..Namespace::default() };
        let namespaces: Api<Namespace> = Api::all(self.client());
        let made = namespaces.create(&PostParams::default(), &object).await;
        made.map(|_| ()).trying(|| format!("making namespace {name}"))
    }

    /// Makes nodes.
    pub async fn add_nodes(&self, nodes: &[FakeNode]) -> Result<(), Fault> {
        let api: Api<Node> = Api::all(self.client());
        create_all(&api, nodes.iter().map(FakeNode::object).collect()).await
    }

    /// Says whether a node is ready, in the kubelet's place.
    pub async fn set_node_ready(&self, name: &str, is_ready: bool) -> Result<(), Fault> {
        let status = if is_ready { "True" } else { "False" };
        let ready = json!({ "type": "Ready", "status": status, "reason": "Test" });
        let patch = Patch::Strategic(json!({ "status": { "conditions": [ready] } }));
        let nodes: Api<Node> = Api::all(self.client());
        let done = nodes.patch_status(name, &PatchParams::default(), &patch).await;
        done.map(|_| ()).trying(|| format!("saying whether node {name} is ready"))
    }

    /// Makes pods, several at once, in no particular order.
    pub async fn add_pods(&self, namespace: &str, pods: &[FakePod]) -> Result<(), Fault> {
        let api: Api<Pod> = Api::namespaced(self.client(), namespace);
        create_all(&api, pods.iter().map(FakePod::object).collect()).await
    }

    /// Applies YAML or JSON, several documents if need be, with `kubectl apply --server-side`.
    pub fn apply(&self, text: &str) -> Result<String, Fault> {
        let file = tempfile::Builder::new().suffix(".yaml").tempfile_in(self.folder());
        let file = file.trying(|| "making a file".to_owned())?;
        std::fs::write(file.path(), text).trying(|| "writing a file".to_owned())?;
        self.apply_file(file.path())
    }

    /// Applies a file, all files of a folder, or what a folder with a kustomization gives.
    pub fn apply_file(&self, path: &Path) -> Result<String, Fault> {
        let how = if path.join("kustomization.yaml").is_file() { "-k" } else { "-f" };
        let path = path.display().to_string();
        self.kubectl(&["apply", "--server-side", "--force-conflicts", how, &path])
    }

    /// Applies CRDs, a file or a folder, and waits until the API serves all there are.
    pub async fn crds(&self, path: &Path) -> Result<(), Fault> {
        self.apply_file(path)?;
        let api: Api<CustomResourceDefinition> = Api::all(self.client());
        eventually(PATIENCE, "all CRDs to be established", async || {
            let crds = api.list(&ListParams::default()).await.map_err(|it| it.to_string())?;
            let missing = crds.iter().find(|crd| !is_established(crd));
            missing.map_or(Ok(()), |crd| Err(format!("{} is not", crd.name_any())))
        })
        .await;
        Ok(())
    }

    /// Path of a kubeconfig file that speaks as a service account, which is made if it is not
    /// there. What it may do is up to RBAC.
    pub async fn service_account(&self, namespace: &str, name: &str) -> Result<PathBuf, Fault> {
        let accounts: Api<ServiceAccount> = Api::namespaced(self.client(), namespace);
        let what = || format!("making a token of service account {namespace}/{name}");
        if accounts.get_opt(name).await.trying(what)?.is_none() {
            let object = ServiceAccount { metadata: meta(name), ..ServiceAccount::default() };
            match accounts.create(&PostParams::default(), &object).await {
                // Its controller made it first.
                Err(kube::Error::Api(status)) if status.is_already_exists() => {}
                made => made.map(|_| ()).trying(what)?,
            }
        }
        let spec = TokenRequestSpec {
            expiration_seconds: Some(TOKEN_SECONDS),
            ..TokenRequestSpec::default()
        };
        let request = TokenRequest { spec: Some(spec), ..TokenRequest::default() };
        let request = accounts.create_token_request(name, &PostParams::default(), &request).await;
        let token =
            request.trying(what)?.status.and_then(|status| status.token).unwrap_or_default();
        Ok(self.write_kubeconfig(&format!("sa-{namespace}-{name}"), &Speaker::Token(&token)))
    }

    /// The controller manager is at work when a namespace has got its default account.
    pub(super) async fn wait_for_controllers(&self) -> Result<(), Fault> {
        let accounts: Api<ServiceAccount> = Api::namespaced(self.client(), "default");
        let start = Instant::now();
        loop {
            for process in super::locked(&self.others).iter_mut() {
                process.alive()?;
            }
            match accounts.get_opt("default").await {
                Ok(Some(_)) => return Ok(()),
                seen if start.elapsed() > PATIENCE => {
                    let quote: String = super::locked(&self.others)
                        .iter()
                        .map(crate::process::Process::quote)
                        .collect();
                    return Err(Fault::new(format!(
                        "no controller manager at work after {PATIENCE:?}; asked for the default \
                         service account, got {seen:?}{quote}"
                    )));
                }
                _ => tokio::time::sleep(std::time::Duration::from_millis(50)).await,
            }
        }
    }
}

/// Which dialects' kinds are there, for instance `podgroups` of `scheduling.k8s.io/v1beta1`.
pub async fn serves(client: &Client, group_version: &str, plural: &str) -> bool {
    let found = client.list_api_group_resources(group_version).await;
    found.is_ok_and(|list| list.resources.iter().any(|resource| resource.name == plural))
}

fn meta(name: &str) -> kube::api::ObjectMeta {
    kube::api::ObjectMeta { name: Some(name.to_owned()), ..kube::api::ObjectMeta::default() }
}

fn is_established(crd: &CustomResourceDefinition) -> bool {
    let conditions = crd.status.iter().flat_map(|status| status.conditions.iter().flatten());
    conditions.into_iter().any(|it| it.type_ == "Established" && it.status == "True")
}

async fn create_all<K>(api: &Api<K>, objects: Vec<K>) -> Result<(), Fault>
where
    K: Resource + Clone + std::fmt::Debug + serde::Serialize + Send + Sync + 'static,
    K: serde::de::DeserializeOwned,
{
    let mut running = tokio::task::JoinSet::new();
    let joined = |done: Option<Result<Result<(), Fault>, tokio::task::JoinError>>| match done {
        Some(done) => done.trying(|| "making objects".to_owned())?,
        None => Ok(()),
    };
    for object in objects {
        if running.len() >= AT_ONCE {
            joined(running.join_next().await)?;
        }
        let api = api.clone();
        running.spawn(async move {
            let made = api.create(&PostParams::default(), &object).await;
            made.map(|_| ()).trying(|| format!("making {}", object.name_any()))
        });
    }
    while !running.is_empty() {
        joined(running.join_next().await)?;
    }
    Ok(())
}
