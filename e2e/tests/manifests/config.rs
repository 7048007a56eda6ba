//! The configurations that are installed are ones that the binary takes.

use e2e::manifests::{chart, folder, objects, title};
use e2e::muster_binary;
use std::path::Path;
use std::process::Command;

#[test]
fn the_files_of_kustomize_are_without_a_fault() {
    for file in ["base/config.yaml", "overlays/volcano/config.yaml"] {
        check(&folder().join(file));
    }
}

#[test]
fn what_the_chart_writes_is_without_a_fault() {
    let values = "schedulerNames={muster,volcano},config.timings.holdAfter=10m,\
                  config.leaderElection.name=other,config.metrics.volcanoNames=true";
    let all = objects(&chart(&["--set", values]).expect("it renders")).expect("it is YAML");
    let map = all.iter().find(|object| title(object) == "ConfigMap/muster-config");
    let text = map.expect("it is there")["data"]["config.yaml"].as_str().expect("it is text");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("config.yaml");
    std::fs::write(&file, text).expect("it can be written");
    check(&file);
}

fn check(file: &Path) {
    let mut command = Command::new(muster_binary().expect("it builds"));
    let output = command.args(["config", "check"]).arg(file).output().expect("muster runs");
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", file.display());
}
