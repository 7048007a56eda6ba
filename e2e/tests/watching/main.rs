//! Watching a real API server: whole lists before anything is decided, kinds that come and go,
//! garbage, refusals, broken connections.

mod bench;

use bench::{Watching, quick};
use e2e::{ControlPlane, FakeNode, FakePod, Kubelet, Line, Relay, eventually};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, DeleteParams};
use scheduler_kube::watch::WatchConfig;
use scheduler_model::spec::PodPhase;
use std::path::Path;
use std::time::Duration;
use tokio::sync::OnceCell;

static PLANE: OnceCell<ControlPlane> = OnceCell::const_new();

/// One control plane for tests that leave the API server alone.
async fn plane() -> &'static ControlPlane {
    PLANE
        .get_or_init(|| ControlPlane::builder().without_controllers().native_groups().start())
        .await
}

fn ours(name: &str) -> FakePod {
    FakePod::new(name).scheduler("muster")
}

fn theirs(name: &str) -> FakePod {
    FakePod::new(name).scheduler("somebody-else")
}

/// A kind whose schema lets everything pass.
fn crd(group: &str, version: &str, kind: &str, plural: &str, scope: &str) -> String {
    let singular = kind.to_lowercase();
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.{group}}}
spec:
  group: {group}
  scope: {scope}
  names: {{plural: {plural}, singular: {singular}, kind: {kind}, listKind: {kind}List}}
  versions:
  - name: {version}
    served: true
    storage: true
    schema: {{openAPIV3Schema: {{type: object, x-kubernetes-preserve-unknown-fields: true}}}}
"
    )
}

async fn delete_pod(plane: &ControlPlane, namespace: &str, name: &str) {
    let pods: Api<Pod> = Api::namespaced(plane.client(), namespace);
    let now = DeleteParams::default().grace_period(0);
    pods.delete(name, &now).await.expect("the pod can be deleted");
}

#[tokio::test]
async fn everything_is_told_before_it_is_ready() {
    let plane = plane().await;
    plane.namespace("whole").await.expect("a namespace can be made");
    plane.add_nodes(&[FakeNode::new("whole-n").gpus(8)]).await.expect("a node can be made");
    let pods = FakePod::many(20, "p", |pod, number| {
        if number % 2 == 0 { pod.scheduler("muster") } else { pod.scheduler("somebody-else") }
    });
    plane.add_pods("whole", &pods).await.expect("pods can be made");

    let mut watching = Watching::of(plane, WatchConfig::default()).await;
    watching.until("readiness", |seen| seen.is_ready).await;

    let seen = &watching.seen;
    assert!(seen.nodes.contains_key("whole-n"));
    let told = seen.pods.values().filter(|pod| pod.namespace == "whole");
    let (mine, others): (Vec<_>, Vec<_>) = told.partition(|pod| pod.ours);
    assert_eq!((mine.len(), others.len()), (10, 10));
    assert_eq!(watching.hub.readiness().missing, Vec::<String>::new());
    let standings = watching.hub.standings();
    assert!(standings.iter().all(|one| one.is_told), "{standings:#?}");
}

#[tokio::test]
async fn a_list_in_pages_tells_the_same() {
    let plane = plane().await;
    plane.namespace("pages").await.expect("a namespace can be made");
    let pods = FakePod::many(23, "p", |pod, _| pod.scheduler("muster"));
    plane.add_pods("pages", &pods).await.expect("pods can be made");
    let mut config = WatchConfig::default();
    config.times.page = 4;
    config.times.can_stream = false;
    let mut watching = Watching::of(plane, config).await;
    watching.until("readiness", |seen| seen.is_ready).await;
    let told = watching.seen.pods.keys().filter(|name| name.starts_with("pages/"));
    assert_eq!(told.count(), 23);
    plane.add_pods("pages", &[ours("late")]).await.expect("a pod can be made");
    watching.until("the late pod", |seen| seen.has_pods(&["pages/late"])).await;
}

#[tokio::test]
async fn a_list_that_does_not_fit_into_a_page_comes_as_a_stream() {
    let plane = plane().await;
    plane.namespace("streams").await.expect("a namespace can be made");
    let pods = FakePod::many(9, "s", |pod, _| pod.scheduler("muster"));
    plane.add_pods("streams", &pods).await.expect("pods can be made");
    let mut config = WatchConfig::default();
    config.times.page = 4;
    let mut watching = Watching::of(plane, config).await;
    watching.until("readiness", |seen| seen.is_ready).await;
    let told = watching.seen.pods.keys().filter(|name| name.starts_with("streams/"));
    assert_eq!(told.count(), 9);
    plane.add_pods("streams", &[ours("late")]).await.expect("a pod can be made");
    watching.until("the late pod", |seen| seen.has_pods(&["streams/late"])).await;
}

#[tokio::test]
async fn a_finished_pod_of_others_leaves_and_one_of_ours_stays() {
    let plane = plane().await;
    plane.namespace("ends").await.expect("a namespace can be made");
    plane.add_nodes(&[FakeNode::new("ends-n")]).await.expect("a node can be made");
    let on_node = |pod: FakePod| pod.spec("nodeName", "ends-n".into());
    let pods = [on_node(ours("mine")), on_node(theirs("other"))];
    plane.add_pods("ends", &pods).await.expect("pods can be made");
    let mut watching = Watching::of(plane, quick()).await;
    watching.until("both", |seen| seen.has_pods(&["ends/mine", "ends/other"])).await;

    let kubelet = Kubelet::new(plane.client(), "ends");
    for name in ["mine", "other"] {
        kubelet.succeeded(name).await.expect("its status can be written");
    }
    watching
        .until("one to leave and one to end", |seen| {
            !seen.pods.contains_key("ends/other")
                && seen.pods["ends/mine"].phase == PodPhase::Succeeded
        })
        .await;
}

#[tokio::test]
async fn a_native_group_is_read_in_the_version_that_is_served() {
    let plane = plane().await;
    plane.namespace("native").await.expect("a namespace can be made");
    let mut watching = Watching::of(plane, quick()).await;
    let group = "apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: g, namespace: native}
spec: {schedulingPolicy: {gang: {minCount: 3}}}
";
    plane.apply(group).expect("the group is accepted");
    watching.until("the group", |seen| seen.gangs.contains_key("native/g")).await;
    assert_eq!(watching.seen.gangs["native/g"].min, 3);
}

#[tokio::test]
async fn a_kind_that_comes_late_is_read_and_one_that_goes_takes_its_objects_along() {
    let plane = ControlPlane::builder().without_controllers().start().await;
    let mut watching = Watching::of(&plane, quick()).await;
    watching.until("readiness", |seen| seen.is_ready).await;

    let crds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../manifests/crds");
    plane.crds(&crds).await.expect("the CRDs are accepted");
    let volcano = crd("scheduling.volcano.sh", "v1beta1", "Queue", "queues", "Cluster");
    plane.apply(&volcano).expect("the CRD is accepted");
    let ours = "apiVersion: muster.sh/v1alpha1
kind: Queue
metadata: {name: research}
spec: {weight: 3}
";
    let theirs = "apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: theirs}
spec: {weight: 2}
";
    for queue in [ours, theirs] {
        let made = async || plane.apply(queue).map_err(|fault| fault.to_string());
        eventually(Duration::from_secs(20), "a queue to be accepted", made).await;
    }
    watching
        .until("both queues", |seen| {
            seen.queues.contains_key("research") && seen.queues.contains_key("theirs")
        })
        .await;

    plane.kubectl(&["delete", "crd", "queues.scheduling.volcano.sh"]).expect("it goes");
    watching.until("one queue to go", |seen| !seen.queues.contains_key("theirs")).await;
    assert!(watching.seen.queues.contains_key("research"));
    plane.add_pods("default", &[self::ours("after")]).await.expect("a pod can be made");
    watching.until("a pod after all that", |seen| seen.has_pods(&["default/after"])).await;

    // The same kind once more: it is watched again.
    plane.apply(&volcano).expect("the CRD is accepted");
    let made = async || plane.apply(theirs).map_err(|fault| fault.to_string());
    eventually(Duration::from_secs(20), "a queue to be accepted", made).await;
    watching.until("the queue again", |seen| seen.queues.contains_key("theirs")).await;
}

#[tokio::test]
async fn garbage_is_one_objects_problem() {
    let plane = plane().await;
    let hypernodes = crd("topology.volcano.sh", "v1alpha1", "HyperNode", "hypernodes", "Cluster");
    let volcano = crd("scheduling.volcano.sh", "v1beta1", "Queue", "queues", "Cluster");
    plane.apply(&format!("{hypernodes}---\n{volcano}")).expect("the CRDs are accepted");
    let queues = "apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: broken}
spec: {capability: [these, are, no, limits]}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: odd}
spec: 7
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: fine}
spec: {weight: 2}
";
    let made = async || plane.apply(queues).map_err(|fault| fault.to_string());
    eventually(Duration::from_secs(20), "the queues to be accepted", made).await;

    let mut watching = Watching::of(plane, quick()).await;
    watching.until("the good one", |seen| seen.queues.contains_key("fine")).await;
    let told = |name: &str| {
        let object = format!("Queue {name}");
        watching.seen.problems.iter().filter(|one| one.object == object).count()
    };
    assert_eq!((told("broken"), told("odd")), (1, 1), "{:#?}", watching.seen.problems);
    assert!(!watching.seen.queues.contains_key("broken"));

    // A good one that turns bad keeps its last good form; mended, it counts again.
    let fine = |spec: &str| {
        format!(
            "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {{name: fine}}\n\
             spec: {spec}\n"
        )
    };
    plane
        .kubectl(&[
            "patch",
            "queues.scheduling.volcano.sh",
            "fine",
            "--type=json",
            "-p",
            r#"[{"op":"replace","path":"/spec","value":7}]"#,
        ])
        .expect("it is accepted");
    watching
        .until("the complaint", |seen| seen.problems.iter().any(|one| one.object == "Queue fine"))
        .await;
    assert_eq!(watching.seen.queues["fine"].weight, 2);
    plane.kubectl(&["delete", "queues.scheduling.volcano.sh", "fine"]).expect("it goes");
    plane.apply(&fine("{weight: 5}")).expect("it is accepted");
    watching
        .until("the mended one", |seen| {
            seen.queues.get("fine").is_some_and(|queue| queue.weight == 5)
        })
        .await;
}

#[tokio::test]
async fn a_kind_that_may_not_be_listed_is_named_with_what_to_do() {
    let plane = plane().await;
    let rights = |resources: &str| {
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: half-blind}}
rules:
- {{apiGroups: [\"\"], resources: [nodes, pods, namespaces], verbs: [list, watch]}}
- {{apiGroups: [apps], resources: [\"*\"], verbs: [list, watch]}}
- {{apiGroups: [scheduling.k8s.io], resources: [priorityclasses], verbs: [list, watch]}}
{resources}---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: half-blind}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: half-blind}}
subjects: [{{apiGroup: rbac.authorization.k8s.io, kind: User, name: half-blind}}]
"
        )
    };
    plane.apply(&rights("")).expect("the role is accepted");
    let kubeconfig = plane.kubeconfig("half-blind", &["system:authenticated"]);
    let mut watching = Watching::with(&kubeconfig, quick()).await;
    let named = async || {
        let missing = watching.hub.readiness().missing;
        match &missing[..] {
            [one] if one.contains("not allowed to list jobs.batch") => Ok(()),
            other => Err(format!("{other:?}")),
        }
    };
    eventually(Duration::from_secs(30), "only Jobs to be missing", named).await;
    let troubles = watching.hub.readiness().troubles.join("\n");
    assert!(troubles.contains("not allowed to list podgroups.scheduling.k8s.io"), "{troubles}");

    let jobs = "- {apiGroups: [batch], resources: [jobs], verbs: [list, watch]}\n";
    plane.apply(&rights(jobs)).expect("the role is accepted");
    watching.until("readiness", |seen| seen.is_ready).await;
}

#[tokio::test]
async fn what_happened_while_the_api_server_was_away_is_made_up_for() {
    let plane = ControlPlane::builder().without_controllers().start().await;
    let relay = Relay::new(&plane).await.expect("a port is free");
    plane.add_pods("default", &[ours("goes"), theirs("goes-too"), ours("stays")]).await.expect("x");
    let through = relay.kubeconfig(&plane, &plane.admin_kubeconfig()).expect("a file");
    let mut watching = Watching::with(&through, quick()).await;
    let all = ["default/goes", "default/goes-too", "default/stays"];
    watching.until("readiness", |seen| seen.is_ready && seen.has_pods(&all)).await;

    relay.set(Line::Cut);
    for name in ["goes", "goes-too"] {
        delete_pod(&plane, "default", name).await;
    }
    plane.add_pods("default", &[ours("new")]).await.expect("a pod can be made");
    plane.kill_apiserver();
    plane.start_apiserver().await.expect("it starts again");
    // The new server knows nothing of versions this old.
    relay.set(Line::Open);

    watching
        .until("the cluster as it is now", |seen| {
            let names: Vec<&str> = seen.pods.keys().map(String::as_str).collect();
            names == ["default/new", "default/stays"]
        })
        .await;
    assert!(watching.seen.is_ready, "what was told once is not forgotten");
}

#[tokio::test]
async fn a_connection_that_says_nothing_shows_and_is_given_up() {
    let plane = plane().await;
    plane.namespace("silent").await.expect("a namespace can be made");
    let relay = Relay::new(plane).await.expect("a port is free");
    let through = relay.kubeconfig(plane, &plane.admin_kubeconfig()).expect("a file");
    let mut watching = Watching::with(&through, quick()).await;
    watching.until("readiness", |seen| seen.is_ready).await;

    relay.set(Line::Stalled);
    plane.add_pods("silent", &[ours("p")]).await.expect("a pod can be made");
    let shown = async || {
        let readiness = watching.hub.readiness();
        let count = readiness.troubles.iter().filter(|one| one.contains("pods")).count();
        if count == 2 { Ok(()) } else { Err(format!("{readiness:?}")) }
    };
    eventually(Duration::from_secs(30), "both pod watches to show", shown).await;
    let silent = watching.hub.standings().iter().map(|one| one.silent).max();
    assert!(silent.is_some_and(|silent| silent.ms() > 2000), "{silent:?}");

    relay.set(Line::Cut);
    relay.set(Line::Open);
    watching.until("the pod", |seen| seen.has_pods(&["silent/p"])).await;
    watching.for_a_while(Duration::from_secs(1)).await;
}
