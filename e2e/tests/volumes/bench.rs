//! One control plane and one muster for most tests of this target, as `manifests/base` installs
//! it; a namespace, nodes and a storage class of its own for each test.

use e2e::{ControlPlane, FakeNode, FakePod, Muster, PROVISIONER, Provisioner, eventually};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use kube::api::{Api, ListParams};
use kube::{Client, ResourceExt};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::OnceCell;

/// Longest wait for what should come soon.
pub(crate) const SOON: Duration = Duration::from_secs(60);

/// How long claims may take to be bound here.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(8);

/// Label of the nodes of one test, which its pods select.
const POOL: &str = "e2e.muster.sh/pool";

const CONFIG: &str = "\
leaderElection: { enabled: false }
log: { level: info, format: text }
timings: { volumeBindTimeout: 8s }
";

static STAGE: OnceCell<(ControlPlane, Muster)> = OnceCell::const_new();

/// A control plane and a muster that may do all that the base grants, but nothing with `denied`
/// resources.
pub(crate) async fn make_stage(denied: &[&str]) -> (ControlPlane, Muster) {
    let plane = ControlPlane::builder().audit().start().await;
    let account = plane.install_base(denied).await.expect("the API server takes the base");
    let muster = plane.muster().kubeconfig(&account).config(CONFIG).start();
    let mut muster = muster.expect("muster starts");
    muster.ready(SOON).await.expect("muster is ready");
    (plane, muster)
}

/// What one test has for itself.
pub(crate) struct Bench {
    pub plane: &'static ControlPlane,
    pub client: Client,
    /// Namespace, pool, and storage class.
    pub name: String,
}

impl Bench {
    /// With these nodes, called `NAMESPACE-SUFFIX`, and a class of late claims.
    pub(crate) async fn new(name: &str, suffixes: &[&str]) -> Self {
        let (plane, _muster) = STAGE.get_or_init(|| make_stage(&[])).await;
        Self::on(plane, name, suffixes).await
    }

    /// The same on another control plane.
    pub(crate) async fn on(plane: &'static ControlPlane, name: &str, suffixes: &[&str]) -> Self {
        plane.namespace(name).await.expect("a namespace can be made");
        let bench = Self { plane, client: plane.client(), name: name.to_owned() };
        bench.add_nodes(suffixes).await;
        bench.class(PROVISIONER, "WaitForFirstConsumer");
        bench
    }

    pub(crate) async fn add_nodes(&self, suffixes: &[&str]) {
        let node = |suffix: &&str| FakeNode::new(self.node(suffix)).gpus(8).label(POOL, &self.name);
        let nodes: Vec<FakeNode> = suffixes.iter().map(node).collect();
        self.plane.add_nodes(&nodes).await.expect("nodes can be made");
    }

    pub(crate) fn node(&self, suffix: &str) -> String {
        format!("{}-{suffix}", self.name)
    }

    fn class(&self, provisioner: &str, mode: &str) {
        self.apply(&[json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": { "name": self.name }, "provisioner": provisioner,
            "volumeBindingMode": mode,
        })]);
    }

    /// A class of another name.
    pub(crate) fn other_class(&self, name: &str, provisioner: &str, mode: &str) {
        Self { name: name.to_owned(), client: self.client.clone(), ..*self }
            .class(provisioner, mode);
    }

    pub(crate) fn apply(&self, objects: &[Value]) {
        let text: Vec<String> = objects.iter().map(Value::to_string).collect();
        self.plane.apply(&text.join("\n---\n")).expect("the objects are accepted");
    }

    /// The first pod of the namespace was bound after its last claim was, as the audit tells.
    pub(crate) fn assert_claims_first(&self) {
        let entries = self.plane.audit();
        let ours = || entries.iter().filter(|it| it.namespace == self.name && it.code < 300);
        let binds = ours().filter(|it| it.asked() == "create pods/binding");
        let first = binds.map(|it| it.received.clone()).min().expect("there were binds");
        // The controller binds a claim by replacing it.
        let claims = ours().filter(|it| it.asked() == "update persistentvolumeclaims");
        let last = claims.map(|it| it.received.clone()).max().expect("claims were bound");
        assert!(last < first, "the last claim was bound at {last}, the first pod at {first}");
    }

    pub(crate) fn provisioner(&self) -> Provisioner {
        Provisioner::new(&self.name)
    }

    /// A claim for a volume of this class.
    pub(crate) fn claim(&self, name: &str, class: &str, mode: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": { "name": name, "namespace": self.name },
            "spec": { "accessModes": [mode], "storageClassName": class,
                "resources": { "requests": { "storage": "1Gi" } } },
        })
    }

    /// A group `g` with this minimum.
    pub(crate) fn group(&self, min: u32) -> Value {
        json!({
            "apiVersion": "muster.sh/v1alpha1", "kind": "PodGroup",
            "metadata": { "name": "g", "namespace": self.name }, "spec": { "minAvailable": min },
        })
    }

    /// A pod of this test, with a claim if one is named.
    pub(crate) fn pod(&self, name: &str, claim: Option<&str>) -> FakePod {
        let pool = json!({ POOL: self.name });
        let pod = FakePod::new(name).spec("nodeSelector", pool);
        let Some(claim) = claim else { return pod };
        let volume = json!([{ "name": "data", "persistentVolumeClaim": { "claimName": claim } }]);
        pod.spec("volumes", volume)
    }

    /// A gang of `count` that fill nodes, each with a late claim of its own, `data-N`.
    pub(crate) async fn gang(&self, count: u32, class: &str, gpus: u32) {
        let names: Vec<String> = (0..count).map(|index| format!("data-{index}")).collect();
        let claims = names.iter().map(|name| self.claim(name, class, "ReadWriteOnce"));
        self.apply(&claims.chain([self.group(count)]).collect::<Vec<_>>());
        let pod = |(index, claim): (usize, &String)| {
            let pod = self.pod(&format!("w-{index}"), Some(claim));
            pod.gpus(gpus).label("muster.sh/pod-group", "g")
        };
        self.add(&names.iter().enumerate().map(pod).collect::<Vec<_>>()).await;
    }

    pub(crate) async fn add(&self, pods: &[FakePod]) {
        self.plane.add_pods(&self.name, pods).await.expect("pods can be made");
    }

    /// Pods and their nodes; empty for none.
    pub(crate) async fn pods(&self) -> BTreeMap<String, String> {
        let pods: Api<Pod> = Api::namespaced(self.client.clone(), &self.name);
        let pods = pods.list(&ListParams::default()).await.expect("pods can be listed");
        let node = |pod: &Pod| pod.spec.as_ref().and_then(|it| it.node_name.clone());
        pods.iter().map(|pod| (pod.name_any(), node(pod).unwrap_or_default())).collect()
    }

    pub(crate) async fn claims(&self) -> Vec<PersistentVolumeClaim> {
        let claims: Api<PersistentVolumeClaim> = Api::namespaced(self.client.clone(), &self.name);
        claims.list(&ListParams::default()).await.expect("claims can be listed").items
    }

    /// Waits until so many pods of this test have nodes.
    pub(crate) async fn bound(&self, count: usize) -> BTreeMap<String, String> {
        eventually(SOON, &format!("{count} pods of {} to be bound", self.name), async || {
            let pods = self.pods().await;
            let bound = pods.values().filter(|node| !node.is_empty()).count();
            if bound == count { Ok(pods) } else { Err(format!("{pods:?} {:#}", self.why().await)) }
        })
        .await
    }

    /// Waits until what is said about the group contains `words`.
    pub(crate) async fn says(&self, words: &str) {
        eventually(SOON, &format!("the group to say {words:?}"), async || {
            let why = self.why().await.to_string();
            if why.contains(words) { Ok(()) } else { Err(why) }
        })
        .await;
    }

    /// Status of the group and events of the namespace.
    pub(crate) async fn why(&self) -> Value {
        let group = format!("/apis/muster.sh/v1alpha1/namespaces/{}/podgroups/g", self.name);
        let events = format!("/apis/events.k8s.io/v1/namespaces/{}/events", self.name);
        let group = self.read(&group).await["status"].take();
        let events = self.read(&events).await["items"].take();
        let events = events.as_array().cloned().unwrap_or_default();
        let notes: Vec<&Value> = events.iter().map(|event| &event["note"]).collect();
        json!({ "status": group, "events": notes })
    }

    pub(crate) async fn read(&self, path: &str) -> Value {
        let request = http::Request::get(path).body(Vec::new()).expect("it is a path");
        self.client.request(request).await.unwrap_or_default()
    }
}

/// The node set on a claim.
pub(crate) fn chosen(claim: &PersistentVolumeClaim) -> Option<&String> {
    claim.annotations().get(e2e::SELECTED_NODE)
}
