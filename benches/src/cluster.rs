//! A cluster of GPU nodes, 60 % of its GPUs in use, as the events that tell of it.
//!
//! Invariant: node `i` looks the same in a cluster of any size, so that clusters of different
//! sizes differ in nothing but their size.

use crate::workload::{RUNNING_NAMESPACE, gang_key, pod, requests};
use scheduler_model::amount::Amount;
use scheduler_model::event::Event;
use scheduler_model::spec::{
    GangSpec, LabelSelector, Labels, LevelSpec, Membership, NamespaceScope, NodeSpec, PodPhase,
    PodShape, PodSpec, PodTerm, QueueSpec, QuotaSpec, Requirement, SelectorOperator, Taint,
    TaintEffect, TopologySpec,
};
use std::sync::Arc;

/// The accelerator.
pub const GPU: &str = "nvidia.com/gpu";
/// Label key of the accelerator's model.
pub const MODEL: &str = "nvidia.com/gpu.product";
/// Label key of the zone.
pub const ZONE: &str = "topology.kubernetes.io/zone";
/// Label key of the rack.
pub const RACK: &str = "example.com/rack";
/// Label key of the node's own name.
pub const HOSTNAME: &str = "kubernetes.io/hostname";
/// Key of the taint that keeps some nodes for pods which tolerate it.
pub const TAINT: &str = "example.com/dedicated";
/// The models; every second node has the second one.
pub const MODELS: [&str; 2] = ["h100", "a100"];
/// Number of zones.
pub const ZONES: usize = 3;
/// GPUs of a node.
pub const GPUS_PER_NODE: usize = 8;
/// The queue that workloads go to; it has a limit, so that limits are checked.
pub const QUEUE: &str = "research";

const NODES_PER_RACK: usize = 32;
const RACKS_PER_BLOCK: usize = 8;
const PODS_PER_RUNNING_GANG: usize = 8;
const GIB: i64 = 1 << 30;

/// GPUs in use on 20 neighbours: 96 of 160.
const USED: [usize; 20] = [8, 8, 8, 8, 8, 8, 8, 8, 6, 6, 4, 4, 4, 2, 2, 2, 1, 1, 0, 0];

/// GPUs that are free in a cluster of so many nodes.
#[must_use]
pub fn free_gpus(nodes: usize) -> usize {
    (0..nodes).map(|node| GPUS_PER_NODE - used_on(node)).sum()
}

/// Everything there is to tell about a cluster of `nodes` nodes, in order.
#[must_use]
pub fn events(nodes: usize) -> Vec<Event> {
    let mut events = vec![Event::Topology(topology())];
    events.extend(queues(nodes).into_iter().map(Event::Queue));
    events.extend((0..nodes).map(|index| Event::Node(Box::new(node(index)))));
    let running: Vec<PodSpec> = (0..nodes).flat_map(running_on).collect();
    for (number, members) in running.chunks(PODS_PER_RUNNING_GANG).enumerate() {
        let key = gang_key(RUNNING_NAMESPACE, &format!("run-{number}"));
        let min = u32::try_from(members.len()).expect("a gang of eight");
        let queue = Some(["product", "search", QUEUE][number % 3].to_owned());
        let spec = GangSpec { min, queue, ..GangSpec::plain(key.clone()) };
        events.push(Event::Gang(Box::new(spec)));
        events.extend(members.iter().map(|member| {
            let membership = Membership::Group(key.clone());
            Event::Pod(Box::new(PodSpec { membership, ..member.clone() }))
        }));
    }
    events.extend((0..nodes).step_by(100).map(|index| Event::Pod(Box::new(service_on(index)))));
    events
}

fn topology() -> TopologySpec {
    let level = |name: &str, key: &str| LevelSpec { name: name.to_owned(), key: key.to_owned() };
    TopologySpec {
        name: "cables".to_owned(),
        levels: vec![
            level("zone", ZONE),
            level("block", "example.com/block"),
            level("rack", RACK),
            level("node", HOSTNAME),
        ],
    }
}

/// Three queues; the one that workloads go to may use nine tenths of the cluster.
fn queues(nodes: usize) -> Vec<QueueSpec> {
    let gpus = i64::try_from(nodes * GPUS_PER_NODE).expect("fewer than 2^60 nodes");
    let amount = Amount::new(gpus * 9 / 10);
    let mut research = QueueSpec::named(QUEUE);
    research.quotas = vec![QuotaSpec::limit(None, GPU, amount)];
    vec![QueueSpec::named("product"), QueueSpec::named("search"), research]
}

fn node_name(index: usize) -> String {
    format!("node-{index}")
}

fn node(index: usize) -> NodeSpec {
    let rack = index / NODES_PER_RACK;
    let block = rack / RACKS_PER_BLOCK;
    let name = node_name(index);
    let labels = [
        (HOSTNAME, name.clone()),
        (ZONE, format!("z{}", block % ZONES)),
        ("example.com/block", format!("b{block}")),
        (RACK, format!("r{rack}")),
        (MODEL, MODELS[index % 2].to_owned()),
        ("kubernetes.io/os", "linux".to_owned()),
        ("kubernetes.io/arch", "amd64".to_owned()),
    ];
    let taint = |effect| Taint { key: TAINT.to_owned(), value: "infra".to_owned(), effect };
    let taints = match index % 20 {
        3 => vec![taint(TaintEffect::NoSchedule)],
        13 => vec![taint(TaintEffect::PreferNoSchedule)],
        _ => Vec::new(),
    };
    let gpus = i64::try_from(GPUS_PER_NODE).expect("a small number");
    let room = [("cpu", 96_000), ("memory", 1024 * GIB), ("pods", 110), (GPU, gpus)];
    NodeSpec {
        name,
        labels: labels.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
        taints,
        ready: true,
        allocatable: requests(&room),
        flavour: MODELS[index % 2].to_owned(),
        ..NodeSpec::default()
    }
}

/// Neighbours differ, and so do racks.
fn used_on(index: usize) -> usize {
    USED[(index * 7 + index / USED.len()) % USED.len()]
}

fn running_on(index: usize) -> Vec<PodSpec> {
    let parts: &[i64] = match used_on(index) {
        8 => &[8],
        6 => &[4, 2],
        4 => &[4],
        2 => &[2],
        1 => &[1],
        _ => &[],
    };
    parts.iter().enumerate().map(|(part, gpus)| running(index, part, *gpus)).collect()
}

fn running(index: usize, part: usize, gpus: i64) -> PodSpec {
    let wants = [("cpu", 10_000 * gpus), ("memory", 100 * GIB * gpus), (GPU, gpus)];
    let shape = PodShape { requests: requests(&wants), ..PodShape::default() };
    let name = format!("run-{index}-{part}");
    bound(index, pod(RUNNING_NAMESPACE, &name, Arc::new(shape)))
}

/// A pod of a service that keeps its replicas apart, so that relations are not empty.
fn service_on(index: usize) -> PodSpec {
    let key = "app".to_owned();
    let values = vec!["web".to_owned()];
    let requirement = Requirement { key, operator: SelectorOperator::In, values };
    let namespaces = NamespaceScope { names: vec!["services".to_owned()], selector: None };
    let apart = PodTerm {
        selector: Some(LabelSelector { requirements: vec![requirement] }),
        namespaces,
        topology_key: HOSTNAME.to_owned(),
    };
    let wants = [("cpu", 500), ("memory", GIB)];
    let shape =
        PodShape { requests: requests(&wants), anti_affinity: vec![apart], ..PodShape::default() };
    let labels: Labels = [("app".to_owned(), "web".to_owned())].into();
    let service = pod("services", &format!("web-{index}"), Arc::new(shape));
    bound(index, PodSpec { labels, ..service })
}

fn bound(index: usize, pod: PodSpec) -> PodSpec {
    PodSpec { node: Some(node_name(index)), phase: PodPhase::Running, ..pod }
}
