//! A driver that makes volumes, played by the test: it looks at the claims of one storage class
//! and makes a volume on the node that each was told, or gives the claim back.

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};
use kube::api::{Api, ListParams, Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// Annotation: the node that a volume is to be made for.
pub const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// Its name, as storage classes and CSI objects give it.
pub const PROVISIONER: &str = "maker.e2e.muster.sh";

/// How often it looks.
const PERIOD: Duration = Duration::from_millis(100);

/// How a driver behaves.
#[derive(Clone, Debug)]
pub struct Provisioner {
    class: String,
    refused: BTreeSet<String>,
    delay: Duration,
    elsewhere: Option<String>,
}

/// A driver at work; dropping it ends it.
#[derive(Debug)]
pub struct Running(JoinHandle<()>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Provisioner {
    /// Makes volumes of this class at once.
    #[must_use]
    pub fn new(class: &str) -> Self {
        Self {
            class: class.to_owned(),
            refused: BTreeSet::new(),
            delay: Duration::ZERO,
            elsewhere: None,
        }
    }

    /// Gives claims for this node back.
    #[must_use]
    pub fn refuse(mut self, node: &str) -> Self {
        self.refused.insert(node.to_owned());
        self
    }

    /// Takes so long for each volume.
    #[must_use]
    pub const fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Makes all volumes on this node, whatever it is told.
    #[must_use]
    pub fn elsewhere(mut self, node: &str) -> Self {
        self.elsewhere = Some(node.to_owned());
        self
    }

    /// Begins.
    #[must_use]
    pub fn start(self, client: Client) -> Running {
        Running(tokio::spawn(async move {
            let mut since = BTreeMap::new();
            loop {
                self.look(&client, &mut since).await;
                tokio::time::sleep(PERIOD).await;
            }
        }))
    }

    /// Looks at all claims once. What fails is tried again at the next look.
    async fn look(&self, client: &Client, since: &mut BTreeMap<String, Instant>) {
        let claims: Api<PersistentVolumeClaim> = Api::all(client.clone());
        let Ok(claims) = claims.list(&ListParams::default()).await else { return };
        for claim in claims {
            let spec = claim.spec.clone().unwrap_or_default();
            let is_mine = spec.storage_class_name.as_deref() == Some(self.class.as_str());
            let node = claim.annotations().get(SELECTED_NODE).cloned();
            let (true, None, Some(node)) = (is_mine, spec.volume_name, node) else { continue };
            let uid = claim.uid().unwrap_or_default();
            let begun = *since.entry(format!("{uid} {node}")).or_insert_with(Instant::now);
            if begun.elapsed() < self.delay {
                continue;
            }
            let _ = if self.refused.contains(&node) {
                give_back(client, &claim).await
            } else {
                self.make(client, &claim, self.elsewhere.as_ref().unwrap_or(&node)).await
            };
        }
    }

    async fn make(
        &self,
        client: &Client,
        claim: &PersistentVolumeClaim,
        node: &str,
    ) -> kube::Result<()> {
        let uid = claim.uid().unwrap_or_default();
        let object = json!({
            "metadata": {
                "name": format!("pv-{uid}"),
                "annotations": { "pv.kubernetes.io/provisioned-by": PROVISIONER },
            },
            "spec": {
                "capacity": { "storage": "1Gi" },
                "accessModes": claim.spec.as_ref().and_then(|spec| spec.access_modes.clone()),
                "storageClassName": self.class,
                "persistentVolumeReclaimPolicy": "Delete",
                "csi": { "driver": PROVISIONER, "volumeHandle": uid },
                "claimRef": {
                    "apiVersion": "v1", "kind": "PersistentVolumeClaim", "uid": uid,
                    "namespace": claim.namespace(), "name": claim.name_any(),
                },
                "nodeAffinity": { "required": { "nodeSelectorTerms": [{ "matchExpressions": [
                    { "key": "kubernetes.io/hostname", "operator": "In", "values": [node] },
                ] }] } },
            },
        });
        let volume: PersistentVolume =
            serde_json::from_value(object).expect("a volume of this shape is a volume");
        let volumes: Api<PersistentVolume> = Api::all(client.clone());
        volumes.create(&PostParams::default(), &volume).await.map(|_| ())
    }
}

async fn give_back(client: &Client, claim: &PersistentVolumeClaim) -> kube::Result<()> {
    let namespace = claim.namespace().unwrap_or_default();
    let claims: Api<PersistentVolumeClaim> = Api::namespaced(client.clone(), &namespace);
    let patch = json!({ "metadata": { "annotations": { SELECTED_NODE: null } } });
    let params = PatchParams::default();
    claims.patch(&claim.name_any(), &params, &Patch::Merge(patch)).await.map(|_| ())
}
