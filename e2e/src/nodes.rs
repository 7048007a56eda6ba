//! Nodes as objects: what a test says of them is all there is.

use k8s_openapi::api::core::v1::Node;
use serde_json::{Map, Value, json};

/// A node to be made: ready, 64 cores, 512 GiB, 110 pods, no GPU, unless said otherwise.
#[derive(Clone, Debug)]
pub struct FakeNode {
    name: String,
    labels: Map<String, Value>,
    annotations: Map<String, Value>,
    resources: Map<String, Value>,
    taints: Vec<Value>,
    is_ready: bool,
}

impl FakeNode {
    /// A node called `name`.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        let mut labels = Map::new();
        labels.insert("kubernetes.io/hostname".into(), json!(name));
        labels.insert("kubernetes.io/os".into(), json!("linux"));
        labels.insert("kubernetes.io/arch".into(), json!("amd64"));
        let node = Self {
            name,
            labels,
            annotations: Map::new(),
            resources: Map::new(),
            taints: Vec::new(),
            is_ready: true,
        };
        node.cpu("64").memory("512Gi").resource("pods", "110").resource("ephemeral-storage", "1Ti")
    }

    /// `count` nodes `PREFIX0`, `PREFIX1`, … of the shape that `shape` gives them.
    pub fn many(count: usize, prefix: &str, shape: impl Fn(Self, usize) -> Self) -> Vec<Self> {
        (0..count).map(|index| shape(Self::new(format!("{prefix}{index}")), index)).collect()
    }

    /// So many `nvidia.com/gpu`.
    #[must_use]
    pub fn gpus(self, count: u32) -> Self {
        self.resource("nvidia.com/gpu", &count.to_string())
    }

    /// Cores, as a quantity.
    #[must_use]
    pub fn cpu(self, quantity: &str) -> Self {
        self.resource("cpu", quantity)
    }

    /// Memory, as a quantity.
    #[must_use]
    pub fn memory(self, quantity: &str) -> Self {
        self.resource("memory", quantity)
    }

    /// Capacity and allocatable of any resource.
    #[must_use]
    pub fn resource(mut self, name: &str, quantity: &str) -> Self {
        self.resources.insert(name.into(), json!(quantity));
        self
    }

    /// One more label.
    #[must_use]
    pub fn label(mut self, key: &str, value: &str) -> Self {
        self.labels.insert(key.into(), json!(value));
        self
    }

    /// One more annotation.
    #[must_use]
    pub fn annotation(mut self, key: &str, value: &str) -> Self {
        self.annotations.insert(key.into(), json!(value));
        self
    }

    /// One more taint; `effect` is `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    #[must_use]
    pub fn taint(mut self, key: &str, value: &str, effect: &str) -> Self {
        self.taints.push(json!({ "key": key, "value": value, "effect": effect }));
        self
    }

    /// Not ready from the start.
    #[must_use]
    pub fn unready(mut self) -> Self {
        self.is_ready = false;
        self
    }

    /// The object as the API server takes it.
    ///
    /// # Panics
    /// Never, unless a name or value is one that JSON cannot hold.
    #[must_use]
    pub fn object(&self) -> Node {
        let ready = if self.is_ready { "True" } else { "False" };
        let condition = |kind: &str, status: &str| {
            json!({ "type": kind, "status": status, "reason": "Test",
                "message": "as the test says" })
        };
        let object = json!({
            "metadata": {
                "name": self.name, "labels": self.labels, "annotations": self.annotations },
            "spec": { "taints": self.taints },
            "status": {
                "capacity": self.resources,
                "allocatable": self.resources,
                "conditions": [
                    condition("MemoryPressure", "False"), condition("DiskPressure", "False"),
                    condition("PIDPressure", "False"), condition("Ready", ready),
                ],
                "addresses": [{ "type": "Hostname", "address": self.name }],
            },
        });
        serde_json::from_value(object).expect("a node of this shape is a node")
    }
}
