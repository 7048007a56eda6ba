//! A control plane with kube-scheduler on which one case after the other is laid out.
//!
//! kube-scheduler sees objects a moment after they were made, and each kind by itself. So each
//! layout ends with a mark on a node, a namespace and a pod of the bench's own, and the question
//! is asked only when kube-scheduler has bound a pod that needs all three marks: what was made
//! before is then known to it. The node of the bench has no host name and is tainted; no rule
//! sees it but a pod that tolerates everything, and for that the extender leaves it out.

use crate::case::{Case, of_kind, text};
use crate::extender::{Extender, MARKER};
use e2e::{ControlPlane, Process, eventually, kube_scheduler_with};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// How long kube-scheduler may take for one pod on a busy machine.
const SOON: Duration = Duration::from_secs(60);

/// The label by which the bench's own pod knows that all was seen.
const MARK: &str = "e2e.muster.sh/mark";

/// The control plane, and how many pods the bench has made.
pub(crate) struct Bench {
    _scheduler: Process,
    _plane: ControlPlane,
    client: kube::Client,
    extender: Extender,
    made: usize,
}

/// What kube-scheduler was asked, and what it said.
pub(crate) struct Asked {
    /// The objects as the API server gives them back.
    pub(crate) objects: Vec<Value>,
    /// The pod as the API server took it.
    pub(crate) pod: Value,
    /// Nodes that passed all filters.
    pub(crate) accepting: BTreeSet<String>,
    /// Why the others did not; empty if the pod was bound.
    pub(crate) said: String,
}

impl Bench {
    /// A control plane without controllers: nothing changes but by the bench.
    pub(crate) async fn start() -> Self {
        let plane = ControlPlane::builder()
            .without_controllers()
            // Taints compared as numbers are an alpha feature.
            .feature("TaintTolerationComparisonOperators=true")
            // A pod like the one before is tried on a hinted node alone.
            .feature("OpportunisticBatching=false")
            .start()
            .await;
        let extender = Extender::start().await;
        let scheduler = kube_scheduler_with(&plane, "muster", &extender.config());
        let scheduler = scheduler.expect("kube-scheduler starts");
        let client = plane.client();
        let bench = Self { _scheduler: scheduler, _plane: plane, client, extender, made: 0 };
        bench.make_marker().await;
        bench
    }

    /// Lays `case` out, asks kube-scheduler and clears up.
    ///
    /// # Errors
    /// What the API server said if it took one of the objects for wrong.
    pub(crate) async fn ask(&mut self, case: &Case) -> Result<Asked, String> {
        let asked = match self.lay_out(case).await {
            Ok(objects) => {
                self.wait_until_all_is_seen().await;
                self.put_question(case, objects).await
            }
            Err(refused) => Err(refused),
        };
        self.clear(case).await;
        asked
    }

    /// Makes all objects, and gives them back as the API server has them.
    async fn lay_out(&self, case: &Case) -> Result<Vec<Value>, String> {
        let mut made = Vec::new();
        for namespace in namespaces(case) {
            let stated = of_kind(&case.objects, "Namespace")
                .find(|it| text(it, "/metadata/name") == namespace)
                .cloned();
            let object = stated.unwrap_or_else(|| {
                json!({ "apiVersion": "v1", "kind": "Namespace",
                    "metadata": { "name": namespace } })
            });
            let path = format!("/api/v1/namespaces/{namespace}");
            // Namespaces do not go without their controller; the next case takes them over.
            made.push(match self.send("PUT", &path, &object).await {
                Ok(object) => object,
                Err(_) => self.send("POST", "/api/v1/namespaces", &object).await?,
            });
        }
        let others = case.objects.iter().filter(|it| it["kind"] != "Namespace");
        for object in others {
            let new = self.send("POST", &collection(object), object).await?;
            made.push(if object["kind"] == "Pod" {
                self.grown_old(object, new).await?
            } else {
                new
            });
        }
        Ok(made)
    }

    /// What cannot be said while a pod is made: its phase, and that it is terminating.
    async fn grown_old(&self, pod: &Value, new: Value) -> Result<Value, String> {
        let mut seen = new;
        let path = format!("{}/{}", collection(pod), text(pod, "/metadata/name"));
        if !pod["status"].is_null() && pod["status"] != json!({ "phase": "Pending" }) {
            let status = json!({ "status": pod["status"] });
            seen = self.send("PATCH", &format!("{path}/status"), &status).await?;
        }
        if !text(pod, "/metadata/deletionTimestamp").is_empty() {
            seen = self.send("DELETE", &path, &json!({ "gracePeriodSeconds": 3600 })).await?;
        }
        Ok(seen)
    }

    async fn put_question(&self, case: &Case, objects: Vec<Value>) -> Result<Asked, String> {
        let pod = self.send("POST", &collection(&case.pod), &case.pod).await?;
        let (node, said) = self.verdict(&pod).await;
        let accepting = self.extender.heard(text(&pod, "/metadata/uid"));
        assert_eq!(node.is_empty(), accepting.is_empty(), "{}: {said}", case.name);
        assert!(node.is_empty() || accepting.contains(&node), "{}: bound to {node}", case.name);
        Ok(Asked { objects, pod, accepting, said })
    }

    /// The node that a pod got, or why it got none.
    async fn verdict(&self, pod: &Value) -> (String, String) {
        let path = format!("{}/{}", collection(pod), text(pod, "/metadata/name"));
        eventually(SOON, "kube-scheduler to decide", async || {
            let pod = self.send("GET", &path, &Value::Null).await?;
            let node = text(&pod, "/spec/nodeName").to_owned();
            if !node.is_empty() {
                return Ok((node, String::new()));
            }
            let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
            let no = conditions.into_iter().find(|it| it["reason"] == "Unschedulable");
            no.map(|it| (node, text(it, "/message").to_owned())).ok_or(pod.to_string())
        })
        .await
    }

    async fn clear(&self, case: &Case) {
        let now = json!({ "gracePeriodSeconds": 0 });
        for namespace in namespaces(case) {
            let pods = format!("/api/v1/namespaces/{namespace}/pods");
            self.send("DELETE", &pods, &now).await.expect("pods can be deleted");
        }
        let nodes = format!("/api/v1/nodes?labelSelector=!{MARK}");
        self.send("DELETE", &nodes, &now).await.expect("nodes can be deleted");
        let rest = |it: &&Value| !matches!(text(it, "/kind"), "Namespace" | "Node" | "Pod");
        for object in case.objects.iter().filter(rest) {
            let path = format!("{}/{}", collection(object), text(object, "/metadata/name"));
            // It is not there if the API server refused it.
            let _ = self.send("DELETE", &path, &now).await;
        }
    }

    async fn make_marker(&self) {
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace",
            "metadata": { "name": MARKER } });
        let node = json!({ "apiVersion": "v1", "kind": "Node",
            "metadata": { "name": MARKER, "labels": { MARK: "" } },
            "spec": { "taints": [{ "key": MARK, "effect": "NoSchedule" }] },
            "status": { "allocatable": { "pods": "110" }, "capacity": { "pods": "110" },
                "conditions": [{ "type": "Ready", "status": "True" }] } });
        let pod = json!({ "apiVersion": "v1", "kind": "Pod",
            "metadata": { "name": MARKER, "namespace": MARKER },
            "spec": { "nodeName": MARKER, "schedulerName": "another",
                "containers": [{ "name": "main", "image": "example.invalid/main" }] } });
        for object in [namespace, node, pod] {
            self.send("POST", &collection(&object), &object).await.expect("the marker is taken");
        }
    }

    async fn wait_until_all_is_seen(&mut self) {
        self.made += 1;
        let mark = format!("mark-{}", self.made);
        let marked = json!({ "metadata": { "labels": { MARK: mark } } });
        let (node, namespace, pod) = tokio::join!(
            self.send("PATCH", "/api/v1/nodes/marker", &marked),
            self.send("PATCH", "/api/v1/namespaces/marker", &marked),
            self.send("PATCH", "/api/v1/namespaces/marker/pods/marker", &marked),
        );
        node.and(namespace).and(pod).expect("the marks are taken");
        let selector = json!({ "matchLabels": { MARK: mark } });
        let near = json!({ "topologyKey": MARK, "labelSelector": selector,
            "namespaceSelector": selector });
        eventually(SOON, "kube-scheduler to see the layout", async || {
            let name = format!("{mark}-{}", self.made);
            self.made += 1;
            let pod = json!({ "apiVersion": "v1", "kind": "Pod",
                "metadata": { "name": name, "namespace": MARKER },
                "spec": { "schedulerName": "muster", "nodeSelector": { MARK: mark },
                    "tolerations": [{ "operator": "Exists" }],
                    "affinity": { "podAffinity": {
                        "requiredDuringSchedulingIgnoredDuringExecution": [near] } },
                    "containers": [{ "name": "main", "image": "example.invalid/main" }] } });
            let pod = self.send("POST", &collection(&pod), &pod).await?;
            let (node, said) = self.verdict(&pod).await;
            let path = format!("{}/{name}", collection(&pod));
            self.send("DELETE", &path, &json!({ "gracePeriodSeconds": 0 })).await?;
            if node == MARKER { Ok(()) } else { Err(said) }
        })
        .await;
    }

    async fn send(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let kind = match method {
            "PATCH" => "application/merge-patch+json",
            _ => "application/json",
        };
        let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let request = http::Request::builder().method(method).uri(path);
        let request = request.header("content-type", kind).body(bytes);
        let request = request.expect("paths and methods are plain");
        self.client.request(request).await.map_err(|it| format!("{method} {path}: {it}"))
    }
}

/// Where objects like this one are made.
fn collection(object: &Value) -> String {
    let plural = match text(object, "/kind") {
        "Node" => "/api/v1/nodes",
        "Namespace" => "/api/v1/namespaces",
        "RuntimeClass" => "/apis/node.k8s.io/v1/runtimeclasses",
        "DaemonSet" => {
            let namespace = text(object, "/metadata/namespace");
            return format!("/apis/apps/v1/namespaces/{namespace}/daemonsets");
        }
        "Pod" => {
            let namespace = text(object, "/metadata/namespace");
            return format!("/api/v1/namespaces/{namespace}/pods");
        }
        other => panic!("no case has a {other} yet"),
    };
    plural.to_owned()
}

/// All namespaces that a case mentions.
fn namespaces(case: &Case) -> BTreeSet<String> {
    let of = |object: &Value| match text(object, "/kind") {
        "Namespace" => text(object, "/metadata/name").to_owned(),
        _ => text(object, "/metadata/namespace").to_owned(),
    };
    let all = case.objects.iter().chain([&case.pod]).map(of);
    all.filter(|namespace| !namespace.is_empty()).collect()
}
