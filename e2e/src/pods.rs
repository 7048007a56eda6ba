//! Pods in few words, and the kubelet played by hand.

use crate::fault::{Fault, Trying};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, DeleteParams, Patch, PatchParams};
use kube::{Client, ResourceExt};
use serde_json::{Map, Value, json};

/// Annotation: so long a pod runs under kwok before it ends, such as `2s`. Without it a pod
/// runs until it is deleted.
pub const RUN_FOR: &str = "e2e.muster.sh/run-for";

/// Annotation beside [`RUN_FOR`]: the pod then fails with this exit code.
pub const EXIT_CODE: &str = "e2e.muster.sh/exit-code";

/// A pod to be made: one container that asks for 100m and 64Mi, `schedulerName: muster`,
/// never restarted.
#[derive(Clone, Debug)]
pub struct FakePod {
    name: String,
    labels: Map<String, Value>,
    annotations: Map<String, Value>,
    requests: Map<String, Value>,
    spec: Map<String, Value>,
}

impl FakePod {
    /// A pod called `name`.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        let pod = Self {
            name: name.into(),
            labels: Map::new(),
            annotations: Map::new(),
            requests: Map::new(),
            spec: Map::new(),
        };
        pod.scheduler("muster")
            .spec("restartPolicy", json!("Never"))
            .request("cpu", "100m")
            .request("memory", "64Mi")
    }

    /// `count` pods `PREFIX0`, `PREFIX1`, … of the shape that `shape` gives them.
    pub fn many(count: usize, prefix: &str, shape: impl Fn(Self, usize) -> Self) -> Vec<Self> {
        (0..count).map(|index| shape(Self::new(format!("{prefix}{index}")), index)).collect()
    }

    /// Who shall bind it.
    #[must_use]
    pub fn scheduler(self, name: &str) -> Self {
        self.spec("schedulerName", json!(name))
    }

    /// Asks for so many `nvidia.com/gpu`.
    #[must_use]
    pub fn gpus(self, count: u32) -> Self {
        self.request("nvidia.com/gpu", &count.to_string())
    }

    /// Asks for a quantity of any resource; request and limit are the same.
    #[must_use]
    pub fn request(mut self, name: &str, quantity: &str) -> Self {
        self.requests.insert(name.into(), json!(quantity));
        self
    }

    /// One more label.
    #[must_use]
    pub fn label(mut self, key: &str, value: &str) -> Self {
        self.labels.insert(key.into(), json!(value));
        self
    }

    /// One more annotation.
    #[must_use]
    pub fn annotation(mut self, key: &str, value: &str) -> Self {
        self.annotations.insert(key.into(), json!(value));
        self
    }

    /// Member of a native group.
    #[must_use]
    pub fn native_group(self, name: &str) -> Self {
        self.spec("schedulingGroup", json!({ "podGroupName": name }))
    }

    /// Any field of the spec.
    #[must_use]
    pub fn spec(mut self, field: &str, value: Value) -> Self {
        self.spec.insert(field.into(), value);
        self
    }

    /// The object as the API server takes it.
    ///
    /// # Panics
    /// If a field given to [`spec`](Self::spec) has a shape that no pod has.
    #[must_use]
    pub fn object(&self) -> Pod {
        let mut spec = self.spec.clone();
        spec.entry("containers").or_insert_with(|| {
            json!([{ "name": "main", "image": "example.invalid/main",
                "resources": { "requests": self.requests, "limits": self.requests } }])
        });
        let object = json!({
            "metadata": {
                "name": self.name, "labels": self.labels, "annotations": self.annotations },
            "spec": spec,
        });
        serde_json::from_value(object).expect("a pod of this shape is a pod")
    }
}

/// The kubelet, played by the test: says what became of bound pods.
#[derive(Clone)]
pub struct Kubelet {
    pods: Api<Pod>,
}

impl Kubelet {
    /// The kubelet of all nodes, for the pods of one namespace.
    #[must_use]
    pub fn new(client: Client, namespace: &str) -> Self {
        Self { pods: Api::namespaced(client, namespace) }
    }

    /// The pod runs and is ready.
    pub async fn runs(&self, pod: &str) -> Result<(), Fault> {
        let ready = json!([{ "type": "Ready", "status": "True" }]);
        self.report(pod, json!({ "phase": "Running", "conditions": ready })).await
    }

    /// The pod ended well.
    pub async fn succeeded(&self, pod: &str) -> Result<(), Fault> {
        self.report(pod, json!({ "phase": "Succeeded" })).await
    }

    /// The pod ended badly; a kubelet that refuses a pod gives the reason `OutOfcpu` or
    /// `UnexpectedAdmissionError`.
    pub async fn failed(&self, pod: &str, reason: &str) -> Result<(), Fault> {
        let message = format!("Pod was rejected: {reason}");
        let status = json!({ "phase": "Failed", "reason": reason, "message": message });
        self.report(pod, status).await
    }

    /// Merges any status.
    pub async fn report(&self, pod: &str, status: Value) -> Result<(), Fault> {
        let patch = Patch::Strategic(json!({ "status": status }));
        let done = self.pods.patch_status(pod, &PatchParams::default(), &patch).await;
        done.map(|_| ()).trying(|| format!("reporting on pod {pod}"))
    }

    /// Finishes the deletion of pods that are terminating, as kubelets do when the containers
    /// are gone. Gives their names.
    pub async fn finish_deletions(&self) -> Result<Vec<String>, Fault> {
        let listed = self.pods.list(&Default::default()).await;
        let mut names = Vec::new();
        for pod in listed.trying(|| "listing pods".to_owned())? {
            if pod.metadata.deletion_timestamp.is_some() {
                let name = pod.name_any();
                let now = DeleteParams::default().grace_period(0);
                // Somebody else may have been faster.
                let _ = self.pods.delete(&name, &now).await;
                names.push(name);
            }
        }
        Ok(names)
    }
}

impl std::fmt::Debug for Kubelet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kubelet").finish_non_exhaustive()
    }
}
