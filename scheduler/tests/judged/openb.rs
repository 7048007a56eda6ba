//! Gangs made from the pods of a real GPU trace on its own nodes. `MUSTER_TRACES` says where
//! the trace is; without it there is nothing to judge.

use crate::judge::judge;
use scheduler::arguments::Openb;
use scheduler::trace;
use scheduler_core::engine::Config;
use scheduler_model::time::Span;
use scheduler_sim::stage::Options;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Nodes per rack: the trace does not say, so neighbours in its list are neighbours.
const RACK_NODES: usize = 16;
/// Label of a node's rack.
const RACK: &str = "topology.example.com/rack";
/// Label of a node's GPU model.
const MODEL: &str = "nvidia.com/gpu.product";

/// Nobody holds room, so that no wait is excused by it.
fn without_hold() -> Options {
    let config = Config { hold_after: Span::from_secs(1 << 40), ..Config::default() };
    Options { config, ..Options::default() }
}

/// Said where there is nothing to judge.
const SKIPPED: &str = "MUSTER_TRACES is not set: gangs of the openb trace are not judged";

fn traces() -> Option<PathBuf> {
    Some(Path::new(&std::env::var_os("MUSTER_TRACES")?).join("openb"))
}

/// The objects that `muster trace openb` writes.
fn objects(traces: &Path, gangs: u32) -> Vec<Value> {
    let wish = Openb {
        nodes: traces.join("openb_node_list_gpu_node.csv"),
        pods: traces.join("openb_pod_list_default.csv"),
        gangs,
        seed: 1,
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    trace::openb(&wish, &mut out, &mut err).expect("memory takes everything");
    assert!(err.is_empty(), "{}", String::from_utf8_lossy(&err));
    let lines = out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).expect("each line is one object")).collect()
}

fn text(objects: &[Value]) -> String {
    objects.iter().map(|object| format!("{object}\n")).collect()
}

#[test]
fn five_hundred_gangs_of_the_trace_wait_only_where_nobody_finds_room() {
    let Some(traces) = traces() else { return eprintln!("{SKIPPED}") };
    let text = text(&objects(&traces, 500));
    for options in [Options::default(), without_hold()] {
        let judged = judge(&text, options);
        eprintln!("500 gangs: {judged:#?}");
        assert!(judged.faults.is_empty(), "{:#?}", judged.faults);
        assert!(judged.unknown.is_empty(), "{:#?}", judged.unknown);
        assert!(judged.served >= 300, "{judged:?}");
    }
}

#[test]
fn a_mix_of_2500_gangs_of_the_trace_waits_only_where_nobody_finds_room() {
    let Some(traces) = traces() else { return eprintln!("{SKIPPED}") };
    // Every sixth gives its pods to the one before it, as a second role.
    let mut objects = objects(&traces, 3000);
    mix(&mut objects);
    let judged = judge(&text(&objects), without_hold());
    eprintln!("2500 gangs: {judged:#?}");
    assert!(judged.faults.is_empty(), "{:#?}", judged.faults);
    assert!(judged.unknown.is_empty(), "{:#?}", judged.unknown);
    assert!(judged.served >= 500 && judged.room >= 500, "{judged:?}");
}

/// Puts nodes into racks, and gives gangs roles, a required rack or a model by their number.
fn mix(objects: &mut Vec<Value>) {
    let racks = (0..).flat_map(|rack| [rack; RACK_NODES]);
    let nodes = objects.iter_mut().filter(|object| object["kind"] == "Node");
    for (rack, node) in racks.zip(nodes) {
        node["metadata"]["labels"][RACK] = format!("r{rack:02}").into();
    }
    let is_merged = |object: &Value| object["kind"] == "PodGroup" && number(object) % 6 == 5;
    let mut second = vec![0_u64; 500];
    for group in objects.iter().filter(|object| is_merged(object)) {
        second[number(group) / 6] = group["spec"]["minAvailable"].as_u64().expect("a number");
    }
    objects.retain(|object| !is_merged(object));
    for object in objects.iter_mut() {
        match object["kind"].as_str() {
            Some("PodGroup") => mix_group(object, &second),
            Some("Pod") => mix_pod(object),
            _ => {}
        }
    }
}

fn mix_group(group: &mut Value, second: &[u64]) {
    let number = number(group);
    if number % 6 == 4 {
        let (first, second) = (group["spec"]["minAvailable"].as_u64(), second[number / 6]);
        let first = first.expect("a number");
        group["spec"]["minAvailable"] = (first + second).into();
        group["spec"]["roles"] = json!([
            {"name": "first", "minAvailable": first},
            {"name": "second", "minAvailable": second},
        ]);
    }
    if number.is_multiple_of(4) {
        group["spec"]["topology"] = json!({"required": RACK});
    }
}

fn mix_pod(pod: &mut Value) {
    let number = number(pod);
    if number % 6 >= 4 {
        let role = if number % 6 == 4 { "first" } else { "second" };
        let group = format!("gang-{:05}", number / 6 * 6 + 4);
        pod["metadata"]["labels"] = json!({"muster.sh/pod-group": group, "muster.sh/role": role});
    }
    if number.is_multiple_of(29) {
        let model = ["G2", "T4", "V100M32"][number / 29 % 3];
        pod["spec"]["nodeSelector"] = json!({MODEL: model});
    }
}

/// The number in the name of a gang, or of the gang of a pod.
fn number(object: &Value) -> usize {
    let name = object["metadata"]["name"].as_str().expect("every object has a name");
    let digits = name.split('-').nth(1).expect("gangs are called gang-NUMBER");
    digits.parse().expect("a number")
}
