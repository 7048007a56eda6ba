//! `muster run`: engine and machines on a real API server.
//!
//! [`config`] is what can be set, [`logs`] and [`metrics`] are what is told.

pub mod config;
pub mod logs;
pub mod metrics;
