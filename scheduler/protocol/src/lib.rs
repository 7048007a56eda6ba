//! Every exchange with the API server, as state machines without I/O.
//!
//! What is sent is a [`call::Call`], what comes back an [`answer::Answer`]; both are plain data.
//! The machines between them decide what an answer means, what is tried again and when, and
//! what is given up. `scheduler/kube` only sends and decodes, `scheduler/sim` answers with
//! faults, and both drive the same machines through `scheduler/live`.
//!
//! In reading order: [`call`], [`answer`], [`lanes`] (what flies at once), [`status`] (what
//! people are told), [`lease`] (who may write), [`meaning`] and [`retry`] (the two tables), then
//! the machines [`volumes`], [`bind`] and [`repair`]. `docs/PROTOCOL.md` tells it to people.
//!
//! Invariants: no I/O, no clock (`now` is an argument), no threads, no chance (jitter comes from
//! a seed), no Kubernetes types; no timer, retry or reading of a status code anywhere else.
#![deny(
    clippy::float_arithmetic,
    clippy::iter_over_hash_type,
    clippy::as_conversions,
    clippy::fn_params_excessive_bools
)]

pub mod answer;
pub mod bind;
pub mod call;
pub mod evict;
pub mod facts;
pub mod lanes;
pub mod lease;
pub mod meaning;
mod removal;
pub mod repair;
pub mod retry;
pub mod status;
pub mod tell;
pub mod volumes;
pub mod watch;
