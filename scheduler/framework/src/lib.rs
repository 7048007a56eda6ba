//! The contracts between the engine and its policies.
//!
//! | point | trait | asked |
//! |---|---|---|
//! | which queue is served next | [`QueueOrder`] | after every decision |
//! | which gang of a queue is next | [`GangOrder`] | once per gang and cycle |
//! | which domain a gang tries first | [`DomainOrder`] | once per domain that could do |
//! | may a pod run on a node | [`Filter`] | per constraint and node, or after every placement |
//! | which of the fitting nodes is better | [`Scorer`] | per class and node |
//!
//! A plugin sees a [`scheduler_model::snapshot::Snapshot`] and nothing else: no client, no
//! clock, no state of its own that decides. [`profile`] holds the set that is in force,
//! [`laws`] what each plugin must obey. `docs/PLUGINS.md` shows how to write one.
#![deny(
    clippy::float_arithmetic,
    clippy::iter_over_hash_type,
    clippy::as_conversions,
    clippy::fn_params_excessive_bools
)]

pub mod laws;
mod order;
mod plugin;
pub mod profile;
mod wake;

pub use order::{DomainOffer, DomainOrder, GangOffer, GangOrder, OrderKey, QueueOrder};
pub use plugin::{Cadence, Filter, Plugin, SCORE_MAX, Scorer, Verdict};
pub use wake::EventMask;
