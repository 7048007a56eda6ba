//! One control plane and one muster for all tests of this target, and a namespace with nodes of
//! its own for each.

use e2e::{ControlPlane, FakeNode, FakePod, Kubelet, Muster, Nodes, Process, Volcano, eventually};
use k8s_openapi::api::core::v1::Pod;
use kube::Client;
use kube::api::{Api, DeleteParams, ListParams};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::{OnceCell, RwLock, RwLockReadGuard};

/// Longest wait for what should come soon.
pub(crate) const SOON: Duration = Duration::from_secs(40);

/// How long nothing may happen where nothing should.
pub(crate) const A_WHILE: Duration = Duration::from_millis(1500);

/// Label of the nodes of one test, which its pods select.
pub(crate) const POOL: &str = "e2e.muster.sh/pool";

/// Who muster speaks as.
pub(crate) const ACCOUNT: &str = "system:serviceaccount:muster-system:muster";

/// Settings of every muster here. The vcjobs of the tests keep the name that they have for
/// Volcano, as people's do.
pub(crate) const CONFIG: &str = "\
schedulerNames: [muster, volcano]
leaderElection: { namespace: muster-system }
log: { level: info, format: text }
metrics: { volcanoNames: true }
";

/// Kinds that no part of Kubernetes, muster or Volcano serves.
pub(crate) const OTHER_KINDS: [&str; 2] =
    [include_str!("coscheduling.yaml"), include_str!("leaderworkerset.yaml")];

static STAGE: OnceCell<Stage> = OnceCell::const_new();

/// Held by every test for reading; who wants all of them to be over takes it for writing.
static RUNNING: RwLock<()> = RwLock::const_new(());

/// What all tests share.
#[derive(Debug)]
pub(crate) struct Stage {
    pub plane: ControlPlane,
    pub muster: Muster,
    /// Kubeconfig of muster's service account.
    pub account: PathBuf,
    _volcano: Process,
}

/// Serves the kinds of other projects.
pub(crate) async fn serve_other_kinds(plane: &ControlPlane) {
    let file = plane.folder().join("kinds.yaml");
    std::fs::write(&file, OTHER_KINDS.join("---\n")).expect("a file can be written");
    plane.crds(&file).await.expect("the CRDs are accepted");
}

async fn make_stage() -> Stage {
    let builder = ControlPlane::builder().nodes(Nodes::Kwok).native_groups().audit();
    let plane = builder.start().await;
    let account = plane.install_base(&[]).await.expect("the API server takes the base");
    serve_other_kinds(&plane).await;
    let volcano = Volcano::install(&plane).await.expect("Volcano's kinds are taken");
    let volcano = volcano.controllers(&["volcano"]).await.expect("its controllers start");
    let muster = plane.muster().kubeconfig(&account).config(CONFIG).start();
    let mut muster = muster.expect("muster starts");
    muster.ready(SOON).await.expect("muster is ready");
    Stage { plane, muster, account, _volcano: volcano }
}

pub(crate) async fn stage() -> &'static Stage {
    STAGE.get_or_init(make_stage).await
}

/// Waits until all tests that have begun are over.
pub(crate) async fn when_all_are_over() -> &'static Stage {
    let stage = stage().await;
    drop(RUNNING.write().await);
    stage
}

/// A namespace, nodes of its own, and how to look at what became of them.
pub(crate) struct Bench {
    pub plane: &'static ControlPlane,
    pub muster: &'static Muster,
    /// Kubeconfig of muster's service account.
    pub account: &'static PathBuf,
    pub client: Client,
    pub kubelet: Kubelet,
    /// The namespace, and the name of the pool.
    pub name: String,
    scheduler: String,
    _turn: RwLockReadGuard<'static, ()>,
}

impl Bench {
    pub(crate) async fn new(name: &str) -> Self {
        let stage = stage().await;
        let turn = RUNNING.read().await;
        stage.plane.namespace(name).await.expect("a namespace can be made");
        let client = stage.plane.client();
        Self {
            plane: &stage.plane,
            muster: &stage.muster,
            account: &stage.account,
            kubelet: Kubelet::new(client.clone(), name),
            client,
            name: name.to_owned(),
            scheduler: "muster".to_owned(),
            _turn: turn,
        }
    }

    /// For another muster, which binds the pods of another name.
    pub(crate) fn scheduler(mut self, name: &str) -> Self {
        name.clone_into(&mut self.scheduler);
        self
    }

    /// Nodes `NAMESPACE-SUFFIX` with eight GPUs each.
    pub(crate) async fn nodes(&self, suffixes: &[&str]) {
        let node = |suffix: &&str| {
            FakeNode::new(format!("{}-{suffix}", self.name)).gpus(8).label(POOL, &self.name)
        };
        let nodes: Vec<FakeNode> = suffixes.iter().map(node).collect();
        self.plane.add_nodes(&nodes).await.expect("nodes can be made");
    }

    /// A pod that fills a node of this test.
    pub(crate) fn pod(&self, name: &str) -> FakePod {
        self.small(name).gpus(8)
    }

    /// A pod that takes next to nothing of a node of this test.
    pub(crate) fn small(&self, name: &str) -> FakePod {
        let pool = serde_json::json!({ POOL: self.name });
        FakePod::new(name).scheduler(&self.scheduler).spec("nodeSelector", pool)
    }

    pub(crate) async fn add(&self, pods: &[FakePod]) {
        self.plane.add_pods(&self.name, pods).await.expect("pods can be made");
    }

    /// Applies manifests with `NAMESPACE` replaced.
    pub(crate) fn apply(&self, manifest: &str) {
        let manifest = manifest.replace("NAMESPACE", &self.name).replace("POOL", POOL);
        self.plane.apply(&manifest).expect("the manifest is accepted");
    }

    pub(crate) fn pod_api(&self) -> Api<Pod> {
        Api::namespaced(self.client.clone(), &self.name)
    }

    /// All pods that are not over, by name.
    pub(crate) async fn pods(&self) -> Vec<Seen> {
        let list = self.pod_api().list(&ListParams::default()).await.expect("pods can be listed");
        let mut seen: Vec<Seen> = list.into_iter().map(Seen::of).collect();
        seen.retain(|pod| pod.phase != "Failed" && pod.phase != "Succeeded");
        seen.sort();
        seen
    }

    /// Waits until all pods look as wanted.
    pub(crate) async fn until(&self, what: &str, wanted: impl Fn(&[Seen]) -> bool) -> Vec<Seen> {
        self.until_within(SOON, what, wanted).await
    }

    /// Waits no longer than `patience` until all pods look as wanted.
    pub(crate) async fn until_within(
        &self,
        patience: Duration,
        what: &str,
        wanted: impl Fn(&[Seen]) -> bool,
    ) -> Vec<Seen> {
        eventually(patience, what, async || {
            let pods = self.pods().await;
            if wanted(&pods) { Ok(pods) } else { Err(format!("{pods:#?}")) }
        })
        .await
    }

    /// Waits until there are so many pods and all of them have a node.
    pub(crate) async fn bound(&self, count: usize) -> Vec<Seen> {
        let what = format!("all {count} pods of {} to be bound", self.name);
        self.until(&what, |pods| pods.len() == count && pods.iter().all(|pod| !pod.node.is_empty()))
            .await
    }

    /// Waits until there are so many pods, none of which has a node, all for `reason`.
    pub(crate) async fn waits(&self, count: usize, reason: &str) -> Vec<Seen> {
        let what = format!("all {count} pods of {} to wait for {reason}", self.name);
        self.until(&what, |pods| {
            let waits = |pod: &Seen| pod.node.is_empty() && pod.reason == reason;
            pods.len() == count && pods.iter().all(waits)
        })
        .await
    }

    /// What stands at a path of the API.
    pub(crate) async fn read(&self, path: &str) -> Result<Value, String> {
        let request = http::Request::get(path).body(Vec::new()).expect("it is a path");
        self.client.request(request).await.map_err(|error| error.to_string())
    }

    /// Waits until the object at a path below the namespace, such as
    /// `muster.sh/v1alpha1` and `podgroups/g`, looks as wanted.
    pub(crate) async fn object(
        &self,
        api: &str,
        name: &str,
        what: &str,
        wanted: impl Fn(&Value) -> bool,
    ) -> Value {
        let path = format!("/apis/{api}/namespaces/{}/{name}", self.name);
        eventually(SOON, what, async || {
            let object = self.read(&path).await?;
            if wanted(&object) { Ok(object) } else { Err(format!("{object:#}")) }
        })
        .await
    }

    /// Waits for an event with this reason; returns its note.
    pub(crate) async fn event(&self, reason: &str) -> String {
        let path = format!("/apis/events.k8s.io/v1/namespaces/{}/events", self.name);
        eventually(SOON, &format!("the event {reason}"), async || {
            let events = self.read(&path).await?;
            let ours = |event: &&Value| {
                event["reason"] == reason && event["reportingController"] == "muster.sh/scheduler"
            };
            let found = events["items"].as_array().into_iter().flatten().find(ours);
            let note = found.map(|event| event["note"].as_str().unwrap_or_default().to_owned());
            note.ok_or_else(|| format!("{events:#}"))
        })
        .await
    }

    /// Deletes a pod, as a person does.
    pub(crate) async fn delete(&self, pod: &str) {
        let deleted = self.pod_api().delete(pod, &DeleteParams::default()).await;
        deleted.expect("the pod was there");
    }

    /// Value of a metric of muster's, all its series together.
    pub(crate) async fn metric(&self, name: &str) -> f64 {
        metric(self.muster, name).await
    }
}

/// Sum of all series whose name and labels begin so.
pub(crate) async fn metric(muster: &Muster, name: &str) -> f64 {
    let (_, text) = muster.get("/metrics").await.expect("it answers");
    let series = text.lines().filter(|line| line.starts_with(name));
    series.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
}

/// A pod, as far as tests look at it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seen {
    pub name: String,
    pub uid: String,
    /// Empty if it has none.
    pub node: String,
    pub phase: String,
    /// Of `PodScheduled=False`; else empty.
    pub reason: String,
}

impl Seen {
    fn of(pod: Pod) -> Self {
        let status = pod.status.unwrap_or_default();
        let waits = status.conditions.iter().flatten();
        let waits = waits.filter(|it| it.type_ == "PodScheduled" && it.status == "False");
        Self {
            name: pod.metadata.name.unwrap_or_default(),
            uid: pod.metadata.uid.unwrap_or_default(),
            node: pod.spec.and_then(|spec| spec.node_name).unwrap_or_default(),
            phase: status.phase.unwrap_or_default(),
            reason: waits.filter_map(|it| it.reason.clone()).next().unwrap_or_default(),
        }
    }
}
