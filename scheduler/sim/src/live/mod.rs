//! The live run against a virtual API server, with everything that can go wrong.
//!
//! The production driver (`scheduler/live`: engine, protocol, lease) runs unchanged; around it
//! are a server that answers as the real one does, a wire that loses and delays, watches with
//! lags of their own, kubelets, controllers, other schedulers and people. One seed decides it
//! all.
//!
//! In reading order: [`story`] (what will happen), [`troop`], [`trap`], [`server`], [`wire`], [`watch`],
//! [`replica`], [`actors`], [`store`] (volumes), [`mod@play`] (with `spring`: what a trap does),
//! [`promises`] (what must hold, with `sight` and `doubts`), [`rivals`] (evictions), [`rest`] (what
//! must hold in the end).

pub mod actors;
mod claims;
mod doubts;
mod finale;
mod ledgers;
pub mod play;
pub mod promises;
pub mod replica;
pub mod rest;
pub mod rivals;
pub mod server;
pub mod sight;
mod spring;
pub mod store;
pub mod story;
mod tally;
pub mod trap;
pub mod troop;
pub mod watch;
pub mod wire;
