//! What muster asked the API server for: over all tests of this target, and on a cluster where
//! what seldom happens does.

use crate::bench::{ACCOUNT, Bench, OTHER_KINDS, SOON, when_all_are_over};
use crate::between::config;
use crate::dialects::{VOLCANO, group};
use e2e::{AuditEntry, ControlPlane, FakeNode, FakePod, Line, Nodes, Relay, Volcano, eventually};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// Enough for muster to have seen a pod and sent its bind.
const PAST_A_PLAN: Duration = Duration::from_secs(2);

/// Rights that no test here can use, and why.
const NOT_HERE: &[(&str, &str)] = &[
    ("list workloads", "only Kubernetes 1.35 serves those with groups"),
    ("watch workloads", "only Kubernetes 1.35 serves those with groups"),
];

/// Kinds of other projects that no other test needs: group, version, kind, plural.
const MORE_KINDS: &[(&str, &str, &str, &str)] = &[
    ("jobset.x-k8s.io", "v1alpha2", "JobSet", "jobsets"),
    ("kueue.x-k8s.io", "v1beta1", "LocalQueue", "localqueues"),
    ("kueue.x-k8s.io", "v1beta1", "ClusterQueue", "clusterqueues"),
    ("kueue.x-k8s.io", "v1beta1", "Cohort", "cohorts"),
    ("kueue.x-k8s.io", "v1beta1", "ResourceFlavor", "resourceflavors"),
    ("kueue.x-k8s.io", "v1beta1", "Topology", "topologies"),
];

/// Verb, resource and group, as the rules of RBAC have them.
type Right = (String, String, String);

fn right(entry: &AuditEntry) -> Right {
    let (verb, resource) = entry.asked().split_once(' ').map_or_else(
        || (String::new(), String::new()),
        |(verb, resource)| (verb.to_owned(), resource.to_owned()),
    );
    (verb, resource, entry.group.clone())
}

/// What muster asked for and was given.
fn asked(plane: &ControlPlane) -> BTreeSet<Right> {
    let entries = plane.audit();
    let given = entries.iter().filter(|entry| entry.user == ACCOUNT && entry.code != 403);
    given.map(right).collect()
}

/// It was refused nothing.
fn nothing_was_forbidden(plane: &ControlPlane) {
    let entries = plane.audit().into_iter();
    let own = entries.filter(|entry| entry.user == ACCOUNT && entry.code == 403);
    assert_eq!(own.collect::<Vec<_>>(), []);
}

/// What the manifests grant.
fn granted() -> BTreeSet<Right> {
    let base = e2e::manifests::kustomize("base").expect("it renders");
    let objects = e2e::manifests::objects(&base).expect("it is YAML");
    let is_ours = |object: &&Value| {
        matches!(object["metadata"]["name"].as_str(), Some("muster" | "muster-lease"))
            && matches!(object["kind"].as_str(), Some("ClusterRole" | "Role"))
    };
    let rules = objects
        .iter()
        .filter(is_ours)
        .flat_map(|object| object["rules"].as_array().cloned().unwrap_or_default());
    let mut granted = BTreeSet::new();
    for rule in rules {
        let words = |part: &str| -> Vec<String> {
            let list = rule[part].as_array().into_iter().flatten();
            list.filter_map(|it| it.as_str().map(str::to_owned)).collect()
        };
        for group in words("apiGroups") {
            for resource in words("resources") {
                for verb in words("verbs") {
                    granted.insert((verb, resource.clone(), group.clone()));
                }
            }
        }
    }
    assert!(granted.len() > 40, "the rules were found");
    granted
}

/// A CRD with a status, whose objects may say anything.
fn kind((group, version, kind, plural): (&str, &str, &str, &str)) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
         metadata: {{name: {plural}.{group}, \
         annotations: {{api-approved.kubernetes.io: 'unapproved, for tests'}}}}\n\
         spec: {{group: {group}, scope: Namespaced, names: {{plural: {plural}, kind: {kind}}}, \
         versions: [{{name: {version}, served: true, storage: true, subresources: {{status: {{}}}}, \
         schema: {{openAPIV3Schema: {{type: object, \
         x-kubernetes-preserve-unknown-fields: true}}}}}}]}}\n"
    )
}

/// The kinds of Volcano, as installations have them that write a status by itself.
fn volcano() -> Vec<String> {
    let files = std::fs::read_dir(Volcano::crds().expect("they are built")).expect("a folder");
    let texts = files.map(|file| {
        std::fs::read_to_string(file.expect("it is listed").path()).expect("it is text")
    });
    let objects = texts.flat_map(|text| e2e::manifests::objects(&text).expect("it is YAML"));
    objects
        .map(|mut object| {
            for version in object["spec"]["versions"].as_array_mut().into_iter().flatten() {
                version["subresources"] = json!({ "status": {} });
            }
            format!("{object}\n")
        })
        .collect()
}

/// A cluster that cannot stream lists, with every kind there is, where Volcano's groups have a
/// status of their own and an answer to a bind is lost.
async fn rare() -> ControlPlane {
    let builder = ControlPlane::builder().nodes(Nodes::Kwok).native_groups().audit();
    let plane = builder.feature("WatchList=false").start().await;
    let account = plane.install_base(&[]).await.expect("the API server takes the base");
    let more = MORE_KINDS.iter().map(|it| kind(*it));
    let kinds: Vec<String> = more.chain(OTHER_KINDS.map(str::to_owned)).chain(volcano()).collect();
    let file = plane.folder().join("all-kinds.yaml");
    std::fs::write(&file, kinds.join("---\n")).expect("a file can be written");
    plane.crds(&file).await.expect("the kinds are taken");
    let relay = Relay::new(&plane).await.expect("a port is free");
    let kubeconfig = relay.kubeconfig(&plane, &account).expect("it is a file");
    let muster =
        plane.muster().kubeconfig(&kubeconfig).config(&config("muster", "kueueQueues: true"));
    let mut muster = muster.start().expect("muster starts");
    muster.ready(SOON).await.expect("muster is ready");
    plane.add_nodes(&FakeNode::many(2, "n", |node, _| node.gpus(8))).await.expect("nodes");
    plane.namespace("rare").await.expect("a namespace can be made");
    let group = group(VOLCANO, "{minMember: 1, queue: default}").replace("NAMESPACE", "rare");
    plane.apply(&group).expect("the group is taken");
    // A request is lost only on a connection that is there.
    plane.add_pods("rare", &[FakePod::new("first")]).await.expect("a pod can be made");
    until(&plane, &["create pods/binding"]).await;
    relay.set(Line::Mute);
    let pod = FakePod::new("t-0").annotation("scheduling.k8s.io/group-name", "train");
    plane.add_pods("rare", &[pod]).await.expect("a pod can be made");
    tokio::time::sleep(PAST_A_PLAN).await;
    // A server that just started does not know its rules yet, and refuses everybody a moment.
    nothing_was_forbidden(&plane);
    // The bind is lost on its way, and nobody can tell; the pod itself has to be asked.
    plane.kill_apiserver();
    relay.set(Line::Open);
    plane.start_apiserver().await.expect("it starts again");
    until(&plane, &["get pods", "patch podgroups/status"]).await;
    plane
}

/// Waits until muster asked for all of this.
async fn until(plane: &ControlPlane, wanted: &[&str]) {
    eventually(SOON, "muster to ask", async || {
        let asked: BTreeSet<String> =
            plane.audit().iter().filter(|it| it.user == ACCOUNT).map(AuditEntry::asked).collect();
        let missing: Vec<_> = wanted.iter().filter(|it| !asked.contains(**it)).collect();
        if missing.is_empty() { Ok(()) } else { Err(format!("{missing:?}")) }
    })
    .await;
}

#[tokio::test]
async fn nothing_is_asked_for_that_is_forbidden_and_nothing_is_granted_that_is_not_used() {
    let bench = Bench::new("who").await;
    bench.nodes(&["a"]).await;
    bench.add(&[bench.pod("alone")]).await;
    bench.bound(1).await;
    drop(bench);
    let mut used = asked(&rare().await);
    let stage = when_all_are_over().await;
    nothing_was_forbidden(&stage.plane);
    used.extend(asked(&stage.plane));
    let is_excused = |right: &Right| {
        let right = format!("{} {}", right.0, right.1);
        NOT_HERE.iter().any(|(one, _)| *one == right)
    };
    let unused: Vec<Right> =
        granted().difference(&used).filter(|right| !is_excused(right)).cloned().collect();
    assert!(unused.is_empty(), "granted and never used: {unused:#?}");
}
