//! Objects to try with, those of the other tests and of the fuzz targets.

use scheduler_kube::desk::{Name, Part, Source};
use scheduler_kube::object::Object;
use scheduler_kube::read::KINDS;
use serde_json::Value;

/// One object, and where it would come from.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub source: Source,
    pub json: Value,
}

const FILES: [&str; 10] = [
    include_str!("../groups/objects/coscheduling.yaml"),
    include_str!("../groups/objects/kubernetes.yaml"),
    include_str!("../groups/objects/kueue.yaml"),
    include_str!("../groups/objects/muster.yaml"),
    include_str!("../groups/objects/plain.yaml"),
    include_str!("../groups/objects/volcano.yaml"),
    include_str!("../pods_and_nodes/objects/gpu-node.json"),
    include_str!("../pods_and_nodes/objects/indexed-job-pod.json"),
    include_str!("../pods_and_nodes/objects/resized-pod.json"),
    include_str!("objects.yaml"),
];

/// All of them; kinds that are not read and objects without a name are left out.
pub(crate) fn all() -> Vec<Sample> {
    let documents = FILES.iter().flat_map(|text| text.split("\n---\n"));
    let read = documents.map(|text| serde_saphyr::from_str(text).expect("a sample is YAML"));
    read.filter_map(sample).collect()
}

/// An object that a server would send.
pub(crate) fn sample(mut json: Value) -> Option<Sample> {
    let version = json["apiVersion"].as_str()?.to_owned();
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let kind = json["kind"].as_str()?.to_owned();
    let row = KINDS.iter().position(|one| one.group == group && one.kind == kind)?;
    let is_of_cluster = [
        "Node",
        "Namespace",
        "PriorityClass",
        "Queue",
        "Topology",
        "HyperNode",
        "ClusterQueue",
        "Cohort",
        "ResourceFlavor",
        "PersistentVolume",
        "StorageClass",
        "CSIDriver",
        "CSINode",
    ];
    if !is_of_cluster.contains(&kind.as_str()) && json["metadata"]["namespace"].is_null() {
        json["metadata"]["namespace"] = "default".into();
    }
    json["metadata"]["name"].as_str()?;
    let source = match json["spec"]["schedulerName"].as_str() {
        Some("muster") if kind == "Pod" => Source::pods(Part::Ours(0)),
        _ if kind == "Pod" => Source::pods(Part::Others),
        _ => Source::row(row),
    };
    Some(Sample { source, json })
}

impl Sample {
    pub(crate) fn name(&self) -> Name {
        let text = |key: &str| self.json["metadata"][key].as_str().unwrap_or_default().to_owned();
        Name { namespace: text("namespace"), name: text("name") }
    }

    pub(crate) fn object(&self) -> Box<Object> {
        let json = self.json.to_string();
        Box::new(self.source.kind().decode(json.as_bytes()).expect("a sample can be read"))
    }
}
