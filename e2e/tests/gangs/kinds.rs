//! Kinds that are missing, come late, go and come back, and objects that make no sense.

use crate::bench::{Bench, OTHER_KINDS, SOON, metric};
use crate::between::config;
use crate::dialects::{COSCHEDULING, MUSTER, group};
use e2e::{ControlPlane, FakeNode, FakePod, Muster, Nodes, eventually};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, ListParams};

/// A cluster that serves muster's own kinds and those of Kubernetes alone, native groups off.
async fn plain_cluster() -> (ControlPlane, Muster) {
    let plane = ControlPlane::builder().nodes(Nodes::Kwok).audit().start().await;
    let account = plane.install_base(&[]).await.expect("the API server takes the base");
    plane.add_nodes(&FakeNode::many(4, "n-", |node, _| node.gpus(8))).await.expect("nodes");
    let muster = plane.muster().kubeconfig(&account).config(&config("muster", "")).start();
    let mut muster = muster.expect("muster starts");
    muster.ready(SOON).await.expect("muster is ready without the native groups");
    (plane, muster)
}

/// A gang of two in a new namespace is bound.
async fn runs(plane: &ControlPlane, namespace: &str, api: &str, label: &str) {
    plane.namespace(namespace).await.expect("a namespace can be made");
    let spec = if api == MUSTER { "{minAvailable: 2}" } else { "{minMember: 2}" };
    let pods = FakePod::many(2, "t-", |pod, _| pod.label(label, "train"));
    plane.add_pods(namespace, &pods).await.expect("pods can be made");
    let group = group(api, spec).replace("NAMESPACE", namespace);
    // A kind that was just made is not served by every part at once.
    eventually(SOON, "the group to be taken", async || {
        plane.apply(&group).map(|_| ()).map_err(|fault| fault.to_string())
    })
    .await;
    let api: Api<Pod> = Api::namespaced(plane.client(), namespace);
    eventually(SOON, &format!("the gang of {namespace} to be bound"), async || {
        let pods = api.list(&ListParams::default()).await.map_err(|it| it.to_string())?;
        let is_bound = |pod: &Pod| pod.spec.as_ref().is_some_and(|it| it.node_name.is_some());
        let bound = pods.iter().filter(|pod| is_bound(pod)).count();
        if bound == 2 { Ok(()) } else { Err(format!("{bound} of 2 are bound")) }
    })
    .await;
}

#[tokio::test]
async fn kinds_may_come_late_and_go_and_come_back() {
    let (plane, muster) = plain_cluster().await;
    let label = "scheduling.x-k8s.io/pod-group";
    runs(&plane, "own-1", MUSTER, "muster.sh/pod-group").await;
    let file = plane.folder().join("coscheduling.yaml");
    std::fs::write(&file, OTHER_KINDS[0]).expect("a file can be written");
    plane.crds(&file).await.expect("the kind is served");
    runs(&plane, "late", COSCHEDULING, label).await;
    let crd = ["delete", "crd", "podgroups.scheduling.x-k8s.io"];
    plane.kubectl(&crd).expect("the kind is taken away");
    runs(&plane, "own-2", MUSTER, "muster.sh/pod-group").await;
    plane.crds(&file).await.expect("the kind is served again");
    runs(&plane, "back", COSCHEDULING, label).await;
    runs(&plane, "own-3", MUSTER, "muster.sh/pod-group").await;
    plane.kubectl(&crd).expect("the kind is taken away");
    let newer = OTHER_KINDS[0].replace("v1alpha1", "v1beta7");
    std::fs::write(&file, newer).expect("a file can be written");
    plane.crds(&file).await.expect("the kind is served in another version");
    runs(&plane, "newer", "scheduling.x-k8s.io/v1beta7", label).await;
    eventually(SOON, "the status to be written in that version", async || {
        let get = ["get", "podgroups.scheduling.x-k8s.io", "train", "-n", "newer"];
        let seen = plane.kubectl(&[&get[..], &["-o", "jsonpath={.status.phase}"]].concat());
        let seen = seen.map_err(|fault| fault.to_string())?;
        if seen == "Running" { Ok(()) } else { Err(format!("phase {seen:?}")) }
    })
    .await;
    let (status, _) = muster.get("/readyz").await.expect("it answers");
    assert_eq!(status, 200);
    let account = crate::bench::ACCOUNT;
    let forbidden = plane.audit().into_iter().filter(|it| it.user == account && it.code == 403);
    assert_eq!(forbidden.collect::<Vec<_>>(), []);
}

/// Objects that the API server takes and that nobody can make sense of.
const GARBAGE: &[&str] = &[
    "{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, \
     metadata: {name: g, namespace: NAMESPACE}, spec: {minMember: -3}}",
    "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, \
     metadata: {name: g, namespace: NAMESPACE, annotations: {muster.sh/state: '{{{'}}, \
     spec: {minMember: 0, minTaskMember: {a: -7}, queue: no-such-queue, \
     minResources: {cpu: 1Ei, nvidia.com/gpu: 300m}}}",
    "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: garbage}, \
     spec: {weight: 1, parent: garbage, capability: {nvidia.com/gpu: 300m}}}",
    "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, \
     metadata: {name: g, namespace: NAMESPACE}, spec: nonsense}",
    "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, \
     metadata: {name: h, namespace: NAMESPACE}, \
     spec: {replicas: -1, leaderWorkerTemplate: {size: many}}}",
    "{apiVersion: muster.sh/v1alpha1, kind: PodGroup, metadata: {name: g, namespace: NAMESPACE}, \
     spec: {minAvailable: 2147483647, queue: nowhere, topology: {required: no-such-level}}}",
    "{apiVersion: muster.sh/v1alpha1, kind: Queue, metadata: {name: garbage-a}, \
     spec: {parent: garbage-b}}",
    "{apiVersion: muster.sh/v1alpha1, kind: Queue, metadata: {name: garbage-b}, \
     spec: {parent: garbage-a}}",
    "{apiVersion: batch/v1, kind: Job, metadata: {name: g, namespace: NAMESPACE, \
     annotations: {muster.sh/min-available: plenty, muster.sh/walltime: soon}}, \
     spec: {suspend: true, template: {spec: {schedulerName: muster, restartPolicy: Never, \
     containers: [{name: c, image: c}]}}}}",
];

#[tokio::test]
async fn objects_that_make_no_sense_stop_nobody_else() {
    let bench = Bench::new("garbage").await;
    bench.nodes(&["a", "b"]).await;
    for garbage in GARBAGE {
        bench.apply(garbage);
    }
    let spoilt = bench
        .pod("spoilt")
        .label("muster.sh/pod-group", "g")
        .annotation("muster.sh/state", "{\"v\":99")
        .annotation("scheduling.k8s.io/group-name", "g")
        .label("scheduling.x-k8s.io/pod-group", "g");
    bench.add(&[spoilt]).await;
    bench.apply(&group(MUSTER, "{minAvailable: 2}"));
    let pod = |name| bench.pod(name).label("muster.sh/pod-group", "train");
    bench.add(&[pod("t-0"), pod("t-1")]).await;
    bench
        .until("the sensible gang to be bound", |pods| {
            pods.iter().filter(|pod| pod.name != "spoilt" && !pod.node.is_empty()).count() == 2
        })
        .await;
    eventually(SOON, "the problems to be counted", async || {
        let problems = metric(bench.muster, "muster_object_problems ").await;
        if problems >= 3.0 { Ok(()) } else { Err(problems) }
    })
    .await;
    let (status, _) = bench.muster.get("/readyz").await.expect("it answers");
    assert_eq!(status, 200);
}
