//! Controllers whose pods are not in the input, played: what they would create.
//!
//! Each function makes wire pods from the controller's template and sends them through
//! [`crate::translate::pod`], so that a played pod and a real one are read by the same code.
//! Names that a server would complete at random are completed by counting: the same input gives
//! the same pods.
//!
//! Whoever reads an input decides what is played: a controller is, if no object of the input
//! has it as its controller. Pods of schedulers that are not ours are not played, since nobody
//! here would place them; a problem says so.

mod job;
mod leader_worker;
mod order;
mod replicas;
mod template;
mod volcano;

pub(crate) use job::{inherit_from_set, inherit_marks};
pub use job::{job, job_set};
pub use leader_worker::leader_worker_set;
pub use replicas::{deployment, replica_set, stateful_set};
pub use volcano::volcano_job;

use scheduler_model::spec::GangSpec;
use scheduler_model::world::Workload;

/// What comes of a controller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// The gangs of its pods, the same that [`crate::translate`] gives for the objects the
    /// controller would make.
    pub gangs: Vec<GangSpec>,
    /// Its pods, and at what pace it creates them; empty if it creates none.
    pub workloads: Vec<Workload>,
}
