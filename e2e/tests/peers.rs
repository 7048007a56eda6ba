//! What runs beside a control plane: Volcano, Prometheus, helm.

use e2e::{
    ControlPlane, FakeNode, Nodes, Prometheus, RUN_FOR, VOLCANO_CONFIG, Volcano, eventually, helm,
    promtool,
};
use serde_json::json;
use std::process::Command;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_volcano_job_completes_with_volcano_itself() {
    let plane = ControlPlane::builder().nodes(Nodes::Kwok).start().await;
    plane.add_nodes(&[FakeNode::new("n").gpus(8)]).await.expect("a node can be made");
    let volcano = Volcano::install(&plane).await.expect("its kinds are taken");
    let _controllers = volcano.controllers(&["volcano"]).await.expect("they start");
    let _scheduler = volcano.scheduler("volcano", VOLCANO_CONFIG).await.expect("it starts");

    let container = json!({ "name": "c", "image": "example.invalid/c",
        "resources": { "requests": { "nvidia.com/gpu": "4" }, "limits": { "nvidia.com/gpu": "4" } } });
    let job = json!({
        "apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
        "metadata": { "name": "j", "namespace": "default" },
        "spec": { "minAvailable": 2, "schedulerName": "volcano", "queue": "default",
            "policies": [{ "event": "TaskCompleted", "action": "CompleteJob" }],
            "tasks": [{ "name": "w", "replicas": 2, "template": {
                "metadata": { "annotations": { RUN_FOR: "500ms" } },
                "spec": { "restartPolicy": "Never", "containers": [container] } } }] },
    });
    plane.apply(&job.to_string()).expect("the vcjob is taken");
    let path = ["get", "vcjob", "j", "-o", "jsonpath={.status.state.phase}"];
    eventually(SOON, "the vcjob to complete", async || {
        let phase = plane.kubectl(&path).map_err(|it| it.to_string())?;
        if phase == "Completed" { Ok(()) } else { Err(phase) }
    })
    .await;
}

#[tokio::test]
async fn prometheus_scrapes_and_answers() {
    let plane = ControlPlane::builder().without_controllers().start().await;
    let config = "global: { scrape_interval: 200ms, evaluation_interval: 200ms }\n\
                  scrape_configs: [{ job_name: nobody, \
                  static_configs: [{ targets: ['127.0.0.1:1'] }] }]\nrule_files: [rules.yml]\n";
    let rules = "groups: [{ name: g, rules: [{ record: more, expr: 'up + 7' }] }]\n";
    let prometheus = Prometheus::start(&plane, config, &[("rules.yml", rules)]).await;
    let prometheus = prometheus.expect("it starts");
    eventually(SOON, "a rule over a target that nobody serves", async || {
        let series = prometheus.query("more{job=\"nobody\"}").await;
        let series = series.map_err(|it| it.to_string())?;
        let value = series.first().map(|it| it["value"][1].clone()).unwrap_or_default();
        if value == "7" { Ok(()) } else { Err(format!("{series:?}")) }
    })
    .await;
}

#[test]
fn promtool_refuses_a_rule_that_is_none() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let check = |expression: &str| {
        let path = folder.path().join("rules.yml");
        let rules =
            format!("groups: [{{ name: g, rules: [{{ alert: A, expr: '{expression}' }}] }}]");
        std::fs::write(&path, rules).expect("it can be written");
        let promtool = promtool().expect("it is built");
        Command::new(promtool).args(["check", "rules"]).arg(&path).output().expect("it runs")
    };
    assert!(check("up == 0").status.success());
    assert!(!check("up ==").status.success());
}

#[test]
fn helm_runs() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let chart = "apiVersion: v2\nname: c\nversion: 0.1.0\n";
    let template = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }} }\n";
    std::fs::create_dir(folder.path().join("templates")).expect("it can be made");
    std::fs::write(folder.path().join("Chart.yaml"), chart).expect("it can be written");
    std::fs::write(folder.path().join("templates/c.yaml"), template).expect("it can be written");
    let helm = helm().expect("it is built");
    let output = Command::new(helm).args(["template", "mine"]).arg(folder.path()).output();
    let output = output.expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("name: mine"), "{text} {}", String::from_utf8_lossy(&output.stderr));
}
