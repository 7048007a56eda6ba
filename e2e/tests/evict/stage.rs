//! One cluster per test: two queues of equal weight, and nodes that a pod each fills.

use e2e::{ControlPlane, FakeNode, FakePod, Kubelet, Muster, eventually, stays};
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube::api::{Api, ListParams, Patch, PatchParams};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// Longer than anything here takes on a slow machine.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// How long nothing may happen where nothing should.
pub(crate) const A_WHILE: Duration = Duration::from_secs(3);

const NAMESPACE: &str = "lent";

/// Nobody waits for room to come by itself.
const CONFIG: &str = "eviction: {after: 0s}\n";

/// The cluster.
pub(crate) struct Stage {
    pub plane: ControlPlane,
    pub muster: Muster,
    pub kubelet: Kubelet,
    pub api: Api<Pod>,
}

impl Stage {
    /// So many nodes, and no pods yet. No controllers but these.
    pub(crate) async fn new(nodes: usize, controllers: &[&str]) -> Self {
        let builder = ControlPlane::builder();
        let builder = match controllers {
            [] => builder.without_controllers(),
            names => builder.controllers(names),
        };
        let plane = builder.start().await;
        let crds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../manifests/crds");
        plane.crds(&crds).await.expect("our CRDs are accepted");
        plane.namespace(NAMESPACE).await.expect("a namespace can be made");
        let nodes = FakeNode::many(nodes, "n", |node, _| node.gpus(8));
        plane.add_nodes(&nodes).await.expect("nodes can be made");
        let muster = plane.muster().config(CONFIG).arg("--no-leader-election").start();
        let mut muster = muster.expect("it starts");
        muster.ready(LONG).await.expect("it gets ready");
        let client = plane.client();
        let kubelet = Kubelet::new(client.clone(), NAMESPACE);
        let stage = Self { plane, muster, kubelet, api: Api::namespaced(client, NAMESPACE) };
        stage.queue("owner", "{}");
        stage.queue("lender", "{}");
        stage
    }

    /// Gangs `v0`, `v1`, … of two pods each, of the queue "lender", run on all nodes.
    pub(crate) async fn lent(gangs: usize) -> Self {
        let stage = Self::new(2 * gangs, &[]).await;
        for index in 0..gangs {
            let name = format!("v{index}");
            stage.gang(&name, "lender", |pod| pod).await;
            stage.bound(&name).await;
        }
        stage
    }

    pub(crate) fn apply(&self, manifest: &str) {
        self.plane.apply(manifest).expect("the manifest is accepted");
    }

    pub(crate) fn queue(&self, name: &str, spec: &str) {
        self.apply(&format!(
            "apiVersion: muster.sh/v1alpha1\nkind: Queue\nmetadata: {{name: {name}}}\n\
             spec: {spec}\n"
        ));
    }

    /// A gang of two pods that fill a node each.
    pub(crate) async fn gang(&self, name: &str, queue: &str, shape: impl Fn(FakePod) -> FakePod) {
        self.apply(&format!(
            "apiVersion: muster.sh/v1alpha1\nkind: PodGroup\n\
             metadata: {{name: {name}, namespace: {NAMESPACE}}}\n\
             spec: {{minAvailable: 2, queue: {queue}}}\n"
        ));
        let pods = FakePod::many(2, &format!("{name}-"), |pod, _| {
            shape(pod.gpus(8).label("muster.sh/pod-group", name))
        });
        self.add(&pods).await;
    }

    pub(crate) async fn add(&self, pods: &[FakePod]) {
        self.plane.add_pods(NAMESPACE, pods).await.expect("pods can be made");
    }

    /// All pods of a gang, in order of name.
    pub(crate) async fn pods(&self, gang: &str) -> Vec<Pod> {
        let list = self.api.list(&ListParams::default()).await.expect("pods can be listed");
        let of = |pod: &Pod| pod.name_any().starts_with(&format!("{gang}-"));
        list.into_iter().filter(of).collect()
    }

    /// Waits until both pods of a gang are bound, and lets them run.
    pub(crate) async fn bound(&self, gang: &str) -> Vec<Pod> {
        let pods = eventually(LONG, &format!("gang {gang} to be bound"), async || {
            let pods = self.pods(gang).await;
            let is_bound = |pod: &Pod| pod.spec.as_ref().is_some_and(|it| it.node_name.is_some());
            if pods.len() == 2 && pods.iter().all(is_bound) {
                Ok(pods)
            } else {
                Err(format!("{:#?}", pods.iter().map(brief).collect::<Vec<_>>()))
            }
        })
        .await;
        for pod in &pods {
            self.kubelet.runs(&pod.name_any()).await.expect("the pod is there");
        }
        pods
    }

    /// Pods that are being deleted, by name.
    pub(crate) async fn going(&self) -> BTreeSet<String> {
        let list = self.api.list(&ListParams::default()).await.expect("pods can be listed");
        let going = list.into_iter().filter(|pod| pod.metadata.deletion_timestamp.is_some());
        going.map(|pod| pod.name_any()).collect()
    }

    /// Waits until so many pods are being deleted; answers their gang.
    pub(crate) async fn until_going(&self, pods: usize) -> String {
        let going = eventually(LONG, &format!("{pods} pods to go"), async || {
            let going = self.going().await;
            if going.len() == pods { Ok(going) } else { Err(format!("{going:?}")) }
        })
        .await;
        let first = going.into_iter().next().unwrap_or_default();
        first.split('-').next().unwrap_or_default().to_owned()
    }

    /// For a while nobody else is deleted than these.
    pub(crate) async fn nobody_else_goes(&self, those: usize) {
        stays(A_WHILE, "nobody else to go", async || {
            let going = self.going().await;
            if going.len() == those { Ok(()) } else { Err(format!("{going:?}")) }
        })
        .await;
    }

    /// Kubelets end what is being deleted.
    pub(crate) async fn end(&self) {
        self.kubelet.finish_deletions().await.expect("pods can be deleted");
    }

    /// The group object of a gang.
    pub(crate) async fn group(&self, gang: &str) -> Value {
        let path = format!("/apis/muster.sh/v1alpha1/namespaces/{NAMESPACE}/podgroups/{gang}");
        self.read(&path).await.expect("the group is there")
    }

    pub(crate) async fn read(&self, path: &str) -> Result<Value, String> {
        let request = http::Request::get(path).body(Vec::new()).expect("it is a path");
        self.plane.client().request(request).await.map_err(|error| error.to_string())
    }

    /// Waits for an event about a group.
    pub(crate) async fn event(&self, gang: &str, reason: &str) -> String {
        let path = format!("/apis/events.k8s.io/v1/namespaces/{NAMESPACE}/events");
        eventually(LONG, &format!("the event {reason} of {gang}"), async || {
            let events = self.read(&path).await?;
            let it =
                |event: &&Value| event["reason"] == reason && event["regarding"]["name"] == gang;
            let found = events["items"].as_array().into_iter().flatten().find(it);
            let note = found.map(|event| event["note"].as_str().unwrap_or_default().to_owned());
            note.ok_or_else(|| format!("{events:#}"))
        })
        .await
    }

    /// Waits until a gang's status says that it waits, and why.
    pub(crate) async fn waits(&self, gang: &str) -> Value {
        eventually(LONG, &format!("gang {gang} to wait"), async || {
            let group = self.group(gang).await;
            let why = group["status"]["explanation"].clone();
            if why.is_null() { Err(format!("{group:#}")) } else { Ok(why) }
        })
        .await
    }

    pub(crate) async fn patch(&self, pod: &str, patch: Value) {
        let done = self.api.patch(pod, &PatchParams::default(), &Patch::Merge(patch)).await;
        done.expect("the pod is there");
    }

    /// Takes a gang away, as its owner does.
    pub(crate) async fn remove(&self, gang: &str) {
        let args = ["-n", NAMESPACE, "delete", "podgroups.muster.sh", gang, "--wait=false"];
        self.plane.kubectl(&args).expect("the group was there");
        for pod in self.pods(gang).await {
            let now = kube::api::DeleteParams::default().grace_period(0);
            let _ = self.api.delete(&pod.name_any(), &now).await;
        }
    }
}

/// What a pod's status says of its disruption: reason and message.
pub(crate) fn mark(pod: &Pod) -> Option<(String, String)> {
    let conditions = pod.status.as_ref()?.conditions.as_ref()?;
    let found = conditions.iter().find(|it| it.type_ == "DisruptionTarget" && it.status == "True");
    found.map(|it| (it.reason.clone().unwrap_or_default(), it.message.clone().unwrap_or_default()))
}

fn brief(pod: &Pod) -> Value {
    json!({
        "name": pod.metadata.name,
        "node": pod.spec.as_ref().and_then(|spec| spec.node_name.clone()),
        "going": pod.metadata.deletion_timestamp.is_some(),
        "conditions": pod.status.as_ref().and_then(|it| it.conditions.clone()),
    })
}
