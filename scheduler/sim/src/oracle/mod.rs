//! The second judge: could this gang have been placed, in any way at all?
//!
//! Invariant: like the checker it shares no code with the engine, and an answer other than
//! [`Answer::TooLarge`] is exact. Three ways, cheapest first: identical members are counted
//! (`seats.rs`), several shapes are packed exhaustively (`pack.rs`), pods that look at other
//! pods are tried one by one with the checker as referee (`search.rs`).
//!
//! Next: [`GangQuestion`] is what is asked, [`Ground`] is where; [`feasible`], [`best_count`]
//! and [`best_total`] answer.

mod best;
mod contradiction;
mod fuel;
mod ground;
mod lot;
mod pack;
mod question;
mod search;
mod seats;
mod target;

pub use best::{best_count, best_total};
pub use ground::Ground;
pub use question::{GangQuestion, QueueRoom, questions};

use crate::checker::Cluster;
use fuel::Fuel;

/// Can the gang have its minimum?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes, for instance by these binds (uid, node), each allowed on the state just before it.
    Yes(Vec<(String, String)>),
    /// No way exists.
    No,
    /// The budget was too small to tell.
    TooLarge,
}

/// Is there any way to place at least the minimum of the gang's pending pods, per role and in
/// total, in one required domain and within its queues' limits? `budget` is counted in steps;
/// counting identical members takes none.
#[must_use]
pub fn feasible(cluster: &Cluster, question: &GangQuestion, budget: u64) -> Answer {
    Ground::new(cluster).feasible(question, budget)
}

impl Ground<'_> {
    /// [`feasible`], for many questions about one cluster.
    #[must_use]
    pub fn feasible(&self, question: &GangQuestion, budget: u64) -> Answer {
        match self.find(question, &mut Fuel::new(budget)) {
            Ok(Some(binds)) => Answer::Yes(binds),
            Ok(None) => Answer::No,
            Err(_) => Answer::TooLarge,
        }
    }

    fn find(&self, question: &GangQuestion, fuel: &mut Fuel) -> fuel::Fueled<Option<Binds>> {
        let need = target::Need::of(question);
        if need.total == 0 {
            return Ok(Some(Vec::new()));
        }
        // What pods have against each other only takes places away, so a no without it is a no.
        let free_of_peers = target::place(self, question, &need, fuel)?;
        if free_of_peers.is_none() || !lot::looks_at_pods(question) {
            return Ok(free_of_peers);
        }
        search::search(self.cluster, &[question], fuel)
    }
}

/// Binds as (uid, node).
type Binds = Vec<(String, String)>;
