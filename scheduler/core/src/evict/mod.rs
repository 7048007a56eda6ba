//! Making room by evicting others: whom a gang may take from, the cheapest victims after which it
//! provably fits, and what is kept for it until they are gone.
//!
//! A gang that found no room looks for [`victims`] it may lawfully take ([`court`]), as far as
//! their wishes let it (`wishes.rs`); [`search`] finds the cheapest set of them after which the
//! gang fits with all filters, limits and its topology, every one of them needed. What already
//! goes is counted first. The room is kept for it before the first victim hears of it, as a hold;
//! the gang is placed by the ordinary way once the room is really free.
//!
//! Invariants: nobody is evicted unless the gang that gains fits afterwards; at most one plan per
//! gang is under way; a plan that came to nothing is made anew at once only one time, then ever
//! later; no disruption budget is broken unless policy says so (`budget.rs`); a plan that is
//! written down is gone on with after a restart (`restore.rs`).

mod awaited;
mod budget;
pub mod court;
mod end;
mod holders;
mod plan;
mod restore;
pub mod search;
mod seek;
pub mod victims;
mod wishes;

pub use budget::Budgets;
pub use plan::{Evicts, Plans};
pub(crate) use wishes::{loosens, pod_loosens};
