//! A real Prometheus scrapes the running binary, with the alert rules that are shipped: every
//! query of every dashboard has an answer, and every metric and label in queries and rules is
//! there.

use e2e::promql::{self, Query};
use e2e::{ControlPlane, FakeNode, FakePod, Kubelet, Muster, Nodes, Prometheus, eventually};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, DeleteParams, ListParams};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(90);
const GPU: &str = "nvidia.com/gpu";

/// A panel that is to be empty while nothing is wrong; all others show something.
const EMPTY_WHEN_WELL: &str = "cluster.json: Watches without a full list";

const CONFIG: &str = "\
schedulerNames: [muster]
leaderElection: { enabled: false }
timings: { repairGrace: 2s }
metrics: { volcanoNames: true }
log: { format: text }
";

const QUEUES: &str = "\
{apiVersion: muster.sh/v1alpha1, kind: Queue, metadata: {name: red}, spec: {limit: {nvidia.com/gpu: 16, cpu: 100}}}
---
{apiVersion: muster.sh/v1alpha1, kind: Queue, metadata: {name: blue}, spec: {limit: {nvidia.com/gpu: 64}}}
---
{apiVersion: muster.sh/v1alpha1, kind: PodGroup, metadata: {name: large, namespace: stage}, spec: {minAvailable: 3, queue: blue}}
---
{apiVersion: muster.sh/v1alpha1, kind: PodGroup, metadata: {name: mended, namespace: stage}, spec: {minAvailable: 2, queue: red}}
";

/// A cluster on which everything that is counted happens.
struct Stage {
    plane: ControlPlane,
    kubelet: Kubelet,
    pods: Api<Pod>,
}

async fn stage() -> (Stage, Muster) {
    let plane = ControlPlane::builder().nodes(Nodes::Kwok).start().await;
    let kinds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../manifests/crds");
    plane.crds(&kinds).await.expect("the kinds are taken");
    plane.namespace("stage").await.expect("a namespace can be made");
    plane.apply(QUEUES).expect("queues and group are taken");
    plane.add_nodes(&FakeNode::many(2, "n", |node, _| node.gpus(8))).await.expect("nodes");
    let muster = plane.muster().config(CONFIG).start();
    let mut muster = muster.expect("muster starts");
    muster.ready(SOON).await.expect("muster is ready");
    let client = plane.client();
    let kubelet = Kubelet::new(client.clone(), "stage");
    (Stage { plane, kubelet, pods: Api::namespaced(client, "stage") }, muster)
}

impl Stage {
    async fn add(&self, pods: &[FakePod]) {
        self.plane.add_pods("stage", pods).await.expect("pods can be made");
    }

    /// Waits until so many pods with the label have a node; their names and nodes.
    async fn bound(&self, label: &str, count: usize) -> Vec<(String, String)> {
        eventually(SOON, &format!("{count} pods {label} to be bound"), async || {
            let list = self.pods.list(&ListParams::default().labels(label)).await;
            let list = list.map_err(|fault| fault.to_string())?;
            let place = |pod: &Pod| {
                let node = pod.spec.as_ref()?.node_name.clone()?;
                let is_over = pod.status.as_ref()?.phase.as_deref() == Some("Failed");
                (!is_over).then(|| (pod.metadata.name.clone().unwrap_or_default(), node))
            };
            let places: Vec<_> = list.iter().filter_map(place).collect();
            if places.len() == count { Ok(places) } else { Err(format!("{places:?}")) }
        })
        .await
    }

    /// Ends the containers of a pod that is being deleted, as a kubelet does.
    async fn end(&self, pod: &str) {
        eventually(SOON, &format!("{pod} to be deleted"), async || {
            let Ok(object) = self.pods.get(pod).await else { return Ok(()) };
            if object.metadata.deletion_timestamp.is_none() {
                return Err("nobody deletes it".to_owned());
            }
            let _ = self.kubelet.report(pod, json!({ "phase": "Failed" })).await;
            Ok(())
        })
        .await;
    }

    /// A gang waits, one is turned away by a kubelet, one breaks and is repaired, and one is
    /// released.
    async fn happens(&self) {
        let large = |pod: FakePod, _| pod.gpus(8).label("muster.sh/pod-group", "large");
        self.add(&FakePod::many(3, "large-", large)).await;
        self.add(&[FakePod::new("refused").label("is", "refused")]).await;
        self.bound("is=refused", 1).await;
        self.kubelet.failed("refused", "OutOfcpu").await.expect("the pod is there");
        self.plane.apply(&job().to_string()).expect("the Job is taken");
        let members = self.bound("is=job", 2).await;
        // Its replacement finds no room, so the gang is released; then there is room again.
        self.plane.kubectl(&["cordon", &members[0].1]).expect("the node is there");
        let gone = self.pods.delete(&members[0].0, &DeleteParams::default()).await;
        gone.expect("the pod was there");
        self.end(&members[0].0).await;
        self.end(&members[1].0).await;
        self.plane.kubectl(&["uncordon", &members[0].1]).expect("the node is there");
        let mended = |name: &str| FakePod::new(name).label("muster.sh/pod-group", "mended");
        self.add(&[mended("mended-0"), mended("mended-1")]).await;
        self.bound("muster.sh/pod-group=mended", 2).await;
        let gone = self.pods.delete("mended-0", &DeleteParams::default()).await;
        gone.expect("the pod was there");
        self.add(&[mended("mended-2")]).await;
    }

    /// Gangs of one that start as time goes by, so that rates are not zero.
    async fn goes_on(&self) {
        for number in 0.. {
            let pod = FakePod::new(format!("step-{number}")).label("muster.sh/queue", "red");
            self.add(&[pod]).await;
            tokio::time::sleep(Duration::from_millis(700)).await;
        }
    }
}

/// A gang of two that fills both nodes.
fn job() -> Value {
    let container = json!({ "name": "c", "image": "example.invalid/c",
        "resources": { "limits": { GPU: "8" } } });
    json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": { "name": "job", "namespace": "stage",
            "labels": { "muster.sh/queue": "red" } },
        "spec": { "parallelism": 2, "completions": 2, "completionMode": "Indexed",
            "podFailurePolicy": { "rules": [
                { "action": "Ignore", "onPodConditions": [{ "type": "DisruptionTarget" }] }] },
            "template": {
                "metadata": { "labels": { "is": "job", "muster.sh/queue": "red" } },
                "spec": { "schedulerName": "muster", "restartPolicy": "Never",
                    "containers": [container] } } },
    })
}

async fn scraping(plane: &ControlPlane, muster: &Muster) -> Prometheus {
    let target = muster.admin_url().replace("http://", "");
    let config = format!(
        "global: {{ scrape_interval: 1s, evaluation_interval: 1s }}\nrule_files: [alerts.yml]\n\
         scrape_configs: [{{ job_name: muster, static_configs: [{{ targets: ['{target}'] }}] }}]\n"
    );
    let rules = e2e::manifests::text("monitoring/alerts.yaml").expect("the rules are there");
    let prometheus = Prometheus::start(plane, &config, &[("alerts.yml", &rules)]).await;
    prometheus.expect("it takes the rules and starts")
}

/// Why a query shows nothing; `None` if it shows a number.
async fn blank(prometheus: &Prometheus, query: &Query) -> Option<String> {
    let place = &query.place;
    let filled = query.filled(GPU);
    let asked = if place == EMPTY_WHEN_WELL { filled.replace(" > 0", "") } else { filled };
    let series = match prometheus.query(&asked).await {
        Ok(series) => series,
        Err(fault) => return Some(format!("{place}: {fault}")),
    };
    let is_number = |one: &Value| {
        one["value"][1].as_str().and_then(|it| it.parse::<f64>().ok()).is_some_and(f64::is_finite)
    };
    if series.iter().any(is_number) { None } else { Some(format!("{place}: {asked}: {series:?}")) }
}

/// Metrics and labels of the queries that no series has.
async fn unknown(prometheus: &Prometheus, queries: &[Query]) -> Vec<String> {
    let mut unknown = Vec::new();
    for query in queries {
        for of in query.uses() {
            let labels = of.labels.iter().map(|label| format!("{label}!=\"\""));
            let asked = format!("{}{{{}}}", of.metric, labels.collect::<Vec<_>>().join(","));
            match prometheus.query(&asked).await {
                Ok(series) if !series.is_empty() => {}
                other => unknown.push(format!("{}: {asked}: {other:?}", query.place)),
            }
        }
    }
    unknown
}

#[tokio::test]
async fn every_query_of_every_dashboard_and_rule_finds_its_series() {
    let (stage, muster) = stage().await;
    let prometheus = scraping(&stage.plane, &muster).await;
    let dashboards = promql::dashboards().expect("dashboards can be read");
    let alerts = promql::alerts().expect("rules can be read");
    assert!(dashboards.len() > 40 && alerts.len() > 5, "the dashboards and rules are read");
    let asked = async {
        stage.happens().await;
        eventually(SOON, "every panel to show a number", async || {
            let mut blanks = Vec::new();
            for query in &dashboards {
                blanks.extend(blank(&prometheus, query).await);
            }
            if blanks.is_empty() { Ok(()) } else { Err(blanks.join("\n")) }
        })
        .await;
        let missing = unknown(&prometheus, &[&dashboards[..], &alerts[..]].concat()).await;
        assert!(missing.is_empty(), "{}", missing.join("\n"));
        let well = prometheus.query("sum(1 - muster_watch_synced) > 0").await;
        assert_eq!(well.expect("it answers"), Vec::<Value>::new());
    };
    tokio::select! {
        () = asked => {}
        () = stage.goes_on() => unreachable!("it never ends"),
    }
    let (status, body) =
        e2e::get(&format!("{}/api/v1/rules", prometheus.url())).await.expect("it answers");
    let rules: Value = serde_json::from_str(&body).expect("it is JSON");
    let groups = rules["data"]["groups"].as_array().into_iter().flatten();
    let rules: Vec<&Value> =
        groups.flat_map(|group| group["rules"].as_array().into_iter().flatten()).collect();
    assert!(status == 200 && rules.len() == alerts.len(), "{body}");
    for rule in rules {
        assert_eq!(rule["health"], "ok", "{rule:#}");
    }
}
