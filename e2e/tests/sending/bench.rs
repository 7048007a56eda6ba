//! One control plane for all tests of this file, and a sender to it.

use e2e::{ControlPlane, FakeNode, FakePod, Volcano};
use kube::config::{KubeConfigOptions, Kubeconfig};
use scheduler_kube::clock::Clock;
use scheduler_kube::send::{Encoder, Sender, Served};
use scheduler_model::time::{Span, Time};
use scheduler_protocol::answer::{Answer, Reply};
use scheduler_protocol::call::{Call, CallId, PodRef, Send};
use serde_json::Value;
use std::path::Path;
use tokio::sync::OnceCell;

static PLANE: OnceCell<ControlPlane> = OnceCell::const_new();

/// 2026-11-30T06:00:00Z.
pub(crate) const NOW: Time = Time::from_ms(1_796_018_400_000);

/// The group kind of the coscheduling plugin, as far as it matters here.
const COSCHEDULING: &str = r"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: podgroups.scheduling.x-k8s.io}
spec:
  group: scheduling.x-k8s.io
  scope: Namespaced
  names: {plural: podgroups, singular: podgroup, kind: PodGroup, listKind: PodGroupList}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {minMember: {type: integer, format: int32}}
          status:
            type: object
            properties:
              phase: {type: string}
              occupiedBy: {type: string}
              scheduleStartTime: {type: string, format: date-time}
              running: {type: integer, format: int32}
              succeeded: {type: integer, format: int32}
              failed: {type: integer, format: int32}
";

pub(crate) async fn plane() -> &'static ControlPlane {
    let make = || async {
        let plane = ControlPlane::builder().without_controllers().native_groups().start().await;
        let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../manifests/crds");
        plane.crds(&ours).await.expect("our CRDs are accepted");
        let file = plane.folder().join("coscheduling.yaml");
        std::fs::write(&file, COSCHEDULING).expect("a file can be written");
        plane.crds(&file).await.expect("the CRD is accepted");
        Volcano::install(&plane).await.expect("Volcano's CRDs are accepted");
        plane.add_nodes(&[FakeNode::new("n1")]).await.expect("a node can be made");
        plane
    };
    PLANE.get_or_init(make).await
}

/// Sends calls, and reads what came of them.
pub(crate) struct Bench {
    plane: &'static ControlPlane,
    sender: Sender,
    pub(crate) namespace: String,
}

impl Bench {
    /// A bench in a namespace of its own.
    pub(crate) async fn new(namespace: &str) -> Self {
        let plane = plane().await;
        plane.namespace(namespace).await.expect("a namespace can be made");
        let file = Kubeconfig::read_from(plane.admin_kubeconfig()).expect("it is a kubeconfig");
        let options = KubeConfigOptions::default();
        let config = kube::Config::from_custom_kubeconfig(file, &options).await;
        let config = config.expect("it names a cluster");
        let served = Served { volcano_queues: Some("v1beta1".to_owned()), ..Served::default() };
        let encoder = Encoder { instance: "e2e".to_owned(), served };
        let sender = Sender::new(&config, Clock::start(), encoder).expect("it makes a client");
        Self { plane, sender, namespace: namespace.to_owned() }
    }

    /// The answer to a call.
    pub(crate) async fn send(&self, call: Call) -> Reply {
        let timeout = Span::from_secs(10);
        let send = Send { id: CallId(1), call, timeout, not_after: Time::NEVER };
        match self.sender.send(send).await {
            Answer::Reply(reply) => reply,
            other => panic!("the server is there and answers, not: {other:?}"),
        }
    }

    /// The code of the answer to a call.
    pub(crate) async fn code(&self, call: Call) -> u16 {
        let reply = self.send(call).await;
        reply.code
    }

    /// What stands at a path below the namespace, such as `api/v1` and `pods/p`.
    pub(crate) async fn object(&self, api: &str, path: &str) -> Value {
        self.read(&format!("/{api}/namespaces/{}/{path}", self.namespace)).await
    }

    /// What stands at a path.
    pub(crate) async fn read(&self, path: &str) -> Value {
        let request = http::Request::get(path).body(Vec::new()).expect("it is a path");
        let read = self.plane.client().request(request).await;
        read.unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Applies a manifest into the namespace, and returns the uid of what it made.
    pub(crate) async fn make(&self, api: &str, path: &str, manifest: &str) -> String {
        let manifest = manifest.replace("NAMESPACE", &self.namespace);
        self.plane.apply(&manifest).expect("the manifest is accepted");
        let object = self.object(api, path).await;
        object["metadata"]["uid"].as_str().expect("it has a uid").to_owned()
    }

    /// Applies a manifest of something that is in no namespace.
    pub(crate) fn apply(&self, manifest: &str) {
        self.plane.apply(manifest).expect("the manifest is accepted");
    }

    /// A pod that waits.
    pub(crate) async fn pod(&self, name: &str) -> PodRef {
        let pods = [FakePod::new(name)];
        self.plane.add_pods(&self.namespace, &pods).await.expect("a pod can be made");
        let object = self.object("api/v1", &format!("pods/{name}")).await;
        PodRef {
            namespace: self.namespace.clone(),
            name: name.to_owned(),
            uid: object["metadata"]["uid"].as_str().expect("it has a uid").to_owned(),
        }
    }
}

/// The same pod under the name of another that was there before.
pub(crate) fn stale(pod: &PodRef) -> PodRef {
    PodRef { uid: "00000000-0000-0000-0000-000000000000".to_owned(), ..pod.clone() }
}
