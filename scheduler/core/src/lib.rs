//! The engine: a state machine that observes events, runs cycles and emits effects.
//!
//! Read in this order: [`engine`] (the four verbs), [`cycle`] (one cycle, step by step),
//! [`roster`] (what a gang has and lacks), [`admit`], [`shares`], [`place`], [`evict`], [`explain`],
//! [`hold`].
//!
//! Invariants: no clock, no I/O, no threads, no randomness, no floats, no hash order. The same
//! events at the same times give the same effects, on any machine, at any load.
#![deny(
    clippy::float_arithmetic,
    clippy::iter_over_hash_type,
    clippy::as_conversions,
    clippy::fn_params_excessive_bools
)]

pub mod admit;
pub mod audit;
pub mod avoid;
mod awaits;
pub mod census;
mod claims;
pub mod cycle;
pub mod engine;
pub mod evict;
pub mod explain;
pub mod fresh;
pub mod fuel;
pub mod futile;
pub mod hold;
mod keep;
pub mod line;
mod lost;
pub mod mask;
mod memory;
pub mod mirror;
pub mod outbox;
pub mod pace;
pub mod place;
pub mod queues;
mod repair;
pub mod report;
mod rest;
pub mod roster;
mod run;
pub mod shares;
mod strict;
mod touched;
pub mod turn;
mod turnout;
pub mod txn;
pub mod vacancy;
pub mod view;
