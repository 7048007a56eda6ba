//! `muster dump --kubectl` with a kubectl that is a script.
#![cfg(unix)]

use crate::{Ran, folder, run};
use std::os::unix::fs::PermissionsExt;

fn dump(script: &str, more: &[&str]) -> Ran {
    let folder = folder(&[("kubectl", format!("#!/bin/sh\n{script}").as_bytes())]);
    let path = folder.path().join("kubectl");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let arguments: Vec<&str> =
        ["dump", "--kubectl", "--kubectl-path", "./kubectl"].iter().chain(more).copied().collect();
    run(folder.path(), &arguments, "")
}

const LIST: &str = "cat <<END
configmaps
nodes
pods
namespaces
jobs.batch
jobs.batch.volcano.sh
podgroups.scheduling.volcano.sh
podgroups.unknown.example
queues.scheduling.volcano.sh
END
";

#[test]
fn the_line_names_exactly_the_kinds_that_the_cluster_has_and_muster_reads() {
    let ran = dump(LIST, &[]);
    assert_eq!(
        ran.out,
        "./kubectl get --all-namespaces -o json nodes,pods,namespaces,jobs.batch,\
         podgroups.scheduling.volcano.sh,queues.scheduling.volcano.sh,jobs.batch.volcano.sh\n"
    );
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn kubectl_is_asked_for_full_names_of_what_can_be_listed_in_the_named_context() {
    let script = format!(
        "[ \"$*\" = '--context prod api-resources -o name --verbs=list' ] || exit 1\n{LIST}"
    );
    let ran = dump(&script, &["--context", "prod"]);
    assert!(ran.out.starts_with("./kubectl --context prod get "), "{}", ran.shown());
}

#[test]
fn one_api_group_that_is_down_does_not_matter() {
    let ran = dump(&format!("{LIST}echo 'error: metrics.k8s.io/v1beta1: down' >&2; exit 1\n"), &[]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("nodes,pods"), "{}", ran.out);
}

#[test]
fn a_cluster_that_does_not_answer_is_told_with_what_to_do() {
    let ran = dump("echo 'The connection to the server was refused' >&2; exit 1\n", &[]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("The connection to the server was refused"), "{}", ran.err);
    assert!(ran.err.contains("check that `./kubectl get nodes` works"), "{}", ran.err);
}

#[test]
fn a_kubectl_that_is_not_there_is_told_with_what_to_do() {
    let ran = run(folder(&[]).path(), &["dump", "--kubectl", "--kubectl-path", "no-kubectl"], "");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert_eq!(
        ran.err,
        "error: no-kubectl is not there (install kubectl, or name it with --kubectl-path)\n"
    );
}
