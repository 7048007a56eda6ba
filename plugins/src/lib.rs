//! The policies: one file per plugin, one [`CATALOGUE`].
//!
//! A plugin answers from the snapshot alone. Whether the requested amounts fit is not here:
//! the engine reads that from the node columns itself. [`catalogue`](CATALOGUE) is the place
//! to start; `docs/PLUGINS.md` shows how to add a file. `domain` and `share` hold what
//! several plugins count with.
#![deny(
    clippy::float_arithmetic,
    clippy::iter_over_hash_type,
    clippy::as_conversions,
    clippy::fn_params_excessive_bools
)]

mod affinity;
mod catalogue;
mod domain;
mod fair_share;
mod gpu_pack;
mod host_ports;
mod pack;
mod priority;
mod selectors;
mod share;
mod spread;
mod taints;
#[cfg(test)]
mod testing;
mod topology_pack;
mod unschedulable;
mod volume_reach;
mod volumes;

pub use catalogue::{CATALOGUE, Entry, chosen_profile, default_profile};
