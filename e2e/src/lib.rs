//! A real Kubernetes control plane for tests, and the processes that tests run against it.
//!
//! ```no_run
//! # async fn test() -> Result<(), e2e::Fault> {
//! use e2e::{ControlPlane, FakeNode, FakePod, Nodes};
//!
//! let plane = ControlPlane::builder().nodes(Nodes::Kwok).start().await;
//! plane.add_nodes(&FakeNode::many(4, "gpu-", |node, _| node.gpus(8))).await?;
//! plane.namespace("train").await?;
//! plane.add_pods("train", &FakePod::many(4, "worker-", |pod, _| pod.gpus(8))).await?;
//! let mut muster = plane.muster().start()?;
//! muster.ready(std::time::Duration::from_secs(10)).await?;
//! # Ok(()) }
//! ```
//!
//! Its binaries are built from source once for each machine (`module.rs`, `cache.rs`); its
//! processes and files vanish with the test, however the test ends (`nest.rs`). A control plane
//! starts in a few seconds; tests of one file share one where names keep them apart:
//!
//! ```no_run
//! use e2e::ControlPlane;
//! use tokio::sync::OnceCell;
//!
//! static PLANE: OnceCell<ControlPlane> = OnceCell::const_new();
//!
//! async fn plane() -> &'static ControlPlane {
//!     PLANE.get_or_init(|| ControlPlane::builder().start()).await
//! }
//! ```
//!
//! Clients belong to the runtime of the test that made them: ask the control plane for one in
//! each test. `docs/TESTING.md` says how to run, clean and bump all this.

mod access;
mod audit;
mod cache;
mod client;
mod fault;
mod http;
pub mod manifests;
mod module;
mod muster;
mod nest;
mod nodes;
mod peers;
mod plane;
mod pods;
mod ports;
mod process;
pub mod promql;
mod provisioner;
mod relay;
mod slots;
mod tools;
mod wait;

pub use audit::AuditEntry;
pub use cache::folder as cache_folder;
pub use fault::Fault;
pub use http::get;
pub use module::Module;
pub use muster::{Muster, MusterBuilder, binary as muster_binary};
pub use nodes::FakeNode;
pub use peers::{VOLCANO_CONFIG, Volcano, kube_scheduler, kube_scheduler_with};
pub use plane::{Builder, ControlPlane, Nodes, serves};
pub use pods::{EXIT_CODE, FakePod, Kubelet, RUN_FOR};
pub use ports::free_port;
pub use process::{Process, Signal};
pub use provisioner::{PROVISIONER, Provisioner, Running as RunningProvisioner, SELECTED_NODE};
pub use relay::{Line, Relay};
pub use tools::{Prometheus, helm, promtool};
pub use wait::{eventually, stays};
