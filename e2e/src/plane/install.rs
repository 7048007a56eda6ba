//! muster's manifests on a control plane, for a muster that runs beside it.

use super::ControlPlane;
use crate::fault::Fault;
use crate::manifests::{self, NAMESPACE};
use crate::wait::eventually;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// How long RBAC may take to count.
const SOON: Duration = Duration::from_secs(40);

impl ControlPlane {
    /// Installs everything of `manifests/base` but the pods that would run muster there; the
    /// path of a kubeconfig file that speaks as muster's service account. Resources that are
    /// `denied` are left out of every rule.
    ///
    /// # Panics
    /// If the account has no right to anything after a while.
    pub async fn install_base(&self, denied: &[&str]) -> Result<PathBuf, Fault> {
        let mut objects = manifests::objects(&manifests::kustomize("base")?)?;
        objects.retain(|object| object["kind"] != "Deployment");
        let rules = objects.iter_mut().filter_map(|object| object.get_mut("rules")?.as_array_mut());
        for rule in rules.flatten() {
            if let Some(resources) = rule.get_mut("resources").and_then(Value::as_array_mut) {
                resources.retain(|it| it.as_str().is_none_or(|it| !denied.contains(&it)));
            }
        }
        let text: Vec<String> = objects.iter().map(Value::to_string).collect();
        self.apply(&text.join("\n---\n"))?;
        let wait = ["wait", "crd", "--all", "--for=condition=Established", "--timeout=60s"];
        self.kubectl(&wait)?;
        let account = self.service_account(NAMESPACE, "muster").await?;
        // RBAC counts a moment after it was made.
        eventually(SOON, "the rights of the account", async || {
            let may = ["auth", "can-i", "create", "pods", "--subresource=binding", "-A"];
            self.kubectl_as(&account, &may).map(|_| ()).map_err(|fault| fault.to_string())
        })
        .await;
        Ok(account)
    }
}
