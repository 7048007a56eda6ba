//! The live run under faults: fresh seeds each time, and those that once found something.
//!
//! A seed that fails is printed; `MUSTER_LIVE_SEED=<seed>` plays it again and shows its trace.
//! `MUSTER_LIVE_SEEDS=<count>` plays another number of them.

#![allow(clippy::print_stdout, reason = "the seeds that were played are for people")]

mod alone;
mod evict;
mod restart;
mod seeds;
