//! Public traces as Kubernetes objects.

use crate::{folder, run};
use std::path::Path;

const NODES: &str =
    "sn,cpu_milli,memory_mib,gpu,model\nn-0,64000,262144,2,P100\nn-1,32000,131072,0,\n";
const PODS: &str = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\n\
                    p-0,12000,16384,1,460,V100M16|P100,LS\n";

fn openb(pods: &str, more: &[&str]) -> crate::Ran {
    let folder = folder(&[("n.csv", NODES.as_bytes()), ("p.csv", pods.as_bytes())]);
    let arguments: Vec<&str> = ["trace", "openb", "--nodes", "n.csv", "--pods", "p.csv", "--gangs"]
        .iter()
        .chain(more)
        .copied()
        .collect();
    run(folder.path(), &arguments, "")
}

#[test]
fn nodes_and_gangs_of_the_trace_are_objects() {
    insta::assert_snapshot!(openb(PODS, &["1", "--seed", "3"]).shown());
}

#[test]
fn the_seed_alone_chooses_the_gangs() {
    let one = openb(PODS, &["5", "--seed", "1"]).out;
    assert_eq!(one, openb(PODS, &["5"]).out);
    assert_ne!(one, openb(PODS, &["5", "--seed", "2"]).out);
}

#[test]
fn a_file_that_is_not_of_the_trace_is_told_with_its_line() {
    let ran = openb(&PODS.replace("12000", "12k"), &["1"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.starts_with("error: p.csv:2: cpu_milli is \"12k\""), "{}", ran.err);
}

/// Five hundred gangs on the nodes of the real trace: `MUSTER_TRACES` says where it is.
#[test]
fn gangs_of_the_real_trace_are_placed() {
    let Some(traces) = std::env::var_os("MUSTER_TRACES") else { return };
    let traces = Path::new(&traces).join("openb");
    let ran = run(
        &traces,
        &[
            "trace",
            "openb",
            "--nodes",
            "openb_node_list_gpu_node.csv",
            "--pods",
            "openb_pod_list_default.csv",
            "--gangs",
            "500",
        ],
        "",
    );
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let simulated = run(&traces, &["simulate", "-"], &ran.out);
    let last = simulated.out.lines().last().expect("a summary");
    assert!(last.starts_with("500 gangs: ") && last.contains("1213 nodes"), "{last}");
}
