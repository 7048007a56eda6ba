//! The GPU trace known as openb: each of its nodes, and gangs made from its pods.
//!
//! A gang is one pod of the trace, drawn by the seed, so many times over; a share of a GPU
//! becomes a whole one. Next: `muster trace openb … | muster simulate -`.

use super::dice::Dice;
use super::rows::{Row, rows};
use crate::arguments::Openb;
use crate::ending::Ending;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;

/// Label of nodes with the model of their GPUs.
const MODEL: &str = "nvidia.com/gpu.product";
/// Most members of a gang.
const MEMBERS_MAX: usize = 16;

/// Writes all nodes and gangs.
///
/// # Errors
/// If `out` or `err` cannot be written to.
pub fn openb(wish: &Openb, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Ending> {
    match objects(wish) {
        Ok(objects) => {
            for mut object in objects {
                object.sort_all_objects();
                serde_json::to_writer(&mut *out, &object)?;
                writeln!(out)?;
            }
            Ok(Ending::Ran)
        }
        Err(why) => {
            writeln!(err, "error: {why}")?;
            Ok(Ending::Unreadable)
        }
    }
}

fn text(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path)
        .map_err(|error| format!("{}: {error} (check the path)", path.display()))
}

fn objects(wish: &Openb) -> Result<Vec<Value>, String> {
    let (nodes, pods) = (text(&wish.nodes)?, text(&wish.pods)?);
    let nodes = rows(&wish.nodes, &nodes);
    let pods = rows(&wish.pods, &pods);
    let mut objects: Vec<Value> = nodes.iter().map(node).collect::<Result<_, _>>()?;
    if pods.is_empty() {
        return Err(format!("{}: it has no pods (name a pod list)", wish.pods.display()));
    }
    let mut dice = Dice::new(wish.seed);
    for number in 0..wish.gangs {
        let row = &pods[dice.below(pods.len())];
        let members = 1 + dice.below(MEMBERS_MAX);
        let name = format!("gang-{number:05}");
        objects.push(json!({
            "apiVersion": "muster.sh/v1alpha1",
            "kind": "PodGroup",
            "metadata": {"name": name, "namespace": "openb"},
            "spec": {"minAvailable": members},
        }));
        let spec = pod_spec(row)?;
        objects.extend((0..members).map(|member| {
            json!({
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "name": format!("{name}-{member}"),
                    "namespace": "openb",
                    "labels": {"muster.sh/pod-group": name},
                },
                "spec": spec,
            })
        }));
    }
    Ok(objects)
}

fn node(row: &Row<'_>) -> Result<Value, String> {
    let mut labels = json!({});
    let mut allocatable = json!({
        "cpu": format!("{}m", row.number("cpu_milli")?),
        "memory": format!("{}Mi", row.number("memory_mib")?),
        "pods": "110",
    });
    let gpus = row.number("gpu")?;
    if gpus > 0 {
        labels[MODEL] = row.text("model").into();
        allocatable["nvidia.com/gpu"] = gpus.to_string().into();
    }
    Ok(json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": row.text("sn"), "labels": labels},
        "status": {"allocatable": allocatable},
    }))
}

fn pod_spec(row: &Row<'_>) -> Result<Value, String> {
    let mut requests = json!({
        "cpu": format!("{}m", row.number("cpu_milli")?),
        "memory": format!("{}Mi", row.number("memory_mib")?),
    });
    // A pod that asks for a part of one GPU has num_gpu 1 and fewer than 1000 gpu_milli.
    let gpus = row.number("num_gpu")?;
    if gpus > 0 {
        requests["nvidia.com/gpu"] = gpus.to_string().into();
    }
    let mut spec = json!({
        "schedulerName": "muster",
        "containers": [{"name": "main", "resources": {"requests": requests, "limits": requests}}],
    });
    let models: Vec<&str> = row.text("gpu_spec").split('|').filter(|it| !it.is_empty()).collect();
    if !models.is_empty() {
        let term =
            json!({"matchExpressions": [{"key": MODEL, "operator": "In", "values": models}]});
        spec["affinity"] = json!({"nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]},
        }});
    }
    Ok(spec)
}
