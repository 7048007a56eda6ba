//! The nouns of muster, in reading order.
//!
//! 1. [`time`], [`amount`], [`ids`]: the small values everything else is made of.
//! 2. [`spec`]: what the outside tells us, in our own words (nodes, pods, gangs, queues).
//! 3. [`event`], [`effect`]: the two pipes, in and out.
//! 4. [`snapshot`]: the cluster as the engine sees it, made of the tables [`node`], [`label`],
//!    [`topology`], [`constraint`], [`relation`], [`class`], [`pod`], [`gang`], [`queue`],
//!    [`volume`], [`budget`].
//! 5. [`ingest`] and [`op`]: the only two ways a snapshot changes.
//! 6. [`describe`]: what a snapshot holds, by name.
//! 7. [`explain`]: why a gang waits, as a value.
//! 8. [`world`]: a whole input as one value, for simulators.
//!
//! Invariants: nothing here does I/O, reads a clock, starts a thread, draws a random
//! number, uses a float or knows a Kubernetes type.
#![deny(
    clippy::float_arithmetic,
    clippy::iter_over_hash_type,
    clippy::as_conversions,
    clippy::fn_params_excessive_bools
)]

pub mod amount;
pub mod budget;
pub mod class;
pub mod constraint;
pub mod describe;
pub mod effect;
pub mod event;
pub mod explain;
pub mod gang;
pub mod ids;
pub mod ingest;
pub mod journal;
pub mod label;
mod loss;
pub mod node;
pub mod node_set;
pub mod op;
pub mod pod;
pub mod problem;
pub mod queue;
pub mod reach;
pub mod relation;
pub mod resource;
pub mod snapshot;
pub mod spec;
pub mod time;
pub mod topology;
pub mod volume;
pub mod world;
