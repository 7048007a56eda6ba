//! What must hold of the engine in every world: random worlds from fixed seeds, judged by a
//! checker and an oracle that share no code with it.
//!
//! Read [`trial`] (one engine and the truth beside it), [`seeds`] (which worlds, and how a
//! failing one becomes a small story), [`change`] (what can happen later); then the families,
//! each named by its promise. `MUSTER_SEEDS=5000` or `MUSTER_SEEDS=17..18` chooses other seeds.

mod absurd;
mod change;
mod classes;
mod crowded;
mod emptied;
mod evict_judge;
mod evicting;
mod explained;
mod fuel;
mod gap;
mod quiet;
mod reading;
mod rebuilt;
mod restart;
mod safety;
mod same;
mod seeds;
mod strict;
mod trial;
mod undo;
mod vanished;
