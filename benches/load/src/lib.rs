//! The load harness: muster, its peers and the machine's own ceiling on a real API server.
//!
//! 1. [`contestant`]: who is measured; [`null`] is the ceiling.
//! 2. [`stage`]: a fresh control plane for each run; [`work`]: what is submitted.
//! 3. [`observer`]: the independent witness; [`counters`]: the API server's own counts;
//!    [`usage`]: the process table; [`check`]: what must be true at the end.
//! 4. Scenarios: [`burst`] (B1, B2 a), [`arrivals`] (B2 b), [`rush`] (B5, [`kueue`] beside it),
//!    [`storm`] (B6), [`footprint`] and [`recorded`] (B7, the latter beside a [`stub`]),
//!    [`shares`] (weights). [`program`] says which run in which size.
//! 5. [`figures`], [`table`]: medians, ratios, and how they are shown.
//!
//! Invariants: one scheduler at a time; nothing is compared across runs of this program; a run
//! with a violation has no score. `docs/benchmarks.md` says how to run and read it.

mod admissions;
pub mod arrivals;
pub mod burst;
pub mod check;
pub mod contestant;
pub mod counters;
pub mod figures;
pub mod footprint;
pub mod kueue;
pub mod machine;
pub mod null;
pub mod observer;
pub mod program;
pub mod recorded;
pub mod rounds;
pub mod rush;
pub mod shares;
pub mod stage;
pub mod storm;
pub mod stub;
pub mod table;
pub mod usage;
pub mod wire;
pub mod work;
