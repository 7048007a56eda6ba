//! The scales: clusters and workloads of any size, and what to weigh with them.
//!
//! 1. [`cluster`]: nodes with GPUs, filled to 60 % with running gangs;
//! 2. [`workload`]: gangs that arrive, alike or all different;
//! 3. [`stage`]: an engine that decides about a workload again and again from the same state;
//! 4. [`bare`]: placing alone, without the rest of a cycle;
//! 5. [`naive`]: the yardstick, a full scan that shares the plugins and nothing else;
//! 6. [`noisy`]: objects as large as those of real clusters, for whoever reads them;
//! 7. [`queues`]: many queues that all want more than there is;
//! 8. [`rush`]: short work for many queues at once, in virtual time.
//!
//! Invariant: everything is a function of its arguments. Two runs weigh the same work, and
//! the same generators run tiny as tests. `docs/benchmarks.md` has the results.

pub mod bare;
pub mod cluster;
pub mod naive;
pub mod noisy;
pub mod queues;
pub mod reclaim;
pub mod rush;
pub mod stage;
pub mod workload;
