//! What people install, given to a real API server: everything is accepted, pods come up,
//! people have the rights they should have, and garbage is refused.
//!
//! Next: `manifests/` beside this looks at the same files without a cluster.

use e2e::manifests::{NAMESPACE, chart, folder, text};
use e2e::{ControlPlane, Fault, eventually};
use std::time::Duration;
use tokio::sync::OnceCell;

static PLANE: OnceCell<ControlPlane> = OnceCell::const_new();

/// A control plane with the base installed, as a person would do it.
async fn plane() -> &'static ControlPlane {
    PLANE
        .get_or_init(|| async {
            let plane = ControlPlane::builder().admit_service_accounts().start().await;
            let base = folder().join("base").display().to_string();
            let apply = ["apply", "--server-side", "-k", &base];
            plane.kubectl(&apply).expect("the API server takes the base");
            let wait = ["wait", "crd", "--all", "--for=condition=Established", "--timeout=60s"];
            plane.kubectl(&wait).expect("the kinds are served");
            plane
        })
        .await
}

/// Waits until so many pods of muster were admitted, by the namespace's own rules too.
async fn pods_are_made(plane: &ControlPlane, wanted: usize) {
    let get = ["get", "pods", "-n", NAMESPACE, "-l", "app.kubernetes.io/name=muster", "-o", "name"];
    eventually(Duration::from_secs(60), "the pods of muster to be made", async || {
        let pods = plane.kubectl(&get).map_err(|fault| fault.to_string())?;
        let count = pods.lines().count();
        if count == wanted {
            return Ok(());
        }
        let events = plane.kubectl(&["get", "events", "-n", NAMESPACE]).unwrap_or_default();
        Err(format!("{count} pods\n{events}"))
    })
    .await;
}

#[tokio::test]
async fn kustomize_installs_two_replicas_that_the_namespace_admits() {
    let plane = plane().await;
    pods_are_made(plane, 2).await;
}

#[tokio::test]
async fn helm_installs_two_replicas_that_the_namespace_admits() {
    let plane = ControlPlane::builder().admit_service_accounts().start().await;
    plane.namespace(NAMESPACE).await.expect("a namespace can be made");
    let label = "pod-security.kubernetes.io/enforce=restricted";
    plane.kubectl(&["label", "namespace", NAMESPACE, label]).expect("it takes a label");
    let file = plane.folder().join("chart.yaml");
    std::fs::write(&file, chart(&[]).expect("it renders")).expect("it can be written");
    // Without --server-side, as most people do it.
    let file = file.display().to_string();
    plane.kubectl(&["apply", "-f", &file]).expect("the API server takes the chart");
    pods_are_made(&plane, 2).await;
}

#[tokio::test]
async fn the_base_can_be_applied_again_and_changes_nothing() {
    let base = folder().join("base").display().to_string();
    let plane = plane().await;
    // `kubectl diff` ends with an error if anything would change.
    let diff = plane.kubectl(&["diff", "--server-side", "-k", &base]);
    assert!(diff.is_ok(), "{diff:?}");
}

#[tokio::test]
async fn who_may_view_sees_groups_and_who_may_edit_makes_them() {
    let plane = plane().await;
    plane.namespace("team-a").await.expect("a namespace can be made");
    for (user, role) in [("vera", "view"), ("edith", "edit")] {
        let (as_role, as_user) = (format!("--clusterrole={role}"), format!("--user={user}"));
        let bind = ["create", "rolebinding", "-n", "team-a", user, &as_role, &as_user];
        plane.kubectl(&bind).expect("a role can be bound");
    }
    let may = |user: &str, verb: &str, kind: &str| may(plane, user, verb, kind, "team-a");
    // The controller manager adds up the roles a moment later.
    eventually(Duration::from_secs(20), "edith to make groups", async || {
        may("edith", "create", "podgroups.muster.sh").then_some(()).ok_or_else(|| "no".to_owned())
    })
    .await;
    assert!(may("vera", "get", "podgroups.muster.sh"));
    assert!(!may("vera", "create", "podgroups.muster.sh"));
    assert!(!may("edith", "create", "queues.muster.sh"));
    assert!(!may("edith", "patch", "podgroups.muster.sh/status"));
}

#[tokio::test]
async fn the_service_account_may_bind_pods_and_read_no_secret() {
    let plane = plane().await;
    let account = format!("system:serviceaccount:{NAMESPACE}:muster");
    let may = |verb: &str, kind: &str, namespace: &str| may(plane, &account, verb, kind, namespace);
    assert!(may("create", "pods/binding", "default"));
    assert!(may("watch", "nodes", "default"));
    assert!(may("create", "leases.coordination.k8s.io", NAMESPACE));
    assert!(may("update", "leases.coordination.k8s.io:muster", NAMESPACE));
    for (verb, kind, namespace) in [
        ("get", "secrets", NAMESPACE),
        ("create", "pods", NAMESPACE),
        ("update", "leases.coordination.k8s.io:muster", "default"),
        ("update", "leases.coordination.k8s.io:other", NAMESPACE),
        ("delete", "nodes", "default"),
    ] {
        assert!(!may(verb, kind, namespace), "may {verb} {kind} in {namespace}");
    }
}

/// Whether somebody may do something with a kind, `kind/part` or `kind:name`.
fn may(plane: &ControlPlane, user: &str, verb: &str, what: &str, namespace: &str) -> bool {
    let (kind, part) = what.split_once('/').unwrap_or((what, ""));
    let (kind, part) = (kind.replace(':', "/"), format!("--subresource={part}"));
    let user = format!("--as={user}");
    plane.kubectl(&["auth", "can-i", verb, &kind, &part, "-n", namespace, &user]).is_ok()
}

/// What the definitions refuse, and a word of the answer.
const GARBAGE: &[(&str, &str, &str)] = &[
    ("PodGroup", "{minAvailable: 0}", "minAvailable"),
    ("PodGroup", "{minAvailable: many}", "minAvailable"),
    ("PodGroup", "{walltime: soon}", "walltime"),
    ("PodGroup", "{topology: {topology: fabric}}", "name the level"),
    ("PodGroup", "{roles: [{name: a}, {name: a}]}", "duplicate"),
    ("PodGroup", "{roles: [{name: a, minAvailable: -1}]}", "minAvailable"),
    ("PodGroup", "{queue: \"\"}", "queue"),
    ("PodGroup", "{minimum: 3}", ".spec.minimum"),
    ("Queue", "{weight: 0}", "weight"),
    ("Queue", "{weight: -1}", "weight"),
    ("Queue", "{parent: garbage}", "its own parent"),
    ("Queue", "{limit: {cpu: lots}}", "limit"),
    ("Queue", "{limit: {cpu: -1}}", "limit"),
    ("Queue", "{dedicated: {cpu: 2}, limit: {cpu: 1}}", "above the limit"),
    ("Queue", "{flavors: [{name: a, dedicated: {cpu: 2}, limit: {cpu: 1}}]}", "above the limit"),
    ("Queue", "{limit: {cpu: 1}, flavors: [{name: a, dedicated: {cpu: 2}}]}", "above the limit"),
    ("Queue", "{lendingLimit: {cpu: 1}}", "in deserved"),
    (
        "Queue",
        "{deserved: {memory: 1}, flavors: [{name: a, lendingLimit: {cpu: 1}}]}",
        "in deserved",
    ),
    ("Queue", "{flavors: [{name: a}, {name: a}]}", "duplicate"),
    ("Queue", "{flavors: [{name: a, dedicated: {cpu: -1}}]}", "dedicated"),
    ("Topology", "{levels: []}", "levels"),
    ("Topology", "{levels: [{name: a, nodeLabel: x}, {name: b, nodeLabel: x}]}", "levels"),
];

#[tokio::test]
async fn garbage_is_refused_with_the_field_named() {
    let plane = plane().await;
    for (kind, spec, word) in GARBAGE {
        let fault = plane.apply(&object(kind, "garbage", spec)).expect_err(spec);
        assert!(fault.to_string().contains(word), "{kind} {spec}: {fault}");
    }
}

#[tokio::test]
async fn bad_queues_are_refused_where_the_page_says_so() {
    let plane = plane().await;
    let page = include_str!("../../docs/bad-queues.md");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let mut counts = [0, 0];
    for line in rows {
        let mut cells = line.trim_matches('|').split(" | ").map(str::trim);
        let (queues, at_api) = cells.next().zip(cells.next()).expect("two columns");
        let refused = queues.split("; ").filter(|queue| {
            let (name, spec) = queue.trim_matches('`').split_once(": ").expect("name and spec");
            plane.apply(&object("Queue", name, spec)).is_err()
        });
        let refused = refused.count();
        let is_refused = at_api == "refused";
        assert_eq!(refused > 0, is_refused, "{queues}: {refused} refused");
        counts[usize::from(is_refused)] += 1;
    }
    assert!(counts.iter().all(|count| *count > 5), "{counts:?}");
}

#[tokio::test]
async fn what_the_samples_use_is_accepted() {
    let plane = plane().await;
    for (kind, spec) in [
        ("PodGroup", "{}"),
        (
            "PodGroup",
            "{minAvailable: 3, queue: research, priorityClassName: high, walltime: 1h30m, \
             roles: [{name: leader}, {name: worker, minAvailable: 2}], topology: {required: rack}}",
        ),
        ("Queue", "{}"),
        ("Queue", "{parent: all, weight: 3, priority: -1, limit: {cpu: 4, nvidia.com/gpu: \"8\"}}"),
        (
            "Queue",
            "{dedicated: {cpu: 1}, deserved: {cpu: 4}, borrowingLimit: {cpu: 2}, lendingLimit: \
             {cpu: 3, memory: 1Gi}, flavors: [{name: a, deserved: {memory: 4Gi}, lendingLimit: \
             {cpu: 1}}]}",
        ),
        (
            "Queue",
            "{dedicated: {cpu: 1, memory: 1Gi}, limit: {cpu: 1, memory: 512Mi}, flavors: [{name: a, \
             dedicated: {cpu: \"2\"}, limit: {cpu: 1}}]}",
        ),
        ("Topology", "{levels: [{name: rack, nodeLabel: example.com/rack}]}"),
    ] {
        let applied = plane.apply(&object(kind, "accepted", spec));
        assert!(applied.is_ok(), "{kind} {spec}: {applied:?}");
    }
}

#[tokio::test]
async fn an_upgrade_of_the_definitions_keeps_every_object() {
    let plane = ControlPlane::builder().without_controllers().start().await;
    let old = plane.folder().join("old");
    std::fs::create_dir(&old).expect("a folder can be made");
    for file in ["podgroups.yaml", "queues.yaml", "topologies.yaml"] {
        let text = older(&text(&format!("crds/{file}")).expect("it is there"));
        std::fs::write(old.join(file), text).expect("it can be written");
    }
    plane.crds(&old).await.expect("the old kinds are served");
    let spec = "{minAvailable: 3, queue: research, roles: [{name: leader}]}";
    plane.apply(&object("PodGroup", "kept", spec)).expect("a group is accepted");
    let newer = object("PodGroup", "kept", "{minAvailable: 3, walltime: 2h}");
    assert!(plane.apply(&newer).is_err(), "the old kind knows no walltime");
    let stored =
        || plane.kubectl(&["get", "mpg", "kept", "-o", "jsonpath={.metadata.uid} {.spec}"]);
    let before = stored().expect("it is stored");

    plane.crds(&folder().join("crds")).await.expect("the new kinds are served");
    eventually(Duration::from_secs(20), "the new kind to be served", async || {
        let newer = object("PodGroup", "new", "{walltime: 2h}");
        plane.apply(&newer).map(|_| ()).map_err(|fault| fault.to_string())
    })
    .await;
    assert_eq!(stored().expect("it is still stored"), before);
}

/// A definition as an earlier version may have had it: without the walltime, and without the
/// columns of `kubectl get`.
fn older(text: &str) -> String {
    let mut objects = e2e::manifests::objects(text).expect("it is YAML");
    let crd = &mut objects[0];
    let version = &mut crd["spec"]["versions"][0];
    if let Some(version) = version.as_object_mut() {
        version.remove("additionalPrinterColumns");
    }
    let spec = &mut version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
    if let Some(fields) = spec.as_object_mut() {
        fields.remove("walltime");
    }
    crd.to_string()
}

fn object(kind: &str, name: &str, spec: &str) -> String {
    let place = if kind == "PodGroup" { ", namespace: default" } else { "" };
    format!(
        "apiVersion: muster.sh/v1alpha1\nkind: {kind}\nmetadata: {{name: {name}{place}}}\n\
         spec: {spec}\n"
    )
}

/// Rules of monitoring need kinds of their own; a cluster without them says so and keeps the
/// rest.
#[tokio::test]
async fn monitoring_on_a_cluster_without_its_kinds_leaves_muster_installed() {
    let plane = ControlPlane::builder().without_controllers().start().await;
    let overlay = folder().join("overlays/monitoring").display().to_string();
    let applied: Result<String, Fault> = plane.kubectl(&["apply", "--server-side", "-k", &overlay]);
    let fault = applied.expect_err("nobody serves PodMonitor here");
    assert!(fault.to_string().contains("PodMonitor"), "{fault}");
    let get = ["get", "deployment", "muster", "-n", NAMESPACE, "-o", "name"];
    assert_eq!(plane.kubectl(&get).expect("it is there").trim(), "deployment.apps/muster");
}
