//! Who may do what, and the record of who did.

use e2e::{AuditEntry, ControlPlane, FakePod, eventually};
use k8s_openapi::api::core::v1::{Pod, Secret};
use kube::api::{Api, ListParams, PostParams};
use std::time::Duration;

const REALLY: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: reader, namespace: default }
rules: [{ apiGroups: [''], resources: [pods], verbs: [get, list] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: reader, namespace: default }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader }
subjects: [{ kind: ServiceAccount, name: bot, namespace: default }]
";

#[tokio::test]
async fn a_service_account_may_do_what_was_granted_and_the_record_shows_it() {
    let plane = ControlPlane::builder().without_controllers().audit().start().await;
    plane.apply(REALLY).expect("the role is taken");
    plane.namespace("private").await.expect("a namespace can be made");
    let kubeconfig = plane.service_account("default", "bot").await.expect("it gets a token");
    let bot = plane.client_of(&kubeconfig).await.expect("the file is read");

    // RBAC sees a new role a moment after it was made.
    let pods: Api<Pod> = Api::namespaced(bot.clone(), "default");
    eventually(Duration::from_secs(10), "the role to count", async || {
        pods.list(&ListParams::default()).await.map(|_| ()).map_err(|it| it.to_string())
    })
    .await;
    let made = pods.create(&PostParams::default(), &FakePod::new("p").object()).await;
    assert_forbidden(made);
    let secrets: Api<Secret> = Api::namespaced(bot, "private");
    assert_forbidden(secrets.list(&ListParams::default()).await);

    let entries = plane.audit();
    let own: Vec<&AuditEntry> =
        entries.iter().filter(|it| it.user == "system:serviceaccount:default:bot").collect();
    let seen = |asked: &str, code: u16| own.iter().any(|it| it.asked() == asked && it.code == code);
    assert!(seen("list pods", 200), "{own:?}");
    assert!(seen("create pods", 403), "{own:?}");
    assert!(seen("list secrets", 403), "{own:?}");
}

#[tokio::test]
async fn a_user_by_name_has_no_rights_of_its_own() {
    let plane = ControlPlane::builder().without_controllers().start().await;
    let ann = plane.kubeconfig("ann", &["team-a"]);
    assert_forbidden(
        Api::<Pod>::namespaced(plane.client_of(&ann).await.expect("it is read"), "default")
            .list(&ListParams::default())
            .await,
    );
    let refused = plane.kubectl_as(&ann, &["get", "pods"]).expect_err("kubectl is refused too");
    assert!(refused.to_string().contains("User \"ann\" cannot list"), "{refused}");
}

fn assert_forbidden<T: std::fmt::Debug>(answer: kube::Result<T>) {
    match answer {
        Err(kube::Error::Api(status)) if status.code == 403 => {}
        other => panic!("expected a refusal, got {other:?}"),
    }
}
