//! Why a gang waits, asked in every way that there is.

use crate::bench::Bench;
use crate::dialects::{MUSTER, condition, group};
use serde_json::Value;
use std::process::Command;

/// What a command of muster prints, as JSON.
fn muster(args: &[&str]) -> Value {
    let binary = e2e::muster_binary().expect("it is built");
    let output = Command::new(binary).args(args).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{args:?}: {error} {text} {errors}"))
}

/// What a gang of this test is said to wait for, among those of an output.
fn explanation(output: &Value, bench: &Bench) -> Value {
    let gangs = output["gangs"].as_array().into_iter().flatten();
    let mut ours = gangs.filter(|it| it["namespace"] == bench.name.as_str());
    ours.next().map(|gang| gang["explanation"].clone()).unwrap_or_default()
}

#[tokio::test]
async fn every_way_to_ask_gives_the_reason_that_simulate_gives_for_the_dump() {
    let bench = Bench::new("why").await;
    bench.nodes(&["a"]).await;
    bench.apply(&group(MUSTER, "{minAvailable: 3}"));
    let pods =
        ["t-0", "t-1", "t-2"].map(|name| bench.pod(name).label("muster.sh/pod-group", "train"));
    bench.add(&pods).await;
    let is_told = |it: &Value| condition(it, "Scheduled") == "False/Room";
    let object = bench.object(MUSTER, "podgroups/train", "the group to wait", is_told).await;

    // Other tests add nodes meanwhile, and each counts in the explanation: the same before and
    // after the dump is the same at the dump.
    let (live, simulated) = e2e::eventually(crate::bench::SOON, "a quiet moment", async || {
        let ask = async || bench.muster.get("/explain/why/train").await.map(|(_, text)| text);
        let before = ask().await.map_err(|fault| fault.to_string())?;
        let dump = bench.muster.get("/dump").await.map_err(|fault| fault.to_string())?.1;
        let after = ask().await.map_err(|fault| fault.to_string())?;
        if before != after {
            return Err("it changed meanwhile".to_owned());
        }
        let path = bench.plane.folder().join("why.yaml");
        std::fs::write(&path, dump).map_err(|error| error.to_string())?;
        let path = path.display().to_string();
        let simulated = muster(&["simulate", "--until", "0s", "-o", "json", &path]);
        let live: Value = serde_json::from_str(&after).map_err(|error| error.to_string())?;
        Ok((live["explanation"].clone(), explanation(&simulated, &bench)))
    })
    .await;
    assert_eq!(live["reason"], "room", "{live:#}");
    assert_eq!(live, simulated);

    // In the namespace alone, from the group's status.
    bench
        .plane
        .kubectl(&[
            "create",
            "rolebinding",
            "-n",
            "why",
            "vera",
            "--clusterrole=view",
            "--user=vera",
        ])
        .expect("a role can be bound");
    let vera = bench.plane.kubeconfig("vera", &[]).display().to_string();
    let kubeconfig = format!("--kubeconfig={vera}");
    let told = e2e::eventually(crate::bench::SOON, "vera to read", async || {
        let binary = e2e::muster_binary().map_err(|fault| fault.to_string())?;
        let args = ["explain", "why/train", "-o", "json", &kubeconfig];
        let output = Command::new(binary).args(args).output().map_err(|it| it.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        serde_json::from_str::<Value>(&text)
            .map_err(|error| format!("{error}: {text} {}", String::from_utf8_lossy(&output.stderr)))
    })
    .await;
    assert_eq!(told["explanation"]["reason"], "room", "{told:#}");
    assert_eq!(object["status"]["explanation"]["reason"], "room");
}
