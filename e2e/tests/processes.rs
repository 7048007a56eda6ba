//! The runner of `muster`, tried on programs that are easier to foresee.

use e2e::{ControlPlane, Muster, Signal};
use std::process::Command;
use std::time::Duration;
use tokio::sync::OnceCell;

const SOON: Duration = Duration::from_secs(10);

static PLANE: OnceCell<ControlPlane> = OnceCell::const_new();

#[tokio::test]
async fn a_program_that_ends_at_once_is_quoted() {
    let mut ended = start("ends", "echo no such queue >&2; exit 3").await;
    let fault = ended.ready(SOON).await.expect_err("it has ended").to_string();
    assert!(fault.contains("exit status: 3") && fault.contains("no such queue"), "{fault}");
}

#[tokio::test]
async fn a_program_gets_its_kubeconfig_its_port_and_its_settings() {
    let mut shown = start("shows", "echo \"$@\"; echo $GREETING; cat \"${4#--config=}\"").await;
    shown.end(SOON).await.expect("it ends");
    let log = shown.log();
    let port = shown.admin_url().replace("http://", "--listen=");
    for part in ["run --kubeconfig=/", &port, "--extra", "hello", "key: value"] {
        assert!(log.contains(part), "{part} is not in {log}");
    }
}

#[tokio::test]
async fn a_program_is_asked_to_leave_frozen_and_killed() {
    let leaving = "trap 'echo leaving; exit 0' TERM; echo started; while :; do sleep 0.05; done";
    let mut polite = start("polite", leaving).await;
    e2e::eventually(SOON, "the program to start", async || {
        if polite.log().contains("started") { Ok(()) } else { Err(polite.log()) }
    })
    .await;
    polite.stop();
    polite.signal(Signal::TERM);
    polite.end(Duration::from_millis(300)).await.expect_err("a frozen program does not leave");
    polite.cont();
    assert!(polite.end(SOON).await.expect("it leaves").success());

    polite.restart(PLANE.get().expect("it was started")).expect("it starts again");
    polite.kill9();
    assert!(!polite.end(SOON).await.expect("it is gone").success());
}

/// Runs a shell script in the place of `muster`.
async fn start(name: &str, script: &str) -> Muster {
    let plane = PLANE.get_or_init(|| ControlPlane::builder().without_controllers().start()).await;
    let path = plane.folder().join(format!("{name}.sh"));
    // A shell writes it: a file that this process holds open while another thread starts a
    // process cannot be run ("text file busy").
    let write = "printf '#!/bin/sh\\n%s\\n' \"$2\" >\"$1\" && chmod +x \"$1\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", write, "sh"]).arg(&path).arg(script);
    assert!(shell.status().expect("a shell runs").success());
    let muster = plane.muster().name(name).program(&path).config("key: value\n");
    muster.env("GREETING", "hello").arg("--extra").start().expect("it starts")
}
