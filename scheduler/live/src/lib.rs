//! Engine and protocol in one loop, without I/O.
//!
//! News comes in ([`news::News`]: events, answers, ticks), calls and notices come out
//! ([`news::Turn`]). The binary puts sockets and a clock around it, `scheduler/sim` a virtual
//! API server with faults; neither decides anything.
//!
//! Invariants: no decision before every needed kind is known; no write without the right to
//! write; an effect is settled exactly once.
#![deny(
    clippy::float_arithmetic,
    clippy::iter_over_hash_type,
    clippy::as_conversions,
    clippy::fn_params_excessive_bools
)]

pub mod driver;
mod evict;
mod facts;
mod leave;
pub mod news;
mod queues;
pub mod settings;
mod tell;
mod waits;
