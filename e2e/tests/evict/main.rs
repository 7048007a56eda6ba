//! `muster run` on a real API server, where gangs have to go for others: who goes and who does
//! not, what stands in the API meanwhile, and what a muster that is killed leaves to the next.
//!
//! Read [`stage`] first: a cluster whose nodes are lent, and kubelets that the test plays.
#![allow(clippy::print_stdout, reason = "measured times are for people, with --nocapture")]

mod courses;
mod kills;
mod protected;
mod stage;
